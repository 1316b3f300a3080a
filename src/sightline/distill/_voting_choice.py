"""How partial matches of rules vote: the pair of pc and wr with the smallest error on a grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.model import RuleSet, n_threads
from sightline.table import Table, center_and_scale

Ties = Literal["full", "smallest"]

SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""The values of pc that the paper tries."""

FACTORS = tuple(step / 20 for step in range(1, 21))
"""The values of wr that the paper tries."""

_SMOOTHING = 2
"""The error at a wr is averaged with this many neighbors on either side, because one may be luck."""


@dataclass(frozen=True)
class VotingChoice:
    """The chosen pc and wr, and the errors of all that were tried.

    Attributes
    ----------
    pc, wr : float
        The choice.
    shares, factors : tuple of float
        The values of pc and wr that were tried.
    errors : ndarray of shape (n_shares, n_factors)
        Error rate of each pair; of numbers, 1 - R².
    weight : float
        Total weight of the rows that the errors were measured on.
    """

    pc: float
    wr: float
    shares: tuple[float, ...]
    factors: tuple[float, ...]
    errors: NDArray[np.float64]
    weight: float

    @property
    def index(self) -> tuple[int, int]:
        """Index of the chosen pair in ``errors``."""
        return self.shares.index(self.pc), self.factors.index(self.wr)

    @property
    def error(self) -> float:
        """Error of the chosen pair."""
        return float(self.errors[self.index])


