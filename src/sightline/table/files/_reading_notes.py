"""Notes on how a text file was read: doubts, odd cells, skipped lines."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sightline import _core
from sightline.table._column import number_of
from sightline.table._schema import MAX_NAMES
from sightline.table.dates import is_date
from sightline.wording import list_names, option_text, pluralize, printable, shortened

if TYPE_CHECKING:
    pass

__all__ = ["category_remedy", "mark_note", "proved_mark_note", "reading_notes"]

_MAX_SHOWN = 3
_MAX_LENGTH = 40
_MIN_SCALE = 3
_NUMBER = re.compile(r"[^A-Za-z_\t\n\"]{0,4}\d[^\t\n\"]*\Z")
_MARKS = {".": "points", ",": "commas"}


def reading_notes(
    parsed: _core.ParsedTable,
    exempt: Iterable[str] = (),
    target: str | None = None,
    has_quotes: bool = True,
    dropped: Collection[str] = (),
) -> Iterator[str]:
    """Yield one sentence for each doubtful reading of a file.

    Parameters
    ----------
    parsed : ParsedTable
        The columns of the file.
    exempt : iterable of str
        Columns to skip, because the caller declared their kinds.
    target : str, optional
        The column of the labels, whose missing cells `label_notes` tells.
    has_quotes : bool, default=True
        Whether quotes can mark a cell as text, as they can in text files.
    dropped : collection of str
        Names of rows that were dropped, such as "Total". In a column of numbers, they need no note.
    """
    every = [parsed[index] for index in range(len(parsed))]
    columns = [column for column in every if column.name not in set(exempt)]
    yield from _skipped(parsed)
    yield from _doubtful_lines(parsed)
    if looks := _row_as_header(parsed):
        yield f"The first line {looks} became the column names. If it is a row, add a header line above it."
    if parsed.has_row_names:
        yield (
            "The rows have one more cell than the header, as in files written "
            f"by R. So the first column holds row names and is called {parsed[0].name!r}."
        )
    yield from _doubts(columns)
    for column in columns:
        are_dropped = {stray.text for stray in column.strays} <= set(dropped)
        yield from (_strays(column) if not are_dropped or column.n_strays > len(dropped) else ())
        yield from (_conversions(column) if not column.is_nominal else ())
        yield from _codes(column)
    yield from _errors(every)
    yield from _missing_words([column for column in every if column.name != target], has_quotes)


def category_remedy(word: str, noun: str, has_quotes: bool) -> str:
    """Say what to do if a word that is read as missing is a category or class."""
    return f"If {word} is a {noun}, {'put it in quotes' if has_quotes else 'use another word'}."


def mark_note(names: list[str], earlier: str) -> str:
    """Say which columns are read with the mark of their file, not of earlier rows; empty if none are.

    Examples
    --------
    >>> print(mark_note(["price"], ","))
    Column 'price' is read with decimal points, as the other columns of the file. The earlier table has \
decimal commas. If this file has them too, pass decimal=',' (--decimal ,).
    """
    if not names:
        return ""
    noun, verb = ("Column", "is") if len(names) == 1 else ("Columns", "are")
    here = _MARKS["," if earlier == "." else "."]
    return (
        f"{noun} {list_names([*map(repr, names)], MAX_NAMES)} {verb} read with decimal {here}, as the other "
        f"columns of the file. The earlier table has decimal {_MARKS[earlier]}. If this file has them too, "
        f"pass decimal={earlier!r} (--decimal {earlier})."
    )


def proved_mark_note(names: list[str], earlier: str) -> str:
    """Say which columns can only be read with another mark than earlier rows; empty if there are none.

    Examples
    --------
    >>> print(proved_mark_note(["price"], "."))
    Column 'price' has decimal commas, but the earlier table was read with decimal points. If the points in \
