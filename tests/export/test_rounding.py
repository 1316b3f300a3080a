from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier
from strategies import random_rule_set, randoms, trees

import sightline as sl
from sightline.export._rounding import shortened_thresholds
from sightline.model import THRESHOLD


@pytest.mark.parametrize(
    ("thresholds", "borders", "values", "expected"),
    [
        ([2.4871], [2.4871], [2.31, 2.62], [2.5]),
        ([2.4871], [2.4871], [2.0, 3.0], [2.0]),
        ([2.4871], [2.4871], [2.4871, 2.62], [2.5]),
        ([2.4871], [2.45, 2.4871, 2.49], [], [2.48]),
        ([0.8000000417232512], [0.8000000417232512], [0.6, 1.0], [0.8]),
        ([1.4, 1.6], [1.4, 1.6], [1.0, 1.5, 2.0], [1.0, 1.6]),
        ([-0.30000000000000004], [-0.30000000000000004], [-0.31, -0.29], [-0.3]),
        ([1234567.891], [1234567.891], [1234567.0, 1234568.0], [1234567.0]),
        ([float(np.float32(1e-35))], [float(np.float32(1e-35))], [0.0, 1.0], [0.0]),
        ([float(np.float32(1e-35))], [float(np.float32(1e-35))], [1e-36, 1.0], [1e-35]),
        ([1.7976931348623157e308 / 2], [1.7976931348623157e308 / 2], [1e307, 1e308], [9e307]),
    ],
)
def test_by_hand(thresholds, borders, values, expected):
    found = shortened_thresholds(thresholds, borders, np.array(values, dtype=float))
    assert [found[old] for old in thresholds] == expected


@given(randoms())
def test_no_value_and_no_border_lies_between(rng):
    borders = sorted({round(rng.uniform(-5, 5), rng.randint(0, 12)) for _ in range(rng.randint(1, 8))})
    thresholds = sorted(rng.sample(borders, rng.randint(1, len(borders))))
    values = np.array([rng.uniform(-5, 5) for _ in range(rng.randint(0, 20))] + thresholds[:1] + [math.nan])
    found = shortened_thresholds(thresholds, borders, values)
    new = [found[old] for old in thresholds]
    assert all(one < other for one, other in pairwise(new))
    for old in thresholds:
        low, high = sorted([old, found[old]])
        np.testing.assert_array_equal(values <= old, values <= found[old])
        assert not any(low <= border <= high and border != old for border in borders)
        assert len(repr(found[old])) <= len(repr(old)) + 2


def test_rows_take_their_old_ways():
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(5, max_depth=4, random_state=0).fit(X, y)
    model = sl.load(DecisionTreeClassifier(random_state=0).fit(X, y)).trees[0]
    rounding = sl.round_thresholds(model, X, forest)
    np.testing.assert_array_equal(rounding.model.apply(X), model.apply(X))
    is_test = model.core.test == THRESHOLD
    lengths = [len(repr(float(t))) for t in rounding.model.core.threshold[is_test]]
    assert sum(lengths) < 0.6 * sum(len(repr(float(t))) for t in model.core.threshold[is_test])
    assert rounding.n_changed > 0
    assert rounding.certificate.equivalent is rounding.is_unchanged is False
    # The witness lies between an old and a new threshold: the models differ there indeed.
    row = [list(rounding.certificate.witness.values())]
    assert rounding.model.predict(row)[0] != model.predict(row)[0]


@given(trees())
def test_only_thresholds_change(tree):
    new = sl.round_thresholds(tree, ensemble=tree).model
    for name in ("test", "feature", "child", "share", "category", "weight", "output"):
        np.testing.assert_array_equal(getattr(new.core, name), getattr(tree.core, name))


def test_unchanged_functions_are_certified():
    tree = sl.C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]).tree_
    rounding = sl.round_thresholds(tree, [[1.0], [2.0], [3.0], [4.0]])
    assert rounding.n_changed == 0
    assert rounding.is_unchanged is True
    assert rounding.certificate.equivalent is True


