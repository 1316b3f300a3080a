import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load import load


@pytest.fixture
def forest(problem):
    return RandomForestClassifier(5, max_depth=4, random_state=0).fit(problem.X, problem.labels([0, 1, 2]))


def nodes_of(estimator):
    return estimator.tree_.__getstate__()["nodes"]


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("left_child", 10**6, "child 1000000 does not exist (the tree has "),
        ("left_child", 2**32 + 1, "child 2147483647 does not exist (the tree has "),
        ("right_child", -7, "child -7 does not exist (the tree has "),
        ("right_child", 0, "child 0 is reached a second time (two parents, or a cycle)."),
        ("feature", 5, "feature 5 does not exist (there are 5)."),
        ("feature", -2, "feature -2 does not exist (there are 5)."),
        ("threshold", np.nan, "the threshold is not a finite number."),
        ("weighted_n_node_samples", -1.0, "the weight must be finite and not negative."),
    ],
)
def test_damaged_nodes(forest, field, value, message):
    nodes_of(forest.estimators_[3])[field][0] = value
    with pytest.raises(ModelFormatError) as caught:
        load(forest)
    assert str(caught.value).startswith(f"RandomForestClassifier: tree 3: node 0: {message}")


def test_node_that_cannot_be_reached(forest):
    nodes_of(forest.estimators_[3])["left_child"][0] = -1
    with pytest.raises(
        ModelFormatError,
        match=r"^RandomForestClassifier: tree 3: node 1: it cannot be reached from the root\.$",
    ):
        load(forest)


def test_damaged_leaf(forest):
    tree = forest.estimators_[1].tree_
    leaf = int(np.flatnonzero(tree.children_left == -1)[0])
    tree.value[leaf] = np.nan
    with pytest.raises(ModelFormatError) as caught:
        load(forest)
    assert str(caught.value) == f"RandomForestClassifier: tree 1: node {leaf}: the output is not finite."


def test_trees_of_different_problems(forest, problem):
    forest.estimators_[2] = DecisionTreeClassifier().fit(problem.X, problem.labels([0, 1]))
    with pytest.raises(ModelFormatError) as caught:
        load(forest)
    assert str(caught.value) == "RandomForestClassifier: tree 2: it has 2 outputs; expected 3."


def test_forest_without_trees(forest):
    forest.estimators_ = []
    with pytest.raises(ModelFormatError) as caught:
        load(forest)
    assert str(caught.value) == "RandomForestClassifier: contains no tree."


class FutureTree:
    """A tree of a later version, with something in its state that nobody knows yet."""

    def __init__(self, tree, node_field=None, state_field=None):
        self.n_outputs = tree.n_outputs
        self._state = tree.__getstate__()
        if node_field:
            nodes = self._state["nodes"]
            wider = np.zeros(
                len(nodes),
                dtype=[(name, nodes.dtype[name]) for name in nodes.dtype.names] + [(node_field, "u1")],
            )
            for name in nodes.dtype.names:
                wider[name] = nodes[name]
            self._state["nodes"] = wider
        if state_field:
            self._state[state_field] = None

    def __getstate__(self):
        return self._state


@pytest.mark.parametrize("what", [{"node_field": "left_cat_bitset"}, {"state_field": "n_categories"}])
def test_unknown_fields_are_refused(forest, what):
    forest.estimators_[0].tree_ = FutureTree(forest.estimators_[0].tree_, **what)
    with pytest.raises(UnsupportedModelError) as caught:
        load(forest)
    (name,) = what.values()
    assert str(caught.value) == (
        "DecisionTreeClassifier.tree_: the trees of this version of scikit-learn are not "
        f"supported ({name!r} is unknown)."
    )


def test_missing_fields_are_refused(forest):
    tree = FutureTree(forest.estimators_[0].tree_)
    del tree._state["values"]
    forest.estimators_[0].tree_ = tree
    with pytest.raises(UnsupportedModelError, match=r"\('values' is missing\)\.$"):
        load(forest)
