"""The ratios of every release: a file in the repository, so that a slow drift shows."""

from __future__ import annotations

import csv
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from benchmarks._ratio import Ratio

HISTORY = Path(__file__).with_name("history.tsv")
COLUMNS = ("release", "commit", "versions", "job", "ratio", "bound")
PEERS = ("numpy", "sklearn", "lightgbm", "xgboost", "catboost")
"""Modules whose speed is in the ratios. Packages have other names, such as xgboost-cpu."""

MAX_WORSENING = 1.2
"""A ratio may become larger by this factor since the baseline before it counts as worse."""


@dataclass(frozen=True)
class Run:
    """The ratios of one commit."""

    release: str
    commit: str
    versions: str
    ratios: dict[str, float] = field(default_factory=dict)
    bounds: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, measured: Iterable[Ratio]) -> Run:
        """Return what was measured here and now; absolute targets depend on the machine and are left out."""
        relative = [ratio for ratio in measured if ratio.is_relative]
        return cls(
            version("sightline"),
            _commit(),
            ", ".join(f"{name} {import_module(name).__version__}" for name in PEERS),
            {ratio.job: ratio.value for ratio in relative},
            {ratio.job: ratio.bound for ratio in relative},
        )


def read_runs(path: Path = HISTORY) -> list[Run]:
    """Return the runs of a file, oldest first."""
    runs: dict[str, Run] = {}
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            run = runs.setdefault(row["commit"], Run(row["release"], row["commit"], row["versions"]))
            run.ratios[row["job"]] = float(row["ratio"])
            run.bounds[row["job"]] = float(row["bound"])
    return list(runs.values())


def record(run: Run, path: Path = HISTORY) -> None:
    """Add a run to a file. What an earlier run of the same commit measured, too, gives way."""
    runs = {known.commit: known for known in read_runs(path)}
    same = runs.pop(run.commit, run)
    runs[run.commit] = replace(run, ratios=same.ratios | run.ratios, bounds=same.bounds | run.bounds)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(COLUMNS)
        for each in runs.values():
            for job, ratio in each.ratios.items():
                bound = f"{each.bounds[job]:.4g}"
                writer.writerow([each.release, each.commit, each.versions, job, f"{ratio:.4g}", bound])


def latest(runs: list[Run]) -> Run:
    """Return the last run, with what only earlier ones measured: a run may be a part of the jobs.

    Examples
    --------
    >>> first = Run("0.1", "a", "", {"load": 2.0, "fit": 3.0}, {"load": 1.0, "fit": 1.0})
    >>> latest([first, Run("0.2", "b", "", {"load": 0.5}, {"load": 1.0})]).ratios
    {'load': 0.5, 'fit': 3.0}
    """
    ratios: dict[str, float] = {}
    bounds: dict[str, float] = {}
    for run in runs:
        ratios |= run.ratios
        bounds |= run.bounds
    return replace(runs[-1], ratios=ratios, bounds=bounds)


def baseline(runs: list[Run]) -> Run | None:
    """Return the run that the last one is compared with.

    It is the last run of the release before or, as long as there is none, the run before it.
    """
    others = [run for run in runs[:-1] if run.release != runs[-1].release] or runs[:-1]
    return others[-1] if others else None


def worsened(runs: list[Run]) -> list[str]:
    """Return a sentence for every ratio of the last run that is worse than before by more than a fifth."""
    before = baseline(runs)
    if before is None:
        return []
    now = runs[-1]
    return [
        f"{job}: {before.ratios[job]:.3g} in {before.release} ({before.commit}), {ratio:.3g} now."
        for job, ratio in now.ratios.items()
        if job in before.ratios and ratio > MAX_WORSENING * before.ratios[job]
    ]


def _commit() -> str:
    """Return the commit, marked if files other than the history itself have changed since."""
    name = _git("rev-parse", "--short", "HEAD")
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ":/", f":(exclude){HISTORY.name}")
    return f"{name}-dirty" if changed else name


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(HISTORY.parent), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
