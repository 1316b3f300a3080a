"""Each supported transformer in a pipeline of its own, with its options."""

import warnings

import lightgbm
import numpy as np
import pandas as pd
import polars as pl
import pytest
import xgboost
from imblearn.over_sampling import RandomOverSampler
from imblearn.pipeline import make_pipeline as make_imblearn_pipeline
from library_versions import BINS
from load.pipeline import random_pipelines
from load.pipeline.pipeline_rows import assert_same_answers
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest, SelectPercentile, VarianceThreshold
from sklearn.frozen import FrozenEstimator
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline, make_union
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)
from sklearn.tree import DecisionTreeClassifier

from sightline.exceptions import DataError, UnsupportedModelError
from sightline.load import load

NUMBERS = ["age", "INCOME", "DEBT", "CODE"]
POSITIVE = ["age", "INCOME", "CODE"]
CATEGORIES = ["purpose", "REGION"]


@pytest.fixture
def X():  # noqa: N802 - as everywhere in scikit-learn
    return random_pipelines.frame(np.random.default_rng(7))


@pytest.fixture
def y(X):
    return random_pipelines.labels(np.random.default_rng(8), X, 2)


def forest():
    return RandomForestClassifier(4, max_depth=5, random_state=0)


def assert_follows(pipeline, X):
    ensemble = load(pipeline)
    assert assert_same_answers(ensemble, pipeline, X, np.random.default_rng(0)) > len(X)
    return ensemble


NUMERIC = {
    "standard": StandardScaler(),
    "standard in place": StandardScaler(copy=False),
    "min max clipped": MinMaxScaler((-1, 3), clip=True),
    "max abs": MaxAbsScaler(),
    "robust": RobustScaler(quantile_range=(10, 90), unit_variance=True),
    "Yeo-Johnson": PowerTransformer(),
    "Yeo-Johnson as it is": PowerTransformer(standardize=False),
    "quantiles": QuantileTransformer(n_quantiles=20),
    "normal quantiles": QuantileTransformer(n_quantiles=50, output_distribution="normal"),
    "indicator": SimpleImputer(add_indicator=True),
    "median": SimpleImputer(strategy="median"),
    "most frequent": SimpleImputer(strategy="most_frequent"),
    "constant": SimpleImputer(strategy="constant", fill_value=-5),
    "a number is missing": make_pipeline(
        SimpleImputer(strategy="constant", fill_value=1.0),
        SimpleImputer(missing_values=1.0, add_indicator=True),
    ),
    "marks": make_union(MissingIndicator(), FunctionTransformer()),
    "marks of all": make_union(MissingIndicator(features="all"), "passthrough"),
    "ordinal bins": make_pipeline(SimpleImputer(), KBinsDiscretizer(4, encode="ordinal", **BINS)),
    "one-hot bins": make_pipeline(SimpleImputer(), KBinsDiscretizer(4, **BINS)),
    "dense bins": make_pipeline(
        SimpleImputer(), KBinsDiscretizer(4, encode="onehot-dense", strategy="uniform", **BINS)
    ),
    "encoded bins": make_pipeline(
        SimpleImputer(),
        KBinsDiscretizer(3, encode="ordinal", **BINS),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    ),
    "scaled bins": make_pipeline(
        RobustScaler(), SimpleImputer(), KBinsDiscretizer(4, encode="onehot-dense", **BINS), StandardScaler()
    ),
    "binarizer": make_pipeline(SimpleImputer(), Binarizer(threshold=30)),
    "nothing": FunctionTransformer(),
    "float32": FunctionTransformer(np.float32),
    "as float32": FunctionTransformer(np.asarray, kw_args={"dtype": "float32"}),
    "clip": FunctionTransformer(np.clip, kw_args={"a_min": 2, "a_max": 900.5}),
    "negative": FunctionTransformer(np.negative, validate=False),
    "absolute": FunctionTransformer(np.abs),
    "square": FunctionTransformer(np.square),
    "round": FunctionTransformer(np.round, kw_args={"decimals": 1}),
    "cbrt": FunctionTransformer(np.cbrt),
    "validated": make_pipeline(SimpleImputer(), FunctionTransformer(np.cbrt, validate=True)),
    "float32 behind a scaler": make_pipeline(
        StandardScaler(), FunctionTransformer(np.float32), MinMaxScaler()
    ),
    "squares of scaled": make_pipeline(
        StandardScaler(), FunctionTransformer(np.square), FunctionTransformer(np.negative)
    ),
    "frozen": FrozenEstimator(StandardScaler()),
    "weighted union": FeatureUnion(
        [("a", StandardScaler()), ("b", SimpleImputer()), ("c", "drop"), ("d", "passthrough")],
        transformer_weights={"a": -0.3, "d": 3},
    ),
}


