import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sightline.load._thresholds import double_at_most, double_below, float32_at_most, float32_below

SINGLE = np.finfo(np.float32)
DOUBLE = np.finfo(np.float64)
OVERFLOW = 2.0**128 - 2.0**103  # the first double that float32 rounds to infinity
BOUNDARIES = [
    0.0,
    -0.0,
    5e-324,
    -5e-324,
    float(SINGLE.smallest_subnormal),
    -float(SINGLE.smallest_subnormal),
    float(SINGLE.smallest_subnormal) / 2,
    float(SINGLE.tiny),
    -float(SINGLE.tiny),
    0.10000000149011612,
    1000.0000915527344,
    1.0,
    -1.0,
    16777216.0,
    16777217.0,
    float(SINGLE.max),
    -float(SINGLE.max),
    OVERFLOW,
    -OVERFLOW,
    1e39,
    -1e39,
    DOUBLE.max,
]

repeatable = settings(derandomize=True, deadline=None, max_examples=300)

any_double = st.floats(allow_nan=False, allow_infinity=False)
any_single = st.floats(allow_nan=False, allow_infinity=False, width=32)
threshold = st.one_of(any_double, any_single, st.sampled_from(BOUNDARIES))


def as_single(x):
    with np.errstate(over="ignore"):
        return np.asarray(x, dtype=np.float64).astype(np.float32).astype(np.float64)


def around(*centres):
    """Doubles near each centre, and near the float32 numbers and midpoints beside it."""
    near = []
    with np.errstate(over="ignore"):
        for centre in centres:
            single = np.float32(centre)
            steps = [
                single,
                np.nextafter(single, np.float32(np.inf)),
                np.nextafter(single, np.float32(-np.inf)),
            ]
            doubles = [float(centre), *(float(s) for s in steps)]
            doubles += [(doubles[1] + doubles[2]) / 2, (doubles[1] + doubles[3]) / 2, OVERFLOW, -OVERFLOW]
            near += [np.nextafter(d, to) for d in doubles for to in (-np.inf, d, np.inf)]
    near = np.array(near)
    return near[np.isfinite(near)]


@repeatable
@given(threshold)
@example(np.inf)
@example(-np.inf)
def test_float32_at_most_is_the_same_test(t):
    d = float32_at_most([t])[0]
    assert np.isfinite(d)
    x = around(*[v for v in (t, d) if np.isfinite(v)])
    np.testing.assert_array_equal(x <= d, as_single(x) <= t)


@repeatable
@given(threshold)
@example(np.inf)
def test_float32_below_is_the_same_test(t):
    d = float32_below([t])[0]
    assert np.isfinite(d)
    x = around(*[v for v in (t, d) if np.isfinite(v)])
    np.testing.assert_array_equal(x <= d, as_single(x) < t)


@repeatable
@given(threshold, any_double)
def test_far_values_take_the_same_branch(t, x):
    assert (x <= float32_at_most(t)) == (as_single(x) <= t)
    assert (x <= float32_below(t)) == (as_single(x) < t)


@repeatable
@given(st.one_of(threshold, st.just(np.inf)))
def test_double_tests(t):
    centre = t if np.isfinite(t) else DOUBLE.max
    with np.errstate(over="ignore"):
        x = np.array([centre, np.nextafter(centre, -np.inf), np.nextafter(centre, np.inf)])
    x = x[np.isfinite(x)]
    np.testing.assert_array_equal(x <= double_at_most(t), x <= t)
    np.testing.assert_array_equal(x <= double_below(t), x < t)


@pytest.mark.parametrize("t", BOUNDARIES)
def test_every_boundary(t):
    x = around(*BOUNDARIES, t)
    np.testing.assert_array_equal(x <= float32_at_most(t), as_single(x) <= t)
    np.testing.assert_array_equal(x <= float32_below(t), as_single(x) < t)


def test_every_float32_of_some_binades():
    """Brute force: all neighbours of 2**13 numbers from subnormal to the largest."""
    bits = np.concatenate(
        [np.arange(0, 2048), np.arange(0x7F7FFFFF - 2047, 0x7F800000), np.arange(0x3F7FFC00, 0x3F800400)]
    )
    singles = bits.astype(np.uint32).view(np.float32)
    singles = np.concatenate([singles, -singles]).astype(np.float64)
    at_most, below = float32_at_most(singles), float32_below(singles)
    for d, passes in ((at_most, np.less_equal), (below, np.less)):
        assert passes(as_single(d), singles).all()
        assert not passes(as_single(np.nextafter(d, np.inf)), singles).any()


def test_nothing_is_below_minus_infinity():
    assert float32_below([-np.inf])[0] == -np.inf
    assert double_below([-np.inf])[0] == -np.inf
    assert double_below([-DOUBLE.max])[0] == -np.inf


def test_infinity_becomes_the_largest_double():
    assert float32_at_most([np.inf])[0] == DOUBLE.max
    assert float32_below([np.inf])[0] == float32_at_most([SINGLE.max])[0]
    assert double_at_most([np.inf])[0] == DOUBLE.max


@pytest.mark.parametrize("canonical", [float32_at_most, float32_below, double_at_most, double_below])
def test_nan_stays_nan_for_the_builder_to_refuse(canonical):
    assert np.isnan(canonical([np.nan])[0])


def test_shape_is_kept():
    assert float32_at_most(np.zeros((2, 3))).shape == (2, 3)
