"""The interface of a search strategy: it asks for feature sets and is told their evaluations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sightline.learn.setgen._evaluation import Evaluation, Sets

NEVER = "never"
"""The value of a patience that never runs out."""


class Batch(NamedTuple):
    """Feature sets to evaluate, in this order.

    Attributes
    ----------
    sets : ndarray of bool of shape (n_sets, n_features)
        The sets. Repeated and known sets cost nothing.
    below : float or None
        The exact fitness of a set does not matter if it is below this.
    """

    sets: Sets
    below: float | None


class Strategy(ABC):
    """A search as questions and answers, so that it can be stopped and stored between any two.

    ``ask`` has no side effect on the future: a question without an answer never happened.
    ``state`` holds everything that decides what comes next.
    """

    @abstractmethod
    def ask(self) -> Batch | None:
        """Return the sets to evaluate next, or None if the search has ended."""

    @abstractmethod
    def tell(self, evaluations: Sequence[Evaluation]) -> None:
        """Take the evaluations of the last batch, in order. Only the very last answer may be incomplete."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return everything that decides the future of the search, as JSON values."""

    @abstractmethod
    def restore(self, state: dict[str, Any]) -> None:
        """Return to a state that ``state`` gave."""


def members_of(features: Sequence[int], n_features: int) -> NDArray[np.bool_]:
    """Return a feature set as booleans, one per feature."""
    members = np.zeros(n_features, dtype=bool)
    members[list(features)] = True
    return members
