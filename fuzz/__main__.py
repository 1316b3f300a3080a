"""Fuzz one reader: ``python -m fuzz xgboost_json -max_total_time=60``; with options of libFuzzer.

Needs atheris (``pip install --group fuzz``). What it finds lies in the current folder as ``crash-…``;
mended, it belongs to ``fuzz/corpus`` as ``hostile-…``, where the tests replay it. What widens the coverage
goes to the folder that ``FUZZ_KEPT`` names, or is forgotten.
"""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from typing import Any

import atheris

from fuzz import json_mutator
from fuzz.readers import CORPUS, READERS, functions

# The timeout is by the clock, so that a busy machine does not look like a hang.
_OPTIONS = ("-max_len=20000", "-timeout=60", "-rss_limit_mb=2000", "-print_final_stats=1")
_JSON = ("catboost_json", "lightgbm_json", "sightline", "xgboost_json")


def main() -> None:
    name, *options = sys.argv[1:] or [""]
    if name not in READERS:
        raise SystemExit(f"there is no reader {name!r}; choose one of " + ", ".join(READERS))
    reader = READERS[name]
    warnings.simplefilter("ignore")
    # Function by function, because the import hook of the fuzzer misses editable installs.
    for function in functions():
        atheris.instrument_func(function)

    def read(content: bytes) -> None:
        reader(content)

    extra: dict[str, Any] = {"custom_mutator": _mutate_json} if name in _JSON else {}
    with tempfile.TemporaryDirectory() as found:
        # The first folder takes what is new: never the repository's.
        kept = os.environ.get("FUZZ_KEPT", found)
        atheris.Setup([sys.argv[0], *_OPTIONS, *options, kept, str(CORPUS / name)], read, **extra)
        atheris.Fuzz()


def _mutate_json(content: bytes, max_size: int, seed: int) -> bytes:
    """Change a value three times of four, else bytes: the parser is fuzzed, too."""
    mutant = json_mutator.mutate(content, max_size, seed) if seed % 4 else None
    return atheris.Mutate(content, max_size) if mutant is None else mutant


if __name__ == "__main__":
    main()
