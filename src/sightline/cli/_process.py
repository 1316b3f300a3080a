"""The command as a process: from its first moment on, Ctrl-C ends it with one line."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130


def main() -> None:
    """Run the command as a process."""
    # Who started this in the background has chosen that Ctrl-C does not reach it.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)
    from sightline.cli._app import run

    code = run()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if code == INTERRUPTED:
        # Who interrupts does not want to wait until everything in memory is taken apart.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _interrupted(_number: int, frame: FrameType | None) -> None:
    """Raise as usual, but end at once where a module is being loaded.

    There is nothing to tidy up then, and an exception in the midst of it is lost in some libraries.
    """
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            os.write(2, b"sightline: interrupted\n")
            os._exit(INTERRUPTED)
        frame = frame.f_back
    raise KeyboardInterrupt
