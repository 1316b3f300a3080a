"""Pipelines answer the same over their original columns."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xgboost
from cases import thorough_after
from load.pipeline import random_pipelines
from load.pipeline.pipeline_rows import assert_same_answers
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sightline import DistilledTreeClassifier
from sightline.exceptions import DataError
from sightline.load import load

N_QUICK, N_SEEDS = 8, 230
"""Some draws cannot be fitted: a model that refuses missing values behind steps that leave some."""

CANNOT_FIT = (
    "contains NaN",
    "contains infinity",
    "cannot be cast to the input data",
    "out of bounds for axis 0",
)
"""How scikit-learn refuses such draws: missing values, a filling of another type, a column without values."""


@pytest.mark.parametrize("seed", thorough_after(N_QUICK, range(N_SEEDS)))
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
    assert_same_answers(load(pipeline), pipeline, X, rng)


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


class TestExtraColumns:
    """A ColumnTransformer does not look at columns that it was not fitted on; every other first step does."""

    X = pd.DataFrame({"amount": np.arange(40.0) % 7, "purpose": ["car", "house"] * 20})
    y = (X["amount"] > 3) & (X["purpose"] == "car")
    extra = X.assign(id=range(40), opened=pd.date_range("2020-01-01", periods=40))[
        ["opened", "purpose", "id", "amount"]
    ]

    def steps(self):
        return ColumnTransformer([("purpose", OneHotEncoder(), ["purpose"])], remainder="passthrough")

    @pytest.mark.parametrize("wrap", [lambda first: first, make_pipeline, FrozenEstimator])
    def test_ignored_where_the_pipeline_ignores_them(self, wrap, tmp_path):
        first = wrap(self.steps())
        if isinstance(first, FrozenEstimator):
            first.estimator.fit(self.X)
        pipeline = make_pipeline(first, RandomForestClassifier(3, random_state=0)).fit(self.X, self.y)
        ensemble = load(pipeline)
        ensemble.to_json(tmp_path / "ensemble.json")
        for loaded in (ensemble, load(tmp_path / "ensemble.json")):
            np.testing.assert_array_equal(
                loaded.predict_proba(self.extra), pipeline.predict_proba(self.extra)
            )

    def test_refused_where_the_pipeline_refuses_them(self):
        numbers = self.X[["amount"]]
        pipeline = make_pipeline(StandardScaler(), RandomForestClassifier(3, random_state=0))
        pipeline.fit(numbers, self.y)
        with pytest.raises(DataError, match="X has the column 'id', which Ensemble was not trained on"):
            load(pipeline).predict(numbers.assign(id=1))
        with pytest.raises(ValueError, match="Feature names unseen at fit time"):
            pipeline.predict(numbers.assign(id=1))

    def test_rows_to_learn_from_have_none(self):
        pipeline = make_pipeline(self.steps(), RandomForestClassifier(3, random_state=0)).fit(self.X, self.y)
        with pytest.raises(DataError, match="X has the column 'id', which the ensemble was not trained on"):
            DistilledTreeClassifier(pipeline, max_leaves=3).fit(self.extra.drop(columns="opened"), self.y)
