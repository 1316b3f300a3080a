"""Comparisons around models that can only be asked, and around pipelines over named columns."""

import re

import catboost
import numpy as np
import pandas as pd
import pytest
from cases import thorough_after
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

import sightline as sl
from sightline.judge._methods import TEACHER

SOME = ["C4.5 tree", "distilled tree, 16 leaves", "CMM tree", "20 rules", "nearest cases"]


@pytest.fixture(scope="module")
def frame():
    random = np.random.RandomState(0)
    X = pd.DataFrame(
        {"size": random.normal(size=90).round(2), "colour": random.choice(["red", "blue", "green"], size=90)}
    )
    return X, np.where((X["size"] > 0) & (X["colour"] != "red"), "yes", "no")


def by_name(last):
    encode = make_column_transformer((OneHotEncoder(), ["colour"]), (StandardScaler(), ["size"]))
    return make_pipeline(encode, last)


def by_hand(rows):
    return np.where((rows["size"] > 0) & (rows["colour"] != "red"), "yes", "no")


@pytest.mark.parametrize(
    "ensemble",
    thorough_after(1, [by_name(SVC()), by_hand, SVC(), sl.BlackBox(by_name(RandomForestClassifier(5)))]),
)
def test_black_boxes_are_compared_and_named(frame, ensemble):
    found = sl.compare(*frame, methods=SOME, ensemble=ensemble, n_folds=3)
    assert found[TEACHER].kind == "black box"
    assert np.isnan(found[TEACHER].tests)
    assert found["distilled tree, 16 leaves"].fidelity > 0.9
    text = found.to_text()
    assert "the black box" in text
    assert "vs black box" in text
    assert "ensemble" not in text
    assert "a model that can be queried but not read" in found.to_html()


def test_catboost_is_compared_with_its_categories(frame):
    boosted = catboost.CatBoostClassifier(
        iterations=10, depth=3, verbose=0, thread_count=1, allow_writing_files=False, cat_features=["colour"]
    )
    found = sl.compare(
        *frame, methods=["C4.5 tree", "distilled tree, 16 leaves"], ensemble=boosted, n_folds=3
    )
    assert found.X.names == ["size", "colour"]
    assert found["distilled tree, 16 leaves"].fidelity > 0.85


def test_columns_stay_as_they_are_if_the_model_takes_them(frame):
    X, y = frame
    assert sl.compare(X, y, methods=["C4.5 tree"], ensemble=by_name(SVC()), n_folds=3).X.names == [
        "size",
        "colour",
    ]
    encoded = sl.compare(X, y, methods=["C4.5 tree"], ensemble=RandomForestClassifier(5), n_folds=3).X.names
    assert encoded[:2] == ["size", "colour = blue"]


def test_methods_that_need_trees_are_left_out_or_refused(frame):
    X, y = frame
    with pytest.raises(
        sl.ParameterError, match="The method 'ISM tree' needs the trees of an ensemble, and SVC has none"
    ):
        sl.compare(X, y, methods=["ISM tree"], ensemble=SVC(), n_folds=3)


def test_errors_of_a_model_that_takes_no_rows_are_told(frame):
    X, y = frame
    pipeline = make_pipeline(make_column_transformer((StandardScaler(), ["weight"])), SVC())
    with pytest.raises(ValueError, match="column") as own:
        pipeline.fit(X[["size"]], y)
    with pytest.raises(ValueError, match=re.escape(str(own.value))):
        sl.compare(X[["size"]], y, methods=["C4.5 tree"], ensemble=pipeline, n_folds=3)
