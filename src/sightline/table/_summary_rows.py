"""Find rows that hold sums, means or other statistics of other rows, as spreadsheets and reports do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sightline.table._column import Column, nominal_column
from sightline.table._summary_kinds import (
    CLEAR_TOTALS,
    KINDS,
    MEANS,
    STATISTICS,
    TOTALS,
    SummaryKind,
    kind_of,
    may_be_name,
    plain,
)
from sightline.wording import list_names, pluralize

__all__ = ["SummaryRows", "find_summary_rows", "last_words", "without_rows"]

_TOTALS_ALONE = TOTALS.words | {"all", "overall", "Σ".casefold(), "∑"}
"""Words that name a total, but not with another word, as in "All cars"."""
_MIN_ROWS = 3
_MIN_ROWS_OF_SUMS = 5
"""In fewer rows, the last one may be the sum of the others by chance."""
_MAX_COMMON = 0.1
_MAX_LISTED = 3
_MAX_KINDS = 2


@dataclass(frozen=True)
class SummaryRows:
    """Rows that are named like a total, a mean or another statistic, or that hold the sums of all others.

    Parameters
    ----------
    certain : dict of int to str
        Rows that hold sums, means or other statistics of others, and their names, which may be empty.
    doubtful : dict of int to str
        Rows that may hold them, by their names or by their numbers, and their names.
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


