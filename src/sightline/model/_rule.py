"""The parts of a rule set: rules, conditions, voting, and statistics on rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import ParameterError


@dataclass(frozen=True)
class Condition:
    """A condition of a rule on one feature.

    Attributes
    ----------
    feature : str
        Name of the feature.
    low, high : float
        Numbers must be above low and at most high.
    categories : tuple or None
        The values of a nominal feature that satisfy the condition; None if it is numeric.
    accepts_missing : bool
        Whether a missing value satisfies it.
    """

    feature: str
    low: float
    high: float
    categories: tuple[object, ...] | None
    accepts_missing: bool


@dataclass(frozen=True)
class Rule:
    """One rule, for reading.

    Attributes
    ----------
    conditions : tuple of Condition
        All of them must hold for a full match.
    label : object
        The class that the rule votes for, or against if its weight is negative; or the number that
        it predicts.
    weight : float
        Weight of a full match.
    trees : tuple of int
        The trees that contain it.
    coverage, precision : float
        Weight of the training rows that satisfy it, and the share of them with its class;
        NaN if unknown, or if it predicts a number.
    oob_coverage, oob_precision : float
        The same for rows that at least one of its trees was not trained on.
    error, oob_error : float
        For a rule that predicts a number: mean absolute distance of the rows' numbers from it.
    """

    conditions: tuple[Condition, ...]
    label: Any
    weight: float
    trees: tuple[int, ...]
    coverage: float
    precision: float = math.nan
    oob_coverage: float = math.nan
    oob_precision: float = math.nan
    error: float = math.nan
    oob_error: float = math.nan


@dataclass(frozen=True)
class Voting:
    """How the rules that match a row decide its class, or its number.

    A class has the votes ``base + full + wr * partial``: *full* adds the weights of the
    rules whose conditions all hold, *partial* those of the rules with some failing conditions,
    times the share that holds, if it is at least ``pc``. A missing value, or a category
    that the model does not know, fails every condition that does not accept missing
    values. A rule without conditions always holds. Most votes win; equal votes go to the class
    with the larger prior, then to the first.

    If all votes are zero, the partial matches of at least ``fallback`` decide; if there are
    none of these either, the prior decides.

    Rules that predict numbers are averaged: the same sums, once of weights times numbers and once
    of weights, are divided by each other. The prior is the number if no rule votes.

    Parameters
    ----------
    prior : tuple of float
        Share of each class among the training rows, or the mean of their numbers.
    base : tuple of float
        Votes before the first rule.
    pc : float, default=1.0
        Minimum share of satisfied conditions for a partial match to vote, in [0, 1].
    wr : float, default=0.0
        Factor of partial matches, in [0, 1].
    fallback : float or None, default=0.5
        Minimum share if nothing votes; with None the prior decides at once.
    """

    prior: tuple[float, ...]
    base: tuple[float, ...]
    pc: float = 1.0
    wr: float = 0.0
    fallback: float | None = 0.5

    def __post_init__(self) -> None:
        for name in ("pc", "wr", "fallback"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise ParameterError(
                    f"The {name!r} parameter of Voting must lie in [0, 1]. Got {value!r} instead."
                )

    @property
    def has_partial(self) -> bool:
        """Whether partial matches vote along with full ones."""
        return self.pc < 1 and self.wr > 0

    @property
    def native(self) -> tuple[float, float, float, list[float], list[float]]:
        """The numbers in the order in which kernels take them."""
        fallback = 1.0 if self.fallback is None else self.fallback
        return self.pc, self.wr, fallback, list(self.base), list(self.prior)


class PerRule:
    """Base class of dataclasses of arrays with one entry per rule, NaN if unknown."""

    @classmethod
    def unknown(cls, n_rules: int) -> Self:
        """Return the statistics of rules that were not measured."""
        return cls(*(np.full(n_rules, np.nan) for _ in fields(cls)))  # type: ignore[arg-type]

    def take(self, rules: NDArray[np.int64]) -> Self:
        """Return the statistics of some of the rules."""
        return type(self)(*(array[rules] for array in self.arrays))

    def columns(self) -> dict[str, NDArray[np.float64]]:
        """Return the arrays by name, in the order of the attributes."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    @property
    def arrays(self) -> tuple[NDArray[np.float64], ...]:
        """The arrays, in the order of the attributes."""
        return tuple(self.columns().values())


@dataclass(frozen=True)
class RuleStatistics(PerRule):
    """Statistics of each rule on training rows; arrays with one entry per rule, NaN if unknown.

    Attributes
    ----------
    coverage : ndarray of float64
        Weight of the rows that satisfy the rule.
    precision : ndarray of float64
        Share of them with the class of the rule.
    oob_coverage, oob_precision : ndarray of float64
        The same for rows that at least one of its trees was not trained on.
    """

    coverage: NDArray[np.float64]
    precision: NDArray[np.float64]
    oob_coverage: NDArray[np.float64]
    oob_precision: NDArray[np.float64]

    @staticmethod
    def coverage_and_precision(
        rules: _core.RuleSet, counts: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return both from the weight of the rows of each class that satisfy each rule."""
        coverage = counts.sum(axis=1)
        of_label = counts[np.arange(rules.n_rules), rules.label]
        # A rule of negative weight votes against its class.
        correct = np.where(rules.weight < 0, coverage - of_label, of_label)
        unknown = np.full(rules.n_rules, np.nan)
        return coverage, np.divide(correct, coverage, out=unknown, where=coverage > 0)


@dataclass(frozen=True)
class RuleErrors(PerRule):
    """How far the numbers of training rows are from those that the rules predict.

    Attributes
    ----------
    coverage : ndarray of float64
        Weight of the rows that satisfy the rule.
    error : ndarray of float64
        Mean absolute distance of their numbers from the rule's.
    oob_coverage, oob_error : ndarray of float64
        The same for rows that at least one of its trees was not trained on.
    """

    coverage: NDArray[np.float64]
    error: NDArray[np.float64]
    oob_coverage: NDArray[np.float64]
    oob_error: NDArray[np.float64]
