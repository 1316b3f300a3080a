"""Runs jobs in joblib workers that leave Ctrl-C to this process."""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from joblib import Parallel


@contextmanager
def finished_jobs(jobs: Iterable[Any], n_jobs: int | None) -> Iterator[Iterator[Any]]:
    """Give the results of ``jobs`` as they finish, in any order.

    However the block is left, no worker is busy afterwards.

    Parameters
    ----------
    jobs : iterable of joblib.delayed calls
        What to run.
    n_jobs : int, optional
        Number of jobs to run at a time, as in joblib.

    Yields
    ------
    iterator
        The results.
    """
    results: Iterator[Any] = iter(())
    try:
        # Entering starts joblib's own resource tracker; workers start with the first jobs.
        with (
            _one_interrupt() as interrupt,
            _silent_abort(),
            Parallel(n_jobs=n_jobs, return_as="generator_unordered", max_nbytes=None) as parallel,
        ):
            with interrupt.held(), _interrupts_blocked():
                results = parallel(jobs)
            yield results
    finally:
        # Leaving early is meant: joblib would warn of the results that nobody took.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            getattr(results, "close", lambda: None)()


class _Interrupt:
    """Passes the first Ctrl-C on: a second one would end the abort of the workers halfway."""

    def __init__(self, handler: Callable[[int, FrameType | None], Any]) -> None:
        self._handler = handler
        self._is_held = False
        self._n_seen = 0

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self._n_seen += 1
        if self._n_seen == 1 and not self._is_held:
            self._handler(number, frame)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold Ctrl-C back until the end of the block."""
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False
        if self._n_seen:
            self._handler(signal.SIGINT, None)


@contextmanager
def _one_interrupt() -> Iterator[_Interrupt]:
    before = signal.getsignal(signal.SIGINT)
    # Only the main thread can catch signals. What ignores or does not know Ctrl-C stays as it is.
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield _Interrupt(signal.default_int_handler)
        return
    interrupt = _Interrupt(before)
    signal.signal(signal.SIGINT, interrupt)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C in this thread, and for good in processes that it starts meanwhile.

    A terminal sends Ctrl-C to every process of the command. Workers would print a traceback each,
    although this process stops them anyway.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows has no signal masks.
        yield
        return
    from multiprocessing import resource_tracker  # noqa: PLC0415 - not on Windows

    # Starting a tracker unblocks Ctrl-C again; one that runs already leaves the mask alone.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _silent_abort() -> Iterator[None]:
    """Silence the thread that starts workers: after an abort, it looks up a job that was dropped."""
    before = threading.excepthook

    def hook(error: threading.ExceptHookArgs) -> None:
        name = error.thread.name if error.thread is not None else ""
        if not (name == "ExecutorManagerThread" and error.exc_type is KeyError):
            before(error)

    threading.excepthook = hook
    try:
        yield
    finally:
        threading.excepthook = before
