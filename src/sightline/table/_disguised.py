"""Find text columns that are really numbers or dates."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sightline.table._column import Column, number_of
from sightline.table.dates import read_dates
from sightline.wording import list_names, pluralize

_MIN_VALUES = 10
"""A column with fewer values is a list of categories, whatever they look like."""

_MIN_SHARE_OF_NUMBERS = 0.8
_MAX_LISTED = 3

_MONTH = r"(jan|feb|fév|mar|mär|apr|avr|may|mai|jun|juin|jul|juil|aug|aoû|sep|oct|okt|nov|dec|dez|déc)\w*\.?"
_TIME = r"([T ,]+\d{1,2}:\d{2}.*)?"
_DATE = re.compile(
    rf"\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}{_TIME}"  # 2024-03-01
    rf"|\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{2,4}}{_TIME}"  # 01.03.2024
    rf"|\d{{1,2}}\.?[-/. ]?{_MONTH}[-/., ]*(\d{{4}}|\d{{2}}){_TIME}"  # 1 Mar 2024
    rf"|{_MONTH}[-/., ]*\d{{1,2}}([snrt][dht])?[-/., ]+(\d{{4}}|\d{{2}}){_TIME}"  # March 1, 2024
    rf"|{_MONTH}[-/., ]*\d{{4}}|{_MONTH}[-/ ']*\d{{2}}"  # Mar 2024, Mar-24
    r"|\d{4}[-/]\d{1,2}|\d{4}[-/ ]?(Q[1-4]|K?W ?\d{1,2})"  # 2024-03, 2024Q1, 2024 KW 7
    r"|(Q[1-4]|K?W ?\d{1,2})[-/ ]+(\d{4}|\d{2})",  # Q1/2024, KW 7/24
    re.IGNORECASE,
)
_DURATION = re.compile(r"-?P(\d+[YMWD])*(T(\d+([.,]\d+)?[HMS])+)?", re.IGNORECASE)
_TWO_NUMBERS = re.compile(r"\d+([.,]\d+)?\s*(±|\+/-|/|x|×)\s*\d+([.,]\d+)?", re.IGNORECASE)
_AMOUNT = re.compile(
    r"[-+(]?(US\$|[$€£¥₹]|(EUR|USD|CHF|GBP|INR|JPY|CNY|SEK|NOK|DKK|PLN|CZK|HUF)\b)\s*[-+]?\d"
    r"|[-+(]?\d[\d.,' ]*[$€£¥₹%]"
)
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+|[+-]?\d+")


def disguised_columns(columns: Sequence[Column]) -> list[str]:
    """Return a warning for each nominal column that holds dates or numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from sightline.table._column import nominal_column
    >>> days = [f"2024-03-{day:02}" for day in range(1, 31)]
    >>> disguised_columns([nominal_column("seen", days, np.arange(30, dtype=np.int32))])[0][:27]
    "Column 'seen' holds dates, "
    """
    return [sentence for column in columns if (sentence := _sentence(column))]


def _sentence(column: Column) -> str:
    values = column.feature.categories
    if values is None or not all(isinstance(value, str) for value in values):
        return ""
    strings = [str(value).strip() for value in values]
    read = f"read as {pluralize(len(strings), 'unordered category', 'unordered categories')}"
    reading = read_dates(column)
    if reading is not None and reading.year_may_be_first:
        return (
            f"Column {column.name!r} holds dates such as {reading.year_note()}. They are {read}. Write them "
            "as in 2019-03-01, or read the file with date_order= (--date-order) if the year is last."
        )
    if len(values) < _MIN_VALUES:
        return ""
    ways = (_as_dates, _as_quantities, _as_numbers)
    found = next((text for way in ways if (text := way(strings, read))), "")
    return f"Column {column.name!r} holds {found}" if found else ""


def _as_dates(strings: list[str], read: str) -> str:
    others = [string for string in strings if not _DATE.fullmatch(string)]
    if not others:
        return (
            f"dates, {read}, because their format, or the order of day and month, is ambiguous. Write them "
            "as in 2019-03-01 to use their order."
        )
    if 2 * len(others) <= len(strings):
        return (
            f"dates, but also {list_names([*map(repr, others)], _MAX_LISTED)}. It is {read}. Write all dates "
            "as in 2019-03-01, and leave the other cells empty."
        )
    return ""


def _as_quantities(strings: list[str], read: str) -> str:
    such_as = f"such as {strings[0]!r}, {read}"
    if all(map(_DURATION.fullmatch, strings)):
        return f"durations {such_as}. Convert them to numbers of one unit to use their order."
    if all(map(_TWO_NUMBERS.fullmatch, strings)):
        return f"two numbers in each cell, {such_as}. Put them in two columns to use their order."
    if sum(map(bool, map(_AMOUNT.match, strings))) >= _MIN_SHARE_OF_NUMBERS * len(strings):
        return f"amounts {such_as}. Write them as plain numbers of one unit to use their order."
    return ""


def _as_numbers(strings: list[str], read: str) -> str:
    # Whole numbers with leading zeros are codes.
    if all(map(_DECIMAL_COMMA.fullmatch, strings)) and any("," in string for string in strings):
        return (
            f"numbers with decimal commas, {read}. Write them with decimal points, or separate the cells "
            "with semicolons."
        )
    others = [string for string in strings if number_of(string) is None]
    # Codes have leading zeros, or more digits than numbers.
    are_codes = any(re.match(r"[+-]?0\d|[+-]?\d{16}", string) for string in strings)
    if not others and not are_codes:
        return f"numbers as text, {read}. If they are quantities, convert them to numbers."
    if others and len(strings) - len(others) >= _MIN_SHARE_OF_NUMBERS * len(strings):
        return (
            f"numbers and {list_names([*map(repr, others)], _MAX_LISTED)}, {read}. Leave cells without a "
            "number empty."
        )
    return ""
