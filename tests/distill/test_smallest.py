"""The smallest merged trees and graphs: against dynamic programming, every cell, and their budgets."""

from __future__ import annotations

import random
import sys

import numpy as np
import pytest
from absent import NO_LINUX
from cases import each, thorough_after
from distill.smallest_reference import Cells, fewest_leaves
from grid import cell_table
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from strategies import (
    DrawnEnsemble,
    at_most,
    core_tree,
    each_of,
    leaf,
    one_of,
    random_combination,
    random_ensemble,
    schema_of,
    tree_of,
)

import sightline as sl
from benchmarks._memory import added_bytes
from sightline import _core
from sightline.model import Ensemble, Link, combined


def small_ensemble(seed):
    return random_ensemble(random.Random(seed), max_trees=4).model()


@pytest.mark.parametrize("missing", [False, True])
@each(seed=range(80))
def test_trees_have_the_fewest_leaves(seed, missing):
    ensemble = small_ensemble(seed)
    cells = Cells(ensemble, missing)
    if cells.labels.size > 80:
        ensemble = random_ensemble(random.Random(seed), max_trees=2).model()
        cells = Cells(ensemble, missing)
        if cells.labels.size > 80:
            return
    merged = sl.merge(ensemble, effort="smallest", missing=missing)
    assert merged.n_leaves == fewest_leaves(ensemble, missing)
    assert merged.optimal
    assert merged.proof.lower_bound == merged.n_leaves
    assert (merged.predict(cells.table) == ensemble.predict(cells.table)).all()


@each(seed=range(60))
def test_every_cell_gets_the_ensembles_label(seed):
    ensemble = random_ensemble(random.Random(1000 + seed), max_trees=7).model()
    cells = cell_table(ensemble)
    assert cells is not None, "too many cells"
    for options in ({}, {"to": "graph"}, {"X": cells, "weigh": "rows"}):
        merged = sl.merge(ensemble, effort="smallest", max_seconds=0.2, **options)
        assert merged.complete
        assert (merged.predict(cells) == ensemble.predict(cells)).all()


@each(seed=range(30))
def test_combinations_of_models_get_the_same_label_in_every_cell(seed):
    ensemble = random_combination(random.Random(seed))
    cells = cell_table(ensemble)
    if cells is None:
        return
    merged = sl.merge(ensemble, effort="smallest", max_seconds=0.2)
    assert merged.complete
    assert (merged.predict(cells) == ensemble.predict(cells)).all()


@pytest.mark.parametrize("as_graph", [False, True])
@each(seed=range(60))
def test_where_the_diagram_does_not_fit_the_space_is_split(seed, as_graph):
    ensemble = random_ensemble(random.Random(seed), max_trees=7).model()
    cells = cell_table(ensemble)
    search, noun = (_core.merge_to_graph, sl.Graph) if as_graph else (_core.merge_to_tree, sl.Tree)
    whether_missing = [True] * len(ensemble.schema)
    rule = ensemble.link.rule(numbers=False)
    for weigh_rows in (False, True):
        core, is_proved, complete, *_, cost, least = search(
            ensemble.core,
            rule,
            ensemble.n_classes,
            whether_missing,
            100_000,
            60.0,
            cells.native(),
            smallest=True,
            weigh_rows=weigh_rows,
            max_states=8,
        )
        assert complete
        assert np.asarray(is_proved).all()
        assert 0 < least <= cost * (1 + 1e-9)
        merged = noun(core, ensemble.schema, ensemble.classes_)
        assert (merged.predict(cells) == ensemble.predict(cells)).all()


def test_few_states_are_a_limit():
    ensemble = random_ensemble(random.Random(2), max_trees=7).model()
    found = [
        _core.merge_to_tree(
            ensemble.core,
            ensemble.link.rule(numbers=False),
            ensemble.n_classes,
            [True] * len(ensemble.schema),
            100_000,
            60.0,
            None,
            smallest=True,
            max_states=max_states,
        )[-2:]
        for max_states in (8, 1000)
    ]
    # Cut into parts, each of which is smallest, a tree has a leaf more, and less is proved of it.
    assert found == [(5.0, 2.0), (4.0, 4.0)]


