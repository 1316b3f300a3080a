"""Every row of the table in docs/how-to/load.md: the model goes in, its labels come out."""

import json
import pickle
import re
from pathlib import Path

import catboost as cb
import lightgbm as lgb
import numpy as np
import pandas as pd
import pytest
import skops.io
import treelite
import xgboost as xgb
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import r2_score
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, TunedThresholdClassifierCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import sightline as sl
from sightline.exceptions import UnsupportedModelError
from sightline.load import load

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "load.md"
_ROW = re.compile(r"^\| (.+?) \| (.+?) \| (exact|measured) \|$", re.MULTILINE)
TABLE = {model: (ways.split(", "), result) for model, ways, result in _ROW.findall(PAGE.read_text())}
CATBOOST = {"iterations": 10, "depth": 3, "verbose": 0, "thread_count": 1, "allow_writing_files": False}
LIGHTGBM = lgb.LGBMClassifier(n_estimators=10, n_jobs=1, verbose=-1)

_rng = np.random.default_rng(0)
NUMBERS = pd.DataFrame(_rng.normal(size=(240, 4)), columns=["age", "income", "rate", "debt"])
MIXED = NUMBERS.assign(
    purpose=_rng.choice(["car", "house", "boat", "other"], 240),
    housing=_rng.choice(["own", "rent"], 240),
    rate=NUMBERS["rate"].mask(_rng.random(240) < 0.1),
)
CLASSES = np.where(
    NUMBERS["age"] + NUMBERS["income"] * NUMBERS["debt"] + (MIXED["purpose"] == "car") > 0.2, "good", "bad"
)
PLACES = pd.DataFrame(
    {
        "city": _rng.choice(["Ur", "Rome", "Paris", "a", "London", "Oslo", "b"], 240),
        "branch": _rng.integers(0, 40, 240),
    }
)
CODES = (CLASSES == "good").astype(int)
COUNTS = np.floor(np.exp(NUMBERS["age"] + 0.5 * NUMBERS["income"]))


def columns_of_pipeline():
    words = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    return make_column_transformer((words, ["purpose", "housing"]), (numbers, list(NUMBERS)))


def forest(**options):
    return RandomForestClassifier(10, max_depth=5, random_state=0, **options)


def above_average(rows):
    return np.where(np.asarray(rows)[:, 0].astype(float) > 0, "good", "bad")


class Case:
    """A fitted model, rows, and its labels for them."""

    def __init__(self, model, rows=NUMBERS, target=CLASSES, labels=None):
        self.model = model.fit(rows, target) if hasattr(model, "fit") else model
        self.rows = rows
        self.labels = np.ravel(self.model.predict(rows) if labels is None else labels(self.model, rows))


def booster(of):
    def labels(model, rows):
        scores = model.predict(xgb.DMatrix(rows) if of is xgb else rows)
        return (scores > 0.5).astype(int)

    if of is xgb:
        model = xgb.train({"objective": "binary:logistic"}, xgb.DMatrix(NUMBERS, CODES), 10)
    else:
        options = {"objective": "binary", "verbose": -1, "num_threads": 1}
        model = lgb.train(options, lgb.Dataset(NUMBERS, CODES), 10)
    return Case(model, labels=labels)


def spark_pipeline():
    """Return a stored model, with rows and what Spark predicted for them."""
    folder = Path(__file__).parents[1] / "data" / "spark"
    stored = json.loads((folder / "forest.json").read_text())
    rows = pd.DataFrame(stored["rows"], columns=["a", "b", "c"]).astype({"a": float})
    return Case(folder / "forest", rows, labels=lambda model, rows: stored["prediction"])