@pytest.mark.parametrize("name", NUMERIC)
def test_numbers(name, X, y):
    step = NUMERIC[name]
    if isinstance(step, FrozenEstimator):
        step = FrozenEstimator(step.estimator.fit(X[NUMBERS]))
    model = HistGradientBoostingClassifier(max_iter=4, min_samples_leaf=4)
    if "bins" in name:
        model = forest()
    assert_follows(make_pipeline(step, model).fit(X[NUMBERS], y), X[NUMBERS])


@pytest.mark.parametrize("strategy", ["constant", "most_frequent", "median"])
@pytest.mark.parametrize("is_encoded", [False, True])
def test_number_that_stands_for_a_missing_value(strategy, is_encoded, X, y):
    rows = X[["age", "stars"]].copy()
    rows.loc[::7, "stars"] = -999
    fill = SimpleImputer(missing_values=-999, strategy=strategy)
    encode = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    steps = make_column_transformer(
        (fill, ["age", "stars"]), *([(encode, ["stars"])] if is_encoded else []), remainder="drop"
    )
    ensemble = assert_follows(make_pipeline(steps, forest()).fit(rows, y), rows)
    assert ensemble.schema.features[1].ignored is False
    encoded = make_pipeline(fill, encode, forest()).fit(rows[["stars"]], y)
    np.testing.assert_array_equal(
        load(encoded).predict_proba(rows[["stars"]]), encoded.predict_proba(rows[["stars"]])
    )


@pytest.mark.parametrize(
    "function", [np.log, np.log1p, np.log2, np.log10, np.sqrt, np.expm1, np.exp2], ids=str
)
def test_functions_of_positive_numbers(function, X, y):
    rows = X[POSITIVE] / (300 if "exp" in str(function) else 1)
    model = HistGradientBoostingClassifier(max_iter=4, min_samples_leaf=4)
    assert_follows(make_pipeline(FunctionTransformer(function), model).fit(rows, y), rows)


@pytest.mark.parametrize("seed", [2, 4, 10])
def test_quantiles_that_are_rounded_out_of_order(seed):
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(
        {
            "a": rng.normal(0, 10, 240).round(1),
            "b": rng.lognormal(3, 1, 240).round(2),
            "c": rng.normal(size=240),
        }
    )
    y = rows["a"] / 10 + np.log(rows["b"]) - 3 + rng.normal(0, 0.5, 240) > 0
    quantiles = QuantileTransformer(n_quantiles=40, output_distribution="normal")
    pipeline = make_pipeline(quantiles, RandomForestClassifier(8, random_state=0)).fit(rows, y)
    assert_follows(pipeline, rows)


@pytest.mark.parametrize("encode", ["ordinal", "onehot"])
def test_bins_in_single_precision(encode, X, y):
    bins = KBinsDiscretizer(6, encode=encode, strategy="uniform", dtype=np.float32, **BINS)
    # Edges between numbers of single precision: some are rounded up, some down.
    rows = X[["age", "stars"]] / 7
    assert_follows(make_pipeline(bins, forest()).fit(rows, y), rows)


def test_box_cox(X, y):
    pipeline = make_pipeline(PowerTransformer(method="box-cox"), forest())
    assert_follows(pipeline.fit(X[POSITIVE], y), X[POSITIVE])


