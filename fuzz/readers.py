"""The readers that are fuzzed, each with the corpus of its format.

For any bytes, a reader returns a model or a table, or raises a SightlineError. Any other exception, a
crash or a hang is a bug.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType

import numpy as np
import pandas as pd

from sightline.exceptions import SightlineError
from sightline.load import ModelFile, load_file
from sightline.table import Schema, read_table

CORPUS = Path(__file__).parent / "corpus"

MAX_PREDICTED = 1000
"""Most columns of a model that is asked to predict. A few bytes can declare thousands of them, which the
fuzzer, who counts every line, takes for a hang."""


def try_model(content: bytes) -> bool:
    """Load a file with this content and predict a few rows; return whether it was a model."""
    try:
        ensemble = load_file(ModelFile("fuzzed", content))
        for number in (0.0, np.nan) if len(ensemble.schema) <= MAX_PREDICTED else ():
            ensemble.predict(a_row(ensemble.schema, number))
    except SightlineError:
        return False
    return True


def a_row(schema: Schema, number: float) -> pd.DataFrame:
    """Return a row with this number in numeric columns and the first category in nominal ones."""
    cells = {f.name: [f.categories[0] if f.categories else number] for f in schema.features}
    return pd.DataFrame(cells)


def try_table(content: bytes) -> bool:
    """Read a file with this content, and its last column as a target; return whether it was a table."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        try:
            names = read_table(file.name).X.schema.names
            read_table(file.name, target=names[-1])
        except SightlineError:
            return False
    return True


READERS: dict[str, Callable[[bytes], bool]] = {
    folder.name: try_table if folder.name in ("arff", "csv") else try_model
    for folder in sorted(CORPUS.iterdir())
}
"""Per format, the reader; the seeds are in the folder of that name."""


def files(*formats: str) -> list[Path]:
    """Return the files of the corpora of these formats, or of all that hold models."""
    formats = formats or tuple(name for name, reader in READERS.items() if reader is try_model)
    return sorted(path for name in formats for path in (CORPUS / name).iterdir())


def seed(name: str) -> Path:
    """Return the file of this name, from whichever corpus has it."""
    (path,) = CORPUS.glob(f"*/{name}")
    return path


def functions() -> Iterator[FunctionType]:
    """Yield all functions of the readers."""
    packages = ("sightline.load.", "sightline.table.")
    for name, module in list(sys.modules.items()):
        if name.startswith(packages):
            members = [m for m in vars(module).values() if getattr(m, "__module__", "") == name]
            classes = [member for member in members if isinstance(member, type)]
            for member in [*members, *(method for kind in classes for method in vars(kind).values())]:
                if isinstance(member, FunctionType):
                    yield member
