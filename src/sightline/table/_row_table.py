"""One row as people hand it in, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sightline.exceptions import DataError
from sightline.table._table import Table

__all__ = ["table_of_row"]


def table_of_row(row: Any) -> Table:
    """Return a row as a table of one, columns named where the row has names.

    Parameters
    ----------
    row : dict, sequence, series, or table, frame or array of one row
        The values.

    Returns
    -------
    Table
        One row.

    Raises
    ------
    DataError
        If it is no row, or several.

    Examples
    --------
    >>> table_of_row({"age": 25, "colour": "red"}).names
    ['age', 'colour']
    """
    table = _table_of(row)
    if table.n_rows != 1:
        raise DataError(f"One row can be explained at a time. Got {table.n_rows} rows instead.")
    return table


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
