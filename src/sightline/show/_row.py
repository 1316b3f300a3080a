"""One row as people hand it in: by name, by place, or as a table of one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sightline.exceptions import DataError
from sightline.table import Schema, Table


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
            Who asks, for the error messages.

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
        original = _table_of(row)
        if original.n_rows != 1:
            raise DataError(f"One row can be explained at a time. Got {original.n_rows} rows instead.")
        table = original.aligned(schema, owner)
        by_name: dict[str, object] = original[0]
        is_named = set(by_name) == set(schema.names)
        given = [by_name[name] for name in schema.names] if is_named else list(by_name.values())
        return cls(
            table, given, [_known(column.values[0], column.feature.is_nominal) for column in table.columns]
        )


def _table_of(row: Any) -> Table:
    if isinstance(row, Mapping):
        return Table.from_any([list(row.values())], feature_names=[str(name) for name in row])
    if hasattr(row, "to_dict") and getattr(row, "ndim", None) == 1:
        return _table_of(row.to_dict())
    if len(getattr(row, "shape", ())) == 2 or _is_nested(row):
        return Table.from_any(row)
    if isinstance(row, str | bytes) or not hasattr(row, "__iter__"):
        raise DataError(f"A row must be a dict, a sequence or a table of one row. Got {row!r} instead.")
    return Table.from_any([list(row)])


def _is_nested(row: Any) -> bool:
    return isinstance(row, list | tuple) and len(row) > 0 and isinstance(row[0], list | tuple | np.ndarray)


def _known(value: Any, is_nominal: bool) -> float:
    return math.nan if is_nominal and value < 0 else float(value)
