"""Write the files of ``sightline explain --out``: one entry per row, atomically, with a progress bar."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sightline.exceptions import ParameterError
from sightline.files import atomic_file
from sightline.progress import progress_bar

if TYPE_CHECKING:
    from sightline.model import Explanations

Letter = Callable[[Any], str]

_STEP = 200
"""Rows between two updates of the progress bar."""

_PAGE_BREAK = "\f"


def check_ending(path: Path) -> None:
    """Raise unless the file name ends in a known suffix."""
    if path.suffix.lower() not in _WRITERS:
        raise ParameterError(f"{path}: --out must end in .jsonl, .csv or .txt.")


def write_rows(path: Path, explanations: Explanations, letter: Letter | None, quiet: bool) -> None:
    """Write the explanations of rows.

    Parameters
    ----------
    path : Path
        A ``.jsonl`` gets a JSON object per row, a ``.csv`` a line per row, a ``.txt`` sentences or letters.
    explanations : Explanations
        The rows.
    letter : callable or None
        Writes the letter of an explanation, if letters are wanted.
    quiet : bool
        Whether to show no progress bar.
    """
    parts = _WRITERS[path.suffix.lower()](explanations, letter)
    with (
        progress_bar("Explaining", len(explanations), wanted=not quiet) as bar,
        atomic_file(path) as file,
    ):
        for done, part in enumerate(parts):
            file.write(part.encode())
            if done % _STEP == 0:
                bar.update(min(done, len(explanations)))


def _json_lines(explanations: Explanations, letter: Letter | None) -> Iterator[str]:
    for one, entry in zip(explanations, explanations.to_dicts(), strict=True):
        extra = {} if letter is None else {"letter": letter(one)}
        yield json.dumps(entry | extra, allow_nan=False, ensure_ascii=False) + "\n"


def _csv_lines(explanations: Explanations, letter: Letter | None) -> Iterator[str]:
    from sightline.model import plain

    columns = {name: column.tolist() for name, column in explanations.to_columns().items()}
    yield _csv_line([*columns, *([] if letter is None else ["letter"])])
    for one, cells in zip(explanations, zip(*columns.values(), strict=True), strict=True):
        yield _csv_line([*map(plain, cells), *([] if letter is None else [letter(one)])])


def _csv_line(cells: list[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def _text_lines(explanations: Explanations, letter: Letter | None) -> Iterator[str]:
    """Give letters, each on a page of its own, or sentences under the name of their row."""
    for index, one in enumerate(explanations):
        if letter is not None:
            yield (_PAGE_BREAK if index else "") + letter(one)
        else:
            yield ("\n" if index else "") + f"Row {one.row}:\n{one}\n"


_WRITERS: dict[str, Callable[[Any, Letter | None], Iterator[str]]] = {
    ".jsonl": _json_lines,
    ".csv": _csv_lines,
    ".txt": _text_lines,
}
