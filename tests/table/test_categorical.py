import numpy as np
import pandas as pd
import pytest

from sightline.exceptions import DataError, ParameterError
from sightline.table import Table

FRAME = pd.DataFrame({"a": [3.0, 1.0, np.nan], "b": [0.5, 1.5, 0.5], "c": pd.Categorical([1, 2, 1])})


@pytest.mark.parametrize("chosen", [["a"], [0], [True, False, False], np.array(["a"]), np.array([0])])
def test_names_indices_and_masks_mean_the_same(chosen):
    table = Table.from_any(FRAME, categorical_features=chosen)
    assert [feature.categories for feature in table.schema.features] == [(1, 3), None, None]
    assert [column.to_list() for column in table.columns] == [[3, 1, None], [0.5, 1.5, 0.5], [1.0, 2.0, 1.0]]


def test_none_and_an_empty_list_make_every_column_numeric():
    for chosen in (None, []):
        assert Table.from_any(FRAME, categorical_features=chosen).schema.n_values == [0, 0, 0]


def test_types_decide_by_default():
    assert Table.from_any(FRAME).schema.n_values == [0, 0, 2]


def test_fractions_stay_fractions():
    assert Table.from_any(FRAME, categorical_features=["b"]).schema.features[1].categories == (0.5, 1.5)


def test_text_cannot_be_numeric():
    with pytest.raises(DataError) as caught:
        Table.from_any(pd.DataFrame({"a": ["x"]}), categorical_features=None)
    assert str(caught.value) == (
        "Column 'a' holds text, but 'categorical_features' does not list it. List it, or pass 'from_dtype'."
    )


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        (
            ["z"],
            "'categorical_features' contains 'z', which is not a column. The columns are 'a', 'b' and 'c'.",
        ),
        ([3], "The indices in 'categorical_features' must be from 0 to 2. Got 3 instead."),
        ([-1], "The indices in 'categorical_features' must be from 0 to 2. Got -1 instead."),
        (
            [True],
            "The mask 'categorical_features' must have one entry per column: 3. Got 1 instead.",
        ),
        (
            "all",
            "The 'categorical_features' parameter must be 'from_dtype', None, or a list of column names, "
            "of indices or of booleans. Got 'all' instead.",
        ),
        (
            [0.5],
            "The 'categorical_features' parameter must be 'from_dtype', None, or a list of column names, "
            "of indices or of booleans. Got [0.5] instead.",
        ),
    ],
)
def test_unknown_columns_are_refused(chosen, sentence):
    with pytest.raises(ParameterError) as caught:
        Table.from_any(FRAME, categorical_features=chosen)
    assert str(caught.value) == sentence


def test_many_columns_are_counted():
    frame = pd.DataFrame([[1] * 12], columns=[f"c{index}" for index in range(12)])
    with pytest.raises(ParameterError) as caught:
        Table.from_any(frame, categorical_features=["z"])
    assert str(caught.value) == (
        "'categorical_features' contains 'z', which is not a column. The columns are 'c0', 'c1', 'c2', 'c3', "
        "'c4', 'c5', 'c6', 'c7', 'c8', 'c9' and 2 more."
    )


def test_names_need_names():
    with pytest.raises(ParameterError) as caught:
        Table.from_any(np.eye(2), categorical_features=["x0"])
    assert (
        str(caught.value) == "'categorical_features' contains column names, but the columns of X have none."
    )
