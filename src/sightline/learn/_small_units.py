"""Numeric columns in units so small that C4.5 takes most of their values for equal."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import DataWarning
from sightline.model import THRESHOLD, Tree
from sightline.table import Column, Table
from sightline.wording import list_names

SAME_VALUE = 1e-5
"""C4.5, like J48, does not split between numbers that differ by less."""

_MIN_SHARE = 0.1
"""Share of the rows that must be taken for equal. If fewer are, other splits of the column are as good."""
_NOISE = 1e-12
"""Numbers that differ by less, relative to the largest, differ by rounding."""
_MAX_EXPONENT = 20
"""Scaled numbers reach 2**20, about a million: C4.5 then distinguishes all that are not rounding noise."""
_MAX_POWER = 1000
_SAMPLE_SIZE = 20_000
_MAX_LISTED = 5


@dataclass(frozen=True)
class SmallUnits:
    """The columns in small units, and units in which C4.5 distinguishes their values.

    A test of a number times a power of two is the same test: no digit changes.

    Attributes
    ----------
    powers : mapping of int to int
        Per index of such a column, the power of two that its numbers are multiplied by.
    names : tuple of str
        The names of these columns.
    """

    powers: Mapping[int, int]
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, table: Table) -> Self:
        """Find the columns in which C4.5 takes different numbers of many rows for equal."""
        powers = {index: _power(column) for index, column in enumerate(table.columns)}
        small = {index: power for index, power in powers.items() if power > 0}
        return cls(small, tuple(table.names[index] for index in small))

    @classmethod
    def for_trees(cls, table: Table, base: Any) -> Self:
        """Return the columns to scale for an ensemble: none if the user chose C4.5 as its learner."""
        found = cls.of(table)
        if base is None:
            return found
        found.warn(stacklevel=5)
        return cls({})

    def warn(self, stacklevel: int = 4) -> None:
        """Warn that C4.5 hardly tests the columns."""
        if not self.powers:
            return
        are_several = len(self.names) > 1
        columns, are, them = ("columns", "are", "them") if are_several else ("column", "is", "it")
        listed = list_names([*map(repr, self.names)], _MAX_LISTED)
        warnings.warn(
            f"The {columns} {listed} {are} in a unit so small that C4.5 takes different numbers for equal: "
            f"it never splits between numbers that differ by less than {SAME_VALUE:g}. Multiply {them} by a "
            "power of ten, such as 1e6.",
            DataWarning,
            stacklevel=stacklevel,
        )

    def scaled(self, table: Table) -> Table:
        """Return the rows with these columns multiplied."""
        if not self.powers:
            return table
        columns = [
            Column(column.feature, np.ldexp(column.values, self.powers[index]))
            if index in self.powers
            else column
            for index, column in enumerate(table.columns)
        ]
        return table.with_columns(columns)

    def restored(self, tree: Tree) -> Tree:
        """Return a tree of scaled rows with the thresholds of the original rows."""
        if not self.powers:
            return tree
        power = np.zeros(len(tree.schema), dtype=np.intp)
        power[list(self.powers)] = list(self.powers.values())
        is_test = np.asarray(tree.core.test) == THRESHOLD
        threshold = np.array(tree.core.threshold)
        tested = np.asarray(tree.core.feature)[is_test]
        threshold[is_test] = np.ldexp(threshold[is_test], -power[tested])
        return tree.with_thresholds(threshold)


def _power(column: Column) -> int:
    """Return the power of two that a column must be multiplied by; 0 if it can stay."""
    if column.feature.is_nominal:
        return 0
    step = len(column) // _SAMPLE_SIZE + 1
    # Numbers of a sample lie farther apart. It is enough to rule out most columns.
    if not _is_small(column.values[::step], 4 * step * SAME_VALUE):
        return 0
    if not _is_small(column.values, SAME_VALUE):
        return 0
    largest = np.abs(column.values[np.isfinite(column.values)]).max()
    return min(_MAX_EXPONENT - int(np.frexp(largest)[1]), _MAX_POWER)


def _is_small(numbers: NDArray[np.float64], same: float) -> bool:
    """Whether a run of numbers, each closer than this to the next, hides the differences of many rows."""
    known = numbers[np.isfinite(numbers)]
    if not len(known) or (known == np.floor(known)).all():
        return False
    ascending = np.sort(known)
    noise = _NOISE * max(-ascending[0], ascending[-1])
    with np.errstate(over="ignore"):
        starts = np.flatnonzero(np.diff(ascending, prepend=-np.inf) > noise)
        values, counts = ascending[starts], np.diff(starts, append=len(ascending))
        runs = np.flatnonzero(np.diff(values, prepend=-np.inf) >= same)
    # Rows with the most frequent number of a run are rightly taken for equal.
    hidden = np.add.reduceat(counts, runs) - np.maximum.reduceat(counts, runs)
    return bool(hidden.max() > _MIN_SHARE * len(ascending))
