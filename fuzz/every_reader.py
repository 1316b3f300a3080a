"""Fuzz every reader in turn: ``python -m fuzz.every_reader 60``, which is ``make fuzz SECONDS=60``.

Prints how often each reader was run and what was found, and writes that to "How it is tested".
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from docs.tools.testing_page import write_table
from fuzz.readers import READERS

ROOT = Path(__file__).parents[1]


def main() -> None:
    seconds = int(sys.argv[1])
    rows = []
    for name in READERS:
        rows.append((name.replace("_", " "), *fuzzed(name, seconds)))
        print(*rows[-1], sep="\t", flush=True)
    write_table("fuzzing", ("reader", "files tried", "faults found"), rows)
    if any(faults for *_, faults in rows):
        raise SystemExit("a reader failed: see the crash- files in the current folder")


def fuzzed(name: str, seconds: int) -> tuple[int, int]:
    """Return the number of runs of a reader in this time, and whether one of them failed."""
    command = [sys.executable, "-m", "fuzz", name, f"-max_total_time={seconds}"]
    with tempfile.TemporaryFile("w+", errors="replace") as log:
        done = subprocess.run(command, stdout=log, stderr=log, check=False, env=_environment())
        log.seek(0)
        text = log.read()
    runs = re.search(r"number_of_executed_units: (\d+)", text)
    if done.returncode:
        print(text[-3000:])
    return int(runs[1]) if runs else 0, int(done.returncode != 0)


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}


if __name__ == "__main__":
    main()
