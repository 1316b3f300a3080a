"""The choice of how partial matches vote: the least errors over a grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.model import RuleSet, n_threads
from sightline.table import Table

SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""The values of pc that the paper tries."""

FACTORS = tuple(step / 20 for step in range(1, 21))
"""The values of wr that the paper tries."""

_NEIGHBOURS = 2
"""On each side of a wr, whose errors are averaged with its own: one alone may be luck."""


@dataclass(frozen=True)
class VotingChoice:
    """Errors of each way of voting, and the way that was chosen.

    Attributes
    ----------
    pc, wr : float
        The choice.
    shares, factors : tuple of float
        The values of pc and wr that were tried.
    errors : ndarray of shape (n_shares, n_factors)
        Share of wrong rows for each pair.
    weight : float
        Weight of the rows that were judged.
    """

    pc: float
    wr: float
    shares: tuple[float, ...]
    factors: tuple[float, ...]
    errors: NDArray[np.float64]
    weight: float

    @property
    def error(self) -> float:
        """Share of wrong rows at the chosen pair."""
        return float(self.errors[self.shares.index(self.pc), self.factors.index(self.wr)])


def voting_errors(
    rules: RuleSet,
    table: Table,
    labels: NDArray[np.int32],
    weights: NDArray[np.float64] | None,
    shares: tuple[float, ...],
    factors: tuple[float, ...],
    unseen: NDArray[np.uint8] | None = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Return the weight of the wrongly labelled rows for each pair of pc and wr.

    The rules are matched once; each pair then costs one sum and one comparison per row.

    Parameters
    ----------
    rules : RuleSet
        The rules; pc and wr of their voting do not matter.
    table : Table
        The rows, in the columns of the rules.
    labels : ndarray of shape (n_rows,)
        Places of the labels among the classes; -1 leaves a row out.
    weights : ndarray of shape (n_rows,) or None
        Weights of the rows.
    shares, factors : tuple of float
        Values of pc, ascending, and of wr.
    unseen : ndarray of shape (n_trees, n_rows), optional
        If given, a rule judges only rows that one of its source trees has not seen.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ndarray of shape (n_shares, n_factors)
        Weights of wrong rows.
    """
    voting, threads = rules.voting, n_threads(n_jobs)
    fallback = voting.fallback
    levels = sorted({*shares, *(() if fallback is None else (fallback,))})
    full, partial = rules.core.count_votes(table.native(), levels, unseen, threads)
    return _core.grid_errors(
        full,
        partial,
        [levels.index(share) for share in shares],
        list(factors),
        None if fallback is None else levels.index(fallback),
        list(voting.base),
        list(voting.prior),
        labels,
        weights,
        threads,
    )


def choose_voting(
    errors: NDArray[np.float64], weight: float, shares: tuple[float, ...], factors: tuple[float, ...]
) -> VotingChoice:
    """Choose the pair with the least error, each averaged with those of neighbouring wr.

    Equal errors go to the larger pc, then to the smaller wr.

    Parameters
    ----------
    errors : ndarray of shape (n_shares, n_factors)
        Weight of the wrong rows.
    weight : float
        Weight of all rows that were judged.
    shares, factors : tuple of float
        Values of pc and wr, ascending.

    Returns
    -------
    VotingChoice
        The choice and what it was made by.

    Examples
    --------
    >>> errors = np.array([[5.0, 1.0, 9.0], [4.0, 4.0, 4.0]])
    >>> choice = choose_voting(errors, 10.0, (0.5, 1.0), (0.1, 0.2, 0.3))
    >>> choice.pc, choice.wr, choice.error
    (1.0, 0.1, 0.4)
    """
    n = len(factors)
    smooth = np.column_stack(
        [errors[:, max(0, i - _NEIGHBOURS) : i + _NEIGHBOURS + 1].mean(axis=1) for i in range(n)]
    )
    is_least = smooth <= smooth.min() + 1e-9 * max(weight, 1.0)
    share, factor = max(np.argwhere(is_least).tolist(), key=lambda pair: (pair[0], -pair[1]))
    rates = errors / weight if weight > 0 else np.zeros_like(errors)
    return VotingChoice(shares[share], factors[factor], shares, factors, rates, weight)
