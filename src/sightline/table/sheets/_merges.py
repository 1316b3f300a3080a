"""Merged cells of a sheet: values beside several rows, and names above several columns."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["fill_merged"]

Grid = list[list[object]]
Range = tuple[tuple[int, int], tuple[int, int]]
"""The first and the last cell of a merged one, by row and column."""
Span = tuple[int, int]
"""The first and the last column of a name."""


def fill_merged(rows: Grid, ranges: Sequence[Range]) -> list[str]:
    """Fill the cells that merged ones cover, in place, and return what to tell about the header.

    Parameters
    ----------
    rows : list of list
        All cells, row by row, rows of equal length; "" is empty. Of merged cells, only the first has a value.
    ranges : sequence of ((int, int), (int, int))
        The merged cells.

    Examples
    --------
    >>> rows = [["id", "sales", ""], ["", 2019.0, 2020.0], ["k1", 3.5, 4.5]]
    >>> fill_merged(rows, [((0, 0), (1, 0)), ((0, 1), (0, 2))])
    ["The header has 2 lines. Their names are joined, as in 'sales 2019'."]
    >>> rows
    [['', '', ''], ['id', 'sales 2019', 'sales 2020'], ['k1', 3.5, 4.5]]
    """
    width = len(rows[0]) if rows else 0
    for (top, left), (bottom, right) in ranges:
        # It may reach beyond the last cell with a value.
        for row in rows[top + 1 : bottom + 1] if left < width else ():
            # A wide one without other cells beside it is a title or a note.
            if left == right or any(cell != "" for cell in row[:left] + row[right + 1 :]):
                row[left] = rows[top][left]
    spans: dict[int, list[Span]] = {}
    for (top, left), (bottom, right) in ranges:
        if top == bottom and left < right < width:
            spans.setdefault(top, []).append((left, right))
    return _join_header(rows, spans)


def _join_header(rows: Grid, spans: dict[int, list[Span]]) -> list[str]:
    """Write the names of a header of several lines into its last line, and empty the others."""
    top = next((row for row, cells in enumerate(rows) if sum(cell != "" for cell in cells) > 1), len(rows))
    last = top
    while last + 2 < len(rows) and _names_groups(rows[last : last + 3], spans.get(last, [])):
        for left, right in spans[last]:
            rows[last][left : right + 1] = [rows[last][left]] * (right + 1 - left)
        last += 1
    if last == top:
        return []
    grouped = {column for line in range(top, last) for column in _columns_of(spans[line])}
    if last + 1 < len(rows) and _names_index(rows[top], rows[last + 1], grouped):
        last += 1
    lines = rows[top : last + 1]
    names = [_joined([line[column] for line in lines]) for column in range(len(rows[top]))]
    for row in range(top, last):
        rows[row] = [""] * len(names)
    rows[last] = [*names]
    example = names[min(grouped)]
    return [f"The header has {len(lines)} lines. Their names are joined, as in {example!r}."]


def _names_groups(lines: Grid, spans: list[Span]) -> bool:
    """Whether a line has names above several columns, and the next one the names of these columns.

    A row of the table differs from such names by a cell in the first column, below its name. Without a name
    there, only names are text above numbers, or above the empty cells of the line that names pandas' index.
    """
    upper, lower, below = lines
    grouped = _columns_of(spans)
    names = [lower[column] for column in sorted(grouped)]
    if not names or not all(isinstance(name, str) or _is_whole(name) for name in names) or "" in names:
        return False
    if any(len(set(lower[left : right + 1])) < right + 1 - left for left, right in spans):
        return False
    first = next(column for column, cells in enumerate(zip(*lines, strict=True)) if any(cells))
    if first not in grouped and (upper[first] != "" or lower[first] == ""):
        return lower[first] in ("", upper[first])
    are_above_numbers = any(isinstance(cell, float) for cell in below)
    are_text = not any(isinstance(cell, float) for cell in lower)
    return (are_text and are_above_numbers) or all(below[column] == "" for column in grouped)


def _names_index(top: list[object], below: list[object], grouped: set[int]) -> bool:
    """Whether a line names only columns that have no name yet, as pandas names the index."""
    named = [column for column, cell in enumerate(below) if cell != ""]
    return bool(named) and all(column not in grouped and top[column] == "" for column in named)


def _columns_of(spans: Sequence[Span]) -> set[int]:
    return {column for left, right in spans for column in range(left, right + 1)}


def _joined(parts: Sequence[object]) -> str:
    """Return one name for those of several lines; without a first one, the last one alone."""
    texts = [_text(part) for part in parts if part != ""]
    if parts[0] == "":
        texts = texts[-1:]
    return " ".join(dict.fromkeys(texts))


def _text(name: object) -> str:
    return str(int(name)) if _is_whole(name) else str(name)  # type: ignore[call-overload]


def _is_whole(cell: object) -> bool:
    return isinstance(cell, float) and cell.is_integer()
