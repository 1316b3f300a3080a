"""Which rows are drawn: a weighted sample that depends on seed and positions alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

__all__ = ["HELD_OUT", "Draw", "Judges", "Keys", "draw", "draw_beside_judges", "n_known", "uniform_of"]

_CHUNK = 1 << 20

HELD_OUT = 0.5
"""Share of many weighted rows that is set aside to judge a model before others are drawn by weight."""


def uniform_of(seed: int, first: int, n_rows: int) -> NDArray[np.float64]:
    """Return a number in (0, 1) for each of some consecutive rows, a hash of the seed and the row's position.

    Parameters
    ----------
    seed : int
        The seed.
    first : int
        Position of the first row among all rows.
    n_rows : int
        Number of rows.

    Examples
    --------
    >>> whole = uniform_of(7, 0, 5)
    >>> bool((whole[3:] == uniform_of(7, 3, 2)).all())
    True
    """
    return _uniform_at(seed, np.arange(first, first + n_rows, dtype=np.int64))


def _uniform_at(seed: int, positions: NDArray[np.int64]) -> NDArray[np.float64]:
    # splitmix64, with the seed's own hash as the stream.
    step = np.uint64(0x9E3779B97F4A7C15)
    with np.errstate(over="ignore"):
        stream = _mixed(np.array([seed], dtype=np.uint64) + step)
        bits = _mixed(((positions.astype(np.uint64) + np.uint64(1)) * step) ^ stream)
    return np.asarray(((bits >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53)


def _mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@dataclass(frozen=True, eq=False)
class Keys:
    """The rows with the smallest keys so far, ascending by key and then by position.

    Attributes
    ----------
    key : ndarray of float64
        The hash of the row, divided by its weight.
    position : ndarray of int64
        Position of the row among all rows.
    weight : ndarray of float64
        Its weight.
    """

    key: NDArray[np.float64]
    position: NDArray[np.int64]
    weight: NDArray[np.float64]

    @classmethod
    def of(cls, seed: int, first: int, weights: NDArray[np.float64]) -> Keys:
        """Return the keys of consecutive rows; rows of weight 0 are left out."""
        drawn = np.flatnonzero(weights > 0)
        weight = weights[drawn]
        return cls(uniform_of(seed, first, len(weights))[drawn] / weight, first + drawn, weight)

    @classmethod
    def none(cls) -> Keys:
        """Return the keys of no rows."""
        return cls(np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros(0))

    def __getitem__(self, rows: NDArray[np.bool_]) -> Keys:
        return Keys(self.key[rows], self.position[rows], self.weight[rows])

    def grown(self, more: Keys, n_keys: int) -> Keys:
        """Return the rows of both, or so many or more of those with the smallest keys, in any order.

        Sorting the best again for every small part would take longer than all else, so that is done rarely.
        """
        both = self.joined(more)
        return both.smallest(n_keys) if len(both.key) > 2 * n_keys + _CHUNK else both

    def smallest(self, n_keys: int) -> Keys:
        """Return so many of the rows, those with the smallest keys."""
        key, position = self.key, self.position
        kept = np.arange(len(key))
        if len(key) > n_keys:
            bound = np.partition(key, n_keys - 1)[n_keys - 1]
            kept = np.flatnonzero(key <= bound)
        kept = kept[np.lexsort((position[kept], key[kept]))][:n_keys]
        return Keys(key[kept], position[kept], self.weight[kept])

    def joined(self, other: Keys) -> Keys:
        """Return the rows of both."""
        return Keys(
            np.concatenate([self.key, other.key]),
            np.concatenate([self.position, other.position]),
            np.concatenate([self.weight, other.weight]),
        )


@dataclass(frozen=True, eq=False)
class Draw:
    """The rows that were drawn.

    Attributes
    ----------
    positions : ndarray of int64
        Their positions among all rows, ascending.
    weights : ndarray of float64 or None
        How much each row represents: its own weight or, if all rows are drawn equally, 1. None if
        all are 1.
    is_complete : bool
        Whether every row of positive weight was drawn.
    held_out : float or None
        Rows of which the hash for judging is below this were set aside before the draw. So they are a random
        part of all rows, heavy and light ones alike. None if the rows that were not drawn are that, too,
        because all rows had the same chance.
    unit : float
        A power of 2 near the largest weight of a drawn row, so that weights in this unit can be squared.
    """

    positions: NDArray[np.int64]
    weights: NDArray[np.float64] | None
    is_complete: bool
    held_out: float | None = None
    unit: float = 1.0

    def between(self, first: int, end: int) -> slice:
        """Return which of the drawn rows lie in a range of positions."""
        low, high = np.searchsorted(self.positions, [first, end])
        return slice(int(low), int(high))


@dataclass(frozen=True)
class Judges:
    """Selects the rows outside the sample that judge a model.

    Attributes
    ----------
    seed : int
        The seed of the draw.
    share : float
        Share of them that judges the model; the others may refine it first. Of rows with weights, the draw
        says which ones judge.
    """

    seed: int
    share: float = 1.0

    def among(
        self, first: int, n_rows: int, drawn: Draw, weights: NDArray[np.float64] | None = None
    ) -> NDArray[np.bool_]:
        """Return which of some consecutive rows judge.

        Parameters
        ----------
        first : int
            Position of the first row among all rows.
        n_rows : int
            Number of rows.
        drawn : Draw
            The rows used to choose the model.
        weights : ndarray of shape (n_rows,), optional
            Weights of the rows. A row of weight 0 does not judge.
        """
        share = self.share if drawn.held_out is None else drawn.held_out
        judging = np.ones(n_rows, dtype=bool)
        if share < 1:
            judging = uniform_of(self._stream, first, n_rows) < share
        if weights is not None:
            judging &= weights > 0
        judging[drawn.positions[drawn.between(first, first + n_rows)] - first] = False
        return judging

    def of(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return those of some rows outside the sample that judge."""
        if self.share == 1:
            return positions
        return positions[self.hashes(positions) < self.share]

    def hashes(self, positions: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return a number in (0, 1) for each of some rows; those with small ones judge."""
        return _uniform_at(self._stream, positions)

    @property
    def _stream(self) -> int:
        """Differs from the seed of the draw, so that the two are independent."""
        return (self.seed + 2**62) % 2**64


def draw(keys: Iterable[Keys], n_drawn: int) -> Draw:
    """Draw rows by priority sampling: the chance of a row is proportional to its weight.

    The row with the smallest key that is not drawn sets the bar t. A drawn row of weight w represents
    max(w, 1/t): so sums over the drawn rows estimate sums over all rows without bias, and a row that is
    heavier than the bar keeps its weight. Weights are given in units of 1/t, so a light row counts 1.

    Parameters
    ----------
    keys : iterable of Keys
        The keys of all rows, part by part, in any order.
    n_drawn : int
        Number of rows to draw; if there are no more, all are drawn with their own weights.

    References
    ----------
    .. [1] N. Duffield, C. Lund and M. Thorup, "Priority sampling for estimation of arbitrary subset sums",
       Journal of the ACM 54, 2007.

    Examples
    --------
    >>> parts = [Keys.of(0, 0, np.ones(3)), Keys.of(0, 3, np.ones(2))]
    >>> draw(parts, 2).positions.tolist() == draw(parts[::-1], 2).positions.tolist()
    True
    >>> draw(parts, 9).is_complete
    True
    """
    best = Keys.none()
    for more in keys:
        best = best.grown(more, n_drawn + 1)
    best = best.smallest(n_drawn + 1)
    is_complete = len(best.key) <= n_drawn
    kept = np.argsort(best.position[:n_drawn])
    weight = best.weight[:n_drawn][kept]
    unit = math.ldexp(0.5, math.frexp(weight.max())[1]) if len(weight) else 1.0
    if not is_complete:
        weight = np.maximum(weight * best.key[n_drawn], 1.0)
    weights = None if np.all(weight == 1) else weight
    return Draw(best.position[:n_drawn][kept], weights, is_complete, unit=unit)


def n_known(n_drawn: int) -> int:
    """Return up to how many weighted rows have to be known to set some aside and draw so many others.

    Half of more rows than this are surely enough to draw from, and the other half is not empty.
    """
    return 2 * n_drawn + 8 * math.isqrt(2 * n_drawn) + 1000


def draw_beside_judges(every: Keys, choosing: Keys, n_drawn: int, judges: Judges) -> Draw:
    """Set weighted rows aside to judge a model, then draw others by weight to choose it.

    The rows that a draw by weight leaves are mostly light ones, and a row that is heavier than the bar is
    never among them. No weights can make up for that, so these rows cannot judge. Of few rows, all that the
    sample leaves judge, and of many half.

    Parameters
    ----------
    every : Keys
        The keys of all rows; of more than ``n_known``, some of them.
    choosing : Keys
        The smallest keys of the rows of which the hash for judging is ``HELD_OUT`` or more.
    n_drawn : int
        Number of rows to draw; if there are no more, all are drawn, and none judges.
    judges : Judges
        The hash for judging, and the share of the rows outside the sample that judges if there are few.

    Examples
    --------
    >>> keys = Keys.of(0, 0, np.array([1.0, 0.0, 2.0, 9.0, 1.0]))
    >>> chosen = draw_beside_judges(keys, Keys.none(), 3, Judges(0))
    >>> len(chosen.positions), int(Judges(0).among(0, 5, chosen, np.array([1.0, 0.0, 2.0, 9.0, 1.0])).sum())
    (3, 1)
    """
    n_rows, bound = len(every.key), HELD_OUT
    if n_rows <= n_drawn:
        return replace(draw([every], n_drawn), held_out=0.0)
    if n_rows <= n_known(n_drawn):
        n_judging = max(1, int(min((n_rows - n_drawn) * judges.share, n_rows * HELD_OUT)))
        hashes = judges.hashes(every.position)
        bound = float(np.sort(hashes)[n_judging])
        choosing = every[hashes >= bound]
    return replace(draw([choosing], n_drawn), is_complete=False, held_out=bound)


def chunks(n_rows: int) -> Iterator[tuple[int, int]]:
    """Yield first row and length of consecutive chunks."""
    for first in range(0, n_rows, _CHUNK):
        yield first, min(_CHUNK, n_rows - first)