@pytest.mark.parametrize("to", ["tree", "graph"])
def test_more_columns_than_bits_in_a_word(to):
    schema = schema_of([0] * 70)
    stumps = [at_most(f, 0.0, leaf(0.0), leaf(1.0), shares=[1, 0]) for f in range(70)]
    parts = {"tree_weight": [1.0] * 70, "tree_score": [0] * 70, "base": [-69.5]}
    ensemble = DrawnEnsemble(schema, stumps, 1, **parts).model()
    merged = sl.merge(ensemble, effort="smallest", to=to)
    # All of them must hold: one question after the other.
    assert (merged.n_nodes, merged.n_leaves) == ((141, 71) if to == "tree" else (72, 2))
    assert merged.proof.lower_bound == (71 if to == "tree" else 72)


def test_a_hand_drawn_majority_of_three():
    schema = schema_of([0, 0, 0])
    votes = [at_most(f, 0.0, leaf(1, 0), leaf(0, 1), shares=[1, 0]) for f in range(3)]
    ensemble = Ensemble.average([tree_of(root, schema) for root in votes])
    tree, graph = (sl.merge(ensemble, effort="smallest", to=to) for to in ("tree", "graph"))
    assert (tree.n_leaves, tree.optimal, tree.proof.lower_bound) == (6, True, 6.0)
    assert (graph.n_nodes, graph.optimal, graph.proof.lower_bound) == (6, False, 5.0)


def test_a_threshold_that_two_trees_cancel_is_not_asked():
    schema = schema_of([0, 0])
    roots = [
        at_most(0, 1.0, leaf(1, 0), leaf(0, 1)),
        at_most(0, 1.0, leaf(0, 1), leaf(1, 0)),
        at_most(1, 0.0, leaf(1, 0), leaf(0, 1)),
    ]
    ensemble = Ensemble.average([tree_of(root, schema) for root in roots])
    assert sl.merge(ensemble, effort="smallest", missing=False).n_leaves == 2


@pytest.mark.parametrize("to", ["tree", "graph"])
def test_thresholds_that_only_missing_values_pass(to):
    schema = schema_of([0, 0])
    # What is at most 0 is at most 5, what is above 0 is above -5; a missing value goes the other way.
    first = at_most(0, 5.0, leaf(1, 0), leaf(0, 1), shares=[0, 1])
    second = at_most(1, -5.0, leaf(0, 1), leaf(1, 0), shares=[1, 0])
    roots = [
        at_most(0, 0.0, first, leaf(0.4, 0.6), shares=[1, 0]),
        at_most(1, 0.0, leaf(0.3, 0.7), second, shares=[0, 1]),
    ]
    ensemble = Ensemble.average([tree_of(root, schema) for root in roots])
    merged = sl.merge(ensemble, effort="smallest", to=to)
    cells = cell_table(ensemble)
    assert (merged.predict(cells) == ensemble.predict(cells)).all()
    assert to == "graph" or merged.n_leaves == fewest_leaves(ensemble, True)


