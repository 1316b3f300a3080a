"""Which children are worth an evaluation: a guess from the sets that are known."""

from __future__ import annotations

import numpy as np

from sightline import _core
from sightline.learn.setgen._archive import Archive, key_of
from sightline.learn.setgen._evaluation import Sets

WINDOW = 1000
"""The guess learns from the last one to two thousand sets: its price grows with their square."""


class Screening:
    """Chooses among children by the fitness that sets like theirs have.

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

    def choose(self, sets: Sets, n: int) -> list[int]:
        """Return the places of the most promising sets.

        Parameters
        ----------
        sets : ndarray of bool of shape (n_sets, n_features)
            Children.
        n : int
            How many to choose.

        Returns
        -------
        list of int
            The best forecast first. Sets that are known are not among them, unless all are.
        """
        new = self._archive.missing(sets, None)
        if not new:
            return list(range(min(n, len(sets))))
        self._learn()
        forecasts = self._forecast.forecast(np.ascontiguousarray(sets[new]))
        return [new[place] for place in np.argsort(-forecasts, kind="stable")[:n]]

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
