"""Whole numbers beyond what floats hold, in every container, as each library rounds them."""

from functools import cache

import catboost
import lightgbm as lgb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xgboost as xgb
from sklearn.base import clone
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

import sightline as sl
from sightline.exceptions import DataError, UnsupportedModelError
from sightline.load import load
from sightline.table._cells import column_of_cells

pytestmark = [
    pytest.mark.filterwarnings("ignore:X does not have valid feature names"),
    pytest.mark.filterwarnings("ignore:X has feature names"),
]
K = np.arange(1, 400)
# Halfway between two floats and one above it: rounded at once they go up, through a double to even.
NANOSECONDS = 2**60 + 2**36 * (2 * K + 1) + 1
# Whole numbers that single precision does not hold.
BEYOND_SINGLE = 2**24 + K
LABEL = K % 2

MODELS = {
    "forest": RandomForestClassifier(5, random_state=0),
    "extra": ExtraTreesClassifier(5, random_state=0),
    "bagging": BaggingClassifier(n_estimators=4, random_state=0),
    "adaboost": AdaBoostClassifier(n_estimators=4, random_state=0),
    "gradient boosting": GradientBoostingClassifier(n_estimators=4, random_state=0),
    "histograms": HistGradientBoostingClassifier(max_iter=4, min_samples_leaf=1, max_bins=255),
    "xgboost": xgb.XGBClassifier(n_estimators=4, max_bin=2000, max_depth=12, min_child_weight=0, n_jobs=1),
    "lightgbm": lgb.LGBMClassifier(
        n_estimators=4,
        min_child_samples=1,
        min_data_in_bin=1,
        max_bin=2000,
        num_leaves=99,
        verbose=-1,
        n_jobs=1,
    ),
    "catboost": catboost.CatBoostClassifier(
        iterations=4, depth=8, border_count=2000, verbose=0, thread_count=1, allow_writing_files=False
    ),
}
CONTAINERS = {
    "array": lambda x, z: np.column_stack([x, z]),
    "fortran": lambda x, z: np.asfortranarray(np.column_stack([x, z])),
    "unsigned": lambda x, z: np.column_stack([x, z]).astype(np.uint64),
    "list": lambda x, z: np.column_stack([x, z]).tolist(),
    "frame": lambda x, z: pd.DataFrame({"x": x, "z": z}),
    "mixed frame": lambda x, z: pd.DataFrame({"x": x, "z": z.astype(float)}),
    "nullable frame": lambda x, z: pd.DataFrame({"x": pd.array(x, dtype="Int64"), "z": z}),
    "polars": lambda x, z: pl.DataFrame({"x": x, "z": z}),
    "mixed polars": lambda x, z: pl.DataFrame({"x": x, "z": z.astype(float)}),
    "arrow": lambda x, z: pa.table({"x": x, "z": z}),
    "mixed arrow": lambda x, z: pa.table({"x": x, "z": z.astype(float)}),
    "arrow with flags": lambda x, z: pa.table({"x": x, "z": z > 20}),
    "frame with flags": lambda x, z: pd.DataFrame({"x": x, "z": z > 20}),
    "polars with flags": lambda x, z: pl.DataFrame({"x": x, "z": z > 20}),
    "frame with categories": lambda x, z: pd.DataFrame({"x": x, "z": pd.Categorical(z % 2)}),
    "signs": lambda x, z: pd.DataFrame({"x": x, "z": z.astype(np.uint64)}),
    "signs in polars": lambda x, z: pl.DataFrame({"x": x, "z": z.astype(np.uint64)}),
    "signs in arrow": lambda x, z: pa.table({"x": x, "z": z.astype(np.uint64)}),
}


# CatBoost takes no Arrow tables, and boosting libraries no categories where they were trained on numbers.
PAIRS = [
    (m, c)
    for m in MODELS
    for c in CONTAINERS
    if not (m == "catboost" and "arrow" in c)
    and not (m in ("catboost", "xgboost", "lightgbm") and c == "frame with categories")
]