def test_categories_of_a_branch_that_no_row_takes():
    schema = schema_of([3])
    inner = each_of(0, leaf(1, 0), leaf(0, 1), leaf(0, 1), shares=[1, 0, 0])
    tree = tree_of(one_of(0, [0, 1], inner, leaf(1, 0), shares=[1, 0]), schema)
    merged = sl.merge(tree, effort="smallest")
    assert merged.n_leaves == 2
    cells = cell_table(tree)
    assert (merged.predict(cells) == tree.predict(cells)).all()


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(7, max_depth=3, random_state=0),
        GradientBoostingClassifier(n_estimators=5, max_depth=2, random_state=0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_certificates_agree_for_models_of_scikit_learn(estimator):
    X, y = load_wine(return_X_y=True)
    estimator.fit(X[:, :4], y)
    quick = sl.merge(estimator, missing=False)
    for to in ("tree", "graph"):
        merged = sl.merge(estimator, missing=False, effort="smallest", max_seconds=0.3, to=to)
        assert sl.certify(merged, estimator, missing=False).equivalent
        assert merged.size_["rules"] <= quick.n_leaves or to == "graph"


@pytest.mark.thorough
def test_rows_of_x_are_asked_fewer_tests():
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(4, max_depth=3, random_state=0).fit(X[:, :5], y)
    leaves, rows = (
        sl.merge(forest, missing=False, effort="smallest", max_seconds=2, X=X[:, :5], weigh=weigh)
        for weigh in ("size", "rows")
    )
    asked = [asked_per_row(tree, X[:, :5]) for tree in (leaves, rows)]
    assert asked[1] < asked[0]
    assert leaves.n_leaves <= rows.n_leaves
    assert rows.proof.lower_bound <= rows.proof.cost
    assert rows.proof.cost == pytest.approx(asked[1] + 0.02 * rows.n_leaves / len(X))
    assert sl.certify(rows, forest, missing=False).equivalent


def asked_per_row(tree, X):
    """Tests on the way to the leaf of a row, on average: every node above the leaf counts it."""
    counted = tree.with_rows(X).core
    return float(np.asarray(counted.weight)[np.asarray(counted.feature) >= 0].sum() / len(X))


def test_graphs_that_a_walk_does_not_finish_are_complete():
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(12, max_depth=3, random_state=0).fit(X[:, :10], y)
    graph = sl.merge(forest, missing=False, to="graph", max_nodes=20_000)
    assert graph.complete
    assert graph.size_["rules"] > 20_000
    assert sl.certify(graph, forest, missing=False).equivalent


def test_bounds_survive_a_file(tmp_path):
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, y)
    tree = sl.merge(forest, missing=False, effort="smallest")
    tree.to_json(tmp_path / "tree.json")
    again = sl.read_model(tmp_path / "tree.json")
    assert (again.optimal, again.proof.cost) == (True, tree.n_leaves)
    assert again.proof.lower_bound == tree.n_leaves


def test_a_short_budget_ends_with_a_complete_tree():
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(8, max_depth=3, random_state=0).fit(X[:, :8], y)
    merged = sl.merge(forest, missing=False, effort="smallest", max_seconds=0.5)
    assert merged.complete
    assert not merged.optimal
    assert merged.proof.lower_bound < merged.n_leaves == merged.proof.cost


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"effort": "best"},
            "The 'effort' parameter of merge must be 'quick' or 'smallest'. Got 'best' instead.",
        ),
        (
            {"weigh": "leaves"},
            "The 'weigh' parameter of merge must be 'size' or 'rows'. Got 'leaves' instead.",
        ),
        ({"weigh": "rows"}, 'The parameter weigh="rows" of merge needs X and effort="smallest".'),
    ],
)
def test_parameters_out_of_range(options, message):
    tree = tree_of(at_most(0, 1.0, leaf(1, 0), leaf(0, 1)), schema_of([0]))
    with pytest.raises(sl.ParameterError) as caught:
        sl.merge(tree, **options)
    assert str(caught.value) == message


def test_numbers_are_refused_by_name():
    forest = RandomForestRegressor(2, random_state=0).fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(sl.ParameterError) as caught:
        sl.merge(forest, effort="smallest")
    assert str(caught.value) == (
        'The parameter effort="smallest" of merge is for classifiers, but the ensemble is a regressor. '
        "Leave it out; a larger 'tolerance' makes the result smaller."
    )


@pytest.mark.parametrize("to", thorough_after(1, ["graph", "tree"]))
def test_a_search_without_time_ends_with_a_complete_result(to):
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(6, max_depth=3, random_state=0).fit(X[:, :8], y)
    merged = sl.merge(forest, missing=False, effort="smallest", max_seconds=0.001, to=to)
    assert merged.complete
    assert sl.certify(merged, forest, missing=False).equivalent


MANY_THRESHOLDS = """
import numpy as np
from sklearn.tree import DecisionTreeClassifier
import sightline as sl
tree = sl.load(DecisionTreeClassifier(random_state=0).fit(np.arange(5000.0)[:, None], np.arange(5000) % 2))
"""


@pytest.mark.skipif(sys.platform != "linux", reason=NO_LINUX)
def test_trees_with_too_many_thresholds_for_a_search_are_not_prepared_for_it():
    """All tests of one feature over all its intervals would take 400 MB, and seconds beyond any budget."""
    job = 'sl.merge(tree, effort="smallest", max_seconds=0.1)'
    assert added_bytes(MANY_THRESHOLDS, job) < 100e6


