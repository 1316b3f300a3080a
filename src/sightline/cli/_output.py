"""What the command prints: results on stdout, progress on stderr, neither with --quiet."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from sightline.exceptions import DataWarning
from sightline.wording import printable


@contextmanager
def notes_on_page() -> Iterator[None]:
    """Hide the warnings of a report about its rows, or of stumps: its text has the same sentences."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        yield


@dataclass(frozen=True)
class Output:
    """Where a verb prints.

    Parameters
    ----------
    quiet : bool
        Print nothing.
    as_json : bool
        Print JSON instead of text.
    """

    quiet: bool = False
    as_json: bool = False

    def print(self, text: str) -> None:
        """Print text; names in it cannot control the terminal."""
        if not self.quiet and not self.as_json:
            for line in text.rstrip("\n").split("\n"):
                Console().print(printable(line), markup=False, highlight=False, soft_wrap=True)

    def note(self, text: str) -> None:
        """Print what the user should know about the input; with --json on stderr."""
        if not self.quiet:
            Console(stderr=self.as_json).print(printable(text), markup=False, highlight=False, soft_wrap=True)

    def warn(self, text: str) -> None:
        """Print on stderr what the user should know about the result."""
        if not self.quiet:
            Console(stderr=True).print(printable(text), markup=False, highlight=False, soft_wrap=True)

    def print_json(self, document: Any) -> None:
        """Print a document as JSON, with --json only."""
        if self.as_json:
            text = json.dumps(document, allow_nan=False, ensure_ascii=False, indent=1)
            Console().print(text, markup=False, highlight=False, soft_wrap=True)

    @contextmanager
    def steps(self, n_steps: int) -> Iterator[Any]:
        """Show a progress bar on stderr; yields a function to call when a step begins."""
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