def voting_errors(
    rules: RuleSet,
    table: Table,
    target: NDArray[Any],
    weights: NDArray[np.float64] | None,
    shares: tuple[float, ...],
    factors: tuple[float, ...],
    out_of_bag: NDArray[np.uint8] | None = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Return the weight of the misclassified rows, or the squared error, of each pair of pc and wr.

    The rules are matched once. Each pair then costs one sum and one comparison per row.

    Parameters
    ----------
    rules : RuleSet
        The rules; the pc and wr of their voting are ignored.
    table : Table
        Rows, in the columns of the rules.
    target : ndarray of shape (n_rows,)
        Class codes of the rows, or numbers; rows of code -1 and of NaN are skipped.
    weights : ndarray of shape (n_rows,) or None
        Weights of the rows.
    shares, factors : tuple of float
        Values of pc, ascending, and of wr.
    out_of_bag : ndarray of shape (n_trees, n_rows), optional
        If given, a rule votes only on the out-of-bag rows of its source trees.
    n_jobs : int, optional
        Number of threads, as in joblib.

    Returns
    -------
    ndarray of shape (n_shares, n_factors)
        Weight of the misclassified rows, or the squared distances of numbers in units of their variance.
    """
    voting, threads = rules.voting, n_threads(n_jobs)
    fallback = voting.fallback
    if rules.classes_ is None:
        return _squared_errors(rules, table, target, weights, shares, factors, out_of_bag, n_jobs)
    levels = sorted({*shares, *(() if fallback is None else (fallback,))})
    full, partial = rules.core.count_votes(table.native(), levels, out_of_bag, threads)
    return _core.grid_errors(
        full,
        partial,
        [levels.index(share) for share in shares],
        list(factors),
        None if fallback is None else levels.index(fallback),
        list(voting.base),
        list(voting.prior),
        target.astype(np.int32, copy=False),
        weights,
        threads,
    )


def _squared_errors(
    rules: RuleSet,
    table: Table,
    numbers: NDArray[Any],
    weights: NDArray[np.float64] | None,
    shares: tuple[float, ...],
    factors: tuple[float, ...],
    out_of_bag: NDArray[np.uint8] | None,
    n_jobs: int | None,
) -> NDArray[np.float64]:
    judged = is_judged(numbers)
    if not judged.any():
        return np.zeros((len(shares), len(factors)))
    counted = (np.ones(len(numbers)) if weights is None else weights)[judged]
    # In units of the deviation, so that ties are found whatever the unit of the numbers is.
    _, unit = center_and_scale(numbers[judged], counted)
    sums = rules.sums(table, shares, out_of_bag, n_jobs)

    def error(pc: float, wr: float) -> float:
        means = sums.means(rules.voting, pc, wr)
        return float(counted @ ((means - numbers)[judged] / unit) ** 2)

    return np.array([[error(pc, wr) for wr in factors] for pc in shares])


def choose_voting(
    errors: NDArray[np.float64],
    weight: float,
    shares: tuple[float, ...],
    factors: tuple[float, ...],
    ties: Ties = "full",
) -> VotingChoice:
    """Choose the pair with the smallest error, averaged over neighboring values of wr.

    Parameters
    ----------
    errors : ndarray of shape (n_shares, n_factors)
        Weight of the misclassified rows.
    weight : float
        Total weight of the rows.
    shares, factors : tuple of float
        Values of pc and wr, ascending.
    ties : {"full", "smallest"}, default="full"
        Which of equal errors wins, see :func:`best_voting`. With "smallest", errors are not averaged.

    Returns
    -------
    VotingChoice
        The choice and the errors.

    Examples
    --------
    >>> errors = np.array([[5.0, 1.0, 9.0], [4.0, 4.0, 4.0]])
    >>> choice = choose_voting(errors, 10.0, (0.5, 1.0), (0.1, 0.2, 0.3))
    >>> choice.pc, choice.wr, choice.error
    (1.0, 0.1, 0.4)
    """
    reach = 0 if ties == "smallest" else _SMOOTHING
    smooth = np.column_stack(
        [errors[:, max(0, i - reach) : i + reach + 1].mean(axis=1) for i in range(len(factors))]
    )
    share, factor = best_voting(smooth, tolerance=1e-9 * max(weight, 1.0), ties=ties)
    rates = errors / weight if weight > 0 else np.zeros_like(errors)
    return VotingChoice(shares[share], factors[factor], shares, factors, rates, weight)


def best_voting(errors: NDArray[np.float64], tolerance: float = 0.0, ties: Ties = "full") -> tuple[int, int]:
    """Return the index of the smallest error.

    Parameters
    ----------
    errors : ndarray of shape (n_shares, n_factors)
        Errors for values of pc and wr, both ascending.
    tolerance : float, default=0.0
        Errors that differ by no more count as equal.
    ties : {"full", "smallest"}, default="full"
        Equal errors go to the larger pc, so that full matches decide, or to the smaller one; then to the
        smaller wr.

    Returns
    -------
    tuple of (int, int)
        Indices of the pc and the wr.

    Examples
    --------
    >>> best_voting(np.array([[1.0, 2.0], [1.0, 1.0]]))
    (1, 0)
    >>> best_voting(np.array([[1.0, 2.0], [1.0, 1.0]]), ties="smallest")
    (0, 0)
    """
    shares, factors = np.nonzero(errors <= errors.min() + tolerance)
    pairs = list(zip(shares.tolist(), factors.tolist(), strict=True))
    return min(pairs) if ties == "smallest" else max(pairs, key=lambda pair: (pair[0], -pair[1]))


def choose_on_training_rows(
    rules: RuleSet,
    table: Table,
    target: NDArray[Any],
    weights: NDArray[np.float64] | None,
    shares: tuple[float, ...],
    factors: tuple[float, ...],
    out_of_bag: NDArray[np.uint8] | None = None,
    n_jobs: int | None = None,
    ties: Ties = "full",
) -> VotingChoice:
    """Choose pc and wr by the error on the training rows, or on out-of-bag rows if they are given.

    The parameters are those of :func:`voting_errors` and :func:`choose_voting`.
    """
    if out_of_bag is not None:
        skipped = np.nan if target.dtype.kind == "f" else -1
        target = np.where(out_of_bag.any(axis=0), target, skipped).astype(target.dtype)
    errors = voting_errors(rules, table, target, weights, shares, factors, out_of_bag, n_jobs)
    return choose_voting(errors, total_weight(is_judged(target), weights), shares, factors, ties)


def is_judged(target: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which rows count: those with a class, or with a number."""
    return ~np.isnan(target) if target.dtype.kind == "f" else target >= 0


def total_weight(mask: NDArray[np.bool_], weights: NDArray[np.float64] | None) -> float:
    """Return the weight of the rows in a mask; None means weight 1 each."""
    return float(mask.sum() if weights is None else weights[mask].sum())
