"""None, NaN and pandas' NA: a loaded pipeline predicts what the pipeline does, or warns."""

import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from library_versions import has
from sklearn.compose import make_column_transformer
from sklearn.ensemble import VotingClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, OrdinalEncoder, StandardScaler, TargetEncoder
from sklearn.tree import DecisionTreeClassifier

import sightline as sl
from sightline.exceptions import DataWarning, UnsupportedModelError
from sightline.load import load
from sightline.load.pipeline._missing_kinds import missing_kinds

KINDS = {"NaN": np.nan, "None": None, "pd.NA": pd.NA}
FILL = SimpleImputer(strategy="most_frequent")
ORDINAL = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
LENIENT = OneHotEncoder(handle_unknown="ignore")
STEPS = {
    "one-hot": LENIENT,
    "ordinal": ORDINAL,
    "strict": OrdinalEncoder(),
    "target": TargetEncoder(cv=2),
    "filled": make_pipeline(FILL, LENIENT),
    "constant": make_pipeline(SimpleImputer(strategy="constant", fill_value="u"), ORDINAL),
    "NA": make_pipeline(SimpleImputer(missing_values=pd.NA, strategy="most_frequent"), ORDINAL),
    "marked": make_pipeline(SimpleImputer(strategy="most_frequent", add_indicator=True), ORDINAL),
}


def frame(missing, seed=0):
    rng = np.random.default_rng(seed)
    words = np.array(["u", "v", "w"], dtype=object)[rng.integers(3, size=120)]
    words[rng.random(120) < 0.4] = missing
    return pd.DataFrame({"a": rng.normal(size=120), "c": pd.Series(words, dtype=object)})


def fitted(step, rows):
    y = rows["c"].isna() ^ (rows["c"] == "u").fillna(False).astype(bool) ^ (rows["a"] > 0.3)
    steps = make_column_transformer((step, ["c"]), remainder="passthrough")
    return make_pipeline(steps, DecisionTreeClassifier(max_depth=5, random_state=0)).fit(rows, y)


