"""Find a row of sums or means at the end of a table, as spreadsheets have it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

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
    "gesamtergebnis",
    "insgesamt",
    "totale",
    "totaal",
    "somme",
    "suma",
)
_MEANS = ("average", "avg", "mean", "mittelwert", "durchschnitt", "schnitt", "moyenne", "media", "promedio")


@dataclass(frozen=True)
class TotalRow:
    """A last row that is named like a total or a mean.

    Parameters
    ----------
    word : str
        Its name.
    is_certain : bool
        Whether a number in it is the sum, or the mean, of its column.
    """

    word: str
    is_certain: bool

    @property
    def note(self) -> str:
        """What to tell about it."""
        what = "means" if _is_mean(self.word) else "totals"
        if self.is_certain:
            return f"The last row holds the {what} of the others ({self.word!r}) and was dropped."
        return f"The last row may hold {what} ({self.word!r}). If so, remove it."


def find_total_row(columns: Sequence[Column], last_strays: Sequence[str]) -> TotalRow | None:
    """Return the last row of some columns if it is named like a total or a mean.

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
    word = next((word for word in words if _plain(word) in _WORDS or _is_mean(word)), "")
    summary = np.nanmean if _is_mean(word) else np.nansum
    return TotalRow(word, any(_ends_with(summary, column) for column in columns)) if word else None


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


def _plain(word: str) -> str:
    return word.strip(" :.").casefold()


def _is_mean(word: str) -> bool:
    return _plain(word) in _MEANS


def _ends_with(summary: Callable[..., Any], column: Column) -> bool:
    """Whether the last number is the sum, or the mean, of the others."""
    if column.feature.is_nominal or len(column) < 3 or column.is_missing[:-1].all():
        return False
    last = float(column.values[-1])
    return last != 0 and bool(np.isclose(last, summary(column.values[:-1]), rtol=1e-4))
