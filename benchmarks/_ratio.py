"""A benchmark: two measurements of the same job, and their ratio."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True)
class Ratio:
    """One line of the report: our measurement and a peer's, in the same unit."""

    job: str
    ours: float
    peer: float
    peer_name: str
    bound: float
    unit: str = "s CPU"
    is_relative: bool = True
    """Whether the peer is measured, too. If not, the ratio depends on the machine."""

    @property
    def value(self) -> float:
        return self.ours / self.peer

    @property
    def holds(self) -> bool:
        return self.value <= self.bound


def timed(job: Callable[[], Result]) -> tuple[Result, float]:
    """Run a job once; return its result and its CPU seconds."""
    start = time.process_time()
    result = job()
    return result, time.process_time() - start


def side_by_side(
    ours: Callable[[], object], peer: Callable[[], object], repeats: int = 5
) -> tuple[float, float]:
    """Return the minimum CPU times of two jobs that take turns, so that a busy machine slows down both."""
    seconds = [(timed(ours)[1], timed(peer)[1]) for _ in range(repeats)]
    return min(first for first, _ in seconds), min(second for _, second in seconds)


def cpu_seconds(job: Callable[[], object], repeats: int = 3) -> float:
    """Return the minimum CPU time of several runs: what the job needs when nothing disturbs it."""
    return min(timed(job)[1] for _ in range(repeats))
