"""Simulated annealing: steps to worse sets are accepted less and less often."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.learn.setgen._evaluation import Evaluation
from sightline.learn.setgen._strategy import Batch, Strategy, members_of

FROZEN = 1e-6
"""Temperature below which a walk is over: it would only climb, and may know all neighbors already."""


class Annealing(Strategy):
    """A walk that adds or removes one random feature at a time.

    Parameters
    ----------
    n_features : int
        Number of features in the table.
    temperature : float
        Temperature at the start: how much worse a set may be to be accepted about every third time.
    cooling : float
        Factor of the temperature after each step.
    seed : int
        Seed for all random choices. Step i uses stream i of it.
    """

    def __init__(self, n_features: int, temperature: float, cooling: float, seed: int) -> None:
        self._n_features = n_features
        self._temperature = temperature
        self._cooling = cooling
        self._seed = seed
        self._n_steps = 0
        self._here: NDArray[np.bool_] = np.zeros(n_features, dtype=bool)
        self._fitness: float | None = None

    @property
    def _current_temperature(self) -> float:
        return float(self._temperature * self._cooling**self._n_steps)

    def ask(self) -> Batch | None:
        """Return a random neighbor; at the start, a random set. None when the walk has cooled down."""
        if self._n_steps and self._current_temperature < FROZEN:
            return None
        return Batch(self._candidate(self._stream())[None, :], None)

    def _stream(self) -> np.random.Generator:
        return np.random.Generator(np.random.Philox([self._seed, self._n_steps]))

    def _candidate(self, random: np.random.Generator) -> NDArray[np.bool_]:
        if self._fitness is None:
            return np.asarray(random.random(self._n_features) < 0.5)
        members = self._here.copy()
        members[random.integers(self._n_features)] ^= True
        return members

    def tell(self, evaluations: Sequence[Evaluation]) -> None:
        """Step to the set, or stay."""
        if not evaluations:
            return
        random = self._stream()
        candidate, fitness = self._candidate(random), evaluations[0].fitness
        loss = 0.0 if self._fitness is None else self._fitness - fitness
        if loss <= 0 or random.random() < math.exp(-loss / self._current_temperature):
            self._here, self._fitness = candidate, fitness
        self._n_steps += 1

    def state(self) -> dict[str, Any]:
        """Return the current set and the number of steps."""
        return {
            "n_steps": self._n_steps,
            "here": np.flatnonzero(self._here).tolist(),
            "fitness": self._fitness,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Return to a state."""
        self._n_steps = state["n_steps"]
        self._here = members_of(state["here"], self._n_features)
        self._fitness = state["fitness"]
