"""How faithful and how right summaries of several sizes are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.model._ensemble import Ensemble
from sightline.model._readable import Shown
from sightline.model._tree import Tree


@dataclass(frozen=True, eq=False, repr=False)
class FidelityCurve(Shown):
    """Fidelity and accuracy by number of leaves, on one set of rows.

    Parameters
    ----------
    leaves : ndarray of shape (n_sizes,)
        Leaves of the trees, ascending.
    fidelity : ndarray of shape (n_sizes,)
        Share of the rows to which each tree gives the ensemble's label.
    accuracy : ndarray of shape (n_sizes,) or None
        Share of the rows whose own label each tree gives, where labels were given.
    ensemble_accuracy : float or None
        The same of the ensemble.
    n_rows : int
        Number of rows. They say how far the numbers can be trusted only if the trees have
        not seen them.

    Examples
    --------
    >>> curve = FidelityCurve(np.array([2, 4, 8]), np.array([0.8, 0.95, 0.96]), None, None, 200)
    >>> curve.knee
    4
    >>> print(curve.to_text(), end="")
    Fidelity on 200 rows
    leaves  fidelity
         2    80.0 %
         4    95.0 %  <- suggested
         8    96.0 %
    """

    leaves: NDArray[np.int64]
    fidelity: NDArray[np.float64]
    accuracy: NDArray[np.float64] | None
    ensemble_accuracy: float | None
    n_rows: int

    @classmethod
    def of(
        cls, trees: Iterable[Tree], ensemble: Ensemble, rows: Any, labels: NDArray[Any] | None
    ) -> FidelityCurve:
        """Measure trees against the ensemble and, where known, the labels of rows.

        Parameters
        ----------
        trees : iterable of Tree
            Trees of different numbers of leaves.
        ensemble : Ensemble
            What they stand for.
        rows : Table, frame or array of shape (n_rows, n_features)
            The rows.
        labels : ndarray of shape (n_rows,) or None
            Their labels.

        Returns
        -------
        FidelityCurve
            One entry per tree, by the number of leaves.
        """
        ordered = sorted(trees, key=lambda tree: tree.n_leaves)
        taught = ensemble.predict(rows)
        said = [tree.predict(rows) for tree in ordered]
        return cls(
            np.array([tree.n_leaves for tree in ordered]),
            np.array([(answers == taught).mean() for answers in said]),
            None if labels is None else np.array([(answers == labels).mean() for answers in said]),
            None if labels is None else float((taught == labels).mean()),
            len(taught),
        )

    @property
    def knee(self) -> int:
        """Suggested number of leaves: the fewest within one standard error of the best fidelity."""
        best = float(self.fidelity.max())
        error = np.sqrt(best * (1 - best) / self.n_rows)
        return int(self.leaves[(self.fidelity >= best - error).argmax()])

    def __len__(self) -> int:
        return len(self.leaves)

    def __repr__(self) -> str:
        return f"FidelityCurve({len(self)} sizes, {self.n_rows} rows, knee at {self.knee} leaves)"
