"""Forward selection: one feature more at a time, on as many paths as are wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sightline.learn.setgen._evaluation import Evaluation, Sets
from sightline.learn.setgen._screening import Screening
from sightline.learn.setgen._strategy import Batch, Strategy


class _Place(NamedTuple):
    """A set that may be gone on from; the order of fields decides which is better."""

    fitness: float
    minus_n_features: int
    minus_nodes: float
    minus_age: int
    features: tuple[int, ...]
    is_left: bool


class Forward(Strategy):
    """From the empty set to the sets with one feature more; the best of all seen are gone on from.

    With a width of one this is forward selection as everybody knows it. A wider one also finds
    features that are worth something only together with a second that is not the best alone.

    Parameters
    ----------
    n_features : int
        Number of features there are.
    width : int, default=1
        How many of the best sets are gone on from.
    largest : int, optional
        The number of features at which to stop.
    screening : Screening, optional
        Chooses the most promising of the sets beyond, as many as there are features: a wide
        selection then costs about what a narrow one does.

    Attributes
    ----------
    path : list of ndarray
        The sets that were gone on from, in this order.
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
        self._best: list[_Place] = []
        self._n_seen = 0
        self._asked: Sets = np.zeros((1, n_features), dtype=bool)
        self.path: list[NDArray[np.bool_]] = []

    def ask(self) -> Batch | None:
        """Return the empty set, or what lies one feature beyond the best sets that are new."""
        if self._n_seen == 0:
            return Batch(np.zeros((1, self._n_features), dtype=bool), None)
        self._asked = self._beyond()
        if len(self._asked) == 0:
            return None
        if self._screening is not None:
            self._asked = self._asked[self._screening.best(self._asked, self._n_features)]
        # A set must be better than the worst of these to be gone on from.
        return Batch(self._asked, self._best[-1].fitness if len(self._best) == self._width else None)

    @property
    def is_at_end(self) -> bool:
        """Whether there is nothing left to ask."""
        return self._n_seen > 0 and len(self._beyond()) == 0

    def tell(self, evaluations: Sequence[Evaluation]) -> None:
        """Keep the best."""
        self.path += [self._members(place) for place in self._best if not place.is_left]
        places = [place._replace(is_left=True) for place in self._best]
        known = {place.features for place in places}
        for members, evaluation in zip(self._asked, evaluations, strict=False):
            features = tuple(np.flatnonzero(members).tolist())
            self._n_seen += 1
            if features not in known:
                known.add(features)
                worth = (evaluation.fitness, -len(features), -evaluation.nodes)
                places.append(_Place(*worth, -self._n_seen, features, False))
        self._best = sorted(places, reverse=True)[: self._width]
        if not len(self._beyond()):
            self.path += [self._members(place) for place in self._best if not place.is_left]

    def _beyond(self) -> Sets:
        """Return the sets with one feature more than the best that are new."""
        sets = []
        for place in self._best:
            if place.is_left or len(place.features) >= self._largest:
                continue
            members = self._members(place)
            for feature in np.flatnonzero(~members):
                more = members.copy()
                more[feature] = True
                sets.append(more)
        return np.array(sets, dtype=bool).reshape(-1, self._n_features)

    def _members(self, place: _Place) -> NDArray[np.bool_]:
        members = np.zeros(self._n_features, dtype=bool)
        members[list(place.features)] = True
        return members

    def state(self) -> dict[str, Any]:
        """Return the best sets, and those that were gone on from."""
        return {
            "best": [list(place) for place in self._best],
            "n_seen": self._n_seen,
            "path": [np.flatnonzero(members).tolist() for members in self.path],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to a state."""
        self._best = [
            _Place(fitness, n_features, nodes, age, tuple(features), is_left)
            for fitness, n_features, nodes, age, features, is_left in state["best"]
        ]
        self._n_seen = state["n_seen"]
        self.path = []
        for features in state["path"]:
            members = np.zeros(self._n_features, dtype=bool)
            members[features] = True
            self.path.append(members)