it are between thousands, read it again with decimal=',' (--decimal ,).
    """
    if not names:
        return ""
    noun, verb = ("Column", "has") if len(names) == 1 else ("Columns", "have")
    mark = "," if earlier == "." else "."
    return (
        f"{noun} {list_names([*map(repr, names)], MAX_NAMES)} {verb} decimal {_MARKS[mark]}, but the earlier "
        f"table was read with decimal {_MARKS[earlier]}. If the {_MARKS[earlier]} in it are between "
        f"thousands, read it again with decimal={mark!r} (--decimal {mark})."
    )


def _quoted(text: str) -> str:
    return f"'{printable(shortened(text, _MAX_LENGTH))}'"


def _skipped(parsed: Any) -> Iterator[str]:
    """Say which lines are no rows; the one below the header holds units or types."""
    names = [parsed[index].name for index in range(len(parsed))]
    for n_above, line in enumerate(parsed.skipped):
        # If only titles are above it, the line before is the header. A header may be repeated, too.
        is_below_header = line.line == n_above + 2 and not all(name in line.text for name in names)
        what = "looks like units or types of the columns" if is_below_header else "is not a row of the table"
        yield f"Line {line.line} {what} and was skipped: {_quoted(line.text)}."


def _doubtful_lines(parsed: Any) -> Iterator[str]:
    """Say which lines were read as rows, but may belong to the header or be a note."""
    if parsed.second_header:
        yield (
            f"Line {parsed.second_header} is read as a row, but may be a second line of the header. If so, "
            "join it with the line above."
        )
    if parsed.later_header:
        yield (
            f"Line {parsed.later_header} is read as a row, but may be the header: the lines above it have "
            "fewer cells. If so, remove them."
        )
    if parsed.comment_header:
        yield (
            f"Line {parsed.comment_header} became the column names, but begins with #, as comments do. If it "
            "is a comment, remove it."
        )
    if parsed.last_note.count:
        yield f"The last row, {_cell(parsed.last_note)}, may be a note below the table. If so, remove it."


def _row_as_header(parsed: Any) -> str:
    """Say why the header looks like a row; nothing if it does not."""
    columns = [column for index in range(len(parsed)) if (column := parsed[index]).is_named]
    numbers = [column.name for column in columns if number_of(column.name) is not None]
    if numbers and len(numbers) == len(columns):
        return "holds only numbers, which"
    # Text above a column of numbers is its name.
    may_be_row = bool(numbers) or all(column.is_nominal for column in columns)
    repeated = [column.name for column in columns if may_be_row and column.name in column.values]
    if numbers and repeated:
        return f"holds numbers and {_quoted(repeated[0])}, as the rows do, and"
    values = [column.name for column in columns if _is_value_of(column)]
    if values and not _is_scale(values):
        return f"holds {_quoted(values[0])}, as the rows do, and"
    return (
        f"holds {_quoted(repeated[0])}, as the rows do, and" if 2 * len(repeated) > len(columns) - 1 else ""
    )


def _is_value_of(column: Any) -> bool:
    """Whether the name of a column is no name, but a fraction, date, time, amount or share like its cells."""
    if column.is_nominal:
        return is_date(column.name) and is_date(next(iter(column.values), ""))
    number = number_of(column.name)
    if number is not None or not _NUMBER.match(column.name):
        return number is not None and not number.is_integer()
    text = f"x\ty\n{column.name}\t1\n".encode()
    try:
        parsed = _core.parse_delimited(text, column.decimal, "", "", [], [])
    except ValueError:  # A key such as 7e5432 would be infinite.
        return False
    name = parsed[0]
    if name.is_nominal or name.unit != column.unit:
        return False
    return bool(name.unit) or not float(parsed.cells(0)[0]).is_integer()


def _is_scale(names: list[str]) -> bool:
    """Whether names are a rising scale, such as quantiles and wavelengths."""
    numbers = [number_of(name) for name in names]
    rising = (low is not None and high is not None and low < high for low, high in pairwise(numbers))
    return len(names) >= _MIN_SCALE and all(rising)


def _doubts(columns: list[Any]) -> Iterator[str]:
    """Say which decimal mark was assumed for ambiguous columns."""
    for mark, is_decimal in ((".", True), (".", False), (",", True), (",", False)):
        doubtful = [
            repr(column.name)
            for column in columns
            if column.is_doubtful and (column.decimal == mark) == is_decimal and _mark_of(column) == mark
        ]
        if not doubtful:
            continue
        noun = "Column" if len(doubtful) == 1 else "Columns"
        verb = "is" if len(doubtful) == 1 else "are"
        taken = f"decimal {_MARKS[mark]}" if is_decimal else f"{_MARKS[mark]} between thousands"
        other = f"{_MARKS[mark]} between thousands" if is_decimal else f"decimal {_MARKS[mark]}"
        choice = mark if not is_decimal else "," if mark == "." else "."
        yield (
            f"{noun} {list_names(doubtful, MAX_NAMES)} {verb} read with {taken}. If they have {other} "
            f"instead, pass decimal={choice!r} (--decimal {choice})."
        )


def _mark_of(column: Any) -> str:
    """Return the mark in the numbers of a doubtful column: between thousands, else the decimal mark."""
    return str(column.thousands or column.decimal)


def _strays(column: Any) -> Iterator[str]:
    strays = column.strays
    if not column.n_strays or (not column.is_nominal and all(stray.text == "." for stray in strays)):
        return
    shown = [_cell(stray) for stray in strays[:_MAX_SHOWN]]
    numbers = f"numbers with {column.unit!r}" if column.unit not in ("", ":") else "numbers"
    if column.n_strays == 1:
        others, cells = shown[0], "This cell is"
    else:
        others = f"{pluralize(column.n_strays, 'other cell')}, such as {list_names(shown)}"
        cells = "These cells are"
    yield f"Column {column.name!r} holds {numbers}, but also {others}. {_treatment(column, cells)}"


def _conversions(column: Any) -> Iterator[str]:
    """Say which numbers are written differently from most of their column, and how they are read."""
    if column.converted.count:
        yield (
            f"Column {column.name!r} holds numbers in several units, such as {_cell(column.converted)}. "
            f"They are converted to {column.unit!r}, the unit of most cells."
        )
    if column.without_currency.count:
        yield (
            f"Column {column.name!r} holds numbers with and without a currency, such as "
            f"{_cell(column.without_currency)}. They are read as amounts of the same currency."
        )
    if column.other_mark.count:
        other = "," if column.decimal == "." else "."
        yield (
            f"Column {column.name!r} holds numbers with decimal {_MARKS[column.decimal]}, but "
            f"{column.other_mark.count:,} with decimal {_MARKS[other]}, such as {_cell(column.other_mark)}. "
            "Each is read with its own mark."
        )
    if column.undecided.count:
        cells = pluralize(column.undecided.count, "cell")
        are_read = "It is read" if column.undecided.count == 1 else "They are read"
        yield (
            f"In column {column.name!r}, {cells} such as {_cell(column.undecided)} can be read with either "
            f"mark. {are_read} as missing."
        )


def _codes(column: Any) -> Iterator[str]:
    """Say which cells were read as codes or as numbers, but might be the other."""
    if column.code.count:
        yield (
            f"Column {column.name!r} has leading zeros, as in {_cell(column.code)}, so it is read as "
            f"{len(column.values):,} unordered categories. To read numbers, pass "
            f"kinds={{{column.name!r}: 'numeric'}} ({option_text('--numeric', column.name)})."
        )
    if column.inexact.count and column.is_nominal:
        yield (
            f"Column {column.name!r} holds whole numbers of {len(column.inexact.text)} digits, such as "
            f"{_cell(column.inexact)}. They are read as {len(column.values):,} unordered categories."
        )
    elif column.inexact.count:
        yield (
            f"Column {column.name!r} holds whole numbers above 2^53, such as {column.inexact.text} "
            f"(line {column.inexact.line}), which are rounded to about 16 digits."
        )
    for cells, reading in (
        (column.power, "powers of ten"),
        (column.magnitude, "thousands (K), millions (M) or billions (B)"),
        (column.grade, "negative numbers"),
    ):
        if cells.count:
            yield (
                f"Column {column.name!r} holds cells such as {_cell(cells)}, which are read as {reading}. "
                f"If they are codes, pass kinds={{{column.name!r}: 'categorical'}} "
                f"({option_text('--categorical', column.name)})."
            )


def _errors(columns: list[Any]) -> Iterator[str]:
    """Say which columns hold errors such as #VALUE!."""
    found = [
        f"{column.error.count:,} in column {column.name!r} (first {_quoted(column.error.text)}, line "
        f"{column.error.line})"
        for column in columns
        if column.error.count
    ]
    if found:
        yield f"Spreadsheet errors are read as missing: {list_names(found, MAX_NAMES)}."


def _missing_words(columns: list[Any], has_quotes: bool) -> Iterator[str]:
    """Say which columns of text hold words that are missing values, but might be categories."""
    # Text in quotes shows that the file marks its text.
    texts = [column for column in columns if column.is_nominal and not (has_quotes and column.has_quotes)]
    for word in ("NA", "None"):
        named = [repr(column.name) for column in texts if word in {one.text for one in column.missing_words}]
        if named:
            noun = "column" if len(named) == 1 else "columns"
            yield (
                f"{word} is read as missing in the {noun} {list_names(named, MAX_NAMES)}. "
                f"{category_remedy(word, 'category', has_quotes)}"
            )


def _cell(stray: Any) -> str:
    return f"{_quoted(stray.text)} (line {stray.line})"


def _treatment(column: Any, cells: str) -> str:
    if not column.is_nominal:
        return f"{cells} read as missing."
    return (
        f"It is read as {len(column.values):,} unordered categories. "
        "To read numbers, write all cells in one format, or empty the others."
    )
