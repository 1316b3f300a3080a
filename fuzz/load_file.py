"""Throws bytes at every reader of model files: ``python -m fuzz.load_file fuzz/corpus``.

Needs atheris (``pip install atheris``). Whatever comes, a reader returns a model or raises
one of our errors; anything else, a crash or a hang is a fault. Options of libFuzzer go on
the command line, such as ``-max_total_time=60 -max_len=20000``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

import sightline as sl
from sightline.exceptions import SightlineError
from sightline.load._file import ModelFile, load_file

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


def a_row(schema: sl.table.Schema, number: float) -> pd.DataFrame:
    """Return a row of one number, and of the first category in every nominal column."""
    cells = {f.name: [f.categories[0] if f.categories else number] for f in schema.features}
    return pd.DataFrame(cells)


def main() -> None:
    import atheris  # noqa: PLC0415 - a tool of its own

    atheris.instrument_all()
    atheris.Setup(sys.argv, try_load)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
