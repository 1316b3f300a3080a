"""Loaded models know which columns had missing values in training if their tests learned where these go."""

import re

import lightgbm
import numpy as np
import pytest
import xgboost
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier

import sightline as sl

MODELS = {
    "tree": lambda: DecisionTreeClassifier(random_state=0),
    "forest": lambda: RandomForestClassifier(20, random_state=0),
    "regressor": lambda: RandomForestRegressor(20, random_state=0),
    "extra trees": lambda: ExtraTreesClassifier(20, random_state=0),
    "histograms": lambda: HistGradientBoostingClassifier(max_iter=20, random_state=0),
    "xgboost hist": lambda: xgboost.XGBClassifier(n_estimators=20),
    "xgboost exact": lambda: xgboost.XGBClassifier(n_estimators=20, tree_method="exact"),
    "lightgbm": lambda: lightgbm.LGBMClassifier(n_estimators=20, verbose=-1),
}


def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = ((X[:, 0] > 0.3) ^ (X[:, 1] > 0)).astype(int)
    gap = rng.random(600) < 0.2
    return X, np.where(gap, rng.random(600) < 0.9, y).astype(int), gap


@pytest.mark.parametrize("name", MODELS)
def test_learned_directions_tell_that_values_were_missing(name):
    X, y, gap = rows()
    weights = np.random.default_rng(1).random(len(y))
    complete = sl.load(MODELS[name]().fit(X, y, sample_weight=weights))
    assert [feature.complete for feature in complete.schema.features] == [None] * 3
    assert "missing" not in complete.trees[0].to_text()
    X[gap, 0] = np.nan
    incomplete = sl.load(MODELS[name]().fit(X, y, sample_weight=weights))
    assert [feature.complete for feature in incomplete.schema.features] == [False, None, None]
    assert re.search(r"x0 (<=|>|<|>=) \S+ or missing", incomplete.trees[0].to_text())
