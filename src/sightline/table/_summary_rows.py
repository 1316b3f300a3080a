"""Find rows that hold sums or means of other rows, as spreadsheets and reports have them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.table._column import Column, nominal_column
from sightline.wording import list_names, pluralize

__all__ = ["SummaryRows", "find_summary_rows", "without_rows"]

_CLEAR_TOTALS = {
    *("subtotal", "sub-total", "sub total", "zwischensumme", "teilsumme", "sous-total", "subtotale"),
    *("grand total", "gesamtsumme", "gesamtergebnis", "total general", "total général"),
}
"""Words that name nothing else."""
_TOTALS = _CLEAR_TOTALS | {
    *("total", "totals", "sum", "sums", "summe", "gesamt", "insgesamt", "ergebnis"),
    *("totale", "totaal", "somme", "suma"),
}
_TOTALS_ALONE = _TOTALS | {"all", "overall", "Σ".casefold(), "∑"}
"""Words that name a total, but not with another word, as in "All cars"."""
_MEANS = {
    *("average", "avg", "mean", "mittelwert", "durchschnitt", "schnitt"),
    *("moyenne", "media", "promedio", "gemiddelde"),
}
_MIN_ROWS = 3
_MIN_ROWS_OF_SUMS = 5
"""In fewer rows, the last one may be the sum of the others by chance."""
_MAX_LISTED = 3


@dataclass(frozen=True)
class SummaryRows:
    """Rows that are named like a total or a mean, or that hold the sums of all others.

    Parameters
    ----------
    certain : dict of int to str
        Rows that hold the sums or means of others, and their names. A row of sums may have none.
    doubtful : dict of int to str
        Rows that hold neither, but are named so clearly, or are the last one, and their names.
    n_rows : int
        Number of rows of the table.
    """

    certain: dict[int, str]
    doubtful: dict[int, str]
    n_rows: int

    @property
    def notes(self) -> list[str]:
        """What to tell about them."""
        return [
            *([f"{self._subject(self.certain, 'hold')} and {self._left_out()}."] if self.certain else []),
            *(
                [f"{self._subject(self.doubtful, 'may hold')}. If so, remove {self._them()}."]
                if self.doubtful
                else []
            ),
        ]

    def _left_out(self) -> str:
        return "was dropped" if len(self.certain) == 1 else "were dropped"

    def _them(self) -> str:
        return "it" if len(self.doubtful) == 1 else "them"

    def _subject(self, rows: dict[int, str], verb: str) -> str:
        words = [repr(word) for word in dict.fromkeys(rows.values()) if word]
        named = f" ({list_names(words, _MAX_LISTED)})" if words else ""
        what = _what(list(rows.values()))
        if list(rows) == [self.n_rows - 1]:
            return f"The last row {'holds' if verb == 'hold' else verb} the {what} of the others{named}"
        if len(rows) == 1:
            return f"One row {'holds' if verb == 'hold' else verb} the {what} of others{named}"
        return f"{pluralize(len(rows), 'row')} {verb} the {what} of others{named}"


def find_summary_rows(columns: Sequence[Column], last_strays: Sequence[str] = ()) -> SummaryRows | None:
    """Return the rows that hold the sums or means of others, and those that are only named so; None if none.

    A row in between is one if a number in it is the sum, or mean, of the rows since the one before. Without
    such a name, only a last row is one, if all its numbers are the sums of their columns.

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
    >>> found = find_summary_rows([region, numeric_column("sales", np.array([3.0, 4.0, 7.0]))])
    >>> found.certain, found.notes
    ({2: 'Total'}, ["The last row holds the totals of the others ('Total') and was dropped."])
    """
    n_rows = len(columns[0])
    if n_rows < _MIN_ROWS:
        return None
    names = _named_rows(columns)
    last = n_rows - 1
    word = next((word for word in last_strays if _is_summary(word)), "")
    if word:
        names.setdefault(last, word)
    certain = _certain_rows(columns, names)
    if not names and last >= _MIN_ROWS_OF_SUMS and _is_row_of_sums(columns):
        certain = {last: _label_of(columns, last)}
    doubtful = {
        row: name
        for row, name in names.items()
        if row not in certain
        and (
            _plain(name) in _CLEAR_TOTALS
            or (row == last and _is_summary(name) and (name == word or _is_alone(columns, last, name)))
        )
    }
    return SummaryRows(certain, doubtful, n_rows) if certain or doubtful else None


def without_rows(columns: Sequence[Column], rows: Sequence[int]) -> list[Column]:
    """Return the columns without some rows, and without the categories that only these had."""
    kept = np.delete(np.arange(len(columns[0])), list(rows))
    return [_without_gone(column, column.take(kept)) for column in columns]


def _without_gone(column: Column, kept: Column) -> Column:
    if column.feature.categories is None:
        return kept
    before, after = (set(np.unique(part.values[part.values >= 0]).tolist()) for part in (column, kept))
    gone = before - after
    if not gone:
        return kept
    codes = [code for code in range(len(column.feature.categories)) if code not in gone]
    recode = np.full(len(column.feature.categories) + 1, -1, dtype=np.int32)
    recode[codes] = np.arange(len(codes), dtype=np.int32)
    values = [column.feature.categories[code] for code in codes]
    return nominal_column(column.name, values, recode[kept.values])


def _what(words: Sequence[str]) -> str:
    kinds = {"means" if _plain(word) in _MEANS else "totals" for word in words}
    return " and ".join(sorted(kinds, reverse=True))


def _plain(word: str) -> str:
    return word.strip(" :.").casefold()


def _is_summary(word: str) -> bool:
    return _plain(word) in _TOTALS_ALONE or _plain(word) in _MEANS


def _ends_like_total(word: str) -> bool:
    """Whether a text is a total of something: 'North Total', 'Total North', 'Nord Ergebnis'."""
    words = _plain(word).split()
    return len(words) > 1 and (words[0] in _TOTALS or words[-1] in _TOTALS)


def _named_rows(columns: Sequence[Column]) -> dict[int, str]:
    """Return the rows in which a category is named like a total or mean, in their order."""
    found: dict[int, str] = {}
    for column in columns:
        for code, value in enumerate(column.feature.categories or ()):
            if isinstance(value, str) and (_is_summary(value) or _ends_like_total(value)):
                found.update(dict.fromkeys(np.flatnonzero(column.values == code).tolist(), value))
    # Most rows of a table are not sums of the others.
    return dict(sorted(found.items())) if 2 * len(found) < len(columns[0]) else {}


def _is_alone(columns: Sequence[Column], row: int, word: str) -> bool:
    """Whether a word is in one row only."""
    return any(
        column.feature.categories is not None
        and int(column.values[row]) >= 0
        and column.feature.categories[int(column.values[row])] == word
        and np.count_nonzero(column.values == column.values[row]) == 1
        for column in columns
    )


def _certain_rows(columns: Sequence[Column], names: dict[int, str]) -> dict[int, str]:
    """Return the named rows in which a number is the sum, or mean, of rows before.

    These are all rows before it, or those since the last named one.
    """
    numeric = [column for column in columns if not column.feature.is_nominal and not column.feature.kind]
    certain: dict[int, str] = {}
    is_plain = np.ones(len(columns[0]), dtype=bool)
    is_plain[list(names)] = False
    recent = np.empty(0, dtype=np.intp)
    start = 0
    for row, word in names.items():
        summary: Callable[..., Any] = np.nanmean if _plain(word) in _MEANS else np.nansum
        # A total and a mean below each other are of the same rows.
        recent = np.flatnonzero(is_plain[start:row]) + start if is_plain[start:row].any() else recent
        start = row
        parts = (np.flatnonzero(is_plain[:row]), recent)
        if any(_is_summary_of(summary, column.values, part, row) for column in numeric for part in parts):
            certain[row] = word
    return certain


def _is_summary_of(
    summary: Callable[..., Any], values: NDArray[np.float64], rows: NDArray[np.intp], row: int
) -> bool:
    part = values[rows]
    if len(part) < 2 or np.isnan(part).all() or np.isnan(values[row]) or values[row] == 0:
        return False
    return bool(np.isclose(values[row], summary(part), rtol=1e-4))


def _is_row_of_sums(columns: Sequence[Column]) -> bool:
    """Whether all numbers of the last row are the sums of their columns, and all other cells label it.

    A label is in no other row. Beside one, there must be two numbers: rows of a table have labels, too.
    """
    last = len(columns[0]) - 1
    rows = np.arange(last)
    filled = [column for column in columns if not column.is_missing[last]]
    numbers = [column for column in filled if not column.feature.is_nominal]
    labels = [column for column in filled if column.feature.is_nominal]
    # In a table of a single column of numbers, this happens by chance.
    return (
        len(columns) > 2
        and len(numbers) > bool(labels)
        and all(np.count_nonzero(column.values == column.values[last]) == 1 for column in labels)
        and all(
            not column.feature.kind
            and _is_summary_of(np.nansum, column.values, rows, last)
            and (not labels or np.count_nonzero(np.nan_to_num(column.values[rows])) > 1)
            for column in numbers
        )
    )


def _label_of(columns: Sequence[Column], row: int) -> str:
    """Return the first category in a row, or nothing."""
    named = (column.value_at(row) for column in columns if column.feature.is_nominal)
    return next((str(value) for value in named if value is not None), "")
