"""Stored cases: the same bytes when written again, and a sentence for every damage."""

import json

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import sightline as sl
from sightline.model._format import parse_model

ROWS = [["a", 1.0], ["a", None], ["b", 2.5], [None, 9.0], ["b", 7.0], ["a", 8.0]] * 4
LABELS = ["low", "low", "low", "high", "high", "high"] * 4
NUMBERS = np.random.default_rng(0).normal(size=(40, 3))
SIGNS = (NUMBERS[:, 0] > 0).astype(int)


def stored(model):
    return json.loads(model.to_json())


def models():
    knn = sl.SubspaceKNNClassifier(n_members=3, k=2, random_state=0)
    yield knn.fit(ROWS, LABELS).ensemble_, ROWS
    yield sl.MetaKNNClassifier(knn, random_state=0).fit(ROWS, LABELS).cases_, ROWS
    yield sl.MetaKNNClassifier(knn, predict_with="meta", select_members=True).fit(ROWS, LABELS).cases_, ROWS
    forest = RandomForestClassifier(5, random_state=0)
    yield sl.MetaKNNClassifier(forest).fit(NUMBERS, SIGNS).cases_, NUMBERS
    boosted = GradientBoostingClassifier(n_estimators=4, random_state=0)
    yield sl.MetaKNNClassifier(boosted, predict_with="meta").fit(NUMBERS, SIGNS).cases_, NUMBERS


@pytest.mark.parametrize("place", range(5))
def test_round_trip(place):
    model, rows = list(models())[place]
    again = parse_model(model.to_json(), "here")
    assert again.to_json() == model.to_json()
    np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))
    if hasattr(model, "views"):
        np.testing.assert_array_equal(again.views, model.views)
        assert str(again.explain(rows[0])) == str(model.explain(rows[0]))


def refusal(document):
    with pytest.raises(sl.ModelFormatError) as error:
        parse_model(json.dumps(document), "here")
    return str(error.value)


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("masks", ["00"], "here: 'masks' must hold strings of 2 digits 0 and 1, not all 0."),
        ("outcome", [9] * 24, "here: 'outcome' names a value that is not declared."),
        ("columns", [[0]], "here: there are 2 features, but 1 columns."),
        ("columns", [[0], [1.0]], "here: the column 'x0' must hold one value for each of the 24 cases."),
        ("columns", [[7] * 24, [1.0] * 24], "here: the column 'x0' names a value that is not declared."),
        ("k", 0, "here: 'k' must be at least 1 and less than 2147483648."),
        ("classes", None, "here: cases need 'classes'."),
    ],
)
def test_damaged_neighbours(key, value, sentence):
    document = stored(next(models())[0])
    document[key] = value
    assert refusal(document) == sentence


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("views", [0.5], "here: 'views' must hold 72 numbers, not 1."),
        ("members", [2, 1], "here: 'members' must name some of the 3 members, ascending."),
        (
            "origin",
            "guessed",
            "here: there is no origin 'guessed' of views, or no way 'ensemble' to predict.",
        ),
        ("ensemble", {"kind": "song"}, "here: unknown kind of model 'song'; choose from: "),
        ("cases", 7, "here: 'cases' must be dict or NoneType, not int."),
    ],
)
def test_damaged_case_bases(key, value, sentence):
    document = stored(list(models())[1][0])
    document[key] = value
    assert refusal(document).startswith(sentence)


def test_cases_of_trees_are_needed():
    document = stored(list(models())[3][0])
    document["cases"] = None
    assert refusal(document) == "here: 'cases' are missing."
