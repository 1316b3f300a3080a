"""The search loop: batches from the strategy, evaluations by the workers, and when to stop."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType
from typing import Any, Self

import numpy as np

from sightline.budget import Deadline
from sightline.learn.setgen._archive import Archive, key_of
from sightline.learn.setgen._evaluation import Abandonment, Evaluation, Workers
from sightline.learn.setgen._searches import FeatureSearch
from sightline.learn.setgen._strategy import NEVER, Batch, Strategy
from sightline.progress import ProgressBar


@dataclass
class Limits:
    """The time limit of a search, and how it is saved meanwhile.

    Parameters
    ----------
    deadline : Deadline
        The end of the time limit.
    save : callable or None
        Called with the state of the search now and then, and at its end.
    save_every : float
        Seconds between two saves.
    """

    deadline: Deadline
    save: Callable[[dict[str, Any]], None] | None = None
    save_every: float = 30.0


class _TimeIsUpError(Exception):
    """The deadline passed within a batch."""


class _Interrupts:
    """What ends a batch early: Ctrl-C at once, the deadline between two sets.

    Neither interrupts the processing of an answer.

    Parameters
    ----------
    limits : Limits
        With the deadline. A search that is saved finishes its first batch nevertheless: otherwise
        one that resumes again and again within short limits would never advance.
    """

    def __init__(self, limits: Limits) -> None:
        self.happened = False
        self._deadline = limits.deadline
        self._must_finish = limits.save is not None
        self._evaluating = False
        self._installed = False

    def __enter__(self) -> Self:
        # Only the main thread can catch signals. A handler that the user installed stays.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            with suppress(ValueError):
                signal.signal(signal.SIGINT, self._handle)
                self._installed = True
        return self

    def __exit__(self, *error: object) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _handle(self, _signal: int, _frame: FrameType | None) -> None:
        self.happened = True
        if self._evaluating:
            raise KeyboardInterrupt

    def evaluate(self, workers: Workers, sets: Any, abandonment: Abandonment | None) -> list[Evaluation]:
        # One set per worker between two looks at the clock; all at once where no clock is needed.
        size = len(sets) if self._must_finish or not self._deadline.is_limited else workers.n_workers
        self._must_finish = False
        answers: list[Evaluation] = []
        self._evaluating = True
        try:
            while len(answers) < len(sets):
                if answers and self._deadline.has_passed:
                    raise _TimeIsUpError
                answers += workers.evaluate(sets[len(answers) : len(answers) + size], abandonment)
        finally:
            self._evaluating = False
        return answers


class Search:
    """One search over feature sets.

    Parameters
    ----------
    strategy : Strategy
        Decides which sets to evaluate next.
    archive : Archive
        Stores every evaluation.
    evaluations : int
        The budget.
    settings : FeatureSearch
        The completed parameters of the search.

    Attributes
    ----------
    n_distinct : int
        Number of distinct sets evaluated.
    n_requests : int
        Number of sets requested, including repeated ones.
    history : list of (int, float)
        Number of distinct sets and best fitness at each improvement.
    stopped : str or None
        Why the search ended: "evaluations", "patience", "exhausted" (nothing is left to try),
        "seconds" or "interrupted". None while it runs.
    """

    def __init__(
        self, strategy: Strategy, archive: Archive, evaluations: int, settings: FeatureSearch
    ) -> None:
        self.strategy = strategy
        self.archive = archive
        self.evaluations = evaluations
        self.settings = settings
        self.n_distinct = 0
        self.n_requests = 0
        self.history: list[tuple[int, float]] = []
        self.stopped: str | None = None
        self._n_since_best = 0

    def run(self, workers: Workers, limits: Limits, bar: ProgressBar) -> None:
        """Search until a limit is reached. The results are in the archive."""
        if self.stopped not in (None, "seconds", "interrupted"):
            return
        saved = time.monotonic()
        self.stopped = None
        with _Interrupts(limits) as interrupts:
            # Both keep the results so far. The unfinished batch is discarded.
            with suppress(KeyboardInterrupt, _TimeIsUpError):
                while self.stopped is None and not interrupts.happened:
                    self._step(workers, interrupts)
                    bar.update(self._n_counted, f"best fitness {self.best_fitness:.4f}")
                    now = time.monotonic()
                    if limits.save is not None and now - saved >= limits.save_every:
                        limits.save(self.state())
                        saved = now
                    if limits.deadline.has_passed:
                        self.stopped = self.stopped or "seconds"
            is_timeout = limits.deadline.has_passed and not interrupts.happened
            self.stopped = self.stopped or ("seconds" if is_timeout else "interrupted")
            if limits.save is not None:
                limits.save(self.state())

    @property
    def best_fitness(self) -> float:
        """Fitness of the best set so far."""
        return self.history[-1][1] if self.history else float("-inf")

    @property
    def _n_counted(self) -> int:
        return self.n_distinct if self.settings.count == "distinct" else self.n_requests

    def _step(self, workers: Workers, interrupts: _Interrupts) -> None:
        batch = self.strategy.ask()
        if batch is None:
            self.stopped = "exhausted"
            return
        below = batch.below if self.settings.abandon else None
        sets, indices = self._within_budget(batch, below)
        abandonment = None if below is None else Abandonment(below, self.archive.front_points)
        answers = interrupts.evaluate(workers, np.ascontiguousarray(sets[indices]), abandonment)
        self._take(sets, [key_of(sets[index]) for index in indices], answers)
        self._check_limits()

    def _within_budget(self, batch: Batch, below: float | None) -> tuple[Any, list[int]]:
        left = self.evaluations - self._n_counted
        sets = batch.sets
        if self.settings.count == "requests":
            sets = sets[:left]
            return sets, self.archive.missing(sets, below)
        indices = self.archive.missing(sets, below)
        new = [index for index in indices if key_of(sets[index]) not in self.archive]
        if len(new) > left:
            sets = sets[: new[left]]
            indices = [index for index in indices if index < len(sets)]
        return sets, indices

    def _take(self, sets: Any, keys: list[bytes], answers: list[Evaluation]) -> None:
        for key, answer in zip(keys, answers, strict=True):
            self.n_distinct += key not in self.archive
            self.archive.add(key, answer)
        self.n_requests += len(sets)
        best = self.archive.best
        fitness = float("-inf") if best is None else self.archive[best].fitness
        if fitness > self.best_fitness:
            self.history.append((self.n_distinct, fitness))
            self._n_since_best = 0
        else:
            self._n_since_best += len(sets)
        self.strategy.tell([self.archive[key_of(members)] for members in sets])

    def _check_limits(self) -> None:
        patience, archive = self.settings.patience, self.archive
        if self._n_counted >= self.evaluations:
            self.stopped = "evaluations"
        elif patience is not None and patience != NEVER and self._n_since_best >= int(patience):
            self.stopped = "patience"
        elif archive.n_features < 63 and len(archive) >= 2**archive.n_features:
            self.stopped = "exhausted"

    def state(self) -> dict[str, Any]:
        """Return everything that decides the future of the search, as JSON values."""
        return {
            "archive": [[key.hex(), *evaluation] for key, evaluation in self.archive.items()],
            "n_distinct": self.n_distinct,
            "n_requests": self.n_requests,
            "n_since_best": self._n_since_best,
            "history": self.history,
            "stopped": self.stopped,
            "strategy": self.strategy.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Return to a state that ``state`` gave. The archive must be as it was at the start."""
        for key, *evaluation in state["archive"]:
            self.archive.add(bytes.fromhex(key), Evaluation(*evaluation))
        self.n_distinct = state["n_distinct"]
        self.n_requests = state["n_requests"]
        self._n_since_best = state["n_since_best"]
        self.history = [(n, fitness) for n, fitness in state["history"]]
        self.stopped = state["stopped"]
        self.strategy.restore(state["strategy"])
