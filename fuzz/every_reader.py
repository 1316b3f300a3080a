"""Fuzz every reader in turn: ``python -m fuzz.every_reader 60``, which is ``make fuzz SECONDS=60``.

Each run is recorded in ``record.tsv``, and "How it is tested" shows the totals. Seconds are CPU seconds, so
that a busy machine tries as many files as a quiet one. What widened the coverage is kept in ``build/fuzz``,
where the next run begins.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from pathlib import Path

from docs.tools.testing_page import write_table
from fuzz.readers import READERS

ROOT = Path(__file__).parents[1]
RECORD = Path(__file__).with_name("record.tsv")

MAX_FILES = 300_000
"""Files for one process: the fuzzer keeps about 2 kB of each, which would look like a reader that leaks."""


@dataclass(frozen=True)
class Run:
    """One reader, fuzzed once."""

    reader: str
    commit: str
    cpu_seconds: int
    n_files: int
    n_defects: int


def main() -> None:
    seconds = int(sys.argv[1])
    names = sys.argv[2:] or list(READERS)
    commit = subprocess.run(
        ["git", "rev-parse", "--short=8", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    runs = []
    for name in names:
        runs.append(fuzzed(name, seconds, commit))
        print(*astuple(runs[-1]), sep="\t", flush=True)
        append(runs[-1])
    write_totals(recorded())
    if any(run.n_defects for run in runs):
        raise SystemExit("a reader failed: see the crash- files in the current folder")


def fuzzed(name: str, seconds: int, commit: str) -> Run:
    """Fuzz a reader until it has used this much CPU time, or fails."""
    n_files, n_defects, spent = 0, 0, 0.0
    while spent < seconds and not n_defects:
        before = _cpu_seconds_of_children()
        n_more, n_defects = _fuzz(name, max(1, round(seconds - spent)))
        spent += _cpu_seconds_of_children() - before
        n_files += n_more
    return Run(name, commit, round(spent), n_files, n_defects)


def _fuzz(name: str, seconds: int) -> tuple[int, int]:
    """Return the number of files that a reader met in this time by the clock, and whether it failed."""
    kept = ROOT / "build" / "fuzz" / name
    kept.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "fuzz", name, f"-max_total_time={seconds}", f"-runs={MAX_FILES}"]
    with tempfile.TemporaryFile("w+", errors="replace") as log:
        done = subprocess.run(command, stdout=log, stderr=log, check=False, env=_environment(kept))
        log.seek(0)
        text = log.read()
    if done.returncode:
        print(text[-3000:])
    n_files = re.search(r"number_of_executed_units: (\d+)", text)
    return int(n_files[1]) if n_files else 0, int(done.returncode != 0)


def _environment(kept: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "FUZZ_KEPT": str(kept)}


def _cpu_seconds_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def append(run: Run) -> None:
    with RECORD.open("a", encoding="utf-8") as file:
        print(*astuple(run), sep="\t", file=file)


def recorded() -> list[Run]:
    _, *lines = RECORD.read_text(encoding="utf-8").splitlines()
    cells = (line.split("\t") for line in lines)
    return [Run(reader, commit, *map(int, numbers)) for reader, commit, *numbers in cells]


def write_totals(runs: Iterable[Run]) -> None:
    """Write the sums of all recorded runs of each reader to the page."""
    rows = []
    for name in READERS:
        own = [run for run in runs if run.reader == name]
        minutes = round(sum(run.cpu_seconds for run in own) / 60)
        n_files, n_defects = sum(run.n_files for run in own), sum(run.n_defects for run in own)
        rows.append((name.replace("_", " "), minutes, n_files, n_defects))
    write_table("fuzzing", ("reader", "CPU minutes", "files tried", "defects found"), rows)


if __name__ == "__main__":
    main()
