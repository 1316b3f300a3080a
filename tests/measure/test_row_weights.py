"""Weights that intervals cannot be made of."""

import numpy as np
import pytest

import sightline as sl

X = np.arange(20.0)[:, None]
Y = np.where(X[:, 0] < 10, "no", "yes")
LARGE, SMALL = "large that squares overflow", "small that its square is 0"


@pytest.mark.parametrize(
    "ask", [sl.measure, lambda *given, **weights: sl.report(*given, sizes=(), **weights)]
)
@pytest.mark.parametrize(
    ("weight", "others", "what"),
    [
        (1e300, 1.0, f"1e+300, so {LARGE}"),
        (1e155, 0.0, f"1e+155, so {LARGE}"),
        (1e-170, 1.0, f"1e-170, so {SMALL}"),
    ],
)
def test_weights_whose_squares_overflow_or_vanish_are_refused(ask, weight, others, what):
    """Intervals were "nan%", and numpy warned dozens of times."""
    tree = sl.C45Classifier().fit(X, Y)
    with pytest.raises(sl.DataError) as caught:
        ask(tree, X, Y, sample_weight=np.where(X[:, 0] == 3, weight, others))
    assert str(caught.value) == f"sample_weight[3] is {what}. Correct it, or scale all weights."


@pytest.mark.parametrize("weight", [1e150, 1e-150, 0.0])
def test_other_weights_have_intervals(weight):
    tree = sl.C45Classifier().fit(X, Y)
    found = sl.measure(tree, X, Y, sample_weight=np.where(X[:, 0] == 3, weight, 1.0))
    assert found.model.accuracy.low > 0
