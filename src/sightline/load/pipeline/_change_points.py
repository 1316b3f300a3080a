"""Where the outcome of a test changes as the number in a source column grows.

Rounding is monotone, so the numbers that pass a test of a rising function lie below one largest double.
It is found by dividing the doubles between two that differ, on the function's own arithmetic. All tests of
all columns are searched together, because one evaluation of many numbers costs little more than one of few.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import UnsupportedModelError
from sightline.load.pipeline._derived import Evaluate, FromNumbers
from sightline.load.pipeline._ordered_doubles import LAST, double_of, finite, rank_of

_N_PROBES = 1 << 14
"""Numbers to evaluate at once; below this, the number of calls dominates the cost."""

_MAX_PROBES = 1 << 20
"""Numbers to evaluate at once; more need too much memory."""

_MIN_POINTS = 4
"""Numbers to try per test and round, however many tests there are: a guess, its neighbors and the middle."""

_WINDOWS = (32, 256, 2048)
"""Ranks on each side of a bound, all of which are tried if the function may be rounded out of order. A
larger window is tried where the outcome changes in the outer half of a smaller one."""

_FURTHEST = 24
"""Power of two of the ranks up to which some are tried outside the window."""

_POWERS = rank_of(np.ldexp(np.repeat([-1.0, 0.0, 1.0], [129, 1, 129]), np.r_[64:-65:-1, 0, -64:65]))
"""Ranks of powers of two at which every column is evaluated first."""

Outcome = Callable[[NDArray[np.intp], NDArray[np.float64]], NDArray[np.bool_]]
"""Numbers of tests and values of the tested column in, whether each goes left out."""


@dataclass(frozen=True)
class Steps:
    """The outcomes of tests as functions of the source column, as intervals that take turns.

    Parameters
    ----------
    first : ndarray of bool, shape (n_tests,)
        Whether numbers up to the first bound go left.
    begin : ndarray of int64, shape (n_tests + 1,)
        The bounds of test i are ``bound[begin[i]:begin[i + 1]]``.
    bound : ndarray of float64
        The largest number of each interval but the last, ascending within a test.
    """

    first: NDArray[np.bool_]
    begin: NDArray[np.int64]
    bound: NDArray[np.float64]


def find_steps(
    columns: Sequence[FromNumbers],
    column_of: NDArray[np.intp],
    outcome: Outcome,
    thresholds: NDArray[np.float64] | None = None,
) -> Steps:
    """Return where the outcome of each test changes.

    Parameters
    ----------
    columns : sequence of FromNumbers
        The tested columns.
    column_of : ndarray of int, shape (n_tests,)
        Which of them each test is about.
    outcome : callable
        Evaluates tests. It must be monotone in the value, or constant between two breaks.
    thresholds : ndarray of float64, shape (n_tests,), optional
        The value at which each outcome changes, NaN where there is no such value. It only speeds up the
        search.

    Returns
    -------
    Steps
        The outcomes over all finite numbers.
    """
    pieces = _Pieces.of(columns, column_of)
    at_low, at_high, at_powers = _first_values(columns, pieces)
    is_left_low, is_left_high = outcome(pieces.test, at_low), outcome(pieces.test, at_high)
    changes = np.flatnonzero(is_left_low != is_left_high)
    if thresholds is None:
        thresholds = np.full(len(column_of), np.nan)
    search = _Search(columns, column_of, outcome, pieces.test[changes], is_left_low[changes], thresholds)
    ends = _Ends(pieces.low[changes], pieces.high[changes], at_low[changes], at_high[changes])
    search.place(ends, at_powers)
    search.run(ends)
    rough = np.flatnonzero(~np.array([column.is_exact for column in columns])[search.column])
    if not len(rough):
        return _joined(pieces, (changes, ends.low), is_left_low, is_left_high, len(column_of))
    limits = pieces.low[changes], pieces.high[changes]
    which, rank = search.nearby(ends.low, limits, rough)
    settled = np.setdiff1d(np.arange(len(changes)), rough)
    inside = np.concatenate([settled, which]), np.concatenate([ends.low[settled], rank])
    return _joined(pieces, (changes[inside[0]], inside[1]), is_left_low, is_left_high, len(column_of))


@dataclass(frozen=True)
class _Pieces:
    """Per test and monotone piece of its column: the ranks of the first and last number."""

    test: NDArray[np.intp]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    of_all: tuple[NDArray[np.intp], NDArray[np.int64], NDArray[np.int64]]
    """The same for every piece of every column: the column, and the ranks."""
    index: NDArray[np.intp]
    """Which of all pieces each one is."""

    @classmethod
    def of(cls, columns: Sequence[FromNumbers], column_of: NDArray[np.intp]) -> _Pieces:
        ends = [np.append(rank_of(column.breaks), LAST) for column in columns]
        starts = [np.append(-LAST, end[:-1] + 1) for end in ends]
        n_pieces = np.array([len(end) for end in ends])
        first = (n_pieces.cumsum() - n_pieces)[column_of]
        n_each = n_pieces[column_of]
        index = np.arange(n_each.sum()) + np.repeat(first - (n_each.cumsum() - n_each), n_each)
        column, low, high = np.repeat(np.arange(len(columns)), n_pieces), *map(np.concatenate, (starts, ends))
        return cls(
            np.repeat(np.arange(len(column_of)), n_each), low[index], high[index], (column, low, high), index
        )


def _first_values(
    columns: Sequence[FromNumbers], pieces: _Pieces
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the values at the ends of each piece, and those of each column at powers of two."""
    column, low, high = pieces.of_all
    n_columns, n_pieces = len(columns), len(column)
    queried = np.concatenate([column, column, np.repeat(np.arange(n_columns), len(_POWERS))])
    values = _values(columns, queried, np.concatenate([low, high, np.tile(_POWERS, n_columns)]))
    at_low, at_high, at_powers = np.split(values, [n_pieces, 2 * n_pieces])
    return at_low[pieces.index], at_high[pieces.index], at_powers.reshape(n_columns, -1)


