"""How databases write names, strings and numbers."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from sightline.exceptions import ParameterError, UnsupportedModelError


@dataclass(frozen=True)
class PerRow:
    """How a dialect computes several columns of a row at once, so that they share their parts.

    Attributes
    ----------
    join : str
        Written after the table: joins the only row of ``{source}``, with ``{values}``, as ``{name}``.
    written : str
        How a value between 0 and 1 is listed there as ``{column}``.
    read : str
        How it is read back from ``{name}``, as ``{column}`` or by its ``{index}``.
    """

    join: str = "CROSS JOIN LATERAL (SELECT {values} FROM {source}) AS {name}"
    written: str = "{value} AS {column}"
    read: str = "{name}.{column}"


_IN_SECONDS = "EXTRACT(EPOCH FROM {})"
"""How PostgreSQL and DuckDB read an interval as seconds."""

_INSTANTS = {
    "date": ("{}", "DATE '{}'"),
    "datetime": ("{}", "TIMESTAMP '{}'"),
    "datetime UTC": ("{}", "TIMESTAMP '{}+00:00'"),
}
"""Dates of the standard."""


@dataclass(frozen=True)
class Dialect:
    """One dialect of SQL.

    Attributes
    ----------
    name : str
        Value of the option ``dialect``.
    title : str
        Name of the database, for messages.
    quotes : tuple of str
        What encloses a name; the second is doubled inside.
    number : callable
        Writes a double so that the database reads the same double.
    text : callable
        Writes a string.
    truth : tuple of str
        Literals of false and true.
    nan : str or None
        Condition that ``{}`` is NaN; None if the database has no NaN.
    collate : str
        Written after a column that is compared with strings, where equality would ignore case otherwise.
    folds_case : bool
        Whether column names ignore case.
    max_nesting : int
        How deep CASE expressions may nest.
    nests_selects : bool
        Whether SELECTs may nest as deep as there are classes.
    escapes_names : bool
        Whether names are escaped with backslashes instead.
    least, greatest : str
        The functions that return the smallest and the largest of several values.
    nan_to_null : str or None
        How ``{}`` is written as NULL if it is NaN; None if the database has no NaN.
    numeric : str
        How a numeric column is read, where it may hold strings.
    not_a_number : str or None
        Condition that ``{}`` is neither NULL, nor a number, nor a string that is one; None if
        the database itself refuses to compare such a value with a number.
    not_an_instant : str or None
        Condition that the column ``{0}``, which is read as ``{1}``, is neither NULL nor a date; None if the
        database has a type for dates.
    numeric_category : str
        How a column is read whose categories are numbers, where it may hold strings.
    truth_category : str
        How a column of booleans is read, where it may hold strings.
    reorders_rows : bool
        Whether a subquery changes the order of the rows, because the database turns it into a join.
        Such a statement numbers the rows and sorts by the number.
    per_row : PerRow
        How several columns of a row are computed at once.
    instants : dict of str to (str, str)
        Per kind of date, how its column ``{}`` is read, and how one of its instants ``{}`` is written.
    duration : str
        How a column of durations ``{}`` is read as seconds. As it is, it must hold seconds.
    """

    name: str
    title: str
    quotes: tuple[str, str]
    number: Callable[[float], str]
    text: Callable[[str], str]
    truth: tuple[str, str] = ("FALSE", "TRUE")
    nan: str | None = None
    collate: str = ""
    folds_case: bool = True
    max_nesting: int = 64
    nests_selects: bool = True
    escapes_names: bool = False
    least: str = "LEAST"
    greatest: str = "GREATEST"
    nan_to_null: str | None = None
    numeric: str = "{}"
    not_a_number: str | None = None
    not_an_instant: str | None = None
    numeric_category: str = "{}"
    truth_category: str = "{}"
    reorders_rows: bool = False
    per_row: PerRow = PerRow()
    instants: Mapping[str, tuple[str, str]] = field(default_factory=lambda: dict(_INSTANTS))
    duration: str = "{}"

    @classmethod
    def named(cls, name: str) -> Dialect:
        """Return the dialect of a name, or of one that SQLAlchemy, sqlglot or a driver uses for it."""
        known = _DIALECTS.get(_ALIASES.get(name, name))
        if known is None:
            raise ParameterError(f"There is no SQL dialect {name!r}. Choose from: {', '.join(_DIALECTS)}.")
        return known

    def identifier(self, name: str) -> str:
        """Quote the name of a column or table."""
        self._check_text(name)
        if not name and self.name != "sqlite":
            raise UnsupportedModelError(
                f"{self.title} cannot have a column with an empty name. Rename the feature ''."
            )
        if self.escapes_names:
            return f"{self.quotes[0]}{_backslashed(name, self.quotes[1])}{self.quotes[1]}"
        begin, end = self.quotes
        return f"{begin}{name.replace(end, end + end)}{end}"

    def value(self, value: Any) -> str:
        """Write a label or category."""
        if isinstance(value, bool):
            return self.truth[value]
        if isinstance(value, int):
            return str(value)
        if isinstance(value, float):
            return self.number(value)
        self._check_text(value)
        return self.text(value)

    def missing(self, column: str) -> str:
        """Write the condition that a number is missing."""
        return f"{column} IS NULL" + (f" OR {self.nan.format(column)}" if self.nan else "")

    def at_most(self, column: str, bound: float, kind: str, is_inside: bool = True) -> str:
        """Write the condition that a number is at most a bound or, if not inside, above it.

        Parameters
        ----------
        column : str
            The column, as :class:`Fields` reads it.
        bound : float
            The bound.
        kind : str
            What the numbers mean, as in :class:`Feature`. Dates are compared with the first day beyond, so
            that the condition also holds for columns that store times.
        is_inside : bool, default=True
            Which side.
        """
        if kind not in self.instants:
            return f"{column} {'<=' if is_inside else '>'} {self.number(bound)}"
        if kind == "date":
            day = dt.date(1970, 1, 1) + dt.timedelta(days=math.floor(bound) + 1)
            return f"{column} {'<' if is_inside else '>='} {self.instants[kind][1].format(day.isoformat())}"
        moment = dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=math.floor(bound * 1e6 + 0.3))
        text = moment.isoformat(" ", "microseconds")
        return f"{column} {'<=' if is_inside else '>'} {self.instants[kind][1].format(text)}"

    def _check_text(self, text: str) -> None:
        if "\0" in text:
            raise UnsupportedModelError(f"SQL strings end at a NUL, and {text!r} contains one. Rename it.")
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise UnsupportedModelError(
                f"{text!r} contains half a surrogate pair, which no database can store. Rename it."
            )


def _doubled(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _backslashed(text: str, quote: str = "'") -> str:
    for character, escape in (("\\", "\\\\"), (quote, f"\\{quote}"), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(character, escape)
    return text


def _national(text: str) -> str:
    # SQL Server drops a backslash together with the end of line after it, so the string is split there.
    broken = _doubled(text).replace("\\\n", "\\' + N'\n").replace("\\\r", "\\' + N'\r")
    return f"N{broken}"


def _scientific(number: float) -> str:
    """Write a number with an exponent. Without one, databases would read a decimal."""
    text = repr(number)
    return text.replace("e", "E") if "e" in text else f"{text}E0"


def _sqlite_number(number: float) -> str:
    """Write a number that every SQLite reads exactly, as a quotient if it has many digits.

    SQLite's parser rounds twice on some machines, and then misreads one number in a thousand. Numbers
    with at most four decimals and 15 digits in all are never that close to a rounding boundary.

    Examples
    --------
    >>> _sqlite_number(4.95), _sqlite_number(0.1 + 0.2)
    ('4.95', '(1351079888211149 / 4503599627370496.0)')
    """
    exact = Decimal(repr(number)).as_tuple()
    assert isinstance(exact.exponent, int)
    if exact.exponent >= -4 and len(exact.digits) + max(exact.exponent, 0) <= 15:
        return repr(number) if "e" not in repr(number) else f"{number:.1f}"
    numerator, denominator = number.as_integer_ratio()
    factors = ""
    while denominator > 1:
        step = min(denominator, _SQLITE_STEP)
        factors += f" / {step}.0"
        denominator //= step
    while abs(numerator) >= 2**53:
        shift = min((abs(numerator) & -abs(numerator)).bit_length() - 1, 60)
        factors += f" * {2**shift}.0"
        numerator >>= shift
    return f"({numerator}{factors or '.0'})"


_SQLITE_NUMBER_IF_ONE = "WHEN {0} = CAST({0} AS NUMERIC) THEN CAST({0} AS NUMERIC) ELSE {0} END"
"""The end of a CASE expression: a string that is a number as that number, anything else as it is."""

_SQLITE_TIME = (
    "CASE WHEN {0} LIKE '%:__:__.%' THEN STRFTIME('%Y-%m-%d %H:%M:%S', "
    "SUBSTR({0}, 1, INSTR({0}, '.') - 1) || LTRIM(SUBSTR({0}, INSTR({0}, '.')), '.0123456789')) || "
    "RTRIM(SUBSTR({0}, INSTR({0}, '.'), 7), 'Zz ') ELSE STRFTIME('%Y-%m-%d %H:%M:%f', {0}) END"
)
"""A time as text that sorts among texts with six digits after the second.

