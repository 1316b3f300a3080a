import decimal

import numpy as np
import pandas as pd
import pytest

from sightline.exceptions import DataError
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
        ([b"a", "a"], "y holds values whose types cannot be sorted."),
    ],
)
def test_cells_of_different_kinds_are_refused(cells, sentence):
    with pytest.raises(DataError) as caught:
        encode_cells(cells, "y")
    assert str(caught.value) == sentence
