"""Random search: sets drawn without looking at earlier ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sightline.learn.setgen._archive import Archive, key_of
from sightline.learn.setgen._evaluation import Evaluation
from sightline.learn.setgen._strategy import Batch, Strategy

BATCH = 8
MAX_ATTEMPTS = 100
"""Draws for one new set, before nearly all sets count as known."""


class RandomSets(Strategy):
    """Sets that no search has evaluated yet, drawn at random.

    Parameters
    ----------
    archive : Archive
        Every set evaluated so far.
    seed : int
        Seed for all random choices. Batch i uses stream i of it.
    """

    def __init__(self, archive: Archive, seed: int) -> None:
        self._archive = archive
        self._seed = seed
        self._n_batches = 0

    def ask(self) -> Batch | None:
        """Return a batch of new sets, or None if no more are found."""
        random = np.random.Generator(np.random.Philox([self._seed, self._n_batches]))
        drawn: dict[bytes, Any] = {}
        for _ in range(BATCH * MAX_ATTEMPTS):
            members = random.random(self._archive.n_features) < random.random()
            if key_of(members) not in self._archive:
                drawn.setdefault(key_of(members), members)
            if len(drawn) == BATCH:
                break
        return Batch(np.array(list(drawn.values())), None) if drawn else None

    def tell(self, evaluations: Sequence[Evaluation]) -> None:  # noqa: ARG002 - looks at nothing
        """Count the batch."""
        self._n_batches += 1

    def state(self) -> dict[str, Any]:
        """Return the number of batches."""
        return {"n_batches": self._n_batches}

    def restore(self, state: dict[str, Any]) -> None:
        """Return to a state."""
        self._n_batches = state["n_batches"]
