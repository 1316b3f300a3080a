"""Nodes with two children, as other libraries store them, before they become a native tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core


@dataclass(frozen=True)
class Subsets:
    """The tests ``x in S`` of a tree, and their sets.

    Parameters
    ----------
    is_subset : ndarray of bool, shape (n_nodes,)
        Nodes that test a set of categories instead of a threshold.
    category_begin : ndarray of int64, shape (n_nodes + 1,)
        The set of node v is ``category[category_begin[v]:category_begin[v + 1]]``.
    category : ndarray of int32
        Codes of categories that take the left branch, ascending within a node.
    """

    is_subset: NDArray[np.bool_]
    category_begin: NDArray[np.int64]
    category: NDArray[np.int32]


@dataclass(frozen=True)
class BinaryNodes:
    """The nodes of one tree, one entry per node, the root first.

    The tests are canonical: the left child is the yes-branch of ``x <= threshold`` over doubles.
    Nothing else has been checked yet; :meth:`build` does that.

    Parameters
    ----------
    is_leaf : ndarray of bool, shape (n_nodes,)
        Nodes without children; their feature, threshold and children are ignored.
    feature, left, right : ndarray of int, shape (n_nodes,)
        The tested feature and the two children.
    threshold : ndarray of float64, shape (n_nodes,)
        See :mod:`sightline.load._thresholds`.
    missing_goes_left : ndarray of bool, shape (n_nodes,)
        Whether rows with a missing value go left.
    weight : ndarray of float64, shape (n_nodes,)
        Training weight.
    output : ndarray of float64, shape (n_nodes, n_outputs)
        Output of each node as a leaf.
    counts : ndarray of float64, shape (n_nodes, n_outputs), optional
        Training weight per class.
    subsets : Subsets, optional
        Categorical tests, if there are any.
    leaves_only : bool, default=False
        Whether only leaves have an output. Inner nodes then get the mean of their leaves.
    """

    is_leaf: NDArray[np.bool_]
    feature: NDArray[Any]
    threshold: NDArray[np.float64]
    left: NDArray[Any]
    right: NDArray[Any]
    missing_goes_left: NDArray[np.bool_]
    weight: NDArray[np.float64]
    output: NDArray[np.float64]
    counts: NDArray[np.float64] | None = None
    subsets: Subsets | None = None
    leaves_only: bool = False

    def build(self, n_values: Sequence[int]) -> _core.Tree:
        """Check the nodes and return the native tree.

        Parameters
        ----------
        n_values : sequence of int
            Number of categories per feature, 0 where numeric.

        Returns
        -------
        _core.Tree
            Valid by construction.

        Raises
        ------
        ValueError
            If something is wrong with the nodes. The message names the first bad one.

        Examples
        --------
        >>> nodes = BinaryNodes(
        ...     is_leaf=np.array([False, True, True]),
        ...     feature=np.array([0, -1, -1]),
        ...     threshold=np.array([0.5, 0.0, 0.0]),
        ...     left=np.array([1, -1, -1]),
        ...     right=np.array([2, -1, -1]),
        ...     missing_goes_left=np.array([True, False, False]),
        ...     weight=np.array([8.0, 5.0, 3.0]),
        ...     output=np.array([[0.5], [0.2], [1.0]]),
        ... )
        >>> nodes.build(n_values=[0]).n_leaves
        2
        """
        return self._built(n_values, None)[0]

    def build_all(
        self, tree_begin: NDArray[np.int64], n_values: Sequence[int], first: int = 0
    ) -> list[_core.Tree]:
        """Check the nodes of several trees, which lie one after the other, and return the native trees.

        Parameters
        ----------
        tree_begin : ndarray of int64, shape (n_trees + 1,)
            The first node of each tree, and the number of nodes. Children are counted from the first
            node of their tree.
        n_values : sequence of int
            Number of categories per feature, 0 where numeric.
        first : int, default=0
            The number of the first of these trees, for error messages.

        Returns
        -------
        list of _core.Tree
            Valid by construction.

        Raises
        ------
        ValueError
            If something is wrong with the nodes. The message names the tree and its first bad node.
        """
        return self._built(n_values, tree_begin, first)

    def _built(
        self, n_values: Sequence[int], tree_begin: NDArray[np.int64] | None, first: int = 0
    ) -> list[_core.Tree]:
        subsets = self.subsets or _NO_SUBSETS
        return _core.binary_trees(
            n_values=n_values,
            n_outputs=self.output.shape[1],
            is_leaf=np.ascontiguousarray(self.is_leaf),
            feature=_as_ids(self.feature),
            threshold=np.ascontiguousarray(self.threshold, dtype=np.float64),
            left=_as_ids(self.left),
            right=_as_ids(self.right),
            missing_goes_left=np.ascontiguousarray(self.missing_goes_left),
            weight=np.ascontiguousarray(self.weight, dtype=np.float64),
            output=np.ravel(self.output).astype(np.float64, copy=False),
            counts=_NO_NUMBERS if self.counts is None else np.ravel(self.counts),
            is_subset=subsets.is_subset,
            category_begin=subsets.category_begin,
            category=subsets.category,
            leaves_only=self.leaves_only,
            tree_begin=tree_begin,
            first=first,
        )

    def part(self, begin: int, end: int) -> BinaryNodes:
        """Return some of the nodes: one tree of several."""
        kept: dict[str, Any] = {
            name: getattr(self, name)[begin:end]
            for name in ("is_leaf", "feature", "threshold", "left", "right")
        }
        kept |= {name: getattr(self, name)[begin:end] for name in ("missing_goes_left", "weight", "output")}
        subsets = None
        if self.subsets is not None:
            first, last = self.subsets.category_begin[[begin, end]].tolist()
            subsets = Subsets(
                self.subsets.is_subset[begin:end],
                self.subsets.category_begin[begin : end + 1] - first,
                self.subsets.category[first:last],
            )
        counts = None if self.counts is None else self.counts[begin:end]
        return replace(self, subsets=subsets, counts=counts, **kept)

    def reachable(self) -> BinaryNodes:
        """Return the nodes that can be reached from the root.

        Only for libraries that keep pruned nodes. Children out of range stay out of range, so that
        :meth:`build` can name them.
        """
        n_nodes = len(self.is_leaf)
        is_reached = np.zeros(n_nodes, dtype=np.bool_)
        level = np.zeros(1, dtype=np.int64)
        while len(level):
            is_reached[level] = True
            level = level[~self.is_leaf[level]]
            level = np.concatenate([self.left[level], self.right[level]])
            level = np.unique(level[(level >= 0) & (level < n_nodes)])
            level = level[~is_reached[level]]
        index = np.append(np.where(is_reached, is_reached.cumsum() - 1, -1), [-1])
        inside = {name: np.clip(getattr(self, name), -1, n_nodes) for name in ("left", "right")}
        kept: dict[str, Any] = {
            name: np.where(ids == n_nodes, n_nodes, index[ids])[is_reached] for name, ids in inside.items()
        }
        kept |= {
            name: getattr(self, name)[is_reached]
            for name in ("is_leaf", "feature", "threshold", "missing_goes_left", "weight", "output")
        }
        subsets = None
        if self.subsets is not None:
            sizes = np.diff(self.subsets.category_begin)
            kept_categories = np.repeat(is_reached, sizes)
            begin = np.concatenate([[0], sizes[is_reached].cumsum()])
            subsets = Subsets(
                self.subsets.is_subset[is_reached], begin, self.subsets.category[kept_categories]
            )
        return replace(self, subsets=subsets, **kept)


_NO_SUBSETS = Subsets(np.empty(0, dtype=np.bool_), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32))
_NO_NUMBERS = np.empty(0, dtype=np.float64)


def _as_ids(numbers: NDArray[Any]) -> NDArray[np.int64]:
    """Widen to 64 bits, so that a number out of range does not wrap into it."""
    return np.ascontiguousarray(numbers, dtype=np.int64)
