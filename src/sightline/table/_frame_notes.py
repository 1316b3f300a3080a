"""Notes on frames: text that programs write for a missing value, and whole numbers that are rounded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sightline import _core
from sightline.table._column import Column
from sightline.wording import list_names, pluralize

__all__ = ["frame_notes"]

_MAX_SHOWN = 3
_MAX_EXACT = 2**53
_WIDE = ("int128", "uint128", "integer", "decimal")
"""Types of numbers that may have more digits than a double, and that numpy does not hold."""


def frame_notes(columns: Sequence[Column]) -> Iterator[str]:
    """Yield one sentence for each column of a frame or array that may be meant otherwise."""
    yield from _markers(columns)
    yield from _rounded(columns)


def _markers(columns: Sequence[Column]) -> Iterator[str]:
    """Yield a sentence for each column of text that holds markers of missing values as categories.

    A frame has its own missing values, and other libraries take such text for a category. So it stays one.

    Examples
    --------
    >>> from sightline.table._column import nominal_column
    >>> jobs = nominal_column("job", ["cook", "nan"], np.array([0, 1, 1], dtype=np.int32))
    >>> next(_markers([jobs]))[:72]
    "Column 'job' holds the text 'nan' in 2 rows, which counts as a category."
    """
    for column in columns:
        values = column.feature.categories or ()
        codes = [code for code, value in enumerate(values) if isinstance(value, str) and _is_marker(value)]
        n_rows = int(np.isin(column.values, codes).sum()) if codes else 0
        if n_rows:
            shown = list_names([repr(values[code]) for code in codes], _MAX_SHOWN)
            rows = pluralize(n_rows, "row")
            yield (
                f"Column {column.name!r} holds the text {shown} in {rows}, which counts as a category. "
                "If it means a missing value, replace it by None."
            )


def _is_marker(text: str) -> bool:
    return _core.is_missing_marker(text.strip()) or _core.is_spreadsheet_error(text.strip())


def _rounded(columns: Sequence[Column]) -> Iterator[str]:
    """Yield a sentence for each column of whole numbers that doubles do not hold.

    Examples
    --------
    >>> from sightline.table import Table
    >>> next(_rounded(Table.from_any(np.array([[2**60 + 1], [3]])).columns))[:61]
    "Column 'x0' holds whole numbers above 2^53, such as 115292150"
    """
    for column in columns:
        numbers = None if column.source is None else column.source.numbers
        if numbers is not None and numbers.dtype.kind in "iu":
            largest, shown = max(int(numbers.max()), int(numbers.min()), key=abs), "{}"
        elif column.number_type.startswith(_WIDE):
            known = column.values[np.isfinite(column.values)]
            largest, shown = int(np.abs(known).max(initial=0)), "about {:.3g}"
        else:
            continue
        if abs(largest) > _MAX_EXACT:
            what = "numbers" if column.number_type.startswith("decimal") else "whole numbers"
            yield (
                f"Column {column.name!r} holds {what} above 2^53, such as {shown.format(largest)}, which are "
                "rounded to about 16 digits."
            )
