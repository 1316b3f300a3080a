import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal

from sightline.table import RowForm, Table, frame_of


def pandas_frame():
    return pd.DataFrame(
        {
            "int": [3, 1, 2, 3],
            "small": np.array([3, 1, 2, 3], dtype=np.int8),
            "single": np.array([0.1, 0.2, np.nan, 0.1], dtype=np.float32),
            "double": [0.1, np.nan, 3.0, 1e300],
            "flag": [True, False, True, True],
            "text": pd.Series(["b", None, "a", "b"], dtype=object),
            "nan text": pd.Series(["b", np.nan, "a", "b"], dtype=object),
            "string": pd.Series(["b", pd.NA, "a", "b"], dtype="string"),
            "nullable": pd.Series([3, pd.NA, 2, 3], dtype="Int64"),
            "nullable flag": pd.Series([True, pd.NA, False, True], dtype="boolean"),
            "category": pd.Categorical(["b", None, "a", "b"], categories=["c", "b", "a"]),
            "ordered": pd.Categorical([3, 1, 2, 3], categories=[3, 2, 1], ordered=True),
            "mixed": pd.Series([1, True, "1", 2.5], dtype=object),
            "arrow": pd.Series([3, None, 2, 3], dtype="int32[pyarrow]"),
        }
    ).drop(columns="mixed")


def polars_frame():
    return pl.DataFrame(
        {
            "int": [3, 1, 2, 3],
            "null": [3, None, 2, 3],
            "nan": [0.5, float("nan"), 2.0, 1.0],
            "float null": [0.5, None, 2.0, 1.0],
            "flag": [True, False, None, True],
            "text": ["b", None, "a", "b"],
            "enum": pl.Series(["b", None, "a", "b"], dtype=pl.Enum(["c", "b", "a"])),
            "category": pl.Series(["b", None, "a", "b"], dtype=pl.Categorical),
        },
        schema_overrides={"int": pl.UInt8},
    )


def arrow_table():
    return pa.table(
        {
            "int": pa.array([3, 1, 2, 3], type=pa.int16()),
            "null": pa.array([3, None, 2, 3]),
            "float": pa.array([0.5, None, 2.0, 1.0], type=pa.float32()),
            "flag": pa.array([True, False, None, True]),
            "text": pa.array(["b", None, "a", "b"]),
            "coded": pa.array(["b", None, "a", "b"]).dictionary_encode(),
        }
    )


ROWS = np.array([3, 1, 0, 2, 2, 0])


def test_pandas_rows_come_back_as_they_were():
    X = pandas_frame()
    made = RowForm.of(X).rows(Table.from_any(X)[ROWS])
    pd.testing.assert_frame_equal(made, X.iloc[ROWS].reset_index(drop=True))
    assert made["text"][1] is None
    assert made["string"][1] is pd.NA


def test_polars_rows_come_back_as_they_were():
    X = polars_frame()
    made = RowForm.of(X).rows(Table.from_any(X)[ROWS])
    assert made.schema == X.schema
    assert_frame_equal(made, X[ROWS])


def test_arrow_rows_come_back_as_they_were():
    X = arrow_table()
    made = RowForm.of(X).rows(Table.from_any(X)[ROWS])
    assert made.schema == X.schema
    assert made.to_pylist() == X.take(ROWS).to_pylist()


@pytest.mark.parametrize(
    "X",
    [
        np.array([[1.5, np.nan], [2.5, 3.0]]),
        np.array([[1, 2], [3, 4]], dtype=np.int32),
        np.array([[True, False], [False, False]]),
        np.array([[0.1, 0.2]], dtype=np.float32),
        np.array([[1, "a"], [2, None], [2.5, "b"]], dtype=object),
        np.array([["x", "a"], ["y", "b"]]),
    ],
)
def test_arrays_come_back_as_they_were(X):
    made = RowForm.of(X).rows(Table.from_any(X)[::-1])
    assert made.dtype == X.dtype
    assert made.tolist() == X[::-1].tolist() or np.array_equal(made, X[::-1], equal_nan=True)


def test_values_that_do_not_fit_the_type_widen_it_and_are_never_changed():
    X = pandas_frame()[["int", "single", "flag", "nullable"]]
    rows = pd.DataFrame(
        {"int": [0.5], "single": [0.1], "flag": pd.Series([None], dtype=object), "nullable": [0.5]}
    )
    made = RowForm.of(X).rows(Table.from_any(rows))
    assert made["int"].tolist() == made["nullable"].tolist() == [0.5]
    assert made["single"].tolist() == [0.1]  # not the nearest single-precision number
    assert made["flag"].tolist() == [None] or np.isnan(made["flag"][0])
    other = RowForm.of(polars_frame()[["int"]]).rows(Table.from_any(pl.DataFrame({"int": [0.5, 300.0]})))
    assert other["int"].to_list() == [0.5, 300.0]
    arrow = RowForm.of(arrow_table().select(["int"])).rows(Table.from_any(pa.table({"int": [0.5]})))
    assert arrow["int"].to_pylist() == [0.5]


def test_unobserved_but_declared_categories_and_unknown_ones_are_passed_on():
    X = pandas_frame()[["category", "text"]]
    rows = pd.DataFrame({"category": pd.Categorical(["c"], categories=["c"]), "text": ["never seen"]})
    made = RowForm.of(X).rows(Table.from_any(rows))
    assert made["category"].dtype == X["category"].dtype
    assert made["category"].tolist() == ["c"]
    assert made["text"].tolist() == ["never seen"]


def test_columns_are_matched_by_name():
    X = pandas_frame()[["int", "text"]]
    form = RowForm.of(X)
    assert form.rows(Table.from_any(X[["text", "int"]])).columns.tolist() == ["int", "text"]
    assert form.takes(X[["text", "int"]])
    assert form.ordered(X[["text", "int"]]).columns.tolist() == ["int", "text"]
    assert not form.takes(X[["int"]])
    assert not form.takes(pl.from_pandas(X))


def test_numbered_columns_of_a_frame_keep_their_numbers():
    X = pd.DataFrame([[1, 2.5], [3, 4.5]])
    made = RowForm.of(X).rows(Table.from_any(X))
    pd.testing.assert_frame_equal(made, X, check_column_type=False)


def test_columns_declared_categorical_come_back_in_their_own_type():
    X = pandas_frame()[["int", "single"]]
    made = RowForm.of(X).rows(Table.from_any(X, categorical_features=["int", "single"]))
    pd.testing.assert_frame_equal(made, X)
    matrix = np.array([[1, 2], [3, 4]])
    made = RowForm.of(matrix).rows(Table.from_any(matrix, categorical_features=[0]))
    assert made.dtype == matrix.dtype
    assert (made == matrix).all()


def test_a_table_comes_back_as_a_frame_with_integers_booleans_and_categories():
    X = pandas_frame()[["int", "double", "flag", "text"]]
    made = RowForm.of(Table.from_any(X)).rows(Table.from_any(X))
    assert [str(dtype) for dtype in made.dtypes] == ["int64", "float64", "bool", "category"]
    assert made["text"].tolist()[::2] == ["b", "a"]


def test_the_frame_of_a_table_is_the_one_that_its_form_gives():
    table = Table.from_any(pandas_frame().assign(beyond_doubles=2**60 + np.arange(4)))
    frame = frame_of(table)
    pd.testing.assert_frame_equal(frame, RowForm.of(table).rows(table))
    assert frame["beyond_doubles"].tolist() == [2**60, 2**60 + 1, 2**60 + 2, 2**60 + 3]
