import math

import numpy as np
import pytest
from scipy import stats

from sightline.exceptions import ParameterError
from sightline.wording import Share, percent


@pytest.mark.parametrize(
    ("share", "digits", "expected"),
    [
        (0, 0, "0%"),
        (0.004, 0, "under 1%"),
        (0.5, 0, "50%"),
        (0.994, 0, "99%"),
        (0.996, 0, "over 99%"),
        (1, 0, "100%"),
        (0.9164, 1, "91.6%"),
        (0.9999, 1, "over 99.9%"),
        (0.0001, 1, "under 0.1%"),
        (1, 1, "100.0%"),
        (math.nan, 1, "unknown"),
    ],
)
def test_percent_is_all_or_nothing_only_if_it_is(share, digits, expected):
    assert percent(share, digits) == expected


@pytest.mark.parametrize(("count", "n_rows"), [(81, 263), (0, 10), (10, 10), (1, 1), (9_999, 10_000)])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_intervals_are_those_of_scipy(count, n_rows, confidence):
    expected = stats.binomtest(count, n_rows).proportion_ci(confidence, method="wilson")
    assert Share(count, n_rows, confidence).interval == pytest.approx(
        (expected.low, expected.high), abs=1e-12
    )


def test_no_rows_say_nothing():
    share = Share.of(np.zeros(0, dtype=bool))
    assert math.isnan(share.value)
    assert share.interval == (0.0, 1.0)
    assert repr(share) == "unknown of 0 rows (0.0% to 100.0%)"


def test_of_counts_the_rows_that_hold():
    assert Share.of(np.arange(263) < 81) == Share(81, 263)


def test_numbers_for_other_programs():
    share = Share(1, 2)
    assert share.to_json() == {"share": 0.5, "low": share.low, "high": share.high, "rows": 2}


def test_confidence_is_checked():
    with pytest.raises(ParameterError) as caught:
        Share(1, 2, 1.0)
    assert str(caught.value) == (
        "The 'confidence' parameter must be between 0 and 1, both excluded. Got 1.0 instead."
    )
