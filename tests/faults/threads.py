"""Every threaded kernel with four threads, twice at once, under ThreadSanitizer: ``make threads``.

The sanitizer ends the process at the first race.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from typing import Any

from tests.faults import situations


def main() -> None:
    warnings.simplefilter("ignore")

    def job(name: str, situation: Callable[[int], Any]) -> None:
        others = [threading.Thread(target=situation, args=(4,)) for _ in range(2)]
        for other in others:
            other.start()
        for other in others:
            other.join()
        print(name, flush=True)

    situations.run(job)


if __name__ == "__main__":
    main()
