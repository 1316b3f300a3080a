"""Boxes against brute force: every row of a grid, routed one by one."""

import itertools
import math
import random

import numpy as np
import pytest
from model.oracle import branch_of
from strategies import (
    at_most,
    core_tree,
    each_of,
    leaf,
    node_list,
    one_of,
    random_schema,
    random_tree_over,
    schema_of,
)

from sightline import _core
from sightline.model import LEAF

CUTS = (-1.0, 0.0, 2.5)
POINTS = (-1e300, -1.0, -0.5, -0.0, 1.0, 2.5, 2.5000000000000004, 1e300, math.nan)
"""Every cut, and a number in each gap between cuts and beyond them: all that a test can tell apart."""


def grid(schema):
    """Every row that tests over CUTS can tell apart."""
    return [
        list(row)
        for row in itertools.product(
            *([*map(float, range(n)), math.nan] if n else POINTS for n in schema.n_values)
        )
    ]


def branches_taken(node, row):
    value = row[node.feature]
    if math.isnan(value):
        return {branch for branch, share in enumerate(node.shares) if share > 0}
    return {branch_of(node, value)}


def random_boxes(seed):
    """Boxes on random ways down random trees, with the rows of the grid that lie in them."""
    rng = random.Random(seed)
    schema = random_schema(rng, max_features=3)
    root = random_tree_over(rng, schema, CUTS)
    tree, nodes = core_tree(root, schema), node_list(root)
    place_of = {id(node): place for place, node in enumerate(nodes)}
    box, rows = _core.Box(schema.n_values), grid(schema)
    inner = [node for node in nodes if node.test != LEAF]
    yield tree, nodes, box, rows
    for _ in range(6):
        if not inner:
            return
        if rng.random() < 0.2:
            feature = rng.randrange(len(schema))
            box.forbid_missing(feature)
            rows = [row for row in rows if not math.isnan(row[feature])]
        node = rng.choice(inner)
        branch = rng.randrange(len(node.children))
        box.narrow(tree, place_of[id(node)], branch)
        rows = [row for row in rows if branch in branches_taken(node, row)]
        yield tree, nodes, box, rows


@pytest.mark.parametrize("block", range(10))
def test_boxes_hold_exactly_the_rows_that_take_the_branches(block):
    for seed in range(block * 25, block * 25 + 25):
        for tree, nodes, box, rows in random_boxes(seed):
            inside = set(map(str, rows))
            for row in grid(schema_of(tree.n_values)):
                assert box.contains(row) == (str(row) in inside)
            assert box.empty == (not rows)
            if rows:
                check_witness(box)
                check_decisions(tree, nodes, box, rows)
            check_sides(tree.n_values, box, rows)


def check_witness(box):
    witness = box.witness()
    assert box.contains(witness)
    for feature, value in enumerate(witness):
        assert math.isnan(value) != box.may_be_known(feature)
        assert not math.isinf(value)


def check_decisions(tree, nodes, box, rows):
    for place, node in enumerate(nodes):
        taken = set().union(*(branches_taken(node, row) for row in rows)) if node.test != LEAF else set()
        assert box.decide(tree, place) == (taken.pop() if len(taken) == 1 else -1)


def check_sides(n_values, box, rows):
    if not rows:
        return
    for feature, n in enumerate(n_values):
        values = [row[feature] for row in rows]
        assert box.may_be_missing(feature) == any(map(math.isnan, values))
        assert box.may_be_known(feature) == (not all(map(math.isnan, values)))
        if n:
            known = {int(value) for value in values if not math.isnan(value)}
            assert box.categories(feature) == sorted(known)


# ---------------------------------------------------------------- drawn by hand

