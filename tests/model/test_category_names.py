import catboost as cb
import numpy as np
import pandas as pd
import pytest

from sightline.load import load
from sightline.model import Ensemble, with_categories
from sightline.table import Schema, Table, hash_of, unnamed_category


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"c": rng.choice(list("abcdef"), 120), "x": rng.normal(size=120)})


@pytest.fixture(scope="module")
def ensemble(frame):
    options = {"cat_features": ["c"], "iterations": 5, "depth": 2, "verbose": 0, "allow_writing_files": False}
    y = frame["c"].isin(["a", "c"]) ^ (frame["x"] > 0)
    return load(cb.CatBoostClassifier(one_hot_max_size=9, **options).fit(frame, y))


def test_predictions_stay(frame, ensemble):
    named = with_categories(ensemble, Table.from_any(frame))
    unseen = frame.assign(c="zzz")
    for rows in (frame, unseen):
        np.testing.assert_array_equal(named.scores(rows), ensemble.scores(rows))


def test_known_values_come_first_and_in_their_order(frame, ensemble):
    values = ["f", "new", "a"]
    found = with_categories(ensemble, {"c": values}).schema.features[0].categories
    assert found[:3] == ("f", "new", "a")
    assert all(value.startswith("hash ") for value in found[3:])
    assert {hash_of(value) for value in found} == {
        *(hash_of(value) for value in ensemble.schema.features[0].categories),
        hash_of("f"),
        hash_of("new"),
        hash_of("a"),
    }


def test_naming_in_steps_is_the_same_as_at_once(frame, ensemble):
    at_once = with_categories(ensemble, {"c": list("abcdef")})
    in_steps = with_categories(with_categories(ensemble, {"c": ["d", "b"]}), {"c": list("abcdef")})
    assert in_steps.to_json() == at_once.to_json()
    assert with_categories(at_once, at_once.schema) is at_once


def test_names_of_another_model(frame, ensemble):
    named = with_categories(ensemble, Table.from_any(frame))
    assert with_categories(ensemble, named.schema).to_json() == named.to_json()
    assert with_categories(ensemble, Schema(ensemble.schema.features[1:])) is ensemble


def test_rows_without_names_are_matched_by_position(frame, ensemble):
    rows = Table.from_any(frame.to_numpy(dtype=object))
    assert "a" in with_categories(ensemble, rows).schema.features[0].categories


def test_names_survive_the_file(frame, ensemble, tmp_path):
    for written in (ensemble, with_categories(ensemble, Table.from_any(frame))):
        written.to_json(tmp_path / "model.json")
        read = load(tmp_path / "model.json")
        assert isinstance(read, Ensemble)
        np.testing.assert_array_equal(read.scores(frame), ensemble.scores(frame))
        assert read.schema == written.schema


def test_other_models_stay_as_they_are(frame):
    import sightline as sl

    forest = sl.BaggedTreesClassifier(n_trees=2, random_state=0).fit(frame, frame["x"] > 0).ensemble_
    assert with_categories(forest, {"c": ["z"]}) is forest


def test_unnamed_categories():
    assert hash_of(unnamed_category(-5)) == -5
    assert hash_of("hash of something") == hash_of("hash of something")
    assert hash_of("hash of something") != hash_of("hash ")
