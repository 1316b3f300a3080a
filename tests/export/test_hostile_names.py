"""Names and labels from anywhere stay names and labels in every export."""

from __future__ import annotations

import ast
import re
from xml.etree import ElementTree as ET

import pytest
from export.elsewhere import RUNNERS
from export.hostile_names import HOSTILE, hostile_rows, hostile_tree

import sightline as sl
from sightline.model import RuleSet


@pytest.mark.parametrize("runner", RUNNERS)
def test_hostile_names_survive_and_run_nothing(runner, tmp_path):
    tree = hostile_tree()
    rows, labels = hostile_rows()
    found, _ = runner(tree, rows, tmp_path)
    assert found == labels
    assert not (tmp_path / "PWNED").exists()


def test_python_is_data_and_one_function():
    body = ast.parse(hostile_tree().export("python")).body
    assert [type(statement).__name__ for statement in body[1:]] == ["Assign"] * (len(body) - 2) + [
        "FunctionDef"
    ]
    nodes = [node for statement in body[1:-1] for node in ast.walk(statement.value)]
    called = {node.id for node in nodes if isinstance(node, ast.Name)}
    assert called <= {"map", "zip", "float", "int", "iter"}
    assert {node.attr for node in nodes if isinstance(node, ast.Attribute)} <= {"split"}
    assert all(isinstance(node.func.value, ast.Constant) for node in nodes if _is_method(node))


def _is_method(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)


def test_code_is_ascii():
    for kind in ("python", "c", "javascript"):
        assert hostile_tree().export(kind).isascii()


def test_javascript_may_stand_in_a_page():
    assert "</script" not in hostile_tree().export("javascript")


def test_svg_is_xml_without_scripts():
    root = ET.fromstring(hostile_tree().export("svg"))
    names = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert names <= {"svg", "title", "style", "rect", "path", "g", "text", "tspan"}


def test_dot_has_nothing_outside_of_quotes():
    text = hostile_tree().export("dot")
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', "Q", text)
    assert re.fullmatch(r"[a-zA-Z0-9 \n={}\[\];,.>_-]*", outside)
    assert not re.search("DROP|PWNED|script|class ", outside)


def test_json_gives_the_names_back(tmp_path):
    hostile_tree().export("json", tmp_path / "tree.json")
    again = sl.read_model(tmp_path / "tree.json")
    assert again.feature_names[:-1] == HOSTILE
    assert again.classes_.tolist() == hostile_tree().classes_.tolist()


def test_names_that_a_target_cannot_hold_are_refused():
    def refusal(name, kind, **options):
        from strategies import at_most, core_tree, leaf

        from sightline.table import Feature, Schema

        schema = Schema((Feature(name),))
        root = at_most(0, 0.5, leaf(1.0), leaf(2.0), shares=[1.0, 0.0])
        tree = sl.Tree(core_tree(root, schema), schema, None)
        with pytest.raises(sl.UnsupportedModelError) as error:
            tree.export(kind, **options)
        return str(error.value)

    assert refusal("a\0b", "sql") == "SQL strings end at a NUL, and 'a\\x00b' contains one. Rename it."
    assert refusal("a\0b", "c") == "C strings end at a NUL, and 'a\\x00b' contains one. Rename it."
    assert refusal("\ud800", "sql") == (
        "'\\ud800' contains half a surrogate pair, which no database can store. Rename it."
    )
    assert refusal("", "sql", dialect="duckdb") == (
        "DuckDB cannot have a column with an empty name. Rename the feature ''."
    )
    assert refusal("a\x1bb", "pmml") == ("PMML cannot hold the character '\\x1b' in 'a\\x1bb'. Rename it.")


def test_empty_names_and_half_surrogates_run_where_they_can(tmp_path):
    from export.elsewhere import in_c, in_node, in_onnxruntime, in_python, in_sqlite
    from strategies import at_most, core_tree, leaf

    from sightline.table import Feature, Schema

    for name, runners in (
        ("", [in_python, in_node, in_c, in_sqlite, in_onnxruntime]),
        ("\ud800", [in_python, in_node, in_c, in_onnxruntime]),
    ):
        schema = Schema((Feature(name),))
        root = at_most(0, 0.5, leaf(1.0), leaf(2.0), shares=[1.0, 0.0])
        tree = sl.Tree(core_tree(root, schema), schema, None)
        for runner in runners:
            assert runner(tree, [[0.0], [1.0], [None]], tmp_path) == ([1.0, 2.0, 1.0], None)


def test_rule_sets_with_hostile_names(tmp_path):
    from export.elsewhere import in_c, in_node, in_python, in_sqlite

    tree = hostile_tree()
    rows, _ = hostile_rows()
    rules = rules_of_names()
    assert isinstance(rules, RuleSet)
    expected = rules.predict(rows).tolist()
    for runner in (in_python, in_node, in_c):
        assert runner(rules, rows, tmp_path)[0] == expected
    assert in_sqlite(rules, rows, tmp_path, probabilities=False)[0] == expected
    assert len(tree.feature_names) == len(rules.feature_names)
    assert not (tmp_path / "PWNED").exists()


def rules_of_names():
    """One rule per name: where its number is low, its label."""
    import numpy as np

    from sightline import _core
    from sightline.model import Voting

    tree, n = hostile_tree(), len(HOSTILE)
    core = _core.RuleSet(
        n_values=tree.schema.n_values,
        n_classes=2 * n,
        n_trees=1,
        feature=np.append(np.arange(n), np.full(n, n)).astype(np.int32),
        low=np.full(2 * n, -np.inf),
        high=np.append(np.full(n, 0.1), np.full(n, np.inf)),
        accepts_missing=np.zeros(2 * n, dtype=np.uint8),
        category_begin=np.append(np.zeros(n), np.arange(n + 1)).astype(np.int64),
        category=np.arange(n, dtype=np.int32),
        condition_begin=np.arange(2 * n + 1, dtype=np.int64),
        condition=np.arange(2 * n, dtype=np.int32),
        label=np.arange(2 * n, dtype=np.int32),
        weight=np.ones(2 * n),
        source_begin=np.arange(2 * n + 1, dtype=np.int64),
        source=np.zeros(2 * n, dtype=np.int32),
    )
    prior = tuple(np.full(2 * n, 1 / (2 * n)))
    return RuleSet(core, tree.schema, tree.classes_, Voting(prior, (0.0,) * 2 * n, fallback=None))
