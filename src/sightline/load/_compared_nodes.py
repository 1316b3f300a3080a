"""A table of nodes that compare a column with a value, as ONNX and Spark store trees.

What a test means for the columns of the caller is the business of ``_forest_tests``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEQ, LT, GTE, GT, EQ, NEQ, MEMBER, LEAF = range(8)
"""The comparisons of nodes, and nodes without one."""


@dataclass(frozen=True)
class ComparedNodes:
    """The nodes of all trees, tree after tree, each with its root first.

    Parameters
    ----------
    begin : ndarray of int64, shape (n_trees + 1,)
        First node of each tree.
    mode : ndarray of uint8, shape (n_nodes,)
        The comparison, or LEAF.
    feature : ndarray of int64, shape (n_nodes,)
        Column of the operator's input.
    value : ndarray of float64, shape (n_nodes,)
        What the column is compared with.
    true, false : ndarray of int64, shape (n_nodes,)
        Children, counted from the root of the tree.
    missing_is_true : ndarray of bool, shape (n_nodes,)
        Whether NaN takes the true branch.
    members : tuple of ndarray
        The sets of the MEMBER nodes, in the order of the nodes.
    output : ndarray of float64, shape (n_nodes, n_scores)
        What leaves add to the scores.
    has_output : ndarray of bool, shape (n_nodes, n_scores)
        Where a leaf says something about a score.
    """

    begin: NDArray[np.int64]
    mode: NDArray[np.uint8]
    feature: NDArray[np.int64]
    value: NDArray[np.float64]
    true: NDArray[np.int64]
    false: NDArray[np.int64]
    missing_is_true: NDArray[np.bool_]
    members: tuple[NDArray[np.float64], ...]
    output: NDArray[np.float64]
    has_output: NDArray[np.bool_]

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.begin) - 1

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Nodes without children."""
        return np.equal(self.mode, LEAF)
