"""Tables with thousands of columns take time in proportion to the number of columns."""

import sys
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cases import thorough_after

import sightline as sl
from sightline.exceptions import DataError
from sightline.table import Table

N_COLUMNS = 12_000
MAX_SECONDS = 6.0
"""Several times what a slow machine needs; listing all names once per column takes far longer."""

CELLS = {f"c{i}": [0.5, 1.5] if i % 4 else ["a", "b"] for i in range(N_COLUMNS)}


@pytest.mark.parametrize("make", thorough_after(1, [pl.DataFrame, pa.table, pd.DataFrame]))
def test_frames_are_read_in_time_linear_in_the_columns(make):
    frame = make(CELLS)
    start = time.process_time()
    table = Table.from_any(frame)
    assert time.process_time() - start < MAX_SECONDS
    assert table.shape == (2, N_COLUMNS)
    assert table[1] == {name: cells[1] for name, cells in CELLS.items()}


@pytest.mark.thorough
def test_parquet_is_read_in_time_linear_in_the_columns(tmp_path):
    pq.write_table(pa.table(CELLS), tmp_path / "wide.parquet")
    start = time.process_time()
    table = sl.read_table(tmp_path / "wide.parquet", target="c0")
    assert time.process_time() - start < MAX_SECONDS
    assert table.shape == (2, N_COLUMNS - 1)


@pytest.mark.thorough
def test_wide_tables_are_aligned_by_name_in_linear_time():
    table = Table.from_any(pa.table(CELLS))
    reversed_table = Table(table.columns[::-1])
    start = time.process_time()
    assert reversed_table.aligned(table.schema).names == table.names
    listed = Table.from_any(table, categorical_features=[name for name in CELLS if int(name[1:]) % 4 == 0])
    assert time.process_time() - start < MAX_SECONDS
    assert listed.schema.n_values == table.schema.n_values


@pytest.mark.thorough
def test_a_repeated_name_is_found_in_linear_time():
    names = [*CELLS, f"c{N_COLUMNS - 1}"]
    start = time.process_time()
    with pytest.raises(DataError, match=f"Two columns have the name 'c{N_COLUMNS - 1}'"):
        Table.from_any(np.zeros((2, len(names))), feature_names=names)
    assert time.process_time() - start < MAX_SECONDS


def test_each_further_tree_of_an_ensemble_takes_no_look_at_every_column():
    rng = np.random.default_rng(0)
    table = Table.from_any(rng.normal(size=(20, 2_000)), feature_names=[f"c{i}" for i in range(2_000)])
    y = table["c7"].values > 0

    def fit(n_trees):
        return sl.BaggedTreesClassifier(n_trees=n_trees, random_state=0).fit(table, y)

    fit(1)  # imports what is imported late
    assert n_calls(lambda: fit(12)) - n_calls(lambda: fit(2)) < 10 * 500


def n_calls(function):
    """Count calls of Python functions and steps of generators."""
    n = 0

    def count(_frame, event, _argument):
        nonlocal n
        n += event == "call"

    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
    return n