@cache
def fitted(name, numbers):
    x = {"nanoseconds": NANOSECONDS, "beyond single": BEYOND_SINGLE}[numbers]
    rows = np.column_stack([x.astype(np.float32).astype(np.float64), K // 7])
    return clone(MODELS[name]).fit(rows, LABEL), x


def raw(model, rows):
    if isinstance(model, xgb.XGBModel):
        return model.predict(rows, output_margin=True)
    if isinstance(model, lgb.LGBMModel):
        return model.predict(rows, raw_score=True)
    if isinstance(model, catboost.CatBoost):
        return model.predict(rows, prediction_type="RawFormulaVal")
    return model.predict_proba(rows)[:, 1]


@pytest.mark.parametrize("numbers", ["nanoseconds", "beyond single"])
@pytest.mark.parametrize(("name", "container"), PAIRS)
def test_every_container(name, container, numbers):
    model, x = fitted(name, numbers)
    rows = CONTAINERS[container](x, K // 7)
    ensemble = load(model)
    adds_up = name in ("xgboost", "lightgbm", "catboost")
    found = ensemble.scores(rows)[:, 0] if adds_up else ensemble.predict_proba(rows)[:, 1]
    np.testing.assert_array_equal(found, raw(model, rows))


@pytest.mark.parametrize("name", ["forest", "xgboost", "lightgbm"])
def test_trees_that_replace_a_model_round_like_it(name, tmp_path):
    numbers = "beyond single" if name == "lightgbm" else "nanoseconds"
    one_tree = clone(MODELS[name]).set_params(n_estimators=1)
    x = fitted(name, numbers)[1]
    model = one_tree.fit(np.column_stack([x.astype(np.float32).astype(np.float64), K // 7]), LABEL)
    rows = np.column_stack([x, K // 7])
    expected = model.predict(rows)
    assert (load(model).predict(rows.astype(np.float64)) != expected).any()
    tree = sl.merge(model)
    learned = sl.ISMClassifier(ensemble=model).fit(rows)
    for one in (tree, sl.read_model(_written(tree, tmp_path)), learned):
        np.testing.assert_array_equal(one.predict(rows), expected)


def _written(tree, tmp_path):
    path = tmp_path / "tree.json"
    tree.to_json(path)
    return path


def test_categories_that_doubles_do_not_distinguish():
    numbers = 2**53 + K % 6
    rows = pd.DataFrame({"x": pd.Categorical(numbers)})
    model = xgb.XGBClassifier(n_estimators=4, enable_categorical=True, n_jobs=1).fit(rows, numbers % 2)
    ensemble = load(model)
    for same in (rows, pd.DataFrame({"x": numbers}), rows.astype(str)):
        np.testing.assert_array_equal(ensemble.predict(same), model.predict(rows))
    with pytest.raises(DataError) as caught:
        ensemble.predict(pd.DataFrame({"x": numbers.astype(float)}))
    assert str(caught.value) == (
        "Column 'x' holds 9007199254740992, which may mean 9007199254740992 or 9007199254740993 for "
        "Ensemble. Convert the column to whole numbers or text."
    )


def test_hashed_categories_that_doubles_do_not_distinguish():
    numbers = 2**53 + K % 6
    rows = pd.DataFrame({"x": numbers})
    options = {"iterations": 4, "one_hot_max_size": 10, "verbose": 0, "allow_writing_files": False}
    model = catboost.CatBoostClassifier(**options).fit(rows, numbers % 2, cat_features=["x"])
    ensemble = load(model)
    for same in (rows, rows.astype(object), rows.to_numpy().astype(object), rows.astype(str)):
        np.testing.assert_array_equal(ensemble.predict(same), model.predict(rows))
    with pytest.raises(DataError) as caught:
        ensemble.predict(rows.astype(float))
    assert str(caught.value) == (
        "Column 'x' holds 9007199254740992 as a float, which may be rounded and so mean another category. "
        "Convert the column to whole numbers or text."
    )


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        ([2**53 + 1, None, 3], [2**53 + 1, 0, 3]),
        ([2**64 - 1, np.uint64(5)], [2**64 - 1, 5]),
        ([2**53, -3], None),
        ([2**53 + 1, 0.5], None),
        ([2**64, 1], None),
        ([2**63, -1], None),
    ],
)
def test_cells_that_are_whole_numbers(cells, found):
    source = column_of_cells("x", cells).source
    assert (source if source is None else source.numbers.tolist()) == found


def test_an_encoder_of_whole_numbers_that_no_double_holds_is_refused():
    rows = pd.DataFrame({"x": 2**53 + K % 6})
    pipeline = make_pipeline(OrdinalEncoder(), MODELS["forest"]).fit(rows, LABEL)
    with pytest.raises(UnsupportedModelError, match="'x' has the category 9007199254740993, a whole number"):
        load(pipeline)
    assert load(make_pipeline(OrdinalEncoder(), MODELS["forest"]).fit(rows - 2**50, LABEL)).n_classes == 2
