import math
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sightline.exceptions import DataError
from sightline.show._row import Row
from sightline.table import Feature, Schema, Table

SCHEMA = Schema((Feature("age"), Feature("colour", ("red", "blue"))))
COLUMNS = {"colour": ["blue"], "age": [25]}


@pytest.mark.parametrize(
    "row",
    [
        {"colour": "blue", "age": 25},
        [25, "blue"],
        (25.0, "blue"),
        [[25, "blue"]],
        np.array([25, "blue"], dtype=object),
        np.array([[25, "blue"]], dtype=object),
        pd.Series({"colour": "blue", "age": 25}),
        pd.DataFrame(COLUMNS),
        pl.DataFrame(COLUMNS),
        pa.table(COLUMNS),
        Table.from_any(pd.DataFrame(COLUMNS)),
    ],
    ids=lambda row: type(row).__name__,
)
def test_rows_of_every_kind(row):
    assert Row.of(row, SCHEMA, "the tree").values == [25.0, 1.0]


def test_a_row_of_a_frame_holds_categories_of_any_type():
    frame = pd.DataFrame({"age": [1.0, 2.0, 3.0], "span": pd.cut([1, 5, 9], 3)})
    schema = Table.from_any(frame).schema
    for place in range(3):
        row = Row.of(frame.iloc[place], schema, "the tree")
        assert row.values == Row.of(frame.iloc[[place]], schema, "the tree").values == [place + 1.0, place]


@pytest.mark.parametrize("missing", [None, math.nan, np.nan])
def test_missing_values(missing):
    row = Row.of({"age": missing, "colour": None}, SCHEMA, "the tree")
    assert all(math.isnan(value) for value in row.values)
    assert row.given == [None, None]


def test_unknown_categories_are_missing_but_remembered():
    row = Row.of({"age": 1, "colour": "pink"}, SCHEMA, "the tree")
    assert math.isnan(row.values[1])
    assert row.given == [1, "pink"]


def test_values_are_of_the_kind_that_the_model_reads():
    """A boolean was 1.0 in a single row, and True in a frame."""
    schema = Schema((Feature("smoker", (False, True)), Feature("zip", ("1067", "10115")), Feature("sick")))
    frame = pd.DataFrame({"smoker": [True], "zip": [10115], "sick": [True]})
    for row in (frame, frame.iloc[0], frame.iloc[0].to_dict()):
        assert list(map(repr, Row.of(row, schema, "the tree").given)) == ["True", "'10115'", "1.0"]
    assert Row.of({"smoker": 7, "zip": 99, "sick": 0}, schema, "the tree").given == [7, 99, 0]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"age": 1},
            "The row has no 'colour', which the tree expects. Pass None for a missing value.",
        ),
        (
            {"age": 1, "color": "red"},
            "The row has no 'colour', which the tree expects. Pass None for a missing value.",
        ),
        (
            {"age": 1, "colour": "red", "size": 3},
            "The row has 'size', which the tree does not know. Leave it out.",
        ),
        (
            {"a": 1, "b": 2},
            "The row has no 'age' and 'colour', which the tree expects. Pass None for a missing value.",
        ),
        (
            [1, ["red", "blue"]],
            "The value of 'colour' must be one number, string or None. Got ['red', 'blue'] instead.",
        ),
        (["old", "red"], "Column 'age' holds text such as 'old', but the tree expects numbers."),
        ([1], "X has 1 features, but the tree is expecting 2 features as input."),
        (
            {"age": "old", "colour": "red"},
            "Column 'age' holds text such as 'old', but the tree expects numbers.",
        ),
        ([[1, "red"], [2, "red"]], "Only one row can be explained at a time. Got 2 rows instead."),
        ("red", "A row must be a dict, a sequence or a table of one row. Got 'red' instead."),
        (7, "A row must be a dict, a sequence or a table of one row. Got 7 instead."),
    ],
)
def test_errors_name_what_is_wrong(row, message):
    with pytest.raises(DataError, match=re.escape(message)):
        Row.of(row, SCHEMA, "the tree")
