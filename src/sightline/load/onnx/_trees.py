"""The trees of ONNX: TreeEnsembleClassifier and -Regressor of versions 1 to 4, TreeEnsemble of version 5.

All three become one table of nodes. Nothing is computed here: what a test means for the columns of
the caller is the business of ``_forest_tests``, how scores become an answer that of ``_answer``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sightline.load._compared_nodes import EQ, GT, GTE, LEAF, LEQ, LT, MEMBER, NEQ, ComparedNodes
from sightline.load.onnx._node import OnnxNode

_MODES = {
    b"BRANCH_LEQ": LEQ,
    b"BRANCH_LT": LT,
    b"BRANCH_GTE": GTE,
    b"BRANCH_GT": GT,
    b"BRANCH_EQ": EQ,
    b"BRANCH_NEQ": NEQ,
    b"LEAF": LEAF,
}
_NODE_ATTRIBUTES = (
    "nodes_falsenodeids",
    "nodes_featureids",
    "nodes_hitrates",
    "nodes_hitrates_as_tensor",
    "nodes_missing_value_tracks_true",
    "nodes_modes",
    "nodes_nodeids",
    "nodes_treeids",
    "nodes_truenodeids",
    "nodes_values",
    "nodes_values_as_tensor",
)
_VERSION_5_ATTRIBUTES = (
    "aggregate_function",
    "leaf_targetids",
    "leaf_weights",
    "membership_values",
    "n_targets",
    "nodes_falseleafs",
    "nodes_falsenodeids",
    "nodes_featureids",
    "nodes_hitrates",
    "nodes_missing_value_tracks_true",
    "nodes_modes",
    "nodes_splits",
    "nodes_trueleafs",
    "nodes_truenodeids",
    "post_transform",
    "tree_roots",
)


def read_trees(node: OnnxNode, target: str, n_scores: int, *others: str) -> ComparedNodes:
    """Read the trees of a TreeEnsembleClassifier or TreeEnsembleRegressor.

    Parameters
    ----------
    node : OnnxNode
        The operator.
    target : {"class", "target"}
        How the attributes of the leaves begin.
    n_scores : int
        Number of classes or targets.
    *others : str
        Attributes that the caller reads.
    """
    ends = ("ids", "nodeids", "treeids", "weights", "weights_as_tensor")
    node.allow(*_NODE_ATTRIBUTES, *(f"{target}_{end}" for end in ends), *others)
    tree_id = node.ints("nodes_treeids")
    n_nodes = len(tree_id)
    if n_nodes == 0:
        raise node.fault("contains no tree")
    begin = np.append(np.flatnonzero(np.diff(tree_id, prepend=tree_id[0] - 1)), n_nodes)
    if len(np.unique(tree_id)) < len(begin) - 1:
        raise node.unsupported("the nodes of a tree are not stored next to each other")
    index = _NodeIndex(node, tree_id, node.ints("nodes_nodeids", n_nodes), begin)
    mode = _modes(node, n_nodes)
    inner = mode != LEAF
    start = np.repeat(begin[:-1], np.diff(begin))
    children = []
    for name in ("nodes_truenodeids", "nodes_falsenodeids"):
        ids = node.ints(name, n_nodes)
        child = np.full(n_nodes, -1, dtype=np.int64)
        child[inner] = index.of(tree_id[inner], ids[inner], name) - start[inner]
        children.append(child)
    output, has_output = _weights(node, target, index, mode, n_scores)
    return ComparedNodes(
        begin=begin,
        mode=mode,
        feature=node.ints("nodes_featureids", n_nodes),
        value=node.floats("nodes_values", n_nodes),
        true=children[0],
        false=children[1],
        missing_is_true=_flags(node, "nodes_missing_value_tracks_true", n_nodes),
        members=(),
        output=output,
        has_output=has_output,
    )


class _NodeIndex:
    """Finds nodes by the numbers of their tree and within it."""

    def __init__(
        self,
        node: OnnxNode,
        tree_id: NDArray[np.int64],
        node_id: NDArray[np.int64],
        begin: NDArray[np.int64],
    ) -> None:
        self._node = node
        trees, first = np.unique(tree_id, return_index=True)
        self._trees, self._begin = trees, first
        self._size = np.diff(begin)[np.searchsorted(begin, first)]
        # Nodes are nearly always numbered from 0 in their order; then numbers are offsets.
        offset = np.arange(len(node_id)) - np.repeat(begin[:-1], np.diff(begin))
        self._order: NDArray[np.int64] | None = None
        if not np.array_equal(offset, node_id):
            self._order = np.lexsort((node_id, tree_id))
            self._keys = np.stack([tree_id[self._order], node_id[self._order]])
            if (np.diff(self._keys, axis=1) == 0).all(axis=0).any():
                raise node.fault("two nodes of a tree have the same number")

    def of(self, tree: NDArray[np.int64], number: NDArray[np.int64], name: str) -> NDArray[np.int64]:
        """Return the indices of nodes, or raise if one does not exist."""
        at = np.minimum(np.searchsorted(self._trees, tree), len(self._trees) - 1)
        exists = self._trees[at] == tree
        if self._order is None:
            exists &= (number >= 0) & (number < self._size[at])
            found = self._begin[at] + number
        else:
            found, is_there = self._looked_up(at, number)
            exists &= is_there
        if not exists.all():
            bad = int(np.flatnonzero(~exists)[0])
            raise self._node.fault(
                f"{name!r} names node {number[bad]} of tree {tree[bad]}, which does not exist"
            )
        return found

    def _looked_up(
        self, at: NDArray[np.int64], number: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        assert self._order is not None
        numbers = np.unique(np.concatenate([self._keys[1], number]))
        width = len(numbers)
        rank = np.searchsorted(self._trees, self._keys[0]) * width + np.searchsorted(numbers, self._keys[1])
        wanted = at * width + np.searchsorted(numbers, number)
        place = np.minimum(np.searchsorted(rank, wanted), len(rank) - 1)
        return self._order[place], rank[place] == wanted


def _modes(node: OnnxNode, n_nodes: int) -> NDArray[np.uint8]:
    stored = node.raw_strings("nodes_modes", n_nodes)
    mode = np.full(n_nodes, 255, dtype=np.uint8)
    for name, code in _MODES.items():
        mode[stored == name] = code
    if (mode == 255).any():
        bad = int(np.flatnonzero(mode == 255)[0])
        raise node.unsupported(f"the mode {stored[bad].decode(errors='replace')!r} is not supported")
    return mode


def _flags(node: OnnxNode, name: str, n_nodes: int) -> NDArray[np.bool_]:
    if name not in node or not len(node.ints(name)):
        return np.zeros(n_nodes, dtype=np.bool_)
    # The runtime compares with 1; other numbers are not understood alike by all of its versions.
    flags = node.ints(name, n_nodes)
    if not ((flags == 0) | (flags == 1)).all():
        raise node.fault(f"{name!r} must only hold 0 and 1")
    return np.equal(flags, 1)


def _weights(
    node: OnnxNode, target: str, index: _NodeIndex, mode: NDArray[np.uint8], n_scores: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    score = node.ints(f"{target}_ids")
    n_weights = len(score)
    tree, number = node.ints(f"{target}_treeids", n_weights), node.ints(f"{target}_nodeids", n_weights)
    weight = node.floats(f"{target}_weights", n_weights)
    if not np.isfinite(weight).all():
        raise node.fault(f"'{target}_weights' are not all finite")
    at = index.of(tree, number, f"{target}_nodeids")
    if (mode[at] != LEAF).any():
        raise node.fault(f"'{target}_nodeids' names a node that is not a leaf")
    return spread_weights(node, f"{target}_ids", (len(mode), n_scores), at, score, weight)


def spread_weights(
    node: OnnxNode,
    name: str,
    shape: tuple[int, int],
    at: NDArray[np.int64],
    score: NDArray[np.int64],
    weight: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return a table of weights by node and score, and where there is one."""
    if not ((score >= 0) & (score < shape[1])).all():
        raise node.fault(f"{name!r} must be from 0 to {shape[1] - 1}")
    if shape[0] * shape[1] > 2**31:
        raise node.fault(f"{shape[0]} nodes times {shape[1]} scores are too many")
    output, has_output = np.zeros(shape), np.zeros(shape, dtype=np.bool_)
    output[at, score] = weight
    has_output[at, score] = True
    if int(has_output.sum()) < len(at):
        raise node.unsupported("a leaf has two weights for the same score")
    return output, has_output


