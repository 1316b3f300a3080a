"""How well scores rank rows: AUC, average precision, and rank correlation."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score

from sightline.measure._estimate import UNDEFINED, Estimate
from sightline.measure._interval import Weights, n_effective, score_between_0_and_1, z_value
from sightline.wording import wilson_interval

Scores = NDArray[np.float64]
Mask = NDArray[np.bool_]

# One wrong pair among fewer than a million million costs more than this; rounding costs less.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class EqualRows:
    """Rows of one kind that all have the same placement, and so hide how much it varies.

    Attributes
    ----------
    placement : float
        The placement of each, which is the AUC.
    n : float
        How many equally weighted rows say as much.
    share : float
        The weight of this AUC in a mean of several.
    """

    placement: float
    n: float
    share: float = 1.0

    def reach(self, confidence: float) -> tuple[float, float]:
        """Return how far Wilson's interval for so many rows reaches below and above, times the share."""
        low, high = wilson_interval(self.placement, self.n, confidence)
        return self.share * (self.placement - low), self.share * (high - self.placement)


@dataclass(frozen=True, eq=False)
class Auc:
    """The area under the ROC curve, and what each row contributes to its error.

    Attributes
    ----------
    value : float
        Share of correctly ranked pairs of a row of the class and any other row; ties count half.
    deviations : ndarray of shape (n_rows,)
        DeLong's placement of each row [1]_, minus the AUC, divided by the number of rows of its kind. The
        sum of their squares is the variance. Deviations of measures on the same rows add up.
    n_smaller : float
        Number of rows of the class, or of other rows if they are fewer.
    equal_rows : tuple of EqualRows
        The kinds of rows whose deviations are all 0, although scores differ.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, "Comparing the areas under two or more
       correlated receiver operating characteristic curves", Biometrics 44, 1988.
    """

    value: float
    deviations: NDArray[np.float64]
    n_smaller: float
    equal_rows: tuple[EqualRows, ...] = ()

    @classmethod
    def of(cls, scores: Scores, is_class: Mask, weights: Weights = None) -> Auc | None:
        """Measure how well scores rank the rows of a class above the others; None without either.

        Examples
        --------
        >>> Auc.of(np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True])).value
        0.75
        """
        if is_class.all() or not is_class.any():
            return None
        weight = np.ones(len(scores)) if weights is None else weights
        _, level = np.unique(scores, return_inverse=True)
        inside = np.bincount(level, weight * is_class)
        outside = np.bincount(level, weight * ~is_class)
        n_inside, n_outside = inside.sum(), outside.sum()
        above_others = (np.cumsum(outside) - outside / 2) / n_outside
        below_class = (n_inside - np.cumsum(inside) + inside / 2) / n_inside
        value = _without_rounding(inside @ above_others / n_inside)
        placements = np.where(is_class, above_others[level], below_class[level])
        deviations = placements - value
        sizes, equal_rows = [], []
        for kind, total in ((is_class, n_inside), (~is_class, n_outside)):
            n = n_effective(None if weights is None else weights[kind], int(kind.sum()))
            sizes.append(n)
            # If all scores are equal, any other rows would give the same AUC, too.
            if len(inside) > 1 and np.ptp(placements[kind]) < _ROUNDING:
                equal_rows.append(EqualRows(value, n))
            # The placement of a single row is the AUC: its deviation is 0, whatever it is multiplied by.
            deviations[kind] *= weight[kind] / total * math.sqrt(n / (n - 1) if n > 1 else 0.0)
        return cls(value, deviations, min(sizes), tuple(equal_rows))

    def __add__(self, other: Auc) -> Auc:
        n_smaller = min(self.n_smaller, other.n_smaller)
        equal_rows = self.equal_rows + other.equal_rows
        return Auc(self.value + other.value, self.deviations + other.deviations, n_smaller, equal_rows)

    def __sub__(self, other: Auc) -> Auc:
        n_smaller = min(self.n_smaller, other.n_smaller)
        return Auc(self.value - other.value, self.deviations - other.deviations, n_smaller)

    def __truediv__(self, divisor: int) -> Auc:
        equal_rows = tuple(replace(one, share=one.share / divisor) for one in self.equal_rows)
        return Auc(self.value / divisor, self.deviations / divisor, self.n_smaller, equal_rows)

    def estimate(self, confidence: float) -> Estimate:
        """Return the AUC with its interval: DeLong's, on the scale of log odds.

        If every pair is ranked right, or every pair wrong, DeLong's variance is 0. Then the interval is
        Wilson's for as many rows as there are of the rarer kind. A single row of a kind says nothing about
        the variance, so the interval is 0 to 1. Several rows of a kind that all have the same placement, as
        in one leaf of a tree, say little: the interval is at least as wide as Wilson's for them.
        """
        n_rows = len(self.deviations)
        if self.n_smaller <= 1:
            return Estimate(self.value, 0.0, 1.0, n_rows, "score")
        if self.value in (0.0, 1.0):
            low, high = wilson_interval(self.value, self.n_smaller, confidence)
            return Estimate(self.value, low, high, n_rows, "score")
        found = score_between_0_and_1(self.value, self.error, z_value(confidence), n_rows)
        reaches = [one.reach(confidence) for one in self.equal_rows]
        below, above = (math.hypot(*ends) for ends in zip(*reaches, strict=True)) if reaches else (0.0, 0.0)
        low, high = min(found.low, self.value - below), max(found.high, self.value + above)
        return Estimate(self.value, low, high, n_rows, "score")

    @property
    def error(self) -> float:
        """DeLong's standard error."""
        return float(np.linalg.norm(self.deviations))

    def least_half(self, confidence: float) -> float:
        """Return how far Wilson's interval reaches from 1, for the rows of the rarer kind."""
        return 1.0 - wilson_interval(1.0, self.n_smaller, confidence)[0]


