import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from xgboost import XGBClassifier

import sightline as sl
from sightline.exceptions import DataError, ParameterError, UnsupportedModelError
from sightline.load import load

pytestmark = pytest.mark.parametrize("problem", [0], indirect=True)


@pytest.fixture
def booster(problem):
    return XGBClassifier(n_estimators=3, max_depth=2).fit(problem.X, problem.labels([0, 1]))


@pytest.mark.parametrize("classes", [["good", "bad"], ("good", "bad"), {1: "bad", 0: "good"}])
def test_names_replace_codes(booster, problem, classes, tmp_path):
    ensemble = load(booster, classes=classes, positive="bad")
    expected = np.array(["good", "bad"])[booster.predict(problem.X)]
    np.testing.assert_array_equal(ensemble.predict(problem.X), expected)
    assert ensemble.positive == "bad"
    ensemble.to_json(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert (again.classes_.tolist(), again.positive) == (["good", "bad"], "bad")
    assert "bad" in sl.merge(ensemble).to_text()


def test_names_of_a_file(booster, tmp_path, problem):
    path = tmp_path / "model.json"
    booster.save_model(path)
    ensemble = load(path, classes=["good", "bad"])
    assert set(ensemble.predict(problem.X)) == {"good", "bad"}


def test_renaming_keeps_the_positive_class(booster):
    named = load(booster, classes=["good", "bad"], positive="bad")
    assert load(named, classes=["gut", "schlecht"]).positive == "schlecht"
    assert load(booster, positive=np.int64(1)).positive == 1


def test_names_may_come_one_by_one(booster):
    ensemble = load(load(booster, positive=1), classes=iter(["good", "bad"]))
    assert ensemble.classes_.tolist() == ["good", "bad"]
    assert ensemble.positive == "bad"


def test_explanations_give_the_probability_of_the_positive_class(booster, problem):
    ensemble = load(booster, classes=["good", "bad"], positive="bad")
    row = problem.X[booster.predict(problem.X) == 0][0]
    share = f"{100 * booster.predict_proba(row[None])[0, 1]:.0f}%"
    assert f"(bad: {share})." in str(ensemble.explain(row))


def test_mixed_names_stay_as_they_are(booster):
    assert load(booster, classes=["no", 1]).classes_.tolist() == ["no", 1]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"classes": ["good"]},
            "The 'classes' parameter of load must give 2 names, for 0 and 1 in this order. Got 1 instead.",
        ),
        (
            {"classes": ["good", "good"]},
            "The 'classes' parameter of load gives the name 'good' twice. Names must be different.",
        ),
        (
            {"classes": "ab"},
            "The 'classes' parameter of load must be a list of names, or a dict from labels to names. "
            "Got 'ab' instead.",
        ),
        (
            {"classes": {"good"}},
            "The 'classes' parameter of load must be a list of names, or a dict from labels to names. "
            "Got {'good'} instead.",
        ),
        (
            {"classes": ["good", float("nan")]},
            "The 'classes' parameter of load must hold strings, numbers or booleans. Got nan instead.",
        ),
        (
            {"classes": {0: "good"}},
            "The 'classes' parameter of load has no name for 1. The model's classes are 0 and 1.",
        ),
        (
            {"classes": {0: "good", 1: "bad", 2: "ugly"}},
            "The 'classes' parameter of load names 2, which is not a class of the model. "
            "Its classes are 0 and 1.",
        ),
        (
            {"classes": [["good"], ["bad"]]},
            "The 'classes' parameter of load must hold strings, numbers or booleans. Got ['good'] instead.",
        ),
        (
            {"classes": ["good", "bad"], "positive": 1},
            "The 'positive' parameter of load must be one of the classes 'good' and 'bad'. Got 1 instead.",
        ),
    ],
)
def test_wrong_names(booster, options, sentence):
    with pytest.raises(ParameterError) as caught:
        load(booster, **options)
    assert str(caught.value) == sentence


def test_a_regressor_has_no_classes(problem):
    model = RandomForestRegressor(2).fit(problem.X, problem.number)
    with pytest.raises(UnsupportedModelError) as caught:
        load(model, classes=["a", "b"])
    assert str(caught.value) == (
        "The model is a regressor: it has no classes to name. Omit 'classes' and 'positive'."
    )


def test_labels_in_codes_and_in_names(booster, problem):
    names = problem.labels(["good", "bad"])
    with pytest.raises(DataError) as caught:
        sl.DistilledTreeClassifier(booster).fit(problem.X, names)
    assert str(caught.value) == (
        "y has the labels 'bad' and 'good', but the ensemble's classes are 0 and 1. Pass the labels that the "
        "ensemble predicts, or name its classes as in y: sl.load(ensemble, classes=[…])."
    )
    named = load(booster, classes=["good", "bad"])
    tree = sl.DistilledTreeClassifier(named).fit(problem.X, names)
    assert tree.score(problem.X, named.predict(problem.X)) > 0.9
    forest = RandomForestClassifier(3, random_state=0).fit(problem.X, names)
    with pytest.raises(DataError, match="y has the labels 0 and 1, but the ensemble's classes are 'bad' and"):
        sl.DistilledTreeClassifier(forest).fit(problem.X, problem.labels([0, 1]))
