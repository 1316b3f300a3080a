"""Columns that preprocessing makes, each from one column of the caller."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

Evaluate = Callable[[Mapping[int, Numbers]], NDArray[Any]]
"""Numbers of some source columns in, the made columns out: shape (n_numbers, n_columns)."""


@dataclass(frozen=True, eq=False)
class FromCategories:
    """A column whose value follows from the category of one nominal column.

    Parameters
    ----------
    source : int
        The nominal column.
    values : ndarray of shape (n_categories + 1,)
        The value for each category, and last for a missing one. NaN is missing. For a nominal column
        of the model these are codes of its categories, and -1 is missing.
    """

    source: int
    values: NDArray[Any]


@dataclass(frozen=True, eq=False)
class FromNumbers:
    """A column whose value is a piecewise monotone function of one numeric column.

    Parameters
    ----------
    source : int
        The numeric column.
    evaluate : callable
        Takes numbers per source column, all of one length, and returns the made columns. Columns
        with the same `evaluate` are evaluated together.
    index : int, default=0
        Which of the made columns this is.
    missing : float, default=NaN
        The value for a missing number. NaN is missing.
    breaks : ndarray of float64, optional
        Ascending. Between two of them, in ``(low, high]``, the function rises, falls or is constant.
    is_exact : bool, default=True
        Whether rounding keeps the order, as it does in sums, products and square roots, but not in
        every library's logarithm. If not, the neighborhood of every bound is searched.
    name : str, default=""
        What to call the column in error messages.

    Examples
    --------
    >>> doubled = FromNumbers.elementwise(0, lambda x: 2 * x)
    >>> doubled.evaluate({0: np.array([1.0, 2.0])})[:, 0]
    array([2., 4.])
    """

    source: int
    evaluate: Evaluate
    index: int = 0
    missing: float = np.nan
    breaks: Numbers = field(default_factory=lambda: np.empty(0))
    is_exact: bool = True
    name: str = ""

    @classmethod
    def elementwise(cls, source: int, function: Callable[[Numbers], Numbers], **how: Any) -> FromNumbers:
        """Return the column that a function of one column makes."""
        return cls(source, lambda numbers: function(numbers[source])[:, np.newaxis], **how)


@dataclass(frozen=True)
class Unchanged:
    """A numeric column as it is, or with its missing values filled.

    Parameters
    ----------
    source : int
        The column.
    missing : float, default=NaN
        The value for a missing number. NaN is missing.
    """

    source: int
    missing: float = np.nan


Derived = FromCategories | FromNumbers | Unchanged
