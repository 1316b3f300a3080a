import copy
import json
import pickle
import random
import re
from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import (
    at_most,
    core_tree,
    each_of,
    ensembles,
    leaf,
    one_of,
    random_ensemble,
    random_table,
    randoms,
    schema_of,
    tree_of,
    trees,
)

import sightline as sl
from sightline import Ensemble, ModelFormatError, Tree, _core
from sightline.model import Link
from sightline.model._ensemble import combined
from sightline.model._format import parse_model
from sightline.table import Feature, Schema

# ---------------------------------------------------------------- round trips


@given(st.one_of(trees(), ensembles()), randoms())
def test_reading_and_writing_gives_the_same_bytes_and_answers(model, rng):
    text = model.to_json()
    again = parse_model(text, "here")
    assert again.to_json() == text
    assert type(again) is type(model)
    assert again.schema == model.schema
    table = random_table(rng, model.schema, 5)
    np.testing.assert_array_equal(again.predict_proba(table), model.predict_proba(table))
    np.testing.assert_array_equal(again.predict(table), model.predict(table))
    json.loads(text, parse_constant=pytest.fail)


@pytest.mark.parametrize("kind", ["identity", "median"])
def test_regressions_are_stored_too(tmp_path, kind):
    schema = schema_of([0])
    core = combined([core_tree(at_most(0, 0.1, leaf(-1 / 3), leaf(1e-300)), schema)])
    model = Ensemble(core, schema, None, Link(kind, (3.0,)))
    text = model.to_json(tmp_path / "model.json")
    again = sl.read_model(tmp_path / "model.json")
    assert again.to_json() == text == (tmp_path / "model.json").read_text()
    assert again.classes_ is None
    np.testing.assert_array_equal(again.predict([[0.1], [0.2]]), model.predict([[0.1], [0.2]]))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_doubles_survive_to_the_last_bit(threshold):
    tree = tree_of(at_most(0, threshold, leaf(1, 0), leaf(0, 1)), schema_of([0]))
    again = parse_model(tree.to_json(), "here")
    assert again.core.threshold.tobytes() == tree.core.threshold.tobytes()


@given(
    st.lists(st.text(), min_size=1, max_size=4, unique=True),
    st.lists(st.one_of(st.text(), st.integers(), st.booleans()), min_size=1, max_size=4, unique=True),
)
def test_any_name_and_value_survives(tmp_path_factory, names, values):
    features = [Feature(names[0], tuple(values)), *(Feature(name) for name in names[1:])]
    schema = Schema(tuple(features))
    tree = Tree(core_tree(one_of(0, [0], leaf(1.0), leaf(2.0)), schema), schema, None)
    path = tmp_path_factory.mktemp("names") / "tree.json"
    text = tree.to_json(path)
    again = sl.read_model(path)
    assert again.schema == schema
    assert [type(value) for value in again.schema.features[0].categories] == [type(value) for value in values]
    assert again.to_json() == text


LABELS = [
    np.array(["no", "yes"]),
    np.array(["no", "yes"], dtype="<U40"),
    np.array(["no", "yes"], dtype=object),
    np.array(["no", "yes"], dtype=np.dtypes.StringDType()),
    np.array(["", "</script>\u2028\x00x"]),
    np.array(["\ud800", "b"]),
    np.array([1, 2]),
    np.array([-1, 1], dtype=np.int8),
    np.array([0, 2**64 - 1], dtype=np.uint64),
    np.array([False, True]),
    np.array([0.0, 1.0]),
    np.array([0.5, 0.1], dtype=np.float32),
    np.array([b"no", b"\xff\x01"]),
    np.array(["2020-01-01", "2021-12-31"], dtype="datetime64[D]"),
    np.array(["2020-01-01", "2021-12-31"], dtype="datetime64[ns]"),
    np.array([1, 90], dtype="timedelta64[s]"),
    np.array([1, 2], dtype=">i4"),
]


@pytest.mark.parametrize("classes", LABELS, ids=lambda classes: str(classes.dtype))
def test_labels_keep_their_type(tmp_path, classes):
    schema = schema_of([0])
    core = core_tree(at_most(0, 0.0, leaf(1, 0), leaf(0, 1)), schema)
    for model in (Tree(core, schema, classes), Ensemble(combined([core]), schema, classes, Link("mean"))):
        text = model.to_json(tmp_path / "model.json")
        again = sl.read_model(tmp_path / "model.json")
        labels = again.predict([[0.0], [1.0]])
        assert labels.dtype == classes.dtype
        assert labels.tolist() == classes.tolist()
        assert [type(label) for label in labels.tolist()] == [type(label) for label in classes.tolist()]
        assert again.to_json() == text