BUILDERS = {
    "`DecisionTreeClassifier`": lambda: Case(DecisionTreeClassifier(max_depth=5, random_state=0)),
    "`RandomForestClassifier`": lambda: Case(forest()),
    "`ExtraTreesClassifier`": lambda: Case(ExtraTreesClassifier(10, random_state=0)),
    "`BaggingClassifier` of trees": lambda: Case(BaggingClassifier(random_state=0)),
    "`AdaBoostClassifier` of trees": lambda: Case(AdaBoostClassifier(n_estimators=10, random_state=0)),
    "`GradientBoostingClassifier`": lambda: Case(GradientBoostingClassifier(n_estimators=10, random_state=0)),
    "`HistGradientBoostingClassifier`": lambda: Case(HistGradientBoostingClassifier(max_iter=10)),
    "`HistGradientBoostingClassifier` with categories": lambda: Case(
        HistGradientBoostingClassifier(max_iter=10, categorical_features="from_dtype"),
        MIXED.astype({"purpose": "category", "housing": "category"}),
    ),
    "`RandomForestRegressor`": lambda: Case(
        RandomForestRegressor(10, random_state=0), target=NUMBERS["debt"]
    ),
    "`GradientBoostingRegressor`": lambda: Case(
        GradientBoostingRegressor(n_estimators=10, random_state=0), target=COUNTS
    ),
    "`HistGradientBoostingRegressor` for counts (Poisson)": lambda: Case(
        HistGradientBoostingRegressor(loss="poisson", max_iter=10), target=COUNTS
    ),
    "`AdaBoostRegressor` of trees": lambda: Case(
        AdaBoostRegressor(n_estimators=10, random_state=0), target=COUNTS
    ),
    "`XGBClassifier`": lambda: Case(xgb.XGBClassifier(n_estimators=10, n_jobs=1), target=CODES),
    "`XGBRegressor` for counts (Poisson)": lambda: Case(
        xgb.XGBRegressor(objective="count:poisson", n_estimators=10, n_jobs=1), target=COUNTS
    ),
    "`xgboost.Booster`": lambda: booster(xgb),
    "`LGBMClassifier`": lambda: Case(LIGHTGBM, target=CODES),
    "`LGBMRegressor` for counts (Tweedie)": lambda: Case(
        lgb.LGBMRegressor(objective="tweedie", n_estimators=10, n_jobs=1, verbose=-1), target=COUNTS
    ),
    "`lightgbm.Booster`": lambda: booster(lgb),
    "`CatBoostClassifier`": lambda: Case(cb.CatBoostClassifier(**CATBOOST)),
    "`CatBoostRegressor` for counts (Poisson)": lambda: Case(
        cb.CatBoostRegressor(loss_function="Poisson", **CATBOOST), target=COUNTS
    ),
    "`CatBoostClassifier` with `cat_features`": lambda: Case(
        cb.CatBoostClassifier(cat_features=["purpose", "housing"], max_ctr_complexity=1, **CATBOOST), MIXED
    ),
    "`CatBoostClassifier` with combinations of categories": lambda: Case(
        cb.CatBoostClassifier(
            cat_features=list(PLACES), max_ctr_complexity=2, **{**CATBOOST, "iterations": 40}
        ),
        PLACES,
        np.where(PLACES["branch"] % 5 + PLACES["city"].str.len() % 3 + 2 * NUMBERS["age"] > 3, "good", "bad"),
    ),
    "`Pipeline` of a `ColumnTransformer` and a forest": lambda: Case(
        make_pipeline(columns_of_pipeline(), forest()), MIXED
    ),
    "`Pipeline` of scaling and XGBoost": lambda: Case(
        make_pipeline(StandardScaler(), xgb.XGBClassifier(n_estimators=10, n_jobs=1)), target=CODES
    ),
    "`Pipeline` with `PCA`": lambda: Case(make_pipeline(PCA(2, random_state=0), forest())),
    "`GridSearchCV` over a forest": lambda: Case(GridSearchCV(forest(), {"max_depth": [2, 4]}, cv=2)),
    "`CalibratedClassifierCV`": lambda: Case(CalibratedClassifierCV(forest(), cv=3)),
    "`VotingClassifier` of trees and boosters": lambda: Case(
        VotingClassifier([("forest", forest()), ("booster", LIGHTGBM)], voting="soft", weights=[1, 2])
    ),
    "`VotingClassifier` of pipelines": lambda: Case(
        VotingClassifier(
            [
                ("forest", make_pipeline(columns_of_pipeline(), forest())),
                ("booster", make_pipeline(columns_of_pipeline(), xgb.XGBClassifier(n_estimators=5))),
            ],
            voting="soft",
        ),
        MIXED,
    ),
    "`VotingRegressor` of trees and boosters": lambda: Case(
        VotingRegressor(
            [
                ("forest", RandomForestRegressor(5, random_state=0)),
                ("booster", xgb.XGBRegressor(n_estimators=5)),
            ]
        ),
        target=COUNTS,
    ),
    "`TransformedTargetRegressor` of the logarithm": lambda: Case(
        TransformedTargetRegressor(
            RandomForestRegressor(10, random_state=0), func=np.log1p, inverse_func=np.expm1
        ),
        target=COUNTS,
    ),
    "`BaggingClassifier` of boosters": lambda: Case(
        BaggingClassifier(HistGradientBoostingClassifier(max_iter=3), n_estimators=3, random_state=0)
    ),
    "`FixedThresholdClassifier`": lambda: Case(
        FixedThresholdClassifier(forest(), threshold=0.3, pos_label="bad")
    ),
    "`TunedThresholdClassifierCV`": lambda: Case(TunedThresholdClassifierCV(forest(), cv=2)),
    "`OneVsRestClassifier` of forests": lambda: Case(
        OneVsRestClassifier(forest()), target=CODES + CODES * (NUMBERS["age"] > 0.5)
    ),
    "`StackingClassifier`": lambda: Case(StackingClassifier([("forest", forest()), ("svc", SVC())], cv=2)),
    "`StackingRegressor`": lambda: Case(
        StackingRegressor([("forest", RandomForestRegressor(10, random_state=0))], cv=2), target=COUNTS
    ),
    "`MLPClassifier`": lambda: Case(
        MLPClassifier((8,), alpha=1, max_iter=2000, solver="lbfgs", random_state=0)
    ),
    "`SVC`": lambda: Case(SVC()),
    "`LogisticRegression`": lambda: Case(LogisticRegression()),
    "a function": lambda: Case(above_average, labels=lambda model, rows: model(rows)),
    "Spark ML's `PipelineModel` of a forest": spark_pipeline,
    "a sightline model": lambda: Case(sl.C45Classifier(), labels=lambda model, rows: model.predict(rows)),
}