TREE = core_tree(
    at_most(
        0,
        5.0,
        at_most(0, 7.0, leaf(1.0), leaf(0.0), shares=[1, 0]),
        one_of(1, [0], leaf(1.0), each_of(1, leaf(0.0), leaf(1.0), leaf(2.0)), shares=[0, 1]),
        shares=[1, 0],
    ),
    schema_of([0, 3]),
)
# 0: f0 <= 5; 1: f0 <= 7; 2, 3 leaves; 4: f1 in {v0}; 5 leaf; 6: f1 multiway; 7, 8, 9 leaves


def test_smaller_bound_implies_larger():
    box = _core.Box([0, 3])
    assert box.decide(TREE, 0) == -1
    box.narrow(TREE, 0, 0)
    assert box.interval(0) == (-math.inf, 5.0)
    assert box.decide(TREE, 1) == 0


def test_one_value_excludes_the_others():
    box = _core.Box([0, 3])
    box.narrow(TREE, 6, 1)
    # Every branch of node 6 has a share of the missing, and branch 1 of node 4 has all of it.
    assert box.categories(1) == [1]
    assert box.may_be_missing(1)
    assert box.decide(TREE, 4) == 1
    assert box.decide(TREE, 6) == -1
    box.forbid_missing(1)
    assert box.decide(TREE, 6) == 1


def test_contradiction_empties_the_box():
    box = _core.Box([0, 3])
    box.narrow(TREE, 0, 1)
    assert not box.may_be_missing(0)
    assert box.interval(0) == (5.0, math.inf)
    box.narrow(TREE, 1, 0)
    assert box.interval(0) == (5.0, 7.0)
    assert box.contains([7.0, 0.0])
    assert not box.contains([5.0, 0.0])
    box.narrow(TREE, 0, 0)
    assert box.empty
    assert not box.may_be_known(0)


@pytest.mark.parametrize(
    "threshold", [0.0, -0.0, 5e-324, -5e-324, 1e16, 1.7976931348623155e308, -1.7976931348623157e308]
)
def test_witness_above_any_threshold_is_finite(threshold):
    tree = core_tree(at_most(0, threshold, leaf(1.0), leaf(0.0), shares=[1, 0]), schema_of([0]))
    for branch in (0, 1):
        box = _core.Box([0])
        box.narrow(tree, 0, branch)
        box.forbid_missing(0)
        (value,) = box.witness()
        assert math.isfinite(value)
        assert (value <= threshold) == (branch == 0)
        assert box.contains([value])


def test_nothing_lies_above_the_largest_double():
    tree = core_tree(at_most(0, np.finfo(float).max, leaf(1.0), leaf(0.0), shares=[1, 0]), schema_of([0]))
    box = _core.Box([0])
    assert box.decide(tree, 0) == 0
    box.narrow(tree, 0, 1)
    assert box.empty


def test_box_without_features_holds_the_empty_row():
    box = _core.Box([])
    assert not box.empty
    assert box.contains([])
    assert box.witness() == []


def test_whole_box_has_plain_witness():
    assert _core.Box([0, 3]).witness() == [0.0, 0.0]


def test_places_that_do_not_exist_are_refused():
    box = _core.Box([0, 3])
    for ask in (box.interval, box.categories, box.may_be_missing, box.may_be_known, box.forbid_missing):
        with pytest.raises(IndexError, match=r"^feature 2 does not exist \(there are 2\)$"):
            ask(2)
    with pytest.raises(ValueError, match=r"^the row has length 1; expected 2$"):
        box.contains([1.0])
    assert not box.contains([1.0, 3.0])
    assert not box.contains([1.0, -1.0])
    assert not box.contains([1.0, 0.5])
    for node in (-1, 10):
        with pytest.raises(IndexError, match=rf"^node {node} does not exist \(the tree has 10\)$"):
            box.decide(TREE, node)
    with pytest.raises(IndexError, match=r"^node 6 has no branch 3$"):
        box.narrow(TREE, 6, 3)
    with pytest.raises(ValueError, match=r"^the tree's features differ from the box's$"):
        _core.Box([0]).decide(TREE, 0)
