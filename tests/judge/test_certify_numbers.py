"""Certificates of regressors against all cells of the space, and what they say."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from cases import each, thorough_after
from grid import cell_table
from lightgbm import LGBMRegressor
from random_numbers import (
    KINDS,
    drawn_roots,
    number_ensemble,
    number_tree,
    random_pair,
    with_random_lines,
)
from sklearn.base import clone
from sklearn.ensemble import (
    AdaBoostRegressor,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from strategies import at_most, leaf, node_list, random_schema, schema_of
from xgboost import XGBRegressor

import sightline as sl
from sightline.model import LEAF, LeafLines, NodeModel, Status
from sightline.model._ensemble import recombined


def brute_force(first, second, cells):
    """The differences of all cells, and the leaf of the first model that each cell reaches."""
    one, other = first.predict(cells), second.predict(cells)
    leaf_of = (
        first.core.find_whole_leaves(cells.native(), 1)
        if isinstance(first, NodeModel)
        else np.full(len(one), -1)
    )
    return np.abs(one - other), leaf_of


def check_against_cells(certificate, cells):
    """Check that the certificate is what all cells say, leaf by leaf."""
    difference, leaf_of = brute_force(certificate.model, certificate.ensemble, cells)
    largest = difference.max()
    assert certificate.max_difference == largest
    assert certificate.max_difference_bound == largest
    assert certificate.equivalent is bool(largest == 0)
    assert (certificate.witness is None) == (largest == 0)
    if certificate.witness is not None:
        assert abs(certificate.answers[0] - certificate.answers[1]) == largest
    # In a graph, ways that a missing value spread may meet again in one leaf.
    if not isinstance(certificate.model, sl.Tree):
        return
    for node, (low, high) in certificate.leaf_difference.items():
        of_leaf = difference[leaf_of == node]
        assert low == high == (of_leaf.max() if len(of_leaf) else 0.0)


@pytest.mark.parametrize("kind", KINDS)
@each(seed=range(40))
def test_ensembles_agree_with_brute_force(kind, seed):
    rng = random.Random(f"{kind} {seed}")
    first, second = random_pair(rng, kind)
    cells = cell_table(first, second)
    assert cells is not None, "too many cells"
    for X in (None, cells):
        check_against_cells(sl.certify(first, second, X), cells)
    difference, _ = brute_force(first, second, cells)
    for tolerance in (0.0, 1e-7, float(difference.max()), 0.4):
        certificate = sl.certify(first, second, tolerance=tolerance)
        assert certificate.equivalent is bool(difference.max() <= tolerance)
        if certificate.equivalent is False:
            assert certificate.max_difference > tolerance
        assert certificate.max_difference <= difference.max() <= certificate.max_difference_bound


@each(seed=range(150))
def test_trees_and_graphs_agree_with_brute_force(seed):
    rng = random.Random(seed)
    schema = random_schema(rng, 3)
    tree = number_tree(drawn_roots(rng, schema, 1, 4)[0], schema)
    ensemble = number_ensemble(
        rng, drawn_roots(rng, schema, rng.randint(1, 3)), schema, rng.choice(KINDS[:4])
    )
    missing = rng.random() < 0.5
    cells = cell_table(tree, ensemble, missing=missing)
    assert cells is not None, "too many cells"
    for model, other in (
        (tree, ensemble),
        (tree.to_graph(), ensemble),
        (tree, ensemble.trees[0]),
        (ensemble, tree),
    ):
        for X in (None, cells):
            check_against_cells(sl.certify(model, other, X, missing=missing), cells)
        check_tolerance(model, other, cells, missing, rng)
    only_largest = sl.certify(tree, ensemble, missing=missing, every_leaf=False)
    assert only_largest.max_difference == only_largest.max_difference_bound
    assert only_largest.max_difference == brute_force(tree, ensemble, cells)[0].max()


def check_tolerance(model, other, cells, missing, rng):
    difference, leaf_of = brute_force(model, other, cells)
    tolerance = float(rng.choice([*difference.tolist(), 0.25]))
    certificate = sl.certify(model, other, missing=missing, tolerance=tolerance)
    assert certificate.equivalent is bool(difference.max() <= tolerance)
    for node, status in certificate.leaf_status.items() if isinstance(model, sl.Tree) else ():
        differs = (difference[leaf_of == node] > tolerance).any()
        assert status is (Status.REFUTED if differs else Status.PROVED)
    assert certificate.max_difference <= difference.max() <= certificate.max_difference_bound
    first = sl.certify(model, other, missing=missing, tolerance=tolerance, every_leaf=False)
    assert first.equivalent is certificate.equivalent


@each(seed=range(60))
def test_budgets_never_give_a_wrong_bound(seed):
    rng = random.Random(seed)
    schema = random_schema(rng, 3)
    tree = number_tree(drawn_roots(rng, schema, 1, 4)[0], schema)
    ensemble = number_ensemble(rng, drawn_roots(rng, schema, 3), schema, rng.choice(KINDS))
    cells = cell_table(tree, ensemble)
    for model in (tree, tree.to_graph(), ensemble):
        difference, leaf_of = brute_force(model, ensemble if model is not ensemble else tree, cells)
        for max_nodes in (1, 2, 5, 11, 30):
            X = rng.choice([None, cells[np.arange(0, cells.n_rows, 7)]])
            other = ensemble if model is not ensemble else tree
            certificate = sl.certify(model, other, X, max_nodes=max_nodes, tolerance=rng.choice([None, 0.3]))
            assert certificate.max_difference <= difference.max() <= certificate.max_difference_bound
            for node, (low, high) in certificate.leaf_difference.items() if model is tree else ():
                of_leaf = difference[leaf_of == node]
                assert low <= (of_leaf.max() if len(of_leaf) else 0.0) <= high


@pytest.mark.parametrize("single", [False, True])
def test_a_leaf_changed_by_a_millionth_is_found(single):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    forest = sl.load(RandomForestRegressor(10, max_depth=4, random_state=0).fit(X, X[:, 0] * X[:, 1]))
    kind = "single" if single else "sum"
    draw = random.Random(0)
    schema = schema_of([0, 0, 0])
    roots = drawn_roots(draw, schema, 6, 4)
    before = number_ensemble(random.Random(1), roots, schema, kind)
    inner_leaf = next(node for node in node_list(roots[3]) if node.test == LEAF)
    inner_leaf.output = [inner_leaf.output[0] + 1e-6 * (16 if single else 1)]
    after = number_ensemble(random.Random(1), roots, schema, kind)
    assert sl.certify(before, before).equivalent
    certificate = sl.certify(before, after)
    assert certificate.equivalent is False
    assert 0 < certificate.max_difference == certificate.max_difference_bound < 1e-4
    cores = forest.core.trees
    output = np.array(cores[5].output)
    output[-1] += 1e-6
    changed = forest.trees[5].with_outputs(output, None)
    other = forest.replaced(core=recombined(forest.core, [*cores[:5], changed.core, *cores[6:]]))
    certificate = sl.certify(forest, other)
    assert certificate.max_difference == certificate.max_difference_bound
    assert certificate.max_difference == pytest.approx(1e-7, rel=1e-3)


@each(seed=range(150))
def test_lines_agree_with_brute_force(seed):
    """Each line is highest and lowest at a corner of a cell, where its columns may also be missing."""
    rng = random.Random(seed)
    schema = random_schema(rng, 3)
    tree = with_random_lines(rng, number_tree(drawn_roots(rng, schema, 1, 2)[0], schema))
    roots = drawn_roots(rng, schema, rng.randint(1, 3), 2)
    ensemble = number_ensemble(rng, roots, schema, rng.choice(KINDS[:4]))
    missing = rng.random() < 0.5
    cells = cell_table(tree, ensemble, missing=missing, ends=True)
    assert cells is not None, "too many cells"
    difference, leaf_of = brute_force(tree, ensemble, cells)
    for X in (None, cells):
        certificate = sl.certify(tree, ensemble, X, missing=missing)
        for node, (low, high) in certificate.leaf_difference.items():
            of_leaf = difference[leaf_of == node]
            assert low == high == (of_leaf.max() if len(of_leaf) else 0.0)
        # Lines of several leaves may be mixed: then the corners of cells say less than all rows do.
        assert certificate.max_difference <= certificate.max_difference_bound
        assert difference.max() <= certificate.max_difference_bound
        assert certificate.max_difference_bound <= (1 + 1e-8) * certificate.max_difference
    reverse = sl.certify(ensemble, tree, missing=missing)
    assert reverse.max_difference_bound == pytest.approx(certificate.max_difference_bound, rel=1e-8)


@each(seed=range(40))
def test_lines_of_both_models(seed):
    """Where both vary, the bound comes close to the largest difference of many rows, and is never below."""
    rng = random.Random(seed)
    schema = schema_of([0, 0])
    roots = drawn_roots(rng, schema, 2, 2)
    n_columns = seed % 2 + 1
    one, other = (with_random_lines(rng, number_tree(root, schema), n_columns) for root in roots)
    certificate = sl.certify(one, other, missing=False, max_nodes=20_000)
    draw = np.random.default_rng(seed)
    X = np.concatenate([draw.normal(scale=scale, size=(2000, 2)) for scale in (1.0, 5.0, 1e3, 1e9)])
    assert np.abs(one.predict(X) - other.predict(X)).max() <= certificate.max_difference_bound
    # Far out, two columns of a line may balance each other: there the bound may stay too large.
    if n_columns == 1:
        assert certificate.max_difference_bound <= (1 + 1e-8) * certificate.max_difference


def test_a_line_far_out_is_at_its_bound():
    schema = schema_of([0])
    tree = number_tree(at_most(0, 1.0, leaf(5.0), leaf(7.0), shares=[1, 0]), schema)
    lines = LeafLines(
        np.array([0, 0, 0, 1]),
        np.array([0], dtype=np.int32),
        np.array([0.5]),
        np.array([3.0]),
        np.array([0.0, 5.0, 6.5]),
        np.array([0.0, 5.0, 9.0]),
    )
    certificate = sl.certify(tree.with_lines(lines), tree)
    assert certificate.max_difference == certificate.max_difference_bound == 2.0
    assert certificate.witness["f0"] >= 7.0
    assert certificate.leaf_difference == {1: (0.0, 0.0), 2: (2.0, 2.0)}
    # Just above 1 the line gives 6, which its lower bound lifts to 6.5.
    capped = sl.certify(tree.with_lines(lines), number_tree(leaf(9.0), schema))
    assert capped.leaf_difference[2] == (2.5, 2.5)


REGRESSORS = {
    "forest": RandomForestRegressor(10, max_leaf_nodes=12, random_state=0),
    "extra trees": ExtraTreesRegressor(8, max_depth=4, random_state=0),
    "boosting": GradientBoostingRegressor(n_estimators=20, max_depth=2, random_state=0),
    "median": AdaBoostRegressor(n_estimators=6, random_state=0),
    "histogram": HistGradientBoostingRegressor(max_iter=10, max_leaf_nodes=6, random_state=0),
    "xgboost": XGBRegressor(n_estimators=15, max_depth=3, n_jobs=1),
    "lightgbm": LGBMRegressor(n_estimators=15, num_leaves=7, verbose=-1, n_jobs=1),
    "xgboost poisson": XGBRegressor(n_estimators=10, max_depth=2, objective="count:poisson", n_jobs=1),
    "lightgbm gamma": LGBMRegressor(
        n_estimators=10, num_leaves=4, objective="gamma", min_child_samples=5, verbose=-1, n_jobs=1
    ),
}


@pytest.mark.parametrize("name", thorough_after(3, REGRESSORS))
def test_no_row_of_a_library_exceeds_the_bound(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = np.abs(X[:, 0] * 2 + np.sin(3 * X[:, 1]) + X[:, 2] * X[:, 3]) + 0.1
    model = clone(REGRESSORS[name]).fit(X, y)
    rows = np.concatenate([X, rng.normal(scale=2, size=(50_000, 4)), rng.uniform(-4, 4, size=(50_000, 4))])
    answers = model.predict(rows).astype(np.float64)
    for kind in ("mean", "linear"):
        tree = sl.DistilledTreeRegressor(model, leaf=kind, max_leaves=6, random_state=0).fit(X, y).tree_
        certificate = sl.certify(tree, model, missing=False)
        assert certificate.max_difference == certificate.max_difference_bound
        difference = np.abs(tree.predict(rows) - answers)
        assert difference.max() <= certificate.max_difference_bound
        leaf_of = tree.apply(rows)
        for node, (_, high) in certificate.leaf_difference.items():
            assert difference[leaf_of == node].max(initial=0.0) <= high
        witness = np.array([list(certificate.witness.values())], dtype=np.float64)
        shown = abs(tree.predict(witness)[0] - float(model.predict(witness)[0]))
        assert shown == certificate.max_difference
        within = sl.certify(tree, model, missing=False, tolerance=certificate.max_difference)
        assert within.equivalent
        smaller = float(np.nextafter(certificate.max_difference, 0))
        assert sl.certify(tree, model, missing=False, tolerance=smaller).equivalent is False


def small_regressor():
    """A tree that differs from a stump by 2.5 in one leaf and by 0.5 in the other."""
    schema = schema_of([0])
    tree = number_tree(at_most(0, 1.0, leaf(5.0), leaf(7.0), shares=[1, 0]), schema)
    return tree, number_tree(at_most(0, 1.0, leaf(5.5), leaf(9.5), shares=[1, 0]), schema)


def test_a_certificate_of_numbers_says_what_it_found():
    tree, other = small_regressor()
    certificate = sl.certify(tree, other)
    assert certificate.to_text() == (
        "The largest difference is 2.5: proved for every row, missing values included.\n"
        "Row with this difference: f0 = 2\n"
        "The model predicts 7, the other tree 9.5.\n"
        "Leaves: 2 of 2 have a known largest difference.\n"
    )
    assert repr(certificate) == (
        "Certificate(equivalent=False, max_difference=2.5, max_difference_bound=2.5, 2 boxes)"
    )
    document = json.loads(certificate.to_json())
    assert document == certificate.to_dict()
    assert document["max_difference"] == document["max_difference_bound"] == 2.5
    assert document["leaf_difference"] == {"1": [0.5, 0.5], "2": [2.5, 2.5]}
    shown = certificate._repr_html_()
    assert "<p><strong>The largest difference is 2.5: proved" in shown
    assert shown.count("<th>") == len(certificate.witness) + 2
    assert "<th>the other tree predicts</th>" in shown
    assert "<caption>Row with this difference</caption>" in shown


@pytest.mark.parametrize(
    ("tolerance", "text"),
    [
        (
            3.0,
            "No prediction differs by more than 3: proved for every row without missing values.\n"
            "Row with the largest difference found (2.5): f0 = 2\n",
        ),
        (1.0, "Predictions differ by more than 1: by 2.5 in this row.\nRow: f0 = 2\n"),
    ],
)
def test_a_certificate_within_a_tolerance(tolerance, text):
    certificate = sl.certify(*small_regressor(), [[2.0]], tolerance=tolerance, missing=False)
    assert certificate.to_text().startswith(text)
    assert bool(certificate) is (tolerance == 3.0)


def test_a_certificate_that_ran_out_of_budget_says_so():
    tree, other = small_regressor()
    assert str(sl.certify(tree, other, max_nodes=1)).splitlines()[0] == (
        "Open: the largest difference is not known after 2 boxes. It is at least 0 and at most 4.5, "
        "for every row, missing values included."
    )
    assert str(sl.certify(tree, other, max_nodes=1, tolerance=1.0)).splitlines()[0] == (
        "Open: neither proved nor refuted after 2 boxes. It is at least 0 and at most 4.5, "
        "for every row, missing values included."
    )
