"""Read tables from files."""

import warnings
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import DataError, DataWarning, ParameterError
from sightline.table._arrow_file import ARROW_MAGIC, PARQUET_MAGIC, read_arrow_file
from sightline.table._categorical import CategoricalFeatures, declare_categorical
from sightline.table._category_variants import category_variant_notes
from sightline.table._column import (
    Column,
    are_whole,
    dates_as_nominal,
    exact_numbers,
    nominal_column,
    number_of,
)
from sightline.table._disguised import disguised_columns
from sightline.table._frame_notes import frame_notes
from sightline.table._labels import Labels
from sightline.table._number_format import NumberFormat, check_marks
from sightline.table._schema import MAX_NAMES, Feature, Schema
from sightline.table._table import Table, Target
from sightline.table._unlike_training import unlike_training
from sightline.table.dates import Order, check_order, parsed_dates, recognize_dates, without_missing_words
from sightline.table.files._column_kinds import ColumnKinds
from sightline.table.files._content import file_content
from sightline.table.files._foreign_file import check_readable, read_statistics_file
from sightline.table.files._group_cells import group_notes
from sightline.table.files._label_notes import label_notes, missing_target_note, rounded_label_notes
from sightline.table.files._month_numbers import month_notes
from sightline.table.files._reading_notes import mark_note, proved_mark_note, reading_notes
from sightline.table.files._sentinels import sentinel_notes
from sightline.table.files._summary_rows import find_summary_rows, last_words, without_rows
from sightline.table.files._text_encoding import utf8_of
from sightline.table.rows import Rows, is_pattern
from sightline.table.sheets import columns_beside, empty_column_notes, is_workbook, sheet_text
from sightline.wording import list_names

__all__ = ["read_file", "read_table"]

_NO_UNITS: Mapping[str, str] = {}
ARFF_KEYWORDS = (b"@relation", b"@attribute", b"@data")


