"""Damaged tables: one of our errors or a table, never anything else."""

import numpy as np
import pytest

from fuzz.readers import files, try_table

FILES = files("arff", "csv")
N_MUTANTS = 40

pytestmark = pytest.mark.filterwarnings("ignore::sightline.exceptions.DataWarning")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_corpus_is_replayed(path):
    assert try_table(path.read_bytes()) == (not path.name.startswith("hostile"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_prefixes_and_mutants(path):
    rng = np.random.default_rng(0)
    content = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    for length in rng.integers(0, len(content), N_MUTANTS):
        try_table(content[:length].tobytes())
    for _ in range(N_MUTANTS):
        mutant = content.copy()
        mutant[rng.integers(0, len(content), 3)] = rng.integers(0, 256, 3)
        try_table(mutant.tobytes())
