"""Paired differences: what a model loses against its ensemble on the same rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.measure._estimate import UNDEFINED, Estimate
from sightline.measure._interval import (
    Weights,
    mean_interval,
    mean_of_estimates,
    mean_within,
    n_effective,
    z_value,
)
from sightline.measure._ranking import Auc

Values = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class GradedRows:
    """Results of a classifier on every row.

    Attributes
    ----------
    truth : ndarray of shape (n_rows,)
        Indices of the true classes.
    right : ndarray of shape (n_rows,), bool
        Whether the label is the true class.
    area : Auc or None
        What each row contributes to the AUC; None without probabilities or without two kinds of rows.
    squared, surprise : ndarray of shape (n_rows,) or None
        Brier score and log loss of each row; None without probabilities.
    """

    truth: NDArray[np.intp]
    right: Mask
    area: Auc | None = None
    squared: Values | None = None
    surprise: Values | None = None


@dataclass(frozen=True, eq=False)
class Differences:
    """Measures of a model minus those of its ensemble.

    Both are measured on the same rows, so that whatever makes rows easy or hard for both cancels: the
    intervals are narrower than those of two separate measures suggest.

    Attributes
    ----------
    by_measure : dict of str to Estimate
        By the name of the measure, as in ``by_measure["accuracy"]``.
    recall : dict of label to Estimate
        Of the recall of each class.
    """

    by_measure: dict[str, Estimate]
    recall: dict[Any, Estimate] = field(default_factory=dict)

    @classmethod
    def of_classes(
        cls,
        ours: GradedRows,
        theirs: GradedRows,
        labels: list[Any],
        confidence: float = 0.95,
        weights: Weights = None,
    ) -> Differences:
        """Compare two classifiers; `labels` are the classes, by index."""
        recall: dict[Any, Estimate] = {}
        for code, label in enumerate(labels):
            own = ours.truth == code
            if own.any():
                own_weights = None if weights is None else weights[own]
                recall[label] = share_difference(ours.right[own], theirs.right[own], confidence, own_weights)
        found = {
            "accuracy": share_difference(ours.right, theirs.right, confidence, weights),
            "balanced accuracy": mean_of_estimates(list(recall.values()), len(ours.right), "points", -1.0),
        }
        if ours.area is not None and theirs.area is not None:
            found["AUC"] = area_difference(ours.area, theirs.area, confidence)
        rows = {"Brier score": (ours.squared, theirs.squared), "log loss": (ours.surprise, theirs.surprise)}
        for name, (own_losses, their_losses) in rows.items():
            if own_losses is not None and their_losses is not None:
                found[name] = mean_interval(own_losses - their_losses, "change", confidence, weights)
        return cls(found, recall)

    @classmethod
    def of_numbers(
        cls, truth: Values, ours: Values, theirs: Values, confidence: float = 0.95, weights: Weights = None
    ) -> Differences:
        """Compare two regressors.

        R² differs by the mean difference of the squared errors, in units of the variance of the true
        numbers. That variance counts as known.
        """
        errors = [np.asarray(one, dtype=np.float64) - truth for one in (ours, theirs)]
        gap = truth - mean_within(truth, weights)
        # Squares of very large numbers overflow, and those of very small ones vanish.
        scale = max(float(np.abs(one).max()) for one in (gap, *errors)) or 1.0
        variance = float(np.average((gap / scale) ** 2, weights=weights))
        squared = [(one / scale) ** 2 for one in errors]
        absolute = [np.abs(one / scale) for one in errors]
        mae = mean_interval(absolute[0] - absolute[1], "change", confidence, weights).scaled(scale)
        if len(gap) < 2 or not variance:
            return cls({"R²": UNDEFINED, "MAE": mae})
        r2 = mean_interval(squared[1] - squared[0], "change", confidence, weights).scaled(1 / variance)
        return cls({"R²": r2, "MAE": mae})

    def of_equal_labels(self) -> Differences:
        """Return the differences if labels are known to be equal on all rows: those of labels are 0."""
        measures = {
            name: _ZERO if name in ("accuracy", "balanced accuracy") else one
            for name, one in self.by_measure.items()
        }
        return Differences(measures, dict.fromkeys(self.recall, _ZERO))

    def lines(self) -> Iterator[tuple[str, Any, Estimate]]:
        """Yield the name of each measure, the class that it is about or None, and the difference."""
        yield from ((name, None, one) for name, one in self.by_measure.items())
        yield from (("recall", label, one) for label, one in self.recall.items())

    def to_json(self) -> dict[str, Any]:
        """Return the numbers for other programs, under the names of the measures themselves."""
        keys = {"balanced accuracy": "balanced_accuracy", "AUC": "auc", "Brier score": "brier"}
        keys |= {"log loss": "log_loss", "R²": "r2", "MAE": "mae"}
        document: dict[str, Any] = {
            keys.get(name, name): one.to_json() for name, one in self.by_measure.items()
        }
        if self.recall:
            document["recall"] = {str(label): one.to_json() for label, one in self.recall.items()}
        return document


_ZERO = Estimate(0.0, 0.0, 0.0, style="points")
"""A difference that is known, not estimated."""


def share_difference(ours: Mask, theirs: Mask, confidence: float = 0.95, weights: Weights = None) -> Estimate:
    """Return the difference of two shares of the same rows.

    As in McNemar's test, only the rows on which the two differ count. The interval is that of Bonett and
    Price [1]_, which adds one row of each kind: it is not empty if there are none.

    References
    ----------
    .. [1] D. G. Bonett and R. M. Price, "Adjusted Wald confidence interval for a difference of binomial
       proportions based on paired data", Journal of Educational and Behavioral Statistics 37, 2012.

    Examples
    --------
    >>> share_difference(np.arange(100) < 70, np.arange(100) < 80)
    -10.0 points (-16.2 to -3.4)
    """
    n = n_effective(weights, len(ours))
    gained, lost = (float(np.average(one, weights=weights)) for one in (ours & ~theirs, theirs & ~ours))
    more, less = ((n * share + 1) / (n + 2) for share in (gained, lost))
    half = z_value(confidence) * math.sqrt((more + less - (more - less) ** 2) / (n + 2))
    low, high = max(more - less - half, -1.0), min(more - less + half, 1.0)
    return Estimate(gained - lost, low, high, len(ours), "points")


def area_difference(ours: Auc, theirs: Auc, confidence: float = 0.95) -> Estimate:
    """Return the difference of two AUCs on the same rows, with DeLong's interval.

    If both rank all rows in the same way, DeLong's variance is 0. Then the interval is as wide as Wilson's
    for the rows of the rarer kind.
    """
    difference = ours - theirs
    n_rows = len(difference.deviations)
    if difference.n_smaller <= 1:
        return Estimate(difference.value, -1.0, 1.0, n_rows, "change")
    half = z_value(confidence) * difference.error or difference.least_half(confidence)
    value = difference.value
    return Estimate(value, max(value - half, -1.0), min(value + half, 1.0), n_rows, "change")
