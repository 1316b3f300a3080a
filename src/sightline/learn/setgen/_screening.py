"""Screening: predict which feature sets are worth an evaluation."""

from __future__ import annotations

import numpy as np

from sightline import _core
from sightline.learn.setgen._archive import Archive
from sightline.learn.setgen._evaluation import Sets

WINDOW = 1000
"""The forecast learns from the last one to two thousand sets: its cost is quadratic in their number."""


class Screening:
    """Picks the most promising sets, judging by the fitness of similar sets.

    Everything it knows is in the archive, whose evaluations must be complete. After the archive is
    restored, it picks as it would have before.

    Parameters
    ----------
    archive : Archive
        Every set evaluated so far.
    noise : float
        Variance of the fitness among similar sets, relative to that among dissimilar ones.
    """

    def __init__(self, archive: Archive, noise: float) -> None:
        self._archive = archive
        self._noise = noise
        self._first = self._end = 0
        self._forecast = self._empty_forecast()

    def _empty_forecast(self) -> _core.SetGenForecast:
        return _core.SetGenForecast(self._archive.n_features, self._noise)

    def best(self, sets: Sets, n: int) -> list[int]:
        """Return the indices of the n most promising new sets, best first.

        Parameters
        ----------
        sets : ndarray of bool of shape (n_sets, n_features)
            The sets; repeated ones count once.
        n : int
            How many to return.

        Returns
        -------
        list of int
            Fewer than n if fewer sets are new.
        """
        forecasts = self._forecasts(sets)
        return sorted(forecasts, key=lambda index: (-forecasts[index], index))[:n]

    def best_of_each(self, sets: Sets, n: int) -> list[int]:
        """Return the index of the most promising set in each group of n.

        Choosing from small groups keeps the choice diverse: the best of all sets are often nearly the same.

        Parameters
        ----------
        sets : ndarray of bool of shape (n_groups * n, n_features)
            The sets.
        n : int
            Sets per group.

        Returns
        -------
        list of int
            One index per group. A set that is known, or that an earlier group contains, is
            returned only if the group has nothing else.
        """
        forecasts = self._forecasts(sets)
        groups = (range(first, first + n) for first in range(0, len(sets), n))
        # If all are known, the first one, which costs nothing.
        return [max(group, key=lambda index: (forecasts.get(index, -np.inf), -index)) for group in groups]

    def _forecasts(self, sets: Sets) -> dict[int, float]:
        """Return the forecasts of the new sets by index."""
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
            self._forecast = self._empty_forecast()
        if len(known) == self._end:
            return
        keys, evaluations = zip(*known[self._end :], strict=True)
        sets = np.array([self._archive.members(key) for key in keys])
        self._forecast.learn(sets, np.array([evaluation.fitness for evaluation in evaluations]))
        self._end = len(known)
