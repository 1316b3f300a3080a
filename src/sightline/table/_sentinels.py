"""Find numbers that probably mean a missing value, such as -999."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sightline.table._column import Column

__all__ = ["sentinel_notes"]

_LOW = (-9.0, -99.0, -999.0, -9999.0, -99999.0)
_HIGH = (9999.0, 99999.0, 999999.0, 9999999.0)
_MIN_ROWS = 20
_GAP = 10


def sentinel_notes(columns: Sequence[Column]) -> Iterator[str]:
    """Yield a sentence for each column with a repeated number far from all others.

    Such a number is -9, -99, … below numbers that are not negative, or 9999, 99999, … at least ten
    times as large as any other.

    Examples
    --------
    >>> from sightline.table._column import numeric_column
    >>> ages = numeric_column("age", np.array([*range(30), -999.0, -999.0]))
    >>> next(sentinel_notes([ages]))
    "Column 'age' is -999 in 2 rows, which may mean a missing value. If so, empty these cells."
    """
    for column in columns:
        if column.feature.is_nominal or len(column) < _MIN_ROWS:
            continue
        value = _sentinel(column.values[~column.is_missing])
        if value is not None:
            count = np.count_nonzero(column.values == value)
            yield (
                f"Column {column.name!r} is {value:.0f} in {count:,} rows, which may mean a missing value. "
                "If so, empty these cells."
            )


def _sentinel(known: np.ndarray) -> float | None:
    if not len(known):
        return None
    low, high = float(known.min()), float(known.max())
    rest = known[(known != low) & (known != high)]
    if not len(rest):
        return None
    if low in _LOW and np.count_nonzero(known == low) > 1 and rest.min() >= 0:
        return low
    is_far = high in _HIGH and _GAP * rest.max() <= high
    return high if is_far and np.count_nonzero(known == high) > 1 else None
