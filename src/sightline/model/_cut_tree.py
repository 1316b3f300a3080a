"""Cut trees: some nodes become leaves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sightline import _core

__all__ = ["cut_tree"]

_NODE_ARRAYS = ("feature", "threshold", "weight", "output")


def cut_tree(core: _core.Tree, leaves: Sequence[int]) -> tuple[_core.Tree, NDArray[np.int32]]:
    """Return a tree without the tests of some nodes, and which of its nodes are left.

    Parameters
    ----------
    core : _core.Tree
        The tree.
    leaves : sequence of int
        The nodes that become leaves.
    """
    test = np.array(core.test)
    test[list(leaves)] = _core.LEAF
    kept = _reachable(core, test)
    number = np.zeros(len(test), dtype=np.int32)
    number[kept] = np.arange(len(kept))
    branches, categories = (
        [np.arange(begin[node], begin[node + (test[node] != _core.LEAF)]) for node in kept.tolist()]
        for begin in (core.branch_begin, core.category_begin)
    )
    edges, values = np.concatenate(branches), np.concatenate(categories)
    counts = np.asarray(core.counts)
    made = _core.Tree(
        n_values=core.n_values,
        n_outputs=core.n_outputs,
        test=test[kept],
        branch_begin=_begins(branches),
        child=number[core.child[edges]],
        share=core.share[edges],
        category_begin=_begins(categories),
        category=core.category[values],
        counts=np.ravel(counts[kept]) if counts.size else np.empty(0),
        **{name: np.ravel(np.asarray(getattr(core, name))[kept]) for name in _NODE_ARRAYS},
    )
    return made, kept


def _reachable(core: _core.Tree, test: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return the nodes that are left, depth first."""
    kept, pending = [], [0]
    while pending:
        node = pending.pop()
        kept.append(node)
        if test[node] != _core.LEAF:
            pending.extend(core.child[core.branch_begin[node] : core.branch_begin[node + 1]].tolist()[::-1])
    return np.array(kept, dtype=np.int32)


def _begins(parts: Sequence[NDArray[np.intp]]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