def test_labels_that_json_cannot_hold_are_refused(tmp_path):
    schema = schema_of([0])
    classes = np.array([b"a", b"b"], dtype=object)
    with pytest.raises(sl.DataError) as error:
        Tree(core_tree(leaf(1, 0), schema), schema, classes).to_json(tmp_path / "tree.json")
    assert str(error.value) == (
        "Labels such as b'a' of type bytes cannot be stored. Use strings, numbers, booleans, or numpy's "
        "bytes and dates."
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "classes", [*LABELS[:-1], np.array([date(2020, 1, 1), date(2021, 1, 1)], dtype=object)]
)
def test_pickles_hold_labels_of_any_type(classes):
    """But for the order of bytes, which numpy makes that of the machine."""
    schema = schema_of([0])
    core = core_tree(at_most(0, 0.0, leaf(1, 0), leaf(0, 1)), schema)
    for model in (Tree(core, schema, classes), Ensemble(combined([core]), schema, classes, Link("mean"))):
        labels = pickle.loads(pickle.dumps(model)).predict([[0.0], [1.0]])
        assert labels.dtype == classes.dtype
        assert labels.tolist() == classes.tolist()


def test_only_models_can_be_written():
    from sightline.model._format import write_model

    with pytest.raises(
        TypeError, match=r"^sightline has no stored form for a value of type int\. Supported: "
    ):
        write_model(3)


def test_chain_of_a_hundred_thousand_tests(tmp_path):
    """A legal tree: built, asked, stored and read without recursion."""
    depth = 100_000
    n = 2 * depth + 1
    is_test = np.arange(n) % 2 == 0
    is_test[-1] = False
    # Nodes 0, 2, 4, … test; each has the leaf behind it as branch 0 and the next test as branch 1.
    core = _core.Tree(
        n_values=[0],
        n_outputs=1,
        test=is_test.astype(np.uint8),
        feature=np.where(is_test, 0, -1).astype(np.int32),
        threshold=np.where(is_test, np.arange(n) / 2, 0.0),
        branch_begin=np.concatenate([[0], np.cumsum(2 * is_test)]),
        child=np.arange(1, n, dtype=np.int32),
        share=np.tile([0.5, 0.5], depth),
        category_begin=np.zeros(n + 1, dtype=np.int64),
        category=np.empty(0, dtype=np.int32),
        weight=np.ones(n),
        output=np.arange(n, dtype=np.float64),
        counts=np.empty(0),
    )
    tree = Tree(core, schema_of([0]), None)
    X = [[-1.0], [0.0], [0.5], [depth / 2], [1e9]]
    expected = [1.0, 1.0, 3.0, depth + 1.0, n - 1.0]
    assert tree.depth == depth
    assert tree.predict(X).tolist() == expected
    assert tree.predict([[np.nan]])[0] == pytest.approx(3.0)
    tree.to_json(tmp_path / "chain.json")
    again = sl.read_model(tmp_path / "chain.json")
    assert again.predict(X).tolist() == expected
    assert again.depth == depth


def test_keys_are_documented_by_this_document():
    """The format itself: a change here needs a new version."""
    tree = tree_of(at_most(0, 0.5, leaf(1, 0), leaf(0, 1)), schema_of([0, 2]))
    assert json.loads(tree.to_json()) == {
        "format": "sightline",
        "version": 1,
        "kind": "tree",
        "features": {"features": [{"name": "f0"}, {"name": "f1", "categories": ["v0", "v1"]}]},
        "classes": {"dtype": "<U7", "values": ["class 0", "class 1"]},
        "tie_tolerance": 0.0,
        "tree": {
            "n_outputs": 2,
            "test": [1, 0, 0],
            "feature": [0, -1, -1],
            "threshold": [0.5, 0.0, 0.0],
            "branch_begin": [0, 2, 2, 2],
            "child": [1, 2],
            "share": [0.5, 0.5],
            "category_begin": [0, 0, 0, 0],
            "category": [],
            "weight": [2.0, 1.0, 1.0],
            "output": [0.5, 0.5, 1.0, 0.0, 0.0, 1.0],
            "counts": [],
        },
        "checksum": "42d117eb",
    }


