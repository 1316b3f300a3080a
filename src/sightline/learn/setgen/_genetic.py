"""The paper's genetic algorithm: a population of genomes whose children replace the worst."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.learn.setgen._archive import Archive, key_of
from sightline.learn.setgen._evaluation import Evaluation, Sets
from sightline.learn.setgen._forward import Forward
from sightline.learn.setgen._screening import Screening
from sightline.learn.setgen._strategy import NEVER, Batch, Strategy

FILLING_ATTEMPTS = 10
"""Random genomes tried per member, before a population with fewer members counts as full."""


class Genetic(Strategy):
    """A steady-state genetic algorithm over genomes.

    Parameters
    ----------
    breeder : _core.SetGenBreeder
        Makes genomes. The same population always has the same i-th child.
    genome_size : int
        Entries per genome.
    settings : GeneticSearch
        The completed parameters: none is None.
    archive : Archive
        Every set evaluated so far.
    """

    def __init__(
        self, breeder: _core.SetGenBreeder, genome_size: int, settings: Any, archive: Archive
    ) -> None:
        self._archive = archive
        self._n_features = archive.n_features
        self._breeder = breeder
        self._settings = settings
        self._genome_size = genome_size
        self._screening = Screening(archive, settings.screening_noise) if settings.screening > 1 else None
        self._seeding = self._selection() if settings.seeding == "forward" else None
        self._n_children = 0
        self._first_child = 0
        self._genomes = np.empty((0, genome_size), dtype=np.int32)
        self._keys: list[bytes] = []
        self._fitness = np.empty(0)
        self._born = np.empty(0, dtype=np.int64)
        self._asked = self._genomes
        self._n_bred = 0
        self._n_since_best = 0
        self._polished: list[bytes] = []

    @property
    def _has_bits(self) -> bool:
        return bool(self._settings.genome == "bits")

    def _selection(self) -> Forward:
        return Forward(self._n_features, self._settings.seeding_width, self._genome_size, self._screening)

    @property
    def _is_full(self) -> bool:
        target = self._settings.population
        tried = self._n_children - self._first_child >= FILLING_ATTEMPTS * target
        return len(self._genomes) >= target or (tried and len(self._genomes) > 0)

    def ask(self) -> Batch:
        """Return the sets of the next children."""
        if self._seeding is not None:
            batch = self._seeding.ask()
            if batch is not None:
                return self._batch(batch.sets, batch.below)
            self._asked = self._genomes_of(self._seeding.path)
            return Batch(self._sets_of(self._asked), None)
        self._asked = self._neighbors_of_best() if self._is_polishing else self._next_genomes()
        return self._batch(self._sets_of(self._asked), float(self._fitness.min()) if self._is_full else None)

    def _batch(self, sets: Sets, below: float | None) -> Batch:
        # Screening learns from bad sets too, so it needs their exact fitness.
        return Batch(sets, None if self._screening is not None else below)

    def tell(self, evaluations: Sequence[Evaluation]) -> None:
        """Insert the children into the population."""
        if self._seeding is not None and not self._seeding.is_at_end:
            self._seeding.tell(evaluations)
            return
        if self._is_polishing:
            self._polished.append(self._keys[self._best])
        elif self._seeding is None:
            self._n_children += self._n_bred
        self._seeding = None
        best = self._fitness.max(initial=-np.inf)
        for genome, evaluation in zip(self._asked, evaluations, strict=False):
            self._insert(genome, evaluation.fitness)
        is_better = self._fitness.max(initial=-np.inf) > best
        self._n_since_best = 0 if is_better else self._n_since_best + len(evaluations)
        after = self._settings.restart_after
        if after != NEVER and self._n_since_best >= int(after) and self._is_full:
            self._restart()

    def _restart(self) -> None:
        self._first_child = self._n_children
        self._n_since_best = 0
        self._genomes, self._keys = self._genomes[:0], []
        self._fitness, self._born = self._fitness[:0], self._born[:0]

    @property
    def _best(self) -> int:
        """The index of the best genome; the oldest on ties."""
        return int(np.lexsort((self._born, -self._fitness))[0])

    @property
    def _is_polishing(self) -> bool:
        after = self._settings.polish_after
        if (
            after == NEVER
            or self._seeding is not None
            or not self._is_full
            or self._n_since_best < int(after)
        ):
            return False
        return self._keys[self._best] not in self._polished

    def _neighbors_of_best(self) -> NDArray[np.int32]:
        """Return the genomes with one feature less, or with one more if there is room."""
        best = self._genomes[self._best]
        # A new feature replaces a blank or a repeated entry.
        features, first = np.unique(best, return_index=True)
        free = np.setdiff1d(np.arange(len(best)), first[features >= 0])
        neighbors = []
        for feature in range(self._n_features):
            neighbor = best.copy()
            if feature in features:
                neighbor[neighbor == feature] = -1
            elif len(free):
                neighbor[feature if self._has_bits else free[0]] = feature
            else:
                continue
            neighbors.append(neighbor)
        return np.array(neighbors, dtype=np.int32)

    def _next_genomes(self) -> NDArray[np.int32]:
        if not self._is_full:
            # The first genomes do not depend on each other, so one batch makes them all. They are
            # not screened, because they should be diverse.
            self._n_bred = self._settings.population - len(self._genomes)
            return self._breeder.fill(self._n_children, self._n_bred)
        n = self._settings.screening
        self._n_bred = n * self._settings.batch_size
        children = self._breeder.breed(self._n_children, self._n_bred, self._genomes, self._likelihood())
        if self._screening is None:
            return children
        return children[self._screening.best_of_each(self._sets_of(children), n)]

    def _likelihood(self) -> NDArray[np.float64]:
        if self._settings.selection == "proportional":
            return self._fitness if self._fitness.any() else np.ones_like(self._fitness)
        # Ranks 1, 2, … from the worst up; of equals, the youngest first.
        ranks = np.empty(len(self._fitness))
        ranks[np.lexsort((-self._born, self._fitness))] = np.arange(1, len(ranks) + 1)
        return ranks

    def _insert(self, genome: NDArray[np.int32], fitness: float) -> None:
        key = key_of(self._sets_of(genome[None, :])[0])
        if self._settings.reject_duplicates and key in self._keys:
            return
        born = int(self._born.max(initial=-1)) + 1
        if not self._is_full:
            self._genomes = np.vstack([self._genomes, genome])
            self._keys.append(key)
            self._fitness = np.append(self._fitness, fitness)
            self._born = np.append(self._born, born)
            return
        # A better child replaces the oldest of the worst.
        worst = int(np.lexsort((self._born, self._fitness))[0])
        if fitness > self._fitness[worst]:
            self._genomes[worst], self._keys[worst] = genome, key
            self._fitness[worst], self._born[worst] = fitness, born

    def _sets_of(self, genomes: NDArray[np.int32]) -> Sets:
        # The extra last column takes the blanks.
        sets = np.zeros((len(genomes), self._n_features + 1), dtype=bool)
        sets[np.arange(len(genomes))[:, None], genomes] = True
        return np.ascontiguousarray(sets[:, :-1])

    def _genomes_of(self, path: Sequence[NDArray[np.bool_]]) -> NDArray[np.int32]:
        """Return the last sets of a path as genomes; in a list, blanks at the end."""
        sets = path[-self._settings.population :]
        genomes = np.full((len(sets), self._genome_size), -1, dtype=np.int32)
        for genome, members in zip(genomes, sets, strict=True):
            features = np.flatnonzero(members)
            genome[features if self._has_bits else np.arange(len(features))] = features
        return genomes

    def state(self) -> dict[str, Any]:
        """Return the population and the counters."""
        return {
            "seeding": None if self._seeding is None else self._seeding.state(),
            "n_children": self._n_children,
            "first_child": self._first_child,
            "genomes": self._genomes.tolist(),
            "fitness": self._fitness.tolist(),
            "born": self._born.tolist(),
            "n_since_best": self._n_since_best,
            "polished": [key.hex() for key in self._polished],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Return to a state."""
        if state["seeding"] is None:
            self._seeding = None
        else:
            self._seeding = self._selection()
            self._seeding.restore(state["seeding"])
        self._n_children = state["n_children"]
        self._first_child = state["first_child"]
        self._genomes = np.array(state["genomes"], dtype=np.int32).reshape(-1, self._genomes.shape[1])
        self._keys = [key_of(members) for members in self._sets_of(self._genomes)]
        self._fitness = np.array(state["fitness"], dtype=np.float64)
        self._born = np.array(state["born"], dtype=np.int64)
        self._n_since_best = state["n_since_best"]
        self._polished = [bytes.fromhex(key) for key in state["polished"]]
