"""Find text in frames that programs write for a missing value, such as 'nan' and '(null)'."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sightline import _core
from sightline.table._column import Column
from sightline.wording import list_names, pluralize

__all__ = ["marker_notes"]

_MAX_SHOWN = 3


def marker_notes(columns: Sequence[Column]) -> Iterator[str]:
    """Yield a sentence for each column of text that holds markers of missing values as categories.

    A frame has its own missing values, and other libraries take such text for a category. So it stays one.

    Examples
    --------
    >>> from sightline.table._column import nominal_column
    >>> jobs = nominal_column("job", ["cook", "nan"], np.array([0, 1, 1], dtype=np.int32))
    >>> next(marker_notes([jobs]))[:72]
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
