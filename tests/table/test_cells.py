import datetime as dt
import decimal

import numpy as np
import pandas as pd
import pytest

from sightline.exceptions import DataError
from sightline.table import Table
from sightline.table._cells import encode_cells, encode_declared


@pytest.mark.parametrize(
    ("cells", "distinct", "codes", "kind"),
    [
        (["b", None, "a", "b"], ["a", "b"], [1, -1, 0, 1], "text"),
        ([2, 1.5, float("nan"), decimal.Decimal(1)], [1, 1.5, 2], [2, 1, -1, 0], "numbers"),
        ([True, np.False_, pd.NA, pd.NaT], [False, True], [1, 0, -1, -1], "booleans"),
        ([None, np.nan], [], [-1, -1], "nothing"),
    ],
)
def test_distinct_cells_are_sorted_and_numbered(cells, distinct, codes, kind):
    encoded = encode_cells(cells, "y")
    assert encoded.distinct == distinct
    assert encoded.codes.tolist() == codes
    assert encoded.codes.dtype == np.int32
    assert encoded.kind == kind


def test_undeclared_cells_are_missing():
    assert encode_declared(["b", "z", None, "a"], ["a", "b"]).tolist() == [1, -1, -1, 0]


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        ([1, True, "a"], "y mixes numbers and text, such as 1 and 'a'. Convert them to one type."),
        ([1, [2]], "y holds a list at row 1. Every cell must be a string or a number."),
        ([b"a", "a"], "y holds values of types that cannot be sorted."),
        ([1j, 2], "y holds complex numbers. Complex data not supported."),
    ],
)
def test_cells_of_different_kinds_are_refused(cells, sentence):
    with pytest.raises(DataError) as caught:
        encode_cells(cells, "y")
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        ([dt.timedelta(hours=2), None, dt.timedelta(minutes=1)], "duration", [7200.0, np.nan, 60.0]),
        ([np.timedelta64(3, "s"), np.timedelta64(1, "m")], "duration", [3.0, 60.0]),
        (
            [np.datetime64("1970-01-01T00:00:01"), np.datetime64("1970-01-02T00:00:00")],
            "datetime",
            [1.0, 86400.0],
        ),
        ([dt.date(1970, 1, 2), dt.datetime(1970, 1, 1, 12)], "datetime", [86400.0, 43200.0]),
    ],
    ids=range(4),
)
def test_cells_of_dates_and_durations(cells, kind, values):
    made = np.empty((len(cells), 1), dtype=object)
    made[:, 0] = cells
    column = Table.from_any(made).columns[0]
    assert column.feature.kind == kind
    np.testing.assert_array_equal(column.values, values)


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        (
            [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, tzinfo=dt.UTC)],
            "Column 'a' holds times with and without a time zone. Convert them to one kind.",
        ),
        (
            [(1, 2), (3, 4)],
            "Column 'a' holds (1, 2), which is not supported. Every cell must be a string or a number.",
        ),
    ],
    ids=["zones", "tuples"],
)
def test_columns_that_are_refused(cells, sentence):
    with pytest.raises(DataError) as caught:
        Table.from_any(pd.DataFrame({"a": pd.Series(cells, dtype=object)}))
    assert str(caught.value) == sentence


def test_bytes_that_are_not_utf8_keep_their_codes():
    assert Table.from_any([[b"u\xff"], [b"v"]]).columns[0].feature.categories == ("u\\xff", "v")