SPREAD_ROWS = """
import numpy as np
import sightline as sl
rng = np.random.default_rng(0)
X = rng.normal(size=(1500, 10)).round(2)
X[rng.random(X.shape) < 0.1] = np.nan
y = (np.nan_to_num(X[:, 0] * X[:, 1] + X[:, 2]) > 0).astype(int)
trees = sl.load(sl.BaggedTreesClassifier(n_trees=60, random_state=0).fit(X, y))
"""


@pytest.mark.skipif(sys.platform != "linux", reason=NO_LINUX)
def test_missing_values_that_spread_rows_stay_within_the_budget():
    """C4.5's trees mix exponentially many sets of leaves: gigabytes, and minutes beyond any budget."""
    job = 'sl.merge(trees, effort="smallest", max_seconds=0.5)'
    assert added_bytes(SPREAD_ROWS, job) < 600e6  # diagrams may take half a gigabyte


def test_a_small_graph_is_not_larger_than_a_quick_one():
    X, y = load_wine(return_X_y=True)
    for seed in range(3):
        forest = RandomForestClassifier(9, max_depth=3, random_state=seed).fit(X[:, :4], y)
        quick, smallest = (
            sl.merge(forest, missing=False, to="graph", effort=effort, max_seconds=1)
            for effort in ("quick", "smallest")
        )
        assert smallest.n_nodes <= quick.n_nodes


def test_a_distilled_tree_becomes_smaller_without_changing_a_label():
    X, y = load_wine(return_X_y=True)
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    tree = sl.DistilledTreeClassifier(forest, max_leaves=24, objective="probabilities", random_state=0).fit(X)
    smaller = sl.merge(tree.tree_, missing=False, effort="smallest", max_seconds=2, X=X)
    assert smaller.n_leaves < tree.tree_.n_leaves
    assert sl.certify(smaller, tree.tree_, missing=False).equivalent
    assert smaller.core.weight[0] == len(X)


@pytest.mark.parametrize("to", ["tree", "graph"])
@pytest.mark.parametrize("n_trees", [1, 2, 3])
def test_a_threshold_above_every_number_is_no_test(n_trees, to):
    largest = np.finfo(float).max
    roots = [
        at_most(0, largest, leaf(1, 0), leaf(0, 1)),
        at_most(1, 0.5, leaf(0.4, 0.6), leaf(0, 1)),
        at_most(1, largest, leaf(0, 1), leaf(1, 0)),
    ]
    schema = schema_of([0, 0])
    core = combined([core_tree(root, schema) for root in roots[:n_trees]])
    ensemble = Ensemble(core, schema, np.array([0, 1]), Link("mean"))
    merged = sl.merge(ensemble, effort="smallest", missing=False, to=to)
    assert merged.complete
    assert largest not in merged.core.threshold
    rows = np.array([[0.0, 0.0], [0.0, 1.0], [largest, 0.5], [-largest, largest]])
    assert (merged.predict(rows) == ensemble.predict(rows)).all()
    assert sl.certify(sl.merge(ensemble, effort="smallest", to=to), ensemble).equivalent


@pytest.mark.parametrize("options", [{}, {"to": "graph"}, {"weigh": "rows"}])
@pytest.mark.parametrize("max_nodes", [1, 7])
def test_too_few_nodes_leave_the_rest_unproved(max_nodes, options):
    X = np.random.default_rng(0).normal(size=(200, 4))
    y = (X[:, :3] > 0).sum(axis=1) % 2
    forest = RandomForestClassifier(3, max_depth=3, random_state=0).fit(X, y)
    merged = sl.merge(forest, effort="smallest", max_nodes=max_nodes, missing=False, X=X, **options)
    assert not merged.complete
    assert not merged.optimal
    # A few more, for the leaves of the tests that were open when it ended.
    assert merged.n_nodes <= max_nodes + 6
    proved = merged.proof.is_proved[merged.apply(X)]
    assert (merged.predict(X)[proved] == forest.predict(X)[proved]).all()
