"""XGBoost treats cells that a sparse matrix does not store as missing, also inside of other models."""

import warnings

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from load.pipeline.pipeline_rows import changed_rows, rows_at_thresholds
from load.pipeline.random_pipelines import frame, labels
from load.pipeline.sparse_models import OwnName, SparseDraw
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, OneHotEncoder, StandardScaler

from sightline.exceptions import UnsupportedModelError
from sightline.load import load

SMALL = {"n_estimators": 5, "max_depth": 3, "n_jobs": 1}


def xgb():
    return xgboost.XGBClassifier(**SMALL)


def xgb_numbers():
    return xgboost.XGBRegressor(**SMALL)


def forest():
    return RandomForestClassifier(3, random_state=0)


def light():
    return lightgbm.LGBMClassifier(n_estimators=5, min_child_samples=2, verbose=-1, n_jobs=1)


def vote(*members, voting="soft"):
    return VotingClassifier([(f"m{i}", member) for i, member in enumerate(members)], voting=voting)


CLASSIFIERS = {
    "alone": xgb(),
    "subclass": OwnName(**SMALL),
    "calibrated": CalibratedClassifierCV(xgb(), cv=2),
    "search": GridSearchCV(xgb(), {"max_depth": [2, 3]}, cv=2),
    "inner pipeline": make_pipeline(StandardScaler(with_mean=False), xgb()),
    "bag": BaggingClassifier(xgb(), n_estimators=2, random_state=0),
    "bag of some columns": BaggingClassifier(xgb(), n_estimators=3, max_features=0.6, random_state=0),
    "threshold": FixedThresholdClassifier(xgb(), threshold=0.4),
    "one vs rest": OneVsRestClassifier(xgb()),
    "one vs one": OneVsOneClassifier(xgb()),
    "hard vote": vote(xgb(), xgb(), forest(), voting="hard"),
    "vote with a forest": vote(forest(), xgb()),
    "vote with LightGBM": vote(light(), xgb()),
    "vote of pipelines": vote(forest(), make_pipeline(MaxAbsScaler(), xgb())),
}
REGRESSORS = {
    "alone": xgb_numbers(),
    "vote": VotingRegressor([("a", xgb_numbers()), ("b", xgb_numbers())]),
    "vote with a forest": VotingRegressor(
        [("a", RandomForestRegressor(3, random_state=0)), ("b", xgb_numbers())]
    ),
    "bag": BaggingRegressor(xgb_numbers(), n_estimators=2, random_state=0),
    "transformed": TransformedTargetRegressor(xgb_numbers(), func=np.arcsinh, inverse_func=np.sinh),
}


@pytest.fixture(scope="module")
def towns():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"town": rng.choice(list("abcdefgh"), 300), "n": rng.integers(0, 3, 300).astype(float)})
    number = X["town"].isin(list("ace")) * 1.0 + X["n"] + rng.normal(0, 0.3, 300)
    return X, number, np.digitize(number, [0.7, 2.0])


def sparse_columns():
    parts = [("words", OneHotEncoder(), ["town"]), ("numbers", MaxAbsScaler(), ["n"])]
    return ColumnTransformer(parts, sparse_threshold=1.0)


def assert_same(pipeline, X):
    ensemble = load(pipeline)
    np.testing.assert_array_equal(ensemble.predict(X), np.ravel(pipeline.predict(X)))
    if hasattr(pipeline, "predict_proba"):
        np.testing.assert_allclose(ensemble.predict_proba(X), pipeline.predict_proba(X), rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifier(name, towns):
    X, _, y = towns
    y = y if name == "one vs one" else np.minimum(y, 1)
    assert_same(make_pipeline(sparse_columns(), CLASSIFIERS[name]).fit(X, y), X)
    assert_same(make_pipeline(OneHotEncoder(), CLASSIFIERS[name]).fit(X[["town"]], y), X[["town"]])


@pytest.mark.parametrize("name", REGRESSORS)
def test_regressor(name, towns):
    X, number, _ = towns
    assert_same(make_pipeline(sparse_columns(), REGRESSORS[name]).fit(X, number), X)


def test_frozen(towns):
    X, _, y = towns
    prepare = sparse_columns().fit(X)
    frozen = FrozenEstimator(xgb().fit(prepare.transform(X), np.minimum(y, 1)))
    assert_same(make_pipeline(prepare, frozen).fit(X, np.minimum(y, 1)), X)


def test_stored_zeros_are_zeros():
    # Rounding makes zeros of small numbers, which stay stored. Only what was 0 before is missing.
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"n": rng.choice([0.0, 0.2, -0.2, 1.0, 2.0, -1.0], 200), "town": rng.choice(list("ab"), 200)}
    )
    y = ((X["n"] == 0) ^ (X["n"] > 1)).astype(int)
    columns = ColumnTransformer(
        [("numbers", "passthrough", ["n"]), ("words", OneHotEncoder(), ["town"])], sparse_threshold=1.0
    )
    steps = [columns, FunctionTransformer(np.rint)]
    tiny = X.assign(n=rng.choice([0.0, -0.0, 5e-324, -5e-324, 1e-300], 200))
    for model in (xgb(), vote(forest(), xgb())):
        pipeline = make_pipeline(*steps, model).fit(X, y)
        assert_same(pipeline, X)
        assert_same(pipeline, tiny)


def test_underflow_stays_stored(towns):
    X, _, y = towns
    pipeline = make_pipeline(
        ColumnTransformer(
            [("numbers", "passthrough", ["n"]), ("words", OneHotEncoder(), ["town"])], sparse_threshold=1.0
        ),
        MaxAbsScaler(),
        xgb(),
    ).fit(X.assign(n=10 * X["n"]), np.minimum(y, 1))
    assert_same(pipeline, X.assign(n=np.resize([0.0, -0.0, 5e-324, -5e-324, 10.0], len(X))))


class Contrary(xgboost.XGBClassifier):
    def predict(self, X, **options):
        return 1 - super().predict(X, **options)


def test_own_predictions_are_refused(towns):
    X, _, y = towns
    contrary = BaggingClassifier(Contrary(**SMALL), n_estimators=2, random_state=0)
    with pytest.raises(UnsupportedModelError, match=r"model 0: Cannot load a model of type .*Contrary"):
        load(make_pipeline(OneHotEncoder(), contrary).fit(X, np.minimum(y, 1)))


def fitted(seed):
    rng = np.random.default_rng(seed)
    X = frame(rng).assign(DEBT=np.round(rng.normal(0, 2, 120)))
    y = (labels(rng, X, 2) == "yes").astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipeline = SparseDraw(rng).whole()
        try:
            return pipeline.fit(X, y), X, rng
        except (AttributeError, TypeError, ValueError):
            return None  # Some steps leave no columns, or some models no probabilities.


@pytest.mark.parametrize("first", range(0, 40, 4))
def test_random(first):
    n_rows = 0
    for drawn in filter(None, map(fitted, range(first, first + 4))):
        pipeline, X, rng = drawn
        ensemble = load(pipeline)
        at_thresholds = rows_at_thresholds(ensemble, X, rng)
        blocks = [X, *changed_rows(X, rng)]
        if at_thresholds is not None:
            blocks += [at_thresholds[begin : begin + 50] for begin in range(0, len(at_thresholds), 50)]
        for block in blocks:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    expected = pipeline.predict(block)
                except (AttributeError, TypeError, ValueError):
                    continue
                found = ensemble.predict(block)
            np.testing.assert_array_equal(found, expected)
            n_rows += len(block)
    assert n_rows > 0
