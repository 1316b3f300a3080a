"""One row, in any form that people pass it, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Number
from typing import Any

import numpy as np

from sightline.exceptions import DataError
from sightline.table._cells import is_missing
from sightline.table._column import plain_value
from sightline.table._schema import MAX_NAMES, Schema
from sightline.table._table import Table
from sightline.wording import list_names

__all__ = ["table_of_row"]


def table_of_row(row: Any, schema: Schema, owner: str) -> Table:
    """Return a row as a table of one row, with the names that the row has.

    Parameters
    ----------
    row : dict, sequence, series, or table, frame or array of one row
        The values, by name or in the order of the features.
    schema : Schema
        The columns of the model.
    owner : str
        Name of the model, for error messages.

    Returns
    -------
    Table
        One row.

    Raises
    ------
    DataError
        If it is not one row, or has other names.

    Examples
    --------
    >>> from sightline.table import Feature
    >>> schema = Schema((Feature("age"), Feature("colour", ("red", "blue"))))
    >>> table_of_row([25, "red"], schema, "the tree").names
    ['age', 'colour']
    """
    table = _table_of(row, schema)
    if table.n_rows != 1:
        raise DataError(f"Only one row can be explained at a time. Got {table.n_rows} rows instead.")
    if table.has_names and schema.has_given_names:
        _check_names(table.names, schema, owner)
    return table


def _check_names(given: list[str], schema: Schema, owner: str) -> None:
    known = schema.called(given)
    needed = [name for name, feature in zip(known, schema.features, strict=True) if not feature.ignored]
    absent = [name for name in needed if name not in given]
    if absent:
        raise DataError(
            f"The row has no {list_names([*map(repr, absent)], MAX_NAMES)}, which {owner} expects. Pass "
            "None for a missing value."
        )
    extra = [name for name in given if name not in known]
    if extra:
        raise DataError(
            f"The row has {list_names([*map(repr, extra)], MAX_NAMES)}, which {owner} does not know. "
            f"Leave {'it' if len(extra) == 1 else 'them'} out."
        )


def _check_cells(row: Mapping[Any, Any]) -> None:
    for name, value in row.items():
        if getattr(value, "ndim", 0) > 0 or isinstance(value, list | tuple | dict | set):
            raise DataError(
                f"The value of {str(name)!r} must be one number, string or None. Got {value!r} instead."
            )


def _table_of(row: Any, schema: Schema) -> Table:
    if isinstance(row, Mapping):
        _check_cells(row)
        cells = [_as_category(value) for value in row.values()]
        return Table.from_any([cells], feature_names=[str(name) for name in row])
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


def _as_category(value: Any) -> Any:
    """Return a value as frames declare it: intervals, dates and the like as strings."""
    return value if is_missing(value) or isinstance(value, Number) else plain_value(value)


def _is_nested(row: Any) -> bool:
    return isinstance(row, list | tuple) and len(row) > 0 and isinstance(row[0], list | tuple | np.ndarray)