@dataclass(frozen=True)
class _Ends:
    """Per test: two ranks with different outcomes, and the values of the column there."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    at_low: NDArray[np.float64]
    at_high: NDArray[np.float64]


class _Search:
    """Finds the last number before the outcome of each test changes.

    Each test is first placed between two powers of two, at which each column is evaluated once. Then the
    points to try lie around the number at which a straight line would meet the threshold: scaled columns
    are found in two rounds instead of 64. The middle of the interval is always among the points.
    """

    def __init__(
        self,
        columns: Sequence[FromNumbers],
        column_of: NDArray[np.intp],
        outcome: Outcome,
        test: NDArray[np.intp],
        is_left_low: NDArray[np.bool_],
        thresholds: NDArray[np.float64],
    ) -> None:
        self.columns = columns
        self.outcome = outcome
        self.test = test
        self.is_left_low = is_left_low
        self.column = column_of[test]
        self.threshold = thresholds[test]

    def run(self, ends: _Ends) -> None:
        """Move the ends of every interval until they are neighbors."""
        while (open_ := np.flatnonzero(ends.high - ends.low != 1)).size:
            n_points = max(_N_PROBES // len(open_), _MIN_POINTS)
            for which in np.array_split(open_, len(open_) * n_points // _MAX_PROBES + 1):
                self._narrow(ends, which, n_points)

    def _narrow(self, ends: _Ends, which: NDArray[np.intp], n_points: int) -> None:
        points = self._points(ends, which, n_points)
        values, is_low = self._is_low(which, points)
        self._check_order(which, is_low)
        # The first change, if rounding makes several.
        n_low = np.where(is_low.all(axis=1), points.shape[1], is_low.argmin(axis=1))
        every = np.arange(len(which))
        ranks = np.column_stack([ends.low[which], points, ends.high[which]])
        ends.low[which], ends.high[which] = ranks[every, n_low], ranks[every, n_low + 1]
        found = np.column_stack([ends.at_low[which], values, ends.at_high[which]])
        ends.at_low[which], ends.at_high[which] = found[every, n_low], found[every, n_low + 1]

    def _is_low(
        self, which: NDArray[np.intp], points: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the values at some ranks, a row per test, and whether the outcome is that of `low`."""
        queried = np.repeat(which, points.shape[1])
        values = _values(self.columns, self.column[queried], points.ravel())
        is_low = self.outcome(self.test[queried], values) == self.is_left_low[queried]
        return values.reshape(points.shape), is_low.reshape(points.shape)

    def _check_order(self, which: NDArray[np.intp], is_low: NDArray[np.bool_]) -> None:
        """Raise if an outcome of a function that keeps the order changes back as the number grows."""
        is_disordered = (is_low[:, 1:] > is_low[:, :-1]).any(axis=1)
        for column in np.unique(self.column[which[is_disordered]]).tolist():
            if self.columns[column].is_exact:
                raise _disordered(self.columns[column].name)

    def nearby(
        self,
        last: NDArray[np.int64],
        limits: tuple[NDArray[np.int64], NDArray[np.int64]],
        rough: NDArray[np.intp],
    ) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """Return all changes around those that were found, for functions that may be rounded out of order.

        Parameters
        ----------
        last : ndarray of int64, shape (n_changes,)
            The rank before the change that was found.
        limits : pair of ndarray of int64, shape (n_changes,)
            The first and last rank of the piece.
        rough : ndarray of int
            The changes to look at.

        Returns
        -------
        which, rank : ndarray of int
            The change that was found, and the rank before each one around it.
        """
        which, ranks = [], []
        for window in _WINDOWS:
            offsets = _offsets_of_window(window)
            is_outside = (offsets[:-1] < -window // 2) | (offsets[1:] > window // 2)
            wider = [rough[:0]]
            for part in np.array_split(rough, len(rough) * len(offsets) // _MAX_PROBES + 1):
                low, high = (limit[part, np.newaxis] for limit in limits)
                points = np.clip(last[part, np.newaxis] + offsets, low, high)
                _, is_low = self._is_low(part, points)
                is_change = is_low[:, 1:] != is_low[:, :-1]
                is_wider = is_change[:, is_outside].any(axis=1) | ~is_low[:, 0] | is_low[:, -1]
                wider.append(part[is_wider])
                row, point = np.nonzero(is_change & ~is_wider[:, np.newaxis])
                which.append(part[row])
                ranks.append(points[row, point])
            rough = np.concatenate(wider)
            if not len(rough):
                return np.concatenate(which), np.concatenate(ranks)
        raise _disordered(self.columns[self.column[rough[0]]].name)

    def place(self, ends: _Ends, at_powers: NDArray[np.float64]) -> None:
        """Move the ends of every interval to neighbors among the powers of two, as far as they go."""
        # Indices of powers: the outcome is that of `low` at `first` or before it, the other one at `last`.
        first = np.searchsorted(_POWERS, ends.low, "right") - 1
        last = np.searchsorted(_POWERS, ends.high, "left")
        while (wide := np.flatnonzero(last - first > 1)).size:
            middle = (first[wide] + last[wide]) // 2
            is_left = self.outcome(self.test[wide], at_powers[self.column[wide], middle])
            is_low = is_left == self.is_left_low[wide]
            first[wide[is_low]] = middle[is_low]
            last[wide[~is_low]] = middle[~is_low]
        inside = np.flatnonzero((first >= 0) & (_POWERS[first] > ends.low))
        ends.low[inside] = _POWERS[first[inside]]
        ends.at_low[inside] = at_powers[self.column[inside], first[inside]]
        inside = np.flatnonzero((last < len(_POWERS)) & (_POWERS[last % len(_POWERS)] < ends.high))
        ends.high[inside] = _POWERS[last[inside]]
        ends.at_high[inside] = at_powers[self.column[inside], last[inside]]

    def _points(self, ends: _Ends, which: NDArray[np.intp], n_points: int) -> NDArray[np.int64]:
        """Return ascending ranks to try in each interval, at most at its upper end."""
        low, high = ends.low[which], ends.high[which]
        between = _points_between(low, high, n_points)
        # Unsigned, because the distance of two ranks may exceed 63 bits.
        is_wide = (high - low).view(np.uint64) > np.uint64(n_points + 1)
        guessed = np.flatnonzero(is_wide & ~np.isnan(self.threshold[which]))
        low, high = low[guessed], high[guessed]
        around = self._met(ends, which[guessed])[:, np.newaxis] + _offsets(n_points - 1)
        points = np.column_stack([around, _points_between(low, high, 1)])
        between[guessed] = np.sort(np.clip(points, low[:, np.newaxis] + 1, high[:, np.newaxis]))
        return between

    def _met(self, ends: _Ends, which: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the rank at which the line between the ends of each interval meets the threshold."""
        begin, end = double_of(ends.low[which]), double_of(ends.high[which])
        at_low, at_high = ends.at_low[which], ends.at_high[which]
        with np.errstate(all="ignore"):
            share = (self.threshold[which] - at_low) / (at_high - at_low)
            met = begin + np.clip(share, 0, 1) * (end - begin)
        return rank_of(np.where(np.isfinite(met), met, begin))


def _offsets(n_points: int) -> NDArray[np.int64]:
    """Return distances from a guess: nearly all guesses are one off, few are far away.

    Examples
    --------
    >>> _offsets(5)
    array([-64,  -1,   0,   1,  64])
    """
    n_above = (n_points - 1) // 2
    furthest = min(48, 6 * (n_above - 1))
    distance = 1 << np.round(furthest * np.linspace(0, 1, n_above) ** 2).astype(np.int64)
    return np.concatenate([-distance[::-1], np.zeros(n_points - 2 * n_above, dtype=np.int64), distance])


def _offsets_of_window(window: int) -> NDArray[np.int64]:
    """Return all ranks up to the window's limits, and some far ones."""
    far = 1 << np.arange(window.bit_length(), _FURTHEST)
    return np.concatenate([-far[::-1], np.arange(-window, window + 1), far])


def _disordered(name: str) -> UnsupportedModelError:
    return UnsupportedModelError(
        f"Cannot load the pipeline over its original columns: its transformation of column {name!r} "
        "is not monotone, because of rounding.",
        "Use sl.BlackBox(pipeline) to distill the pipeline as a whole.",
    )


def _points_between(low: NDArray[np.int64], high: NDArray[np.int64], n_points: int) -> NDArray[np.int64]:
    """Return ascending ranks above `low` and at most at `high`, shape (n_intervals, n_points)."""
    # Unsigned, because the distance of two ranks may exceed 63 bits. Sums wrap around to the right rank.
    width = (high - low).view(np.uint64)[:, np.newaxis]
    number = np.arange(1, n_points + 1, dtype=np.uint64)
    stride = np.maximum(width // np.uint64(n_points + 1), np.uint64(1))
    offset = np.where(number <= width // stride, number * stride, width)
    return (low.view(np.uint64)[:, np.newaxis] + offset).view(np.int64)


def _joined(
    pieces: _Pieces,
    inside: tuple[NDArray[np.intp], NDArray[np.int64]],
    is_left_low: NDArray[np.bool_],
    is_left_high: NDArray[np.bool_],
    n_tests: int,
) -> Steps:
    """Keep the bounds at which the outcome changes: inside a piece (given with its rank), or between two."""
    next_low = np.append(is_left_low[1:], False)
    is_last = np.append(pieces.test[1:] != pieces.test[:-1], True)
    between = np.flatnonzero(~is_last & (is_left_high != next_low))
    test = pieces.test[np.concatenate([inside[0], between])]
    rank = np.concatenate([inside[1], pieces.high[between]])
    begin = np.bincount(test + 1, minlength=n_tests + 1)
    first = np.zeros(n_tests, dtype=np.bool_)
    first[pieces.test[::-1]] = is_left_low[::-1]
    if not (test[1:] > test[:-1]).all():  # else each has one bound at most, in the order of the tests
        rank = rank[np.lexsort((rank, test))]
    return Steps(first, begin.cumsum(), double_of(rank))


def _values(
    columns: Sequence[FromNumbers], column_of: NDArray[np.intp], ranks: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Evaluate each column at its numbers. Columns that are made together are evaluated together."""
    numbers = double_of(ranks)
    values = np.empty(len(numbers))
    places: dict[Evaluate, dict[int, list[tuple[int, NDArray[np.intp]]]]] = {}
    order = np.argsort(column_of, kind="stable")
    used, starts = np.unique(column_of[order], return_index=True)
    for column, place in zip(used.tolist(), np.split(order, starts[1:]), strict=True):
        made = columns[column]
        places.setdefault(made.evaluate, {}).setdefault(made.source, []).append((made.index, place))
    for evaluate, by_source in places.items():
        probes = {
            source: numbers[np.concatenate([place for _, place in made])]
            for source, made in by_source.items()
        }
        with np.errstate(all="ignore"):  # numbers of any size are tried
            matrix = evaluate(probes)
        for made in by_source.values():
            begin = 0
            for index, place in made:
                values[place] = finite(matrix[begin : begin + len(place), index])
                begin += len(place)
    return values


def refined(column: FromNumbers, values: Sequence[float]) -> FromNumbers:
    """Return the column with breaks where it begins or ceases to equal some values.

    A function of the column that treats these values in a special way is constant or monotone between
    the breaks.
    """
    numbers = np.asarray(sorted(values), dtype=np.float64)
    limits = np.concatenate([np.nextafter(numbers, -np.inf), numbers])
    steps = find_steps(
        [column],
        np.zeros(len(limits), dtype=np.intp),
        lambda test, value: value <= limits[test],
    )
    return replace(column, breaks=np.unique(np.concatenate([column.breaks, steps.bound])))
