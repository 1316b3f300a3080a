"""Find rows that hold sums, means or other statistics of other rows, as spreadsheets and reports do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.table._column import Column, nominal_column
from sightline.table.files._summary_kinds import (
    CLEAR_TOTALS,
    KINDS,
    MEANS,
    STATISTICS,
    TOTALS,
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
_TOLERANCE = 1e-4
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
    named = _named_rows(columns)
    strays = dict(zip(range(n_rows - len(last_words), n_rows), last_words, strict=True))
    at_end = _named_at_end(n_rows, named, strays)
    names = dict(sorted((named.totals | at_end).items()))
    fitting = _fitting_rows(columns, names)
    is_confirmed = any(fitting.get(row, False) for row in at_end)
    n_fitting_at_end = len(fitting.keys() & at_end.keys())
    certain = {
        row: names[row]
        for row, is_sure in fitting.items()
        if (is_confirmed and (n_fitting_at_end > 1 or _is_clear(names[row])) if row in at_end else is_sure)
    }
    if not names and last >= _MIN_ROWS_OF_SUMS and _is_row_of_sums(columns):
        certain = {last: _label_of(columns, last)}
    ends_in_summary = bool(certain.keys() & at_end.keys())
    doubtful = {
        row: name
        for row, name in names.items()
        if row not in certain
        and (
            row in fitting
            or (row in at_end and ends_in_summary)
            or plain(name) in CLEAR_TOTALS
            or (row == last and _is_total_or_mean(name) and (row in strays or row in named.unique))
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


@dataclass(frozen=True)
class _Names:
    """Rows with a category that names a statistic.

    Attributes
    ----------
    totals : dict of int to str
        Those that are named like a total or mean, in their order.
    unique : dict of int to str
        Those whose name is in no other row.
    """

    totals: dict[int, str]
    unique: dict[int, str]


def _named_rows(columns: Sequence[Column]) -> _Names:
    totals: dict[int, str] = {}
    unique: dict[int, str] = {}
    for column in columns:
        categories = column.feature.categories or ()
        names = {code: value for code, value in enumerate(categories) if isinstance(value, str)}
        like_totals = [
            code for code, name in names.items() if _is_total_or_mean(name) or _ends_like_total(name)
        ]
        if like_totals:
            rows = np.flatnonzero(np.isin(column.values, like_totals)).tolist()
            totals.update({row: names[int(column.values[row])] for row in rows})
        for code in [code for code, name in names.items() if _is_summary(name)]:
            found = np.flatnonzero(column.values == code).tolist()
            if len(found) == 1:
                unique.setdefault(found[0], names[code])
    # Most rows of a table are not sums of the others.
    return _Names(dict(sorted(totals.items())) if 2 * len(totals) < len(columns[0]) else {}, unique)


def _named_at_end(n_rows: int, names: _Names, strays: Mapping[int, str]) -> dict[int, str]:
    """Return the last rows, as long as each is named like a statistic and no other row has this name."""
    known = {**names.totals, **names.unique, **strays}
    found: dict[int, str] = {}
    for row in reversed(range(n_rows)):
        if row not in known:
            break
        found[row] = known[row]
    return found if 2 * len(found) < n_rows else {}


def _fitting_rows(columns: Sequence[Column], names: Mapping[int, str]) -> dict[int, bool]:
    """Return the named rows whose numbers are what their names say, and whether that is no accident.

    They are so for all rows before, or for those since the last named one. A total and a mean below each
    other are of the same rows.
    """
    numbers = [
        column.values for column in columns if not column.feature.is_nominal and not column.feature.kind
    ]
    rows = np.array([*names], dtype=np.intp)
    is_plain = np.ones(len(columns[0]), dtype=bool)
    is_plain[rows] = False
    parts = _PlainRows(np.flatnonzero(is_plain), rows)
    fitting = _fitting_totals(numbers, parts, [*names.values()])
    for index, (row, word) in enumerate(names.items()):
        if _is_total(word):
            continue
        filled = [values for values in numbers if not np.isnan(values[row])]
        for part in parts.before(index):
            if _fits(word, filled, part, row):
                fitting[row] = any(_are_rare(values[[row]], values[part])[0] for values in filled)
    return dict(sorted(fitting.items()))


class _PlainRows:
    """The rows without such a name: per named row, those before it, and those since the last named one.

    Parameters
    ----------
    plain, named : ndarray of int
        All rows of the table, in their order.
    """

    def __init__(self, plain: NDArray[np.intp], named: NDArray[np.intp]) -> None:
        self.plain = plain
        self.named = named
        self.n_before = np.searchsorted(plain, named)
        begin = np.concatenate([[0], self.n_before])[:-1]
        has_own = begin < self.n_before
        self._ends = self.n_before[has_own]
        self._begins = begin[has_own]
        # Directly below another named row, the rows are those of that one. -1: there are none.
        self._part = np.cumsum(has_own) - 1
        self.n_recent = self._of_part(self._ends - self._begins)

    def before(self, index: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return all plain rows before a named one, and the recent ones."""
        end = self.n_before[index]
        return self.plain[:end], self.plain[end - self.n_recent[index] : end]

    def sums(self, values: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Return the sums per named row of all plain rows before it, and of the recent ones."""
        plain = values[self.plain]
        # Every other part that reduceat adds is one. Its indices must be below the length.
        bounds = np.stack([self._begins, self._ends], axis=1).ravel()
        recent = np.add.reduceat(np.append(plain, 0.0), bounds)[::2] if len(bounds) else np.empty(0)
        return [np.append(0.0, np.cumsum(plain))[self.n_before], self._of_part(recent)]

    def _of_part(self, of_parts: NDArray[Any]) -> NDArray[Any]:
        found: NDArray[Any] = np.append(of_parts, 0)[self._part]
        return found


def _fitting_totals(
    numbers: Sequence[NDArray[np.float64]], parts: _PlainRows, words: Sequence[str]
) -> dict[int, bool]:
    """Return the named rows whose numbers are the totals or means that the name says, and whether surely.

    One of them is enough where nothing else is in the name. "Total" may be a part of other names, and small
    numbers are sums by chance: then half of the numbers must be. That is no accident if few rows have such a
    number, as for most rows of this name.
    """
    is_mean = np.array([kind_of(word) is MEANS for word in words], dtype=bool)
    n_rows = [parts.n_before, parts.n_recent]
    n_fitting = np.zeros((len(n_rows), len(words)), dtype=np.intp)
    n_filled = np.zeros(len(words), dtype=np.intp)
    is_rare = np.zeros(len(words), dtype=bool)
    for values in numbers if len(words) else ():
        own, is_known = values[parts.named], ~np.isnan(values)
        n_filled += is_known[parts.named]
        sums = parts.sums(np.where(is_known, values, 0.0))
        counts = parts.sums(is_known.astype(np.float64))
        for part, (total, n_known, n) in enumerate(zip(sums, counts, n_rows, strict=True)):
            with np.errstate(divide="ignore", invalid="ignore"):
                expected = np.where(is_mean, total / n_known, total)
                is_close = np.isclose(own, expected, rtol=_TOLERANCE, atol=0)
            fits = is_close & (n > 1) & (n_known > 0) & (own != 0)
            n_fitting[part] += fits
            is_rare |= fits & _are_rare(own, values[parts.plain])
    is_total = np.array([_is_total(word) for word in words], dtype=bool)
    is_name = np.array([not _is_summary(word) for word in words], dtype=bool)
    needed = np.where(is_name, (n_filled + 1) // 2, 1)
    found = np.flatnonzero(is_total & (n_fitting.max(axis=0) >= np.maximum(needed, 1))).tolist()
    of_word: dict[str, list[bool]] = {}
    for index in found:
        of_word.setdefault(words[index], []).append(bool(is_rare[index]))
    is_sure = {word: 2 * sum(are_rare) >= len(are_rare) for word, are_rare in of_word.items()}
    return {int(parts.named[index]): is_sure[words[index]] for index in found}


def _are_rare(numbers: NDArray[np.float64], among: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return per number whether few others have it. Where all numbers are 0 or 1, many are sums and means."""
    known = np.sort(among[~np.isnan(among)])
    n_same = np.searchsorted(known, numbers, "right") - np.searchsorted(known, numbers)
    found: NDArray[np.bool_] = n_same <= max(1, _MAX_COMMON * len(known))
    return found


def _is_total(word: str) -> bool:
    """Whether a name is that of a total or mean; that one number is one is enough."""
    return word != "" and kind_of(word) not in STATISTICS


def _fits(word: str, filled: Sequence[NDArray[np.float64]], part: NDArray[np.intp], row: int) -> bool:
    """Whether all numbers in a row are the statistic of others that the name says; without one, any."""
    kind = kind_of(word)
    return bool(filled) and any(
        all(one.fits(float(values[row]), values[part]) for values in filled)
        for one in (KINDS if kind is None else (kind,))
    )


def _is_last_sum(values: NDArray[np.float64]) -> bool:
    """Whether the last number is the sum of the others."""
    total = np.nansum(values[:-1])
    return bool(values[-1] != 0 and np.isclose(values[-1], total, rtol=_TOLERANCE, atol=0))


def _is_row_of_sums(columns: Sequence[Column]) -> bool:
    """Whether all numbers of the last row are the sums of their columns, and all other cells label it.

    A label is in no other row. Beside one, there must be two numbers: rows of a table have labels, too.
    """
    last = len(columns[0]) - 1
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
            and _is_last_sum(column.values)
            and (not labels or np.count_nonzero(np.nan_to_num(column.values[:last])) > 1)
            for column in numbers
        )
    )


def _label_of(columns: Sequence[Column], row: int) -> str:
    """Return the first category in a row, or nothing."""
    named = (column.value_at(row) for column in columns if column.feature.is_nominal)
    return next((str(value) for value in named if value is not None), "")
