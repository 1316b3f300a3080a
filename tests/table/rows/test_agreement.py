"""What parts agree on: kinds of columns without values, and what texts mean."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

import sightline as sl
from sightline.exceptions import DataError, DataWarning


def job(values):
    return pd.DataFrame({"job": values, "age": np.arange(len(values))})


@pytest.mark.parametrize(
    "nothing", [np.full(2, np.nan), pd.Categorical([None, None]), pd.array([None, None], dtype="Int64")]
)
def test_a_type_without_values_says_nothing(tmp_path, nothing):
    for name, values in (("a", nothing), ("b", ["cook", "baker"])):
        job(values).to_parquet(tmp_path / f"{name}.parquet", index=False)
    for source in (tmp_path, ds.dataset(tmp_path)):
        table = sl.Rows(source).in_memory_if_small()
        assert table["job"].to_list() == [None, None, "cook", "baker"]


def test_a_column_of_numbers_and_text_is_still_refused(tmp_path):
    for name, values in (("a", [1.0, np.nan]), ("b", ["cook", "baker"])):
        job(values).to_parquet(tmp_path / f"{name}.parquet", index=False)
    with pytest.raises(
        DataError, match=r"^b\.parquet: column 'job' holds categories, but numbers in earlier"
    ):
        _ = sl.Rows(tmp_path).schema


def test_whole_numbers_and_fractions_are_numbers(tmp_path):
    for name, values in (("a", [1, 2]), ("b", [2.5, 1.0]), ("c", pd.array([3, None], dtype="Int64"))):
        job(values).to_parquet(tmp_path / f"{name}.parquet", index=False)
    assert sl.Rows(tmp_path).in_memory_if_small()["job"].to_list() == [1.0, 2.0, 2.5, 1.0, 3.0, None]


def test_dropped_columns_may_hold_anything(tmp_path):
    frame = pd.DataFrame({"age": [1.0, 2.0], "vector": [[1.0], [2.0, 3.0]]})
    frame.to_parquet(tmp_path / "a.parquet", index=False)
    lazy = pl.LazyFrame({"age": [1.0, 2.0], "vector": [[1.0], [2.0]]})
    for source in (tmp_path, ds.dataset(tmp_path), [frame], lazy):
        assert sl.Rows(source, drop=["vector"]).in_memory_if_small()["age"].to_list() == [1.0, 2.0]
    with pytest.raises(DataError, match=r"^a\.parquet: Column 'vector' is of type List"):
        _ = sl.Rows(tmp_path).schema


def test_batches_of_arrow_are_frames():
    batches = pa.table({"age": [1, 2, 3]}).to_batches(max_chunksize=2)
    reader = pa.RecordBatchReader.from_batches(batches[0].schema, batches)
    for source in (reader, batches):
        rows = sl.Rows(source)
        assert len(rows.parts.names) == 2
        assert rows.in_memory_if_small()["age"].to_list() == [1, 2, 3]


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        (
            "3 kg",
            "5 g",
            "column 'x' holds numbers in 'g', but in 'kg' in earlier parts. Convert it to one",
        ),
        ("3 kg", "5", "column 'x' holds numbers without a unit, but in 'kg' in earlier parts."),
        ("25/04/2019", "04/25/2019", "column 'x' holds dates with the month first, but with the day first"),
        (
            "31,5",
            "1.234",
            "numbers seem to have the decimal mark '.', but ',' in earlier parts. Pass the right",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::sightline.exceptions.DataWarning")
def test_texts_mean_the_same_in_all_parts(tmp_path, first, second, sentence):
    for name, text in (("a", first), ("b", second)):
        (tmp_path / f"{name}.csv").write_text(f"x;y\n{text};1\n{text};2\n")
    with pytest.raises(DataError) as error:
        _ = sl.Rows(tmp_path).schema
    assert str(error.value).startswith(f"b.csv: {sentence}")


def test_the_caller_says_what_texts_mean(tmp_path):
    (tmp_path / "a.csv").write_text("x;day\n31,5;25/04/2019\n7,25;26/04/2019\n")
    (tmp_path / "b.csv").write_text("x;day\n1.234;03/04/2019\n5.678;04/04/2019\n")
    table = sl.read_table(tmp_path, decimal=",", date_order="dmy")
    assert table["x"].to_list() == [31.5, 7.25, 1234.0, 5678.0]
    assert table["day"].to_list() == ["2019-04-25", "2019-04-26", "2019-04-03", "2019-04-04"]


def test_a_text_file_without_rows_is_named_once(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    (tmp_path / "b.csv").write_text("x,y\n")
    with pytest.raises(DataError, match=r"^b\.csv: the file has a header but no rows\.$"):
        _ = sl.Rows(tmp_path).schema


def test_an_empty_frame_is_a_warning():
    with pytest.warns(DataWarning, match=r"^frame 1 has no rows\.$"):
        assert sl.Rows([job(["a"]), job([])]).n_rows == 1
