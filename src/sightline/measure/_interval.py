"""Intervals: of means, of combined measures, and of scores between 0 and 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from sightline.measure._estimate import UNDEFINED, Estimate, Style
from sightline.wording import Share

Weights = NDArray[np.float64] | None


def z_value(confidence: float) -> float:
    """Return how many standard errors an interval reaches to either side.

    Examples
    --------
    >>> round(z_value(0.95), 3)
    1.96
    """
    return NormalDist().inv_cdf((1 + confidence) / 2)


def n_effective(weights: Weights, n_rows: int) -> float:
    """Return the effective number of rows: how many equally weighted rows say as much [1]_.

    References
    ----------
    .. [1] L. Kish, "Survey Sampling", 1965.
    """
    return n_rows if weights is None else float(weights.sum() ** 2 / (weights**2).sum())


def mean_within(values: NDArray[np.float64], weights: Weights = None) -> float:
    """Return the mean, which rounding must not move away from values that are all the same.

    Examples
    --------
    >>> values = np.full(6, 0.1)
    >>> float(np.average(values)), mean_within(values)
    (0.09999999999999999, 0.1)
    """
    return float(np.clip(np.average(values, weights=weights), values.min(), values.max()))


def standard_error(values: NDArray[np.float64], weights: Weights = None) -> float:
    """Return the standard error of a mean; infinite for a single row."""
    n = n_effective(weights, len(values))
    if n <= 1:
        return math.inf
    middle = np.average(values, weights=weights)
    variance = float(np.average((values - middle) ** 2, weights=weights)) * n / (n - 1)
    return math.sqrt(variance / n)


def mean_estimate(values: NDArray[np.float64], z: float, weights: Weights = None) -> Estimate:
    """Return the mean of values that are 0 or more, with its normal interval."""
    mean = float(np.average(values, weights=weights))
    half = z * standard_error(values, weights)
    return Estimate(mean, max(mean - half, 0.0), mean + half, len(values))


def mean_interval(
    values: NDArray[np.float64], style: Style, confidence: float = 0.95, weights: Weights = None
) -> Estimate:
    """Return the mean of any values over rows, with its normal interval.

    Examples
    --------
    >>> mean_interval(np.array([0.0, 0.0, 1.0, 0.0] * 25), "share")
    25.0% (16.5% to 33.5%)
    """
    mean = float(np.average(values, weights=weights))
    half = z_value(confidence) * standard_error(values, weights)
    return Estimate(mean, mean - half, mean + half, len(values), style)


def mean_of_estimates(
    parts: Sequence[Share | Estimate],
    n_rows: int,
    style: Style = "share",
    least: float = 0.0,
) -> Estimate:
    """Return the mean of measures on different rows, such as the recall of each class.

    Its interval is recovered from theirs [1]_: with Wilson's intervals of the parts it is not empty if
    all parts are 0 or 1, and it never goes below ``least`` or above 1. Parts that the rows do not define are
    left out.

    References
    ----------
    .. [1] G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures: a general
       approach", Statistics in Medicine 27, 2008.

    Examples
    --------
    >>> mean_of_estimates([Share(90, 100), Share(5, 10)], 110)
    70.0% (56.3% to 83.4%)
    """
    known = [part for part in parts if not math.isnan(part.value)]
    if not known:
        return UNDEFINED
    value = float(np.mean([part.value for part in known]))
    below = math.hypot(*(part.value - part.low for part in known)) / len(known)
    above = math.hypot(*(part.high - part.value for part in known)) / len(known)
    return Estimate(value, max(value - below, least), min(value + above, 1.0), n_rows, style)


def score_between_0_and_1(value: float, error: float, z: float, n_rows: int) -> Estimate:
    """Return a score with a normal interval on the scale of log odds, which never leaves 0 to 1."""
    if not 0 < value < 1:
        return Estimate(value, value, value, n_rows, "score")
    odds, half = math.log(value / (1 - value)), z * error / (value * (1 - value))
    low, high = (_from_log_odds(end) for end in (odds - half, odds + half))
    return Estimate(value, low, high, n_rows, "score")


def _from_log_odds(odds: float) -> float:
    return 1 / (1 + math.exp(-odds)) if odds > -700 else 0.0
