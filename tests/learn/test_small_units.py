"""Columns in small units: C4.5 takes numbers that differ by less than 1e-5 for equal, and says so."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

import sightline as sl
from sightline.learn import Growth, SmallUnits

RANDOM = np.random.default_rng(0)
AMOUNT = RANDOM.uniform(40, 400, 300).round(1)
X = pd.DataFrame({"amount": AMOUNT, "noise": RANDOM.normal(size=300)})
SMALL = X.assign(amount=AMOUNT * 2.0**-20)
Y = np.where((AMOUNT > 180) ^ (RANDOM.random(300) < 0.05), "ill", "well")
WARNING = (
    "The column 'amount' is in a unit so small that C4.5 takes different numbers for equal: it never splits "
    "between numbers that differ by less than 1e-05. Multiply it by a power of ten, such as 1e6."
)
BASE = sl.C45Classifier(binary_splits=True)


@pytest.mark.parametrize(
    "learner",
    [
        sl.C45Classifier(),
        sl.BaggedTreesClassifier(BASE, n_trees=2, random_state=0),
        sl.BoostedTreesClassifier(BASE, n_trees=2),
        sl.SetGenClassifier(evaluations=1, random_state=0),
    ],
)
def test_c45_as_it_is_warns(learner):
    with pytest.warns(sl.DataWarning) as caught:
        learner.fit(SMALL, Y)
    assert [str(one.message) for one in caught] == [WARNING]
    assert caught[0].filename == __file__


def ism():
    return sl.ISMClassifier(max_leaves=3, random_state=0)


def cmm():
    return sl.CMMClassifier(RandomForestClassifier(5, max_depth=3, random_state=0), random_state=0)


@pytest.mark.parametrize(
    "make",
    [
        lambda: sl.BaggedTreesClassifier(n_trees=3, random_state=0),
        lambda: sl.BoostedTreesClassifier(n_trees=3),
        ism,
        cmm,
    ],
)
def test_ensembles_that_nobody_chose_learn_the_same_in_any_unit(make):
    """They did not test the column at all: accuracy fell from 95% to 62%."""
    assert make().fit(SMALL, Y).score(SMALL, Y) == pytest.approx(make().fit(X, Y).score(X, Y), abs=0.01)
    assert make().fit(SMALL, Y).score(SMALL, Y) > 0.9


def test_every_digit_is_the_same():
    """A power of two changes no digit of a threshold."""
    table, small = map(sl.Table.from_any, (X, SMALL))
    units = SmallUnits.of(small)
    options = sl.C45Classifier(min_leaf=1, prune=False, collapse=False, mdl_correction=False)
    one = Growth(table, sl.Labels.from_any(Y), options).tree()
    other = units.restored(Growth(units.scaled(small), sl.Labels.from_any(Y), options).tree())
    factor = np.where(np.asarray(one.core.feature) == 0, 2.0**-20, 1.0)
    assert one.n_leaves > 10
    assert np.array_equal(np.asarray(one.core.threshold) * factor, other.core.threshold)
    assert np.array_equal(one.core.counts, other.core.counts)
    assert (one.predict(X) == other.predict(SMALL)).all()


@pytest.mark.parametrize(
    "column",
    [
        np.where(np.arange(300) % 2 == 0, 0.1 + 0.2, 0.3),
        np.where(np.arange(300) % 2 == 0, 0.0, 0.1 + 0.2 - 0.3) + (np.arange(300) % 3 == 0),
        np.where(np.arange(300) < 290, 0.0, np.arange(300) * 1e-6),
        RANDOM.uniform(size=300),
        np.arange(300) * 1.0,
        np.where(np.arange(300) % 2 == 0, -1.7e308, 1.7e308) / np.arange(1.5, 301),
        np.full(300, 1e-9),
        np.full(300, np.nan),
        np.repeat(["a", "b"], 150),
    ],
    ids=[
        "rounding",
        "rounding near 0",
        "mostly 0",
        "probabilities",
        "whole",
        "huge",
        "constant",
        "empty",
        "text",
    ],
)
def test_columns_that_lose_nothing(column):
    assert not SmallUnits.of(sl.Table.from_any(pd.DataFrame({"x": column}))).powers


def test_a_well_known_table_with_small_numbers_loses_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sl.C45Classifier().fit(*load_breast_cancer(return_X_y=True, as_frame=True))


@pytest.mark.parametrize(("decimals", "is_small"), [(4, False), (7, True)])
def test_many_rows(decimals, is_small):
    """Of many rows a sample is looked at first, in which numbers lie farther apart."""
    column = RANDOM.uniform(0, 1 if decimals == 4 else 1e-3, size=60_000).round(decimals)
    assert bool(SmallUnits.of(sl.Table.from_any(column[:, None])).powers) == is_small


@pytest.mark.parametrize("unit", [1e-7, 1e-30, 1e-300])
def test_numbers_of_any_size_are_told_apart(unit):
    table = sl.Table.from_any(X.assign(amount=AMOUNT * unit))
    units = SmallUnits.of(table)
    assert units.names == ("amount",)
    assert not SmallUnits.of(units.scaled(table)).powers
    assert units.scaled(table)["noise"] is table["noise"]
