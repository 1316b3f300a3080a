"""Target, positive class and colors: named in title, page and card."""

import json
import re

import pandas as pd
import pytest

import sightline as sl
from sightline.exceptions import ParameterError
from sightline.show import class_colors, to_svg
from sightline.wording import branch_words


@pytest.fixture(scope="module")
def tree():
    rows = [[float(row), float(row % 7)] for row in range(60)]
    labels = ["bad" if row < 30 else "good" for row in range(60)]
    return sl.C45Classifier().fit(rows, labels).tree_, rows, labels


def data_of(report):
    return json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', report.to_html(), re.DOTALL)[1])


def test_target_and_positive_class_are_named(tree):
    model, rows, labels = tree
    data = data_of(sl.report(model, rows, labels, target="risk", positive="bad"))
    assert data["title"].endswith(": risk = bad")
    assert data["target"] == "risk"
    colors = [(one["name"], one["color"]) for one in data["classes"]]
    assert colors == [("bad", "#e69f00"), ("good", "#0072b2")]
    card = next(part for part in data["parts"] if part["kind"] == "card")
    assert "risk" in json.dumps(card)


def test_the_name_of_a_series(tree):
    model, rows, labels = tree
    data = data_of(sl.report(model, rows, pd.Series(labels, name="risk")))
    assert data["title"].endswith(": risk")
    assert [entry["color"] for entry in data["classes"]] == ["#0072b2", "#e69f00"]
    assert data_of(sl.report(model, rows, labels))["target"] == ""


def test_a_name_that_the_target_has_from_the_weights_or_a_column():
    """pandas calls claims / exposure "exposure", and so did titles and letters."""
    exposure = pd.Series([0.5, 1.0] * 30, name="exposure")
    age = pd.Series(range(60), name="age")
    X = pd.DataFrame({"age": age})
    rate = (age > 29) / exposure
    tree = sl.DistilledTreeRegressor(max_leaves=2, random_state=0)
    learners = [
        (tree, rate, {"sample_weight": exposure}, None),
        (sl.C45Classifier(), age > 29, {}, None),
        (sl.C45Classifier(), rate.astype(str), {"sample_weight": exposure}, None),
        (sl.C45Classifier(), (age > 29).rename("risk"), {"sample_weight": exposure}, "risk"),
    ]
    for learner, y, weights, name in learners:
        report = sl.report(learner.fit(X, y, **weights), X, y, sizes=(), **weights)
        assert report.metrics["target"] == name
    assert sl.report(learner, X, age > 29, target="age").metrics["target"] == "age"


def test_colors_can_be_set(tree):
    model, rows, labels = tree
    data = data_of(sl.report(model, rows, labels, positive="good", colors={"good": "#aa0000"}))
    assert [entry["color"] for entry in data["classes"]] == ["#0072b2", "#aa0000"]
    with pytest.raises(ParameterError, match=r"A color must have the form '#d55e00'. Got 'red' instead."):
        class_colors(["a"], colors={"a": "red"})


def test_classes_that_do_not_exist(tree):
    model, rows, labels = tree
    with pytest.raises(
        ParameterError, match=r"positive names 'ugly', but the model predicts 'bad' and 'good'."
    ):
        sl.report(model, rows, labels, positive="ugly")
    with pytest.raises(ParameterError, match=r"colors names 1, but the model predicts 'bad' and 'good'."):
        sl.report(model, rows, labels, colors={1: "#000000"})


def test_the_positive_class_has_one_color_wherever_it_stands():
    for labels in (["a", "b"], ["a", "b", "c", "d"]):
        for positive in labels:
            colors = class_colors(labels, positive)
            assert colors[labels.index(positive)] == "#e69f00"
            assert len(set(colors)) == len(colors)


def test_branches_are_not_called_like_classes():
    model = sl.C45Classifier().fit([[float(row)] for row in range(40)], ["no"] * 20 + ["yes"] * 20).tree_
    drawing = to_svg(model)
    assert ">true<" in drawing
    assert ">false<" in drawing
    assert branch_words(["yes", "true", "x"]) == ("holds", "fails")