def test_damaged_and_edited_files_are_refused(tmp_path):
    tree = tree_of(at_most(0, 0.5, leaf(1, 0), leaf(0, 1)), schema_of([0, 2]))
    path = tmp_path / "tree.json"
    text = tree.to_json()
    path.write_text(text.replace("0.5", "0.7", 1))
    with pytest.raises(ModelFormatError) as error:
        sl.read_model(path)
    assert str(error.value) == (
        f"{path}: was damaged or edited: its content does not match its 'checksum'. If it was edited on "
        "purpose, remove the entry 'checksum'."
    )
    document = json.loads(text.replace("0.5", "0.7", 1))
    del document["checksum"]
    path.write_text(json.dumps(document, indent=1))
    assert sl.read_model(path).core.threshold[0] == 0.7


@pytest.mark.parametrize("seed", range(3))
def test_a_flipped_bit_never_gives_another_model(tmp_path, seed):
    """A bit in the name of the entry 'checksum' does no harm: the rest is as it was."""
    rng = np.random.default_rng(seed)
    tree = tree_of(at_most(0, 0.5, leaf(1, 0), leaf(0, 1)), schema_of([0, 2]))
    raw = tree.to_json().encode()
    path = tmp_path / "tree.json"
    for _ in range(200):
        damaged = bytearray(raw)
        damaged[rng.integers(len(raw))] ^= 1 << rng.integers(8)
        path.write_bytes(damaged)
        try:
            model = sl.read_model(path)
        except ModelFormatError:
            continue
        assert model.to_json().encode() == raw


# ---------------------------------------------------------------- malformed documents


@pytest.fixture
def tree_document():
    tree = tree_of(at_most(0, 0.5, leaf(1, 0), each_of(1, leaf(0, 1), leaf(1, 0))), schema_of([0, 2]), 1e-6)
    return json.loads(tree.to_json())


@pytest.fixture
def ensemble_document():
    schema = schema_of([0])
    trees = [tree_of(at_most(0, 0.5, leaf(1, 0), leaf(0, 1)), schema), tree_of(leaf(1, 0), schema)]
    return json.loads(Ensemble.average(trees).to_json())


