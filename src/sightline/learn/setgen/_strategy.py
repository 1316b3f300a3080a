"""What a way of searching is: it asks for sets, and is told what they are worth."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

from sightline.learn.setgen._evaluation import Evaluation, Sets


class Batch(NamedTuple):
    """Sets to be evaluated, in this order.

    Attributes
    ----------
    sets : ndarray of bool of shape (n_sets, n_features)
        The sets; repeated and known ones cost nothing.
    below : float or None
        A set whose fitness is below this need not be known exactly.
    """

    sets: Sets
    below: float | None


class Strategy(ABC):
    """A search as question and answer, so that it can be stopped and stored between any two.

    ``ask`` changes nothing: an answer that never comes has not happened. All that decides
    what comes next is in ``state``.
    """

    @abstractmethod
    def ask(self) -> Batch | None:
        """Return the sets to evaluate next, or None where the search is at its end."""

    @abstractmethod
    def tell(self, evaluations: Sequence[Evaluation]) -> None:
        """Take the answers to the first sets of the last question; fewer than asked only at the very end."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return everything that decides about the future, as plain values that JSON can hold."""

    @abstractmethod
    def restore(self, state: dict[str, Any]) -> None:
        """Go back to a state that ``state`` gave."""
