from __future__ import annotations

import pickle
import random

import numpy as np
import pytest
from cases import each
from export.large_trees import broad_tree, deep_chain
from sklearn.base import is_classifier
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.tree import DecisionTreeClassifier, export_text
from sklearn.utils.validation import check_is_fitted
from source_tests import neighbours
from strategies import GRID, at_most, core_tree, leaf, node_list, random_node, schema_of, tree_of

import sightline as sl
from sightline.export._sklearn import sklearn_thresholds
from sightline.show._example import credit_tree


def whole_tree(seed: int):
    rng = random.Random(seed)
    root = random_node(rng, schema_of([0, 0, 0]), 3, 5)
    for node in node_list(root):
        if node.children:
            best = node.shares.index(max(node.shares))
            node.shares = [float(branch == best) for branch in range(2)]
            node.threshold = rng.choice([4.9, 0.1, 0.30000000000000004, 1.0, -1.5, 16777217.0])
    return tree_of(root, schema_of([0, 0, 0]), rng.choice([0.0, 0.1]))


def nameless(tree):
    """The estimator, which may be asked about arrays without a warning."""
    estimator = tree.export("sklearn")
    del estimator.feature_names_in_
    return estimator


@each(seed=range(20))
def test_labels_are_those_of_the_tree_at_thresholds_and_below(seed):
    """Values that round to the float32 of a threshold above them are the only ones to differ."""
    tree = whole_tree(seed)
    thresholds = sorted({*tree.core.threshold[tree.core.test == 1].tolist(), *GRID})
    values = np.array([*thresholds, *(v for t in thresholds for v in neighbours(t)), np.nan])
    rows = np.random.default_rng(seed).choice(values, size=(400, 3))
    estimator = nameless(tree)
    check_is_fitted(estimator)
    assert is_classifier(estimator)
    rounds_onto = np.zeros(len(rows), dtype=bool)
    for threshold in thresholds:
        rounds_onto |= ((rows > threshold) & (rows.astype(np.float32) == np.float32(threshold))).any(axis=1)
    assert 0 < rounds_onto.sum() < len(rows)
    kept = rows[~rounds_onto]
    np.testing.assert_array_equal(estimator.predict(kept), tree.predict(kept))
    if tree.tie_tolerance == 0:
        np.testing.assert_array_equal(estimator.apply(kept), tree.apply(kept))


def test_threshold_is_the_next_float32():
    thresholds = np.array([4.9, 0.1, 1.0, 1e300, -1e300])
    found = sklearn_thresholds(thresholds)
    assert found[:3].tolist() == [float(np.float32(4.9)), float(np.float32(0.1)), 1.0]
    assert np.abs(found[3:]).tolist() == [float(np.finfo(np.float32).max)] * 2


@pytest.mark.parametrize("max_depth", [3, None])
def test_trees_from_scikit_learn_come_back_exactly(max_depth):
    X, y = load_breast_cancer(return_X_y=True)
    source = DecisionTreeClassifier(max_depth=max_depth, random_state=0).fit(X, y)
    again = sl.load(source).trees[0].export("sklearn", missing="largest")
    values = np.unique([v for t in source.tree_.threshold for v in neighbours(t)])
    rows = np.random.default_rng(0).choice(values, size=(2000, X.shape[1]))
    for asked in (X, rows):
        np.testing.assert_array_equal(again.predict(asked), source.predict(asked))
        np.testing.assert_array_equal(again.predict_proba(asked), source.predict_proba(asked))
    assert export_text(again).splitlines()[0] == export_text(source).splitlines()[0]


def test_estimator_is_pickled_into_a_file(tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    tree = sl.C45Classifier().fit(X, y)
    tree.export("sklearn", tmp_path / "tree.pickle", missing="largest")
    estimator = pickle.loads((tmp_path / "tree.pickle").read_bytes())
    np.testing.assert_array_equal(estimator.predict(X), tree.predict(X))
    assert estimator.feature_names_in_.tolist() == list(X.columns)


def test_regressions():
    schema = schema_of([0])
    tree = sl.Tree(core_tree(at_most(0, 0.5, leaf(1.5), leaf(-2.0), shares=[1.0, 0.0]), schema), schema, None)
    assert nameless(tree).predict([[0.5], [0.6], [np.nan]]).tolist() == [1.5, -2.0, 1.5]


@pytest.mark.parametrize("tree", [deep_chain(1000), broad_tree(12)], ids=["deep", "broad"])
def test_deep_and_broad_trees(tree):
    rows = np.random.default_rng(0).uniform(0, 100 if tree.depth == 1000 else 1, (300, len(tree.schema)))
    rows = rows.astype(np.float32).astype(float)
    np.testing.assert_array_equal(nameless(tree).predict(rows), tree.predict(rows))


def test_refusals():
    with pytest.raises(sl.UnsupportedModelError) as error:
        credit_tree().export("sklearn")
    assert str(error.value) == (
        "scikit-learn's trees test only numbers, but this one tests the categories of 'purpose'. Export it "
        "as python, sql, onnx or pmml."
    )
    with pytest.raises(sl.UnsupportedModelError) as error:
        deep_chain(3, shared=True).export("sklearn")
    assert str(error.value) == (
        "scikit-learn cannot split a row among branches, but this model does so when 'x' is missing. "
        "Export with missing='largest': such rows then follow the branch with the largest share, and only "
        "rows with missing values may get a different label."
    )