def read_table(
    path: str | PathLike[str],
    target: str | None = None,
    *,
    categorical_features: CategoricalFeatures = "from_dtype",
    decimal: str | None = None,
    thousands: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    like: Table | Schema | None = None,
    kinds: Mapping[str, str] | None = None,
    date_order: str | None = None,
) -> Table | Rows:
    r"""Read a table from a CSV, ARFF, Excel, Parquet, Feather, SAS or Stata file, or from many of them.

    The format is detected from the content, not the name. CSV and ARFF may be gzipped.

    Parameters
    ----------
    path : str or path-like
        The file, a folder of files, or a pattern such as ``"rows/*.parquet"``. The files of a folder or
        pattern are the parts of one table; see :class:`sightline.Rows`.
    target : str, optional
        Column to predict. None means the last attribute of an ARFF file, and no target in any
        other file.
    categorical_features : "from_dtype", None, or list of names, indices or booleans, default="from_dtype"
        Which columns besides the target are nominal; see `Table.from_any`.
    decimal : {".", ","}, optional
        Decimal mark of the numbers in a text file. None detects it from all columns together.
    thousands : {",", ".", "'", " ", "none"}, optional
        Mark between thousands. None means any mark but the decimal one, where the digits are grouped.
    encoding : str, optional
        Encoding of a text file, by its name in Python. None detects it: from a byte order mark, else
        UTF-8, UTF-16 or, with a warning, Windows-1252.
    sheet : str or int, optional
        Name or index of the sheet of a workbook. None means the first one with a table.
    like : Table or Schema, optional
        Rows that were read before, or the columns of a model. The decimal mark of the
        table decides what this file leaves open. A column that is numeric there is numeric here,
        with a warning for every cell that is not a number, and one if the table had another unit;
        a column that is nominal there keeps its cells as they are.
    kinds : mapping of str to {"categorical", "numeric", "date", "id"}, optional
        Kinds of some columns, overriding detection. The cells of a categorical column stay as they
        are written, cells of a numeric column that are not numbers are missing, those of a date may be
        eight digits as in 20190301, and the column of kind "id" becomes ``row_names``. The kinds of all other
        columns are detected.
    date_order : {"dmy", "mdy"}, optional
        What 03/04/2019 means: the day first, or the month. None detects it from all columns together, with
        a warning if they do not.

    Returns
    -------
    Table, or Rows
        Rows if a folder or pattern has more than a million rows. The table holds the columns, the target
        in ``y`` and the instance weights of an ARFF file in ``weights``.
        A nominal target keeps its declared values. Whole numbers count as labels, except in ARFF.
        ``number_format`` says how the numbers of a text file were read.

    Raises
    ------
    DataError
        If the file cannot be read or is malformed. The message names the file and line.

    Warns
    -----
    DataWarning
        If a reading is doubtful: two decimal marks are possible, a column of
        numbers holds other cells, a text column holds dates, whole numbers are too large, lines
        are not part of the table, labels differ only in case or are missing in some rows, or the encoding
        was guessed.

    Notes
    -----
    The delimiter of a CSV file is detected: comma, semicolon, tab, bar or blanks. The first line is
    the header. Blank lines and comments (``#``) are skipped, and blanks around an unquoted cell are
    dropped. Unquoted cells that are empty or a marker such as ``NA N/A NaN nan NULL null None ? <NA> NaT
    (null) \N`` are missing, and so are errors of spreadsheets such as ``#VALUE!``, with a warning.

    A column is numeric if every known cell is a number as people write it: ``1.234,56``,
    ``$1,234.56``, ``12,3 %``, ``1'234``, ``(12.50)``, ``500,00-``, ``12:30``, ``30 min``. All cells
    must have the same unit, and the value is what is written: ``12 %`` is 12, and ``12:30`` is 12.5.
    A number with a leading zero as in ``007`` is a code, so its column is nominal. Where ``8.199``
    can be read in two ways, the other columns decide. Up to a tenth of other cells in a column of
    numbers are read as missing, with a warning. All other columns are nominal with their sorted
    distinct values.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "fruit.csv"
    >>> _ = path.write_text("weight;colour;kind\n150,5;red;apple\n1.120,0;yellow;melon\n")
    >>> table = read_table(path, target="kind")
    >>> table
    <Table 'fruit': 2 rows; 1 numeric, 1 nominal; target 'kind' of 2 classes>
    >>> table["weight"].values
    array([ 150.5, 1120. ])
    >>> table.number_format.decimal
    ','
    """
    options: dict[str, Any] = {
        "categorical_features": categorical_features,
        "decimal": decimal,
        "thousands": thousands,
        "encoding": encoding,
        "sheet": sheet,
        "like": like,
        "kinds": kinds,
        "date_order": date_order,
    }
    if is_pattern(path):
        chosen = {name: value for name, value in options.items() if value not in (None, "from_dtype")}
        return Rows(str(path), target, reading=chosen).in_memory_if_small()
    table = read_file(path, target, **options, stacklevel=3)
    if table.y is not None and (note := missing_target_note(table.y, table.target_name or "")):
        # Not in read_file: the command drops these rows, and says so.
        warnings.warn(f"{path}: {note}", DataWarning, stacklevel=2)
    return table


