"""Pipelines answer the same over their original columns."""

import warnings

import numpy as np
import pytest
import random_pipelines
import xgboost
from pipeline_rows import assert_same_answers
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sightline.exceptions import UnsupportedModelError
from sightline.load import load


@pytest.mark.parametrize("seed", range(30))
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
        except ValueError:  # the draw put a model behind missing values or infinite numbers
            return
    assert_same_answers(load(pipeline), pipeline, X, rng)


def test_a_step_that_mixes_columns_is_refused_by_name():
    X = np.random.default_rng(0).normal(size=(50, 3))
    pipeline = make_pipeline(StandardScaler(), PCA(2), RandomForestClassifier(3, random_state=0))
    pipeline.fit(X, X[:, 0] > 0)
    with pytest.raises(UnsupportedModelError) as caught:
        load(pipeline)
    assert str(caught.value) == (
        "Cannot load the pipeline over its original columns: step 'pca' (PCA) makes a column from several "
        "columns, so its tests have no equivalent in these. Use sl.BlackBox(pipeline) to distill the "
        "pipeline as a whole."
    )
