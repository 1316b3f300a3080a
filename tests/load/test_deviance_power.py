"""Which deviance a regressor learned to minimize: not every exponential predicts counts or amounts."""

import json
import pickle

import catboost as cb
import lightgbm as lgb
import numpy as np
import pytest
import xgboost as xgb
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    BaggingRegressor,
    ExtraTreesRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
    VotingRegressor,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

import sightline as sl

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(120, 3))
Y = RANDOM.gamma(2, np.exp(0.3 * X[:, 0]))


def xgboost(objective, **options):
    return xgb.XGBRegressor(objective=objective, n_estimators=3, max_depth=2, n_jobs=1, **options)


def lightgbm(objective, **options):
    return lgb.LGBMRegressor(objective=objective, n_estimators=3, n_jobs=1, verbose=-1, **options)


def catboost(loss, kind=cb.CatBoostRegressor):
    options = {"iterations": 3, "depth": 2, "verbose": 0, "thread_count": 1, "allow_writing_files": False}
    return (
        kind({"loss_function": loss, **options})
        if kind is cb.CatBoost
        else kind(loss_function=loss, **options)
    )


def histogram(loss):
    return HistGradientBoostingRegressor(loss=loss, max_iter=3)


def forest(criterion="poisson", kind=RandomForestRegressor):
    return kind(3, criterion=criterion, max_depth=2, random_state=0)


XGBOOST = [
    (xgboost("count:poisson"), 1),
    (xgboost("reg:gamma"), 2),
    (xgboost("reg:tweedie"), 1.5),
    (xgboost("reg:tweedie", tweedie_variance_power=1.3), 1.3),
    (xgboost("reg:squarederror"), None),
    (xgboost("survival:cox"), None),
]
LIGHTGBM = [
    (lightgbm("poisson"), 1),
    (lightgbm("gamma"), 2),
    (lightgbm("tweedie"), 1.5),
    (lightgbm("tweedie", tweedie_variance_power=1.3), 1.3),
    (lightgbm("regression", tweedie_variance_power=1.3), None),
    (lightgbm("cross_entropy_lambda"), None),
]
CATBOOST = [
    (catboost("Poisson"), 1),
    (catboost("Tweedie:variance_power=1.3"), 1.3),
    (catboost("RMSE"), None),
]
# These predict the logarithm of the mean.
SUMS = [(catboost("Poisson", cb.CatBoost), None)]
SKLEARN = [
    (histogram("poisson"), 1),
    (histogram("gamma"), 2),
    (histogram("squared_error"), None),
    (DecisionTreeRegressor(criterion="poisson", max_depth=2), 1),
    (forest(), 1),
    (forest("squared_error"), None),
    (forest(kind=ExtraTreesRegressor), 1),
    (BaggingRegressor(DecisionTreeRegressor(criterion="poisson", max_depth=2), 3, random_state=0), 1),
    (BaggingRegressor(xgboost("reg:gamma"), 2, random_state=0), 2),
    (VotingRegressor([("a", xgboost("count:poisson")), ("b", histogram("poisson"))], weights=[1, 3]), 1),
    (VotingRegressor([("a", xgboost("count:poisson")), ("b", histogram("gamma"))]), None),
    (VotingRegressor([("a", xgboost("count:poisson")), ("b", forest("squared_error"))]), None),
    (make_pipeline(StandardScaler(), histogram("poisson")), 1),
    (TransformedTargetRegressor(histogram("poisson"), func=np.log1p, inverse_func=np.expm1), None),
]


@pytest.mark.parametrize(("model", "power"), [*XGBOOST, *LIGHTGBM, *CATBOOST, *SUMS, *SKLEARN])
def test_objects(model, power):
    y = Y / (Y.max() + 1) if getattr(model, "objective", None) == "cross_entropy_lambda" else Y
    ensemble = sl.load(model.fit(X, y))
    assert ensemble.deviance_power == power
    assert ensemble.about(target="claims").deviance_power == power
    assert pickle.loads(pickle.dumps(ensemble)).deviance_power == power


@pytest.mark.parametrize(("model", "power"), XGBOOST[:4])
@pytest.mark.parametrize("ending", ["json", "ubj"])
def test_files_of_xgboost(model, power, ending, tmp_path):
    model.fit(X, Y).save_model(tmp_path / f"model.{ending}")
    assert sl.load(tmp_path / f"model.{ending}").deviance_power == power


@pytest.mark.parametrize(("model", "power"), LIGHTGBM[:5])
def test_files_of_lightgbm(model, power, tmp_path):
    booster = model.fit(X, Y).booster_
    booster.save_model(tmp_path / "model.txt")
    assert sl.load(tmp_path / "model.txt").deviance_power == power
    assert sl.load(lgb.Booster(model_file=tmp_path / "model.txt")).deviance_power == power
    # The dump does not hold the power.
    (tmp_path / "dump.json").write_text(json.dumps(booster.dump_model()))
    in_dump = None if model.objective == "tweedie" else power
    assert sl.load(tmp_path / "dump.json").deviance_power == in_dump


@pytest.mark.parametrize("stored", ["high", "7", "nan", "1.2]\n[tweedie_variance_power: 1.3"])
def test_powers_that_make_no_sense_are_not_known(stored, tmp_path):
    text = lightgbm("tweedie").fit(X, Y).booster_.model_to_string()
    path = tmp_path / "model.txt"
    path.write_text(text.replace("[tweedie_variance_power: 1.5]", f"[tweedie_variance_power: {stored}]"))
    assert sl.load(path).deviance_power is None


@pytest.mark.parametrize(("model", "power"), CATBOOST)
@pytest.mark.parametrize("ending", ["json", "cbm"])
def test_files_of_catboost(model, power, ending, tmp_path):
    model.fit(X, Y).save_model(str(tmp_path / f"model.{ending}"), format=ending)
    assert sl.load(tmp_path / f"model.{ending}").deviance_power == power


def test_what_is_set_after_fitting_changes_nothing():
    fitted = forest().fit(X, Y).set_params(criterion="squared_error")
    assert sl.load(fitted).deviance_power == 1
    boosted = histogram("gamma").fit(X, Y).set_params(loss="squared_error")
    assert sl.load(boosted).deviance_power == 2


def test_our_files_keep_it(tmp_path):
    ensemble = sl.load(XGBOOST[3][0].fit(X, Y))
    text = ensemble.to_json(tmp_path / "model.json")
    again = sl.read_model(tmp_path / "model.json")
    assert again.deviance_power == 1.3
    assert again.to_json() == text
    assert again.replaced(schema=again.schema).deviance_power == 1.3


def test_files_without_it_are_read_as_before(tmp_path):
    ensemble = sl.load(histogram("squared_error").fit(X, Y))
    assert "deviance_power" not in ensemble.to_json(tmp_path / "model.json")
    assert sl.read_model(tmp_path / "model.json").deviance_power is None
