"""A pipeline is distilled, reported, exported, merged and proved in its original columns."""

import json
import pickle

import numpy as np
import pytest
from export.elsewhere import in_duckdb
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import sightline as sl
from sightline.cli._app import run


def prepared(X, model):
    """Return the pipeline that most people have."""
    numbers = X.select_dtypes("number").columns.tolist()
    words = [name for name in X.columns if name not in numbers and name != "customer"]
    fill = SimpleImputer(strategy="most_frequent")
    steps = ColumnTransformer(
        [
            ("num", Pipeline([("fill", SimpleImputer()), ("scale", StandardScaler())]), numbers),
            ("cat", Pipeline([("fill", fill), ("encode", OneHotEncoder(handle_unknown="ignore"))]), words),
        ]
    )
    return Pipeline([("prepare", steps), ("model", model)])


def check_whole_story(X, y, folder):
    pipeline = prepared(X, RandomForestClassifier(30, random_state=0)).fit(X, y)
    ensemble = sl.load(pipeline)
    np.testing.assert_array_equal(ensemble.predict_proba(X), pipeline.predict_proba(X))
    distilled = sl.DistilledTreeClassifier(pipeline, max_leaves=8, random_state=0).fit(X, y)
    text = distilled.to_text()
    assert distilled.tree_.feature_names == list(X.columns)
    assert "__" not in text
    page = folder / "report.html"
    sl.report(distilled, X, y, page, sizes=(4,))
    assert page.stat().st_size > 10_000
    rows = X.head(60).astype(object).where(X.head(60).notna(), None)
    labels, _ = in_duckdb(distilled.tree_, rows.to_numpy().tolist(), folder)
    assert [str(label) for label in labels] == distilled.predict(X.head(60)).astype(str).tolist()
    small = prepared(X, RandomForestClassifier(3, max_depth=3, random_state=0)).fit(X, y)
    merged = sl.merge(small)
    assert sl.certify(merged, small).equivalent
    np.testing.assert_array_equal(merged.predict(X), small.predict(X))
    return text


@pytest.fixture(scope="module")
def loans():
    X = sl.make_loans(600).to_pandas()
    return X, X.pop("default").astype(str).to_numpy()


def test_loans(loans, tmp_path):
    X, y = loans
    assert "checking account = overdrawn" in check_whole_story(X, y, tmp_path)


@pytest.mark.thorough
def test_credit(shared, tmp_path):
    table = sl.read_table(shared / "datasets" / "credit-g.arff")
    text = check_whole_story(table.X.to_pandas(), np.asarray(table.y), tmp_path)
    assert "checking_status" in text


def test_command(loans, tmp_path):
    X, y = loans
    X = X.astype(dict.fromkeys(X.select_dtypes("category"), object)).assign(
        customer=[f"c{i}" for i in range(len(X))]
    )
    pipeline = prepared(X, RandomForestClassifier(10, max_depth=5, random_state=0)).fit(X, y)
    (tmp_path / "pipeline.pkl").write_bytes(pickle.dumps(pipeline))
    X.assign(default=y).to_csv(tmp_path / "loans.csv", index=False)
    options = [
        *("--data", tmp_path / "loans.csv", "--target", "default", "--model", tmp_path / "pipeline.pkl"),
        *("--allow-pickle", "--max-leaves", "6", "--out", tmp_path / "out", "--quiet"),
    ]
    assert run(["distill", *map(str, options)]) == 0
    assert "checking account" in (tmp_path / "out" / "tree.txt").read_text()
    stored = sl.read_model(tmp_path / "out" / "ensemble.json")
    np.testing.assert_array_equal(stored.predict_proba(X), pipeline.predict_proba(X))
    unseen = X.head(20).assign(purpose="moon")
    np.testing.assert_array_equal(stored.predict_proba(unseen), pipeline.predict_proba(unseen))


def test_schema_is_stored(loans):
    X, y = loans
    pipeline = prepared(X, RandomForestClassifier(2, max_depth=2, random_state=0)).fit(X, y)
    ensemble = sl.load(pipeline)
    again = json.loads(json.dumps(ensemble.schema.to_json()))
    assert type(ensemble.schema).from_json(again) == ensemble.schema
    assert [feature.unseen for feature in ensemble.schema.features if feature.is_nominal].count("last") > 0