def as_pickle(model, path):
    path.write_bytes(pickle.dumps(model))
    return path


def as_skops(model, path):
    skops.io.dump(model, path)
    return path


def as_text(model, path):
    getattr(model, "booster_", model).save_model(path)
    return path


def as_dump(model, path):
    path.write_text(json.dumps(model.dump_model()))
    return path


def as_json(model, path):
    if isinstance(model, sl.C45Classifier):
        model.tree_.to_json(path)
    elif isinstance(model, cb.CatBoost):
        model.save_model(str(path), format="json")
    else:
        model.save_model(path.with_suffix(".json"))
        return path.with_suffix(".json")
    return path


def as_ubjson(model, path):
    model.save_model(path.with_suffix(".ubj"))
    return path.with_suffix(".ubj")


def as_cbm(model, path):
    model.save_model(str(path))
    return path


def as_onnx(model, path):
    if isinstance(model, cb.CatBoost):
        model.save_model(str(path), format="onnx")
    else:
        model.export("onnx", path)
    return path


def as_pmml(model, path):
    model.export("pmml", path)
    return path


def as_treelite(model, path):
    treelite.frontend.from_xgboost(model).serialize(path)
    return path


WAYS = {
    "object": lambda model, path: model,
    "pickle": as_pickle,
    "skops": as_skops,
    "text": as_text,
    "JSON dump": as_dump,
    "JSON": as_json,
    "UBJSON": as_ubjson,
    ".cbm": as_cbm,
    "ONNX": as_onnx,
    "PMML": as_pmml,
    "treelite checkpoint": as_treelite,
    "folder": lambda model, path: model,
    "`sl.BlackBox`": lambda model, path: sl.BlackBox(model, classes=["bad", "good"]),
}


def test_every_row_is_tested():
    assert list(TABLE) == list(BUILDERS)
    assert len(TABLE) >= 20
    assert {way for ways, _ in TABLE.values() for way in ways} == set(WAYS)


@pytest.mark.parametrize("model", list(TABLE))
def test_labels(model, tmp_path):
    case = BUILDERS[model]()
    ways, result = TABLE[model]
    for way in ways:
        passed = WAYS[way](case.model, tmp_path / "model")
        if result == "exact":
            ensemble = load(passed, allow_pickle=way == "pickle")
            rows = case.rows[ensemble.feature_names] if way in ("PMML", "folder") else case.rows
            np.testing.assert_array_equal(ensemble.predict(rows), case.labels)
        else:
            assert_measured(passed, case, allow_pickle=way == "pickle")


def assert_measured(passed, case, allow_pickle):
    with pytest.raises(UnsupportedModelError):
        load(passed, allow_pickle=allow_pickle)
    if allow_pickle:
        passed = pickle.loads(passed.read_bytes())
    is_number = case.labels.dtype.kind == "f"
    kind = sl.DistilledTreeRegressor if is_number else sl.DistilledTreeClassifier
    summary = kind(passed, max_leaves=8, random_state=0).fit(case.rows)
    assert isinstance(summary.ensemble_, sl.BlackBox)
    np.testing.assert_array_equal(summary.ensemble_.predict(case.rows), case.labels)
    predicted = summary.predict(case.rows)
    score = r2_score(case.labels, predicted) if is_number else (predicted == case.labels).mean()
    assert score > 0.75


def test_the_page_is_linked():
    root = PAGE.parents[2]
    assert "how-to/load.md" in (root / "mkdocs.yml").read_text()
    for page in ("README.md", "docs/index.md"):
        assert "how-to/load.md" in (root / page).read_text()
