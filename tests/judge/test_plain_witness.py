"""Rows that the search for a difference made up have short numbers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from strategies import at_most, leaf, schema_of, tree_of

import sightline as sl
from sightline.model import ANY_NUMBER
from sightline.table import Feature, Schema


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


@pytest.mark.parametrize("seed", [0, 1, 24])
def test_every_row_is_one_that_the_model_accepts(seed):
    """The search takes the largest number, with which the indicator of a missing value is compared."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.integers(0, 3, (100, 2)).astype(float), columns=["a", "b"])
    X = X.mask(random.random((100, 2)) < 0.1)
    y = random.random(100) < 0.4 + 0.3 * X.a.isna() - 0.3 * X.b.isna()
    for forest, distiller in (
        (RandomForestClassifier, sl.DistilledTreeClassifier),
        (RandomForestRegressor, sl.DistilledTreeRegressor),
    ):
        imputed = make_pipeline(
            SimpleImputer(add_indicator=True), StandardScaler(), forest(3, max_depth=3, random_state=2)
        ).fit(X, y * 1.0)
        tree = distiller(imputed, max_leaves=2, random_state=0).fit(X, y * 1.0)
        certificate = sl.certify(tree, imputed)
        found = pd.DataFrame([*certificate.witnesses.values()], columns=["a", "b"], dtype=float)
        assert len(found)
        assert found.abs().max(axis=None) <= 3
        assert (tree.predict(found) != imputed.predict(found)).all()
        assert tree.tree_.apply(found).tolist() == [*certificate.witnesses]


def test_a_huge_number_stays_if_a_smaller_one_changes_a_prediction():
    schema = schema_of([0])
    first, second = (
        tree_of(at_most(0, bound, leaf(1, 0), leaf(0, 1), shares=(1, 0)), schema) for bound in (1e15, 1e16)
    )
    assert 1e15 < sl.certify(first, second).witness["f0"] <= 1e16


def test_a_date_of_a_row_exists():
    schema = Schema((Feature("day", kind="date"),))
    late = at_most(0, 3.5, leaf(1, 0), leaf(0, 1), shares=(1, 0))
    first, second = (
        tree_of(at_most(0, ANY_NUMBER, known, leaf(1, 0), shares=(0, 1)), schema)
        for known in (late, leaf(1, 0))
    )
    assert str(sl.certify(first, second).witness["day"]) == "1970-01-05"


def with_lines(frame, y, **params):
    return sl.DistilledTreeRegressor(leaf="linear", random_state=0, **params).fit(frame, y)


@pytest.mark.parametrize("max_leaves", [2, 3, 5])
def test_a_date_shows_the_difference_itself(max_leaves):
    """The row named a date on which the models differed less, since a fraction of the day was cut off."""
    random = np.random.default_rng(0)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 30, 100), "D")
    frame = pd.DataFrame({"opened": days, "a": random.integers(0, 6, 100)})
    y = 0.87 * days.day + random.normal(size=100) * 0.01
    first, second = with_lines(frame, y, max_leaves=1), with_lines(frame, y**2 / 20, max_leaves=max_leaves)
    for tolerance in (None, 1.0):
        certificate = sl.certify(first, second, missing=False, tolerance=tolerance)
        row = pd.DataFrame([certificate.to_dict()["witness"]]).assign(
            opened=lambda found: pd.to_datetime(found["opened"])
        )
        assert (first.predict(row)[0], second.predict(row)[0]) == certificate.answers
        assert abs(first.predict(row)[0] - second.predict(row)[0]) == certificate.max_difference
    exact = sl.certify(first, second, missing=False)
    every_day = pd.DataFrame({"opened": pd.date_range("1900-01-01", "2100-01-01"), "a": exact.witness["a"]})
    gap = np.abs(first.predict(every_day) - second.predict(every_day)).max()
    assert exact.max_difference == pytest.approx(gap, rel=1e-9)


def test_thresholds_within_one_day_are_equal():
    schema = Schema((Feature("day", kind="date"),))
    trees = [tree_of(at_most(0, bound, leaf(1, 0), leaf(0, 1)), schema) for bound in (3.0, 3.5, 3.9, 4.0)]
    assert sl.certify(trees[0], trees[1]).equivalent
    assert sl.certify(trees[2], trees[1]).equivalent
    different = sl.certify(trees[2], trees[3])
    assert different.witness == {"day": "1970-01-05"}
    assert sl.Ensemble.average(trees[:3]).predict([["1970-01-04"]]) == trees[0].predict([["1970-01-04"]])
    assert sl.certify(trees[1], sl.Ensemble.average(trees[:3])).equivalent
