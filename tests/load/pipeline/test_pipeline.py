"""Pipelines answer the same over their original columns."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import random_pipelines
import xgboost
from pipeline_rows import assert_same_answers
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from sightline.exceptions import UnsupportedModelError
from sightline.load import load

N_QUICK, N_SEEDS = 25, 230
"""Some draws cannot be fitted: a model that refuses missing values behind steps that leave some."""

CANNOT_FIT = (
    "contains NaN",
    "contains infinity",
    "cannot be cast to the input data",
    "out of bounds for axis 0",
)
"""How scikit-learn refuses such draws: missing values, a filling of another type, a column without values."""


@pytest.mark.parametrize(
    "seed",
    [seed if seed < N_QUICK else pytest.param(seed, marks=pytest.mark.slow) for seed in range(N_SEEDS)],
)
def test_random_pipeline(seed):
    rng = np.random.default_rng(seed)
    X, draw = random_pipelines.frame(rng), random_pipelines.Draw(rng)
    pipeline = draw.whole(X)
    y = random_pipelines.labels(rng, X, draw.one(2, 3))
    if isinstance(pipeline[-1], xgboost.XGBClassifier):
        y = np.unique(y, return_inverse=True)[1]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            pipeline.fit(X, y)
        except (ValueError, IndexError) as error:
            assert any(reason in str(error) for reason in CANNOT_FIT), error  # noqa: PT017
            return
    try:
        ensemble = load(pipeline)
    except UnsupportedModelError as error:
        # Next to one threshold in hundreds of pipelines, tanh of a larger number is smaller in the last bit.
        assert "because of how it is rounded" in str(error)  # noqa: PT017
        return
    assert_same_answers(ensemble, pipeline, X, rng)


def test_dropped_columns_may_hold_anything():
    X = pd.DataFrame(
        {
            "opened": pd.date_range("2020-01-01", periods=40),
            "amount": np.arange(40.0) % 7,
            "purpose": ["car", "house"] * 20,
            "items": [[1, 2]] * 40,
        }
    )
    encoder = ColumnTransformer(
        [("purpose", OneHotEncoder(), ["purpose"]), ("rest", "passthrough", ["amount"])]
    )
    pipeline = make_pipeline(encoder, RandomForestClassifier(3, random_state=0))
    pipeline.fit(X, (X["amount"] > 3) & (X["purpose"] == "car"))
    ensemble = load(pipeline)
    others = [X.drop(columns="opened"), X[X.columns[::-1]], pl.DataFrame(X.to_dict("list"))]
    for rows in [X, *others]:
        np.testing.assert_array_equal(ensemble.predict_proba(rows), pipeline.predict_proba(X))
