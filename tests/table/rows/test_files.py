"""Parts that are files or queries: what they hold, and sentences about those that cannot be read."""

import sys

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.dataset as ds
import pytest

import sightline as sl
from sightline.exceptions import DataError, SightlineError
from sightline.table.rows._agreement import MAX_LABELS

FRAME = pd.DataFrame({"age": [25.0, 31.5, 4.0], "job": ["cook", "baker", "none"]})
ARFF = "@relation r\n@attribute age numeric\n@attribute class {}\n@data\n{}\n"


def everything(rows):
    table = rows.taken(rows.drawn())
    return {column.name: column.to_list() for column in table.columns}


def test_the_target_of_an_arff_file_is_a_column_of_rows(tmp_path):
    (tmp_path / "a.arff").write_text(ARFF.format("{x,y}", "1,x\n2,y"))
    (tmp_path / "b.arff").write_text(ARFF.format("{x,y}", "3,y"))
    rows = sl.Rows(tmp_path)
    assert rows.shape == (3, 2)
    assert everything(rows) == {"age": [1.0, 2.0, 3.0], "class": ["x", "y", "y"]}
    path = tmp_path / "c.arff"
    path.write_text(ARFF.format("numeric", "1,3\n2,4.5"))
    rows = sl.Rows(path)
    assert rows.parts.names == ["c.arff"]
    assert everything(rows) == {"age": [1.0, 2.0], "class": [3.0, 4.5]}


def test_a_sheet_of_each_workbook_is_chosen(tmp_path):
    """``sl.Rows("x.xlsx", sheet=…)`` was a TypeError, though ``read_table`` takes the argument."""
    paths = [tmp_path / "a.xlsx", tmp_path / "b.xlsx"]
    for path, age in zip(paths, (31, 44), strict=True):
        with pd.ExcelWriter(path) as book:
            pd.DataFrame({"note": ["x", "y"], "n": [1, 2]}).to_excel(book, sheet_name="About", index=False)
            pd.DataFrame({"age": [age, 20], "paid": ["yes", "no"]}).to_excel(
                book, sheet_name="Rows", index=False
            )
    for sheet in ("Rows", 1):
        rows = sl.Rows(paths, target="paid", sheet=sheet, reading={"thousands": "none"})
        assert rows.schema.names == ["age"]
        assert rows.taken(rows.drawn()).columns[0].values.tolist() == [31, 20, 44, 20]


def test_files_that_cannot_be_read_are_named(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    with pytest.raises(DataError) as error:
        sl.Rows(path)
    assert str(error.value) == f"{path}: the file cannot be read (No such file or directory)."
    FRAME.to_parquet(path, index=False)
    rows = sl.Rows(path, checkpoint=tmp_path / "kept")
    drawn = rows.drawn()
    path.unlink()
    with pytest.raises(DataError) as error:
        rows.taken(drawn)
    assert str(error.value) == f"{path}: the file cannot be read (No such file or directory)."
    FRAME.to_parquet(path, index=False)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError) as error:
        _ = sl.Rows(path).schema
    assert str(error.value) == f"{path}: Parquet files need pyarrow: pip install pyarrow."


def test_text_files_and_folders_of_values_have_checkpoints(tmp_path):
    for year in (2019, 2020):
        folder = tmp_path / "rows" / f"year={year}"
        folder.mkdir(parents=True)
        FRAME.to_csv(folder / "a.csv", index=False)
    kept = tmp_path / "kept"
    rows = sl.Rows(tmp_path / "rows", checkpoint=kept)
    expected = everything(rows)
    assert expected == {
        "age": [25.0, 31.5, 4.0] * 2,
        "job": FRAME["job"].tolist() * 2,
        "year": [2019] * 3 + [2020] * 3,
    }
    assert len(list(kept.iterdir())) == 2
    assert everything(sl.Rows(tmp_path / "rows", checkpoint=kept)) == expected
    # A part of which no row is drawn has an empty checkpoint.
    for _ in range(2):
        rows = sl.Rows(tmp_path / "rows", sample_size=1, checkpoint=tmp_path / "few")
        (position,) = rows.drawn().positions
        assert everything(rows) == {name: [values[position]] for name, values in expected.items()}
    (tmp_path / "file").touch()
    rows = sl.Rows(tmp_path / "rows", checkpoint=tmp_path / "file" / "kept")
    with pytest.raises(SightlineError) as error:
        rows.taken(rows.drawn())
    assert str(error.value) == f"{tmp_path / 'file' / 'kept'}: cannot be written (Not a directory)."


