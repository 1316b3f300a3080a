"""What a benchmark is: two measurements of the same job, and their ratio."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Ratio:
    """One line of the report: ours against a peer's, in the same unit."""

    job: str
    ours: float
    peer: float
    peer_name: str
    bound: float
    unit: str = "s CPU"

    @property
    def value(self) -> float:
        return self.ours / self.peer

    @property
    def holds(self) -> bool:
        return self.value <= self.bound


def cpu_seconds(job: Callable[[], object], repeats: int = 3) -> float:
    """Least CPU time of several runs: what the job needs when nothing disturbs it."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        job()
        best = min(best, time.process_time() - start)
    return best
