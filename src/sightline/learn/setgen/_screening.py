"""Which sets are worth an evaluation: a guess from those that are known."""

from __future__ import annotations

import numpy as np

from sightline import _core
from sightline.learn.setgen._archive import Archive
from sightline.learn.setgen._evaluation import Sets

WINDOW = 1000
"""The guess learns from the last one to two thousand sets: its price grows with their square."""


class Screening:
    """Chooses among sets by the fitness of known ones that are like them.

    All that it knows is in the archive, whose evaluations must be complete: where the archive is
    restored, the choice is as it would have been.

    Parameters
    ----------
    archive : Archive
        Every set that was evaluated.
    noise : float
        Variance of fitness that likeness does not explain, where likeness explains one.
    """

    def __init__(self, archive: Archive, noise: float) -> None:
        self._archive = archive
        self._noise = noise
        self._first = self._end = 0
        self._forecast = self._nothing_known()

    def _nothing_known(self) -> _core.SetGenForecast:
        return _core.SetGenForecast(self._archive.n_features, self._noise)

    def best(self, sets: Sets, n: int) -> list[int]:
        """Return the places of the n most promising of the sets that are not known, the best first.

        Parameters
        ----------
        sets : ndarray of bool of shape (n_sets, n_features)
            The sets; repeated ones count once.
        n : int
            How many are wanted.

        Returns
        -------
        list of int
            Fewer than n where fewer are new.
        """
        forecasts = self._forecasts(sets)
        return sorted(forecasts, key=lambda place: (-forecasts[place], place))[:n]

    def best_of_each(self, sets: Sets, n: int) -> list[int]:
        """Return the place of the most promising of every n sets in a row.

        To choose from few at a time keeps the chosen apart: the best of all are often nearly the same.

        Parameters
        ----------
        sets : ndarray of bool of shape (n_groups * n, n_features)
            The sets.
        n : int
            Sets in a group.

        Returns
        -------
        list of int
            One place per group. Sets that are known, or in a group before, are not among them
            unless there is nothing else.
        """
        forecasts = self._forecasts(sets)
        groups = (range(first, first + n) for first in range(0, len(sets), n))
        # All known: the first, which costs nothing.
        return [max(group, key=lambda place: (forecasts.get(place, -np.inf), -place)) for group in groups]

    def _forecasts(self, sets: Sets) -> dict[int, float]:
        """Return forecasts of the sets that are not known, by place."""
        new = self._archive.missing(sets, None)
        if not new:
            return {}
        self._learn()
        forecasts = self._forecast.forecast(np.ascontiguousarray(sets[new]))
        return dict(zip(new, forecasts.tolist(), strict=True))

    def _learn(self) -> None:
        known = self._archive.items()
        first = max(0, len(known) // WINDOW - 1) * WINDOW
        if first != self._first:
            self._first = self._end = first
            self._forecast = self._nothing_known()
        if len(known) == self._end:
            return
        keys, evaluations = zip(*known[self._end :], strict=True)
        sets = np.array([self._archive.members(key) for key in keys])
        self._forecast.learn(sets, np.array([evaluation.fitness for evaluation in evaluations]))
        self._end = len(known)
