"""Nodes with two children, as foreign libraries store them, on the way to a native tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.model import LEAF, SUBSET, THRESHOLD

_ID = np.iinfo(np.int32)


@dataclass(frozen=True)
class Subsets:
    """Which nodes ask ``x in S``, and the sets.

    Parameters
    ----------
    is_subset : ndarray of bool, shape (n_nodes,)
        Nodes that ask for a set of categories instead of a threshold.
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

    The tests are canonical already: the left child is the yes-branch of ``x <= threshold``
    over doubles. Nothing else has been checked; :meth:`build` does.

    Parameters
    ----------
    is_leaf : ndarray of bool, shape (n_nodes,)
        Nodes without children; their feature, threshold and children are ignored.
    feature, left, right : ndarray of int, shape (n_nodes,)
        The tested feature and the two children.
    threshold : ndarray of float64, shape (n_nodes,)
        See :mod:`sightline.load._thresholds`.
    missing_goes_left : ndarray of bool, shape (n_nodes,)
        Where rows go whose value is missing.
    weight : ndarray of float64, shape (n_nodes,)
        Training weight.
    output : ndarray of float64, shape (n_nodes, n_outputs)
        What each node says as a leaf.
    counts : ndarray of float64, shape (n_nodes, n_outputs), optional
        Training weight per class.
    subsets : Subsets, optional
        Categorical tests, if there are any.
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
            If something is wrong with the nodes; the message names the first at fault.

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
        is_inner = ~self.is_leaf
        n_nodes = len(is_inner)
        subsets = self.subsets or _no_subsets(n_nodes)
        test = np.full(n_nodes, LEAF, dtype=np.uint8)
        test[is_inner] = np.where(subsets.is_subset[is_inner], SUBSET, THRESHOLD)
        branch_begin = np.zeros(n_nodes + 1, dtype=np.int64)
        np.cumsum(2 * is_inner, out=branch_begin[1:])
        goes_left = self.missing_goes_left[is_inner]
        return _core.Tree(
            n_values=list(n_values),
            n_outputs=self.output.shape[1],
            test=test,
            feature=_as_ids(self.feature),
            threshold=np.ascontiguousarray(self.threshold, dtype=np.float64),
            branch_begin=branch_begin,
            child=_interleaved(_as_ids(self.left)[is_inner], _as_ids(self.right)[is_inner]),
            share=_interleaved(goes_left, ~goes_left).astype(np.float64),
            category_begin=subsets.category_begin,
            category=subsets.category,
            weight=np.ascontiguousarray(self.weight, dtype=np.float64),
            output=np.ravel(self.output).astype(np.float64, copy=False),
            counts=np.empty(0) if self.counts is None else np.ravel(self.counts),
        )


def _no_subsets(n_nodes: int) -> Subsets:
    return Subsets(
        np.zeros(n_nodes, dtype=np.bool_),
        np.zeros(n_nodes + 1, dtype=np.int64),
        np.empty(0, dtype=np.int32),
    )


def _as_ids(numbers: NDArray[Any]) -> NDArray[np.int32]:
    """Narrow to int32, so that what does not fit stays out of range instead of wrapping into it."""
    return np.clip(numbers.astype(np.int64), _ID.min, _ID.max).astype(np.int32)


def _interleaved(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    return np.stack([first, second], axis=1).ravel()
