import math
import sys

import numpy as np
import pytest

from sightline.exceptions import ParameterError
from sightline.wording import FeatureWording, shown_bound

COLORS = ("red", "green", "blue", "grey", "pink")
WORDING = FeatureWording(["x", "color"], [None, COLORS])
LARGEST = sys.float_info.max


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-math.inf, 3, "x <= 3"),
        (3, math.inf, "x > 3"),
        (1, 3, "1 < x <= 3"),
        (-math.inf, math.inf, "x has a value"),
        (-math.inf, LARGEST, "x has a value"),
        (3, LARGEST, "x > 3"),
        (LARGEST, math.inf, "x has no value"),
    ],
)
def test_intervals(low, high, expected):
    assert WORDING.interval(0, low, high) == expected


def test_open_intervals_of_times_and_dates():
    """Times with a colon ended in an OverflowError, and the largest number was written as a date."""
    times = FeatureWording(
        ["call", "day"], [None, None], kinds=["", "date"], units=[":", ""], others=[False, False]
    )
    assert times.interval(0, 12.25, math.inf) == "call > 12:15"
    assert times.interval(0, -math.inf, 12.25) == "call <= 12:15"
    assert times.interval(1, 0, LARGEST) == "day on or after 1970-01-02"
    assert times.at_most(1, 17956.5) == "before 2019-03-02"


@pytest.mark.parametrize(
    ("codes", "inside", "outside"),
    [
        ([], "color has no value", "color has a value"),
        ([0], "color = red", "color != red"),
        ([2, 0], "color is one of red, blue", "color is none of red, blue"),
        ([0, 1, 2], "color is none of grey, pink", "color is one of grey, pink"),
    ],
)
def test_memberships_name_the_shorter_side(codes, inside, outside):
    assert [WORDING.membership(1, codes), WORDING.membership(1, codes, is_inside=False)] == [inside, outside]


def test_long_lists_are_cut():
    values = tuple(f"c{i}" for i in range(100))
    brief = FeatureWording(["a long name"], [values], max_values=3)
    assert brief.membership(0, range(40)) == "a long name is one of c0, c1, c2 and 37 more"


def test_thresholds_in_words():
    below_one = math.nextafter(1.0, 0.0)
    wording = FeatureWording(["x"], [None], {0: [30.0, below_one]})
    assert wording.at_most(0, 30.0) == "30 or less"
    assert wording.at_most(0, below_one) == "less than 1"


def test_zero_of_lightgbm_reads_as_zero():
    zero = float(np.float32(1e-35))
    wording = FeatureWording(["x"], [None], {0: [zero, -zero]})
    assert wording.at_most(0, zero) == "0 or less"
    assert wording.interval(0, -math.inf, zero) == "x <= 0"
    assert wording.interval(0, zero, math.inf) == "x > 0"
    assert wording.interval(0, -math.inf, -zero) == "x < 0"
    below = float(np.nextafter(-zero, -math.inf))
    negative = FeatureWording(["x"], [None], {0: [below]})
    assert negative.interval(0, -math.inf, below) == "x < 0"
    assert shown_bound(below) == shown_bound(-zero) == (0.0, True)
    # Beside a threshold at 0 itself, the two must look different.
    both = FeatureWording(["x"], [None], {0: [zero, 0.0]})
    assert both.at_most(0, zero) != both.at_most(0, 0.0) == "0 or less"


@pytest.mark.parametrize(
    ("left", "others", "excluded"),
    [
        ([0, 2, 3, 4], (), ("b",)),
        ([0, 2, 3], (), ("b", "e")),
        ([0, 2], (), ()),
        ([0, 4], [True], ()),
        ([0, 1, 4], [True], ("c", "d")),
    ],
)
def test_the_values_that_a_condition_excludes(left, others, excluded):
    wording = FeatureWording(["x"], [tuple("abcde")], others=others)
    assert wording.excluded(0, left) == excluded
    named = "!= b" if excluded == ("b",) else f"is none of {', '.join(excluded)}"
    assert wording.membership(0, left).endswith(named) is bool(excluded)


def test_digits_must_be_positive():
    with pytest.raises(ParameterError, match=r"The 'digits' parameter must be at least 1\. Got 0 instead\."):
        FeatureWording([], [], digits=0)


def test_missing_does_not_read_as_one_of_the_excluded_values():
    conditions = [WORDING.membership(1, codes, is_inside=False) for codes in ([0, 2], [0], [0, 1, 2])]
    assert [WORDING.met_by_missing(1, condition) for condition in conditions] == [
        "color is missing or none of red, blue",
        "color != red or missing",
        "color is one of grey, pink or missing",
    ]


def test_other_values_are_said_by_what_they_are_not():
    values = ("red", "green", "blue", "any other")
    wording = FeatureWording(["color"], [values], others=[True])
    assert wording.membership(0, [1, 2, 3]) == "color != red"
    assert wording.membership(0, [2, 3]) == "color is none of red, green"
    assert wording.membership(0, [0, 1], is_inside=False) == "color is none of red, green"
    assert wording.membership(0, [3]) == "color = any other"
    assert wording.membership(0, [0, 1]) == "color is one of red, green"
    assert wording.membership(0, [0, 1, 2, 3]) == "color has a value"


def test_categories_beside_operators():
    wording = FeatureWording(["status"], [("<0", "0<=X<200", ">=200", "none")])
    assert wording.membership(0, [0]) == 'status = "<0"'
    assert wording.membership(0, [1, 2]) == 'status is one of "0<=X<200", ">=200"'


def test_lists_may_be_cut_where_a_feature_has_more_values_than_they_name():
    assert not FeatureWording(["x", "color"], [None, COLORS], max_values=5).may_cut_lists
    cut = FeatureWording(["x", "color"], [None, COLORS], max_values=4)
    assert cut.may_cut_lists
    assert cut.membership(1, [0, 1, 2, 3, 4]) == "color has a value"
