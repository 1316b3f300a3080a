"""Find columns that name a group of rows only in its first row, as reports and pivot tables do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sightline.table._column import Column

__all__ = ["group_notes"]

_MIN_ROWS = 20


def group_notes(columns: Sequence[Column]) -> Iterator[str]:
    """Yield a sentence for each category that the first row has and most others lack, never the same one.

    Examples
    --------
    >>> from sightline.table._column import nominal_column
    >>> codes = np.array([0, *[-1] * 11, 1, *[-1] * 11], dtype=np.int32)
    >>> next(group_notes([nominal_column("city", ["Bern", "York"], codes)]))[:47]
    "Column 'city' has a value in only 2 of 24 rows,"
    """
    for column in columns:
        known = column.values[~column.is_missing]
        if not column.feature.is_nominal or len(column) < _MIN_ROWS or column.is_missing[0]:
            continue
        if 1 < len(known) <= len(column) / 2 and len(np.unique(known)) == len(known):
            yield (
                f"Column {column.name!r} has a value in only {len(known):,} of {len(column):,} rows, "
                "never the same. If each is meant for the rows below, fill them."
            )