def average_precision(
    scores: Scores, is_class: Mask, confidence: float = 0.95, weights: Weights = None
) -> Estimate:
    """Return scikit-learn's average precision, with Wilson's interval for the rows of the class.

    Its variance is taken for that of a share of these rows, as by Boyd et al. [1]_. Their interval on the
    scale of log odds is much too wide near 1: from 0.002 for 0.9996 of 53 rows.

    References
    ----------
    .. [1] K. Boyd, K. H. Eng and C. D. Page, "Area under the precision-recall curve: point estimates and
       confidence intervals", ECML PKDD 2013.
    """
    if not is_class.any():
        return UNDEFINED
    value = _without_rounding(average_precision_score(is_class, scores, sample_weight=weights))
    n_class = n_effective(None if weights is None else weights[is_class], int(is_class.sum()))
    return Estimate(value, *wilson_interval(value, n_class, confidence), len(scores), "score")


def rank_correlation(
    first: Scores, second: Scores, confidence: float = 0.95, weights: Weights = None
) -> Estimate:
    """Return Spearman's rank correlation, with the interval of Bonett and Wright [1]_.

    References
    ----------
    .. [1] D. G. Bonett and T. A. Wright, "Sample size requirements for estimating Pearson, Kendall and
       Spearman correlations", Psychometrika 65, 2000.

    Examples
    --------
    >>> rank_correlation(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])).value
    0.8
    """
    one, other = _ranks(first, weights), _ranks(second, weights)
    spread = math.sqrt(_mean(one * one, weights) * _mean(other * other, weights))
    if not spread:
        return UNDEFINED
    value = float(np.clip(_mean(one * other, weights) / spread, -1.0, 1.0))
    n = n_effective(weights, len(first))
    if n <= 3 or abs(value) == 1:
        low, high = (value, value) if n > 3 else (-1.0, 1.0)
        return Estimate(value, low, high, len(first), "score")
    half = z_value(confidence) * math.sqrt((1 + value**2 / 2) / (n - 3))
    middle = math.atanh(value)
    return Estimate(value, math.tanh(middle - half), math.tanh(middle + half), len(first), "score")


def _without_rounding(value: float) -> float:
    """Return exactly 0 or 1 for a score that only rounding keeps from it: intervals of these are others."""
    nearest = float(round(value))
    return nearest if abs(value - nearest) < _ROUNDING else float(value)


def _ranks(scores: Scores, weights: Weights) -> Scores:
    """Return the weight below each score, ties halved, minus its mean."""
    _, level = np.unique(scores, return_inverse=True)
    weight = np.bincount(level, weights)
    ranks = (np.cumsum(weight) - weight / 2)[level]
    return np.asarray(ranks - _mean(ranks, weights))


def _mean(values: Scores, weights: Weights) -> float:
    return float(np.average(values, weights=weights))
