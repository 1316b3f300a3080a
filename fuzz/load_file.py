"""Throws bytes at every reader of model files: ``python -m fuzz.load_file fuzz/corpus``.

Needs atheris (``pip install atheris``). Whatever comes, a reader returns a model or raises
one of our errors; anything else, a crash or a hang is a fault. Options of libFuzzer go on
the command line, such as ``-max_total_time=60 -max_len=20000``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType

import numpy as np
import pandas as pd

from sightline.exceptions import SightlineError
from sightline.load._file import ModelFile, load_file
from sightline.table import Schema

CORPUS = Path(__file__).parent / "corpus"


def try_load(content: bytes) -> bool:
    """Load a file of this content, and ask the model about a few rows; say whether there was one."""
    try:
        ensemble = load_file(ModelFile("fuzzed", content))
        for number in (0.0, np.nan):
            ensemble.predict(a_row(ensemble.schema, number))
    except SightlineError:
        return False
    return True


def a_row(schema: Schema, number: float) -> pd.DataFrame:
    """Return a row of one number, and of the first category in every nominal column."""
    cells = {f.name: [f.categories[0] if f.categories else number] for f in schema.features}
    return pd.DataFrame(cells)


def target(content: bytes) -> None:
    try_load(content)


def readers() -> Iterator[FunctionType]:
    """Yield every function of the readers."""
    modules = [module for name, module in sys.modules.items() if name.startswith("sightline.load.")]
    for module in modules:
        members = [m for m in vars(module).values() if getattr(m, "__module__", "") == module.__name__]
        classes = [member for member in members if isinstance(member, type)]
        for member in [*members, *(method for kind in classes for method in vars(kind).values())]:
            if isinstance(member, FunctionType):
                yield member


def main() -> None:
    import atheris  # noqa: PLC0415 - a tool of its own

    # Function by function: the fuzzer's hook on imports misses packages that are installed editable.
    for function in readers():
        atheris.instrument_func(function)
    atheris.Setup(sys.argv, target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
