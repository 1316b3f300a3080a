"""Rows that the search for a difference made up have short numbers."""

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.tree import DecisionTreeClassifier

import sightline as sl


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    X = random.integers(0, 100, (300, 4)).astype(float)
    return X, (X[:, 0] + X[:, 1] > 90) ^ (X[:, 2] > 80)


def digits_of(certificate):
    return max(len(f"{value!r}".removesuffix(".0").lstrip("-0.")) for value in certificate.witness.values())


def test_labels_still_differ_in_a_row_of_short_numbers(rows):
    """A row next to XGBoost's thresholds read ``age = 69.99999618530272``."""
    xgboost = pytest.importorskip("xgboost")
    X, y = rows
    booster = xgboost.XGBClassifier(n_estimators=8, max_depth=3, base_score=0.5).fit(X, y)
    tree = sl.DistilledTreeClassifier(booster, max_leaves=5, random_state=0).fit(X, y)
    certificate = sl.certify(tree, booster, missing=False)
    assert digits_of(certificate) <= 9
    assert sum(value == int(value) for value in certificate.witness.values()) >= 3
    row = np.array([[*certificate.witness.values()]])
    assert certificate.answers == (tree.predict(row)[0], booster.predict(row)[0])
    assert certificate.answers[0] != certificate.answers[1]
    leaf, shown = next(iter(certificate.witnesses.items()))
    assert shown == certificate.witness
    assert tree.tree_.apply(row)[0] == leaf


def test_the_largest_difference_stays_the_same(rows):
    X, _ = rows
    y = X[:, 0] * 1.5 + X[:, 3]
    first, second = (
        sl.load(
            GradientBoostingRegressor(n_estimators=4, max_depth=2, random_state=seed, subsample=0.7).fit(X, y)
        )
        for seed in (0, 1)
    )
    certificate = sl.certify(first, second, missing=False)
    row = np.array([[*certificate.witness.values()]])
    assert abs(first.predict(row)[0] - second.predict(row)[0]) == certificate.max_difference
    assert certificate.max_difference == certificate.max_difference_bound
    assert digits_of(certificate) <= 3


def test_a_number_stays_long_if_every_shorter_one_changes_a_prediction():
    X = np.array([[0.5], [0.5000004], [0.5000008], [1.0]] * 5)
    first, second = (DecisionTreeClassifier().fit(X, y * 5) for y in ([0, 0, 1, 1], [0, 1, 1, 1]))
    certificate = sl.certify(first, second, missing=False)
    assert 0.5000002 < certificate.witness["x0"] <= 0.5000007