def test_export_rounds_if_asked_to():
    X, y = load_breast_cancer(return_X_y=True)
    tree = sl.C45Classifier().fit(X, y)
    text = tree.export("sql", missing="largest", round_thresholds=True, X=X)
    assert text == sl.round_thresholds(tree, X).model.export("sql", missing="largest")
    assert len(text) < len(tree.export("sql", missing="largest"))


def test_errors():
    tree = sl.C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]).tree_
    with pytest.raises(sl.DataError) as error:
        sl.round_thresholds(tree)
    assert str(error.value) == "Rounding thresholds needs rows or an ensemble. Pass X, ensemble or both."
    with pytest.raises(sl.UnsupportedModelError) as error:
        sl.round_thresholds(sl.load(tree), [[1.0]])
    assert str(error.value) == (
        "Cannot round the thresholds of a model of type Ensemble. Supported: trees, graphs and rule sets."
    )


def bounds_of(rules):
    """Pairs (feature, number) of every bound, in the order of the conditions."""
    feature = rules.core.feature.tolist()
    return [
        *zip(feature, rules.core.low.tolist(), strict=True),
        *zip(feature, rules.core.high.tolist(), strict=True),
    ]


@given(randoms())
def test_rules_of_rows_stay_the_same(rng):
    rules = random_rule_set(rng)
    finite = [bound for _, bound in bounds_of(rules) if math.isfinite(bound)] or [0.0]
    moved = rules.with_bounds(rules.core.low + 0.012345, rules.core.high + 0.012345)
    rows = sl.table.Table.from_any(rows_around(rng, moved.schema, finite))
    rounding = sl.round_thresholds(moved, rows, moved)
    new = rounding.model
    np.testing.assert_array_equal(new.votes(rows), moved.votes(rows))
    for (feature, old), (_, short) in zip(bounds_of(moved), bounds_of(new), strict=True):
        between = sorted([old, short])
        assert not any(
            between[0] <= other <= between[1] and other != old
            for index, other in bounds_of(moved)
            if index == feature
        )
    assert rounding.n_changed == sum(
        one != other for one, other in zip(bounds_of(moved), bounds_of(new), strict=True)
    )
    if rounding.is_unchanged is False:
        row = [list(rounding.certificate.witness.values())]
        assert new.predict(row)[0] != moved.predict(row)[0]


def rows_around(rng, schema, numbers):
    return [
        [
            rng.choice(feature.categories)
            if feature.categories is not None
            else rng.choice([rng.choice(numbers), rng.uniform(-3, 3), math.nan])
            for feature in schema.features
        ]
        for _ in range(20)
    ]


def test_rule_sets_of_forests():
    X, y = load_breast_cancer(return_X_y=True)
    estimator = sl.RuleSetClassifier(RandomForestClassifier(5, max_depth=3, random_state=0), random_state=0)
    rules = estimator.fit(X, y).rules_
    rounding = sl.round_thresholds(rules, X, estimator.ensemble_)
    assert rounding.n_changed > 0
    np.testing.assert_array_equal(rounding.model.votes(X), rules.votes(X))
    length = sum(len(repr(bound)) for _, bound in bounds_of(rules))
    assert sum(len(repr(bound)) for _, bound in bounds_of(rounding.model)) < 0.8 * length
    np.testing.assert_array_equal(rounding.model.statistics.coverage, rules.statistics.coverage)
    assert rounding.certificate is not None
    text = estimator.export("sql", round_thresholds=True, X=X)
    assert text == sl.round_thresholds(rules, X).model.export("sql")
    same = sl.round_thresholds(rounding.model, X, estimator.ensemble_)
    assert same.is_unchanged is (True if same.n_changed == 0 else same.certificate.equivalent)
