"""Cells of a sheet as Excel shows them, where the stored number says less: codes and numbers with units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sightline.table.sheets._shown_format import ShownFormat
from sightline.table.sheets._xml import ColumnFormats, cell_name, column_letters

__all__ = ["ShownNumber", "ShownUnits", "show_numbers"]


class ShownNumber(float):
    """A number of a column with several units, and the format that shows its own.

    Examples
    --------
    >>> ShownNumber(1.5, ShownFormat(after="kg")).format.unit
    'kg'
    """

    format: ShownFormat

    def __new__(cls, number: float, shown: ShownFormat) -> ShownNumber:
        """Return the number, with its format."""
        made = super().__new__(cls, number)
        made.format = shown
        return made


@dataclass
class ShownUnits:
    """The units that a sheet shows.

    Attributes
    ----------
    units : dict of str to str
        The unit of columns with only one, by the text above its first number.
    notes : list of str
        What to tell about columns that show a unit with some of their numbers only.
    """

    units: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def show_numbers(rows: list[list[object]], formats: Mapping[int, ColumnFormats]) -> ShownUnits:
    """Write codes as text and numbers in several units as ShownNumber, in place; return the other units.

    Parameters
    ----------
    rows : list of list
        All cells of a sheet.
    formats : mapping of int to ColumnFormats
        The formats of its columns.

    Examples
    --------
    >>> rows = [["zip", "size"], [1067.0, 1.5], [80331.0, 2.0]]
    >>> zip_code, size = ShownFormat(zeros="00000"), ShownFormat(after="kg")
    >>> show_numbers(rows, {0: ColumnFormats(zip_code), 1: ColumnFormats(size)}).units
    {'size': 'kg'}
    >>> rows[1:]
    [['01067', 1.5], [80331.0, 2.0]]
    """
    result = ShownUnits()
    for column, found in formats.items():
        _tell_units(rows, column, found, _show_column(rows, column, found), result)
    return result


def _show_column(rows: list[list[object]], column: int, formats: ColumnFormats) -> dict[str, list[int]]:
    """Write codes as text; return the rows of other numbers by unit, the first if all have one."""
    united: dict[str, list[int]] = {}
    is_below = False  # the first cell, which is a name if it has no unit
    for row, cells in enumerate(rows):
        number = cells[column] if column < len(cells) else ""
        if isinstance(number, float):
            shown = formats.of(row)
            code = shown.code_of(number) if shown is not None else None
            unit = shown.unit if shown is not None else ""
            if code is not None and code != str(int(number)):
                cells[column] = code
            elif unit or (is_below and number):  # zeros fit every unit
                united.setdefault(unit, []).append(row)
                if unit and formats.every is not None:
                    break
        is_below = is_below or number != ""
    return united


def _tell_units(
    rows: list[list[object]],
    column: int,
    formats: ColumnFormats,
    united: Mapping[str, list[int]],
    result: ShownUnits,
) -> None:
    units = [unit for unit in united if unit]
    if len(units) > 1:
        for row in (row for unit in units for row in united[unit]):
            number, shown = rows[row][column], formats.of(row)
            assert isinstance(number, float)
            assert shown is not None
            rows[row][column] = ShownNumber(number, shown)
    elif units:
        first = united[units[0]][0]
        header = next(
            (cells for cells in reversed(rows[: min(map(min, united.values()))]) if cells[column] != ""), []
        )
        # A table beside this one may have columns of the same name.
        if header and header.count(header[column]) == 1:
            result.units[" ".join(str(header[column]).split())] = units[0]
        if "" in united:
            result.notes.append(
                f"Column {column_letters(column)} of the sheet shows numbers with {units[0]!r}, such as cell "
                f"{cell_name(first, column)}, and without a unit, such as cell "
                f"{cell_name(united[''][0], column)}. They are read as numbers with the same unit."
            )
