"""Ranks of learners over data sets, and which differences are significant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from sightline.exceptions import ParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Ranking", "rank_learners"]


@dataclass(frozen=True, eq=False)
class Ranking:
    """Average ranks of learners over data sets, with Friedman's and Nemenyi's tests.

    Attributes
    ----------
    names : tuple of str
        The learners.
    ranks : ndarray of shape (n_learners,)
        Average ranks; 1 is best, ties share a rank.
    n_sets : int
        Number of data sets.
    level : float
        Significance level of the critical difference.
    friedman : float
        Friedman's chi-square with n_learners - 1 degrees of freedom.
    friedman_p : float
        Its p-value.
    iman_davenport : float
        Iman and Davenport's F statistic, which is less conservative.
    iman_davenport_p : float
        Its p-value.
    """

    names: tuple[str, ...]
    ranks: NDArray[np.float64]
    n_sets: int
    level: float
    friedman: float
    friedman_p: float
    iman_davenport: float
    iman_davenport_p: float

    @property
    def critical_difference(self) -> float:
        """Nemenyi's critical difference: the smallest significant difference of average ranks."""
        k = len(self.names)
        return nemenyi_quantile(k, self.level) * float(np.sqrt(k * (k + 1) / (6 * self.n_sets)))

    def groups(self) -> list[tuple[str, ...]]:
        """Return the maximal groups of learners that do not differ significantly, best first."""
        order = np.argsort(self.ranks, kind="stable")
        groups: list[tuple[str, ...]] = []
        last = -1
        for start, first in enumerate(order):
            end = max(
                index
                for index in range(start, len(order))
                if self.ranks[order[index]] - self.ranks[first] <= self.critical_difference
            )
            if end > max(start, last):
                groups.append(tuple(self.names[learner] for learner in order[start : end + 1]))
                last = end
        return groups

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the critical-difference diagram.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib Axes
            The axes with the drawing.
        """
        from sightline.lab._critical_difference import draw  # noqa: PLC0415 - matplotlib is slow to import

        return draw(self, ax)


def nemenyi_quantile(n_learners: int, level: float) -> float:
    """Return Nemenyi's q: the studentized range divided by the square root of two.

    Examples
    --------
    >>> round(nemenyi_quantile(4, 0.05), 3)
    2.569
    """
    return float(stats.studentized_range.ppf(1 - level, n_learners, np.inf) / np.sqrt(2))


def rank_learners(
    results: Mapping[str, ArrayLike] | ArrayLike, names: Sequence[str] | None = None, level: float = 0.05
) -> Ranking:
    """Rank learners over data sets and test whether their ranks differ.

    Parameters
    ----------
    results : dict of name to array-like of shape (n_sets,), or array of shape (n_sets, n_learners)
        One number per learner and data set; higher is better.
    names : sequence of str, optional
        Names of the columns of an array.
    level : float, default=0.05
        Significance level.

    Returns
    -------
    Ranking
        Average ranks and tests.

    References
    ----------
    .. [1] J. Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", JMLR 7,
       2006.

    Examples
    --------
    >>> tree, forest, dice = [80, 70, 90, 60], [85, 75, 92, 66], [50, 50, 50, 50]
    >>> ranking = rank_learners({"tree": tree, "forest": forest, "dice": dice})
    >>> ranking.ranks.tolist()
    [2.0, 1.0, 3.0]
    >>> ranking.groups()
    [('forest', 'tree'), ('tree', 'dice')]
    """
    if isinstance(results, Mapping):
        names = tuple(results)
        table = np.column_stack([np.asarray(column, dtype=np.float64) for column in results.values()])
    else:
        table = np.asarray(results, dtype=np.float64)
    n_sets, k = table.shape
    names = tuple(names) if names is not None else tuple(str(learner) for learner in range(k))
    if k < 2 or n_sets < 2:
        raise ParameterError(
            f"A ranking needs at least two learners and two data sets. Got {k} and {n_sets}."
        )
    if len(names) != k:
        raise ParameterError(f"Got {len(names)} names for {k} learners.")
    if not np.isfinite(table).all():
        raise ParameterError("A ranking needs a finite number for every learner and data set.")
    if not 0 < level < 1:
        raise ParameterError(
            f"The 'level' parameter must be between 0 and 1, both excluded. Got {level!r} instead."
        )
    ranks = stats.rankdata(-table, axis=1).mean(axis=0)
    chi = 12 * n_sets / (k * (k + 1)) * float((ranks**2).sum() - k * (k + 1) ** 2 / 4)
    # If all data sets give the same ranks, the denominator is 0.
    rest = n_sets * (k - 1) - chi
    f = (n_sets - 1) * chi / rest if rest > 1e-9 else np.inf
    return Ranking(
        names,
        ranks,
        n_sets,
        level,
        chi,
        float(stats.chi2.sf(chi, k - 1)),
        float(f),
        float(stats.f.sf(f, k - 1, (k - 1) * (n_sets - 1))),
    )