def read_file(
    path: str | PathLike[str],
    target: str | None = None,
    *,
    categorical_features: CategoricalFeatures = "from_dtype",
    decimal: str | None = None,
    thousands: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    like: Table | Schema | None = None,
    kinds: Mapping[str, str] | None = None,
    date_order: str | None = None,
    stacklevel: int = 2,
) -> Table:
    """Read one file; see :func:`read_table`."""
    path = Path(path)
    check_marks(decimal, thousands)
    schema = like.schema if isinstance(like, Table) else like
    known = {} if schema is None else {one.name: one for one in schema.features if not one.ignored}
    if decimal is None and thousands in (".", ","):
        decimal = "," if thousands == "." else "."
    content = file_content(path)
    declared = ColumnKinds(kinds or {})
    order = check_order(date_order)
    earlier = like.number_format.decimal if isinstance(like, Table) else ""
    maybe_thousands = _maybe_thousands(like) if isinstance(like, Table) and earlier else ()
    wanted = _TextOptions(
        path,
        target,
        categorical_features,
        decimal,
        thousands,
        known,
        declared,
        order,
        earlier,
        maybe_thousands,
    )
    found = _read_any(wanted, content, encoding, sheet)
    if found.is_arff and target is None:
        wanted = replace(wanted, target=found.table.names[-1])
    table = _finished(wanted, found)
    if like is not None:
        found.notes.extend(unlike_training(table, like))
    for note in found.notes:
        warnings.warn(f"{path}: {note}", DataWarning, stacklevel=stacklevel)
    return table


def _maybe_thousands(table: Table) -> set[str]:
    """Return the columns whose numbers all look like 1.100, 23.5 or 7: below 1,000, up to three decimals."""
    return {
        column.name
        for column in table.columns
        if not (column.feature.is_nominal or column.feature.kind) and _look_like_thousands(column.values)
    }


def _look_like_thousands(values: NDArray[np.float64]) -> bool:
    numbers = np.abs(values[np.isfinite(values)])
    thousandths = 1000 * numbers
    are_whole = np.abs(thousandths - np.rint(thousandths)) < 1e-6
    in_range = (numbers < 1000) & ((numbers >= 1) | (numbers == 0))
    return bool((numbers % 1).any() and (are_whole & in_range).all())


@dataclass(frozen=True)
class _TextOptions:
    """What the caller says about the file."""

    path: Path
    target: str | None
    categorical_features: CategoricalFeatures
    decimal: str | None
    thousands: str | None
    known: Mapping[str, Feature]
    """The columns that a model uses: they are read as it takes them."""
    kinds: ColumnKinds
    date_order: Order | None
    earlier_decimal: str = ""
    """Decimal mark of rows that were read before. It decides what the file leaves open."""
    maybe_thousands: Collection[str] = ()
    """Columns of these rows in which it may stand between thousands instead, as in 1.100 and 23.500."""

    @property
    def plain(self) -> set[str]:
        """Columns whose cells stay as they are written, because the caller says so, by name."""
        listed = self.categorical_features
        names = [] if listed is None or isinstance(listed, str) else listed
        return {name for name in names if isinstance(name, str)} | self.kinds.named(
            "categorical", "date", "id"
        )


@dataclass(frozen=True)
class _Found:
    """All columns of a file, with notes on how they were read."""

    table: Table
    notes: list[str] = field(default_factory=list)
    is_arff: bool = False
    is_workbook: bool = False
    parsed: _core.ParsedTable | None = None
    dropped_words: list[str] = field(default_factory=list)  # names of rows that hold totals or means
    beside: set[str] = field(default_factory=set)  # columns that are not a part of the table
    sheets: str = ""  # which sheet of a workbook was read, and which others there are


def _read_any(wanted: _TextOptions, content: bytes, encoding: str | None, sheet: str | int | None) -> _Found:
    path = wanted.path
    if content.startswith((PARQUET_MAGIC, ARROW_MAGIC)):
        return _Found(_table_of_frame(path, read_arrow_file(path, content)))
    if (frame := read_statistics_file(path, content)) is not None:
        return _Found(_table_of_frame(path, frame))
    if is_workbook(content):
        text, notes, units = sheet_text(path, content, sheet)
        found = _read_delimited(wanted, text, notes, units)
        found = replace(found, is_workbook=True, sheets=" ".join(notes))
        found.notes.extend(empty_column_notes(found.table.columns))
        return found
    check_readable(path, content)
    text, notes = utf8_of(path, content, encoding)
    if _looks_like_arff(text) or ".arff" in path.suffixes:
        return _Found(_table_of_parsed(path, _parsed(path, _core.parse_arff, text)), notes, is_arff=True)
    return _read_delimited(wanted, text, notes)


