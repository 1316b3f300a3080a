"""Significance tests for differences between two columns of results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from sightline.exceptions import ParameterError

__all__ = [
    "PairedComparison",
    "WinDrawLoss",
    "corrected_resampled_t_test",
    "paired_t_test",
    "wilcoxon_test",
    "win_draw_loss",
]


@dataclass(frozen=True)
class PairedComparison:
    """The result of a test on two columns of paired results.

    Attributes
    ----------
    test : str
        Name of the test.
    n_pairs : int
        Number of pairs.
    difference : float
        Mean of the second minus mean of the first.
    statistic : float
        t, or the smaller sum of ranks; infinite if all differences are equal.
    p_value : float
        Two-tailed p-value; 1 if nothing differs.
    effect_size : float
        Size of the difference, independent of the number of pairs: the mean difference in units
        of its standard deviation (Cohen's d for pairs), or for Wilcoxon's test the rank-biserial
        correlation, from -1 to 1.

    Examples
    --------
    >>> paired_t_test([1.0, 2.0, 3.0], [2.0, 4.0, 3.0]).verdict(level=0.05)
    'draw'
    """

    test: str
    n_pairs: int
    difference: float
    statistic: float
    p_value: float
    effect_size: float

    def verdict(self, level: float = 0.05) -> str:
        """Return "win", "draw" or "loss": whether the second column is significantly better or worse."""
        if not 0 < level < 1:
            raise ParameterError(
                f"The 'level' parameter must be between 0 and 1, both excluded. Got {level!r} instead."
            )
        if self.p_value >= level:
            return "draw"
        return "win" if self.difference > 0 else "loss"


def paired_t_test(first: ArrayLike, second: ArrayLike) -> PairedComparison:
    """Compare paired results with Student's paired t-test.

    Over the folds of a cross-validation it finds too many differences, because training sets
    overlap; see :func:`corrected_resampled_t_test`.

    Parameters
    ----------
    first, second : array-like of shape (n_pairs,)
        Results on the same folds or data sets.

    Returns
    -------
    PairedComparison
        Two-tailed, with n - 1 degrees of freedom.

    Examples
    --------
    >>> paired_t_test([1.0, 2.0], [1.0, 2.0]).p_value
    1.0
    """
    return _t_test("paired t-test", _differences(first, second), 0.0)


def corrected_resampled_t_test(first: ArrayLike, second: ArrayLike, test_share: float) -> PairedComparison:
    """Compare results of resampling, corrected for shared training rows (Nadeau and Bengio).

    The variance of the mean difference is estimated as (1/n + n_test / n_train) times the
    variance of the differences, instead of 1/n times.

    Parameters
    ----------
    first, second : array-like of shape (n_pairs,)
        Results on the same splits, all repeats together.
    test_share : float
        Test rows over training rows: 1/9 in ten-fold cross-validation.

    Returns
    -------
    PairedComparison
        Two-tailed, with n - 1 degrees of freedom.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio, "Inference for the Generalization Error", Machine Learning
       52, 2003.

    Examples
    --------
    >>> first, second = [70.0, 71.0, 69.0, 72.0], [72.0, 72.0, 72.0, 73.0]
    >>> plain = paired_t_test(first, second)
    >>> corrected = corrected_resampled_t_test(first, second, test_share=1 / 3)
    >>> plain.p_value < 0.05 < corrected.p_value
    True
    """
    if not (np.isfinite(test_share) and test_share > 0):
        raise ParameterError(
            "The 'test_share' parameter of corrected_resampled_t_test must be positive: test rows over "
            f"training rows. Got {test_share!r} instead."
        )
    return _t_test("corrected resampled t-test", _differences(first, second), test_share)


def wilcoxon_test(first: ArrayLike, second: ArrayLike) -> PairedComparison:
    """Compare paired results with Wilcoxon's signed-rank test.

    Pairs without a difference count half for each side, as Demšar recommends. If their number is
    odd, one is left out.

    Parameters
    ----------
    first, second : array-like of shape (n_pairs,)
        Results on the same data sets.

    Returns
    -------
    PairedComparison
        Two-tailed. Exact up to 25 pairs if all differences have different sizes; otherwise the
        normal approximation.

    References
    ----------
    .. [1] J. Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", JMLR 7,
       2006.

    Examples
    --------
    >>> wilcoxon_test([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]).p_value
    0.03125
    """
    difference = _differences(first, second)
    ranks = stats.rankdata(np.abs(difference))
    is_zero = difference == 0
    if is_zero.all():
        return PairedComparison("Wilcoxon signed ranks", len(difference), 0.0, 0.0, 1.0, 0.0)
    if is_zero.sum() % 2:
        # Demšar: one of an odd number of ties is ignored.
        keep = np.delete(np.arange(len(difference)), np.flatnonzero(is_zero)[0])
        ranks, is_zero = stats.rankdata(np.abs(difference[keep])), is_zero[keep]
        ranked = difference[keep]
    else:
        ranked = difference
    halves = ranks[is_zero].sum() / 2
    for_second, for_first = ranks[ranked > 0].sum() + halves, ranks[ranked < 0].sum() + halves
    statistic = float(min(for_second, for_first))
    is_exact = len(ranked) <= 25 and len(np.unique(np.abs(ranked))) == len(ranked) and not is_zero.any()
    p_value = (_exact_signed_rank_p if is_exact else _normal_signed_rank_p)(statistic, len(ranked))
    return PairedComparison(
        "Wilcoxon signed ranks",
        len(difference),
        float(difference.mean()),
        statistic,
        p_value,
        float((for_second - for_first) / ranks.sum()),
    )


@dataclass(frozen=True)
class WinDrawLoss:
    """How often the second of two learners is significantly better, no different, or worse.

    Examples
    --------
    >>> str(WinDrawLoss(5, 26, 3))
    '5/26/3'
    """

    win: int
    draw: int
    loss: int

    def __str__(self) -> str:
        return f"{self.win}/{self.draw}/{self.loss}"


def win_draw_loss(
    pairs: list[tuple[NDArray[np.float64], NDArray[np.float64]]],
    test: Callable[[NDArray[np.float64], NDArray[np.float64]], PairedComparison],
    level: float = 0.05,
) -> WinDrawLoss:
    """Count the data sets on which the second learner wins, draws and loses.

    Parameters
    ----------
    pairs : list of (ndarray, ndarray)
        Per data set, results of the first and the second learner on the same folds; higher is
        better.
    test : callable
        The test, for instance :func:`paired_t_test`.
    level : float, default=0.05
        Significance level.

    Returns
    -------
    WinDrawLoss
        Three counts that sum to the number of data sets.

    Examples
    --------
    >>> low, high = np.array([1.0, 2.0, 1.5]), np.array([3.0, 4.1, 3.4])
    >>> str(win_draw_loss([(low, high), (low, low), (low, high)], paired_t_test))
    '2/1/0'
    """
    verdicts = [test(first, second).verdict(level) for first, second in pairs]
    return WinDrawLoss(verdicts.count("win"), verdicts.count("draw"), verdicts.count("loss"))


def _differences(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.shape != other.shape or one.ndim != 1:
        raise ParameterError(
            f"Paired results must be two columns of equal length. Got shapes {one.shape} and {other.shape}."
        )
    if len(one) < 2:
        raise ParameterError(f"Paired results need at least two pairs. Got {len(one)}.")
    difference = other - one
    if not np.isfinite(difference).all():
        raise ParameterError("Paired results must be finite numbers. Leave out pairs that were not measured.")
    return difference


def _t_test(name: str, difference: NDArray[np.float64], correction: float) -> PairedComparison:
    n, mean = len(difference), float(difference.mean())
    if np.ptp(difference) == 0:
        # Without variance the test is undefined: equal columns are equal, others differ.
        is_equal = difference[0] == 0
        extreme = 0.0 if is_equal else float(np.copysign(np.inf, mean))
        return PairedComparison(name, n, mean, extreme, 1.0 if is_equal else 0.0, extreme)
    deviation = float(difference.std(ddof=1))
    t = mean / (deviation * np.sqrt(1 / n + correction))
    return PairedComparison(name, n, mean, float(t), float(2 * stats.t.sf(abs(t), n - 1)), mean / deviation)


def _exact_signed_rank_p(statistic: float, n: int) -> float:
    # The number of the 2^n sign patterns that give each sum of positive ranks.
    patterns = np.zeros(n * (n + 1) // 2 + 1)
    patterns[0] = 1
    for rank in range(1, n + 1):
        patterns[rank:] += patterns[:-rank].copy()
    return min(1.0, 2 * float(patterns[: int(statistic) + 1].sum() / 2.0**n))


def _normal_signed_rank_p(statistic: float, n: int) -> float:
    z = (statistic - n * (n + 1) / 4) / np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return min(1.0, 2 * float(stats.norm.sf(abs(z))))
