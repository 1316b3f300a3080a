"""Rows whose type makes the pipeline compute in another precision are never answered in silence."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from library_versions import BINS
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MinMaxScaler,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

from sightline.exceptions import DataWarning
from sightline.load import load

N_ROWS = 300
TYPES = ("float64", "float32", "int64", "int32", "int16", "int8", "uint8")

STEPS = {
    "standard": StandardScaler(),
    "min max": MinMaxScaler(),
    "robust": RobustScaler(),
    "power": PowerTransformer(),
    "quantiles": QuantileTransformer(n_quantiles=50),
    "binarizer": Binarizer(threshold=5.1),
    "bins": KBinsDiscretizer(5, encode="ordinal", **BINS),
    "filled": SimpleImputer(),
    "filled and scaled": make_pipeline(SimpleImputer(), StandardScaler()),
    "square": FunctionTransformer(np.square),
    "cube root": FunctionTransformer(np.cbrt),
    "negative": FunctionTransformer(np.negative),
    "floor": FunctionTransformer(np.floor),
    "rounded": FunctionTransformer(np.round, kw_args={"decimals": 1}),
    "clipped": FunctionTransformer(np.clip, kw_args={"a_min": 0.1, "a_max": 30}),
    "nothing": FunctionTransformer(),
}


@pytest.fixture(scope="module")
def rows():
    # Tenths and whole numbers: thresholds lie between few values, and many rows are close to one.
    rng = np.random.default_rng(0)
    X = pd.DataFrame(np.round(rng.normal(6, 3, (N_ROWS, 3)).clip(0), 1), columns=["a", "b", "c"])
    return X, X["a"] + X["b"] > X["c"] + rng.normal(5, 2, N_ROWS)


def fitted(step, X, y):
    return make_pipeline(step, RandomForestClassifier(15, random_state=0)).fit(X, y)


def answers(ensemble, X):
    """Return the probabilities, and the warning about the types of columns."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return ensemble.predict_proba(X), [str(one.message) for one in caught]


@pytest.mark.parametrize("name", STEPS)
def test_same_answer_or_a_warning(name, rows):
    X, y = rows
    pipeline = fitted(STEPS[name], X, y)
    ensemble = load(pipeline)
    for kind in TYPES:
        # Times eight, squares no longer fit into small types of whole numbers.
        typed = X.astype(kind) if kind.startswith("float") else (X * 8).round().clip(upper=127).astype(kind)
        found, sentences = answers(ensemble, typed)
        if kind in ("float64", "int64") or name in ("nothing", "bins", "filled", "floor"):
            assert not sentences
        if not sentences:
            np.testing.assert_array_equal(found, pipeline.predict_proba(typed))


def test_single_precision_moves_rows(rows):
    X, y = rows
    pipeline = fitted(StandardScaler(), X, y)
    narrow = X.astype("float32")
    found, sentences = answers(load(pipeline), narrow)
    assert (found != pipeline.predict_proba(narrow)).any()  # else the warning would be about nothing
    assert sentences == [
        "The columns 'a', 'b' and 'c' have the type float32, with which the pipeline computes differently "
        "than Sightline, so predictions may differ. Convert the rows for both: X.astype(float)."
    ]


def test_small_whole_numbers_overflow(rows):
    X, y = rows
    pipeline = fitted(FunctionTransformer(np.square), X, y)
    tiny = (X * 8).round().clip(upper=127).astype("int8")
    found, sentences = answers(load(pipeline), tiny)
    assert (found != pipeline.predict_proba(tiny)).any()
    assert "have the type int8" in sentences[0]


def test_one_wide_column_widens_its_block(rows):
    X, y = rows
    mixed = X.astype({"b": "float32"})
    pipeline = fitted(StandardScaler(), X, y)
    found, sentences = answers(load(pipeline), mixed)
    np.testing.assert_array_equal(found, pipeline.predict_proba(mixed))
    assert "The column 'b' has the type float32" in sentences[0]


def test_columns_that_are_not_computed_with(rows):
    X, y = rows
    steps = make_column_transformer(
        (StandardScaler(), ["a"]),
        (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), ["b"]),
        remainder="passthrough",
    )
    typed = X.astype({"b": "float32", "c": "float32"})
    pipeline = fitted(steps, typed, y)
    found, sentences = answers(load(pipeline), typed)
    np.testing.assert_array_equal(found, pipeline.predict_proba(typed))
    assert not sentences


@pytest.mark.parametrize("container", [np.asarray, pl.DataFrame, lambda X: pl.DataFrame(X).to_arrow()])
def test_containers(container, rows):
    X, y = rows
    ensemble = load(fitted(StandardScaler(), X, y))
    with pytest.warns(DataWarning, match="have the type float32"):
        ensemble.predict(container(X.astype("float32")))


def test_stored_ensemble_warns_as_well(rows, tmp_path):
    X, y = rows
    ensemble = load(fitted(StandardScaler(), X, y))
    ensemble.to_json(tmp_path / "ensemble.json")
    with pytest.warns(DataWarning, match="have the type float32"):
        load(tmp_path / "ensemble.json").predict(X.astype("float32"))


@pytest.mark.parametrize(
    ("function", "options", "kinds", "warned"),
    [
        (np.round, {"decimals": 0}, ["object"], "object"),
        (np.clip, {"a_min": 4.5, "a_max": 8.25}, ["int64[pyarrow]", "uint8[pyarrow]"], "pyarrow"),
        (np.negative, {}, ["bool", "boolean", "bool[pyarrow]"], "bool"),
    ],
    ids=["rounded objects", "clipped Arrow numbers", "negated booleans"],
)
def test_types_that_pandas_treats_in_its_own_way(function, options, kinds, warned, rows):
    X, y = rows
    if warned != "object":
        X = (X > 6) if warned == "bool" else X.round()
    pipeline = fitted(FunctionTransformer(function, kw_args=options), X, y)
    ensemble = load(pipeline)
    for kind in kinds:
        typed = X.astype(kind)
        found, sentences = answers(ensemble, typed)
        if kind != "uint8[pyarrow]":
            assert (found != pipeline.predict_proba(typed)).any()  # else the warning would be about nothing
        assert len(sentences) == 1
        assert warned in sentences[0].partition(", with which the pipeline computes differently")[0]
    found, sentences = answers(ensemble, X.astype(float))
    assert not sentences
    np.testing.assert_array_equal(found, pipeline.predict_proba(X.astype(float)))


def test_objects_and_booleans_that_are_converted_to_doubles(rows):
    X, y = rows
    for typed in (X.astype(object), X > 6, (X > 6).astype("boolean")):
        pipeline = fitted(StandardScaler(), typed, y)
        found, sentences = answers(load(pipeline), typed)
        assert not sentences
        np.testing.assert_array_equal(found, pipeline.predict_proba(typed))
