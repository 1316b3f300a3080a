"""Trees of a thousand levels and of a hundred thousand leaves."""

from __future__ import annotations

import numpy as np

from sightline import Tree, _core
from sightline.table import Feature, Schema


def deep_chain(depth: int = 1000, shared: bool = False) -> Tree:
    """A leaf on one side of every test, alternately, so that neither side alone is deep."""
    inner = np.arange(0, 2 * depth, 2)
    goes_on_yes = (np.arange(depth) % 2).astype(bool)
    # Node 2i tests, node 2i + 1 is its leaf, node 2i + 2 the rest.
    yes, no = np.where(goes_on_yes, inner + 2, inner + 1), np.where(goes_on_yes, inner + 1, inner + 2)
    step = np.arange(depth)
    threshold = np.where(goes_on_yes, 2 * depth - step, step) * 0.1
    return _tree(1, inner, np.zeros(depth, int), threshold, np.column_stack([yes, no]), 2 * depth + 1, shared)


def broad_tree(levels: int = 17, shared: bool = False) -> Tree:
    """A complete binary tree over three features."""
    n_inner = 2**levels - 1
    inner = np.arange(n_inner)
    level = np.log2(inner + 1).astype(int)
    # Within its level the n-th node halves the n-th of equal parts of the unit interval.
    place = inner + 1 - 2**level
    threshold = ((place // 2 ** (level % 3)) * 2 + 1) / 2.0 ** (level // 3 + 1) / 3
    children = np.column_stack([2 * inner + 1, 2 * inner + 2])
    return _tree(3, inner, level % 3, threshold % 1.0, children, 2 * n_inner + 1, shared)


def _tree(n_features, inner, feature, threshold, children, n_nodes, shared):
    rng = np.random.default_rng(0)
    test = np.zeros(n_nodes, dtype=np.uint8)
    test[inner] = 1
    output = rng.dirichlet(np.ones(2), size=n_nodes)
    first = rng.integers(2, size=len(inner))
    share = (
        np.full(2 * len(inner), 0.5) if shared else np.column_stack([first, 1 - first]).ravel().astype(float)
    )
    core = _core.Tree(
        n_values=[0] * n_features,
        n_outputs=2,
        test=test,
        feature=_spread(n_nodes, inner, feature, -1).astype(np.int32),
        threshold=_spread(n_nodes, inner, threshold, 0.0),
        branch_begin=np.append(0, np.cumsum(np.where(test, 2, 0))).astype(np.int64),
        child=children.ravel().astype(np.int32),
        share=share,
        category_begin=np.zeros(n_nodes + 1, dtype=np.int64),
        category=np.zeros(0, dtype=np.int32),
        weight=np.ones(n_nodes),
        output=output.ravel(),
        counts=np.zeros(0),
    )
    names = ["x", "y", "z"][:n_features]
    return Tree(core, Schema(tuple(Feature(name) for name in names)), np.array(["no", "yes"]))


def _spread(n_nodes, places, values, rest):
    result = np.full(n_nodes, rest, dtype=np.float64)
    result[places] = values
    return result
