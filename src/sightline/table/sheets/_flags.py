"""Booleans of a sheet, some of which are stored as text."""

from __future__ import annotations

from sightline.table._column import flag_of

__all__ = ["text_flags_as_booleans"]


def text_flags_as_booleans(rows: list[list[object]]) -> None:
    """Replace text such as TRUE by booleans, in place, in columns that also hold booleans.

    Parameters
    ----------
    rows : list of list
        All cells of a sheet.

    Examples
    --------
    >>> rows = [["paid"], [True], ["FALSE"], ["open"]]
    >>> text_flags_as_booleans(rows)
    >>> rows
    [['paid'], [True], [False], ['open']]
    """
    columns = {column for row in rows for column, cell in enumerate(row) if isinstance(cell, bool)}
    for column in columns:
        for row in (row for row in rows if column < len(row) and isinstance(row[column], str)):
            flag = flag_of(str(row[column]).strip())
            row[column] = row[column] if flag is None else bool(flag)