def find_summary_rows(columns: Sequence[Column], last_words: Sequence[str] = ()) -> SummaryRows | None:
    """Return the rows that hold sums, means or other statistics of others, and those that may; None if none.

    A row that is named like a total or mean is one if a number in it is the sum, or mean, of the rows since
    the one before. The last rows may also be named like a maximum, count and so on: then all their numbers
    must be that. Without such a name, only a last row is one, if all its numbers are sums of their columns.

    Parameters
    ----------
    columns : sequence of Column
        The columns.
    last_words : sequence of str
        Names of the last rows that stand in a column of numbers, as :func:`last_words` returns them.

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
    last = n_rows - 1
    totals = _rows_of_totals(columns)
    strays = dict(zip(range(n_rows - len(last_words), n_rows), last_words, strict=True))
    at_end = _named_at_end(columns, totals, strays)
    names = dict(sorted((totals | at_end).items()))
    fitting = _fitting_rows(columns, names)
    is_confirmed = any(fitting.get(row, False) for row in at_end)
    n_fitting_at_end = len(fitting.keys() & at_end.keys())
    certain = {
        row: names[row]
        for row in fitting
        if row not in at_end or (is_confirmed and (n_fitting_at_end > 1 or _is_clear(names[row])))
    }
    if not names and last >= _MIN_ROWS_OF_SUMS and _is_row_of_sums(columns):
        certain = {last: _label_of(columns, last)}
    doubtful = {
        row: name
        for row, name in names.items()
        if row not in certain
        and (
            row in fitting
            or (row in at_end and certain.keys() & at_end.keys())
            or plain(name) in CLEAR_TOTALS
            or (row == last and _is_total_or_mean(name) and (row in strays or _is_alone(columns, row, name)))
        )
    }
    return SummaryRows(certain, doubtful, n_rows) if certain or doubtful else None


def last_words(strays: Sequence[tuple[str, int]], n_strays: int) -> list[str]:
    """Return the names of the last rows that stand in a column of numbers; empty where one is not known.

    Parameters
    ----------
    strays : sequence of (str, int)
        The first cells that are not numbers, and in how many rows they are.
    n_strays : int
        How many such cells there are.

    Examples
    --------
    >>> last_words([("open", 2), ("Max", 1), ("Min", 1)], 4), last_words([("Max", 1), ("Min", 1)], 3)
    (['Max', 'Min'], ['Max', 'Min', ''])
    """
    are_names = [count == 1 and _is_summary(text) for text, count in strays]
    n_unknown = n_strays - sum(count for _, count in strays)
    if n_unknown:
        return [*(text for text, _ in strays), *([""] * n_unknown)] if are_names and all(are_names) else []
    begin = max((index + 1 for index, is_name in enumerate(are_names) if not is_name), default=0)
    return [text for text, _ in strays[begin:]]


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
    found = {kind_of(word) or TOTALS for word in words}
    nouns = [kind.noun for kind in KINDS if kind in found]
    return " and ".join(nouns) if len(nouns) <= _MAX_KINDS else "summary statistics"


def _is_total_or_mean(word: str) -> bool:
    return plain(word) in _TOTALS_ALONE or plain(word) in MEANS.words


def _is_summary(word: str) -> bool:
    return _is_total_or_mean(word) or kind_of(word) is not None


def _is_clear(word: str) -> bool:
    return word != "" and not may_be_name(word)


def _ends_like_total(word: str) -> bool:
    """Whether a text is a total of something: 'North Total', 'Total North', 'Nord Ergebnis'."""
    words = plain(word).split()
    return len(words) > 1 and (words[0] in TOTALS.words or words[-1] in TOTALS.words)


def _rows_of_totals(columns: Sequence[Column]) -> dict[int, str]:
    """Return the rows in which a category is named like a total or mean, in their order."""
    found: dict[int, str] = {}
    for column in columns:
        for code, value in enumerate(column.feature.categories or ()):
            if isinstance(value, str) and (_is_total_or_mean(value) or _ends_like_total(value)):
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


def _named_at_end(
    columns: Sequence[Column], totals: Mapping[int, str], strays: Mapping[int, str]
) -> dict[int, str]:
    """Return the last rows, as long as each is named like a statistic and no other row has this name."""
    found: dict[int, str] = {}
    for row in reversed(range(len(columns[0]))):
        name = strays.get(row, _name_alone(columns, row) or totals.get(row))
        if name is None:
            break
        found[row] = name
    return found if 2 * len(found) < len(columns[0]) else {}


def _name_alone(columns: Sequence[Column], row: int) -> str | None:
    """Return the category in a row that names a statistic and is in no other row."""
    values = (column.value_at(row) for column in columns if column.feature.is_nominal)
    names = (value for value in values if isinstance(value, str) and _is_summary(value))
    return next((name for name in names if _is_alone(columns, row, name)), None)


def _fitting_rows(columns: Sequence[Column], names: Mapping[int, str]) -> dict[int, bool]:
    """Return the named rows whose numbers are what their names say, and whether that is no accident.

    They are so for all rows before, or for those since the last named one.
    """
    numbers = [column for column in columns if not column.feature.is_nominal and not column.feature.kind]
    fitting: dict[int, bool] = {}
    is_plain = np.ones(len(columns[0]), dtype=bool)
    is_plain[list(names)] = False
    recent = np.empty(0, dtype=np.intp)
    start = 0
    for row, word in names.items():
        # A total and a mean below each other are of the same rows.
        recent = np.flatnonzero(is_plain[start:row]) + start if is_plain[start:row].any() else recent
        start = row
        filled = [column.values for column in numbers if not np.isnan(column.values[row])]
        for part in (np.flatnonzero(is_plain[:row]), recent):
            if _fits(word, filled, part, row):
                fitting[row] = _is_total(word) or any(_is_rare(values, part, row) for values in filled)
    return fitting


def _is_total(word: str) -> bool:
    """Whether a name is that of a total or mean; that one number is one is enough."""
    return word != "" and kind_of(word) not in STATISTICS


def _fits(word: str, filled: Sequence[NDArray[np.float64]], part: NDArray[np.intp], row: int) -> bool:
    """Whether a number in a row is the total or mean of others, or all are another statistic of them."""
    kind = kind_of(word) or TOTALS
    if _is_total(word):
        return any(_is_summary_of(kind, values, part, row) for values in filled)
    return bool(filled) and any(
        all(one.fits(float(values[row]), values[part]) for values in filled)
        for one in ((kind,) if word else KINDS)
    )


def _is_rare(values: NDArray[np.float64], part: NDArray[np.intp], row: int) -> bool:
    """Whether few others have the number of a row. Where all numbers are 0 or 1, many are the largest."""
    return bool(np.count_nonzero(values[part] == values[row]) <= max(1, _MAX_COMMON * len(part)))


def _is_summary_of(kind: SummaryKind, values: NDArray[np.float64], rows: NDArray[np.intp], row: int) -> bool:
    part = values[rows]
    known = part[~np.isnan(part)]
    if len(part) < 2 or not len(known) or np.isnan(values[row]) or values[row] == 0:
        return False
    return bool(np.isclose(values[row], kind.values(known)[0], rtol=1e-4))


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
            and _is_summary_of(TOTALS, column.values, rows, last)
            and (not labels or np.count_nonzero(np.nan_to_num(column.values[rows])) > 1)
            for column in numbers
        )
    )


def _label_of(columns: Sequence[Column], row: int) -> str:
    """Return the first category in a row, or nothing."""
    named = (column.value_at(row) for column in columns if column.feature.is_nominal)
    return next((str(value) for value in named if value is not None), "")
