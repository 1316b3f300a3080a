"""Regressors of every library and objective: their own numbers at every threshold and one ulp around it.

Rows are asked in both precisions, and every number is compared bit by bit. That is possible for the
exponentials too: XGBoost and LightGBM call those of the machine's C library, as we do, CatBoost computes
its own, which we repeat, and numpy's are computed by numpy.
"""

import catboost as cb
import lightgbm as lgb
import numpy as np
import pandas as pd
import pytest
import xgboost as xgb
from boosted_tests import rows_at_tests
from library_versions import BINS, dart
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    AdaBoostRegressor,
    BaggingRegressor,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
    StackingRegressor,
    VotingRegressor,
)
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor

from sightline.exceptions import UnsupportedModelError
from sightline.load import load
from sightline.model import parse_model

_rng = np.random.default_rng(0)
X = _rng.normal(size=(150, 4))
X[:, 2] = X[:, 2].round(1)
Y = np.abs(X[:, 0] + X[:, 1] * X[:, 2]) + 0.1 + _rng.random(150)
SHARE = Y / (Y.max() + 1)
THREE = np.digitize(Y, [1, 2])
TWO_NUMBERS = np.column_stack([Y, Y])
OTHER = _rng.normal(scale=2, size=(60, 4))


def xgboost(objective="reg:squarederror", **options):
    return xgb.XGBRegressor(objective=objective, n_estimators=4, max_depth=3, n_jobs=1, **options)


def lightgbm(objective="regression", **options):
    return lgb.LGBMRegressor(
        objective=objective, n_estimators=4, num_leaves=6, n_jobs=1, verbose=-1, **options
    )


def catboost(loss="RMSE", kind=cb.CatBoostRegressor, **options):
    small = {"iterations": 4, "depth": 3, "verbose": 0, "thread_count": 1, "allow_writing_files": False}
    return (
        kind({"loss_function": loss} | small | options)
        if kind is cb.CatBoost
        else kind(loss_function=loss, **small, **options)
    )


def forest(**options):
    return RandomForestRegressor(3, max_depth=4, random_state=0, **options)


def histogram(loss="squared_error", **options):
    return HistGradientBoostingRegressor(loss=loss, max_iter=4, max_leaf_nodes=6, **options)


def transformed(regressor, inverse, function=None):
    return TransformedTargetRegressor(regressor, func=function, inverse_func=inverse, check_inverse=False)


def scaled_target(regressor, transformer):
    return TransformedTargetRegressor(regressor, transformer=transformer, check_inverse=False)


XGBOOST = {
    f"XGBoost {objective} {options}": (xgboost(objective, **options), SHARE if "logistic" in objective else Y)
    for objective, all_options in {
        "reg:squarederror": [{}, dart(rate_drop=0.5), {"base_score": 3.7}],
        "reg:squaredlogerror": [{}],
        "reg:absoluteerror": [{}],
        "reg:pseudohubererror": [{}],
        "reg:quantileerror": [{"quantile_alpha": 0.3}],
        "count:poisson": [{}, dart(rate_drop=0.5), {"base_score": 3.7}],
        "reg:gamma": [{}, {"num_parallel_tree": 2, "subsample": 0.7}],
        "reg:tweedie": [{}, {"tweedie_variance_power": 1.2}],
        "reg:logistic": [{}, {"base_score": 0.1}],
        "survival:cox": [{}],
    }.items()
    for options in all_options
}

LIGHTGBM = {
    f"LightGBM {objective} {options}": (
        lightgbm(objective, **options),
        SHARE if objective.startswith("cross") else Y,
    )
    for objective in (
        "regression", "regression_l1", "huber", "fair", "quantile", "mape", "poisson", "gamma", "tweedie",
        "cross_entropy", "cross_entropy_lambda",
    )
    for options in (
        {},
        {"boosting_type": "dart", "drop_seed": 1},
        {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.5},
    )
} | {"LightGBM reg_sqrt": (lightgbm(reg_sqrt=True), Y - 1)}  # fmt: skip

CATBOOST = {
    f"CatBoost {loss} {kind.__name__}": (catboost(loss, kind), Y)
    for loss in (
        "RMSE", "MAE", "Quantile:alpha=0.3", "LogLinQuantile", "Poisson", "Tweedie:variance_power=1.5",
        "Huber:delta=1", "MAPE", "Lq:q=3", "Expectile:alpha=0.3", "LogCosh", "RMSPE", "Cox",
    )
    for kind in (cb.CatBoostRegressor, cb.CatBoost)
}  # fmt: skip

