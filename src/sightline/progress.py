"""A progress bar on stderr, shown only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Protocol

__all__ = ["ProgressBar", "progress_bar"]


_TERMINAL = Lock()
"""Held while a bar is shown: a second one would overwrite it."""


class ProgressBar(Protocol):
    """Takes the progress of a long task."""

    def update(self, done: int, note: str = "") -> None:
        """Report how much is done, with a short note."""


class _Silent:
    def update(self, done: int, note: str = "") -> None:
        """Show nothing."""


class _Rich:
    def __init__(self, title: str, total: int) -> None:
        from rich.console import Console  # noqa: PLC0415 - only for a terminal
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

        self.display = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}", markup=False),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self.display.add_task(title, total=total, note="")

    def update(self, done: int, note: str = "") -> None:
        """Redraw the bar."""
        self.display.update(self._task, completed=done, note=note)


@contextmanager
def progress_bar(title: str, total: int, wanted: bool | None = None) -> Iterator[ProgressBar]:
    """Show a progress bar on stderr during a task.

    Parameters
    ----------
    title : str
        Name of the task.
    total : int
        Amount of work.
    wanted : bool, optional
        False shows no bar. Otherwise there is a bar if stderr is a terminal, and no other bar on it.

    Yields
    ------
    ProgressBar
        Call its ``update(done, note)``.

    Examples
    --------
    >>> with progress_bar("Counting", total=2, wanted=False) as bar:
    ...     bar.update(1, "halfway")
    """
    if wanted is False or not sys.stderr.isatty() or not _TERMINAL.acquire(blocking=False):
        yield _Silent()
        return
    try:
        bar = _Rich(title, total)
        with bar.display:
            yield bar
    finally:
        _TERMINAL.release()