ENCODERS = {
    "one-hot": OneHotEncoder(handle_unknown="ignore"),
    "refuses unknown": OneHotEncoder(),
    "drops first": OneHotEncoder(drop="first", sparse_output=False),
    "drops one": OneHotEncoder(drop=["car", "s"], handle_unknown="ignore"),
    "rare together": OneHotEncoder(min_frequency=20, handle_unknown="infrequent_if_exist"),
    "at most three": OneHotEncoder(max_categories=3, handle_unknown="infrequent_if_exist"),
    "ordinal": OrdinalEncoder(),
    "unknown code": OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
    "unknown is missing": OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan),
    "missing code": OrdinalEncoder(encoded_missing_value=7),
    "rare codes": OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2, max_categories=3
    ),
    "target": TargetEncoder(),
    "filled": make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")),
    "filled with a word": make_pipeline(
        SimpleImputer(strategy="constant", fill_value="?", add_indicator=False),
        OneHotEncoder(handle_unknown="ignore"),
    ),
    "a word is missing": make_pipeline(
        SimpleImputer(strategy="constant", fill_value="?"),
        SimpleImputer(missing_values="?", strategy="most_frequent"),
        OneHotEncoder(handle_unknown="ignore"),
    ),
    "scaled codes": make_pipeline(
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), StandardScaler()
    ),
}


@pytest.mark.parametrize("name", ENCODERS)
def test_categories(name, X, y):
    pipeline = make_pipeline(ENCODERS[name], DecisionTreeClassifier(max_depth=6, random_state=0))
    ensemble = assert_follows(pipeline.fit(X[CATEGORIES], y), X[CATEGORIES])
    assert all(feature.is_nominal for feature in ensemble.schema.features)


@pytest.mark.parametrize(
    "encode", [OneHotEncoder(), OneHotEncoder(handle_unknown="ignore"), OrdinalEncoder()]
)
@pytest.mark.parametrize("strategy", ["constant", "most_frequent"])
def test_text_that_stands_for_a_missing_value(strategy, encode, X, y):
    """The imputer takes the text, which the encoder behind it never sees, and refuses NaN."""
    rows = X[["purpose"]].replace("tools", "?").astype(object)
    fill = SimpleImputer(missing_values="?", strategy=strategy, fill_value="car")
    alone = make_pipeline(fill, encode)
    for steps in (alone, make_union(alone, OrdinalEncoder())):
        pipeline = make_pipeline(steps, forest()).fit(rows, y)
        np.testing.assert_array_equal(load(pipeline).predict_proba(rows), pipeline.predict_proba(rows))


def test_text_that_one_part_replaces_and_another_does_not_know(X, y):
    fill = SimpleImputer(missing_values="?", strategy="most_frequent")
    replaced, known = make_pipeline(fill, OneHotEncoder()), OneHotEncoder()
    for parts in ((replaced, known), (known, replaced)):
        ensemble = load(make_pipeline(make_union(*parts), forest()).fit(X[["purpose"]], y))
        with pytest.raises(DataError, match=r"holds '\?' at row 0, which Ensemble does not know and refuses"):
            ensemble.predict(pd.DataFrame({"purpose": ["?"]}, dtype=object))


def test_text_that_fills_a_column_of_numbers(X, y):
    """A frame of nullable numbers becomes objects, which the imputer fills with text."""
    rows = X[["stars", "age", "purpose"]].astype({"stars": "Int64"})
    encode = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    parts = make_column_transformer(("passthrough", ["stars", "age"]), (encode, ["stars", "purpose"]))
    pipeline = make_pipeline(parts, SimpleImputer(strategy="constant"), forest()).fit(rows, y)
    np.testing.assert_array_equal(load(pipeline).predict(rows), pipeline.predict(rows))


def test_target_encoder_of_three_classes(X):
    y = random_pipelines.labels(np.random.default_rng(8), X, 3)
    assert_follows(make_pipeline(TargetEncoder(), forest()).fit(X[CATEGORIES], y), X[CATEGORIES])


