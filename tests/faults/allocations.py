"""Every allocation of the kernels fails once: ``make faults``.

Whatever was going on must end with MemoryError, or with an error of ours that says so, and leave nothing
behind: run again, it works. A crash
ends this script, and so does another exception.
"""

from __future__ import annotations

import ctypes
import math
import sys
import warnings
from collections.abc import Callable
from typing import Any

from docs.tools.testing_page import write_table
from sightline import _core
from sightline.exceptions import SightlineError
from tests.faults import situations

MOST = 150
"""Where a situation allocates more often, this many allocations fail, evenly spread."""

_module = ctypes.CDLL(_core.__file__)


def main() -> None:
    warnings.simplefilter("ignore")
    rows: list[tuple[str, int, int, int]] = []

    def job(name: str, situation: Callable[[int], Any]) -> None:
        situation(1)
        _module.count_allocations()
        situation(1)
        n_allocations = _module.count_allocations()
        step = max(1, math.ceil(n_allocations / MOST))
        tried = range(1, n_allocations + 1, step)
        failures = sum(fails(situation, n) for n in tried)
        situation(1)
        rows.append((name, n_allocations, len(tried), failures))
        print(*rows[-1], sep="\t", flush=True)

    situations.run(job)
    write_table("allocations", ("scenario", "allocations", "made to fail", "ended with MemoryError"), rows)


def fails(situation: Callable[[int], Any], n: int) -> bool:
    """Run with allocation n failing; return whether that ended it."""
    _module.fail_allocation(n)
    try:
        situation(1)
    except MemoryError:
        return True
    except SightlineError as error:
        if not isinstance(error.__cause__, MemoryError):
            raise
        return True
    finally:
        _module.fail_allocation(-1)
    return False


if __name__ == "__main__":
    sys.exit(main())
