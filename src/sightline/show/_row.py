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
        original = _table_of(row, schema)
        if original.n_rows != 1:
            raise DataError(f"One row can be explained at a time. Got {original.n_rows} rows instead.")
        if original.has_names and schema.has_given_names:
            _check_names(original.names, schema.names, owner)
        table = original.aligned(schema, owner)
        by_name: dict[str, object] = original[0]
        is_named = set(by_name) == set(schema.names)
        given = [by_name[name] for name in schema.names] if is_named else list(by_name.values())
        return cls(
            table, given, [_known(column.values[0], column.feature.is_nominal) for column in table.columns]
        )


def _check_names(given: list[str], known: list[str], owner: str) -> None:
    absent = [name for name in known if name not in given]
    if absent:
        raise DataError(
            f"The row has no {absent[0]!r}, which {owner} is expecting: give its value, or None if it is "
            f"missing{_and_more(absent)}."
        )
    extra = [name for name in given if name not in known]
    if extra:
        raise DataError(
            f"The row has {extra[0]!r}, which {owner} does not know: leave it out{_and_more(extra)}."
        )


def _and_more(names: list[str]) -> str:
    return f" (and so for {len(names) - 1:,} more)" if len(names) > 1 else ""


def _check_cells(row: Mapping[Any, Any]) -> None:
    for name, value in row.items():
        if getattr(value, "ndim", 0) > 0 or isinstance(value, list | tuple | dict | set):
            raise DataError(
                f"The value of {str(name)!r} must be one number, text or None. Got {value!r} instead."
            )


def _table_of(row: Any, schema: Schema) -> Table:
    if isinstance(row, Mapping):
        _check_cells(row)
        return Table.from_any([list(row.values())], feature_names=[str(name) for name in row])
    if hasattr(row, "to_dict") and getattr(row, "ndim", None) == 1:
        return _table_of(row.to_dict(), schema)
    if len(getattr(row, "shape", ())) == 2 or _is_nested(row):
        return Table.from_any(row)
    if isinstance(row, str | bytes) or not hasattr(row, "__iter__"):
        raise DataError(f"A row must be a dict, a sequence or a table of one row. Got {row!r} instead.")
    values = list(row)
    if len(values) != len(schema):
        return Table.from_any([values])
    return _table_of(dict(zip(schema.names, values, strict=True)), schema)


def _is_nested(row: Any) -> bool:
    return isinstance(row, list | tuple) and len(row) > 0 and isinstance(row[0], list | tuple | np.ndarray)


def _known(value: Any, is_nominal: bool) -> float:
    return math.nan if is_nominal and value < 0 else float(value)
