from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from strategies import core_tree, leaf, schema_of, trees

import sightline as sl
from sightline.export._plain_nodes import SHARED, PlainNodes
from sightline.model import LEAF


@given(trees())
def test_unfolding_a_shared_tree_gives_the_tree(tree):
    unfolded = PlainNodes.of(tree.to_graph()).unfolded("It")
    plain = PlainNodes.of(tree)
    if unfolded.n_nodes == plain.n_nodes:
        for name in ("test", "threshold", "child", "share", "category", "missing"):
            np.testing.assert_array_equal(getattr(unfolded, name), getattr(plain, name))
        is_leaf = plain.test == LEAF
        np.testing.assert_array_equal(unfolded.output[is_leaf], plain.output[is_leaf])
    assert len(unfolded.child) == unfolded.n_nodes - 1
    assert np.unique(unfolded.child).tolist() == list(range(1, unfolded.n_nodes))


@given(trees())
def test_missing_branches(tree):
    exact, largest = PlainNodes.of(tree), PlainNodes.of(tree, "largest")
    for node in range(tree.n_nodes):
        shares = tree.shares(node).tolist()
        if not shares:
            continue
        alone = [branch for branch, share in enumerate(shares) if share > 0]
        assert exact.missing[node] == (alone[0] if len(alone) == 1 else SHARED)
        assert largest.missing[node] == shares.index(max(shares))
    assert not largest.shares_out


def ladder(n_steps: int) -> sl.Graph:
    """Two ways from every step to the next: the paths double each time."""
    from sightline import _core

    n = n_steps + 1
    begin = np.append(np.arange(0, 2 * n_steps + 1, 2), 2 * n_steps).astype(np.int64)
    core = _core.Graph(
        n_values=[0],
        n_outputs=1,
        test=np.append(np.ones(n_steps), 0).astype(np.uint8),
        feature=np.append(np.zeros(n_steps), -1).astype(np.int32),
        threshold=np.append(np.arange(n_steps), 0).astype(float),
        branch_begin=begin,
        child=np.repeat(np.arange(1, n), 2).astype(np.int32),
        share=np.tile([1.0, 0.0], n_steps),
        category_begin=np.zeros(n + 1, dtype=np.int64),
        category=np.zeros(0, dtype=np.int32),
        weight=np.ones(n),
        output=np.ones(n),
        counts=np.zeros(0),
    )
    return sl.Graph(core, schema_of([0]), None)


def test_graphs_of_too_many_paths_are_refused():
    assert PlainNodes.of(ladder(5)).unfolded("SQL").n_nodes == 63
    with pytest.raises(sl.UnsupportedModelError) as error:
        ladder(40).export("sql")
    assert str(error.value) == (
        "SQL has only trees, but this graph unfolds into 1,099,511,627,776 leaves, more than "
        "1,000,000. Export it as python, c or javascript."
    )
    assert len(ladder(40).export("python")) < 5000


def test_a_leaf_alone():
    tree = sl.Tree(core_tree(leaf(1.0), schema_of([0])), schema_of([0]), None)
    assert tree.export("sql", table=None) == "1.0E0\n"
