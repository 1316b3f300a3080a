"""What the XML of an Excel sheet says besides values: errors, unsolved formulas, hidden cells, formats."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape

from sightline.table.sheets._shown_format import ShownFormat, shown_formats
from sightline.wording import list_names, pluralize

__all__ = [
    "DAMAGE",
    "ColumnFormats",
    "SheetFacts",
    "cell_name",
    "column_letters",
    "sheet_extent",
    "sheet_facts",
]

_BLOCK = 1 << 20
_MAX_SHOWN = 10
_N_LETTERS = 26
_MAX_COLUMNS = 1 << 14  # of Excel
_MAX_STYLES = 1 << 26  # bytes
_STYLES = "xl/styles.xml"
# Without \b, a search for the first bytes finds the cells in half the time.
_CELL = re.compile(rb'r="([A-Z]+)(\d+)"')
# Here and below, at most as many bytes as attributes take, so that tags that do not end take linear time.
_COLUMN = re.compile(rb'r="([A-Z]+)\d+"([^<>]{0,200})>')
_FORMATTED = re.compile(rb'r="([A-Z]+)(\d+)"([^<>]{0,200})>')
_FORMAT = re.compile(rb'\bs="(\d{1,9})"')
_OTHER_TYPE = re.compile(rb'\bt="(?!n")')
_ROW_END = re.compile(rb"</(?:\w+:)?row>")
_HIDDEN_ROW = re.compile(rb'<(?:\w+:)?row\b[^<>]{0,300}?\br="(\d+)"[^<>]{0,300}?\bhidden="(?:1|true)"')
_HIDDEN_COLUMNS = re.compile(rb'<(?:\w+:)?col\b(?=[^<>]{0,300}\bhidden="(?:1|true)")[^<>]{0,300}>')
_ERROR = re.compile(
    rb'<(?:\w+:)?c\b(?=[^<>]{0,300}\bt="e")[^<>]{0,300}?\br="([A-Z]+)(\d+)"[^<>]{0,300}>'
    rb"(?:<(?:\w+:)?f\b(?:[^<>]{0,300}/>|[^<>]{0,300}>[^<]*</(?:\w+:)?f>))?<(?:\w+:)?v>([^<]*)<"
)
# A formula whose result is empty text has the type str.
_UNSOLVED = re.compile(
    rb'<(?:\w+:)?c\b(?![^<>]{0,300}\bt="str")[^<>]{0,300}?\br="([A-Z]+)(\d+)"[^<>]{0,300}>'
    rb"<(?:\w+:)?f\b(?:[^<>]{0,300}/>|[^<>]{0,300}>[^<]*</(?:\w+:)?f>)"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?</(?:\w+:)?c>"
)


DAMAGE = (zipfile.BadZipFile, zlib.error, KeyError, ValueError, EOFError, OSError, RuntimeError)
"""What an .xls file raises, or one that is unlike those of Excel."""


@dataclass(frozen=True)
class ColumnFormats:
    """Which formats show the numbers of one column.

    Parameters
    ----------
    every : ShownFormat or None
        The format of all numbers; None if they differ.
    by_row : dict of int to ShownFormat
        The formats of rows, from 0, if they differ. Other rows show the number only.
    """

    every: ShownFormat | None = None
    by_row: dict[int, ShownFormat] = field(default_factory=dict)

    def of(self, row: int) -> ShownFormat | None:
        """Return the format of the number in a row, None if it shows the number only."""
        return self.by_row.get(row, self.every)


@dataclass
class SheetFacts:
    """Facts about the cells of one sheet, by row and column from 0.

    Attributes
    ----------
    errors : dict of (int, int) to str
        Cells that show an error such as #VALUE! instead of a value.
    unsolved : list of (int, int)
        Cells with a formula whose result is not stored.
    hidden_rows : list of int
        Rows that are hidden, by a filter or by hand.
    hidden_columns : list of int
        Columns that are hidden.
    formats : dict of int to ColumnFormats
        How numbers are shown, by column, where that is a code or has a unit.
    """

    errors: dict[tuple[int, int], str] = field(default_factory=dict)
    unsolved: list[tuple[int, int]] = field(default_factory=list)
    hidden_rows: list[int] = field(default_factory=list)
    hidden_columns: list[int] = field(default_factory=list)
    formats: dict[int, ColumnFormats] = field(default_factory=dict)

    def notes(self, rows: Sequence[Sequence[object]]) -> Iterator[str]:
        """Yield what to tell about a sheet, of which these rows are read; "" is an empty cell."""
        hidden = [
            row for row in self.hidden_rows if row < len(rows) and any(cell != "" for cell in rows[row])
        ]
        columns = [column_letters(column) for column in self.hidden_columns if _has_cells(rows, column)]
        unsolved = [cell for cell in self.unsolved if _has_cells(rows, cell[1])]
        if hidden:
            yield (
                f"Row {hidden[0] + 1} of the sheet is hidden. It is read like the others."
                if len(hidden) == 1
                else f"The sheet has {len(hidden):,} hidden rows, the first is row {hidden[0] + 1}. "
                "They are read like the others."
            )
        if columns:
            are = "column is" if len(columns) == 1 else "columns are"
            yield f"Hidden {are} read too: {list_names(columns, _MAX_SHOWN)} of the sheet."
        # Whoever reads the columns tells that one is empty.
        if unsolved:
            yield (
                f"The sheet has {pluralize(len(unsolved), 'formula')} without a stored result, first in "
                f"cell {cell_name(*unsolved[0])}. Such cells are read as missing. Open the workbook in a "
                "spreadsheet program and save it, so that it stores the results."
            )


def _has_cells(rows: Sequence[Sequence[object]], column: int) -> bool:
    """Whether a column has a cell besides its name."""
    filled = (row for row in rows if column < len(row) and row[column] != "")
    return next(filled, None) is not None and next(filled, None) is not None


def sheet_facts(content: bytes, name: str) -> SheetFacts:
    """Return the facts about one sheet of an .xlsx file; none about workbooks of other formats.

    Parameters
    ----------
    content : bytes
        The file, which another library has read without error.
    name : str
        The sheet.
    """
    facts = SheetFacts()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            part = _part_of(archive, name)
            formats = _shown_formats(archive) if part is not None else {}
            # Cells have few different attributes, so that most sheets need not be taken apart cell by cell.
            tags: set[tuple[bytes, bytes]] = set()
            for block in _blocks(archive, part) if part is not None else ():
                _collect(block, facts)
                if formats:
                    tags.update(_COLUMN.findall(block))
            if part is not None and formats:
                facts.formats = _formats_of_columns(archive, part, formats, tags)
    except DAMAGE:
        return SheetFacts()
    return facts


def sheet_extent(content: bytes, name: str) -> tuple[int, int, int]:
    """Return how far the cells of a sheet reach: rows, columns, and the bytes of its XML.

    All are 0 for workbooks of other formats than .xlsx.
    """
    last_row = last_column = size = 0
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            part = _part_of(archive, name)
            for block in _blocks(archive, part) if part is not None else ():
                cells = _CELL.findall(block)
                letters, numbers = {one for one, _ in cells}, {row for _, row in cells}
                last_row = max(last_row, *map(int, numbers), 0)
                last_column = max(last_column, *(_column_index(one) + 1 for one in letters), 0)
                size += len(block)
    except DAMAGE:
        return 0, 0, 0
    return last_row, last_column, size


def _formats_of_columns(
    archive: zipfile.ZipFile,
    part: str,
    formats: Mapping[int, ShownFormat],
    tags: Collection[tuple[bytes, bytes]],
) -> dict[int, ColumnFormats]:
    shown: dict[bytes, set[ShownFormat | None]] = {}
    for letters, attributes in tags:
        if _is_number(attributes):
            shown.setdefault(letters, set()).add(formats.get(_format_in(attributes)))
    one = {letters: next(iter(found)) for letters, found in shown.items() if len(found) == 1}
    result = {letters: ColumnFormats(every) for letters, every in one.items() if every is not None}
    differing = {letters: ColumnFormats() for letters, found in shown.items() if len(found) > 1}
    for block in _blocks(archive, part) if differing else ():
        for letters, row, attributes in _FORMATTED.findall(block):
            if letters in differing and (found := formats.get(_format_in(attributes))) is not None:
                differing[letters].by_row[int(row) - 1] = found
    return {_column_index(letters): found for letters, found in {**result, **differing}.items()}


def _shown_formats(archive: zipfile.ZipFile) -> dict[int, ShownFormat]:
    is_there = _STYLES in archive.namelist() and archive.getinfo(_STYLES).file_size <= _MAX_STYLES
    return shown_formats(archive.read(_STYLES)) if is_there else {}


def _is_number(attributes: bytes) -> bool:
    """Whether a cell may hold a number: it is not empty, and has no other type."""
    return not attributes.endswith(b"/") and _OTHER_TYPE.search(attributes) is None


def _format_in(attributes: bytes) -> int:
    found = _FORMAT.search(attributes)
    return 0 if found is None else int(found[1])


def cell_name(row: int, column: int) -> str:
    """Return the name of a cell.

    Examples
    --------
    >>> cell_name(0, 0), cell_name(41, 27)
    ('A1', 'AB42')
    """
    return f"{column_letters(column)}{row + 1}"


def column_letters(column: int) -> str:
    """Return the letters of a column: A, B, …, Z, AA, …."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, _N_LETTERS)
        letters = chr(ord("A") + rest) + letters
    return letters


