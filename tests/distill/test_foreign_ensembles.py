"""Distillers work on loaded models of every library."""

import catboost
import lightgbm
import numpy as np
import pytest
import xgboost
from library_versions import dart
from sklearn.datasets import load_iris

import sightline as sl

pytestmark = pytest.mark.filterwarnings("ignore:X does not have valid feature names")


def models(n_classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < n_classes], y[y < n_classes]
    coded = X.copy()
    coded[:, 3] = np.round(coded[:, 3] * 2)
    yield xgboost.XGBClassifier(n_estimators=3, max_depth=2, n_jobs=1).fit(X, y), X
    yield (
        xgboost.XGBClassifier(
            n_estimators=3,
            max_depth=2,
            n_jobs=1,
            enable_categorical=True,
            feature_types=["q", "q", "q", "c"],
            max_cat_to_onehot=1,
            **dart(rate_drop=0.1),
        ).fit(coded, y),
        coded,
    )
    small = {"n_estimators": 3, "num_leaves": 4, "verbose": -1, "n_jobs": 1, "min_child_samples": 5}
    yield lightgbm.LGBMClassifier(zero_as_missing=True, **small).fit(X - 3, y), X - 3
    yield lightgbm.LGBMClassifier(**small, cat_smooth=1).fit(coded, y, categorical_feature=[3]), coded
    common = {"iterations": 3, "depth": 2, "verbose": 0, "thread_count": 1, "allow_writing_files": False}
    yield catboost.CatBoostClassifier(**common).fit(X, y), X
    yield catboost.CatBoostClassifier(grow_policy="Lossguide", **common).fit(X, y), X


CASES = [
    pytest.param(model, X, id=f"{type(model).__name__}-{index}-{n_classes}")
    for n_classes in (2, 3)
    for index, (model, X) in enumerate(models(n_classes))
]


@pytest.mark.parametrize(("model", "X"), CASES)
def test_ism(model, X):
    tree = sl.ISMClassifier(model, max_leaves=6).fit(X)
    assert np.mean(tree.predict(X) == np.ravel(model.predict(X))) > 0.8


@pytest.mark.parametrize(("model", "X"), CASES)
def test_merged_models_are_proved_equal(model, X):
    tree = sl.merge(model)
    assert tree.complete
    np.testing.assert_array_equal(tree.predict(X), np.ravel(model.predict(X)))
    assert sl.certify(tree, model).equivalent
    small = sl.ISMClassifier(model, max_leaves=2).fit(X)
    certificate = sl.certify(small, model)
    assert certificate.equivalent in (True, False)


@pytest.mark.parametrize("order", ["given", "reversed"])
def test_columns_keep_blanks_that_lightgbm_stores_as_underscores(order, tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = lightgbm.LGBMClassifier(n_estimators=3, num_leaves=4, verbose=-1, n_jobs=1).fit(X, y)
    rows = X if order == "given" else X[X.columns[::-1]]
    ensemble = sl.load(model)
    assert ensemble.feature_names[0] == "sepal_length_(cm)"
    np.testing.assert_array_equal(ensemble.predict(rows), model.predict(X))
    assert str(ensemble.explain(rows.iloc[0])) == str(ensemble.explain(X.to_numpy()[0]))
    tree = sl.ISMClassifier(model, max_leaves=6).fit(rows)
    assert tree.feature_names_in_.tolist() == list(X.columns)
    assert "petal length (cm) <= " in tree.to_text()
    np.testing.assert_array_equal(tree.predict(rows), tree.predict(X))
    assert str(tree.explain(rows.iloc[0])) == str(tree.explain(list(X.to_numpy()[0])))
    assert sl.certify(tree, model, rows).equivalent == sl.certify(model, tree, rows).equivalent
    report = sl.report(tree, rows, y, tmp_path / "report.html", ensemble=model)
    assert report.metrics["fidelity"]["share"] > 0.8


@pytest.mark.parametrize(("model", "X"), CASES[:6:2])
def test_distilled_trees(model, X):
    tree = sl.DistilledTreeClassifier(model, max_leaves=6, random_state=0).fit(X)
    assert np.mean(tree.predict(X) == np.ravel(model.predict(X))) > 0.8


@pytest.mark.parametrize(("model", "X"), CASES)
def test_loaded_models_are_stored_and_shown(model, X, tmp_path):
    ensemble = sl.load(model)
    ensemble.to_json(tmp_path / "model")
    again = sl.load(tmp_path / "model")
    assert again.to_json() == ensemble.to_json()
    np.testing.assert_array_equal(again.scores(X), ensemble.scores(X))
    assert ensemble.to_text()
    assert ensemble.trees[0].to_text()


def test_a_bound_on_whole_numbers_excludes_the_number_that_it_names():
    """XGBoost asks ``x < 2`` in single precision; the number before 2 has too many digits to be read."""
    X = np.arange(60.0).reshape(-1, 1) % 5
    model = xgboost.XGBClassifier(n_estimators=1, max_depth=1, n_jobs=1).fit(X, X[:, 0] >= 2)
    tree = sl.DistilledTreeClassifier(model, max_leaves=2, random_state=0).fit(X)
    assert tree.tree_.core.threshold[0] == np.nextafter(2, 0)
    assert tree.to_text().splitlines()[3].startswith("├─ x0 < 2: 0 (")