SKLEARN = {
    "DecisionTree": (DecisionTreeRegressor(max_depth=5), Y),
    "DecisionTree poisson": (DecisionTreeRegressor(max_depth=5, criterion="poisson"), Y),
    "ExtraTree": (ExtraTreeRegressor(max_depth=5, random_state=0), Y),
    "RandomForest": (forest(), Y),
    "RandomForest absolute_error": (forest(criterion="absolute_error"), Y),
    "RandomForest friedman_mse": (forest(criterion="squared_error", max_features=2), Y),
    "RandomForest poisson": (forest(criterion="poisson"), Y),
    "ExtraTrees": (ExtraTreesRegressor(3, max_depth=5, random_state=0), Y),
    "Bagging": (BaggingRegressor(n_estimators=3, max_features=0.6, random_state=0), Y),
    "Bagging of Poisson": (BaggingRegressor(xgboost("count:poisson"), 3, random_state=0), Y),
    "AdaBoost": (AdaBoostRegressor(n_estimators=5, random_state=0), Y),
    "Voting": (VotingRegressor([("a", forest()), ("b", xgboost("count:poisson"))], weights=[1, 3]), Y),
    "Voting in single precision": (
        VotingRegressor([("a", xgboost()), ("b", xgboost("count:poisson"))]),
        Y,
    ),
    "GridSearchCV": (GridSearchCV(forest(), {"max_depth": [2, 3]}, cv=2), Y),
    "Pipeline": (make_pipeline(StandardScaler(), xgboost("reg:gamma")), Y),
    "Pipeline of HistGradientBoosting": (make_pipeline(RobustScaler(), histogram("poisson")), Y),
} | {
    f"GradientBoosting {loss}": (GradientBoostingRegressor(loss=loss, n_estimators=4, random_state=0), Y)
    for loss in ("squared_error", "absolute_error", "huber", "quantile")
} | {
    f"HistGradientBoosting {loss}": (histogram(loss, quantile=0.3), Y)
    for loss in ("squared_error", "absolute_error", "gamma", "poisson", "quantile")
}  # fmt: skip

_PREDICT_IN = {"double": forest(), "single": xgboost()}
FUNCTIONS = {
    "expm1": (np.log1p, np.expm1),
    "exp": (np.log, np.exp),
    "exp2": (np.log2, np.exp2),
    "square": (np.sqrt, np.square),
    "sqrt": (np.square, np.sqrt),
    "log": (np.exp, np.log),
    "log1p": (np.expm1, np.log1p),
    "sinh": (np.arcsinh, np.sinh),
    "negative": (np.negative, np.negative),
    "nothing": (None, None),
}
SCALERS = {
    "StandardScaler": StandardScaler(),
    "no mean": StandardScaler(with_mean=False),
    "MinMaxScaler": MinMaxScaler((1, 3)),
    "MaxAbsScaler": MaxAbsScaler(),
    "RobustScaler": RobustScaler(),
    "QuantileTransformer": QuantileTransformer(n_quantiles=30),
    "normal quantiles": QuantileTransformer(n_quantiles=30, output_distribution="normal"),
    "PowerTransformer": PowerTransformer(),
    "box-cox": PowerTransformer(method="box-cox", standardize=False),
    "two transformers": make_pipeline(FunctionTransformer(np.log1p, np.expm1), StandardScaler()),
}
TRANSFORMED = (
    {
        f"{inverse} in {precision}": (transformed(regressor, functions[1], functions[0]), Y)
        for inverse, functions in FUNCTIONS.items()
        for precision, regressor in _PREDICT_IN.items()
    }
    | {
        f"{name} in {precision}": (scaled_target(regressor, scaler), Y)
        for name, scaler in SCALERS.items()
        for precision, regressor in _PREDICT_IN.items()
    }
    | {
        "of a pipeline": (
            transformed(make_pipeline(StandardScaler(), histogram("poisson")), np.expm1, np.log1p),
            Y,
        ),
        "in a pipeline": (
            make_pipeline(MinMaxScaler(), transformed(lightgbm("poisson"), np.expm1, np.log1p)),
            Y,
        ),
        "in a search": (
            GridSearchCV(transformed(forest(), np.expm1, np.log1p), {"regressor__max_depth": [2, 3]}, cv=2),
            Y,
        ),
        "in a vote": (VotingRegressor([("a", transformed(forest(), np.exp, np.log)), ("b", forest())]), Y),
    }
)