def test_column_of_numbers_used_as_number_and_as_category(X, y):
    union = make_union(OneHotEncoder(handle_unknown="ignore", sparse_output=False), SimpleImputer())
    ensemble = assert_follows(
        make_pipeline(union, forest()).fit(X[["stars", "CODE"]], y), X[["stars", "CODE"]]
    )
    assert not any(feature.is_nominal for feature in ensemble.schema.features)


def mixed(remainder="drop", **options):
    return ColumnTransformer(
        [
            ("num", make_pipeline(SimpleImputer(), StandardScaler()), ["age", "DEBT"]),
            ("cat", OneHotEncoder(handle_unknown="ignore"), CATEGORIES),
        ],
        remainder=remainder,
        **options,
    )


@pytest.mark.parametrize(
    "model",
    [
        forest(),
        xgboost.XGBClassifier(n_estimators=4, n_jobs=1),
        lightgbm.LGBMClassifier(n_estimators=4, min_child_samples=4, verbose=-1, n_jobs=1),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("sparse_threshold", [0, 1])
def test_sparse_and_dense(model, sparse_threshold, X, y):
    # XGBoost takes what a sparse matrix does not store for missing values.
    pipeline = make_pipeline(mixed(sparse_threshold=sparse_threshold), model)
    assert_follows(pipeline.fit(X, (y == "yes").astype(int)), X)


def test_remainder_is_transformed(X, y):
    numeric = X.drop(columns=["note"])
    assert_follows(
        make_pipeline(mixed(StandardScaler()), HistGradientBoostingClassifier(max_iter=3))
        .set_params(columntransformer__sparse_threshold=0)
        .fit(numeric, y),
        numeric,
    )


def test_remainder_passes(X, y):
    numeric = X.drop(columns=["note"])
    pipeline = make_pipeline(
        mixed("passthrough", sparse_threshold=0), HistGradientBoostingClassifier(max_iter=3)
    )
    assert_follows(pipeline.fit(numeric, y), numeric)


def test_frames_between_the_steps(X, y):
    prepare = mixed(verbose_feature_names_out=False).set_params(cat__sparse_output=False, sparse_threshold=0)
    again = make_column_transformer(
        (MinMaxScaler(), ["age"]),
        (FunctionTransformer(), make_column_selector("purpose")),
        ("passthrough", ["DEBT"]),
    )
    pipeline = make_pipeline(prepare, again, forest())
    pipeline[:-1].set_output(transform="pandas")
    assert_follows(pipeline.fit(X, y), X)


def test_categories_reach_the_model_itself(X, y):
    typed = X.drop(columns=["note"]).astype({"purpose": "category", "REGION": "category"})
    prepare = ColumnTransformer(
        [("num", StandardScaler(), ["age", "INCOME"])],
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    pipeline = make_pipeline(prepare, HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=4)).fit(
        typed, y
    )
    ensemble = load(pipeline)
    np.testing.assert_array_equal(ensemble.predict_proba(typed), pipeline.predict_proba(typed))
    assert ensemble.schema.features[4].categories == ("art", "car", "holiday", "house", "tools")


@pytest.mark.parametrize("codes", [[0], [0, 1]])
def test_codes_that_the_model_takes_for_categories(codes, X, y):
    model = HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=4, categorical_features=codes)
    pipeline = make_pipeline(
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan), model
    ).fit(X[CATEGORIES], y)
    assert_follows(pipeline, X[CATEGORIES])


def test_bins_that_the_model_takes_for_categories(X, y):
    bins = make_pipeline(SimpleImputer(), KBinsDiscretizer(5, encode="ordinal", **BINS))
    model = HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=4, categorical_features=[0, 2])
    assert_follows(
        make_pipeline(bins, model).fit(X[["DEBT", "age", "INCOME"]], y), X[["DEBT", "age", "INCOME"]]
    )


