"""Calibration: whether 30 of 100 rows with a probability of 30% belong to the class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sightline.measure._interval import Weights
from sightline.measure._shares import shares_by_group
from sightline.wording import Share

N_BINS = 10


@dataclass(frozen=True)
class CalibrationBin:
    """Rows with similar probabilities of a class.

    Attributes
    ----------
    predicted : float
        Their mean probability.
    observed : Share
        Share of them that are of the class.
    """

    predicted: float
    observed: Share

    def to_json(self) -> dict[str, float | None]:
        """Return the numbers for other programs."""
        return {"predicted": self.predicted, **self.observed.to_json()}


def calibration_curve(
    probabilities: NDArray[np.float64],
    is_class: NDArray[np.bool_],
    confidence: float = 0.95,
    weights: Weights = None,
) -> tuple[CalibrationBin, ...]:
    """Return at most ten bins of about as many rows each; equal probabilities share a bin.

    Examples
    --------
    >>> curve = calibration_curve(np.array([0.2] * 10 + [0.9] * 10), np.arange(20) >= 9)
    >>> [(round(one.predicted, 3), one.observed.text) for one in curve]
    [(0.2, '10.0%'), (0.9, '100.0%')]
    """
    distinct, level, rows = np.unique(probabilities, return_inverse=True, return_counts=True)
    ends = _ends(rows) if len(distinct) > N_BINS else np.arange(1, len(distinct) + 1)
    bins, n_bins = np.searchsorted(ends, level, side="right"), len(ends)
    weight = np.ones(len(bins)) if weights is None else weights
    totals = np.bincount(bins, weight, minlength=n_bins)
    sums = np.bincount(bins, weight * probabilities, minlength=n_bins)
    observed = shares_by_group(bins, is_class, n_bins, confidence, weights)
    return tuple(CalibrationBin(float(sums[one] / totals[one]), observed[one]) for one in range(n_bins))


def _ends(rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return where each bin ends among the distinct probabilities.

    A bin ends when it has its share of the rows that are left: half of the rows may have one probability, and
    the others still get nine bins.
    """
    total = np.cumsum(rows)
    ends: list[int] = []
    done = 0
    for left in range(N_BINS, 0, -1):
        if done == total[-1]:
            break
        end = int(np.searchsorted(total, done + (total[-1] - done) / left)) + 1
        ends.append(end)
        done = int(total[end - 1])
    return np.array(ends, dtype=np.intp)
