"""The command as a process: Ctrl-C ends it with one line, even while modules are still loading."""

from __future__ import annotations

import atexit
import gc
import multiprocessing
import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130


def main() -> None:
    """Run the command as a process."""
    # A background job ignores Ctrl-C; leave that as it is.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)
    # A table of 5,000 columns consists of objects that all stay alive. By default the collector would scan
    # through them again and again, for a tenth of the time.
    gc.set_threshold(100_000, 50, 100)
    from sightline.cli._app import run

    code = run()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _exit_at_once(code)


def _exit_at_once(code: int) -> None:
    """Exit without the interpreter's cleanup: freeing large models takes time."""
    for worker in multiprocessing.active_children():
        worker.terminate()
    # Releases the semaphores of workers; their tracker would warn of each on stderr.
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _interrupted(_number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, or exit at once while a module is being imported.

    Some libraries swallow exceptions during their import.
    """
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            os.write(2, b"sightline: interrupted\n")
            _exit_at_once(INTERRUPTED)
        frame = frame.f_back
    raise KeyboardInterrupt
