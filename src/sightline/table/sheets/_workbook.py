"""Sheets of Excel and LibreOffice workbooks, read by python-calamine."""

import datetime as dt
import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sightline import _core
from sightline.exceptions import DataError, ParameterError
from sightline.table._column import Column
from sightline.table.sheets._blocks import without_other_tables, without_side_blocks
from sightline.table.sheets._errors import stored_errors
from sightline.table.sheets._flags import text_flags_as_booleans
from sightline.table.sheets._merges import fill_merged
from sightline.table.sheets._shown_cells import ShownNumber, show_numbers
from sightline.table.sheets._shown_format import ShownFormat
from sightline.table.sheets._times import duration_of, duration_text, long_times_as_durations
from sightline.table.sheets._xml import cell_name, sheet_extent, sheet_facts
from sightline.wording import list_names

__all__ = ["empty_column_notes", "is_workbook", "sheet_text"]

_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP_MAGIC = b"PK\x03\x04"
_MAX_SHEETS = 10
_FREE_CELLS = 1 << 24
"""Up to here, empty cells between those with a value are harmless; calamine stores every one."""
_MAX_LOOK = 100
_NUMBER_MARK = "\x02"
"""Stands before a number, so that the reader tells it from text such as 1.234."""
_SPECIAL = re.compile('[,;|^~"\t\x01\x1f]|^#')
"""Text that is more than one cell, or a comment, unless it is in quotes."""
_MAX_WRITTEN_OUT = 1e21
"""Whole numbers above this are quantities, not keys, and are written with an exponent."""


class SheetText(NamedTuple):
    """One sheet as CSV, what had to be chosen, and the units that number formats show, by name of column."""

    text: bytes
    notes: list[str]
    units: dict[str, str]


def is_workbook(content: bytes) -> bool:
    """Whether a file is a workbook, or at least packed like one."""
    return content.startswith((_OLE_MAGIC, _ZIP_MAGIC))


def sheet_text(path: Path, content: bytes, sheet: str | int | None) -> SheetText:
    """Return one sheet as CSV, line by line as in the sheet.

    Numbers keep all their digits. Dates are written as 2024-03-01, times as 12:30:00.

    Parameters
    ----------
    path : Path
        The file, for error messages.
    content : bytes
        Its bytes.
    sheet : str, int or None
        Name or index of the sheet. None means the first one with a table, hidden ones last.

    Raises
    ------
    DataError
        If the workbook cannot be read or has no cells.
    ParameterError
        If there is no such sheet.
    ImportError
        If python-calamine is not installed.
    """
    try:
        import python_calamine  # noqa: PLC0415 - optional
    except ImportError as error:
        raise ImportError(
            f"{path}: Excel files need python-calamine: pip install python-calamine. Or save as CSV."
        ) from error
    try:
        workbook = python_calamine.CalamineWorkbook.from_object(io.BytesIO(content))
        names = list(workbook.sheet_names)
        wanted = _visible_first(workbook) if sheet is None else [_named(path, names, sheet)]
        name, rows, joined = _first_table(workbook, wanted, path, content)
    except python_calamine.PasswordError as error:
        raise DataError(f"{path}: the workbook has a password. Save it without one, or as CSV.") from error
    except python_calamine.CalamineError as error:
        if _is_archive(content):
            raise DataError(f"{path}: this is a zip archive. Unpack it first.") from error
        raise DataError(f"{path}: this is not a workbook, or it is damaged ({error}).") from error
    except BaseException as error:
        # Rust code that panics, as calamine does with some damaged files, raises what is no Exception.
        if type(error).__name__ != "PanicException":
            raise
        raise DataError(f"{path}: this is not a workbook, or it is damaged ({error}).") from error
    if not rows:
        raise DataError(f"{path}: {'the workbook' if sheet is None else f'sheet {sheet!r}'} is empty.")
    facts = sheet_facts(content, name)
    shape = len(rows), max(map(len, rows))
    long_times_as_durations(rows)
    text_flags_as_booleans(rows)
    shown = show_numbers(rows, facts.formats)
    _show_errors(rows, facts.errors or stored_errors(content, name, shape))
    rows, notes = without_side_blocks(rows)
    rows, stacked = without_other_tables(rows)
    notes += [*joined, *stacked, *facts.notes(rows), *shown.notes]
    others = [other for other in names if other != name]
    if sheet is None and others:
        listed = list_names([*map(repr, others)], _MAX_SHEETS)
        notes.insert(0, f"Read sheet {name!r}. The workbook also has {listed}; choose with sheet= (--sheet).")
    return SheetText(_csv_of(rows), notes, shown.units)


