"""Certificates of regressors against all cells of the space, and what they say."""

from __future__ import annotations

import random

import numpy as np
import pytest
from grid import cell_table
from random_numbers import KINDS, drawn_roots, number_ensemble, number_tree, random_pair
from sklearn.ensemble import RandomForestRegressor
from strategies import node_list, random_schema, schema_of

import sightline as sl
from sightline.model import LEAF, NodeModel, Status
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
    # Where the last bit of numpy's logarithm is not ours, the bounds leave room for it.
    assert largest <= certificate.max_difference_bound <= largest + 1e-12
    assert certificate.equivalent is (
        None if certificate.max_difference_bound > 0 and not largest else not largest
    )
    assert (certificate.witness is None) == (largest == 0)
    if certificate.witness is not None:
        assert abs(certificate.answers[0] - certificate.answers[1]) == largest
    for node, (low, high) in certificate.leaf_difference.items():
        of_leaf = difference[leaf_of == node]
        assert low == (of_leaf.max() if len(of_leaf) else 0.0)
        assert low <= high <= low + 1e-12


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(40))
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
        if kind != "log":
            assert certificate.equivalent is bool(difference.max() <= tolerance)
        if certificate.equivalent is False:
            assert certificate.max_difference > tolerance
        assert certificate.max_difference <= difference.max() <= certificate.max_difference_bound


@pytest.mark.parametrize("seed", range(150))
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
    for node, status in certificate.leaf_status.items():
        differs = (difference[leaf_of == node] > tolerance).any()
        assert status is (Status.REFUTED if differs else Status.PROVED)
    assert certificate.max_difference <= difference.max() <= certificate.max_difference_bound
    first = sl.certify(model, other, missing=missing, tolerance=tolerance, every_leaf=False)
    assert first.equivalent is certificate.equivalent


@pytest.mark.parametrize("seed", range(60))
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
            assert certificate.max_difference <= difference.max() <= certificate.max_difference_bound + 1e-12
            for node, (low, high) in certificate.leaf_difference.items():
                of_leaf = difference[leaf_of == node]
                assert low <= (of_leaf.max() if len(of_leaf) else 0.0) <= high + 1e-12


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
