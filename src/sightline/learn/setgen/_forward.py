"""Forward selection: add one feature at a time, along one or several paths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sightline.learn.setgen._evaluation import Evaluation, Sets
from sightline.learn.setgen._screening import Screening
from sightline.learn.setgen._strategy import Batch, Strategy, members_of


class _Candidate(NamedTuple):
    """A set to extend. Tuples compare field by field, so the order of the fields ranks candidates."""

    fitness: float
    minus_n_features: int
    minus_nodes: float
    minus_age: int
    features: tuple[int, ...]
    is_extended: bool


class Forward(Strategy):
    """Start from the empty set and keep extending the best sets seen so far by one feature.

    A width of 1 is ordinary forward selection. A larger width also finds features that help only
    together with a second one that is not the best on its own.

    Parameters
    ----------
    n_features : int
        Number of features in the table.
    width : int, default=1
        How many of the best sets to extend.
    largest : int, optional
        Number of features at which to stop.
    screening : Screening, optional
        Picks the most promising extensions, as many as there are features. A wide selection then
        costs about as much as a narrow one.

    Attributes
    ----------
    path : list of ndarray
        The sets that were extended, in order.
    """

    def __init__(
        self,
        n_features: int,
        width: int = 1,
        largest: int | None = None,
        screening: Screening | None = None,
    ) -> None:
        self._n_features = n_features
        self._width = width
        self._largest = n_features if largest is None else largest
        self._screening = screening
        self._best: list[_Candidate] = []
        self._n_seen = 0
        self._asked: Sets = np.zeros((1, n_features), dtype=bool)
        self.path: list[NDArray[np.bool_]] = []

    def ask(self) -> Batch | None:
        """Return the empty set, or the extensions of the best sets that have not been extended yet."""
        if self._n_seen == 0:
            return Batch(np.zeros((1, self._n_features), dtype=bool), None)
        self._asked = self._extensions()
        if len(self._asked) == 0:
            return None
        if self._screening is not None:
            self._asked = self._asked[self._screening.best(self._asked, self._n_features)]
        # Only a set that beats the worst of the best will be extended.
        return Batch(self._asked, self._best[-1].fitness if len(self._best) == self._width else None)

    @property
    def is_at_end(self) -> bool:
        """Whether there is nothing left to ask."""
        return self._n_seen > 0 and len(self._extensions()) == 0

    def tell(self, evaluations: Sequence[Evaluation]) -> None:
        """Keep the best sets."""
        self._extend_path()
        candidates = [candidate._replace(is_extended=True) for candidate in self._best]
        known = {candidate.features for candidate in candidates}
        for members, evaluation in zip(self._asked, evaluations, strict=False):
            features = tuple(np.flatnonzero(members).tolist())
            self._n_seen += 1
            if features not in known:
                known.add(features)
                rank = (evaluation.fitness, -len(features), -evaluation.nodes)
                candidates.append(_Candidate(*rank, -self._n_seen, features, False))
        self._best = sorted(candidates, reverse=True)[: self._width]
        if not len(self._extensions()):
            self._extend_path()

    def _extend_path(self) -> None:
        self.path += [self._members(candidate) for candidate in self._best if not candidate.is_extended]

    def _extensions(self) -> Sets:
        """Return the best new sets, each with one more feature."""
        sets = []
        for candidate in self._best:
            if candidate.is_extended or len(candidate.features) >= self._largest:
                continue
            members = self._members(candidate)
            for feature in np.flatnonzero(~members):
                more = members.copy()
                more[feature] = True
                sets.append(more)
        return np.array(sets, dtype=bool).reshape(-1, self._n_features)

    def _members(self, candidate: _Candidate) -> NDArray[np.bool_]:
        return members_of(candidate.features, self._n_features)

    def state(self) -> dict[str, Any]:
        """Return the best sets and the path."""
        return {
            "best": [list(candidate) for candidate in self._best],
            "n_seen": self._n_seen,
            "path": [np.flatnonzero(members).tolist() for members in self.path],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Return to a state."""
        self._best = [
            _Candidate(fitness, n_features, nodes, age, tuple(features), is_extended)
            for fitness, n_features, nodes, age, features, is_extended in state["best"]
        ]
        self._n_seen = state["n_seen"]
        self.path = [members_of(features, self._n_features) for features in state["path"]]
