"""How long work shows that it goes on: one bar on stderr, and only where somebody looks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

__all__ = ["ProgressBar", "progress_bar"]


class ProgressBar(Protocol):
    """What long work tells about itself."""

    def update(self, done: int, note: str = "") -> None:
        """Say how much is done, and in a few words how it stands."""


class _Silent:
    def update(self, done: int, note: str = "") -> None:
        """Say nothing."""


class _Rich:
    def __init__(self, title: str, total: int) -> None:
        from rich.console import Console  # noqa: PLC0415 - only where somebody looks
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
    """Show a bar on stderr while the work lasts.

    Parameters
    ----------
    title : str
        What is being done.
    total : int
        How much of it there is at most.
    wanted : bool, optional
        False for silence. By default, and with True, there is a bar where stderr is a terminal.

    Yields
    ------
    ProgressBar
        Takes ``update(done, note)``.

    Examples
    --------
    >>> with progress_bar("Counting", total=2, wanted=False) as bar:
    ...     bar.update(1, "halfway")
    """
    if wanted is False or not sys.stderr.isatty():
        yield _Silent()
        return
    bar = _Rich(title, total)
    with bar.display:
        yield bar
