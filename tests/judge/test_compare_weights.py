"""Weighted rows in a comparison: in training, in every measure and in its words."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, r2_score, roc_auc_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sightline as sl
from sightline.exceptions import DataError, ParameterError
from sightline.judge._methods import TEACHER, built_in_methods
from sightline.lab import LoadedSet
from sightline.lab._protocol import FoldId, Protocol
from sightline.table import Labels, Numbers, Table


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    X = pd.DataFrame({"age": random.integers(18, 80, 120), "power": random.normal(size=120).round(2)})
    weights = pd.Series(random.uniform(0.05, 3, 120), name="exposure")
    return X, np.where(X.age + 20 * random.normal(size=120) < 45, "yes", "no"), weights


def folds(X, y):
    """The folds of a comparison: rows to train on and rows to test."""
    protocol = Protocol(1, 3, seed=0)
    target = Labels.from_any(y) if y.dtype.kind != "f" else Numbers.from_any(y)
    data = LoadedSet("the data", Table.from_any(X), target)
    return [protocol.split(data, FoldId(0, fold)) for fold in range(3)]


def test_methods_learn_from_weighted_rows_and_are_measured_on_them(rows):
    X, y, weights = rows
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    found = sl.compare(
        X,
        y,
        methods=["C4.5 tree"],
        extra={"line": pipeline},
        ensemble=pipeline,
        n_folds=3,
        sample_weight=weights,
    )
    accuracies, balanced, areas = [], [], []
    for train, test in folds(X, y):
        w = weights.to_numpy()
        fitted = make_pipeline(StandardScaler(), LogisticRegression())
        fitted.fit(X.iloc[train], y[train], logisticregression__sample_weight=w[train])
        labels = fitted.predict(X.iloc[test])
        accuracies.append(np.average(labels == y[test], weights=w[test]))
        balanced.append(balanced_accuracy_score(y[test], labels, sample_weight=w[test]))
        scores = fitted.predict_proba(X.iloc[test])[:, 1]
        areas.append(roc_auc_score(y[test] == "yes", scores, sample_weight=w[test]))
    assert found["line"].accuracy == pytest.approx(np.mean(accuracies))
    assert found["line"].balanced_accuracy == pytest.approx(np.mean(balanced))
    assert found["line"].auc == pytest.approx(np.mean(areas))
    assert found["line"].fidelity == found["line"].balanced_fidelity == 1
    tree = found["C4.5 tree"]
    assert tree.accuracy != pytest.approx(
        sl.compare(X, y, methods=["C4.5 tree"], n_folds=3)["C4.5 tree"].accuracy
    )


def test_numbers_are_weighted(rows):
    X, _, weights = rows
    y = X.age + X.power * 10 + 0.5
    booster = GradientBoostingRegressor(n_estimators=5, random_state=0)
    found = sl.compare(X, y, methods=["ISM tree"], ensemble=booster, n_folds=3, sample_weight=weights)
    w, truths = weights.to_numpy(), y.to_numpy()
    scores = []
    for train, test in folds(X, truths):
        fitted = GradientBoostingRegressor(n_estimators=5, random_state=0)
        fitted.fit(X.iloc[train], truths[train], sample_weight=w[train])
        scores.append(r2_score(truths[test], fitted.predict(X.iloc[test]), sample_weight=w[test]))
    assert found[TEACHER].r2 == pytest.approx(np.mean(scores))
    assert found[TEACHER].fidelity == 1
    assert 0 < found["ISM tree"].fidelity < 1


def test_text_and_page_say_how_rows_are_weighted(rows):
    X, y, weights = rows
    found = sl.compare(X, y, n_folds=2, sample_weight=weights)
    left_out = {"nearest cases", "5 stumps"}
    assert left_out <= set(found.left_out)
    assert {result.name for result in found.results} == {
        TEACHER,
        *(method.name for method in built_in_methods() if method.name not in found.left_out),
    }
    for text in (found.to_text(), found.to_html()):
        assert "Rows are weighted by exposure, in training and in every measure." in text
        assert "Left out, because they cannot learn from weighted rows: " in text


def test_weights_decide_what_is_rare_and_the_baseline(rows):
    X, y, _ = rows
    weights = np.where(y == "yes", 0.01, 1.0)
    found = sl.compare(X, y, methods=["C4.5 tree"], n_folds=2, sample_weight=weights)
    share = weights[y == "yes"].sum() / weights.sum()
    assert found.best.measure == "balanced_accuracy"
    assert f"The classes are imbalanced: {share:.1%} of the rows are yes." in found.to_text()
    # Weights that double every row change nothing but the word.
    same, plain = (
        sl.compare(X, y, methods=["C4.5 tree"], n_folds=2, sample_weight=w) for w in (weights * 0 + 2, None)
    )
    assert same["C4.5 tree"].accuracy == pytest.approx(plain["C4.5 tree"].accuracy)


def test_rows_of_weight_0_are_dropped_and_weights_of_a_table_are_used(rows):
    X, y, weights = rows
    zeroed = np.where(np.arange(120) < 20, 0.0, weights)
    few = sl.compare(X[20:], y[20:], methods=["C4.5 tree"], n_folds=2, sample_weight=weights[20:])
    all_rows = sl.compare(X, y, methods=["C4.5 tree"], n_folds=2, sample_weight=zeroed)
    assert all_rows.X.n_rows == 100
    assert all_rows["C4.5 tree"].accuracy == few["C4.5 tree"].accuracy
    table = Table.from_any(X.assign(exposure=zeroed)).with_weights("exposure")
    own = sl.compare(table, y, methods=["C4.5 tree"], n_folds=2)
    assert own["C4.5 tree"].accuracy == few["C4.5 tree"].accuracy
    assert own.row_weights.name == "exposure"


def test_results_of_other_weights_are_not_found(rows, tmp_path):
    X, y, weights = rows
    options = {"methods": ["C4.5 tree"], "n_folds": 2, "results": tmp_path / "results.db"}
    first = sl.compare(X, y, sample_weight=weights, **options)
    assert sl.compare(X, y, **options)["C4.5 tree"].accuracy != first["C4.5 tree"].accuracy


def test_methods_that_cannot_weigh_rows_are_refused_by_name(rows):
    X, y, weights = rows
    with pytest.raises(ParameterError, match="The method 'nearest cases' cannot learn from weighted rows"):
        sl.compare(X, y, methods=["nearest cases"], sample_weight=weights)
    with pytest.raises(ParameterError, match="The method 'neighbors' cannot learn from weighted rows"):
        sl.compare(X, y, extra={"neighbors": KNeighborsClassifier()}, sample_weight=weights)
    with pytest.raises(DataError, match="KNeighborsClassifier does not accept sample_weight"):
        sl.compare(X, y, ensemble=KNeighborsClassifier(), methods=[], sample_weight=weights)
    with pytest.raises(DataError, match="sample_weight"):
        sl.compare(X, y, sample_weight=weights[:5])
    given = sl.load(RandomForestClassifier(3, random_state=0).fit(X, y))
    assert (
        sl.compare(X, y, ensemble=given, methods=[], sample_weight=weights, n_folds=2)[TEACHER].fidelity == 1
    )
