"""Trees and graphs of a thousand levels and of a hundred thousand leaves, and many rules."""

from __future__ import annotations

import numpy as np

from sightline import Graph, RuleSet, Tree, _core
from sightline.model import RuleStatistics, Voting
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
    index = inner + 1 - 2**level
    threshold = ((index // 2 ** (level % 3)) * 2 + 1) / 2.0 ** (level // 3 + 1) / 3
    children = np.column_stack([2 * inner + 1, 2 * inner + 2])
    return _tree(3, inner, level % 3, threshold % 1.0, children, 2 * n_inner + 1, shared)


def with_shared_leaves(tree: Tree) -> Graph:
    """The same labels from two leaves, one per class."""
    core = tree.core
    is_leaf = core.test == 0
    n_inner = int((~is_leaf).sum())
    index = np.empty(len(core.test), dtype=np.int32)
    index[~is_leaf] = np.arange(n_inner)
    index[is_leaf] = n_inner + core.output[is_leaf].argmax(axis=1)
    kept = np.flatnonzero(~is_leaf)
    graph = _core.Graph(
        n_values=tree.schema.n_values,
        n_outputs=2,
        test=np.append(core.test[kept], [0, 0]).astype(np.uint8),
        feature=np.append(core.feature[kept], [-1, -1]).astype(np.int32),
        threshold=np.append(core.threshold[kept], [0.0, 0.0]),
        branch_begin=np.append(np.arange(0, 2 * n_inner + 1, 2), [2 * n_inner] * 2).astype(np.int64),
        child=index[core.child],
        share=np.array(core.share),
        category_begin=np.zeros(n_inner + 3, dtype=np.int64),
        category=np.zeros(0, dtype=np.int32),
        weight=np.ones(n_inner + 2),
        output=np.append(np.full(2 * n_inner, 0.5), [1.0, 0.0, 0.0, 1.0]),
        counts=np.zeros(0),
    )
    return Graph(graph, tree.schema, tree.classes_)


def many_rules(n_rules: int) -> RuleSet:
    """Rules that each hold for a strip of the unit square, two in five of them against each other."""
    edges = np.arange(n_rules) / n_rules
    rng = np.random.default_rng(0)
    core = _core.RuleSet(
        n_values=[0, 0],
        n_classes=2,
        n_trees=1,
        feature=np.repeat([0, 1], n_rules).astype(np.int32),
        low=np.append(edges, rng.uniform(0, 0.5, n_rules)),
        high=np.append(edges + 1.4 / n_rules, np.full(n_rules, np.inf)),
        accepts_missing=np.zeros(2 * n_rules, dtype=np.uint8),
        category_begin=np.zeros(2 * n_rules + 1, dtype=np.int64),
        category=np.zeros(0, dtype=np.int32),
        condition_begin=np.arange(0, 2 * n_rules + 1, 2, dtype=np.int64),
        condition=np.column_stack([np.arange(n_rules), np.arange(n_rules) + n_rules])
        .ravel()
        .astype(np.int32),
        label=rng.integers(2, size=n_rules).astype(np.int32),
        weight=rng.uniform(0.1, 1.0, n_rules),
        source_begin=np.arange(n_rules + 1, dtype=np.int64),
        source=np.zeros(n_rules, dtype=np.int32),
    )
    voting = Voting(prior=(0.6, 0.4), base=(0.0, 0.0), fallback=None)
    schema = Schema((Feature("x"), Feature("y")))
    return RuleSet(core, schema, np.array(["no", "yes"]), voting, RuleStatistics.unknown(n_rules))


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


def _spread(n_nodes, indices, values, rest):
    result = np.full(n_nodes, rest, dtype=np.float64)
    result[indices] = values
    return result
