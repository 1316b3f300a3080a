"""How databases write names, texts and numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sightline.exceptions import ParameterError, UnsupportedModelError


@dataclass(frozen=True)
class Dialect:
    """One dialect of SQL.

    Attributes
    ----------
    name : str
        What users ask for.
    title : str
        The database in messages.
    quotes : tuple of str
        What stands around a name; the second is doubled within it.
    number : callable
        Writes a double such that the database reads the same double, as a double.
    text : callable
        Writes a text.
    truth : tuple of str
        Literals of false and true.
    nan : str or None
        Condition that ``{}`` is NaN, None where there is no NaN.
    collate : str
        Behind a column that is compared with texts, where equality would be lax otherwise.
    folds_case : bool
        Whether two columns cannot differ in case alone.
    max_nesting : int
        How deep CASE expressions may be nested.
    nests_selects : bool
        Whether SELECTs may be nested as deep as there are classes.
    escapes_names : bool
        Whether names are escaped by backslashes instead.
    greatest : str
        The function that gives the largest of several values.
    numeric : str
        How a column of numbers is read, where it may hold texts.
    not_a_number : str or None
        Condition that ``{}`` holds neither a number, nor a text that is one, nor NULL; None where
        the database itself refuses to compare such a value with a number.
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
    greatest: str = "GREATEST"
    numeric: str = "{}"
    not_a_number: str | None = None

    @classmethod
    def named(cls, name: str) -> Dialect:
        """Return the dialect of a name."""
        if name not in _DIALECTS:
            raise ParameterError(f"There is no SQL dialect {name!r}; there are {', '.join(_DIALECTS)}.")
        return _DIALECTS[name]

    def identifier(self, name: str) -> str:
        """Quote the name of a column or table."""
        self._check_text(name)
        if not name and self.name != "sqlite":
            raise UnsupportedModelError(
                f"{self.title} has no columns without a name: rename the feature '' first."
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

    def _check_text(self, text: str) -> None:
        if "\0" in text:
            raise UnsupportedModelError(f"SQL texts end at a NUL, which is within {text!r}: rename it.")
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise UnsupportedModelError(
                f"{text!r} holds half a surrogate pair, which no database can: rename it."
            )


def _doubled(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _backslashed(text: str, quote: str = "'") -> str:
    for character, escape in (("\\", "\\\\"), (quote, f"\\{quote}"), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(character, escape)
    return text


def _national(text: str) -> str:
    # Between a backslash and the end of a line the text must be broken: both would be taken out.
    broken = _doubled(text).replace("\\\n", "\\' + N'\n").replace("\\\r", "\\' + N'\r")
    return f"N{broken}"


def _scientific(number: float) -> str:
    """Write a number with an exponent: without one it would be a decimal of the database."""
    text = repr(number)
    return text.replace("e", "E") if "e" in text else f"{text}E0"


def _sqlite_number(number: float) -> str:
    """Write a number that every SQLite reads exactly, as a quotient where it has many digits.

    SQLite's own reader rounds twice on some machines and then misses one in a thousand. With at most
    four digits behind the point and 15 in all, no such number is near enough to a rounding border.

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


_SQLITE_STEP = 2**60
"""Powers of two up to here are integers that every reader reads exactly."""

_DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect("ansi", "SQL", ('"', '"'), _scientific, _doubled, folds_case=False),
        # Any column of SQLite may hold texts, which compare above all numbers, and as texts in a column
        # of type TEXT. Compared with something that was cast, a text that is a number counts as one.
        Dialect(
            "sqlite",
            "SQLite",
            ("`", "`"),
            _sqlite_number,
            _doubled,
            ("0", "1"),
            nests_selects=False,
            greatest="MAX",
            numeric="CAST({} AS REAL)",
            not_a_number="{} > CAST(9e999 AS REAL)",
        ),
        Dialect(
            "postgresql",
            "PostgreSQL",
            ('"', '"'),
            lambda number: f"'{number!r}'::float8",
            _doubled,
            nan="{} = 'NaN'::float8",
            folds_case=False,
        ),
        Dialect("duckdb", "DuckDB", ('"', '"'), _scientific, _doubled, nan="{} = 'NaN'::DOUBLE"),
        Dialect(
            "bigquery",
            "BigQuery",
            ("`", "`"),
            repr,
            lambda text: f"'{_backslashed(text)}'",
            nan="IS_NAN({})",
            escapes_names=True,
        ),
        Dialect(
            "snowflake",
            "Snowflake",
            ('"', '"'),
            lambda number: f"'{number!r}'::DOUBLE",
            lambda text: _doubled(text.replace("\\", "\\\\")),
            nan="{} = 'NaN'::DOUBLE",
            folds_case=False,
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
        ),
    )
}
