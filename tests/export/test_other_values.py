"""Exports of models in which a value that was never seen is neither a category nor missing."""

import numpy as np
import pandas as pd
import pytest
from export.elsewhere import RUNNERS
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import sightline as sl


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "purpose": rng.choice(np.array(["car", "house", "art", np.nan], dtype=object), 300),
            "region": rng.choice(np.array(["n", "s", "e", np.nan], dtype=object), 300),
        }
    )


@pytest.fixture(scope="module")
def pipeline(frame):
    y = np.where((frame["purpose"] == "car") ^ (frame["region"] == "s"), "yes", "no")
    steps = SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")
    return make_pipeline(*steps, DecisionTreeClassifier(max_depth=5, random_state=0)).fit(frame, y)


@pytest.fixture(scope="module")
def rows():
    values = [["car", "house", "art", "boat", "any other", None], ["n", "s", "e", "w", None]]
    return [[purpose, region] for purpose in values[0] for region in values[1]]


def assert_same_labels(model, rows, labels, run, folder):
    assert [str(label) for label in run(model, rows, folder)[0]] == list(labels)


@pytest.mark.parametrize("run", RUNNERS)
def test_tree(run, pipeline, rows, tmp_path):
    tree = sl.load(pipeline).trees[0]
    assert [feature.unseen for feature in tree.schema.features] == ["last", "last"]
    frame = pd.DataFrame(rows, columns=["purpose", "region"], dtype=object).fillna(np.nan)
    assert_same_labels(tree, rows, pipeline.predict(frame), run, tmp_path)


@pytest.mark.parametrize("run", [run for run in RUNNERS if run.__name__ != "in_onnxruntime"])
def test_rules(run, pipeline, frame, rows, tmp_path):
    rules = sl.RuleSetClassifier(ensemble=pipeline, pc=1.0, fallback=None, random_state=0).fit(frame).rules_
    asked = pd.DataFrame(rows, columns=["purpose", "region"], dtype=object).fillna(np.nan)
    assert_same_labels(rules, rows, rules.predict(asked), run, tmp_path)


CELLS = [
    True,
    1,
    1.0,
    "1",
    "1.0",
    "True",
    "true",
    "TRUE",
    False,
    0,
    "0",
    "False",
    2,
    "2",
    "2.50",
    "abc",
    "",
    None,
]


@pytest.mark.parametrize(
    "declared", [[True, False], [0, 1, 2], [0.5, 1.0, 2.5], ["0", "1", "2"], ["no", "true"]]
)
def test_python_finds_a_category_in_another_type(declared):
    """Files may differ in type: 1 in one, '1' or 'True' in the other."""
    frame = pd.DataFrame({"x0": pd.Categorical(declared * 20)})
    tree = sl.C45Classifier().fit(frame, [f"is {value}" for value in declared] * 20).tree_
    rules = sl.RuleSetClassifier(ensemble=tree, pc=1.0, fallback=None, random_state=0).fit(frame).rules_
    for model in (tree, rules):
        names = {}
        exec(model.export("python"), names)
        for cell in CELLS:
            assert names["predict"]([cell]) == model.predict(pd.DataFrame({"x0": [cell]}))[0], (
                cell,
                declared,
            )


def test_python_does_not_guess_between_two_categories():
    frame = pd.DataFrame({"x0": ["01067", "1067", "2"] * 20})
    tree = sl.C45Classifier().fit(frame, ["a", "b", "c"] * 20).tree_
    names = {}
    exec(tree.export("python"), names)
    assert names["predict"]([1067]) == names["predict"]([None])
    assert names["predict"]([2]) == "c"