def test_queries_that_cannot_begin_are_named(tmp_path):
    with pytest.raises(
        DataError, match=r'^the LazyFrame: polars cannot compute it \(unable to find column "b"'
    ):
        _ = sl.Rows(pl.LazyFrame({"a": [1]}).select("b")).schema
    path = tmp_path / "a.csv"
    FRAME.to_csv(path, index=False)
    rows = sl.Rows(ds.dataset(str(path), format="csv"))
    path.unlink()
    with pytest.raises(DataError, match=r"^a\.csv: pyarrow cannot read it \(.*Failed to open local file"):
        _ = rows.schema


def test_tables_are_parts():
    table = sl.Table.from_any(FRAME)
    expected = {name: FRAME[name].tolist() * 2 for name in FRAME}
    assert everything(sl.Rows([table, table])) == expected
    assert everything(sl.Rows(iter([table, table]))) == expected
    with pytest.raises(DataError, match=r"^frame 0: cannot be stored as Parquet \(.*Could not convert 'x'"):
        sl.Rows(iter([pd.DataFrame({"a": [1, "x"]})]))


def test_rows_of_dask_stay_on_the_workers():
    rows = sl.Rows(dd.from_pandas(FRAME, npartitions=2))
    with pytest.raises(DataError) as error:
        next(rows.batches())
    assert str(error.value) == (
        "The rows of a Dask frame stay on its workers. Call compute() to get a local frame."
    )


def test_columns_without_an_order_values_or_exact_doubles():
    mixed = pd.DataFrame({"mixed": pd.Categorical(["a", 1], ["b", "a", 1]), "empty": [None, None]})
    first, second = sl.Rows([mixed]).schema.features
    assert set(first.categories) >= {"a", 1}
    assert second.categories is None
    rows = sl.Rows([pd.DataFrame({"x": [2**53 + 1, 2]}), pd.DataFrame({"x": [2**54 + 1, 3]})])
    source = rows.taken(rows.drawn()).columns[0].source
    assert source.numbers.tolist() == [2**53 + 1, 2, 2**54 + 1, 3]
    with pytest.raises(DataError, match=r"^There is no column besides the target 'y'\.$"):
        _ = sl.Rows([pd.DataFrame({"y": ["a", "b"]})], "y").schema


@pytest.mark.parametrize("n_labels", [MAX_LABELS, MAX_LABELS + 1])
def test_a_target_of_too_many_whole_numbers_is_a_quantity(n_labels):
    frame = pd.DataFrame({"x": np.zeros(n_labels), "y": np.arange(n_labels)})
    assert (sl.Rows([frame], "y").classes_ is None) == (n_labels > MAX_LABELS)


def test_too_many_categories_are_refused(monkeypatch):
    monkeypatch.setattr("sightline.table.rows._agreement.MAX_VALUES", 2)
    with pytest.raises(DataError) as error:
        _ = sl.Rows([FRAME]).schema
    assert str(error.value) == (
        "frame 0: column 'job' has more than 2 different values, too many for categories. Drop it: drop=[…]."
    )


def test_parts_that_change_between_the_passes_are_named(tmp_path):
    path = tmp_path / "a.parquet"
    FRAME.to_parquet(path, index=False)
    rows = sl.Rows(path)
    drawn = rows.drawn()
    FRAME.assign(age="old").to_parquet(path, index=False)
    with pytest.raises(DataError) as error:
        rows.taken(drawn)
    assert str(error.value) == "a.parquet: column 'age' holds categories, but numbers in earlier parts."
    pd.concat([FRAME, FRAME]).to_parquet(path, index=False)
    with pytest.raises(DataError, match=r"^a\.parquet: has a different number of rows than before\."):
        rows.taken(drawn)
