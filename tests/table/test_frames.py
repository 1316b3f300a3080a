import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sightline as sl
from sightline.exceptions import DataError
from sightline.table import Feature, RowForm, Schema, Table

ORDER = ["y", "z", "x"]
FRAMES = {
    "pandas": pd.DataFrame(
        {
            "whole": pd.array([1, None, 3], dtype="Int64"),
            "number": [1.5, np.nan, 2.0],
            "text": ["b", None, "a"],
            "declared": pd.Categorical(["x", "y", None], categories=ORDER),
            "flag": pd.array([True, None, True], dtype="boolean"),
            "nothing": pd.Series([None] * 3, dtype=object),
        }
    ),
    "polars": pl.DataFrame(
        {
            "whole": [1, None, 3],
            "number": [1.5, float("nan"), 2.0],
            "text": ["b", None, "a"],
            "declared": pl.Series(["x", "y", None], dtype=pl.Enum(ORDER)),
            "flag": [True, None, True],
            "nothing": [None] * 3,
        }
    ),
    "pyarrow": pa.table(
        {
            "whole": pa.array([1, None, 3]),
            "number": [1.5, None, 2.0],
            "text": ["b", None, "a"],
            "declared": pa.DictionaryArray.from_arrays(pa.array([2, 0, None], pa.int8()), ORDER),
            "flag": [True, None, True],
            "nothing": pa.nulls(3),
        }
    ),
}


@pytest.mark.parametrize("library", FRAMES)
def test_types_decide(library):
    table = Table.from_any(FRAMES[library])
    assert table.has_names
    assert {feature.name: feature.categories for feature in table.schema.features} == {
        "whole": None,
        "number": None,
        "text": ("a", "b"),
        "declared": ("y", "z", "x"),
        "flag": (False, True),
        "nothing": None,
    }
    assert {column.name: column.to_list() for column in table.columns} == {
        "whole": [1.0, None, 3.0],
        "number": [1.5, None, 2.0],
        "text": ["b", None, "a"],
        "declared": ["x", "y", None],
        "flag": [True, None, True],
        "nothing": [None] * 3,
    }
    assert table.native().n_rows == 3


def test_intervals_become_their_text():
    frame = pd.DataFrame({"a": pd.cut([1, 2, 3], [0, 2, 4])})
    assert Table.from_any(frame).schema.features[0].categories == ("(0, 2]", "(2, 4]")


def test_objects_are_what_their_cells_are():
    cells = {
        "ints": [3, 1, None],
        "decimals": [Decimal("0.5"), None, Decimal(2)],
        "strings": ["b", None, "a"],
    }
    table = Table.from_any(
        pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in cells.items()})
    )
    assert [feature.is_nominal for feature in table.schema.features] == [False, False, True]
    np.testing.assert_array_equal(table["ints"].values, [3.0, 1.0, np.nan])
    np.testing.assert_array_equal(table["decimals"].values, [0.5, np.nan, 2.0])
    assert table["strings"].to_list() == ["b", None, "a"]


def test_frames_without_string_names_are_matched_by_place():
    table = Table.from_any(pd.DataFrame(np.eye(2)))
    assert table.names == ["x0", "x1"]
    assert not table.has_names


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        (
            pd.DataFrame({"x": [1.0], "a": pd.arrays.SparseArray([0.5])}),
            "Column 'a' is sparse, but dense data is required. Use X['a'].sparse.to_dense() to convert it.",
        ),
        (
            pl.DataFrame({"d": [[1, 2]]}),
            "Column 'd' is of type List(Int64), which is not supported. Convert it to numbers or text.",
        ),
        (pl.LazyFrame({"a": [1]}), "A LazyFrame holds no rows yet. Pass X.collect() instead."),
        (
            pd.DataFrame([[1, 2]], columns=["a", "a"]),
            "Two columns have the name 'a'. Names must be different.",
        ),
        (
            pd.DataFrame([[1, 2]], columns=["a", 1]),
            "Some column names are strings and some are not. Make them all strings.",
        ),
        (
            pd.DataFrame({"a": pd.Series([1, "x"], dtype=object)}),
            "Column 'a' mixes numbers and text, such as 1 and 'x'. Convert them to one type.",
        ),
        (
            pd.DataFrame({"a": pd.period_range("2020-01", periods=2, freq="M")}),
            "Column 'a' is of type period[M], which is not supported. Convert it to numbers or text.",
        ),
        (
            pd.DataFrame({"a": [1.0, np.inf]}),
            "Input X contains infinity or a value too large for dtype('float64'), "
            "first in column 'a' at row 1.",
        ),
        (
            pd.DataFrame(index=[1, 2]),
            "Found array with 0 feature(s) (shape=(2, 0)) while a minimum of 1 is required.",
        ),
        (
            pd.DataFrame({"a": []}),
            "Found array with 0 sample(s) (shape=(0, 1)) while a minimum of 1 is required.",
        ),
    ],
)
def test_unusable_frames_are_refused(frame, sentence):
    with pytest.raises(DataError) as caught:
        Table.from_any(frame)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("kind", ["Int64", "int64[pyarrow]", "uint64[pyarrow]"])