def _looks_like_arff(content: bytes) -> bool:
    """Whether the first line that is not blank or a comment is a declaration."""
    position = 0
    while position < len(content):
        end = content.find(b"\n", position)
        end = len(content) if end < 0 else end
        line = content[position:end].strip()
        if line and not line.startswith(b"%"):
            return line.lower().startswith(ARFF_KEYWORDS)
        position = end + 1
    return False


def _parsed(path: Path, parse: Any, *arguments: Any) -> Any:
    try:
        return parse(*arguments)
    except ValueError as error:
        raise DataError(f"{path}: {error}.") from error


def _read_delimited(
    wanted: _TextOptions, text: bytes, notes: list[str], units: Mapping[str, str] = _NO_UNITS
) -> _Found:
    plain, numeric = set(wanted.plain), wanted.kinds.named("numeric")
    for feature in wanted.known.values():
        if feature.name not in wanted.kinds.of and not feature.kind:
            (plain if feature.is_nominal else numeric).add(feature.name)
    parsed, note = _parsed_with_marks(wanted, text, sorted(plain), sorted(numeric - plain))
    notes.extend([note] if note else [])
    found = _Found(_table_of_parsed(wanted.path, parsed, units), notes, parsed=parsed)
    return _without_columns_beside(found, wanted)


def _parsed_with_marks(
    wanted: _TextOptions, text: bytes, plain: list[str], numeric: list[str]
) -> tuple[_core.ParsedTable, str]:
    """Return the columns of a text, and a note if its numbers have other marks than those read before."""
    thousands = "n" if wanted.thousands == "none" else wanted.thousands or ""

    def parsed_with(decimal: str) -> _core.ParsedTable:
        options = (decimal, thousands, wanted.target or "", plain, numeric)
        return _parsed(wanted.path, _core.parse_delimited, text, *options)  # type: ignore[no-any-return]

    parsed, earlier = parsed_with(wanted.decimal or ""), wanted.earlier_decimal
    if wanted.decimal is not None or not earlier or parsed.decimal == earlier:
        return parsed, ""
    as_before = parsed_with(earlier)
    columns = range(len(parsed))
    # A column that proves its mark keeps it, also where another one is asked for.
    proved = [
        parsed[index].name
        for index in columns
        if parsed[index].name in wanted.maybe_thousands and as_before[index].decimal not in ("", earlier)
    ]
    contradiction = proved_mark_note(proved, earlier)
    if any(parsed[index].is_doubtful for index in columns):
        # Cells that can only have the other mark leave the doubt, and its note.
        return parsed if _n_against(as_before) else as_before, contradiction
    changed = [
        index
        for index in columns
        if not (parsed[index].is_nominal or as_before[index].is_nominal)
        and not np.array_equal(parsed.cells(index), as_before.cells(index), equal_nan=True)
    ]
    if not changed and _n_against(as_before) < _n_against(parsed):
        return as_before, contradiction
    return parsed, mark_note([parsed[index].name for index in changed], earlier) or contradiction


def _n_against(parsed: _core.ParsedTable) -> int:
    """Return the number of cells with another mark than their column."""
    return sum(parsed[index].other_mark.count for index in range(len(parsed)))


def _without_columns_beside(found: _Found, wanted: _TextOptions) -> _Found:
    """Return what was found without columns that are not a part of the table; add to the notes."""
    parsed, table = found.parsed, found.table
    assert parsed is not None
    blocks = [parsed[index].block for index in range(len(parsed))]
    names = columns_beside(table.columns, blocks, {wanted.target, *wanted.known, *wanted.kinds.of})
    if not names:
        return found
    noun, were, them = ("Column", "was", "it") if len(names) == 1 else ("Columns", "were", "them")
    listed = list_names([*map(repr, names)], MAX_NAMES)
    found.notes.append(
        f"{noun} {listed} {were} not read: an empty column separates {them} from the table, which has more "
        "rows."
    )
    kept = [column for column in table.columns if column.name not in names]
    return replace(found, table=table.with_columns(kept), beside=set(names))


