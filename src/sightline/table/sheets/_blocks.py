"""Find the table of a sheet or text file that also holds other cells beside, above or below it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.table._column import Column
from sightline.table.sheets._xml import cell_name, column_letters
from sightline.wording import list_names

__all__ = ["columns_beside", "without_other_tables", "without_side_blocks"]

_MAX_SHOWN = 5
_DENSE = 0.8
_SLACK = 2
"""A part of the table may lack this many rows at its end, such as those of totals."""
_QUANTITY = re.compile(r"\W*\d")
"""Text that is no name: a number, an amount, a limit such as <5."""

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


def without_other_tables(rows: Grid) -> tuple[Grid, list[str]]:
    """Return a sheet without the tables above and below its own, and what to tell about them.

    Empty rows separate the tables. The lower one has its own names in columns of numbers of the upper one.
    The table of the sheet is the first one that is not small beside the others.

    Examples
    --------
    >>> rows = [["age", "n"], *([[30.0, 2.0]] * 9), ["", ""], ["job", "mean"], ["cook", 1.5]]
    >>> cut, notes = without_other_tables(rows)
    >>> len(cut), notes
    (10, ['The cells A12:B13 below the table were not read.'])
    """
    tables = _tables(rows)
    if len(tables) < 2:
        return rows, []
    chosen = _chosen(tables)
    others = {"above": tables[:chosen], "below": tables[chosen + 1 :]}
    notes = [
        f"The cells {_range_of(rows, parts[0].first, parts[-1].last)} {where} the table were not read."
        for where, parts in others.items()
        if parts
    ]
    first = tables[chosen].first if chosen else 0
    # Empty rows above, so that the numbers of lines are those of the sheet.
    above: Grid = [[""]] * first
    return [*above, *rows[first : tables[chosen].last + 1]], notes


def _tables(rows: Grid) -> list[_Stacked]:
    """Return the tables of a sheet from top to bottom."""
    tables: list[_Stacked] = []
    for first, last in _row_runs(rows):
        run = rows[first : last + 1]
        if not tables or tables[-1].is_above_other(run):
            tables.append(_Stacked(first))
        tables[-1].add(run, last)
    return tables


def _chosen(tables: Sequence[_Stacked]) -> int:
    """Return the index of the longest table, or of an earlier one with a header and half as many rows."""
    longest = max(table.n_rows for table in tables)
    return next(
        index
        for index, table in enumerate(tables)
        if table.n_rows == longest or (2 * table.n_rows >= longest and _header_of(table.runs[0]))
    )


class _Stacked:
    """One of the tables below each other: runs of rows with cells, between empty rows."""

    def __init__(self, first: int) -> None:
        self.first = self.last = first
        self.runs: list[Grid] = []
        self._n_counted = 0
        self._n_cells: Counter[int] = Counter()
        self._n_numbers: Counter[int] = Counter()

    @property
    def n_rows(self) -> int:
        return sum(map(len, self.runs))

    def add(self, run: Grid, last: int) -> None:
        self.runs.append(run)
        self.last = last

    def is_above_other(self, below: Grid) -> bool:
        """Whether rows below begin with other names than these, in a column of numbers."""
        names = _header_of(below)
        return any(
            isinstance(cell, str) and _is_name(cell) and self._holds_numbers(column)
            for column, cell in enumerate(names)
        ) and not any(names in run for run in self.runs)

    def _holds_numbers(self, column: int) -> bool:
        # Each run once: there may be one for every few rows.
        for row in (row for run in self.runs[self._n_counted :] for row in run):
            filled = [index for index, cell in enumerate(row) if cell != ""]
            self._n_cells.update(filled)
            self._n_numbers.update(index for index in filled if isinstance(row[index], float))
        self._n_counted = len(self.runs)
        n_numbers = self._n_numbers[column]
        # One of the cells may be the name of the column.
        return n_numbers > 1 and n_numbers >= _DENSE * (self._n_cells[column] - 1)


def _header_of(rows: Grid) -> list[object]:
    """Return the first row of several cells, or nothing if not all of them are text."""
    first = next((row for row in rows if sum(cell != "" for cell in row) > 1), [])
    return first if all(isinstance(cell, str) for cell in first) else []


def _is_name(text: str) -> bool:
    return text != "" and not _core.is_missing_word(text) and not _QUANTITY.match(text)


def _range_of(rows: Grid, first: int, last: int) -> str:
    filled = [column for row in rows[first : last + 1] for column, cell in enumerate(row) if cell != ""]
    return f"{cell_name(first, min(filled))}:{cell_name(last, max(filled))}"


def _row_runs(rows: Grid) -> list[tuple[int, int]]:
    """Return the first and last row of each run of rows with cells."""
    filled = [index for index, row in enumerate(rows) if any(cell != "" for cell in row)]
    starts = [row for index, row in enumerate(filled) if index == 0 or filled[index - 1] < row - 1]
    ends = [
        row for index, row in enumerate(filled) if index == len(filled) - 1 or filled[index + 1] > row + 1
    ]
    return list(zip(starts, ends, strict=True))


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