def _is_archive(content: bytes) -> bool:
    """Whether a file is an archive of files, none of which belongs to a workbook."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return not {"[Content_Types].xml", "mimetype"} & set(archive.namelist())
    except zipfile.BadZipFile:
        return False


def _first_table(
    workbook: Any, names: list[str], path: Path, content: bytes
) -> tuple[str, list[list[object]], list[str]]:
    """Return the first sheet with two rows of several cells, else the first one with cells.

    It comes with its name before it, and what to tell about its header after it.
    """
    found: tuple[str, list[list[object]], list[str]] = ("", [], [])
    for name in names:  # and no more than needed: to read a sheet takes long
        rows, notes = _rows_of(workbook, name, path, content)
        if sum(sum(cell != "" for cell in row) > 1 for row in rows[:_MAX_LOOK]) > 1:
            return name, rows, notes
        found = found if found[1] else (name, rows, notes)
    return found


def _named(path: Path, names: list[str], sheet: str | int) -> str:
    if sheet in names:
        return str(sheet)
    if str(sheet).isdecimal() and int(sheet) < len(names):
        return names[int(sheet)]
    raise ParameterError(
        f"{path}: there is no sheet {sheet!r}. The sheets are {list_names([*map(repr, names)], _MAX_SHEETS)}."
    )


def _rows_of(workbook: Any, name: str, path: Path, content: bytes) -> tuple[list[list[object]], list[str]]:
    n_rows, n_columns, size = sheet_extent(content, name)
    if n_rows * n_columns > max(_FREE_CELLS, size):
        raise DataError(
            f"{path}: the last cell of sheet {name!r} is {cell_name(n_rows - 1, n_columns - 1)}, and "
            "nearly all before it are empty. Delete the cells far from the table, or save it as CSV."
        )
    sheet = workbook.get_sheet_by_name(name)
    rows: list[list[object]] = sheet.to_python(skip_empty_area=False)
    notes = fill_merged(rows, sheet.merged_cell_ranges or ())
    return (rows if any(cell != "" for row in rows for cell in row) else []), notes


def _show_errors(rows: list[list[object]], errors: Mapping[tuple[int, int], str]) -> None:
    """Write errors such as #VALUE! into their cells, which calamine leaves empty."""
    for (row, column), text in errors.items():
        if row < len(rows) and column < len(rows[row]):
            rows[row][column] = text


def _visible_first(workbook: Any) -> list[str]:
    import python_calamine  # noqa: PLC0415 - optional

    visible = python_calamine.SheetVisibleEnum.Visible
    return [
        sheet.name for sheet in sorted(workbook.sheets_metadata, key=lambda sheet: sheet.visible != visible)
    ]


def empty_column_notes(columns: Sequence[Column]) -> list[str]:
    """Tell columns without a value, such as results of formulas that no program has computed yet."""
    return [
        f"Column {column.name!r} is empty in every row. If it holds formulas, open the workbook in a "
        "spreadsheet program and save it, so that it stores their results."
        for column in columns
        if column.is_missing.all()
    ]


def _csv_of(rows: Sequence[Sequence[object]]) -> bytes:
    """Write the cells between tabs: a comma would mean that points are decimal points."""
    lines = ("\t".join(cells) if any(cells) else "" for cells in ([*map(_cell_text, row)] for row in rows))
    # An empty row stays one line, so that the numbers of lines are those of the sheet.
    return "".join(f"{line}\n" for line in lines).encode()


def _cell_text(cell: object) -> str:
    if isinstance(cell, float):
        is_short = cell.is_integer() and abs(cell) < _MAX_WRITTEN_OUT
        text = str(int(cell)) if is_short else repr(cell)
        return f"{_NUMBER_MARK}{_with_unit(text, cell.format) if isinstance(cell, ShownNumber) else text}"
    if isinstance(cell, dt.datetime):
        return str(cell.date()) if cell.time() == dt.time() else str(cell)
    length = cell if isinstance(cell, dt.timedelta) else duration_of(str(cell))
    if length is not None:
        return duration_text(length)
    # On one line, so that the numbers of lines are those of the sheet.
    text = " ".join(str(cell).replace(_NUMBER_MARK, "").splitlines()).strip()
    needs_quotes = _SPECIAL.search(text) is not None and not _core.is_missing_marker(text)
    return '"' + text.replace('"', '""') + '"' if needs_quotes else text


def _with_unit(number: str, shown: ShownFormat) -> str:
    # Three digits after the point of 1.234 kg would look like thousands.
    return shown.with_unit(f"{number}0" if number[-4:-3] == "." else number)
