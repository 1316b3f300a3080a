"""Tables with thousands of columns take time in proportion to the number of columns."""

import sys
import time
from functools import partial

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
MAX_GROWTH = 8
"""Times as long for four times the columns: 4 in proportion, 16 if every column looks at all others."""


def cells(n_columns):
    return {f"c{i}": [0.5, 1.5] if i % 4 else ["a", "b"] for i in range(n_columns)}


def assert_linear(action_with):
    """Compare the CPU time of an action with all columns to that with a quarter: the better of two each."""
    few, many = (
        min(seconds(action_with(n_columns)) for _ in range(2)) for n_columns in (N_COLUMNS // 4, N_COLUMNS)
    )
    assert many < MAX_GROWTH * few


def seconds(action):
    start = time.process_time()
    action()
    return time.process_time() - start


@pytest.mark.parametrize("make", thorough_after(1, [pl.DataFrame, pa.table, pd.DataFrame]))
def test_frames_are_read_in_time_linear_in_the_columns(make):
    assert_linear(lambda n_columns: partial(Table.from_any, make(cells(n_columns))))
    table = Table.from_any(make(cells(N_COLUMNS)))
    assert table.shape == (2, N_COLUMNS)
    assert table[1] == {name: values[1] for name, values in cells(N_COLUMNS).items()}


@pytest.mark.thorough
def test_parquet_is_read_in_time_linear_in_the_columns(tmp_path):
    def read(n_columns):
        path = tmp_path / f"{n_columns}.parquet"
        pq.write_table(pa.table(cells(n_columns)), path)
        return partial(sl.read_table, path, target="c0")

    assert_linear(read)
    assert read(N_COLUMNS)().shape == (2, N_COLUMNS - 1)


@pytest.mark.thorough
def test_wide_tables_are_aligned_by_name_in_linear_time():
    def align(n_columns):
        table = Table.from_any(pa.table(cells(n_columns)))
        reversed_table = Table(table.columns[::-1])
        nominal = [name for name in table.names if int(name[1:]) % 4 == 0]

        def aligned():
            assert reversed_table.aligned(table.schema).names == table.names
            listed = Table.from_any(table, categorical_features=nominal)
            assert listed.schema.n_values == table.schema.n_values

        return aligned

    assert_linear(align)


@pytest.mark.thorough
def test_a_repeated_name_is_found_in_linear_time():
    def refuse(n_columns):
        names = [*cells(n_columns), f"c{n_columns - 1}"]
        rows = np.zeros((2, len(names)))

        def refused():
            with pytest.raises(DataError, match=f"Two columns have the name 'c{n_columns - 1}'"):
                Table.from_any(rows, feature_names=names)

        return refused

    assert_linear(refuse)


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
