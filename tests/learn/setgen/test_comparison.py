import numpy as np
import pytest

import sightline as sl
from sightline.exceptions import DataError, ParameterError
from sightline.learn.setgen import Comparison


def test_verdicts():
    plain = {"error": np.array([0.1, 0.2, 0.15]), "nodes": np.array([9.0, 11, 10]), "features": np.ones(3)}
    chosen = {
        "error": np.array([0.1, 0.1, 0.3]),
        "nodes": np.array([3.0, 5, 3]),
        "features": np.array([3.0, 3, 3]),
    }
    comparison = Comparison(plain, chosen)
    assert [comparison.verdict(name) for name in ("error", "nodes", "features")] == [
        "no significant difference",
        "smaller",
        "larger",
    ]
    assert comparison.to_text().splitlines()[2] == "nodes              10.0      3.7   0.003  smaller"


@pytest.mark.parametrize("folds", [1, 2.5])
def test_folds_must_be_two_or_more(folds):
    with pytest.raises(ParameterError) as error:
        sl.SetGenClassifier().compare(np.eye(4), [0, 1, 0, 1], folds=folds)
    assert str(error.value) == f"folds must be an int of 2 or more, got {folds}."


def test_every_row_needs_a_label():
    with pytest.raises(DataError, match="inconsistent"):
        sl.SetGenClassifier().compare(np.eye(4), [0, 1, 0], folds=2)
