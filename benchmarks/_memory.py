"""Peak memory of a program that runs in a process of its own, on Linux."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_MEASURED = """\
{setup}
from benchmarks._memory import own_peak, reset_own_peak
reset_own_peak()
before = own_peak()
{job}
print("peak", own_peak(), "added", own_peak() - before)
"""


def own_peak() -> int:
    """Return the most bytes that this process has held.

    Not ``ru_maxrss``: a process inherits it from the one that started it, so a small job would get the
    memory of all benchmarks before it.
    """
    found = re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())
    assert found is not None
    return 1024 * int(found[1])


def reset_own_peak() -> None:
    """Let the peak of this process start again at what it holds now."""
    Path("/proc/self/clear_refs").write_text("5")


def peak_bytes(job: str, *arguments: str) -> int:
    """Return the peak memory of a process that runs a program, imports included."""
    return _run("", job, arguments)["peak"]


def added_bytes(setup: str, job: str, *arguments: str) -> int:
    """Return the memory that a job adds, at its peak, to what a process holds after its setup."""
    return _run(setup, job, arguments)["added"]


def _run(setup: str, job: str, arguments: tuple[str, ...]) -> dict[str, int]:
    command = [sys.executable, "-c", _MEASURED.format(setup=setup, job=job), *arguments]
    output = subprocess.run(command, cwd=_ROOT, check=True, capture_output=True, text=True).stdout
    return {name: int(value) for name, value in re.findall(r"(peak|added) (\d+)", output)}
