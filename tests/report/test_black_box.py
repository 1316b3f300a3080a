"""Reports about models that replace a black box: measured, not proved."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC

import sightline as sl
from sightline.report._parts import Summary


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, y.map({0: "setosa", 1: "versicolor", 2: "virginica"}).to_numpy()


DISTILLERS = {
    "tree": sl.DistilledTreeClassifier(max_leaves=4, augment=500, random_state=0),
    "rules": sl.RuleSetClassifier(max_rules=5, random_state=0),
    "cases": sl.MetaKNNClassifier(predict_with="meta", random_state=0),
}


@pytest.mark.parametrize("kind", DISTILLERS)
def test_reports_measure_and_prove_nothing(iris, kind):
    X, y = iris
    model = SVC().fit(X[::2], y[::2])
    estimator = DISTILLERS[kind].set_params(ensemble=model).fit(X[::2], y[::2])
    report = sl.report(estimator, X[1::2], y[1::2], sizes=())
    expected = (estimator.predict(X[1::2]) == model.predict(X[1::2])).mean()
    assert report.metrics["fidelity"]["share"] == pytest.approx(expected)
    assert report.metrics["black_box"] == "SVC"
    assert report.metrics["proof"] is None
    text = report.to_text()
    assert "gives the same label as the black box (SVC) on" in text
    assert "Nothing is proved: a black box can only be queried" in text
    data = Summary(report.evidence).to_json()
    assert report.to_html().startswith("<!doctype html>")
    assert "ensemble" not in json.dumps(
        [data["words"]["sentences"][key] for key in ("difference", "agreement")]
    )
    card = next(part for part in data["parts"] if part["kind"] == "card")
    assert "Black box" in [section["heading"] for section in card["sections"]]
    assert "Certificate" not in [section["heading"] for section in card["sections"]]


def test_cases_that_only_explain_are_reported_as_the_black_box_that_predicts(iris):
    X, y = iris
    model = SVC().fit(X[::2], y[::2])
    report = sl.report(sl.MetaKNNClassifier(model, random_state=0).fit(X[::2], y[::2]), X[1::2], y[1::2])
    accuracy = (model.predict(X[1::2]) == y[1::2]).mean()
    assert f"Accuracy on 75 rows: the black box (SVC) {accuracy:.1%}, " in report.to_text()
    assert "The black box gives the labels." in report.to_text()
    assert report.metrics["fidelity"] is None
    assert report.metrics["black_box"] == "SVC"
    data = Summary(report.evidence).to_json()
    card = next(part for part in data["parts"] if part["kind"] == "card")
    lines = {section["heading"]: dict(section["lines"]) for section in card["sections"]}
    assert lines["Black box"]["Model"] == "SVC"
    assert lines["Model"]["Size"] == "75 cases of 4 columns, described by 25 nearest-neighbor classifiers"
    assert "SHA-256 of model.json" not in lines["Audit trail"]
    measures = next(part for part in data["parts"] if part["kind"] == "measures")
    assert "Black box" in measures["head"]


def test_a_stored_tree_is_reported_beside_a_model_or_function(iris):
    X, y = iris
    model = SVC().fit(X[::2], y[::2])
    tree = sl.DistilledTreeClassifier(model, max_leaves=4, augment=500, random_state=0).fit(X[::2]).tree_
    first = sl.report(tree, X[1::2], y[1::2], ensemble=model).metrics
    second = sl.report(tree, X[1::2], y[1::2], ensemble=model.predict).metrics
    assert first["fidelity"] == second["fidelity"]
    assert (first["black_box"], second["black_box"]) == ("SVC", "predict")


def test_the_black_box_sees_categories_that_the_tree_does_not_know():
    X = pd.DataFrame({"town": ["Ulm", "Bonn"] * 20, "age": np.arange(40)})
    y = np.where(X["town"] == "Ulm", "yes", "no")
    encode = make_column_transformer((OneHotEncoder(categories=[["Bonn", "Köln", "Ulm"]]), ["town"]))
    model = make_pipeline(encode, SVC(kernel="linear")).fit(X, y)
    tree = sl.DistilledTreeClassifier(model, max_leaves=2, augment=100, random_state=0).fit(X, y)
    unseen = pd.DataFrame({"town": ["Köln", "Ulm"], "age": [1, 2]})
    evidence = sl.report(tree, unseen, sizes=()).evidence
    assert evidence.ensemble_labels.tolist() == model.predict(unseen).tolist()


def test_classes_that_have_nothing_in_common_are_refused(iris):
    X, y = iris
    tree = sl.C45Classifier().fit(X, y)
    with pytest.raises(sl.DataError, match="No class of predict is a class of the model: it has"):
        sl.report(tree, X, y, ensemble=SVC().fit(X, np.arange(150) % 2).predict)
