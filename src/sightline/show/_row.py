"""Rows as callers pass them: one by name or by position, or many in a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sightline.exceptions import DataError
from sightline.table import Column, Schema, Table, is_one_row, row_names_of, table_of_row, table_of_rows


@dataclass(frozen=True)
class Row:
    """A row in the columns of a model.

    Attributes
    ----------
    table : Table
        The row alone, aligned with the model's schema.
    given : list of object
        The values as they were handed in, None where missing.
    values : list of float
        Numbers, codes of categories, or NaN where missing or unknown to the model.
    """

    table: Table
    given: list[object]
    values: list[float]

    @classmethod
    def of(cls, row: Any, schema: Schema, owner: str) -> Row:
        """Read a row.

        Parameters
        ----------
        row : dict, sequence, series, or table, frame or array of one row
            The values.
        schema : Schema
            The columns that the model knows.
        owner : str
            The caller, for error messages.

        Returns
        -------
        Row
            The row; its table is what the kernels read.

        Raises
        ------
        DataError
            If names or the number of values do not fit, or a number is none.

        Examples
        --------
        >>> from sightline.table import Feature
        >>> schema = Schema((Feature("age"), Feature("colour", ("red", "blue"))))
        >>> Row.of({"colour": "blue", "age": None}, schema, "the tree").values
        [nan, 1.0]
        """
        original = table_of_row(row, schema, owner)
        return Rows(original, original.aligned(schema, owner), [None]).row(0)


@dataclass(frozen=True)
class Rows:
    """Rows in the columns of a model, each with a name.

    Attributes
    ----------
    given : Table
        The rows as they were handed in.
    table : Table
        The same rows, aligned with the model's schema.
    names : sequence
        Their names: identifiers, labels of a frame's index, or row numbers.
    is_one : bool
        Whether the caller handed in a single row rather than a table.
    """

    given: Table
    table: Table
    names: Sequence[Any]
    is_one: bool = False

    @classmethod
    def of(cls, rows: Any, schema: Schema, owner: str, ids: Any = None) -> Rows:
        """Read one row or many.

        Parameters
        ----------
        rows : dict, sequence, series; or table, frame, array or list of rows
            The values.
        schema : Schema
            The columns that the model knows.
        owner : str
            The caller, for error messages.
        ids : sequence or object, optional
            Names of the rows; of a single row, its name. By default the names that a table has, or
            the labels of a frame's index, or row numbers.

        Raises
        ------
        DataError
            If names or the number of values do not fit, or there are not as many ids as rows.

        Examples
        --------
        >>> from sightline.table import Feature
        >>> schema = Schema((Feature("age"),))
        >>> Rows.of([[25], [31]], schema, "the tree", ids=["C7", "C9"]).names
        ['C7', 'C9']
        """
        if is_one_row(rows):
            given = table_of_row(rows, schema, owner)
            name = getattr(rows, "name", None) if ids is None else ids
            return cls(given, given.aligned(schema, owner), [name], is_one=True)
        given = table_of_rows(rows, schema)
        names = row_names_of(rows) if ids is None else _checked_ids(ids, given.n_rows)
        return cls(given, given.aligned(schema, owner), range(given.n_rows) if names is None else names)

    def given_names(self, chosen: slice) -> list[Any] | None:
        """Return the names of some rows; None if they are only numbered."""
        are_numbers = isinstance(self.names, range) or (self.is_one and self.names[0] is None)
        return None if are_numbers else list(self.names[chosen])

    @cached_property
    def _given(self) -> list[Column | None]:
        """Per feature of the model the column that was handed in; None if it was not."""
        by_name = {column.name: column for column in self.given.columns}
        names = self.table.schema.called(list(by_name))
        is_named = any(name in by_name for name in names)
        return [by_name.get(name) for name in names] if is_named else list(self.given.columns)

    def value(self, feature: int, index: int) -> object:
        """Return the value of a row as it was handed in, None if it is missing.

        Dates and durations are as the model reads them: a text may be written in several ways. So are
        known values of another kind than the model's, such as booleans of a single row, which are numbers.
        """
        known, given = self.table.columns[feature], self._given[feature]
        is_converted = given is not None and given.feature.is_nominal != known.feature.is_nominal
        is_read = known.feature.kind or (is_converted and not self.is_missing(feature, index))
        column = known if is_read else given
        return None if column is None else column.value_at(index)

    def is_missing(self, feature: int, chosen: Any) -> Any:
        """Return whether the value of a row, or of some rows, is missing or unknown to the model."""
        column = self.table.columns[feature]
        values = column.values[chosen]
        return values < 0 if column.feature.is_nominal else np.isnan(values)

    def row(self, index: int) -> Row:
        """Return one of the rows."""
        return Row(
            self.table[index : index + 1],
            [self.value(feature, index) for feature in range(len(self._given))],
            [_known(column.values[index], column.feature.is_nominal) for column in self.table.columns],
        )


def _known(value: Any, is_nominal: bool) -> float:
    return math.nan if is_nominal and value < 0 else float(value)


def _checked_ids(ids: Any, n_rows: int) -> list[Any]:
    names = list(ids) if not isinstance(ids, str | bytes) and hasattr(ids, "__iter__") else [ids]
    if len(names) != n_rows:
        raise DataError(f"The 'ids' parameter has {len(names)} names for {n_rows} rows. Pass one per row.")
    return names