def assert_same_numbers(ensemble, predict, *, special=True, singles=True):
    """Compare numbers at every threshold and beside it, in double and in single precision."""
    rows = X
    at_tests = rows_at_tests(ensemble, np.concatenate([rows, OTHER]))
    if not special:
        at_tests = at_tests[np.isfinite(at_tests).all(axis=1) & (np.abs(at_tests) < 1e20).all(axis=1)]
    blocks = [rows, at_tests]
    if singles:
        blocks += [rows.astype(np.float32), at_tests.astype(np.float32)]
    for asked in blocks:
        expected = np.ravel(predict(asked))
        found = ensemble.predict(asked)
        np.testing.assert_array_equal(found, expected.astype(np.float64))


@pytest.mark.parametrize("name", list(XGBOOST | LIGHTGBM | CATBOOST))
def test_boosters(name):
    model, y = (XGBOOST | LIGHTGBM | CATBOOST)[name]
    model.fit(X, y)
    assert_same_numbers(load(model), model.predict)


@pytest.mark.parametrize("name", list(SKLEARN | TRANSFORMED))
@pytest.mark.filterwarnings("ignore:n_quantiles")
def test_sklearn(name):
    model, y = (SKLEARN | TRANSFORMED)[name]
    model.fit(X, y)
    # Scalers in front compute in the precision of the rows, and pipelines are followed in double.
    in_double = hasattr(model, "named_steps") or hasattr(getattr(model, "regressor_", None), "named_steps")
    assert_same_numbers(load(model), model.predict, special=False, singles=not in_double)


@pytest.mark.parametrize("objective", ["binary:logitraw", "survival:aft", "count:poisson"])
def test_boosters_of_xgboost(objective, tmp_path):
    data = xgb.DMatrix(X, THREE > 0 if objective == "binary:logitraw" else Y)
    if objective == "survival:aft":
        data.set_float_info("label_lower_bound", Y)
        data.set_float_info("label_upper_bound", 1.5 * Y)
    booster = xgb.train({"objective": objective, "nthread": 1, "max_depth": 3}, data, 4)
    booster.save_model(tmp_path / "model.json")
    for model in (booster, tmp_path / "model.json"):
        assert_same_numbers(load(model), booster.inplace_predict)


@pytest.mark.parametrize("loss", ["RMSE", "Poisson"])
def test_scales_of_catboost(loss, tmp_path):
    model = catboost(loss).fit(X, Y)
    model.set_scale_and_bias(0.3, 0.7)
    assert_same_numbers(load(model), model.predict)
    model.save_model(str(tmp_path / "model.cbm"))
    assert_same_numbers(load(tmp_path / "model.cbm"), model.predict)


@pytest.mark.parametrize("model", [xgboost("count:poisson"), catboost("Poisson"), histogram("gamma")])
def test_stored_ensembles_predict_the_same(model):
    ensemble = load(model.fit(X, Y))
    np.testing.assert_array_equal(
        parse_model(ensemble.to_json(), "model").predict(OTHER), ensemble.predict(OTHER)
    )


@pytest.mark.parametrize(
    "options", [{}, {"sigmoid": 2.0}, {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.5}]
)
def test_one_vs_rest_of_lightgbm(options):
    model = lgb.LGBMClassifier(objective="multiclassova", n_estimators=4, n_jobs=1, verbose=-1, **options)
    assert_same_classes(model.fit(X, THREE))


def test_cross_entropy_of_lightgbm():
    model = lgb.LGBMClassifier(objective="cross_entropy", n_estimators=4, n_jobs=1, verbose=-1)
    assert_same_classes(model.fit(X, THREE > 0))


def test_one_vs_rest_of_catboost():
    assert_same_classes(catboost("MultiClassOneVsAll", cb.CatBoostClassifier).fit(X, THREE))


def test_hinge_of_xgboost():
    assert_same_classes(xgb.XGBClassifier(objective="binary:hinge", n_estimators=4).fit(X, THREE > 0))


def assert_same_classes(model):
    ensemble = load(model)
    for rows in (X, OTHER, rows_at_tests(ensemble, OTHER)):
        np.testing.assert_array_equal(ensemble.predict(rows), np.ravel(model.predict(rows)))
        np.testing.assert_array_equal(ensemble.predict_proba(rows), model.predict_proba(rows))


_RANKS = "ranks the rows of a group, and its scores are not predictions, so it is not supported."
_SEVERAL = "predicts several numbers per row. Supported: 1."