def test_missing_values_beside_whole_numbers_beyond_doubles(kind):
    frame = pd.DataFrame({"a": pd.array([2**60 + 1, None, 3], dtype=kind)})
    for X in (frame, pa.table({"a": pa.array(frame["a"])})):
        assert Table.from_any(X).columns[0].to_list() == [2.0**60, None, 3.0]


@pytest.mark.parametrize(
    "days", [pd.date_range("2019-03-01", periods=3), pd.to_timedelta([1, 2, 3], unit="D")]
)
def test_dates_beside_whole_numbers(days):
    table = Table.from_any(pd.DataFrame({"day": days, "count": [1, 2, 2**60]}))
    assert [column.feature.kind for column in table.columns] == [table["day"].feature.kind, ""]
    assert table["day"].feature.kind in ("date", "duration")
    assert table["count"].values.tolist() == [1, 2, 2**60]


def test_whole_numbers_of_128_bits():
    frame = pl.DataFrame({"a": pl.Series([2**100, None, 2], dtype=pl.Int128)})
    assert Table.from_any(frame)["a"].to_list() == [2.0**100, None, 2.0]


def test_levels_of_pandas_columns_become_one_name():
    labels = [("income", 2023), ("income", 2024), ("age", ""), ("town", "Unnamed: 3_level_1")]
    frame = pd.DataFrame(np.arange(8.0).reshape(2, 4), columns=pd.MultiIndex.from_tuples(labels))
    table = Table.from_any(frame)
    assert table.names == ["income 2023", "income 2024", "age", "town"]
    assert table.has_names
    # Rows for another library's model have the levels again, in their order.
    form = RowForm.of(frame)
    reordered = frame.iloc[:, [2, 0, 3, 1]]
    assert form.rows(Table.from_any(reordered)).equals(frame)
    assert form.takes(reordered)
    assert form.ordered(reordered).equals(frame)
    # XGBoost joins all levels, also those without a name.
    schema = Schema(tuple(Feature(" ".join(map(str, levels))) for levels in labels))
    assert table.aligned(schema)["town Unnamed: 3_level_1"].values.tolist() == [3.0, 7.0]
    clashing = frame.set_axis(pd.MultiIndex.from_tuples([("a b", "c"), ("a", "b c"), *labels[2:]]), axis=1)
    with pytest.raises(DataError, match=r"Two columns have the name 'a b c'\."):
        Table.from_any(clashing)


def test_categories_of_arrow_in_pandas():
    kind = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
    frame = pd.DataFrame({"a": pd.array(["y", None, "x"], dtype=kind)})
    assert Table.from_any(frame)["a"].to_list() == ["y", None, "x"]
    assert RowForm.of(frame).rows(Table.from_any(frame)).dtypes.tolist() == [kind]


def test_numbers_as_names_are_names_unless_they_only_count():
    frame = pd.DataFrame(np.arange(6.0).reshape(2, 3), columns=[2019, 2020, 2022])
    table = Table.from_any(frame)
    assert table.names == ["2019", "2020", "2022"]
    assert table.aligned(Table.from_any(frame[[2022, 2019, 2020]]).schema)["2022"].values.tolist() == [
        2.0,
        5.0,
    ]
    assert RowForm.of(frame).rows(Table.from_any(frame[[2022, 2019, 2020]])).equals(frame)
    # Arrays and models without names are matched by position, as before.
    unnamed = Table.from_any(np.arange(6.0).reshape(2, 3))
    assert unnamed.aligned(table.schema)["2022"].values.tolist() == [2.0, 5.0]
    assert table.aligned(unnamed.schema)["x2"].values.tolist() == [2.0, 5.0]
    with pytest.raises(DataError, match="X has no column '2022'"):
        Table.from_any(frame.set_axis([2019, 2020, 2023], axis=1)).aligned(table.schema)


def test_missing_times_of_arrow_in_pandas():
    kind = pd.ArrowDtype(pa.time64("us"))
    frame = pd.DataFrame({"a": pd.array([dt.time(1, 30), None], dtype=kind)})
    assert Table.from_any(frame)["a"].to_list() == [1.5, None]


def test_record_batches_keep_their_names():
    batch = pa.record_batch({"age": [30, 41], "job": ["cook", None]})
    table = Table.from_any(batch)
    assert table.names == ["age", "job"]
    assert table["job"].to_list() == ["cook", None]
    assert RowForm.of(batch).rows(table).to_pydict() == batch.to_pydict()
    tree = sl.C45Classifier(min_leaf=1).fit(batch, ["no", "yes"]).tree_
    assert tree.predict(batch.select(["job", "age"])).tolist() == ["no", "yes"]