@pytest.mark.parametrize(
    "selector",
    [
        SelectKBest(k=3),
        SelectPercentile(percentile=40),
        VarianceThreshold(0.1),
        SelectFromModel(RandomForestClassifier(3, random_state=0)),
        RFE(DecisionTreeClassifier(random_state=0), n_features_to_select=3),
    ],
    ids=lambda selector: type(selector).__name__,
)
def test_selectors(selector, X, y):
    assert_follows(make_pipeline(mixed(sparse_threshold=0), selector, forest()).fit(X, y), X)


@pytest.mark.parametrize("first", [[], [MinMaxScaler()]], ids=["first", "second"])
def test_selector_that_refuses_missing_values_in_front_of_a_scaler(first, X, y):
    rows = X[["age", "stars"]].assign(debt=X["DEBT"].fillna(0.0))
    pipeline = make_pipeline(*first, SelectKBest(k=2), StandardScaler(), forest()).fit(rows, y)
    assert_follows(pipeline, rows)


def test_samplers_do_nothing(X, y):
    pipeline = make_imblearn_pipeline(mixed(), RandomOverSampler(random_state=0), forest())
    assert_follows(pipeline.fit(X, y), X)


def test_nested_pipelines_and_idle_steps(X, y):
    inner = Pipeline([("idle", "passthrough"), ("fill", SimpleImputer()), ("none", None)])
    pipeline = Pipeline(
        [("a", inner), ("b", "passthrough"), ("c", make_pipeline(StandardScaler())), ("model", forest())]
    )
    assert_follows(pipeline.fit(X[NUMBERS], y), X[NUMBERS])


def test_regression(X):
    rows = X.drop(columns=["note"])
    pipeline = make_pipeline(mixed(), RandomForestRegressor(5, max_depth=6, random_state=0)).fit(
        rows, X["stars"]
    )
    np.testing.assert_array_equal(load(pipeline).predict(rows), pipeline.predict(rows))


def test_arrays_have_positions_instead_of_names(y, X):
    rows = X[["age", "DEBT", "purpose", "note"]].to_numpy(dtype=object)
    steps = make_column_transformer(
        (SimpleImputer(), slice(0, 2)), (OneHotEncoder(handle_unknown="ignore"), [2])
    )
    pipeline = make_pipeline(steps, forest()).fit(rows, y)
    ensemble = load(pipeline)
    assert ensemble.feature_names == ["x0", "x1", "x2", "x3"]
    np.testing.assert_array_equal(ensemble.predict_proba(rows), pipeline.predict_proba(rows))


def test_plain_arrays(X, y):
    rows = X[NUMBERS].to_numpy()
    pipeline = make_pipeline(SimpleImputer(), QuantileTransformer(n_quantiles=30), forest()).fit(rows, y)
    np.testing.assert_array_equal(load(pipeline).predict_proba(rows), pipeline.predict_proba(rows))


def test_polars(X, y):
    rows = pl.DataFrame({name: X[name].tolist() for name in ("age", "stars", "purpose")})
    steps = make_column_transformer((StandardScaler(), ["age", "stars"]), (OneHotEncoder(), ["purpose"]))
    pipeline = make_pipeline(steps, forest()).fit(rows, y)
    np.testing.assert_array_equal(load(pipeline).predict_proba(rows), pipeline.predict_proba(rows))


def test_flags(X, y):
    rows = pd.DataFrame({"old": X["age"] > 40, "rich": X["INCOME"] > 3000, "age": X["age"]})
    steps = make_column_transformer((OneHotEncoder(), ["old"]), (StandardScaler(), ["rich", "age"]))
    pipeline = make_pipeline(steps, forest()).fit(rows, y)
    np.testing.assert_array_equal(load(pipeline).predict_proba(rows), pipeline.predict_proba(rows))


def test_flags_that_are_objects_may_be_text(X, y):
    flags = np.where(X["age"] > 40, True, False).astype(object)
    flags[::7] = np.nan
    rows = pd.DataFrame({"old": flags, "age": X["age"]})
    encode = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
    steps = make_column_transformer((encode, ["old"]), remainder="passthrough")
    pipeline = make_pipeline(steps, forest()).fit(rows, y)
    ensemble = load(pipeline)
    for changed in (rows, rows.assign(old=np.full(len(rows), "unknown", dtype=object))):
        np.testing.assert_array_equal(ensemble.predict_proba(changed), pipeline.predict_proba(changed))


