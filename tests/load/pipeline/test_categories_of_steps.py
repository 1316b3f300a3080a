"""Values that a pipeline refuses, also behind its first step, and columns in frames of other libraries."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
    TargetEncoder,
)
from sklearn.tree import DecisionTreeClassifier

from sightline.exceptions import DataError, UnsupportedModelError
from sightline.load import load

TREE = DecisionTreeClassifier(max_depth=4, random_state=0)
ORDINAL = OrdinalEncoder(
    categories=[["any other", "u", "v", "w"]], handle_unknown="use_encoded_value", unknown_value=-1
)
ORDINAL_OF_ANY = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
LENIENT = OneHotEncoder(handle_unknown="ignore", sparse_output=False)


def frame():
    rng = np.random.default_rng(0)
    words = np.array(["any other", "u", "v"])[rng.integers(3, size=90)]
    return pd.DataFrame({"a": rng.normal(size=90), "c": words})


@pytest.mark.parametrize(
    "encoder",
    [make_pipeline(ORDINAL, OneHotEncoder()), OneHotEncoder(), LENIENT],
    ids=["codes that the next step refuses", "refused", "accepted"],
)
@pytest.mark.parametrize("twice", [False, True], ids=["once", "twice"])
def test_values_that_the_pipeline_refuses(encoder, twice):
    parts = [("first", encoder, ["c"]), ("second", ORDINAL if twice else "drop", ["c"])]
    rows = frame()
    model = make_pipeline(ColumnTransformer(parts, remainder="passthrough"), TREE)
    model.fit(rows, (rows["c"] == "u") ^ (rows["a"] > 0.3))
    ensemble = load(model)
    np.testing.assert_array_equal(ensemble.predict(rows), model.predict(rows))
    for value in ("w", "new"):
        changed = rows.assign(c=value)
        try:
            expected = model.predict(changed)
        except ValueError:
            with pytest.raises(DataError):
                ensemble.predict(changed)
        else:
            np.testing.assert_array_equal(ensemble.predict(changed), expected)


def test_none_as_the_missing_value():
    filled = make_pipeline(SimpleImputer(missing_values=None, strategy="most_frequent"), LENIENT)
    rows = frame()
    model = make_pipeline(ColumnTransformer([("c", filled, ["c"])]), TREE).fit(rows, rows["c"] == "u")
    np.testing.assert_array_equal(load(model).predict(rows), model.predict(rows))


@pytest.mark.parametrize("add_indicator", [False, True])
def test_none_as_the_most_frequent_value(add_indicator):
    # By default the imputer looks for NaN. None is a value, here the one that fills.
    rows = frame()
    rows["c"] = rows["c"].astype(object).where(rows["c"] == "u", None)
    steps = (SimpleImputer(strategy="most_frequent", add_indicator=add_indicator), LENIENT)
    model = make_pipeline(ColumnTransformer([("c", make_pipeline(*steps), ["c"])]), TREE)
    model.fit(rows, rows["c"] == "u")
    assert model[0].named_transformers_["c"][0].statistics_.tolist() == [None]
    for changed in (rows, rows.assign(c=rows["c"].where(rows["c"] == "u", np.nan))):
        np.testing.assert_array_equal(load(model).predict(changed), model.predict(changed))


def test_steps_that_make_frames_of_polars():
    steps = ColumnTransformer([("a", StandardScaler(), ["a"]), ("c", LENIENT, ["c"])])
    rows = frame()
    model = make_pipeline(steps.set_output(transform="polars"), TREE).fit(rows, rows["c"] == "u")
    np.testing.assert_array_equal(load(model).predict(rows), model.predict(rows))


class Unhashable:
    __hash__ = None

    def __call__(self, X):
        return X


def test_a_function_that_cannot_be_hashed_is_refused():
    rows = frame()[["a"]]
    model = make_pipeline(FunctionTransformer(Unhashable()), TREE).fit(rows, rows["a"] > 0)
    with pytest.raises(UnsupportedModelError, match="which is not one of numpy's supported functions"):
        load(model)


def test_a_pipeline_of_nothing_but_a_model():
    rows = frame()[["a"]]
    model = make_pipeline(TREE).fit(rows, rows["a"] > 0)
    np.testing.assert_array_equal(load(model).predict(rows), model.predict(rows))


def test_boolean_that_another_step_takes_as_a_number():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"a": rng.normal(size=200).round(1), "b": rng.random(200) > 0.5})
    encoder = OneHotEncoder(handle_unknown="ignore")
    steps = ColumnTransformer(
        [("both", make_pipeline(SimpleImputer(), encoder), ["a", "b"]), ("flag", encoder, ["b"])]
    )
    for seed in range(5):
        tree = DecisionTreeClassifier(random_state=seed)
        pipeline = make_pipeline(steps, tree).fit(rows, rows["b"])
        np.testing.assert_array_equal(load(pipeline).predict(rows), pipeline.predict(rows))


def test_string_that_marks_missing_values_beside_a_column_of_numbers():
    rows = frame().assign(a=lambda rows: rows["a"].round())
    fill = SimpleImputer(missing_values="u", strategy="most_frequent")
    pipeline = make_pipeline(fill, OneHotEncoder(handle_unknown="ignore"), TREE).fit(rows, rows["a"] > 0)
    for some in (rows, rows.assign(a=99.0), rows.assign(c="new")):
        np.testing.assert_array_equal(load(pipeline).predict(some), pipeline.predict(some))


def test_numbers_that_are_missing_for_a_step_that_gives_frames():
    X = pd.DataFrame(np.random.default_rng(0).integers(5, size=(90, 2)) * 1.0, columns=["a", "b"])
    pipeline = make_pipeline(SimpleImputer(missing_values=0), TREE).set_output(transform="pandas")
    pipeline.fit(X, X["a"] > 2)
    np.testing.assert_array_equal(load(pipeline).predict(X), pipeline.predict(X))


@pytest.mark.parametrize("encoder", [TargetEncoder(cv=2), OneHotEncoder(), ORDINAL_OF_ANY], ids=repr)
@pytest.mark.parametrize("named", [False, True])
def test_numbers_that_are_objects_and_categories(encoder, named):
    X = np.array([[number % 5] for number in range(60)], dtype=object)
    rows, column = (pd.DataFrame(X, columns=["a"]), ["a"]) if named else (X, [0])
    steps = ColumnTransformer([("number", StandardScaler(), column), ("category", encoder, column)])
    pipeline = make_pipeline(steps, TREE).fit(rows, X[:, 0].astype(int) % 2)
    np.testing.assert_array_equal(load(pipeline).predict(rows), pipeline.predict(rows))