def _table_of_parsed(path: Path, parsed: _core.ParsedTable, shown: Mapping[str, str] = _NO_UNITS) -> Table:
    """Return the columns of a text; numbers without a unit have the one that a sheet shows with them."""
    columns, units = [], {}
    for index in range(len(parsed)):
        column = parsed[index]
        cells = parsed.cells(index)
        unit = column.unit or shown.get(column.name, "")
        columns.append(
            nominal_column(column.name, column.values, cells)
            if column.is_nominal
            else Column(Feature(column.name, unit=unit), cells)
        )
        if unit and not column.is_nominal:
            units[column.name] = unit
    weights = parsed.weights if len(parsed.weights) else None
    format_ = NumberFormat(parsed.decimal, parsed.thousands, units)
    return Table(columns, weights=weights, name=parsed.name or _stem(path), number_format=format_)


def _table_of_frame(path: Path, frame: Any) -> Table:
    try:
        return Table.from_any(frame)
    except DataError as error:
        raise DataError(f"{path}: {error}") from error


def _finished(wanted: _TextOptions, found: _Found) -> Table:
    """Return the table with its target, and with nominal columns as declared; add to the notes."""
    path, table, target = wanted.path, _without_totals(found), wanted.target
    features = [column for column in table.columns if column.name != target]
    if target is not None and len(features) == len(table.columns):
        # The most similar name comes first, so that the limit never hides it.
        alike = get_close_matches(target, table.names, n=1)
        names = alike + [name for name in table.names if name not in alike]
        known = list_names([repr(name) for name in names], MAX_NAMES)
        hint = f" Did you mean {alike[0]!r}?" if alike else ""
        if any(number_of(name) is not None for name in table.names):
            hint = " The first line may be a row. If so, add a header line above it."
        elif any(column.feature.is_nominal and target in column.to_list()[:2] for column in table.columns):
            hint = f" {target!r} appears in a line below. If that is the header, remove the lines above it."
        elif len(table.names) == 1 and "  " in table.names[0]:
            hint = " If its columns have a fixed width, save the table as CSV."
        elif found.sheets:
            hint = f" {found.sheets}"
        raise DataError(f"{path}: there is no column {target!r}. The columns are {known}.{hint}")
    if not [column for column in features if column.name != wanted.kinds.id_column]:
        raise DataError(f"{path}: there is no column besides the target {target!r}.")
    row_names = None
    try:
        wanted.kinds.check([column.name for column in features], target)
        if wanted.kinds.id_column is not None:
            row_names = table[wanted.kinds.id_column]
            features = [column for column in features if column is not row_names]
        features = _with_dates(wanted, found, features)
        features = declare_categorical(features, wanted.categorical_features, has_names=True)
        features = [wanted.kinds.applied(column) for column in features]
    except (DataError, ParameterError) as error:
        raise type(error)(f"{path}: {error}") from error
    y = None if target is None else _target_of(table[target], numbers_are_labels=not found.is_arff)
    finished = Table(
        features,
        y,
        table.weights,
        table.name or _stem(path),
        target,
        number_format=table.number_format,
        row_names=row_names,
    )
    found.notes.extend(_notes(wanted, found, finished))
    return finished


def _with_dates(wanted: _TextOptions, found: _Found, columns: list[Column]) -> list[Column]:
    """Convert the columns that hold dates in one clear format to dates; add to the notes."""
    known = wanted.known
    made = [
        _known_dates(wanted, found, column)
        if column.name in known and known[column.name].kind and column.feature.is_nominal
        else column
        for column in columns
    ]
    plain = (wanted.plain | known.keys()) - wanted.kinds.named("date")
    free = [column for column in made if column.name not in plain and not found.is_arff]
    by_mark: Order = "dmy" if found.table.number_format.decimal == "," else "mdy"
    dates, notes = recognize_dates(free, wanted.kinds.named("date"), wanted.date_order, by_mark)
    found.notes.extend(notes)
    column_of = {column.name: column for column in dates}
    return [column_of.get(column.name, column) for column in made]


