from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from sightline.report._share import Share


@given(st.integers(1, 5000).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))))
def test_interval_is_wilsons(pair):
    count, total = pair
    low, high = Share(count, total).interval
    expected = binomtest(count, total).proportion_ci(method="wilson")
    assert abs(low - expected.low) < 1e-9
    assert abs(high - expected.high) < 1e-9


def test_rounding_makes_nothing_perfect():
    assert Share(9999, 10_000).text == "over 99.9%"
    assert Share(10_000, 10_000).text == "100.0%"
    assert Share(1, 10_000).text == "under 0.1%"
    assert Share(0, 10).text == "0.0%"


def test_numbers_for_machines():
    assert Share(1, 2).to_json() == {
        "share": 0.5,
        "low": Share(1, 2).interval[0],
        "high": Share(1, 2).interval[1],
        "rows": 2,
    }
