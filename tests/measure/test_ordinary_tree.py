"""The ordinary tree beside a model decides as the ensemble does."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import recall_score
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.tree import DecisionTreeClassifier

import sightline as sl
from sightline.measure import leaves_of, with_threshold_of

X, CODES = make_classification(
    600, 5, n_informative=4, n_redundant=0, weights=[0.95], flip_y=0.02, random_state=1
)
Y = np.where(CODES == 1, "yes", "no")
TRAIN, TEST = slice(0, None, 2), slice(1, None, 2)
THRESHOLD = 0.02


@pytest.fixture(scope="module")
def forest():
    return RandomForestClassifier(10, max_depth=4, random_state=0).fit(X[TRAIN], Y[TRAIN])


def recall_at_the_threshold(n_leaves):
    tree = DecisionTreeClassifier(max_leaf_nodes=n_leaves, random_state=0).fit(X[TRAIN], Y[TRAIN])
    found = np.where(tree.predict_proba(X[TEST])[:, 1] >= THRESHOLD, "yes", "no")
    assert recall_score(Y[TEST], found, pos_label="yes") > recall_score(
        Y[TEST], tree.predict(X[TEST]), pos_label="yes"
    )
    return recall_score(Y[TEST], found, pos_label="yes")


@pytest.mark.parametrize("by", ["threshold", "cost_matrix", "wrapper"])
def test_it_has_the_threshold_of_the_ensemble(forest, by):
    given = {
        "threshold": {"threshold": THRESHOLD},
        "cost_matrix": {"cost_matrix": [[0, 1], [1 / THRESHOLD - 1, 0]]},
        "wrapper": {},
    }[by]
    wrapped = FixedThresholdClassifier(forest, threshold=THRESHOLD, pos_label="yes").fit(X[TRAIN], Y[TRAIN])
    ensemble = sl.load(wrapped if by == "wrapper" else forest, positive="yes")
    options = {"max_leaves": 4, "augment": 200, "refine": False, "random_state": 0}
    tree = sl.DistilledTreeClassifier(ensemble, **options, **given).fit(X[TRAIN], Y[TRAIN])
    report = sl.report(tree, X[TEST], Y[TEST], sizes=(), max_seconds=0.1)
    found = report.metrics["measures"]["baseline"]["recall"]["yes"]["share"]
    assert found == recall_at_the_threshold(tree.size_["leaves"])


def test_classes_are_matched_by_their_labels(forest):
    swapped = RandomForestClassifier(10, max_depth=4, random_state=0).fit(X[TRAIN], CODES[TRAIN] == 0)
    wrapped = FixedThresholdClassifier(swapped, threshold=THRESHOLD, pos_label=False).fit(
        X[TRAIN], CODES[TRAIN] == 0
    )
    ensemble = sl.load(wrapped, classes={False: "yes", True: "no"})
    assert ensemble.classes_.tolist() == ["yes", "no"]
    tree = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0).fit(X[TRAIN], Y[TRAIN])
    found = with_threshold_of(ensemble, tree).predict(X[TEST])
    assert recall_score(Y[TEST], found, pos_label="yes") == recall_at_the_threshold(4)


def test_without_a_threshold_it_decides_by_itself(forest):
    tree = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0).fit(X[TRAIN], Y[TRAIN])
    assert with_threshold_of(sl.load(forest), tree) is tree
    assert with_threshold_of(None, tree) is tree


def test_beside_a_graph_it_has_as_many_tests(forest):
    """It had two leaves, because the paths of a graph share a leaf per class."""
    graph = sl.merge(forest, to="graph", X=X[TRAIN])
    n_tests = graph.n_nodes - graph.size_["leaves"]
    assert (leaves_of(graph), n_tests > 10) == (n_tests + 1, True)
    tree = sl.merge(sl.C45Classifier().fit(X[TRAIN], Y[TRAIN]))
    assert leaves_of(tree) == tree.n_leaves
