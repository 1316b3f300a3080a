"""Which rows are drawn: a weighted sample that depends on seed and positions alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Draw", "Judges", "Keys", "draw", "uniform_of"]

_CHUNK = 1 << 20


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
    """

    positions: NDArray[np.int64]
    weights: NDArray[np.float64] | None
    is_complete: bool

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
        Share of them that judges the model; the others may refine it first.
    """

    seed: int
    share: float = 1.0

    def among(self, first: int, n_rows: int, drawn: Draw) -> NDArray[np.bool_]:
        """Return which of some consecutive rows judge.

        Parameters
        ----------
        first : int
            Position of the first row among all rows.
        n_rows : int
            Number of rows.
        drawn : Draw
            The rows used to choose the model.
        """
        judging = np.ones(n_rows, dtype=bool)
        if self.share < 1:
            judging = uniform_of(self._stream, first, n_rows) < self.share
        judging[drawn.positions[drawn.between(first, first + n_rows)] - first] = False
        return judging

    def of(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return those of some rows outside the sample that judge."""
        if self.share == 1:
            return positions
        return positions[_uniform_at(self._stream, positions) < self.share]

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
    best = Keys(np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros(0))
    for more in keys:
        # Joined rarely: sorting the best again for every small part would take longer than all else.
        best = best.joined(more)
        if len(best.key) > 2 * n_drawn + _CHUNK:
            best = best.smallest(n_drawn + 1)
    best = best.smallest(n_drawn + 1)
    is_complete = len(best.key) <= n_drawn
    kept = np.argsort(best.position[:n_drawn])
    weight = best.weight[:n_drawn][kept]
    if not is_complete:
        weight = np.maximum(weight * best.key[n_drawn], 1.0)
    return Draw(best.position[:n_drawn][kept], None if np.all(weight == 1) else weight, is_complete)


def chunks(n_rows: int) -> Iterator[tuple[int, int]]:
    """Yield first row and length of consecutive chunks."""
    for first in range(0, n_rows, _CHUNK):
        yield first, min(_CHUNK, n_rows - first)