SQLite rounds times to the millisecond. So it gets the time and its zone without the fraction, and the
fraction is added as text. It may have fewer digits, or end with a part of the zone: plus, minus and blank
sort before all digits.
"""

_SQLITE_STEP = 2**60
"""Every SQLite reads powers of two up to this one exactly, as integers."""

_ALIASES = {"postgres": "postgresql", "sqlite3": "sqlite", "mssql": "sqlserver", "tsql": "sqlserver"}

_DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect("ansi", "SQL", ('"', '"'), _scientific, _doubled, folds_case=False),
        # Any SQLite column may hold strings. They compare above all numbers, and as strings in a TEXT
        # column. Compared with a cast value, a string that is a number counts as that number.
        Dialect(
            "sqlite",
            "SQLite",
            ("`", "`"),
            _sqlite_number,
            _doubled,
            ("0", "1"),
            nests_selects=False,
            least="MIN",
            greatest="MAX",
            # SQLite itself does so.
            nan_to_null="{0}",
            numeric="CAST({} AS REAL)",
            # Dates are strings. These functions read all forms of ISO 8601.
            instants={
                "date": ("DATE({})", "'{}'"),
                "datetime": (_SQLITE_TIME, "'{}'"),
                "datetime UTC": (_SQLITE_TIME, "'{}'"),
            },
            not_a_number="{} > CAST(9e999 AS REAL)",
            # Strings in another format are NULL. Numbers count as Julian days: days or seconds since 1970
            # become NULL or years before 0.
            not_an_instant="({0} IS NOT NULL AND IFNULL({1} < '0', 1))",
            # '1.0' is the category 1. A cast alone would turn every other string into 0.
            numeric_category=f"CASE {_SQLITE_NUMBER_IF_ONE}",
            truth_category="CASE WHEN LOWER({0}) IN ('true', 't') THEN 1 "
            f"WHEN LOWER({{0}}) IN ('false', 'f') THEN 0 {_SQLITE_NUMBER_IF_ONE}",
            # Only the arguments of a table function may refer to the row. As text, a double would lose
            # digits in older versions; as a whole number of 2^-60 it does not.
            per_row=PerRow(
                "CROSS JOIN json_each((SELECT json_array(json_array({values})) FROM {source})) AS {name}",
                f"CAST({{value}} * {_SQLITE_STEP}.0 AS INTEGER)",
                f"json_extract({{name}}.value, '$[{{index}}]') / {_SQLITE_STEP}.0",
            ),
        ),
        Dialect(
            "postgresql",
            "PostgreSQL",
            ('"', '"'),
            lambda number: f"'{number!r}'::float8",
            _doubled,
            nan="{} = 'NaN'::float8",
            nan_to_null="NULLIF({0}, 'NaN'::float8)",
            folds_case=False,
            instants={**_INSTANTS, "datetime UTC": ("{}", "TIMESTAMPTZ '{}+00:00'")},
            duration=_IN_SECONDS,
        ),
        Dialect(
            "duckdb",
            "DuckDB",
            ('"', '"'),
            _scientific,
            _doubled,
            nan="{} = 'NaN'::DOUBLE",
            nan_to_null="NULLIF({0}, 'NaN'::DOUBLE)",
            reorders_rows=True,
            instants={**_INSTANTS, "datetime UTC": ("{}", "TIMESTAMPTZ '{}+00:00'")},
            duration=_IN_SECONDS,
        ),
        Dialect(
            "bigquery",
            "BigQuery",
            ("`", "`"),
            repr,
            lambda text: f"'{_backslashed(text)}'",
            nan="IS_NAN({})",
            nan_to_null="IF(IS_NAN({0}), NULL, {0})",
            escapes_names=True,
            instants={**_INSTANTS, "datetime": ("{}", "DATETIME '{}'")},
            per_row=PerRow("CROSS JOIN UNNEST(ARRAY(SELECT AS STRUCT {values} FROM {source})) AS {name}"),
        ),
        Dialect(
            "snowflake",
            "Snowflake",
            ('"', '"'),
            lambda number: f"'{number!r}'::DOUBLE",
            lambda text: _doubled(text.replace("\\", "\\\\")),
            nan="{} = 'NaN'::DOUBLE",
            nan_to_null="NULLIF({0}, 'NaN'::DOUBLE)",
            folds_case=False,
            instants={**_INSTANTS, "datetime UTC": ("{}", "'{}+00:00'::TIMESTAMP_TZ")},
        ),
        Dialect(
            "sqlserver",
            "SQL Server",
            ("[", "]"),
            _scientific,
            _national,
            ("0", "1"),
            collate=" COLLATE Latin1_General_100_BIN2",
            max_nesting=9,
            instants={
                "date": ("{}", "CAST('{}' AS DATE)"),
                "datetime": ("{}", "CAST('{}' AS DATETIME2)"),
                "datetime UTC": ("{}", "CAST('{}+00:00' AS DATETIMEOFFSET)"),
            },
            per_row=PerRow("CROSS APPLY (SELECT {values} FROM {source}) AS {name}"),
        ),
    )
}