def refusal(path, text):
    """The sentence with which a file is refused."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    with pytest.raises(ModelFormatError) as error:
        sl.read_model(path)
    sentence = str(error.value)
    assert sentence.startswith(f"{path}: ")
    assert sentence.endswith(".")
    assert not sentence.endswith("..")
    return sentence.removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is not valid JSON (Expecting value: line 1 column 1 (char 0))."),
        ("[]", "a model is a JSON object."),
        ("3", "a model is a JSON object."),
        ("null", "a model is a JSON object."),
        ("{}", "is not a sightline model (its 'format' is not 'sightline')."),
        ('{"format": "other"}', "is not a sightline model (its 'format' is not 'sightline')."),
        ('{"format": ["sightline"]}', "is not a sightline model (its 'format' is not 'sightline')."),
        ('{"format": "sightline"}', "'version' is missing."),
        ('{"format": "sightline", "version": "1"}', "'version' must be int, not str."),
        ('{"format": "sightline", "version": true}', "'version' must be int, not bool."),
        ('{"format": "sightline", "version": 1.0}', "'version' must be int, not float."),
        (
            '{"format": "sightline", "version": 2}',
            "has version 2, but this sightline reads up to 1; update sightline.",
        ),
        (
            '{"format": "sightline", "version": 0}',
            "has version 0, but this sightline reads up to 1; update sightline.",
        ),
        ('{"format": "sightline", "version": 1}', "'kind' is missing."),
        (
            '{"format": "sightline", "version": 1, "kind": "forest"}',
            "unknown kind of model 'forest'; "
            "choose from: cases, ensemble, graph, neighbours, rule_set, tree.",
        ),
        ('{"a": NaN}', "is not valid JSON (NaN is not a number)."),
        ('{"a": Infinity}', "is not valid JSON (Infinity is not a number)."),
        ('{"a": [-Infinity]}', "is not valid JSON (-Infinity is not a number)."),
        ('{"a": 1, "b": 2, "a": 1}', "the key 'a' occurs twice in one object."),
        ('{"b": {"a": 1, "a": 2}}', "the key 'a' occurs twice in one object."),
        ("[" * 100_000, "the JSON is nested too deeply."),
        ('{"a":' * 100_000, "the JSON is nested too deeply."),
        (b"\xff\xfe", "is not a sightline model: byte 0 is not UTF-8."),
        (b'{"a": "\xed\xa0\x80"}', "is not a sightline model: byte 7 is not UTF-8."),
    ],
    ids=range(24),
)
def test_text_that_is_no_model(tmp_path, text, sentence):
    assert refusal(tmp_path / "model.json", text) == sentence


def test_number_of_too_many_digits(tmp_path):
    assert refusal(tmp_path / "model.json", '{"a": ' + "1" * 5000 + "}").startswith(
        "is not valid JSON (Exceeds"
    )


def test_many_keys_of_which_one_stands_twice(tmp_path):
    keys = ",".join(f'"{number}":0' for number in [*range(100_000), 99_999])
    assert refusal(tmp_path / "model.json", "{" + keys + "}") == "the key '99999' occurs twice in one object."


def test_files_that_cannot_be_read(tmp_path):
    for path, reason in ((tmp_path / "none.json", "No such file or directory"), (tmp_path, "Is a directory")):
        with pytest.raises(ModelFormatError) as error:
            sl.read_model(path)
        assert str(error.value) == f"{path}: cannot be read ({reason})."


def test_every_truncation_is_refused(tmp_path, tree_document):
    text = json.dumps(tree_document)
    for end in range(len(text)):
        with pytest.raises(ModelFormatError):
            parse_model(text[:end], "here")


TREE_DAMAGE = [
    # path to the value, the new value, sentence
    (["features"], [], "'features' must be dict, not list."),
    (["features", "features"], {}, "The 'features' of a schema must be a list."),
    (["features", "features", 0, "name"], 3, "The name of feature 0 must be a string. Got 3 instead."),
    (
        ["features", "features", 1, "categories"],
        [],
        "The schema is malformed: Column 'f1' declares no values. Declare at least one, or make it numeric.",
    ),
    (
        ["features", "features", 1, "name"],
        "f0",
        "The schema is malformed: Two columns have the name 'f0'. Names must be different.",
    ),
    (["classes"], [], "'classes' must be dict or NoneType, not list."),
    (["classes", "dtype"], 3, "'dtype' must be str, not int."),
    (["classes", "dtype"], "<U3", "'classes' do not match their type '<U3'."),
    (["classes", "dtype"], "<i8", "'classes' do not match their type '<i8'."),
    (["classes", "dtype"], "<M8[D]", "'classes' do not match their type '<M8[D]'."),
    (["classes", "dtype"], "nonsense", "'nonsense' is not a type of labels."),
    (["classes", "dtype"], "<U9999999999", "'<U9999999999' is not a type of labels."),
    (["classes", "dtype"], "<U500000000", "'classes' of type '<U500000000' are too large."),
    (["classes", "dtype"], "(1000000000,)i4", "'(1000000000,)i4' is not a type of labels."),
    (["classes", "dtype"], "i4,i4", "'i4,i4' is not a type of labels."),
    (["classes", "dtype"], "|V8", "'|V8' is not a type of labels."),
    (["classes", "dtype"], "<i3", "'<i3' is not a type of labels."),
    (["classes", "values"], ["a"], "there are 1 classes, but nodes have 2 outputs."),
    (["classes", "values"], ["a", "a"], "'classes' must be different labels."),
    (["classes", "values"], ["a", None], "'classes' do not match their type '<U7'."),
    (["classes", "values"], ["a", ["b"]], "'classes' do not match their type '<U7'."),
    (["classes", "values"], [1, 2], "'classes' do not match their type '<U7'."),
    (["classes"], {"dtype": "<i8", "values": [True, False]}, "'classes' do not match their type '<i8'."),
    (["classes"], {"dtype": "<i8", "values": ["1", "2"]}, "'classes' do not match their type '<i8'."),
    (["classes"], {"dtype": "<i8", "values": [1, 2**70]}, "'classes' do not match their type '<i8'."),
    (["classes"], {"dtype": "|u1", "values": [1, 300]}, "'classes' do not match their type '|u1'."),
    (["classes"], {"dtype": "|u1", "values": [1, -1]}, "'classes' do not match their type '|u1'."),
    (["classes"], {"dtype": "|b1", "values": [0, 1]}, "'classes' do not match their type '|b1'."),
    (["classes"], {"dtype": "<f2", "values": [0.0, 70000.0]}, "'classes' do not match their type '<f2'."),
    (["classes"], {"dtype": "|S1", "values": ["a", "\u1234"]}, "'classes' do not match their type '|S1'."),
    (["classes"], {"dtype": "|S1", "values": ["a", "bc"]}, "'classes' do not match their type '|S1'."),
    (["classes"], {"dtype": "<U0", "values": ["a", "b"]}, "'classes' do not match their type '<U0'."),
    (["tie_tolerance"], "0", "'tie_tolerance' must be float or int, not str."),
    (["tie_tolerance"], True, "'tie_tolerance' must be float or int, not bool."),
    (["tie_tolerance"], -1, "'tie_tolerance' must be at least 0."),
    (["tie_tolerance"], 10**400, "'tie_tolerance' is too large."),
    (["tree"], None, "'tree' must be dict, not NoneType."),
    (["tree", "n_outputs"], 0, "'n_outputs' must be at least 1 and less than 2147483648."),
    (["tree", "n_outputs"], 2**63, "'n_outputs' must be at least 1 and less than 2147483648."),
    (["tree", "n_outputs"], 2**80, "'n_outputs' must be at least 1 and less than 2147483648."),
    (["tree", "n_outputs"], True, "'n_outputs' must be int, not bool."),
    (["tree", "n_outputs"], 3, "the array 'output' has length 10; expected 15."),
    (["tree", "test"], "10", "'test' must be list, not str."),
    (["tree", "test", 0], True, "'test' must hold only integers."),
    (["tree", "test", 0], 1.0, "'test' must hold only integers."),
    (["tree", "test", 0], [1], "'test' must hold only integers."),
    (["tree", "test", 0], 256, "'test' holds a number that is too large."),
    (["tree", "test", 0], -1, "'test' holds a number that is too large."),
    (["tree", "feature", 0], 2**31, "'feature' holds a number that is too large."),
    (["tree", "feature", 0], 10**30, "'feature' holds a number that is too large."),
    (["tree", "feature", 0], 2, "node 0: feature 2 does not exist (there are 2)."),
    (["tree", "threshold", 0], "0.5", "'threshold' must hold only numbers."),
    (["tree", "threshold", 0], None, "'threshold' must hold only numbers."),
    (["tree", "threshold", 0], False, "'threshold' must hold only numbers."),
    (["tree", "threshold", 0], 10**400, "'threshold' holds a number that is too large."),
    (["tree", "child", 0], 0, "node 0: child 0 is reached a second time (two parents, or a cycle)."),
    (["tree", "branch_begin", 5], 2**63, "'branch_begin' holds a number that is too large."),
    (["tree", "counts"], [1.0], "the array 'counts' has length 1; expected 10."),
    (["label_costs"], [1.0], "'label_costs' needs 2 numbers of at least 0 for each of the 2 classes."),
    (["label_costs"], [-1.0] * 4, "'label_costs' needs 2 numbers of at least 0 for each of the 2 classes."),
    (["label_costs"], "0110", "'label_costs' must be list, not str."),
]


def damaged(document, path, value):
    document = copy.deepcopy(document)
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return document


@pytest.mark.parametrize(("path", "value", "sentence"), TREE_DAMAGE)
def test_damaged_trees(tmp_path, tree_document, path, value, sentence):
    assert refusal(tmp_path / "tree.json", json.dumps(damaged(tree_document, path, value))) == sentence


ENSEMBLE_DAMAGE = [
    (["n_trees"], 3, "3 trees are declared, but 2 are stored."),
    (["n_trees"], 1, "1 trees are declared, but 2 are stored."),
    (["n_trees"], None, "'n_trees' must be int, not NoneType."),
    (["trees"], {}, "'trees' must be list, not dict."),
    (["trees", 1], 5, "tree 1: must be an object."),
    (["trees", 1], {}, "tree 1: 'n_outputs' is missing."),
    (["trees", 0, "child", 1], 7, "tree 0: node 0: child 7 does not exist (the tree has 3 nodes)."),
    (["n_scores"], 0, "'n_scores' must be at least 1 and less than 2147483648."),
    (["n_scores"], -1, "'n_scores' must be at least 1 and less than 2147483648."),
    (["n_scores"], 2**64, "'n_scores' must be at least 1 and less than 2147483648."),
    (["n_scores"], 3, "the ensemble's 'base' has length 2; expected 3."),
    (["votes"], 1, "'votes' must be bool, not int."),
    (["single_precision"], 0, "'single_precision' must be bool, not int."),
    (["tree_weight"], [1.0], "the ensemble's 'tree_weight' has length 1; expected 2."),
    (["vote_against"], [1.0], "the ensemble's 'vote_against' has length 1; expected 0."),
    (["tree_score"], [0, -1], "tree 0: it has 2 outputs; expected 1."),
    (["tree_score"], [5, -1], "tree 0: score 5 does not exist (there are 2)."),
    (["tree_score"], [2**40, -1], "'tree_score' holds a number that is too large."),
    (["base"], [0.0], "the ensemble's 'base' has length 1; expected 2."),
    (["tie_tolerance"], -0.5, "'tie_tolerance' must be at least 0."),
    (["deviance_power"], 0.5, "'deviance_power' must be at least 1."),
    (["deviance_power"], 2.5, "'deviance_power' must be at most 2."),
    (["deviance_power"], "1", "'deviance_power' must be float or int, not str."),
    (["deviance_power"], 1, "'deviance_power' is for regressions, but there are classes."),
    (["link"], "mean", "'link' must be dict, not str."),
    (["link", "kind"], "median", "a model with classes cannot have the link 'median'."),
    (["link", "kind"], "probit", "there is no link 'probit'."),
    (["link", "kind"], "sigmoid", "the link 'sigmoid' does not match 2 scores."),
    (["link", "divide_by"], [2.0, 0], "'divide_by' must not be 0."),
    (["link", "divide_by"], 2.0, "'divide_by' must be list, not float."),
    (["link", "label_above"], 10**400, "'label_above' is too large."),
    (["link", "probability_divisor"], 0, "'probability_divisor' must be positive."),
    (["link", "probability_divisor"], -2.0, "'probability_divisor' must be positive."),
    (["link", "probability_divisor"], None, "'probability_divisor' must be float or int, not NoneType."),
    (["classes"], None, "a model without classes cannot have the link 'mean'."),
    (["classes", "values"], ["a", "b", "c"], "the link 'mean' does not match 2 scores."),
]


@pytest.mark.parametrize(("path", "value", "sentence"), ENSEMBLE_DAMAGE)
def test_damaged_ensembles(tmp_path, ensemble_document, path, value, sentence):
    text = json.dumps(damaged(ensemble_document, path, value))
    assert refusal(tmp_path / "ensemble.json", text) == sentence


def test_ensemble_without_trees(tmp_path, ensemble_document):
    ensemble_document |= {"trees": [], "n_trees": 0, "tree_weight": [], "tree_score": []}
    text = json.dumps(ensemble_document)
    assert refusal(tmp_path / "ensemble.json", text) == "an ensemble needs at least one tree."


@pytest.mark.parametrize("number", ["1e999", "-1e999"])
def test_numbers_beyond_the_doubles_are_refused_everywhere(number, tree_document, ensemble_document):
    for document in (tree_document, ensemble_document):
        text = json.dumps(document)
        n_refused = 0
        for found in re.finditer(r"(?<=[\[ ])-?\d+\.?\d*(e-?\d+)?(?=[,\]}])", text):
            edited = text[: found.start()] + number + text[found.end() :]
            with pytest.raises(ModelFormatError):
                parse_model(edited, "here")
            n_refused += 1
        assert n_refused > 20


def all_paths(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        yield from all_paths(part, (*path, key))


def test_every_missing_key_is_named(tmp_path, tree_document, ensemble_document):
    for document in (tree_document, ensemble_document):
        for path in all_paths(document):
            if not path or not isinstance(path[-1], str) or path[-1] in ("categories", "checksum"):
                continue
            edited = copy.deepcopy(document)
            place = edited
            for key in path[:-1]:
                place = place[key]
            del place[path[-1]]
            sentence = refusal(tmp_path / "model.json", json.dumps(edited))
            assert path[-1] in sentence


ODD_VALUES = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    3,
    255,
    2**31,
    -(2**31),
    2**63,
    2**64,
    10**400,
    0.5,
    -0.0,
    1e308,
]
ODD_VALUES += [5e-324, "", "x", "<U1", "|O", "<f8", [], {}, [[]], [0, 0], {"a": 1}, [1.5], "mean", "softmax"]


def mutated(rng, document):
    """The document with a few values replaced, removed, repeated or exchanged."""
    document = copy.deepcopy(document)
    for _ in range(rng.randint(1, 3)):
        path = rng.choice(list(all_paths(document))[1:] or [None])
        if path is None:
            break
        place = document
        for key in path[:-1]:
            place = place[key]
        key, edit = path[-1], rng.randrange(4)
        if edit == 0:
            place[key] = rng.choice(ODD_VALUES)
        elif edit == 1:
            del place[key]
        elif edit == 2 and isinstance(place, list):
            place.insert(key, copy.deepcopy(place[key]))
        elif isinstance(place, list):
            other = rng.randrange(len(place))
            place[key], place[other] = place[other], place[key]
        else:
            place[key] = copy.deepcopy(place[rng.choice(list(place))])
    return document


@settings(max_examples=400)
@given(randoms(), st.integers(0, 9))
def test_edited_documents_load_and_answer_or_are_refused(rng, which):
    model = random_ensemble(random.Random(which), max_trees=2).model()
    model = model.trees[0] if which % 3 == 0 and model.link.kind == "mean" else model
    text = json.dumps(mutated(rng, json.loads(model.to_json())))
    check_text(text, rng)


@settings(max_examples=200)
@given(randoms(), st.integers(0, 9))
def test_edited_texts_load_and_answer_or_are_refused(rng, which):
    text = random_ensemble(random.Random(which), max_trees=2).model().to_json()
    for _ in range(rng.randint(1, 3)):
        begin = rng.randrange(len(text))
        insert = rng.choice(
            ["", "0", "-", "9", "e9", ",", "]", "[", "{", "}", '"', "NaN", "\\u", "\x00", "1e999"]
        )
        text = text[:begin] + insert + text[begin + rng.choice([0, 1, 1, 5]) :]
    check_text(text, rng)


def check_text(text, rng):
    try:
        model = parse_model(text, "here")
    except ModelFormatError:
        return
    if len(model.schema) > 0:
        table = random_table(rng, model.schema, 3)
        with np.errstate(all="ignore"):
            model.predict(table)
            model.apply(table)
    stored = model.to_json()
    assert parse_model(stored, "here").to_json() == stored


def merged_stump() -> sl.Tree:
    X, y = [[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]
    return sl.merge(sl.C45Classifier().fit(X, y), X=X)


def test_proofs_are_stored(tmp_path):
    merged = merged_stump()
    text = merged.to_json(tmp_path / "merged.json")
    again = sl.read_model(tmp_path / "merged.json")
    assert again.to_json() == text
    assert (again.complete, again.proved_share, again.label_source) == (True, 1.0, "passed")
    assert again.proof.missing == ("x0",)
    np.testing.assert_array_equal(again.proof.is_proved, merged.proof.is_proved)
    assert str(again.explain([1.0])) == str(merged.explain([1.0]))


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("is_proved", [1, 1], "'is_proved' needs a 0 or 1 for each of the 5 nodes"),
        ("is_proved", [1, 1, 2, 1, 1], "'is_proved' needs a 0 or 1 for each of the 5 nodes"),
        ("complete", 1, "'complete' must be bool, not int"),
        ("missing", ["x7"], "'missing' must name features"),
        ("n_boxes", -1, "'n_boxes' must be at least 0"),
        ("share", "all", "'share' must be float or int or NoneType, not str"),
    ],
)
def test_damaged_proofs(tmp_path, key, value, sentence):
    document = json.loads(merged_stump().to_json())
    document["proof"][key] = value
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ModelFormatError) as error:
        sl.read_model(path)
    assert str(error.value) == f"{path}: {sentence}."


def test_what_was_counted_is_one_of_a_few_words(tmp_path):
    document = json.loads(merged_stump().to_json())
    document["counted"] = "guessed"
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ModelFormatError) as error:
        sl.read_model(path)
    known = "['learnt', 'own', 'ensemble', 'passed']"
    assert str(error.value) == f"{path}: 'counted' must be one of {known}, not 'guessed'."


def test_json_given_instead_of_a_path_is_not_repeated():
    tree = sl.C45Classifier().fit([[1.0], [2.0]] * 5, [0, 1] * 5).tree_
    with pytest.raises(sl.ModelFormatError) as error:
        sl.read_model(tree.to_json())
    assert (
        str(error.value)
        == "read_model takes the path of a file. Got JSON text instead: write it to a file first."
    )


@pytest.mark.parametrize("path", [None, 1])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(
        sl.ParameterError, match=f"^A path must be a string or a pathlib.Path. Got {path} instead.$"
    ):
        sl.read_model(path)
