"""Merged regressors: the ensemble's number in every cell, or one within the tolerance."""

from __future__ import annotations

import random

import numpy as np
import pytest
from cases import each
from grid import cell_table
from random_numbers import KINDS, drawn_roots, number_ensemble
from sklearn.ensemble import RandomForestRegressor
from strategies import random_ensemble, random_schema

import sightline as sl
from sightline.model import Ensemble, Link


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(15))
def test_every_cell_gets_the_ensembles_number(kind, seed):
    rng = random.Random(f"{kind} {seed}")
    schema = random_schema(rng, 3)
    ensemble = number_ensemble(rng, drawn_roots(rng, schema, rng.randint(1, 3)), schema, kind)
    cells = cell_table(ensemble)
    assert cells is not None, "too many cells"
    expected = ensemble.predict(cells)
    for to in ("tree", "graph"):
        merged = sl.merge(ensemble, to=to)
        assert merged.complete
        np.testing.assert_array_equal(merged.predict(cells), expected)
        assert sl.certify(merged, ensemble, tolerance=0.0).equivalent
        for tolerance in (1e-6, 0.2, 3.0):
            close = sl.merge(ensemble, to=to, tolerance=tolerance)
            assert close.complete
            assert close.proof.tolerance == tolerance
            assert np.abs(close.predict(cells) - expected).max() <= tolerance
            assert close.n_leaves <= merged.n_leaves
            assert sl.certify(close, ensemble, tolerance=tolerance).equivalent


@each(seed=range(20))
def test_what_the_budget_leaves_open_is_not_proved(seed):
    rng = random.Random(seed)
    schema = random_schema(rng, 3)
    ensemble = number_ensemble(rng, drawn_roots(rng, schema, 4), schema, "sum")
    cells = cell_table(ensemble)
    for max_nodes in (1, 3, 7):
        merged = sl.merge(ensemble, max_nodes=max_nodes, tolerance=0.05)
        leaf = merged.core.find_whole_leaves(cells.native(), 1)
        is_proved = (leaf >= 0) & merged.proof.is_proved[leaf]
        difference = np.abs(merged.predict(cells) - ensemble.predict(cells))
        assert (difference[is_proved] <= 0.05).all()
        if merged.complete:
            assert is_proved.all()


def test_a_merged_regressor_is_stored_with_its_tolerance(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    forest = RandomForestRegressor(4, max_depth=3, random_state=0).fit(X, X[:, 0] * X[:, 1])
    merged = sl.merge(forest, X=X, tolerance=0.1)
    assert merged.proved_share == 1.0
    merged.to_json(tmp_path / "merged.json")
    stored = sl.read_model(tmp_path / "merged.json")
    assert stored.proof.tolerance == 0.1
    np.testing.assert_array_equal(stored.predict(X), merged.predict(X))
    assert np.abs(stored.predict(X) - forest.predict(X)).max() <= 0.1
    assert sl.certify(stored, forest, X, tolerance=0.1)


@each(seed=range(12))
def test_numbers_divided_by_a_negative_number_are_merged_and_certified(seed):
    """Such scores have no bounds: a box is decided only where every tree has one leaf left."""
    drawn = random_ensemble(random.Random(seed), max_trees=3, n_classes=2, kinds=("sums",))
    ensemble = Ensemble(drawn.core(), drawn.schema, None, Link("identity", (-2.0,)))
    merged = sl.merge(ensemble)
    assert merged.complete
    assert sl.certify(merged, ensemble).equivalent
    cells = cell_table(ensemble)
    assert (merged.predict(cells) == ensemble.predict(cells)).all()
    other = Ensemble(drawn.core(), drawn.schema, None, Link("identity", (-4.0,)))
    same = (other.predict(cells) == ensemble.predict(cells)).all()
    assert sl.certify(merged, other).equivalent == same
