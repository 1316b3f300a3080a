"""Find the table of a sheet that also holds other cells beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sightline.table._sheet_xml import cell_name, column_letters
from sightline.wording import list_names

__all__ = ["without_side_blocks"]

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
    blocks = [_block(rows, *ends) for ends in _column_runs(rows)]
    if len(blocks) < 2:
        return rows, []
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
