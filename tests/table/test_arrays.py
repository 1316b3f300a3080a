import numpy as np
import pytest
from scipy import sparse

from sightline.exceptions import DataError
from sightline.table import Table


def test_float64_is_borrowed():
    X = np.arange(6.0).reshape(3, 2)
    table = Table.from_any(X)
    assert all(np.shares_memory(column.values, X) for column in table.columns)
    assert table.names == ["x0", "x1"]
    assert not table.has_names


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.uint64, bool, ">f8"])
def test_other_numbers_are_converted(dtype):
    table = Table.from_any(np.array([[0, 1], [1, 1]], dtype=dtype))
    assert [column.values.tolist() for column in table.columns] == [[0.0, 1.0], [1.0, 1.0]]


@pytest.mark.parametrize(
    "X",
    [
        np.arange(12.0).reshape(4, 3)[::-1],
        np.asfortranarray(np.arange(12.0).reshape(4, 3)),
        np.broadcast_to(np.arange(3.0), (4, 3)),
        np.arange(24.0).reshape(8, 3)[::2],
    ],
)
def test_kernels_take_any_strides(X):
    X.flags.writeable = False
    native = Table.from_any(X).native()
    assert (native.n_rows, len(native)) == (4, 3)


def test_cells_decide_in_object_arrays():
    X = [[1, "a", True, None], [None, "b", False, float("nan")], [2.5, None, True, None]]
    table = Table.from_any(np.array(X, dtype=object))
    assert [feature.categories for feature in table.schema.features] == [
        None,
        ("a", "b"),
        (False, True),
        None,
    ]
    assert [column.to_list() for column in table.columns] == [
        [1.0, None, 2.5],
        ["a", "b", None],
        [True, False, True],
        [None, None, None],
    ]


def test_nested_lists_keep_their_types():
    assert Table.from_any([[1, "a"], [2, "1"]]).schema.n_values == [0, 2]


def test_masked_cells_are_missing():
    table = Table.from_any(np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], mask=[[0, 1], [0, 0]]))
    assert table.columns[1].to_list() == [None, 4.0]


RESHAPE = (
    "Reshape your data either using array.reshape(-1, 1) if your data has a single feature "
    "or array.reshape(1, -1) if it contains a single sample."
)

PASS = "Pass an array, nested lists, an sl.Table, or a frame of pandas, polars or pyarrow."


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        ([1, 2], f"Expected 2D array, got 1D array instead. {RESHAPE}"),
        (3.0, f"Expected 2D array, got scalar array instead. {RESHAPE}"),
        (None, f"X is None, not rows. {PASS}"),
        (iter([]), f"X is a list_iterator, not rows. {PASS}"),
        ("loans.csv", f"X is a str, not rows. {PASS} Read a file with sl.read_table."),
        (np.zeros((1, 1, 1)), "Found array with dim 3, while dim <= 2 is required."),
        (
            np.zeros((0, 2)),
            "Found array with 0 sample(s) (shape=(0, 2)) while a minimum of 1 is required.",
        ),
        (
            np.zeros((2, 0)),
            "Found array with 0 feature(s) (shape=(2, 0)) while a minimum of 1 is required.",
        ),
        # On some systems, long doubles are doubles.
        *[
            (
                np.ones((1, 1), dtype=dtype),
                f"X has the type {np.dtype(dtype)}, which is not supported. Convert it to doubles: "
                "X.astype(float).",
            )
            for dtype in [np.longdouble]
            if np.dtype(dtype).itemsize > 8
        ],
        (np.array([[1j]]), "Complex data not supported. Pass real numbers, for instance in two columns."),
        (
            sparse.csr_array(np.eye(2)),
            "Sparse data was passed, but dense data is required. Use X.toarray() to convert it. "
            "For an XGBoost model, fill in NaN instead of 0: it treats cells that are not stored as missing.",
        ),
        (
            np.array([[1.0, 2.0], [3.0, -np.inf]]),
            "Input X contains infinity or a value too large for dtype('float64'), "
            "first in column 'x1' at row 1.",
        ),
        (
            np.array([[1, 1], [2, "a"]], dtype=object),
            "Column 'x1' mixes numbers and text, such as 1 and 'a'. Convert them to one type.",
        ),
        (
            np.array([[1, {}]], dtype=object),
            "Column 'x1' holds a dict at row 0. Every cell must be a string or a number.",
        ),
    ],
)
def test_unusable_arrays_are_refused(X, sentence):
    with pytest.raises(DataError) as caught:
        Table.from_any(X)
    assert str(caught.value) == sentence


def test_ragged_lists_are_refused():
    with pytest.raises(DataError, match="X cannot be converted to an array: "):
        Table.from_any([[1, 2], [3]])


def test_infinite_numbers_may_be_read_as_the_largest():
    X = np.array([[np.inf, 1.0], [-np.inf, np.nan]])
    kept = X.copy()
    table = Table.from_any(X, infinite="largest")
    largest = np.finfo(np.float64).max
    np.testing.assert_array_equal(table.columns[0].values, [largest, -largest])
    np.testing.assert_array_equal(table.columns[1].values, [1.0, np.nan])
    np.testing.assert_array_equal(X, kept)


@pytest.mark.parametrize("others", [1.5, 2**70])
def test_whole_numbers_beyond_all_doubles_are_infinite(others):
    X = [[10**400], [-(10**400)], [others]]
    largest = np.finfo(np.float64).max
    values = Table.from_any(X, infinite="largest").columns[0].values
    np.testing.assert_array_equal(values, [largest, -largest, float(others)])
    with pytest.raises(DataError) as caught:
        Table.from_any(X)
    assert str(caught.value) == (
        "Input X contains infinity or a value too large for dtype('float64'), first in column 'x0' at row 0."
    )


def test_errors_name_columns_as_the_caller_does():
    with pytest.raises(DataError) as caught:
        Table.from_any([[1, "a"], [2, 3]], feature_names=np.array(["age", "colour"]))
    assert str(caught.value) == (
        "Column 'colour' mixes text and numbers, such as 'a' and 3. Convert them to one type."
    )


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        (np.array([(1.0, "a")], dtype=[("x", "f8"), ("t", "U1")]), "a structured array"),
        ({"x": [1.0]}, "a dictionary"),
        ([{"x": 1.0}], "a list of dictionaries"),
    ],
)
def test_rows_with_names_that_are_no_frame_are_refused(rows, what):
    with pytest.raises(DataError) as caught:
        Table.from_any(rows)
    assert str(caught.value) == f"X is {what}. Convert it to a frame: pandas.DataFrame(X)."
