"""Columns that an ONNX graph or a PMML document computes, each from one column of the caller.

A column is either a number, computed by steps of which each is monotone, or a code that was looked
up for a category. Both can say which values of the caller's column pass a test.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.load._thresholds import double_at_most, double_below, float32_at_most, float32_below
from sightline.load.pipeline import LAST_RANK, double_of

LARGEST_DOUBLE = float(np.finfo(np.float64).max)
Step = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""One operation on numbers. The result is a double that holds a number of the operation's type."""


@dataclass(frozen=True)
class NumberColumn:
    """A number computed from one numeric column.

    Parameters
    ----------
    source : int
        The caller's column.
    is_single : bool
        Whether the caller's number is rounded to single precision first.
    steps : tuple of Step, default=()
        What is done to it, in this order.
    sign : {1, -1}, default=1
        Whether the result grows or shrinks with the number.
    """

    source: int
    is_single: bool
    steps: tuple[Step, ...] = ()
    sign: int = 1

    def then(self, step: Step, sign: int = 1) -> NumberColumn:
        """Return the column after one more step."""
        return replace(self, steps=(*self.steps, step), sign=self.sign * sign)

    def __call__(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Compute the column."""
        with np.errstate(all="ignore"):
            result = as_single(numbers) if self.is_single else numbers
            for step in self.steps:
                result = step(result)
        return result

    def highest(self, values: NDArray[np.float64], strict: bool) -> NDArray[np.float64]:
        """Return the largest number of the caller on the low side of each value.

        The low side is ``f(x) <= value`` (or ``<`` if strict) for a growing column, and
        ``f(x) > value`` (or ``>=``) for a shrinking one; minus infinity where it is empty.
        """
        if not self.steps:
            if self.is_single:
                return float32_below(values) if strict else float32_at_most(values)
            return double_below(values) if strict else double_at_most(values)
        distinct, where = np.unique(values, return_inverse=True)
        found = largest_double(lambda numbers: self._is_low(numbers, distinct, strict), len(distinct))
        return found[where]

    def split(
        self, values: NDArray[np.float64], strict: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return thresholds for ``f(x) <= value`` (or ``<``), and where this is true above them.

        Thresholds are finite: where no number is on the low side, all are, with the sides exchanged.
        """
        threshold = self.highest(values, strict)
        is_empty = np.isneginf(threshold)
        is_right = np.logical_xor(self.sign < 0, is_empty)
        return np.where(is_empty, LARGEST_DOUBLE, threshold), is_right

    def _is_low(
        self, numbers: NDArray[np.float64], values: NDArray[np.float64], strict: bool
    ) -> NDArray[np.bool_]:
        result = self(numbers)
        passes = result < values if strict else result <= values
        return passes if self.sign > 0 else ~passes

    def of_missing(self) -> float:
        """Return what a missing value becomes."""
        return float(self(np.array([np.nan]))[0])


@dataclass(frozen=True)
class CategoryColumn:
    """A number looked up for the category in a column.

    Parameters
    ----------
    source : int
        The caller's column.
    codes : mapping of object to float
        Per category. Categories that are not listed have the default.
    default : float
        For every other category, and for missing values.
    refuses_other : bool, default=False
        Whether the source raises an error for every other category.
    """

    source: int
    codes: Mapping[object, float]
    default: float
    refuses_other: bool = False

    def then(self, step: Step, sign: int = 1) -> CategoryColumn:
        """Return the column after one more step."""
        del sign
        with np.errstate(all="ignore"):
            numbers = step(np.array([*self.codes.values(), self.default], dtype=np.float64)).tolist()
        return replace(self, codes=dict(zip(self.codes, numbers, strict=False)), default=numbers[-1])


def filled(value: float) -> Step:
    """Return the step that replaces missing values."""
    return lambda numbers: np.where(np.isnan(numbers), value, numbers)


def as_single(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to single precision."""
    with np.errstate(over="ignore"):
        return numbers.astype(np.float32).astype(np.float64)


def largest_double(is_low: Callable[[NDArray[np.float64]], NDArray[np.bool_]], n: int) -> NDArray[np.float64]:
    """Return per entry the largest finite double that is low, minus infinity if none is.

    What is low must lie below what is not. The search halves the doubles in their order, so that it
    ends after 64 steps and is exact.

    Examples
    --------
    >>> largest_double(lambda x: x * 3.0 <= np.array([1.0]), 1).tolist()
    [0.33333333333333337]
    """
    low, high = np.full(n, -LAST_RANK - 1), np.full(n, LAST_RANK + 1)  # low is low, high is not
    while True:
        middle = (low >> 1) + (high >> 1) + (low & high & 1)  # their sum would overflow
        is_open = low + 1 < high
        if not is_open.any():
            break
        goes_up = is_low(double_of(np.clip(middle, -LAST_RANK, LAST_RANK))) & is_open
        low = np.where(goes_up, middle, low)
        high = np.where(goes_up | ~is_open, high, middle)
    return np.where(low < -LAST_RANK, -np.inf, double_of(np.maximum(low, -LAST_RANK)))


def undecided_up_to(is_single: bool, wins_ties: bool) -> float:
    """Return the largest score whose logistic probability does not win against its complement."""
    dtype = np.float32 if is_single else np.float64

    def loses(scores: NDArray[np.float64]) -> NDArray[np.bool_]:
        with np.errstate(over="ignore"):
            odds: NDArray[Any] = np.exp(-scores).astype(dtype)
        share = dtype(1) / (dtype(1) + odds)
        rest = dtype(1) - share
        return np.less(share, rest) if wins_ties else np.less_equal(share, rest)

    return float(largest_double(loses, 1)[0])
