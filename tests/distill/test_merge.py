"""Merging against all cells of the space, its budgets and its error messages."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from cases import each
from grid import cell_table
from hypothesis import given, settings
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from strategies import (
    DrawnEnsemble,
    at_most,
    core_tree,
    each_of,
    ensembles,
    leaf,
    one_of,
    random_ensemble,
    schema_of,
    tree_of,
)

import sightline as sl
from sightline.load._composition import Composition
from sightline.model import ANY_NUMBER, THRESHOLD, Ensemble, Link, combined


@each(seed=range(250))
def test_every_cell_gets_the_ensembles_label(seed):
    ensemble = random_ensemble(random.Random(seed), max_trees=7).model()
    cells = cell_table(ensemble)
    assert cells is not None, "too many cells"
    for to in ("tree", "graph"):
        merged = sl.merge(ensemble, to=to)
        assert merged.complete
        assert (merged.predict(cells) == ensemble.predict(cells)).all()


@each(seed=range(60))
def test_without_missing_values_the_known_cells_are_right_and_the_tree_no_larger(seed):
    ensemble = random_ensemble(random.Random(seed)).model()
    cells = cell_table(ensemble, missing=False)
    assert cells is not None, "too many cells"
    merged = sl.merge(ensemble, missing=False)
    assert (merged.predict(cells) == ensemble.predict(cells)).all()
    assert merged.proof.missing == ()


@given(ensembles())
@settings(max_examples=60)
def test_graph_and_tree_agree_and_the_graph_is_no_larger(ensemble):
    tree, graph = sl.merge(ensemble), sl.merge(ensemble, to="graph")
    assert graph.n_nodes <= tree.n_nodes
    assert graph.size_["rules"] == tree.n_leaves
    assert tree.to_graph().n_nodes == graph.n_nodes


def test_a_hand_drawn_majority_of_three():
    schema = schema_of([0, 0, 0])
    votes = [at_most(f, 0.0, leaf(1, 0), leaf(0, 1), shares=[1, 0]) for f in range(3)]
    ensemble = Ensemble.average([tree_of(root, schema) for root in votes])
    tree = sl.merge(ensemble)
    assert tree.size_ == {
        "nodes": 11,
        "leaves": 6,
        "depth": 3,
        "rules": 6,
        "conditions": 16,
        "features": 3,
    }
    assert sl.merge(ensemble, to="graph").n_nodes == 6
    assert tree.predict([[None, None, 1.0], [1.0, 1.0, None]]).tolist() == ["class 0", "class 1"]


def test_ties_fall_as_they_do_in_the_sum():
    schema = schema_of([0])
    # 0.1 + 0.2 > 0.3 in doubles, and the order of the sum decides.
    roots = [leaf(0.1, 0.3), leaf(0.2, 0.0), at_most(0, 0.0, leaf(0.0, 0.0), leaf(0.0, 0.0))]
    for order in ([0, 1, 2], [1, 0, 2]):
        ensemble = Ensemble.average([tree_of(roots[i], schema) for i in order])
        merged = sl.merge(ensemble)
        assert merged.n_nodes == 1
        assert merged.predict([[0.0]]) == ensemble.predict([[0.0]])


def test_spread_missing_values_become_an_answer_of_their_own():
    schema = schema_of([0, 2])
    root = at_most(
        0, 1.0, leaf(1, 0), one_of(1, [0], leaf(0, 1), leaf(1, 0), shares=[1, 0]), shares=[0.3, 0.7]
    )
    merged = sl.merge(tree_of(root, schema))
    assert merged.core.threshold[0] == ANY_NUMBER
    assert merged.core.test[0] == THRESHOLD
    assert merged.to_text().splitlines()[3:] == [
        "├─ f0 has a value",
        "│  ├─ f0 <= 1: class 0",
        "│  └─ f0 > 1",
        "│     ├─ f1 = v0: class 1",
        "│     └─ f1 = v1: class 0",
        "└─ f0 has no value",
        "   ├─ f1 = v0: class 1",
        "   └─ f1 = v1: class 0",
    ]


def test_only_the_features_named_may_be_missing():
    schema = schema_of([0, 0])
    root = at_most(0, 1.0, at_most(1, 1.0, leaf(1, 0), leaf(0, 1)), leaf(0, 1))
    merged = sl.merge(tree_of(root, schema), missing=["f1"])
    assert merged.proof.missing == ("f1",)
    assert sl.merge(tree_of(root, schema), missing=False).n_nodes < merged.n_nodes


def test_branches_that_nothing_takes_repeat_a_neighbour():
    schema = schema_of([3])
    inner = one_of(
        0, [0, 1], each_of(0, leaf(1, 0), leaf(0, 1), leaf(0, 1), shares=[1, 0, 0]), leaf(1, 0), shares=[1, 0]
    )
    merged = sl.merge(tree_of(inner, schema))
    cells = cell_table(tree_of(inner, schema))
    assert (merged.predict(cells) == tree_of(inner, schema).predict(cells)).all()


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(7, max_depth=3, random_state=0),
        ExtraTreesClassifier(7, max_depth=3, random_state=0),
        AdaBoostClassifier(n_estimators=6, random_state=0),
        GradientBoostingClassifier(n_estimators=5, max_depth=2, random_state=0),
        HistGradientBoostingClassifier(max_iter=4, max_leaf_nodes=4, random_state=0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_models_of_scikit_learn_on_and_beside_every_threshold(estimator):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3)).round(1)
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int) + (X[:, 2] > 1)
    ensemble = sl.load(estimator.fit(X, y))
    merged = sl.merge(ensemble, X=X)
    assert merged.complete
    assert merged.proved_share == 1.0
    assert merged.core.weight[0] == 150
    cuts = np.concatenate([tree.threshold[tree.test == THRESHOLD] for tree in ensemble.core.trees])
    near = np.concatenate([cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf), [np.nan]])
    rows = rng.choice(near, size=(20_000, 3))
    assert (merged.predict(rows) == ensemble.predict(rows)).all()


def test_over_budget_the_result_is_flagged_and_says_what_is_proved():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    for to in ("tree", "graph"):
        merged = sl.merge(forest, max_nodes=2_000, to=to, X=X)
        assert merged.complete is False
        assert 0 <= merged.proved_share < 1
        assert merged.n_nodes <= 2_000
        leaf = merged.apply(X)
        proved = merged.proof.is_proved[leaf]
        assert proved.mean() == merged.proved_share
        assert (merged.predict(X)[proved] == forest.predict(X)[proved]).all()
    assert sl.merge(forest, max_seconds=1e-9).complete is False


@each(5, seed=range(60))
def test_no_result_has_more_nodes_than_it_may(seed):
    rng = random.Random(seed)
    ensemble = random_ensemble(rng, max_trees=4, n_classes=3).model()
    for to, effort in itertools.product(("tree", "graph"), ("quick", "smallest")):
        for max_nodes in (1, 2, 3, 5, 8, 13, 40):
            merged = sl.merge(ensemble, max_nodes=max_nodes, to=to, effort=effort)
            assert merged.n_nodes <= max_nodes
            assert merged.complete or not merged.proof.is_proved.all()


def test_over_budget_the_largest_parts_are_settled_first():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    rows = rng.normal(size=(2_000, 8))
    merged = sl.merge(forest, max_nodes=2_000)
    assert 500 < merged.n_nodes <= 2_000
    # Depth first, a tree of this budget knows one corner of the space and agrees on half of the rows.
    assert (merged.predict(rows) == forest.predict(rows)).mean() > 0.9


@pytest.mark.parametrize("to", ["tree", "graph"])
def test_over_budget_the_parts_with_rows_are_proved_first(to):
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(25, max_depth=4, random_state=0).fit(X[::2], y[::2])
    merged = sl.merge(forest, max_nodes=5_000, to=to, missing=False, X=X[::2])
    assert not merged.complete
    assert merged.proved_share == 1.0
    assert (merged.predict(X[::2]) == forest.predict(X[::2])).all()
    nobody = sl.merge(forest, max_nodes=5_000, to=to, missing=False)
    assert (nobody.proof.is_proved[nobody.apply(X[::2])]).mean() < 0.5
    # Of the others, too, more are in parts that are proved.
    others = merged.proof.is_proved[merged.apply(X[1::2])]
    assert others.mean() > nobody.proof.is_proved[nobody.apply(X[1::2])].mean()
    assert (merged.predict(X[1::2]) == forest.predict(X[1::2]))[others].all()


def test_rows_that_no_proof_covers_do_not_say_where_to_look():
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(25, max_depth=4, random_state=0).fit(X, y)
    holed = X.copy()
    holed[: len(X) // 2, 0] = np.nan
    merged = sl.merge(forest, max_nodes=5_000, missing=False, X=holed)
    only = sl.merge(forest, max_nodes=5_000, missing=False, X=X[len(X) // 2 :])
    assert merged.n_nodes == only.n_nodes
    assert merged.proved_share < 0.51


def test_a_deep_chain_is_merged_without_recursion():
    schema = schema_of([0])
    root = leaf(1, 0)
    for cut in range(3_000):
        root = at_most(0, float(-cut), root, leaf(cut % 2, 1 - cut % 2), shares=[1, 0])
    tree = tree_of(root, schema)
    merged = sl.merge(tree)
    assert merged.complete
    rows = np.arange(-3_001.0, 3.0, 0.5)[:, None]
    assert (merged.predict(rows) == tree.predict(rows)).all()


def test_one_class_and_no_features_need_no_test():
    schema = schema_of([0])
    ensemble = DrawnEnsemble(
        schema, [at_most(0, 1.0, leaf(1.0), leaf(0.5))], 1, tree_weight=[1.0], tree_score=[-1], base=[0.0]
    )
    assert sl.merge(ensemble.model()).n_nodes == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"max_nodes": 0},
            "The 'max_nodes' parameter of merge must be a whole number from 1. Got 0 instead.",
        ),
        (
            {"max_nodes": 1e6},
            "The 'max_nodes' parameter of merge must be a whole number from 1. Got 1000000.0 instead.",
        ),
        ({"max_seconds": 0}, "The 'max_seconds' parameter of merge must be positive. Got 0 instead."),
        ({"to": "rules"}, "The 'to' parameter of merge must be 'tree' or 'graph'. Got 'rules' instead."),
        ({"missing": ["age"]}, "The 'missing' parameter names 'age', which is not a feature."),
        (
            {"X": np.empty((0, 1))},
            "Found array with 0 sample(s) (shape=(0, 1)) while ",
        ),
    ],
)
def test_parameters_out_of_range(options, message):
    tree = tree_of(at_most(0, 1.0, leaf(1, 0), leaf(0, 1)), schema_of([0]))
    with pytest.raises(sl.SightlineError) as caught:
        sl.merge(tree, **options)
    assert message in str(caught.value)


def test_a_tolerance_is_for_numbers():
    forest = RandomForestClassifier(2, random_state=0).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(sl.ParameterError) as caught:
        sl.merge(forest, tolerance=0.5)
    assert str(caught.value) == (
        "The 'tolerance' parameter of merge is for regressors, but the ensemble is a classifier. "
        "Leave it out."
    )
    with pytest.raises(sl.ParameterError) as caught:
        sl.merge(forest, tolerance=float("nan"))
    assert str(caught.value) == (
        "The 'tolerance' parameter of merge must be a finite number, 0 or larger. Got nan instead."
    )


CORNERS = [[0, 0], [0, 1], [1, 0], [1, 1]]


@pytest.mark.parametrize(("bound", "label"), [(0.6, "class 1"), (0.75, "class 0")])
def test_what_is_not_settled_gets_the_label_of_the_mean(bound, label):
    schema = schema_of([0, 0])
    first = at_most(0, 0.0, leaf(0.9, 0.1), leaf(0.2, 0.8), shares=[1, 0])
    second = at_most(1, 0.0, leaf(0.7, 0.3), leaf(0.1, 0.9), shares=[1, 0])
    part = Ensemble.average([tree_of(root, schema) for root in (first, second)])
    together = Composition.of_one(part, "the test")
    shares = together.response.probabilities
    above = together.add("above", shares, numbers=[bound], columns=[1, 1])
    merged = sl.merge(together.ensemble(part.classes_, shares, above), max_nodes=3, missing=False)
    # Where the first tree says 0.8, the second says 0.6 on average: 0.7 together.
    assert merged.proof.is_proved.tolist() == [False, True, False]
    assert merged.predict(CORNERS).tolist() == ["class 0", "class 0", label, label]


def test_what_is_not_settled_gets_the_middle_of_its_medians():
    schema = schema_of([0] * 3)
    numbers = [(0.0, 1.0), (2.0, 4.0), (3.0, 8.0)]
    roots = [at_most(f, 0.0, leaf(low), leaf(high), shares=[1, 0]) for f, (low, high) in enumerate(numbers)]
    ensemble = Ensemble(combined([core_tree(root, schema) for root in roots]), schema, None, Link("median"))
    merged = sl.merge(ensemble, max_nodes=3, missing=False)
    is_leaf = merged.core.test == 0
    assert not merged.proof.is_proved.any()
    # With 3 in place of 3 or 8, the median is 2 or 3. With 8, it is 2 or 4.
    assert merged.core.output[is_leaf, 0] == pytest.approx([2.5, 3.0])
