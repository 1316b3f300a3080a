import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.wording import distinct_strings, number_text

finite = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (30.0, "30"),
        (-0.0, "0"),
        (0.1 + 0.2, "0.3"),
        (1234567.8, "1234568"),
        (-2.5, "-2.5"),
        (1e-5, "0.00001"),
        (1e-6, "1e-6"),
        (123456789e10, "1.23457e18"),
        (999999.5, "1000000"),
        (math.inf, "infinity"),
    ],
)
def test_numbers_read_well(value, expected):
    assert number_text(value) == expected


@given(st.lists(finite, min_size=1, max_size=20))
def test_different_numbers_look_different_and_keep_their_order(values):
    texts = distinct_strings(values, digits=3)
    assert len(set(texts.values())) == len({value + 0.0 for value in values})
    ordered = [float(texts[value]) for value in sorted(texts)]
    assert ordered == sorted(ordered)


@given(finite)
def test_all_digits_read_back(value):
    assert float(number_text(value, digits=17)) == value
