"""Fuzz the readers of model files: ``python -m fuzz.load_file fuzz/corpus``.

Needs atheris (``pip install atheris``). For any bytes, a reader must return a model or raise a
SightlineError. Any other exception, a crash or a hang is a bug. Pass options of libFuzzer on the
command line, such as ``-max_total_time=60 -max_len=20000``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType

import numpy as np
import pandas as pd

from sightline.exceptions import SightlineError
from sightline.load import ModelFile, load_file
from sightline.table import Schema

CORPUS = Path(__file__).parent / "corpus"


def try_load(content: bytes) -> bool:
    """Load a file with this content and predict a few rows; return whether it was a model."""
    try:
        ensemble = load_file(ModelFile("fuzzed", content))
        for number in (0.0, np.nan):
            ensemble.predict(a_row(ensemble.schema, number))
    except SightlineError:
        return False
    return True


def a_row(schema: Schema, number: float) -> pd.DataFrame:
    """Return a row with this number in numeric columns and the first category in nominal ones."""
    cells = {f.name: [f.categories[0] if f.categories else number] for f in schema.features}
    return pd.DataFrame(cells)


def target(content: bytes) -> None:
    try_load(content)


def readers() -> Iterator[FunctionType]:
    """Yield all functions of the readers."""
    modules = [module for name, module in sys.modules.items() if name.startswith("sightline.load.")]
    for module in modules:
        members = [m for m in vars(module).values() if getattr(m, "__module__", "") == module.__name__]
        classes = [member for member in members if isinstance(member, type)]
        for member in [*members, *(method for kind in classes for method in vars(kind).values())]:
            if isinstance(member, FunctionType):
                yield member


def main() -> None:
    import atheris  # noqa: PLC0415 - a separate tool

    # Function by function, because the import hook of the fuzzer misses editable installs.
    for function in readers():
        atheris.instrument_func(function)
    atheris.Setup(sys.argv, target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
