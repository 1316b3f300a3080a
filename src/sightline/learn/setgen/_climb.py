"""Hill climbing: move to the best neighbor as long as it is better."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.learn.setgen._evaluation import Evaluation, Sets
from sightline.learn.setgen._strategy import Batch, Strategy, members_of


class Climb(Strategy):
    """Steepest ascent from one start after another.

    Parameters
    ----------
    starts : ndarray of bool of shape (n_starts, n_features)
        Where to begin.

    Attributes
    ----------
    path : list of ndarray
        The sets visited so far, from all starts.
    """

    def __init__(self, starts: Sets) -> None:
        self._starts = starts
        self._start = 0
        self._here: NDArray[np.bool_] | None = None
        self._fitness = 0.0
        self.path: list[NDArray[np.bool_]] = []

    @classmethod
    def from_random_starts(cls, n_features: int, restarts: int, seed: int) -> Climb:
        """Return a climb that starts from the empty set first, then from random sets."""
        starts = np.zeros((restarts, n_features), dtype=bool)
        random = np.random.Generator(np.random.Philox(seed))
        for start in starts[1:]:
            start[:] = random.random(n_features) < random.random()
        return cls(starts)

    def ask(self) -> Batch | None:
        """Return the next start, or the neighbors of the current set."""
        if self._start >= len(self._starts):
            return None
        if self._here is None:
            return Batch(self._starts[self._start : self._start + 1], None)
        return Batch(self._neighbors(self._here), self._fitness)

    def tell(self, evaluations: Sequence[Evaluation]) -> None:
        """Move to the best neighbor, or to the next start if none is better."""
        if self._here is None:
            self._move_to(self._starts[self._start], evaluations[0].fitness)
            return
        neighbors = self._neighbors(self._here)
        best = max(
            range(len(evaluations)),
            key=lambda i: (evaluations[i].fitness, -neighbors[i].sum(), -evaluations[i].nodes, -i),
            default=None,
        )
        if best is not None and evaluations[best].fitness > self._fitness:
            self._move_to(neighbors[best], evaluations[best].fitness)
        else:
            self._start, self._here = self._start + 1, None

    def _move_to(self, members: NDArray[np.bool_], fitness: float) -> None:
        self._here, self._fitness = members.copy(), fitness
        self.path.append(self._here)

    def _neighbors(self, members: NDArray[np.bool_]) -> Sets:
        # One feature more, or one less.
        return members[None, :] ^ np.eye(len(members), dtype=bool)

    def state(self) -> dict[str, Any]:
        """Return the current set and the path to it."""
        return {
            "start": self._start,
            "stands": self._here is not None,
            "fitness": self._fitness,
            "path": [np.flatnonzero(members).tolist() for members in self.path],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Return to a state."""
        self.path = [members_of(features, self._starts.shape[1]) for features in state["path"]]
        self._start = state["start"]
        self._fitness = state["fitness"]
        self._here = self.path[-1] if state["stands"] else None


class Elimination(Climb):
    """Steepest ascent from the set of all features that only ever removes features."""

    def __init__(self, n_features: int) -> None:
        super().__init__(np.ones((1, n_features), dtype=bool))

    def _neighbors(self, members: NDArray[np.bool_]) -> Sets:
        return members[None, :] ^ np.eye(len(members), dtype=bool)[members]