def _known_dates(wanted: _TextOptions, found: _Found, column: Column) -> Column:
    """Return text as the dates that a model expects; add to the notes."""
    column, note = without_missing_words(column)
    found.notes.extend([note] if note else [])
    return parsed_dates(column, wanted.known[column.name], "the model", wanted.date_order)


def _notes(wanted: _TextOptions, found: _Found, table: Table) -> Iterator[str]:
    """Yield notes on columns and labels, except those that the caller declared."""
    told: set[str] = set()
    target = None if wanted.target is None else found.table[wanted.target]
    if found.parsed is not None:
        exempt = wanted.plain | found.beside
        yield from reading_notes(
            found.parsed, exempt, wanted.target, not found.is_workbook, found.dropped_words
        )
        told = {found.parsed[index].name for index in range(len(found.parsed)) if found.parsed[index].strays}
    elif not found.is_arff:
        new = [column for column in table.columns if column.name not in wanted.known]
        # Labels keep their digits.
        yield from frame_notes([*new, *([] if target is None else [replace(target, source=None)])])
    if not found.is_arff and isinstance(wanted.categorical_features, str):
        yield from sentinel_notes(table.columns)
        yield from group_notes(table.columns)
        yield from category_variant_notes(
            [column for column in table.columns if column.name not in wanted.known]
        )
        told |= set(wanted.kinds.of) | wanted.known.keys()
        others = [column for column in table.columns if column.name not in told]
        yield from month_notes(others)
        yield from disguised_columns(others)
    if isinstance(table.y, Labels) and target is not None:
        yield from label_notes(
            table.y, target.name, found.parsed, found.is_arff, has_quotes=not found.is_workbook
        )
        yield from rounded_label_notes(target)


def _without_totals(found: _Found) -> Table:
    """Return the columns of a file without the rows that are certainly totals or means of others."""
    parsed, table = found.parsed, found.table
    if parsed is None:
        return table
    summaries = find_summary_rows(table.columns, _last_words(parsed, table))
    if summaries is None:
        return table
    found.notes.extend(summaries.notes)
    if not summaries.certain:
        return table
    found.dropped_words.extend(summaries.certain.values())
    columns = without_rows(table.columns, list(summaries.certain))
    return Table(columns, name=table.name, number_format=table.number_format)


def _last_words(parsed: _core.ParsedTable, table: Table) -> list[str]:
    """Return the names of the last rows, such as "Total", if they stand in a column of numbers."""
    cells = {column.name: column for column in (parsed[index] for index in range(len(parsed)))}
    found: list[str] = []
    for column in table.columns:
        strays = [(stray.text, stray.count) for stray in cells[column.name].strays]
        words = last_words(strays, cells[column.name].n_strays)
        found = words if len(words) > len(found) and column.is_missing[-len(words) :].all() else found
    return found


def _target_of(column: Column, numbers_are_labels: bool) -> Target:
    column = dates_as_nominal(column)
    if column.feature.categories is not None:
        return Labels(column.values, np.array(column.feature.categories))
    is_known = ~column.is_missing
    numbers = exact_numbers(column)
    known = numbers[is_known]
    if not numbers_are_labels or not are_whole(known):
        return column.values
    classes, inverse = np.unique(known, return_inverse=True)
    codes: Any = np.full(len(column), -1, dtype=np.int32)
    codes[is_known] = inverse
    return Labels(codes, classes if classes.dtype.kind in "iu" else classes.astype(np.int64))


def _stem(path: Path) -> str:
    return path.name.removesuffix(".gz").rpartition(".")[0] or path.name
