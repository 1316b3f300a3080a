import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sightline import C45Classifier
from sightline.exceptions import DataError, ParameterError
from sightline.measure import (
    NumberErrors,
    Share,
    accuracy,
    ambiguity,
    complexity,
    error_rate,
    fidelity,
    stability,
)

answer_tables = st.integers(2, 5).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 2), min_size=n, max_size=n), min_size=1, max_size=6)
)


def test_shares_of_rows():
    assert accuracy([0, 1, 1, 0], [0, 1, 0, 0]) == 0.75
    assert error_rate([0, 1, 1, 0], [0, 1, 0, 0]) == 0.25


def test_wilson_interval_of_a_published_example():
    # Newcombe 1998, Table I: 81 of 263, by the score method 0.2553 to 0.3662.
    share = Share.of(np.arange(263) < 81)
    assert (round(share.low, 4), round(share.high, 4)) == (0.2553, 0.3662)
    assert repr(share) == "30.8% of 263 rows (25.5% to 36.6%)"


def test_no_row_proves_nothing():
    share = Share.of(np.zeros(0, dtype=bool))
    assert np.isnan(share.value)
    assert (share.low, share.high) == (0.0, 1.0)


def test_fidelity_per_class_of_the_teacher():
    found = fidelity(["a"] * 8 + ["b"] * 2, ["a"] * 9 + ["b"])
    assert found.overall.value == 0.9
    assert {label: share.value for label, share in found.by_class.items()} == {"a": 1.0, "b": 0.5}
    assert found.by_class["b"].n_rows == 2
    assert found.by_class["b"].high - found.by_class["b"].low > 0.5


@given(answer_tables)
def test_stability_is_the_formula_as_printed(rows):
    """1/m sum_i 2/(n(n-1)) sum_k sum_{l<k} delta(X_k(i), X_l(i))."""
    m, n = len(rows), len(rows[0])
    total = sum(
        2 / (n * (n - 1)) * sum(row[k] == row[other] for k in range(n) for other in range(k)) for row in rows
    )
    assert stability(np.array(rows).T) == pytest.approx(total / m)


@given(answer_tables)
def test_ambiguity_counts_who_differs_from_the_vote(rows):
    expected = np.mean([1 - max(row.count(label) for label in row) / len(row) for row in rows])
    assert ambiguity(np.array(rows).T) == pytest.approx(expected)


def test_complexity_of_ours_and_of_others():
    X, y = load_iris(return_X_y=True)
    tree = C45Classifier().fit(X, y)
    assert complexity(tree) == tree.size_
    forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    assert complexity(forest)["nodes"] == sum(each.tree_.node_count for each in forest.estimators_)
    assert complexity(make_pipeline(StandardScaler(), forest).fit(X, y))["nodes"] > 0
    assert complexity(GaussianNB().fit(X, y)) == {}


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (
            lambda: accuracy([1, 2], [1]),
            DataError,
            "Both arrays must hold one label per row. Got shapes (2,) and (1,).",
        ),
        (lambda: accuracy([], []), DataError, "There are no rows to measure on."),
        (lambda: stability([[1]]), ParameterError, "Stability needs at least two models. Got 1."),
        (
            lambda: ambiguity([]),
            ParameterError,
            "Ambiguity needs at least one member. Got none.",
        ),
        (
            lambda: fidelity([1], [1], confidence=2),
            ParameterError,
            "The 'confidence' parameter must be between 0 and 1, both excluded. Got 2 instead.",
        ),
    ],
)
def test_errors(call, kind, text):
    with pytest.raises(kind) as error:
        call()
    assert str(error.value) == text


def test_errors_of_numbers_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    for scale in (1e-200, 1.0, 1e150):
        truth = scale * rng.normal(3, 2, 50)
        predicted = truth + scale * rng.normal(0, 1, 50)
        errors = NumberErrors.of(truth, predicted)
        assert errors.r2.value == pytest.approx(r2_score(truth / scale, predicted / scale))
        assert errors.mae.value == pytest.approx(mean_absolute_error(truth, predicted))
        rmse = scale * root_mean_squared_error(truth / scale, predicted / scale)
        assert errors.rmse.value == pytest.approx(rmse)
        assert errors.mae.low < errors.mae.value < errors.mae.high


def test_intervals_of_errors_cover_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(1)
    hits = np.zeros(3)
    for _ in range(400):
        truth = rng.normal(0, 1, 200)
        errors = NumberErrors.of(truth, truth + rng.normal(0, 0.5, 200))
        expected = (0.75, 0.5 * np.sqrt(2 / np.pi), 0.5)
        found = (errors.r2, errors.mae, errors.rmse)
        hits += [one.low <= value <= one.high for one, value in zip(found, expected, strict=True)]
    assert (abs(hits / 400 - 0.95) < 0.03).all()


def test_mean_is_the_baseline_of_numbers():
    baseline = NumberErrors.of_mean([1.0, 2.0, 6.0])
    assert (baseline.r2.value, baseline.mae.value) == (0.0, 2.0)
    assert baseline.text == "0"


@pytest.mark.parametrize("truth", [[5.0, 5.0], [5.0], [0.1] * 6])
def test_r2_is_undefined_where_nothing_varies(truth):
    predicted = np.array(truth) + 1
    errors = NumberErrors.of(truth, predicted)
    assert errors.text == "undefined"
    # The rounded mean of six times 0.1 is not 0.1, so R² was -1e34.
    assert NumberErrors.of(truth, predicted, weights=np.arange(1.0, len(truth) + 1)).text == "undefined"
    assert errors.to_json()["r2"] == {"value": None, "low": None, "high": None}
    assert errors.mae.value == pytest.approx(1.0)


def test_numbers_must_pair_up():
    with pytest.raises(DataError, match="one number per row"):
        NumberErrors.of([1.0, 2.0], [1.0])
