"""Exported models are run, and say what the models say, to the bit, on boundary rows."""

from __future__ import annotations

import random

import numpy as np
import pytest
from cases import thorough_after
from export.boundary_rows import as_numbers, boundary_rows
from export.drawn_trees import drawn, expected
from export.elsewhere import RUNNERS, in_jpmml, in_onnxruntime
from model import rule_oracle
from model.oracle import first_best, only_leaf, tree_output
from strategies import (
    class_names,
    random_rule_set,
    tree_of,
)

from sightline import Tree

SHARING_RUNNERS = [runner for runner in RUNNERS if runner not in (in_onnxruntime, in_jpmml)]
SEEDS = range(6)


def assert_answers(found, labels, outputs):
    assert found[0] == labels
    if found[1] is not None:
        np.testing.assert_array_equal(np.array(found[1]), np.array(outputs))


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("seed", thorough_after(1, SEEDS))
def test_trees_that_keep_rows_whole(runner, seed, tmp_path):
    root, schema, rows = drawn(seed, is_whole=True)
    assert_answers(runner(tree_of(root, schema), rows, tmp_path), *expected(root, schema, rows))


@pytest.mark.parametrize("runner", SHARING_RUNNERS)
@pytest.mark.parametrize("seed", thorough_after(1, SEEDS))
def test_trees_that_share_rows_out(runner, seed, tmp_path):
    tolerance = 0.1 * (seed % 2)
    root, schema, rows = drawn(seed + 100, is_whole=False, n_outputs=3)
    labels, outputs = expected(root, schema, rows, tolerance)
    assert_answers(runner(tree_of(root, schema, tolerance), rows, tmp_path), labels, outputs)


@pytest.mark.parametrize("runner", SHARING_RUNNERS)
def test_many_classes(runner, tmp_path):
    root, schema, rows = drawn(104, is_whole=False, n_outputs=30)
    labels, outputs = expected(root, schema, rows, 0.001)
    assert len(set(labels)) == 5
    assert_answers(runner(tree_of(root, schema, 0.001), rows, tmp_path), labels, outputs)


@pytest.mark.parametrize("runner", RUNNERS)
def test_missing_values_follow_the_largest_share_if_asked_to(runner, tmp_path):
    root, schema, rows = drawn(102, is_whole=False)
    leaves = [only_leaf(root, as_numbers(row, schema)).output for row in rows]
    names = class_names(len(root.output)).tolist()
    labels = [names[first_best(output, 0.0)] for output in leaves]
    assert_answers(runner(tree_of(root, schema), rows, tmp_path, missing="largest"), labels, leaves)


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("seed", thorough_after(1, SEEDS[:3]))
def test_graphs(runner, seed, tmp_path):
    root, schema, rows = drawn(seed, is_whole=True)
    graph = tree_of(root, schema).to_graph()
    assert_answers(runner(graph, rows, tmp_path), *expected(root, schema, rows))


@pytest.mark.parametrize("runner", SHARING_RUNNERS)
def test_graphs_that_share_rows_out(runner, tmp_path):
    root, schema, rows = drawn(103, is_whole=False)
    graph = tree_of(root, schema).to_graph()
    found = runner(graph, rows, tmp_path)
    labels, outputs = expected(root, schema, rows)
    assert found[0] == labels
    # Parts that meet again at a shared node are added there, and not at the leaf.
    np.testing.assert_allclose(found[1], outputs, rtol=1e-14)


@pytest.mark.parametrize("runner", RUNNERS)
def test_regressions(runner, tmp_path):
    root, schema, rows = drawn(3, is_whole=True, n_outputs=1)
    tree = Tree(tree_of(root, schema).core, schema, None)
    outputs = [tree_output(root, as_numbers(row, schema))[0] for row in rows]
    labels, probabilities = runner(tree, rows, tmp_path)
    assert labels == outputs
    assert probabilities is None


@pytest.mark.parametrize("runner", [runner for runner in RUNNERS if runner is not in_onnxruntime])
@pytest.mark.parametrize("seed", thorough_after(3, range(10)))
def test_rule_sets(runner, seed, tmp_path):
    rng = random.Random(seed)
    rules = random_rule_set(rng)
    if runner is in_jpmml:
        rules = rules.with_voting(pc=1.0, fallback=None, base=(0.0,) * len(rules.classes_))
        rules = rules.selected(np.flatnonzero(rules.core.weight > 0))
    bounds = [
        (int(feature), float(bound))
        for feature, *ends in zip(rules.core.feature, rules.core.low, rules.core.high, strict=True)
        for bound in ends
        if np.isfinite(bound) and not rules.schema.features[feature].is_nominal
    ]
    rows = boundary_rows(rng, rules.schema, bounds)
    votes = [rule_oracle.votes(rules, as_numbers(row, rules.schema))[0] for row in rows]
    labels = [rules.classes_[rule_oracle.winner(vote, rules.voting.prior)] for vote in votes]
    found, shares = runner(rules, rows, tmp_path)
    assert found == labels
    if shares is not None:
        raised = np.array(votes) - np.minimum(np.min(votes, axis=1, keepdims=True), 0.0)
        totals = raised.sum(axis=1, keepdims=True)
        equal = np.full_like(raised, 1 / raised.shape[1])
        np.testing.assert_allclose(shares, np.divide(raised, totals, out=equal, where=totals > 0), rtol=1e-9)
