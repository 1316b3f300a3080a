"""Every feature set evaluated so far, and the Pareto front among them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sightline.learn.setgen._evaluation import Evaluation, Sets


def key_of(members: NDArray[np.bool_]) -> bytes:
    r"""Return a feature set as bits, eight features per byte.

    Examples
    --------
    >>> key_of(np.array([True, False, False, False, False, False, False, False, True]))
    b'\x80\x80'
    """
    return np.packbits(members).tobytes()


class Archive:
    """Evaluations by feature set, oldest first.

    Parameters
    ----------
    n_features : int
        Number of features in the table.
    n_folds : int
        Folds of a complete evaluation.
    """

    def __init__(self, n_features: int, n_folds: int) -> None:
        self.n_features = n_features
        self.n_folds = n_folds
        self._evaluations: dict[bytes, Evaluation] = {}
        self._best: bytes | None = None
        self._front: list[bytes] = []
        self._front_points = np.empty((0, 3))

    def __len__(self) -> int:
        return len(self._evaluations)

    def __contains__(self, key: bytes) -> bool:
        return key in self._evaluations

    def __getitem__(self, key: bytes) -> Evaluation:
        return self._evaluations[key]

    def items(self) -> list[tuple[bytes, Evaluation]]:
        """Return keys and evaluations, oldest first."""
        return list(self._evaluations.items())

    def is_complete(self, key: bytes) -> bool:
        """Return whether a set was evaluated on all folds."""
        return self._evaluations[key].n_folds == self.n_folds

    def answers(self, key: bytes, below: float | None) -> bool:
        """Return whether a set is known well enough: completely, or well enough to be below a fitness."""
        known = self._evaluations.get(key)
        if known is None:
            return False
        return known.n_folds == self.n_folds or (below is not None and known.fitness < below)

    def add(self, key: bytes, evaluation: Evaluation) -> None:
        """Add an evaluation, or replace an incomplete one."""
        # Moved to the end: a restored archive is filled in this order, and age breaks ties.
        self._evaluations.pop(key, None)
        self._evaluations[key] = evaluation
        if evaluation.n_folds < self.n_folds:
            return
        if self._best is None or self.rank(key) > self.rank(self._best):
            self._best = key
        self._add_to_front(key, evaluation)

    def rank(self, key: bytes) -> tuple[float, int, float]:
        """Return the sort key of a set: fitness, then fewer features, then fewer nodes."""
        evaluation = self._evaluations[key]
        return evaluation.fitness, -self.size(key), -evaluation.nodes

    @property
    def best(self) -> bytes | None:
        """The fittest completely evaluated set; the oldest on ties."""
        return self._best

    @property
    def front(self) -> list[bytes]:
        """The sets that no other set matches in accuracy, nodes and features at once; the oldest on ties."""
        return list(self._front)

    @property
    def front_points(self) -> NDArray[np.float64]:
        """Accuracy, nodes and features of the front."""
        return self._front_points

    def fittest(self, n: int) -> list[bytes]:
        """Return the n fittest completely evaluated sets."""
        complete = [key for key in self._evaluations if self.is_complete(key)]
        return sorted(complete, key=self.rank, reverse=True)[:n]

    def members(self, key: bytes) -> NDArray[np.bool_]:
        """Return a set as booleans, one per feature."""
        return np.unpackbits(np.frombuffer(key, dtype=np.uint8), count=self.n_features).astype(bool)

    def size(self, key: bytes) -> int:
        """Return the number of features in a set."""
        return int.from_bytes(key).bit_count()

    def missing(self, sets: Sets, below: float | None) -> list[int]:
        """Return the indices of the sets that must be evaluated, each set once."""
        indices: dict[bytes, int] = {}
        for index, members in enumerate(sets):
            key = key_of(members)
            if key not in indices and not self.answers(key, below):
                indices[key] = index
        return list(indices.values())

    def _add_to_front(self, key: bytes, evaluation: Evaluation) -> None:
        point = np.array([evaluation.accuracy, evaluation.nodes, self.size(key)])
        gain = (self._front_points - point) * (1, -1, -1)
        if (gain >= 0).all(axis=1).any():
            return
        stays = ~(gain <= 0).all(axis=1)
        self._front = [old for old, keep in zip(self._front, stays, strict=True) if keep] + [key]
        self._front_points = np.vstack([self._front_points[stays], point])
