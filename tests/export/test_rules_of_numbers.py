"""Exported rules that predict numbers, and rules at the ends of the numbers."""

from __future__ import annotations

import math
import random

import numpy as np
import pandas as pd
import pytest
from export.boundary_rows import boundary_rows
from export.elsewhere import RUNNERS, in_jpmml, in_onnxruntime
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


@pytest.mark.parametrize("runner", [*RULE_RUNNERS, in_jpmml])
def test_infinity_is_inside_where_there_is_no_bound(runner, tmp_path):
    """Two rules: at most 5 votes for "low", at most the largest number for "number"."""
    schema = Schema((Feature("a"),))
    core = _core.RuleSet(
        n_values=[0],
        n_classes=2,
        n_trees=1,
        feature=np.zeros(2, dtype=np.int32),
        low=np.full(2, -math.inf),
        high=np.array([5.0, ANY_NUMBER]),
        accepts_missing=np.zeros(2, dtype=np.uint8),
        category_begin=np.zeros(3, dtype=np.int64),
        category=np.empty(0, dtype=np.int32),
        condition_begin=np.arange(3, dtype=np.int64),
        condition=np.arange(2, dtype=np.int32),
        label=np.array([0, 1], dtype=np.int32),
        weight=np.array([2.0, 1.0]),
        source_begin=np.arange(3, dtype=np.int64),
        source=np.zeros(2, dtype=np.int32),
    )
    voting = Voting((0.9, 0.1), (0.0, 0.0), fallback=None)
    rules = RuleSet(core, schema, np.array(["low", "number"]), voting)
    rows = [[-math.inf], [math.inf], [0.0], [6.0]]
    labels = ["low", "number", "low", "number"]
    assert rules.predict(np.array(rows)).tolist() == labels
    assert runner(rules, rows, tmp_path)[0] == labels
