"""Columns of text that mean numbers or dates, and are not read as such."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sightline.table._column import Column, number_of

_MIN_VALUES = 10
"""With fewer values a column is a list of categories, whatever these are called."""

_MIN_SHARE_OF_NUMBERS = 0.8
_MAX_LISTED = 3

_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ]\d{1,2}:\d{2}.*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}( \d{1,2}:\d{2}.*)?"
)
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+|[+-]?\d+")


def disguised_columns(columns: Sequence[Column]) -> list[str]:
    """Say which nominal columns hold dates or numbers, and what to do about it.

    Examples
    --------
    >>> import numpy as np
    >>> from sightline.table._column import nominal_column
    >>> days = [f"2024-03-{day:02}" for day in range(1, 31)]
    >>> disguised_columns([nominal_column("seen", days, np.arange(30, dtype=np.int32))])[0][:36]
    "The column 'seen' holds dates: they "
    """
    return [sentence for column in columns if (sentence := _sentence(column))]


def _sentence(column: Column) -> str:
    values = column.feature.categories
    if values is None or len(values) < _MIN_VALUES or not all(isinstance(value, str) for value in values):
        return ""
    texts = [str(value).strip() for value in values]
    read = f"read as {len(texts):,} values without an order"
    if all(map(_DATE.fullmatch, texts)):
        return (
            f"The column {column.name!r} holds dates: they are {read}; "
            "turn them into numbers, such as days since a fixed one, to use their order."
        )
    if all(map(_DECIMAL_COMMA.fullmatch, texts)):
        return (
            f"The column {column.name!r} holds numbers with decimal commas: they are {read}; "
            "write them with points, or put semicolons between the cells."
        )
    others = [text for text in texts if number_of(text) is None]
    if others and len(texts) - len(others) >= _MIN_SHARE_OF_NUMBERS * len(texts):
        listed = ", ".join(map(repr, others[:_MAX_LISTED])) + (", …" if len(others) > _MAX_LISTED else "")
        return (
            f"The column {column.name!r} holds numbers besides {listed}: all of them are {read}; "
            "leave cells without a number empty."
        )
    return ""