def read_version_5(node: OnnxNode) -> ComparedNodes:
    """Read the trees of a TreeEnsemble, in which leaves are stored apart from tests."""
    node.allow(*_VERSION_5_ATTRIBUTES)
    n_scores = node.integer("n_targets", 1)
    if not 1 <= n_scores <= 2**20:
        raise node.fault(f"'n_targets' must be positive. Got {n_scores} instead")
    feature = node.ints("nodes_featureids")
    n_tests = len(feature)
    mode = node.tensor("nodes_modes").ravel()
    split = node.tensor("nodes_splits").ravel().astype(np.float64)
    weight = node.tensor("leaf_weights").ravel().astype(np.float64)
    target = node.ints("leaf_targetids", len(weight))
    if len(mode) != n_tests or len(split) != n_tests:
        raise node.fault(f"'nodes_modes' and 'nodes_splits' must have {n_tests} entries")
    if mode.dtype.kind not in "iu" or not ((mode >= LEQ) & (mode <= MEMBER)).all():
        raise node.unsupported("'nodes_modes' holds a mode that is not supported")
    if not np.isfinite(weight).all():
        raise node.fault("'leaf_weights' are not all finite")
    children = {
        branch: (node.ints(f"nodes_{branch}nodeids", n_tests), _flags(node, f"nodes_{branch}leafs", n_tests))
        for branch in ("true", "false")
    }
    walk = _Walk(node, n_tests, len(weight), children)
    order, begin, true, false = walk.trees(node.ints("tree_roots"))
    is_leaf = order >= n_tests
    leaf = order[is_leaf] - n_tests
    test = np.where(is_leaf, 0, order)
    output, has_output = spread_weights(
        node, "leaf_targetids", (len(order), n_scores), np.flatnonzero(is_leaf), target[leaf], weight[leaf]
    )
    members = _member_sets(node, int((mode == MEMBER).sum()))
    set_of = np.cumsum(mode == MEMBER) - 1
    all_modes = np.where(is_leaf, LEAF, mode[test]).astype(np.uint8)
    return ComparedNodes(
        begin=begin,
        mode=all_modes,
        feature=np.where(is_leaf, 0, feature[test]),
        value=np.where(is_leaf, 0.0, split[test]),
        true=true,
        false=false,
        missing_is_true=~is_leaf & _flags(node, "nodes_missing_value_tracks_true", n_tests)[test],
        members=tuple(members[set_of[number]] for number in order[all_modes == MEMBER]),
        output=output,
        has_output=has_output,
    )