@pytest.mark.parametrize(
    ("model", "target", "sentence"),
    [
        (xgboost("reg:quantileerror", quantile_alpha=[0.1, 0.9]), Y, "has 2 outputs per row. Supported: 1."),
        (xgboost(), TWO_NUMBERS, "has 2 outputs per row. Supported: 1."),
        (xgboost("rank:pairwise"), THREE, f"the objective 'rank:pairwise' {_RANKS}"),
        (lightgbm(linear_tree=True), Y, "has linear functions in its leaves, which are not supported."),
        (catboost("MultiRMSE"), TWO_NUMBERS, f"the loss 'MultiRMSE' {_SEVERAL}"),
        (catboost("MultiQuantile:alpha=0.2,0.5"), Y, f"the loss 'MultiQuantile' {_SEVERAL}"),
        (catboost("RMSEWithUncertainty"), Y, f"the loss 'RMSEWithUncertainty' {_SEVERAL}"),
        (forest(), TWO_NUMBERS, "has 2 outputs per row. Supported: 1."),
        (MultiOutputRegressor(forest()), TWO_NUMBERS, "it gives a row several numbers."),
        (StackingRegressor([("a", forest())], cv=2), Y, "decides. sl.BlackBox takes any model."),
        (
            transformed(forest(), np.tanh, np.arctanh),
            SHARE,
            "TransformedTargetRegressor: its inverse_func is 'tanh'. Supported: np.exp, ",
        ),
        (
            scaled_target(forest(), FunctionTransformer(inverse_func=np.exp, inv_kw_args={"where": True})),
            SHARE,
            "its inverse_func has arguments (inv_kw_args), which are not supported. Use sl.BlackBox(model).",
        ),
        (
            scaled_target(forest(), KBinsDiscretizer(3, encode="ordinal", **BINS)),
            Y,
            "KBinsDiscretizer, whose inverse is not supported.",
        ),
        (
            transformed(AdaBoostRegressor(n_estimators=3), np.exp, np.log),
            Y,
            "TransformedTargetRegressor: AdaBoostRegressor predicts the median of its trees",
        ),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else "",
)
@pytest.mark.filterwarnings("ignore:A column-vector y")
def test_refusals(model, target, sentence):
    with pytest.raises(UnsupportedModelError) as caught:
        load(model.fit(X, target))
    assert sentence in str(caught.value)


def test_an_inverse_that_the_library_computes_in_another_way_is_refused(monkeypatch):
    model = scaled_target(forest(), StandardScaler()).fit(X, Y)
    monkeypatch.setattr(StandardScaler, "inverse_transform", lambda self, x: x * self.scale_ + 2 * self.mean_)
    with pytest.raises(UnsupportedModelError, match="inverts a StandardScaler in an unknown way"):
        load(model)


def test_ranks_of_lightgbm_are_refused():
    model = lgb.LGBMRanker(n_estimators=2, verbose=-1).fit(X, THREE, group=[50, 100])
    with pytest.raises(UnsupportedModelError, match="ranks the rows of a group"):
        load(model.booster_)


@pytest.mark.parametrize("objective", ["count:poisson", "reg:gamma"])
@pytest.mark.parametrize(
    "options",
    [
        {"early_stopping_rounds": 2, "learning_rate": 0.9},
        {"early_stopping_rounds": 2, "learning_rate": 0.9, **dart(rate_drop=0.4)},
        {"monotone_constraints": "(1,-1,0,0)"},
    ],
)
def test_options_of_xgboost(objective, options):
    holes = np.where(_rng.random(X.shape) < 0.1, np.nan, X)
    model = xgboost(objective, **options).set_params(n_estimators=30)
    stops = {"eval_set": [(holes[100:], Y[100:])]} if "early_stopping_rounds" in options else {}
    model.fit(holes[:100], Y[:100], verbose=False, **stops)
    assert not stops or model.best_iteration < 29
    assert_same_numbers(load(model), model.predict)


@pytest.mark.parametrize(
    "model",
    [
        xgboost("reg:tweedie", enable_categorical=True, max_cat_to_onehot=1),
        lightgbm("poisson", min_data_per_group=2, cat_smooth=1),
        histogram("poisson", categorical_features="from_dtype"),
    ],
)
def test_categories(model):
    frame = pd.DataFrame({"a": X[:, 0], "k": pd.Categorical(_rng.choice(list("uvwx"), len(X)))})
    model.fit(frame, np.exp(frame["a"]) + (frame["k"] == "u"))
    np.testing.assert_array_equal(load(model).predict(frame), model.predict(frame))
