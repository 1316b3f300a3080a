"""The gains of all tests at once against one test at a time."""

from __future__ import annotations

import random

import numpy as np
import pytest
from cases import each
from distill.ism_reference import Context, Question, SlowISM, gain
from strategies import at_most, core_tree, leaf, random_ensemble, random_table, rows_of, schema_of

from sightline import _core
from sightline.model import SUBSET, Ensemble, Link, combined
from sightline.table import Column, Table

M = 3.0


def options(variant: str, mixture: bool, **others: object) -> _core.IsmOptions:
    usual = {
        "gain_ratio": False,
        "literal_matching": False,
        "pooled_probability": True,
        "stop_on_rows": True,
        "m": M,
        "max_leaves": 0,
        "max_nodes": 1000,
        "max_depth": -1,
        "max_seconds": 1e9,
    }
    return _core.IsmOptions(variant=variant, mixture_gain=mixture, **(usual | others))


def prepared(model) -> _core.IsmEnsemble:
    link = model.link
    return _core.IsmEnsemble(model.core, link.kind, list(link.divide_by), link.label_above, 0)


def questions(native: _core.IsmEnsemble) -> list[Question | None]:
    """One per numbered test; None at the sentinels."""
    result: list[Question | None] = []
    for test in range(native.n_tests):
        kind, feature = native.test_kind[test], native.test_feature[test]
        threshold = native.test_threshold[test]
        categories = frozenset(native.test_categories(test)) if kind == SUBSET else frozenset()
        result.append(None if np.isinf(threshold) else Question(kind, feature, threshold, categories))
    return result


def random_path(rng: random.Random, slow: SlowISM, asked: list[Question | None]) -> tuple[list, Context]:
    """Some answers that leave rows possible."""
    context, path = Context.everything(slow.n_values), []
    for _ in range(rng.randint(0, 3)):
        open_tests = [t for t, q in enumerate(asked) if q is not None and q.is_open(context, slow.n_values)]
        if not open_tests:
            break
        test = rng.choice(open_tests)
        outcomes = asked[test].outcomes(context, slow.n_values)
        possible = [
            b
            for b, outcome in enumerate(outcomes)
            if slow.n_values[asked[test].feature] == 0 or outcome.categories[asked[test].feature]
        ]
        branch = rng.choice(possible)
        path.append((test, branch))
        context = outcomes[branch]
    return path, context


@pytest.mark.parametrize("variant", ["t", "td", "d", "hybrid"])
@each(seed=range(60))
def test_gains_of_all_tests_equal_one_question_at_a_time(seed, variant):
    rng = random.Random(seed)
    drawn = random_ensemble(rng)
    model = drawn.model()
    assert_gains_are_equal(rng, drawn, model, variant, (True, False))


@pytest.mark.parametrize("variant", ["t", "td", "d", "hybrid"])
@each(seed=range(40))
def test_gains_of_numbers_are_the_reductions_of_variance_of_independent_trees(seed, variant):
    """The reference has the variance within the sides, too. It cancels: independence does not matter."""
    rng = random.Random(2000 + seed)
    drawn = random_ensemble(rng, max_trees=3, n_classes=2, kinds=("sums",))
    model = Ensemble(drawn.core(), drawn.schema, None, Link("identity", (rng.choice([1.0, 3.0]),)))
    assert_gains_are_equal(rng, drawn, model, variant, (True,))


def assert_gains_are_equal(rng, drawn, model, variant, readings):
    native, slow = prepared(model), SlowISM(drawn, model.link)
    table = random_table(rng, drawn.schema, 14)
    labels, probabilities = model.answers(table)
    # Numbers are measured in deviations of all rows' numbers.
    unit, moments = 1.0, probabilities
    if model.classes_ is None:
        unit = 1.0 if np.ptp(probabilities) < 1e-12 else np.var(probabilities)
        moments = np.column_stack([probabilities, probabilities**2])
    asked = questions(native)
    for mixture in readings:
        path, context = random_path(rng, slow, asked)
        got = native.gains(
            table.native(),
            labels,
            np.ascontiguousarray(probabilities).ravel(),
            np.ones(14),
            options(variant, mixture),
            path,
        )
        inside = [
            index
            for index, row in enumerate(rows_of(table))
            if all(asked[test].branch(row) == branch for test, branch in path)
        ]
        rows = [rows_of(table)[index] for index in inside]
        for test, question in enumerate(asked):
            if question is None:
                continue
            wanted = gain(slow, question, context, rows, moments[inside], variant, mixture, M) / unit
            assert got[test] == pytest.approx(wanted, abs=1e-12, rel=1e-9, nan_ok=True), (path, question)


@each(seed=range(40))
def test_expectation_behind_a_path_equals_the_definition(seed):
    rng = random.Random(1000 + seed)
    drawn = random_ensemble(rng)
    model = drawn.model()
    native, slow = prepared(model), SlowISM(drawn, model.link)
    path, context = random_path(rng, slow, questions(native))
    assert native.expected(path) == pytest.approx(slow.expected(context).tolist(), abs=1e-12)


def test_the_marginal_probability_of_a_test_needs_rows_on_both_sides():
    schema = schema_of([0])
    core = combined([core_tree(at_most(0, 0.5, leaf(1, 0), leaf(0, 1)), schema)])
    model = Ensemble(core, schema, np.array([0, 1]), Link("mean"))

    def gain_of(values, **others):
        table = Table([Column(schema.features[0], np.array(values))])
        labels, probabilities = model.answers(table)
        found = prepared(model).gains(
            table.native(),
            labels,
            probabilities.ravel(),
            np.ones(len(values)),
            options("t", True, **others),
            [],
        )
        return found[0]

    def entropy(share):
        return -sum(p * np.log2(p) for p in (share, 1 - share))

    assert gain_of([0.0, 1.0, 1.0, 1.0], pooled_probability=False) == pytest.approx(entropy(0.25))
    # Below the test all rows agree, so that it says nothing about them.
    assert np.isnan(gain_of([0.0, 0.1, 0.2, 0.3], pooled_probability=False))
    # Without a value, both sides are as probable as in the tree, whose leaves weigh the same.
    assert gain_of([np.nan] * 4, pooled_probability=False) == pytest.approx(entropy(0.5))
    assert gain_of([np.nan] * 4) == pytest.approx(entropy(0.5))