def _column_index(letters: bytes) -> int:
    index = 0
    for letter in letters:
        index = _N_LETTERS * index + letter - ord("A") + 1
    return index - 1


def _part_of(archive: zipfile.ZipFile, name: str) -> str | None:
    """Return the path of a sheet in the archive."""
    if "xl/workbook.xml" not in archive.namelist():
        return None
    workbook = archive.read("xl/workbook.xml").decode(errors="replace")
    relations = archive.read("xl/_rels/workbook.xml.rels").decode(errors="replace")
    for tag in re.findall(r"<(?:\w+:)?sheet\b[^<>]*>", workbook):
        if unescape(_attribute(tag, "name")) == name:
            identifier = _attribute(tag, r"\w+:id")
            for relation in re.findall(r"<(?:\w+:)?Relationship\b[^<>]*>", relations):
                if _attribute(relation, "Id") == identifier:
                    target = _attribute(relation, "Target")
                    return target[1:] if target.startswith("/") else f"xl/{target}"
    return None


def _attribute(tag: str, name: str) -> str:
    found = re.search(rf"""\s{name}=(?:"([^"]*)"|'([^']*)')""", tag)
    return "" if found is None else found[1] or found[2] or ""


def _blocks(archive: zipfile.ZipFile, part: str) -> Iterator[bytes]:
    """Yield the XML of a sheet in blocks that end with a row."""
    rest = b""
    with archive.open(part) as file:
        while block := file.read(_BLOCK):
            block = rest + block
            end = max((found.end() for found in _ROW_END.finditer(block)), default=0)
            yield block[:end]
            rest = block[end:]
    yield rest


def _collect(block: bytes, facts: SheetFacts) -> None:
    # Searching for a few bytes is much faster than matching every cell.
    if b't="e"' in block:
        for letters, row, text in _ERROR.findall(block):
            facts.errors[int(row) - 1, _column_index(letters)] = unescape(text.decode(errors="replace"))
    if b"f>" in block or b"f " in block:
        facts.unsolved += [
            (int(row) - 1, _column_index(letters)) for letters, row in _UNSOLVED.findall(block)
        ]
    if b'hidden="' in block:
        facts.hidden_rows += [int(row) - 1 for row in _HIDDEN_ROW.findall(block)]
        for tag in _HIDDEN_COLUMNS.findall(block):
            first, last = (int(_attribute(tag.decode(), end)) for end in ("min", "max"))
            facts.hidden_columns += range(first - 1, min(last, _MAX_COLUMNS))
