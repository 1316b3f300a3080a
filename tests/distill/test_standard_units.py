"""Trees of numbers that are far from 0, or tiny: as good as those of moderate numbers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.metrics import r2_score
from sklearn.tree import DecisionTreeRegressor

import sightline as sl
from sightline.distill._standard_units import fit_in_standard_units


@pytest.fixture(scope="module")
def task():
    X, y = load_diabetes(return_X_y=True)
    return X[::2], y[::2]


def test_moderate_numbers_give_scikit_learns_trees_bit_for_bit(task):
    X, y = task
    for numbers in (y, y - 1e5, 1e9 * y):
        own = fit_in_standard_units(RandomForestRegressor(3, random_state=0), X, numbers)
        theirs = RandomForestRegressor(3, random_state=0).fit(X, numbers)
        np.testing.assert_array_equal(own.predict(X), theirs.predict(X))


def test_what_depends_on_the_unit_is_left_to_scikit_learn(task):
    X, y = task
    for options in ({"criterion": "poisson"}, {"min_impurity_decrease": 1.0}, {"ccp_alpha": 1.0}):
        own = fit_in_standard_units(DecisionTreeRegressor(random_state=0, **options), X, y + 1e9)
        theirs = DecisionTreeRegressor(random_state=0, **options).fit(X, y + 1e9)
        np.testing.assert_array_equal(own.predict(X), theirs.predict(X))


@pytest.mark.parametrize(
    "distiller",
    [
        sl.DistilledTreeRegressor(RandomForestRegressor(10, min_samples_leaf=5, random_state=0)),
        sl.ISMRegressor(RandomForestRegressor(5, max_depth=4, random_state=0)),
        sl.RuleSetRegressor(HistGradientBoostingRegressor(max_iter=20)),
    ],
    ids=lambda distiller: type(distiller).__name__,
)
def test_neither_unit_nor_zero_of_the_target_matters(task, distiller):
    X, y = task
    distiller.set_params(random_state=0)
    plain = r2_score(y, distiller.fit(X, y).predict(X))
    for unit, shift in [(1.0, 1e9), (1.0, 1e12), (1e-12, 0.0), (1e30, 0.0)]:
        moved = r2_score(y, (distiller.fit(X, unit * y + shift).predict(X) - shift) / unit)
        assert moved == pytest.approx(plain, abs=0.1), (unit, shift)


def test_the_forest_of_scikit_learn_alone_would_learn_hardly_anything(task):
    X, y = task
    theirs = RandomForestRegressor(10, random_state=0).fit(X, y + 1e12)
    own = fit_in_standard_units(RandomForestRegressor(10, random_state=0), X, y + 1e12)
    assert r2_score(y, theirs.predict(X) - 1e12) < 0.2
    assert r2_score(y, own.predict(X) - 1e12) > 0.8