def predicted(ensemble, rows):
    """Return the labels, and the sentences of warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return ensemble.predict(rows), [str(one.message) for one in caught]


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("trained_on", ["NaN", "None", "u"])
def test_same_answer_or_a_warning(name, trained_on):
    pipeline = fitted(STEPS[name], frame(KINDS.get(trained_on, "u")))
    ensemble = load(pipeline)
    for kind, cell in KINDS.items():
        rows = frame(cell, seed=1)
        found, sentences = predicted(ensemble, rows)
        try:
            expected = pipeline.predict(rows)
        except (TypeError, ValueError):
            continue
        if kind == trained_on:
            assert not sentences
        if not sentences:
            np.testing.assert_array_equal(found, expected)


def test_none_is_not_filled():
    fill = SimpleImputer(strategy="constant", fill_value="w")
    pipeline = fitted(make_pipeline(fill, ORDINAL), frame(np.nan))
    rows = frame(None)
    found, sentences = predicted(load(pipeline), rows)
    assert (found != pipeline.predict(rows)).any()  # else the warning would be about nothing
    assert sentences == [
        "Missing values are None in the column 'c'. Sightline treats them as NaN, but the pipeline does not, "
        "so predictions may differ. Replace them for both: X['c'].astype(object)"
        ".where(X['c'].notna(), np.nan)."
    ]
    rows["c"] = rows["c"].astype(object).where(rows["c"].notna(), np.nan)
    found, sentences = predicted(load(pipeline), rows)
    assert not sentences
    np.testing.assert_array_equal(found, pipeline.predict(rows))


def in_polars(rows):
    return pl.DataFrame({"a": rows["a"].to_numpy(), "c": rows["c"].tolist()})


@pytest.mark.parametrize(
    ("container", "kind"),
    [
        (lambda rows: rows.astype({"c": "string"}), "pd.NA"),
        (in_polars, "None"),
        (lambda rows: in_polars(rows).to_arrow(), "None"),
        (lambda rows: in_polars(rows).cast({"c": pl.Categorical}).to_arrow(), "None"),
        (lambda rows: in_polars(rows).cast({"c": pl.Enum(["u", "v", "w"])}), "None"),
        (lambda rows: rows.to_numpy(dtype=object), "None"),
    ],
    ids=["string", "polars", "arrow", "dictionary", "enumeration", "array"],
)
def test_containers(container, kind):
    ensemble = load(fitted(ORDINAL, frame(np.nan)))
    with pytest.warns(DataWarning, match=f"Missing values are {kind} in the column"):
        ensemble.predict(container(frame(None)))


def test_categories_of_pandas_hold_nan():
    pipeline = fitted(ORDINAL, frame(None))
    rows = frame(None).astype({"c": "category"})
    found, sentences = predicted(load(pipeline), rows)
    assert (found != pipeline.predict(rows)).any()
    assert "Missing values are NaN in the column 'c'. Sightline treats them as None" in sentences[0]


def test_numbers_that_are_objects():
    rows = frame(np.nan)
    y = rows["a"] > 0
    rows["a"] = rows["a"].where(rows["a"] < 1).astype(object)
    steps = make_pipeline(SimpleImputer(strategy="constant", fill_value=-9), StandardScaler())
    model = DecisionTreeClassifier(max_depth=4, random_state=0)
    pipeline = make_pipeline(make_column_transformer((steps, ["a"])), model).fit(rows, y)
    ensemble = load(pipeline)
    found, sentences = predicted(ensemble, rows)
    assert not sentences
    np.testing.assert_array_equal(found, pipeline.predict(rows))
    changed = rows.assign(a=rows["a"].where(rows["a"].notna(), None))
    assert "Missing values are None in the column 'a'" in predicted(ensemble, changed)[1][0]


def test_stored_ensemble_warns_as_well(tmp_path):
    load(fitted(ORDINAL, frame(np.nan))).to_json(tmp_path / "ensemble.json")
    with pytest.warns(DataWarning, match="Missing values are None in the column 'c'"):
        load(tmp_path / "ensemble.json").predict(frame(None))


def test_votes():
    rows = frame(np.nan)
    y = (rows["c"] == "u").to_numpy()
    members = [("one", fitted(ORDINAL, rows)), ("two", fitted(make_pipeline(FILL, ORDINAL), rows))]
    vote = VotingClassifier(members).fit(rows, y)
    with pytest.warns(DataWarning, match="Missing values are None in the column 'c'"):
        load(vote).predict(frame(None))
    vote.estimators_[1] = fitted(ORDINAL, frame(None))
    with pytest.raises(UnsupportedModelError, match="of column 'c' were NaN or None in training"):
        load(vote)


@pytest.mark.parametrize("dtype", ["boolean", "bool[pyarrow]"])
@pytest.mark.parametrize("name", ["one-hot", "ordinal", "filled"])
def test_nullable_booleans_are_what_scikit_learn_makes_of_them(name, dtype):
    rng = np.random.default_rng(0)
    flags = pd.Series(rng.random(120) < 0.5, dtype="boolean").mask(rng.random(120) < 0.3)
    rows = pd.DataFrame({"a": rng.normal(size=120), "c": flags.astype(dtype)})
    y = flags.isna() ^ (rows["a"] > 0.3)
    steps = make_column_transformer((STEPS[name], ["c"]), remainder="passthrough")
    pipeline = make_pipeline(steps, DecisionTreeClassifier(max_depth=5, random_state=0)).fit(rows, y)
    ensemble = load(pipeline)
    found, sentences = predicted(ensemble, rows)
    assert not sentences
    np.testing.assert_array_equal(found, pipeline.predict(rows))
    # As objects, pandas' NA is a value like others.
    objects = rows.astype({"c": object})
    found, sentences = predicted(ensemble, objects)
    try:
        expected = pipeline.predict(objects)
    except TypeError:
        return
    assert sentences or np.array_equal(found, expected)


def test_arrays_are_probed_without_pandas_too(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert missing_kinds([], has_names=False) == ["NaN", "None"]
    assert missing_kinds([], has_names=True) == []


@pytest.mark.parametrize("trained_on", [np.nan, None])
def test_none_in_a_dict_is_just_missing(trained_on):
    # Rows of a table are such dicts, and messages say to pass None.
    ensemble = load(fitted(ORDINAL, frame(trained_on)))
    row = {"a": 0.5, "c": None}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ensemble.explain(row)
        ensemble.explain([row, row])
        sl.counterfactuals(ensemble, row)
    with pytest.warns(DataWarning, match="Missing values are"):
        ensemble.explain(pd.Series({"a": 0.5, "c": np.nan if trained_on is None else None}, dtype=object))


@pytest.mark.parametrize("last", [MaxAbsScaler(), "passthrough"], ids=["followed", "last"])
@pytest.mark.parametrize("number", [SimpleImputer(), "passthrough"], ids=["imputed", "unchanged"])
def test_missing_categories_beside_numbers(number, last):
    """A column of numbers rejects pandas' NA, and with it the step behind the encoder."""
    rows = frame(np.nan).astype({"c": "str" if has("pandas", "3") else object})
    steps = make_column_transformer((number, ["a"]), (LENIENT, ["c"]))
    model = DecisionTreeClassifier(random_state=0)
    pipeline = make_pipeline(steps, last, model).fit(rows, rows["c"].isna())
    ensemble = load(pipeline)
    changed = rows.astype({"c": "string"})
    found, sentences = predicted(ensemble, changed)
    assert (found != pipeline.predict(changed)).any()  # else the warning would be about nothing
    assert len(sentences) == 1
    assert "Missing values are pd.NA in the column 'c'. Sightline treats them as NaN" in sentences[0]
    assert not predicted(ensemble, rows)[1]
