"""Frames are matched by name if the model was fitted on a frame, even if its columns are called x0, x1, …."""

import catboost
import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, VotingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import sightline as sl
from sightline.exceptions import DataError
from sightline.load import load

MODELS = {
    "scikit-learn": RandomForestClassifier(5, random_state=0),
    "histograms": HistGradientBoostingClassifier(max_iter=5),
    "xgboost": xgboost.XGBClassifier(n_estimators=5),
    "lightgbm": lightgbm.LGBMClassifier(n_estimators=5, verbose=-1),
    "catboost": catboost.CatBoostClassifier(5, verbose=0, allow_writing_files=False),
    "vote": VotingClassifier([("tree", DecisionTreeClassifier(random_state=0))], voting="soft"),
}
X = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 3)), columns=["x0", "x1", "x2"])
Y = (X["x1"] > 0).astype(int).to_numpy()
MOVED = X[["x2", "x0", "x1"]]
RENAMED = MOVED.rename(columns={"x2": "other"})


@pytest.mark.parametrize("name", MODELS)
def test_models_that_were_fitted_on_frames(name):
    model = MODELS[name].fit(X, Y)
    ensemble = load(model)
    np.testing.assert_array_equal(ensemble.predict(MOVED), model.predict(X))
    np.testing.assert_array_equal(ensemble.predict(X.to_numpy()), model.predict(X))
    with pytest.raises(DataError, match="X has no column 'x2', which Ensemble expects"):
        ensemble.predict(RENAMED)


@pytest.mark.parametrize("name", MODELS)
def test_models_that_were_fitted_on_arrays(name):
    model = clone(MODELS[name]).fit(X.to_numpy(), Y)
    ensemble = load(model)
    np.testing.assert_array_equal(ensemble.predict(RENAMED), model.predict(RENAMED.to_numpy()))
    with pytest.raises(DataError, match="was trained without names of columns and takes them in order"):
        ensemble.predict(MOVED)
    row = X.iloc[0].to_dict()
    assert str(ensemble.explain(dict(reversed(row.items())))) == str(ensemble.explain(row))


def test_pipelines():
    steps = make_column_transformer((StandardScaler(), ["x1"]))
    pipeline = make_pipeline(steps, DecisionTreeClassifier()).fit(X, Y)
    rows = X.assign(key=range(200))[["x1", "x2", "key"]]
    np.testing.assert_array_equal(load(pipeline).predict(rows), pipeline.predict(rows))


def test_distilled_models_and_their_files(tmp_path):
    forest = MODELS["scikit-learn"].fit(X, Y)
    distilled = sl.DistilledTreeClassifier(forest, max_leaves=4, random_state=0).fit(X)
    distilled.model_.to_json(tmp_path / "tree.json")
    for model in (distilled, distilled.model_, load(tmp_path / "tree.json")):
        np.testing.assert_array_equal(model.predict(MOVED), distilled.predict(X))
        with pytest.raises(DataError, match="X has no column 'x2'"):
            model.predict(RENAMED)


def test_categories_where_xgboost_expects_numbers():
    rows = X.round().astype(int)
    model = MODELS["xgboost"].fit(rows, Y)
    with pytest.raises(DataError, match="Column 'x1' holds categories, but Ensemble expects numbers"):
        load(model).predict(rows.astype({"x1": "category"}))
