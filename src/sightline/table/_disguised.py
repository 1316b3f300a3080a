"""Find text columns that are really numbers or dates."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sightline.table._column import Column, number_of
from sightline.wording import list_names

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
    rf"|\d{{4}}[-/]\d{{1,2}}|\d{{4}}[- ]?(Q[1-4]|W\d{{1,2}})",  # 2024-03, 2024Q1
    re.IGNORECASE,
)
_DURATION = re.compile(r"-?P(\d+[YMWD])*(T(\d+([.,]\d+)?[HMS])+)?", re.IGNORECASE)
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
    if values is None or len(values) < _MIN_VALUES or not all(isinstance(value, str) for value in values):
        return ""
    strings = [str(value).strip() for value in values]
    read = f"read as {len(strings):,} unordered categories"
    if all(map(_DATE.fullmatch, strings)):
        return (
            f"Column {column.name!r} holds dates, {read}, because their format, or the order of day and "
            "month, is ambiguous. Write them as in 2019-03-01 to use their order."
        )
    if all(map(_DURATION.fullmatch, strings)):
        return (
            f"Column {column.name!r} holds durations such as {strings[0]!r}, {read}. "
            "Convert them to numbers of one unit to use their order."
        )
    # Whole numbers with leading zeros are codes.
    if all(map(_DECIMAL_COMMA.fullmatch, strings)) and any("," in string for string in strings):
        return (
            f"Column {column.name!r} holds numbers with decimal commas, {read}. "
            "Write them with decimal points, or separate the cells with semicolons."
        )
    others = [string for string in strings if number_of(string) is None]
    if others and len(strings) - len(others) >= _MIN_SHARE_OF_NUMBERS * len(strings):
        return (
            f"Column {column.name!r} holds numbers and {list_names([*map(repr, others)], _MAX_LISTED)}, "
            f"{read}. Leave cells without a number empty."
        )
    return ""
