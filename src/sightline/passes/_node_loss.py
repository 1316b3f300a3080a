"""What rows cost in the nodes of a tree, and which way they go there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.model import LEAF, SUBSET, Tree
from sightline.table import Table

__all__ = ["NodeLoss", "sides", "undivided"]


@dataclass(frozen=True, eq=False)
class NodeLoss:
    """What a row costs in a node, as in the objectives of distilled trees.

    Attributes
    ----------
    label, target : float
        Cost of a wrong label, and of the squared distance from the probabilities or from the number.
    is_absolute : bool
        Whether numbers are charged for the distance itself.
    scale : float
        Numbers are measured in this unit.
    class_weight : ndarray of shape (n_classes,) or None
        Row weights by the ensemble's label.
    shifted : callable or None
        Puts probabilities on the scale on which their distance is charged.
    """

    label: float
    target: float
    is_absolute: bool = False
    scale: float = 1.0
    class_weight: NDArray[np.float64] | None = None
    shifted: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None

    def of(
        self,
        tree: Tree,
        answers: tuple[NDArray[Any], NDArray[np.float64]],
        weights: NDArray[np.float64] | None,
    ) -> NDArray[np.float64]:
        """Return the losses of rows, of shape (n_nodes, n_rows).

        Every operation is about one row, without sums whose order a library may choose: so the losses do
        not depend on which rows come together.

        Parameters
        ----------
        tree : Tree
            The tree.
        answers : tuple of ndarray
            Codes and probabilities of the ensemble, or 0 and its numbers.
        weights : ndarray of shape (n_rows,) or None
            Weights of the rows.
        """
        codes, outputs = answers
        if tree.classes_ is None:
            gap = (outputs[:, 0] - tree.core.output[:, :1]) / self.scale
            loss = self.target * (np.abs(gap) if self.is_absolute else gap * gap)
        else:
            values = tree.node_probabilities
            if self.shifted is not None:
                outputs, values = self.shifted(outputs), self.shifted(values)
            labels = tree.vote(tree.core.output)
            loss = self.label * (labels[:, None] != codes).astype(np.float64)
            for code in range(outputs.shape[1] if self.target else 0):
                loss += self.target * (outputs[:, code] - values[:, code, None]) ** 2
            if self.class_weight is not None:
                loss *= self.class_weight[codes]
        return loss if weights is None else loss * weights


def sides(tree: Tree, node: int, rows: Table) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which rows take branch 0 of a test, and which of them have no value there.

    Parameters
    ----------
    tree : Tree
        A tree whose tests have two branches.
    node : int
        An inner node.
    rows : Table
        The rows.
    """
    core = tree.core
    column = rows.columns[core.feature[node]]
    is_missing = column.is_missing
    if core.test[node] == SUBSET:
        begin, end = core.category_begin[node : node + 2]
        goes_first = np.isin(column.values, core.category[begin:end])
    else:
        goes_first = column.values <= core.threshold[node]
    return np.where(is_missing, tree.shares(node)[0] == 1, goes_first), is_missing


def undivided(tree: Tree, rows: Table) -> NDArray[np.bool_]:
    """Return the rows that no test of the tree would divide among its branches because of a missing value."""
    core = tree.core
    inner = np.flatnonzero(core.test != LEAF).tolist()
    dividing = {int(core.feature[node]) for node in inner if tree.shares(node).max() < 1}
    whole = np.ones(rows.n_rows, dtype=bool)
    for feature in dividing:
        whole &= ~rows.columns[feature].is_missing
    return whole
