"""Fidelity and accuracy of summaries of several sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, r2_score

from sightline.model._black_box import BlackBox
from sightline.model._ensemble import Ensemble
from sightline.model._readable import Shown
from sightline.table import rare_classes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Measure = Literal["share", "balanced share", "R²"]
Weights = NDArray[np.float64] | None


@dataclass(frozen=True, eq=False, repr=False)
class FidelityCurve(Shown):
    """Fidelity and accuracy by number of leaves or rules, on one set of rows.

    Parameters
    ----------
    sizes : ndarray of shape (n_sizes,)
        How large the summaries are, ascending.
    fidelity : ndarray of shape (n_sizes,)
        Share of the rows to which each summary gives the ensemble's label.
    accuracy : ndarray of shape (n_sizes,) or None
        Share of the rows whose own label each summary gives, if labels were given.
    ensemble_accuracy : float or None
        The same for the ensemble.
    n_rows : int
        Number of rows. The measures are unbiased only if the summaries
        have not seen these rows.
    unit : str, default="leaves"
        What the sizes count.
    measure : {"share", "balanced share", "R²"}, default="share"
        What fidelity and accuracy measure: shares of rows; for imbalanced classes, the mean of the shares per
        label of the ensemble, or per own label; for numbers, R² to the ensemble's numbers and to the rows'
        own.
    error : float, optional
        Standard error of the best fidelity; by default that of a share of rows.

    Examples
    --------
    >>> curve = FidelityCurve(np.array([2, 4, 8]), np.array([0.8, 0.95, 0.96]), None, None, 200)
    >>> curve.knee
    4
    >>> print(curve.to_text(), end="")
    Fidelity on 200 rows
    leaves  fidelity
         2    80.0%
         4    95.0%  <- suggested
         8    96.0%
    """

    sizes: NDArray[np.int64]
    fidelity: NDArray[np.float64]
    accuracy: NDArray[np.float64] | None
    ensemble_accuracy: float | None
    n_rows: int
    unit: str = "leaves"
    measure: Measure = "share"
    error: float | None = None

    @classmethod
    def of(
        cls,
        summaries: Mapping[int, Any],
        ensemble: Ensemble | BlackBox,
        rows: Any,
        labels: NDArray[Any] | None,
        unit: str = "leaves",
    ) -> FidelityCurve:
        """Measure summaries against the ensemble and, if known, the labels of rows.

        Parameters
        ----------
        summaries : mapping of int to Tree or RuleSet
            The summaries by their size.
        ensemble : Ensemble or BlackBox
            The ensemble that they summarize.
        rows : Table, frame or array of shape (n_rows, n_features)
            The rows.
        labels : ndarray of shape (n_rows,) or None
            Their labels.
        unit : str, default="leaves"
            What the sizes count.

        Returns
        -------
        FidelityCurve
            One entry per summary, by size.
        """
        predicted = {size: summary.predict(rows) for size, summary in summaries.items()}
        measure: Measure = "R²" if ensemble.classes_ is None else "share"
        return cls.from_labels(predicted, ensemble.predict(rows), labels, unit, measure)

    @classmethod
    def from_labels(
        cls,
        predicted: Mapping[int, NDArray[Any]],
        ensemble_labels: NDArray[Any],
        labels: NDArray[Any] | None,
        unit: str = "leaves",
        measure: Measure = "share",
        weights: NDArray[np.float64] | None = None,
    ) -> FidelityCurve:
        """Measure summaries whose labels, or numbers, for the rows are known.

        Parameters
        ----------
        predicted : mapping of int to ndarray of shape (n_rows,)
            What the summaries predict, by their size.
        ensemble_labels : ndarray of shape (n_rows,)
            What the ensemble predicts.
        labels : ndarray of shape (n_rows,) or None
            The labels of the rows.
        unit : str, default="leaves"
            What the sizes count.
        measure : {"share", "balanced share", "R²"}, default="share"
            What to measure. Shares are balanced if the rows' labels (without them, the ensemble's) are
            imbalanced.
        weights : ndarray of shape (n_rows,), optional
            Weight of each row.

        Returns
        -------
        FidelityCurve
            One entry per summary, by size.
        """
        if weights is not None and not weights.all():
            # A row of weight 0 must not change anything, so it is dropped.
            chosen = weights > 0
            predicted = {size: one[chosen] for size, one in predicted.items()}
            ensemble_labels, weights = ensemble_labels[chosen], weights[chosen]
            labels = None if labels is None else labels[chosen]
        if measure == "share" and _is_imbalanced(ensemble_labels if labels is None else labels, weights):
            measure = "balanced share"
        sizes = sorted(predicted)

        def agreement(truth: NDArray[Any], other: NDArray[Any]) -> float:
            return float(_AGREEMENT[measure](truth, other, sample_weight=weights))

        fidelity = np.array([agreement(ensemble_labels, predicted[size]) for size in sizes])
        best, error = int(fidelity.argmax()), None
        if measure == "balanced share":
            error = _balanced_error(ensemble_labels, predicted[sizes[best]], weights)
        elif weights is not None and measure == "share":
            n_effective = weights.sum() ** 2 / (weights**2).sum()
            error = float(np.sqrt(fidelity[best] * (1 - fidelity[best]) / n_effective))
        return cls(
            np.array(sizes),
            fidelity,
            None if labels is None else np.array([agreement(labels, predicted[size]) for size in sizes]),
            None if labels is None else agreement(labels, ensemble_labels),
            len(ensemble_labels),
            unit,
            measure,
            error,
        )

    @property
    def knee(self) -> int:
        """Suggested size: the least within one standard error of the best fidelity, of R² within 0.01."""
        best = float(self.fidelity.max())
        error = 0.01 if self.measure == "R²" else self.error
        if error is None:
            error = np.sqrt(best * (1 - best) / self.n_rows)
        return int(self.sizes[(self.fidelity >= best - error).argmax()])

    def to_text(self) -> str:
        """Write the curve as a table, the suggested size marked.

        Returns
        -------
        str
            The text, ending with a newline.
        """
        text: str = self._display().text()
        return text

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw fidelity and accuracy by size with matplotlib.

        Parameters
        ----------
        %(ax)s

        %(returns_axes)s
        """
        axes: Axes = self._display().plot(ax)
        return axes

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        return f"FidelityCurve({len(self)} sizes, {self.n_rows} rows, knee at {self.knee} {self.unit})"


def _shares_by_label(
    truth: NDArray[Any], predicted: NDArray[Any], weights: Weights
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return per label of the truth the share of its rows that get it, and its effective number of rows."""
    _, codes = np.unique(truth, return_inverse=True)
    weight = np.ones(len(codes)) if weights is None else weights
    total = np.bincount(codes, weight)
    return np.bincount(codes, weight * (truth == predicted)) / total, total**2 / np.bincount(codes, weight**2)


def _balanced_share(truth: NDArray[Any], predicted: NDArray[Any], sample_weight: Weights) -> float:
    return float(_shares_by_label(truth, predicted, sample_weight)[0].mean())


def _balanced_error(truth: NDArray[Any], predicted: NDArray[Any], weights: Weights) -> float:
    shares, rows = _shares_by_label(truth, predicted, weights)
    return float(np.sqrt((shares * (1 - shares) / rows).sum()) / len(shares))


def _is_imbalanced(labels: NDArray[Any], weights: Weights) -> bool:
    return bool(rare_classes(np.bincount(np.unique(labels, return_inverse=True)[1], weights)).any())


_AGREEMENT = {"share": accuracy_score, "balanced share": _balanced_share, "R²": r2_score}
