"""Shares of rows, group by group."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.measure._interval import Weights, n_effective
from sightline.wording import Share


def share_of(holds: NDArray[np.bool_], confidence: float = 0.95, weights: Weights = None) -> Share:
    """Return the share of rows for which something holds, weighted if the rows are."""
    if weights is None:
        return Share.of(holds, confidence)
    n_rows, value = len(holds), float(np.average(holds, weights=weights))
    return Share(value * n_rows, n_rows, confidence, n_effective(weights, n_rows), int(holds.sum()))


def shares_by_group(
    groups: NDArray[Any],
    holds: NDArray[np.bool_],
    n_groups: int,
    confidence: float = 0.95,
    weights: Weights = None,
) -> list[Share]:
    """Return per group the share of its rows for which something holds.

    Parameters
    ----------
    groups : ndarray of shape (n_rows,)
        Group of each row, from 0.
    holds : ndarray of shape (n_rows,), bool
        Whether it holds.
    n_groups : int
        Number of groups; one without rows has a share of 0 rows.
    confidence : float, default=0.95
        Confidence of the intervals.
    weights : ndarray of shape (n_rows,), optional
        Weight of each row.
    """
    rows = np.bincount(groups, minlength=n_groups).tolist()
    counts = np.bincount(groups[holds], minlength=n_groups).tolist()
    if weights is None:
        return [Share(count, n, confidence) for count, n in zip(counts, rows, strict=True)]
    total = np.bincount(groups, weights, minlength=n_groups)
    held = np.bincount(groups, weights * holds, minlength=n_groups)
    squared = np.bincount(groups, weights**2, minlength=n_groups)
    return [
        Share(
            n * float(held[one] / total[one]),
            n,
            confidence,
            float(total[one] ** 2 / squared[one]),
            counts[one],
        )
        if n
        else Share(0, 0, confidence)
        for one, n in enumerate(rows)
    ]
