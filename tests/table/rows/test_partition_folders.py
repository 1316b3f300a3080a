"""Columns that only the names of folders hold, as Spark and Hive write them."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.dataset as ds
import pytest

import sightline as sl
from sightline.exceptions import DataError


def sales(n_rows=120):
    random = np.random.default_rng(3)
    frame = pd.DataFrame({"price": random.normal(size=n_rows), "shop": random.choice(["a", "b"], n_rows)})
    frame["year"] = np.repeat([2019, 2020, 2021], n_rows // 3)
    frame["sold"] = np.where(frame["price"] + (frame["year"] > 2019) > 0.5, "yes", "no")
    return frame[["price", "shop", "sold", "year"]]


@pytest.fixture
def folder(tmp_path):
    sales().to_parquet(tmp_path / "rows", partition_cols=["year"], index=False)
    (tmp_path / "rows" / "_SUCCESS").touch()
    return tmp_path / "rows"


def fitted(X, *y):
    return sl.C45Classifier(max_leaves=6).fit(X, *y).to_json()


def test_every_library_gives_the_tree_of_the_rows_in_memory(folder):
    frame = sales()
    expected = fitted(frame.drop(columns="sold"), frame["sold"].to_numpy(dtype=str))
    assert '"year"' in expected
    pattern = f"{folder}/*/*.parquet"
    sources = [
        folder,
        pattern,
        ds.dataset(folder, partitioning="hive"),
        pl.scan_parquet(folder, hive_partitioning=True),
        duckdb.sql(f"SELECT * FROM read_parquet('{pattern}', hive_partitioning=true)"),
    ]
    for source in sources:
        assert fitted(sl.Rows(source, "sold")) == expected
    table = sl.read_table(folder, "sold")
    assert table["year"].to_list() == frame["year"].tolist()


def test_values_are_numbers_dates_or_categories_and_may_be_missing(tmp_path):
    values = [("2019-03-01", "7", "a%2Fb"), ("2019-04-01", "__HIVE_DEFAULT_PARTITION__", "c")]
    for day, store, kind in values:
        path = tmp_path / f"day={day}" / f"store={store}" / f"kind={kind}"
        path.mkdir(parents=True)
        (path / "part.csv").write_text("price,day of week\n1.5,3\n2.5,4\n")
    rows = sl.Rows(tmp_path)
    assert rows.names == ["price", "day of week", "day", "store", "kind"]
    assert rows.schema.features[2].kind == "date"
    cells = [column.to_list() for column in rows.in_memory_if_small().columns]
    assert cells[2] == ["2019-03-01"] * 2 + ["2019-04-01"] * 2
    assert cells[3] == [7.0, 7.0, None, None]
    assert cells[4] == ["a/b", "a/b", "c", "c"]


def test_a_folder_can_hold_the_target(folder):
    rows = sl.Rows(folder, "year", drop=["sold", "shop"])
    assert rows.classes_.tolist() == [2019, 2020, 2021]
    assert sl.C45Classifier(max_leaves=3).fit(rows).classes_.tolist() == [2019, 2020, 2021]


def test_a_named_folder_is_no_column_and_a_folder_replaces_a_column_of_the_file(folder):
    assert sl.Rows(f"{folder}/year=2020/*.parquet", "sold").names == ["price", "shop"]
    assert sl.Rows(folder / "year=2020", "sold").names == ["price", "shop"]
    path = next((folder / "year=2019").glob("*.parquet"))
    sales().assign(year=1.0).to_parquet(path, index=False)
    assert sl.Rows(folder, "sold").in_memory_if_small()["year"].to_list()[:2] == [2019, 2019]


def test_a_file_outside_of_the_folders_is_named(folder):
    sales().drop(columns="year").to_parquet(folder / "other.parquet", index=False)
    with pytest.raises(DataError, match=r"has (no|the) column 'year', which .* (has|does not have)\.$"):
        _ = sl.Rows(folder, "sold").schema
