import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sightline import C45Classifier
from sightline.exceptions import DataError, ParameterError
from sightline.measures import Share, accuracy, ambiguity, complexity, error_rate, fidelity, stability

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
