"""How the command speaks: findings on stdout, progress on stderr, and neither if told to be quiet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from sightline.wording import printable


@dataclass(frozen=True)
class Speech:
    """What a verb says, in which form.

    Parameters
    ----------
    quiet : bool
        Say nothing.
    as_json : bool
        Say it to machines.
    """

    quiet: bool = False
    as_json: bool = False

    def tell(self, text: str) -> None:
        """Say something to a person; names in it cannot steer the terminal."""
        if not self.quiet and not self.as_json:
            for line in text.rstrip("\n").split("\n"):
                _stdout().print(printable(line), markup=False, highlight=False, soft_wrap=True)

    def hand_over(self, document: Any) -> None:
        """Give a document to a machine, if that was asked for."""
        if self.as_json:
            text = json.dumps(document, allow_nan=False, ensure_ascii=False, indent=1)
            _stdout().print(text, markup=False, highlight=False, soft_wrap=True)

    @contextmanager
    def steps(self, n_steps: int) -> Iterator[Any]:
        """Show on stderr how far a longer job is; yields what to call when a step begins."""
        console = Console(stderr=True)
        if self.quiet or not console.is_terminal:
            yield lambda _: None
            return
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        with Progress(*columns, console=console, transient=True) as progress:
            task = progress.add_task("", total=n_steps)

            def begin(description: str) -> None:
                progress.update(task, advance=0 if progress.tasks[0].description == "" else 1)
                progress.update(task, description=description)

            yield begin


def _stdout() -> Console:
    return Console()
