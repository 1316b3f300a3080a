"""One row or several, in any form that people pass them, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from numbers import Number
from typing import Any

import numpy as np

from sightline.exceptions import DataError
from sightline.table._cells import is_missing
from sightline.table._column import plain_value
from sightline.table._frames import is_frame, without_ignored
from sightline.table._schema import MAX_NAMES, Schema
from sightline.table._table import Table
from sightline.wording import list_names

__all__ = ["is_one_row", "row_names_of", "table_of_row", "table_of_rows"]


def is_one_row(rows: Any) -> bool:
    """Return whether something is one row rather than a table, frame, array or list of rows.

    Examples
    --------
    >>> is_one_row({"age": 25}), is_one_row([25, "red"]), is_one_row([[25, "red"]])
    (True, True, False)
    """
    is_many = len(getattr(rows, "shape", ())) == 2 or _is_nested(rows) or is_frame(rows)
    return isinstance(rows, Mapping) or not (is_many or _is_list_of_mappings(rows))


def table_of_rows(rows: Any, schema: Schema) -> Table:
    """Return rows as a table with the names that they have.

    Parameters
    ----------
    rows : Table, frame, array, list of sequences or list of dicts
        The rows. Infinite numbers are larger, or smaller, than every threshold.
    schema : Schema
        The columns of the model; those that it ignores are not read.

    Examples
    --------
    >>> table_of_rows([{"age": 25}, {"age": None, "colour": "red"}], Schema(())).names
    ['age', 'colour']
    """
    if not _is_list_of_mappings(rows):
        return Table.from_any(without_ignored(rows, schema), infinite="largest")
    names = _in_order(dict.fromkeys(str(name) for row in rows for name in row), schema)
    for row in rows:
        _check_cells(row)
    cells = [[_as_category(row.get(name)) for name in names] for row in rows]
    return _missing_as_known(Table.from_any(cells, feature_names=names, infinite="largest"), schema)


def row_names_of(rows: Any) -> list[Any] | None:
    """Return the names that rows have: those of a table, or the labels of a pandas index.

    Parameters
    ----------
    rows : Table, frame or array
        The rows.

    Returns
    -------
    list or None
        None if the rows are only numbered.

    Examples
    --------
    >>> import pandas as pd
    >>> row_names_of(pd.DataFrame({"age": [25, 31]}, index=["C7", "C9"]))
    ['C7', 'C9']
    """
    if isinstance(rows, Table):
        return _names_of_table(rows)
    index = getattr(rows, "index", None)
    if index is None or callable(index) or not hasattr(index, "tolist") or not is_frame(rows):
        return None
    is_numbered = getattr(index, "start", None) == 0 and getattr(index, "step", None) == 1
    return None if is_numbered else [_plain_label(label) for label in index.tolist()]


def _names_of_table(rows: Table) -> list[Any] | None:
    """Return the names that a table has; rows without one are called by their number."""
    if rows.row_names is None:
        return None
    names = [rows.row_name(row) for row in range(rows.n_rows)]
    return [row if name is None else name for row, name in enumerate(names)]


def _plain_label(label: Any) -> Any:
    return label if isinstance(label, str | int) else str(label)


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
        cells = {str(name): value for name, value in row.items()}
        in_order = {name: cells[name] for name in _in_order(cells, schema)}
        return _missing_as_known(_table_of_cells(in_order), schema)
    if hasattr(row, "to_dict") and getattr(row, "ndim", None) == 1:
        return _table_of_cells(row.to_dict())
    if len(getattr(row, "shape", ())) == 2 or _is_nested(row):
        return Table.from_any(row)
    if isinstance(row, str | bytes) or not hasattr(row, "__iter__"):
        raise DataError(f"A row must be a dict, a sequence or a table of one row. Got {row!r} instead.")
    values = list(row)
    if len(values) != len(schema):
        return Table.from_any([values])
    return _table_of(dict(zip(schema.names, values, strict=True)), schema)


def _in_order(names: Iterable[str], schema: Schema) -> list[str]:
    """Return the names of a dict, whose order means nothing, in the order of a model that knows them all."""
    given = list(names)
    return schema.names if sorted(given) == sorted(schema.names) else given


def _table_of_cells(row: Mapping[Any, Any]) -> Table:
    _check_cells(row)
    cells = [_as_category(value) for value in row.values()]
    return Table.from_any([cells], feature_names=[str(name) for name in row])


def _missing_as_known(table: Table, schema: Schema) -> Table:
    """Return rows of dicts, whose missing cells are of the kind that the model knows.

    No pipeline takes a dict, and a row of a table holds None for whatever is missing. So None says nothing
    about what the pipeline would get.
    """
    if not schema.distinguishes_missing:
        return table
    known = dict(zip(schema.called(table.names), (one.missing_kinds for one in schema.features), strict=True))
    return table.with_columns(
        [
            replace(column, missing_kinds=known.get(column.name) or column.missing_kinds)
            for column in table.columns
        ]
    )


def _as_category(value: Any) -> Any:
    """Return a value as frames declare it: intervals, dates and the like as strings."""
    if isinstance(value, np.datetime64) and not is_missing(value):
        return str(value)  # Its item may be a whole number of nanoseconds.
    return value if is_missing(value) or isinstance(value, Number) else plain_value(value)


def _is_list_of_mappings(rows: Any) -> bool:
    return isinstance(rows, list | tuple) and len(rows) > 0 and isinstance(rows[0], Mapping)


def _is_nested(row: Any) -> bool:
    return isinstance(row, list | tuple) and len(row) > 0 and isinstance(row[0], list | tuple | np.ndarray)
