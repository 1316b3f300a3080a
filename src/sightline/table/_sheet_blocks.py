"""Find the table of a sheet or text file that also holds other cells beside or below it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.table._column import Column
from sightline.table._sheet_xml import cell_name, column_letters
from sightline.wording import list_names

__all__ = ["columns_beside", "without_lower_blocks", "without_side_blocks"]

_MAX_SHOWN = 5
_DENSE = 0.8
_SLACK = 2
"""A part of the table may lack this many rows at its end, such as those of totals."""

Grid = list[list[object]]


@dataclass(frozen=True)
class _Block:
    """Adjacent columns with cells, between columns without any."""

    left: int
    right: int
    rows: list[int]  # those with a cell
    n_cells: int

    @property
    def letters(self) -> str:
        return f"{column_letters(self.left)} to {column_letters(self.right)}"

    @property
    def range_text(self) -> str:
        first, last = cell_name(self.rows[0], self.left), cell_name(self.rows[-1], self.right)
        return first if first == last else f"{first}:{last}"

    def is_beside(self, table: _Block) -> bool:
        """Whether the block is not a part of the table: it is dense, but ends earlier than the table.

        A column that is filled in some rows only, such as one of remarks, is not dense.
        """
        extent = self.rows[-1] - self.rows[0] + 1
        return self.rows[-1] + _SLACK < table.rows[-1] and len(self.rows) >= _DENSE * extent


def without_side_blocks(rows: Grid) -> tuple[Grid, list[str]]:
    """Return a sheet without the cells beside its table, and what to tell about them.

    Parameters
    ----------
    rows : list of list
        All cells, row by row; "" is empty.

    Returns
    -------
    list of list
        The same rows, without the cells that an empty column separates from the table, if they end earlier.
    list of str
        A note if there are such cells.

    Examples
    --------
    >>> rows = [["age", "job", "", "mean"], *([[30, "cook", "", ""]] * 9)]
    >>> rows[1] = [31, "cook", "", 30.1]
    >>> cut, notes = without_side_blocks(rows)
    >>> cut[1], notes
    ([31, 'cook'], ['Read the table in columns A to B. The cells D1:D2 beside it were not read.'])
    """
    runs = _column_runs(rows)
    if len(runs) < 2:
        return rows, []
    blocks = [_block(rows, *run) for run in runs]
    table = max(blocks, key=lambda block: block.n_cells)
    beside = [block for block in blocks if block.is_beside(table)]
    if not beside:
        return rows, []
    kept = [block for block in blocks if block not in beside]
    left, right = kept[0].left, kept[-1].right
    for block in beside:  # between two parts of the table
        for row in block.rows:
            rows[row][block.left : block.right + 1] = [""] * (block.right + 1 - block.left)
    listed = list_names([block.range_text for block in beside], _MAX_SHOWN)
    note = (
        f"Read the table in columns {column_letters(left)} to {column_letters(right)}. "
        f"The cells {listed} beside it were not read."
    )
    return [row[left : right + 1] for row in rows], [note]


def columns_beside(
    columns: Sequence[Column], blocks: Sequence[int], needed: Collection[str | None]
) -> list[str]:
    """Return the names of columns that are not a part of the table, by the same rule as for sheets.

    Parameters
    ----------
    columns : sequence of Column
        The columns of a text file.
    blocks : sequence of int
        Their blocks: empty columns stand between two of them.
    needed : collection of str or None
        Columns that the caller names, and that are a part of the table.
    """
    if len(set(blocks)) < 2:
        return []
    known: dict[int, list[NDArray[np.bool_]]] = {}
    for column, own in zip(columns, blocks, strict=True):
        known.setdefault(own, []).append(~column.is_missing)
    made = {own: _block_of_columns(np.array(cells)) for own, cells in known.items()}
    table = max(made.values(), key=lambda block: block.n_cells)
    named = {own for column, own in zip(columns, blocks, strict=True) if column.name in needed}
    beside = {own for own, block in made.items() if block.is_beside(table)} - named
    return [column.name for column, own in zip(columns, blocks, strict=True) if own in beside]


def _block_of_columns(is_known: NDArray[np.bool_]) -> _Block:
    # The names of the columns are a row, too.
    rows = [0, *(np.flatnonzero(is_known.any(axis=0)) + 1).tolist()]
    return _Block(0, 0, rows, int(is_known.sum()))


def without_lower_blocks(rows: Grid) -> tuple[Grid, list[str]]:
    """Return a sheet without another table below its own, and what to tell about it.

    Another table stands below an empty row, is smaller, and has its own names in columns of numbers.

    Examples
    --------
    >>> rows = [["age", "n"], *([[30.0, 2.0]] * 9), ["", ""], ["job", "mean"], ["cook", 1.5]]
    >>> cut, notes = without_lower_blocks(rows)
    >>> len(cut), notes
    (10, ['The cells A12:B13 below the table were not read.'])
    """
    runs = _row_runs(rows)
    first, last = max(runs, key=lambda run: run[1] - run[0])
    for begin, end in runs[runs.index((first, last)) + 1 :]:
        if end - begin < last - first and _is_other_table(rows[first : last + 1], rows[begin : end + 1]):
            filled = [column for row in rows[begin:] for column, cell in enumerate(row) if cell != ""]
            corners = cell_name(begin, min(filled)), cell_name(runs[-1][1], max(filled))
            kept = max(row for _, row in runs if row < begin) + 1
            return rows[:kept], [f"The cells {':'.join(corners)} below the table were not read."]
    return rows, []


def _row_runs(rows: Grid) -> list[tuple[int, int]]:
    """Return the first and last row of each run of rows with cells."""
    filled = [index for index, row in enumerate(rows) if any(cell != "" for cell in row)]
    starts = [row for index, row in enumerate(filled) if index == 0 or filled[index - 1] < row - 1]
    ends = [
        row for index, row in enumerate(filled) if index == len(filled) - 1 or filled[index + 1] > row + 1
    ]
    return list(zip(starts, ends, strict=True))


def _is_other_table(table: Grid, below: Grid) -> bool:
    """Whether the first row of several cells has other names than the table, in a column of its numbers."""
    names = next((row for row in below if sum(cell != "" for cell in row) > 1), None)
    if names is None or not all(isinstance(cell, str) for cell in names) or names in table:
        return False
    return any(
        cell != "" and not _core.is_missing_word(str(cell)) and _holds_numbers(table, column)
        for column, cell in enumerate(names)
    )


def _holds_numbers(rows: Grid, column: int) -> bool:
    cells = [row[column] for row in rows if column < len(row) and row[column] != ""]
    return len(cells) > 1 and sum(isinstance(cell, float) for cell in cells) >= _DENSE * len(cells)


def _column_runs(rows: Sequence[Sequence[object]]) -> list[tuple[int, int]]:
    """Return the first and last column of each run of columns with cells."""
    width = max(map(len, rows))
    # A column with cells is known after a few rows.
    filled = [any(column < len(row) and row[column] != "" for row in rows) for column in range(width)]
    starts = [index for index in range(width) if filled[index] and (index == 0 or not filled[index - 1])]
    ends = [
        index for index in range(width) if filled[index] and (index == width - 1 or not filled[index + 1])
    ]
    return list(zip(starts, ends, strict=True))


def _block(rows: Sequence[Sequence[object]], left: int, right: int) -> _Block:
    counts = [sum(cell != "" for cell in row[left : right + 1]) for row in rows]
    return _Block(left, right, [row for row, count in enumerate(counts) if count], sum(counts))
