"""Trees whose nodes lie within each other, read from the text, against json and a walk."""

import json
import random

import numpy as np
import pytest
from cases import each

from sightline import _core

TEXTS = ["", "a", "}", '{"left": 1}', '"', "\\", '\\"', "[[[", "]]]", "é€😀", "x" * 70, '\\\\"}' * 20, "a\nb"]
MEMBERS = {
    "left": "left",
    "right": "right",
    "numbers": ["x", "split.y"],
    "strings": ["x", "split.name"],
    "ignored": ["split.other"],
    "vector": "value",
    "width": 2,
}


def drawn_tree(rng, depth):
    node = {
        "x": rng.choice([rng.uniform(-1e9, 1e9), rng.randrange(-(10**18), 10**18), True, None, *TEXTS]),
        "split": {"y": rng.uniform(-1, 1), "name": rng.choice(TEXTS), "other": rng.choice([1, 1e300, False])},
    }
    if rng.random() < 0.5:
        node["value"] = [rng.randrange(5), rng.uniform(-1, 1)]
    if depth and rng.random() < 0.8:
        node["left"] = drawn_tree(rng, depth - 1)
    if depth and rng.random() < 0.8:
        node["right"] = drawn_tree(rng, depth - 1)
    items = list(node.items())
    rng.shuffle(items)
    return dict(items)


def walked(node, nodes):
    """Append a row per node in the order of the text; the slow reference."""
    place = len(nodes)
    row = {"left": -1, "right": -1, "x": np.nan, "text": None, "value": [np.nan, np.nan]}
    nodes.append(row)
    for name, value in node.items():
        if name in ("left", "right"):
            row[name] = len(nodes)
            walked(value, nodes)
        elif name == "x" and isinstance(value, str):
            row["text"] = value
        elif name == "split":
            row["y"], row["name"] = value["y"], value["name"]
        elif value is not None:
            row[name] = value
    return place


@each(seed=range(60))
def test_nodes_are_those_of_the_document(seed):
    rng = random.Random(seed)
    tree = drawn_tree(rng, rng.randrange(6))
    layout = {"indent": rng.choice([None, 0, 3]), "ensure_ascii": rng.random() < 0.5}
    # Behind a text of any length, so that blocks of bytes begin everywhere in it.
    text = json.dumps({"before": "x" * rng.randrange(70), "tree": tree, "after": [1, 2]}, **layout)
    value = _core.parse_json(text.encode(), ["tree"]).value()
    nodes = _core.flattened([value["tree"]], **MEMBERS)
    expected = []
    walked(tree, expected)
    assert value["after"].tolist() == [1, 2]
    for name in ("left", "right"):
        assert getattr(nodes, name).tolist() == [row[name] for row in expected]
    np.testing.assert_array_equal(nodes.numbers(0), [float(row["x"]) for row in expected])
    np.testing.assert_array_equal(nodes.numbers(1), [row["y"] for row in expected])
    np.testing.assert_array_equal(nodes.vector, [row["value"] for row in expected])
    strings = [*nodes.distinct, None]
    assert [strings[code] for code in nodes.strings(0)] == [row["text"] for row in expected]
    assert [strings[code] for code in nodes.strings(1)] == [row["name"] for row in expected]


