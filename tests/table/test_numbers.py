"""Numbers to predict: what is accepted, and what a refusal says."""

import datetime as dt

import numpy as np
import pytest

from sightline.exceptions import DataError
from sightline.table import Numbers


@pytest.mark.parametrize(
    "given",
    [
        [1, 2, 3],
        [1.0, 2.0, 3.0],
        np.array([[1], [2], [3]], dtype=np.int8),
        np.array([1, 2.0, True + 2], dtype=object),
    ],
    ids=["list", "floats", "column", "objects"],
)
@pytest.mark.filterwarnings("ignore:A column-vector y")
def test_numbers_become_doubles(given):
    numbers = Numbers.from_any(given)
    assert numbers.values.dtype == numbers.dtype == np.float64
    assert numbers.values.tolist() == [1, 2, 3]
    assert (numbers.shape, numbers.ndim, len(numbers)) == ((3,), 1, 3)
    assert Numbers.from_any(numbers) is numbers


def test_rows_are_selected():
    numbers = Numbers.from_any([1.5, 2.5, 3.5])
    assert numbers[1] == 2.5
    assert numbers[[2, 0]].values.tolist() == [3.5, 1.5]
    assert numbers[np.array([False, True, True])].values.tolist() == [2.5, 3.5]
    assert np.asarray(numbers, dtype=np.float32).dtype == np.float32


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1j], "Complex data not supported as numbers to predict."),
        ([dt.datetime(2019, 3, 1)] * 2, "y must hold numbers: "),
        (np.array(["2019-03-01"], dtype="M8[D]"), "y holds dates or durations, not numbers."),
        (np.array([5], dtype="m8[s]"), "y holds dates or durations, not numbers."),
        (np.ones((2, 2)), "y should be a 1d array"),
        ([], "Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is required: y is empty."),
        ([1.0, "a"], "y must hold numbers, but row 0 is '1.0'. For classes use a classifier."),
        (np.array([1.0, "a"], dtype=object), "y must hold numbers, but row 1 is 'a'."),
        (np.array([1.0, b"a"], dtype=object), "y must hold numbers, but row 1 is b'a'."),
        (np.array([1.0, {}], dtype=object), "y must hold numbers: "),
        ([1.0, np.nan], "row 1"),
        ([np.inf, 1.0], "row 0"),
    ],
    ids=range(12),
)
def test_refusals(given, message):
    with pytest.raises(DataError) as caught:
        Numbers.from_any(given)
    assert message in str(caught.value)
