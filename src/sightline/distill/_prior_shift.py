"""Probabilities of an ensemble trained with different class frequencies than the data has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sightline.distill._teacher import Teacher

FACTOR = 2.0
"""By how much a mean probability must differ from the frequency of its class."""

ERRORS = 5.0
"""Minimum difference in standard errors as well: a few rows say little about a rare class."""

MAX_ROWS = 50_000
"""Number of training rows to predict; more would add time, not certainty."""

MAX_PROBABILITIES = 2**23
"""Their probabilities of all classes, which are needed several times over: 64 MB each time."""

MAX_ROUNDS = 200
MAX_ODDS = 2.0**10


@dataclass(frozen=True, eq=False)
class PriorShift:
    """How far an ensemble's probabilities are from the class frequencies of the training rows.

    An ensemble with balanced class weights gives most of its few likely rows a probability near 1, whether
    one in two or one in ten of them is of the class: their squared distances hardly distinguish the two.
    On the scale of the frequencies they do. The shift changes how distances are charged; the probabilities of
    trees and graphs are means of the ensemble's own.

    Attributes
    ----------
    odds : ndarray of shape (n_classes,)
        What the ensemble's training multiplied the odds of each class by; the least is 1.
    spread : float
        Variance of the ensemble's probabilities, in units of the variance of the shifted ones.
    """

    odds: NDArray[np.float64]
    spread: float

    @classmethod
    def of(cls, teacher: Teacher) -> PriorShift | None:
        """Return the shift of an ensemble; None if its probabilities match, or if it has none."""
        if not teacher.n_classes or teacher.label_source != "own":
            return None
        n_rows = teacher.table.n_rows
        n_queried = min(n_rows, MAX_ROWS, MAX_PROBABILITIES // teacher.n_classes)
        queried = np.linspace(0, n_rows - 1, n_queried).astype(np.intp)
        weights, target = teacher.row_weights[queried], teacher.target[queried]
        probabilities = (teacher if len(queried) == n_rows else teacher.part(queried)).ensemble_probabilities
        frequency = np.bincount(target, weights, minlength=teacher.n_classes) / weights.sum()
        mean = np.average(probabilities, axis=0, weights=weights)
        error = np.sqrt(frequency * (1 - frequency) / len(weights))
        is_far = (mean >= FACTOR * frequency) | (frequency >= FACTOR * mean)
        is_sure = np.abs(mean - frequency) > ERRORS * error
        has_labels_only = bool((probabilities.max(axis=1) == 1).all())
        if has_labels_only or not (is_far & is_sure & (frequency > 0)).any():
            return None
        odds = _odds(probabilities, frequency, weights)
        shift = cls(odds, 1.0)
        before, after = (_variance(one, weights) for one in (probabilities, shift.shifted(probabilities)))
        return cls(odds, before / after if after > 0 else 1.0)

    def shifted(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return probabilities on the scale of the class frequencies."""
        return _normalized(probabilities / self.odds)


def _odds(
    probabilities: NDArray[np.float64], frequency: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Find the odds by which probabilities must be divided so that their means are the frequencies.

    Each round divides by how far the means are from the frequencies; classes without rows keep theirs.
    """
    known = frequency > 0
    odds = np.ones(len(frequency))
    for _ in range(MAX_ROUNDS):
        means = np.average(_normalized(probabilities / odds), axis=0, weights=weights)
        step = np.divide(means, frequency, out=np.ones_like(odds), where=known)
        odds = np.clip(odds * step, 1 / MAX_ODDS, MAX_ODDS)
        if np.abs(step - 1).max() < 1e-6:
            break
    return np.asarray(np.minimum(odds / odds.min(), MAX_ODDS))


def _normalized(parts: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(parts / parts.sum(axis=1, keepdims=True))


def _variance(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    gaps = values - np.average(values, axis=0, weights=weights)
    return float(np.average((gaps**2).sum(axis=1), weights=weights))