def _member_sets(node: OnnxNode, n_sets: int) -> list[NDArray[np.float64]]:
    """Return the sets, which are separated by NaN."""
    if n_sets == 0:
        return []
    values = node.tensor("membership_values").ravel().astype(np.float64)
    ends = np.flatnonzero(np.isnan(values))
    if len(values) and not np.isnan(values[-1]):
        ends = np.append(ends, len(values))
    sets = [np.unique(part[~np.isnan(part)]) for part in np.split(values, ends)][: len(ends)]
    if len(sets) != n_sets:
        raise node.fault(f"'membership_values' holds {len(sets)} sets for {n_sets} tests")
    if not all(len(part) and (part == np.floor(part)).all() for part in sets):
        raise node.unsupported("'membership_values' holds numbers that are not whole, or an empty set")
    return sets


class _Walk:
    """Visits tests and leaves from the roots, level by level. Leaves may be shared, tests may not."""

    def __init__(
        self,
        node: OnnxNode,
        n_tests: int,
        n_leaves: int,
        children: dict[str, tuple[NDArray[np.int64], NDArray[np.bool_]]],
    ) -> None:
        self._node = node
        self._n_tests = n_tests
        # One numbering for both: leaves come behind the tests.
        for branch, (ids, is_leaf) in children.items():
            limit = np.where(is_leaf, n_leaves, n_tests)
            if not ((ids >= 0) & (ids < limit)).all():
                bad = int(np.flatnonzero((ids < 0) | (ids >= limit))[0])
                raise node.fault(f"test {bad}: its {branch} branch leads to {ids[bad]}, which does not exist")
        self._true, self._false = (ids + np.where(leaf, n_tests, 0) for ids, leaf in children.values())

    def trees(
        self, roots: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the visited nodes tree by tree, the begin of each tree, and the two children of each."""
        if not len(roots):
            raise self._node.fault("contains no tree")
        if not ((roots >= 0) & (roots < self._n_tests)).all():
            raise self._node.fault("'tree_roots' names a test that does not exist")
        nodes, tree = [roots], [np.arange(len(roots))]
        parent, n_visited = [np.full(len(roots), -1)], 0
        is_visited = np.zeros(self._n_tests, dtype=np.bool_)
        while len(nodes[-1]):
            level, owner = nodes[-1], tree[-1]
            at = np.flatnonzero(level < self._n_tests)
            tests = level[at]
            if is_visited[tests].any() or len(np.unique(tests)) < len(tests):
                raise self._node.unsupported("a test has two parents: this is a graph, not a tree")
            is_visited[tests] = True
            nodes.append(np.concatenate([self._true[tests], self._false[tests]]))
            tree.append(np.tile(owner[at], 2))
            parent.append(np.tile(n_visited + at, 2))
            n_visited += len(level)
        return _by_tree(np.concatenate(nodes), np.concatenate(tree), np.concatenate(parent), len(roots))


def _by_tree(
    nodes: NDArray[np.int64], tree: NDArray[np.int64], parent: NDArray[np.int64], n_trees: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Sort nodes by their tree, keeping levels, and number the children within each tree."""
    order = np.argsort(tree, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    begin = np.searchsorted(tree[order], np.arange(n_trees + 1))
    offset = place - begin[tree]
    true, false = np.full(len(nodes), -1), np.full(len(nodes), -1)
    child = np.flatnonzero(parent >= 0)
    # Of the two entries with one parent, the first is its true branch.
    first = np.zeros(len(nodes), dtype=np.bool_)
    first[np.unique(parent[child], return_index=True)[1] + (len(nodes) - len(child))] = True
    true[parent[child[first[child]]]] = offset[child[first[child]]]
    false[parent[child[~first[child]]]] = offset[child[~first[child]]]
    return nodes[order], begin, true[order], false[order]