def test_none_is_a_category(y, X):
    rows = pd.DataFrame({"region": X["REGION"].astype(object).where(X["REGION"].notna(), None)}, dtype=object)
    pipeline = make_pipeline(OneHotEncoder(handle_unknown="ignore"), forest()).fit(rows, y)
    np.testing.assert_array_equal(load(pipeline).predict_proba(rows), pipeline.predict_proba(rows))


@pytest.mark.parametrize("keep", [False, True])
def test_column_without_a_value(keep, X, y):
    rows = X[["age", "DEBT"]].assign(empty=np.nan)
    pipeline = make_pipeline(SimpleImputer(keep_empty_features=keep, add_indicator=True), forest())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the column that is dropped
        expected = pipeline.fit(rows, y).predict_proba(rows)
    np.testing.assert_array_equal(load(pipeline).predict_proba(rows), expected)


EMPTY = {
    "NaN": np.full(1, np.nan, dtype=object),
    "None": np.full(1, None, dtype=object),
    "category": pd.Categorical([None], categories=["q"]),
    "string": pd.array([pd.NA], dtype="string"),
}


@pytest.mark.parametrize("kind", EMPTY)
def test_category_without_a_value(kind, X, y):
    rows = X[["age"]].assign(empty=EMPTY[kind].repeat(len(X)))
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    steps = make_column_transformer((encoder, ["empty"]), remainder="passthrough")
    pipeline = make_pipeline(steps, forest()).fit(rows, y)
    ensemble = load(pipeline)
    for changed in (rows, rows.assign(empty=np.full(len(rows), "q", dtype=object))):
        np.testing.assert_array_equal(ensemble.predict_proba(changed), pipeline.predict_proba(changed))


def test_category_without_a_value_that_may_have_none(X, y):
    rows = X[["age"]].assign(empty=EMPTY["NaN"].repeat(len(X)))
    steps = make_column_transformer((OneHotEncoder(), ["empty"]), remainder="passthrough")
    pipeline = make_pipeline(steps, forest()).fit(rows, y)
    with pytest.raises(UnsupportedModelError, match="'empty' had no value when the pipeline was fitted"):
        load(pipeline)


def test_parts_that_refuse_infinite_numbers_in_front_of_another_step(X, y):
    """The whole refuses what one of its parts refuses, and the part alone is asked instead."""
    rows = X[["age", "stars"]].assign(debt=X["DEBT"].fillna(0.0))
    parts = make_column_transformer(
        (SelectKBest(k=1), ["age", "stars"]), (StandardScaler(), ["debt"]), ("drop", [])
    )
    assert_follows(make_pipeline(parts, MinMaxScaler(), forest()).fit(rows, y), rows)


@pytest.mark.parametrize("add_indicator", [False, True])
def test_values_that_an_encoder_makes_missing_are_filled_beside_infinite_numbers(add_indicator, X, y):
    """Squares of the largest numbers overflow. The imputer refuses these, but fills what is missing."""
    encode = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    parts = make_column_transformer((FunctionTransformer(np.square), ["stars"]), (encode, ["stars"]))
    fill = SimpleImputer(strategy="constant", add_indicator=add_indicator)
    rows = X[["stars"]].astype(float)
    assert_follows(make_pipeline(parts, fill, forest()).fit(rows, y), rows)


def test_a_part_without_columns(X, y):
    parts = make_column_transformer((StandardScaler(), []), remainder="passthrough")
    assert_follows(make_pipeline(parts, forest()).fit(X[["age", "stars"]], y), X[["age", "stars"]])


def test_parts_that_pass_their_columns_on(X, y):
    union = FeatureUnion(
        [("scaled", StandardScaler()), ("same", "passthrough")], transformer_weights={"same": 2}
    )
    assert_follows(make_pipeline(union, forest()).fit(X[["age", "stars"]], y), X[["age", "stars"]])
