"""Find numbers and dates that probably mean a missing value, such as -999 and 9999-12-31."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sightline.table._column import Column
from sightline.wording import instant_text, list_names

__all__ = ["sentinel_notes"]

_LOW = (-9.0, -99.0, -999.0, -9999.0, -99999.0, -(2.0**31))
_HIGH = (99.0, 999.0, 9999.0, 99999.0, 999999.0, 9999999.0, 99999999.0, 2.0**31 - 1, 1e30)
_DATES = ("0001-01-01", "1753-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1970-01-01")
_LATE_DATES = ("2099-12-31", "2199-12-31", "2999-12-31", "9999-12-31")
_DAYS = {float(np.datetime64(text, "D").astype(np.int64)) for text in (*_DATES, *_LATE_DATES)}
_DAY_SECONDS = 86_400
_MIN_ROWS = 20
_GAP = 10
_MAX_LISTED = 5


def sentinel_notes(columns: Sequence[Column]) -> Iterator[str]:
    """Yield a sentence for each repeated number or date that is far from all others of its column.

    Such a number is -9, -99, … below numbers that are not negative, or a number such as -999 or 999 that is
    at least ten times as large as any other.

    Examples
    --------
    >>> from sightline.table._column import numeric_column
    >>> ages = numeric_column("age", np.array([*range(30), -999.0, -999.0]))
    >>> next(sentinel_notes([ages]))
    "Column 'age' is -999 in 2 rows, which may mean a missing value. If so, empty these cells."
    """
    found: dict[str, list[tuple[str, int]]] = {}
    for column in columns:
        if column.feature.is_nominal or len(column) < _MIN_ROWS:
            continue
        known = column.values[~column.is_missing]
        value = _sentinel_date(known, column.feature.kind) if column.feature.kind else _sentinel(known)
        if value is not None:
            shown = instant_text(value, column.feature.kind) if column.feature.kind else _number_text(value)
            count = int(np.count_nonzero(column.values == value))
            found.setdefault(shown, []).append((column.name, count))
    for shown, holders in found.items():
        yield f"{_holding(shown, holders)} If so, empty these cells."


def _holding(shown: str, holders: list[tuple[str, int]]) -> str:
    if len(holders) == 1:
        name, count = holders[0]
        return f"Column {name!r} is {shown} in {count:,} rows, which may mean a missing value."
    names = list_names([f"{name!r} ({count:,} rows)" for name, count in holders], _MAX_LISTED)
    return f"{len(holders):,} columns hold {shown}, which may mean a missing value: {names}."


def _number_text(value: float) -> str:
    return f"{value:.0f}" if abs(value) < 1e15 else f"{value:g}"


def _sentinel_date(known: np.ndarray, kind: str) -> float | None:
    """Return a repeated date of databases that is farther from the others than these are from each other."""
    scale = 1 if kind == "date" else _DAY_SECONDS
    if not len(known) or kind == "duration":
        return None
    for end in (float(known.min()), float(known.max())):
        rest = known[known != end]
        is_listed = np.floor(end / scale) in _DAYS and len(known) - len(rest) > 1
        if is_listed and len(rest) and np.abs(rest - end).min() > np.ptp(rest):
            return end
    return None


def _sentinel(known: np.ndarray) -> float | None:
    if not len(known):
        return None
    low, high = float(known.min()), float(known.max())
    rest = known[(known != low) & (known != high)]
    if not len(rest):
        return None
    is_apart = rest.min() >= 0 or _GAP * float(np.abs(rest).max()) <= -low
    if low in _LOW and is_apart and np.count_nonzero(known == low) > 1:
        return low
    is_far = high in _HIGH and _GAP * rest.max() <= high
    return high if is_far and np.count_nonzero(known == high) > 1 else None
