"""Exported rules that predict numbers, and rules at the ends of the numbers."""

from __future__ import annotations

import math
import random

import numpy as np
import pandas as pd
import pytest
from export.boundary_rows import boundary_rows
from export.elsewhere import RUNNERS, in_jpmml, in_onnxruntime
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from strategies import random_rule_set

import sightline as sl
from sightline import _core
from sightline.model import ANY_NUMBER, RuleSet, Voting
from sightline.table import Feature, Schema

RULE_RUNNERS = [runner for runner in RUNNERS if runner not in (in_onnxruntime, in_jpmml)]


def rules_of_numbers(rng):
    """Random rules, each with a number instead of a class."""
    drawn = random_rule_set(rng)
    core = drawn.core
    names = ("n_trees", "feature", "low", "high", "accepts_missing", "category_begin", "category")
    rest = ("condition_begin", "condition", "source_begin", "source")
    arrays = {name: getattr(core, name) for name in (*names, *rest)}
    one_sum = _core.RuleSet(
        n_values=drawn.schema.n_values,
        n_classes=1,
        label=np.zeros(core.n_rules, dtype=np.int32),
        weight=np.array([rng.choice([0.25, 1.0, 1 / 3, 7.0]) for _ in range(core.n_rules)]),
        **arrays,
    )
    values = np.array([rng.choice([-1.5, 0.1, 1e6, 12345.678]) for _ in range(core.n_rules)])
    fallback = rng.choice([None, 0.3])
    voting = Voting((0.7,), (0.0,), pc=rng.choice([0.5, 1.0]), wr=rng.choice([0.0, 0.4]), fallback=fallback)
    return RuleSet(one_sum, drawn.schema, None, voting, values=values)


@pytest.mark.parametrize("runner", RULE_RUNNERS)
@pytest.mark.parametrize("seed", range(5))
def test_means_of_rules(runner, seed, tmp_path):
    rng = random.Random(seed)
    rules = rules_of_numbers(rng)
    rows = boundary_rows(rng, rules.schema, [])
    found = runner(rules, rows, tmp_path)[0]
    expected = rules.predict(pd.DataFrame(rows, columns=rules.feature_names, dtype=object))
    # The kernel adds up rules of equal weight together, which rounds differently.
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-9)


def test_pmml_and_onnx_are_refused_by_name():
    rules = rules_of_numbers(random.Random(0))
    with pytest.raises(sl.UnsupportedModelError) as error:
        rules.export("pmml")
    assert str(error.value) == (
        "PMML has no rules that predict numbers. Export them as sql, python, c or javascript."
    )
    with pytest.raises(sl.UnsupportedModelError, match="has no export of kind 'onnx'"):
        rules.export("onnx")


def rules_on_a(conditions, labels, weights, kind=""):
    """Rules of one condition each on a column "a": the bounds, and whether it may be missing."""
    n = len(conditions)
    core = _core.RuleSet(
        n_values=[0],
        n_classes=len(labels),
        n_trees=1,
        feature=np.zeros(n, dtype=np.int32),
        low=np.array([low for low, _, _ in conditions]),
        high=np.array([high for _, high, _ in conditions]),
        accepts_missing=np.array([accepts for _, _, accepts in conditions], dtype=np.uint8),
        category_begin=np.zeros(n + 1, dtype=np.int64),
        category=np.empty(0, dtype=np.int32),
        condition_begin=np.arange(n + 1, dtype=np.int64),
        condition=np.arange(n, dtype=np.int32),
        label=np.arange(n, dtype=np.int32),
        weight=np.array(weights),
        source_begin=np.arange(n + 1, dtype=np.int64),
        source=np.zeros(n, dtype=np.int32),
    )
    prior = tuple(0.5 ** (n - k) for k in range(n))
    voting = Voting(prior, (0.0,) * n, pc=1.0, fallback=None)
    return RuleSet(core, Schema((Feature("a", kind=kind),)), np.array(labels), voting)


@pytest.mark.parametrize("runner", [*RULE_RUNNERS, in_jpmml])
def test_infinity_is_inside_where_there_is_no_bound(runner, tmp_path):
    """Two rules: at most 5 votes for "low", at most the largest number for "number"."""
    conditions = [(-math.inf, 5.0, False), (-math.inf, ANY_NUMBER, False)]
    rules = rules_on_a(conditions, ["low", "number"], [2.0, 1.0])
    rows = [[-math.inf], [math.inf], [0.0], [6.0]]
    labels = ["low", "number", "low", "number"]
    assert rules.predict(np.array(rows)).tolist() == labels
    assert runner(rules, rows, tmp_path)[0] == labels


@pytest.mark.parametrize("runner", [*RULE_RUNNERS, in_jpmml])
def test_a_value_may_have_to_be_missing(runner, tmp_path):
    """Above the largest number and between equal bounds there is no number, but there are missing values."""
    never = (ANY_NUMBER, math.inf, False)
    conditions = [never, (2.0, 2.0, False), (ANY_NUMBER, math.inf, True), (5.0, 5.0, True), (1.0, 2.0, True)]
    for missing in ([2, 4], [3, 4]):
        kept = [0, 1, *missing]
        names = np.array(["never", "never either", "missing", "missing, too", "two"])[kept].tolist()
        rules = rules_on_a([conditions[c] for c in kept], names, [9.0, 9.0, 2.0, 1.0])
        rows = [[None], [2.0], [5.0], [math.inf], [-math.inf], [ANY_NUMBER]]
        labels = [names[2], *["two"] * 5]
        assert rules.predict(np.array(rows, dtype=float)).tolist() == labels
        assert runner(rules, rows, tmp_path)[0] == labels


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "sqlite"])
def test_a_date_may_have_to_be_missing(dialect):
    rules = rules_on_a(
        [(ANY_NUMBER, math.inf, True), (3.5, math.inf, False)], ["no", "late"], [1.0, 1.0], "date"
    )
    text = rules.export("sql", dialect=dialect)
    assert "1970-01-05" in text
    assert text.count("IS NULL") == 1


def test_rules_about_an_imputed_column(tmp_path):
    """The indicator of an imputer becomes the condition that a column has no value."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"income": np.round(rng.lognormal(8, 0.5, 200)), "age": rng.integers(18, 80, 200) * 1.0})
    X.loc[rng.random(200) < 0.2, "income"] = np.nan
    y = np.where(X.income.isna() | (X.age > 50), "a", "b")
    forest = make_pipeline(
        SimpleImputer(add_indicator=True), RandomForestClassifier(3, max_depth=2, random_state=0)
    ).fit(X, y)
    rules = sl.RuleSetClassifier(forest, random_state=0, pc=1.0, fallback=None).fit(X, y)
    assert "income has no value" in rules.to_text()
    rows = X.astype(object).where(X.notna(), None).to_numpy().tolist()
    for runner in [*RULE_RUNNERS, in_jpmml]:
        assert runner(rules.rules_, rows, tmp_path)[0] == rules.predict(X).tolist()
    numbers = sl.RuleSetRegressor(
        make_pipeline(
            SimpleImputer(add_indicator=True), RandomForestRegressor(3, max_depth=2, random_state=0)
        ).fit(X, y == "a"),
        random_state=0,
    ).fit(X, (y == "a") * 1.0)
    for runner in RULE_RUNNERS:
        found = runner(numbers.rules_, rows, tmp_path)[0]
        np.testing.assert_allclose(found, numbers.predict(X), rtol=1e-13)
