"""Leaves that predict with a line in one or two features instead of a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import DataError

LINE_ARRAYS: dict[str, type] = {
    "term_begin": np.int64,
    "feature": np.int32,
    "slope": np.float64,
    "center": np.float64,
    "low": np.float64,
    "high": np.float64,
}


class LineTerm(NamedTuple):
    """One feature of a line: it adds ``slope`` times the distance from ``center``."""

    feature: int
    slope: float
    center: float


@dataclass(frozen=True, eq=False)
class LeafLines:
    """Lines in the leaves of a tree of numbers.

    The prediction of a leaf is its number plus ``slope * (x - center)`` for each term, clipped to the range
    from ``low`` to ``high``. A missing value adds nothing.

    Attributes
    ----------
    term_begin : ndarray of int64, shape (n_nodes + 1,)
        The terms of node v are those from ``term_begin[v]`` to ``term_begin[v + 1]``. Only leaves have any.
    feature, slope, center : ndarray of shape (n_terms,)
        The terms. The features are numeric.
    low, high : ndarray of shape (n_nodes,)
        Bounds of the predictions.
    """

    term_begin: NDArray[np.int64]
    feature: NDArray[np.int32]
    slope: NDArray[np.float64]
    center: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @classmethod
    def fitted(
        cls, tree: _core.Tree, rows: _core.Columns, answers: Any, weights: Any, max_features: int
    ) -> LeafLines | None:
        """Fit lines to the rows of the leaves where they help; None if they help nowhere."""
        native = _core.LeafLines.fit(tree, rows, answers, weights, max_features)
        if not len(native.feature):
            return None
        return cls(**{name: np.array(getattr(native, name)) for name in LINE_ARRAYS})

    def native(self, tree: _core.Tree) -> _core.LeafLines:
        """Return the lines with their tree, checked, as the kernels take them."""
        try:
            return _core.LeafLines(tree, **{name: getattr(self, name) for name in LINE_ARRAYS})
        except ValueError as error:
            raise DataError(f"The lines do not match the tree: {error}.") from error

    def at(self, nodes: NDArray[np.int32]) -> LeafLines:
        """Return the lines of some of the nodes, in their order."""
        terms = [np.arange(self.term_begin[node], self.term_begin[node + 1]) for node in nodes.tolist()]
        kept = np.concatenate(terms)
        return LeafLines(
            np.cumsum([0, *map(len, terms)], dtype=np.int64),
            self.feature[kept],
            self.slope[kept],
            self.center[kept],
            self.low[nodes],
            self.high[nodes],
        )

    def terms(self, node: int) -> list[LineTerm]:
        """Return the terms of a node; none if it predicts its number."""
        return [
            LineTerm(int(self.feature[i]), float(self.slope[i]), float(self.center[i]))
            for i in range(self.term_begin[node], self.term_begin[node + 1])
        ]
