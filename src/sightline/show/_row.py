"""One row as callers pass it: by name, by position, or as a table of one row."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from sightline.table import Schema, Table, table_of_row


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
        table = original.aligned(schema, owner)
        by_name: dict[str, object] = original[0]
        names = schema.called(list(by_name))
        is_named = set(by_name) == set(names)
        given = [by_name[name] for name in names] if is_named else list(by_name.values())
        return cls(
            table, given, [_known(column.values[0], column.feature.is_nominal) for column in table.columns]
        )


def _known(value: Any, is_nominal: bool) -> float:
    return math.nan if is_nominal and value < 0 else float(value)