@pytest.mark.parametrize(
    ("ways", "text", "unread"),
    [
        (["t"], '{"t": {"a": 1}}', True),
        (["t"], '{"u": {"t": {"a": 1}}}', False),
        (["u.t"], '{"u": {"t": {"a": 1}}}', True),
        (["u.t"], '{"t": {"a": 1}}', False),
        (["u.t"], '{"u": [{}, {"t": {"a": 1}}]}', True),
        (["u.t"], '{"v": {"u": {"t": {"a": 1}}}}', False),
        (["t"], '{"\\u0074": [1, {"a": 1}]}', True),
        (["t"], '{"t": [[{"a": 1}]]}', True),
        (["t"], '{"t": [1, 2]}', False),
        (["t"], '{"xt": {"a": 1}, "": {"b": 2}}', False),
    ],
)
def test_what_is_left_unread(ways, text, unread):
    value = _core.parse_json(text.encode(), ways).value()
    assert ("JsonValue" in repr(value)) == unread


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ('{"x": 1,}', "byte 14: expected a string"),
        ('{"x" 1}', "byte 11: expected ':'"),
        ('{"x": 1 "y": 2}', "byte 14: expected ',' or '}'"),
        ('{"x": [1]}', "node 0: 'x' must be a number"),
        ('{"x": tr}', "byte 12: expected a value"),
        ('{"x": 1e999}', "byte 17: a number is too large"),
        ('{"x": 1, "x": 2}', "node 0: 'x' occurs twice"),
        ('{"left": {"left": {}, "right": {}}, "left": {}}', "node 0: 'left' occurs twice"),
        ('{"split": {}, "split": {}}', "node 0: 'split' occurs twice"),
        ('{"split": {"y": 1, "y": 1}}', "node 0: 'split.y' occurs twice"),
        ('{"split": 3}', "node 0: 'split' must be an object"),
        ('{"split": {"left": {}}}', "node 0: 'split.left' is unknown"),
        ('{"left": {"right": {"q": 1}}}', "node 2: 'q' is unknown"),
        ('{"left": null}', "node 1: a node must be an object"),
        ('{"split": {"y": "1"}}', "node 0: 'split.y' must not be a string"),
        ('{"split": {"name": 1}}', "node 0: 'split.name' must be a string"),
        ('{"value": 1}', "node 0: 'value' must be 2 numbers"),
        ('{"value": [1]}', "node 0: 'value' must be 2 numbers"),
        ('{"value": [1, 2, 3]}', "node 0: 'value' must be 2 numbers"),
        ('{"value": [1, "2"]}', "node 0: 'value' must be 2 numbers"),
        ('{"value": [1 2]}', "byte 19: expected ',' or ']'"),
        ('{"x": 1]', "byte 13: expected ',' or '}'"),
        ('{"x": "a\tb"}', "byte 14: a string contains a control character"),
    ],
)
def test_error_messages(tree, message):
    value = _core.parse_json(b'{"t": ' + tree.encode() + b"}", ["t"]).value()["t"]
    with pytest.raises(ValueError, match=r"^") as caught:
        _core.flattened([value], **MEMBERS)
    assert str(caught.value) == message


@pytest.mark.parametrize("tree", ['{"x": 1', '{"x": "}', '{"x": "\\"}', "{" * 200, '{"x": "' + "\\" * 131])
def test_what_is_not_closed(tree):
    text = b'{"t": ' + tree.encode()
    with pytest.raises(ValueError, match=rf"^byte {len(text)}: a bracket is not closed$"):
        _core.parse_json(text, ["t"])


def test_several_trees_are_read_one_after_the_other():
    trees = ['{"left": {"x": 1}, "right": {"x": 2}}', '{"x": 3}', '{"left": {"x": 4}, "right": {"x": 5}}']
    stored = _core.parse_json(f'{{"t": [{", ".join(trees)}]}}'.encode(), ["t"]).value()["t"]
    nodes = _core.flattened(stored, **MEMBERS)
    assert nodes.tree_begin.tolist() == [0, 3, 4, 7]
    assert nodes.left.tolist() == [1, -1, -1, -1, 1, -1, -1]
    assert nodes.right.tolist() == [2, -1, -1, -1, 2, -1, -1]
    np.testing.assert_array_equal(nodes.numbers(0), [np.nan, 1, 2, 3, np.nan, 4, 5])


def test_an_error_in_several_trees_names_the_tree():
    stored = _core.parse_json(b'{"t": [{"x": 3}, {"left": {"z": 1}}]}', ["t"]).value()["t"]
    with pytest.raises(ValueError, match=r"^tree 1: node 1: 'z' is unknown$"):
        _core.flattened(stored, **MEMBERS)


def test_gaps_between_members_may_differ_from_node_to_node():
    text = b'{"t": {"left": {"x":1,"split": {"y" :2}},"right" : {"x":   3, "split": {"y":\n4}}}}'
    nodes = _core.flattened([_core.parse_json(text, ["t"]).value()["t"]], **MEMBERS)
    np.testing.assert_array_equal(nodes.numbers(0), [np.nan, 1, 3])
    np.testing.assert_array_equal(nodes.numbers(1), [np.nan, 2, 4])
