"""Categories with so many values that a stump fits any labels by chance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from sightline.learn._unhelpful_columns import unhelpful_columns
from sightline.model import MULTIWAY, Tree
from sightline.table import MAX_CATEGORIES, Column, Labels, Table, content_order, is_large_category
from sightline.wording import list_names

_MAX_LISTED = 5


@dataclass(frozen=True)
class LargeCategories:
    """The columns of a table with more than 100 different values, and those of them that do not help.

    Attributes
    ----------
    table : Table
        The training rows.
    columns : tuple of int
        The columns with so many values.
    unhelpful : tuple of int
        Those that stumps must not test.
    """

    table: Table
    columns: tuple[int, ...]
    unhelpful: tuple[int, ...] = ()

    @classmethod
    def of(cls, table: Table) -> Self:
        """Find the columns."""
        return cls(table, tuple(i for i, column in enumerate(table.columns) if is_large_category(column)))

    def screened(self, labels: Labels, seed: int) -> Self:
        """Return the same with the columns left out that do not help to predict held-out rows."""
        order = content_order(self.table, labels)
        n_classes = len(labels.classes_)
        found = unhelpful_columns(self.table, labels.codes, self.columns, order, seed, n_classes=n_classes)
        return replace(self, unhelpful=tuple(found))

    def without_unhelpful(self) -> Table:
        """Return the rows without a value in the columns that must not be tested, so that no stump can."""
        if not self.unhelpful:
            return self.table
        nothing = np.full(self.table.n_rows, -1, dtype=np.int32)
        return self.table.with_columns(
            [
                Column(column.feature, nothing) if index in self.unhelpful else column
                for index, column in enumerate(self.table.columns)
            ]
        )

    @property
    def left_out(self) -> str:
        """Name the columns that must not be tested; empty if there are none."""
        if not self.unhelpful:
            return ""
        are_several = len(self.unhelpful) > 1
        they, do, them = ("they", "do", "them") if are_several else ("it", "does", "it")
        return (
            f"The stumps do not test {self._named(self.unhelpful)}: {they} {do} not help to predict held-out "
            f"training rows. To allow {them}, pass screen=False to StumpEnsembleClassifier."
        )

    def branched(self, stumps: Iterable[Tree]) -> str:
        """Name the columns of which some stump has a branch for each value; empty if there are none."""
        tested = {
            int(feature)
            for stump in stumps
            for feature in np.asarray(stump.core.feature)[np.asarray(stump.core.test) == MULTIWAY]
        }
        found = [index for index in self.columns if index in tested]
        if not found:
            return ""
        columns, its = ("the columns", "their") if len(found) > 1 else ("the column", "its")
        return (
            f"The stumps test {self._named(found)}, with a branch for each of more than {MAX_CATEGORIES} "
            "values. Such stumps are long, and a value of a few rows fits its label by chance. Drop "
            f"{columns}, join {its} rare values, or pass nominal='binary' to StumpEnsembleClassifier."
        )

    def _named(self, columns: Iterable[int]) -> str:
        return list_names([repr(self.table.names[index]) for index in columns], _MAX_LISTED)
