"""Python's cycle collector, paused while much plain data is made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_collector() -> Iterator[None]:
    """Pause the cycle collector of Python.

    Strings, numbers, lists and dicts without cycles are freed without it. While thousands of them are made
    and kept, it would visit all of them again and again, for a third of the time. No model may be queried
    meanwhile: what others allocate may need the collector.

    If threads overlap, the first to pause it is the one to resume it.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
