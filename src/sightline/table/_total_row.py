"""Find a row of sums at the end of a table, as spreadsheets have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sightline.table._column import Column, nominal_column

__all__ = ["TotalRow", "find_total_row", "without_last_row"]

_WORDS = (
    "total",
    "totals",
    "grand total",
    "sum",
    "sums",
    "summe",
    "gesamt",
    "gesamtsumme",
    "insgesamt",
)


@dataclass(frozen=True)
class TotalRow:
    """A last row that is named like a total.

    Parameters
    ----------
    word : str
        Its name.
    is_certain : bool
        Whether a number in it is the sum of its column.
    """

    word: str
    is_certain: bool

    @property
    def note(self) -> str:
        """What to tell about it."""
        if self.is_certain:
            return f"The last row holds the totals of the others ({self.word!r}) and was left out."
        return f"The last row may hold totals ({self.word!r}). If so, remove it."


def find_total_row(columns: Sequence[Column], last_strays: Sequence[str]) -> TotalRow | None:
    """Return the last row of some columns if it is named like a total.

    Parameters
    ----------
    columns : sequence of Column
        The columns.
    last_strays : sequence of str
        Cells that are not numbers in columns of numbers, and may be in the last row.

    Examples
    --------
    >>> from sightline.table._column import nominal_column, numeric_column
    >>> region = nominal_column("region", ["north", "south", "Total"], np.array([0, 1, 2], dtype=np.int32))
    >>> find_total_row([region, numeric_column("sales", np.array([3.0, 4.0, 7.0]))], [])
    TotalRow(word='Total', is_certain=True)
    """
    words = [*last_strays, *map(_last_value, columns)]
    word = next((word for word in words if word.strip(" :.").casefold() in _WORDS), "")
    return TotalRow(word, any(map(_ends_with_sum, columns))) if word else None


def without_last_row(columns: Sequence[Column], word: str) -> list[Column]:
    """Return the columns without the last row and, where it has its own category, without that."""
    result = []
    for column in columns:
        kept = column.take(slice(None, -1))
        if column.feature.categories is not None and _last_value(column) == word:
            code = int(column.values[-1])
            values = [value for value in column.feature.categories if value != word]
            kept = nominal_column(column.name, values, (kept.values - (kept.values > code)).astype(np.int32))
        result.append(kept)
    return result


def _last_value(column: Column) -> str:
    """Return the value of the last row if no other row has it."""
    code = int(column.values[-1]) if column.feature.categories is not None else -1
    if column.feature.categories is None or code < 0 or np.count_nonzero(column.values == code) > 1:
        return ""
    return str(column.feature.categories[code])


def _ends_with_sum(column: Column) -> bool:
    if column.feature.is_nominal or len(column) < 3:
        return False
    total, rest = float(column.values[-1]), column.values[:-1]
    return total != 0 and bool(np.isclose(total, np.nansum(rest), rtol=1e-4))
