"""Columns whose names databases also give to hidden ones, such as SQLite's rowid."""

from __future__ import annotations

import random

import numpy as np
import pytest
from export.elsewhere import in_duckdb, in_sqlite
from strategies import at_most, core_tree, leaf, one_of, random_rule_set

import sightline as sl
from sightline.model import LEAF, LeafLines
from sightline.table import Feature, Schema

NAMES = ["rowid", "oid", "_rowid_", "RowID", "ctid", "tableoid", "level", "rownum", "_PARTITIONTIME"]
ROWS = [[x, c] for x in (0.1, 0.9, 1.7, None) for c in ("a", "b", "never seen", None)]


def schema_with(name: str) -> Schema:
    return Schema((Feature(name), Feature("c", ("a", "b"))))


def shared_out(name: str, *leaves, classes=None, **options) -> sl.Tree:
    """A tree that splits a row without a category between two tests of the named column."""
    schema = schema_with(name)
    root = one_of(
        1,
        [0],
        at_most(0, 0.5, leaf(*leaves[0]), leaf(*leaves[1]), shares=[0.3, 0.7]),
        at_most(0, 1.5, leaf(*leaves[2]), leaf(*leaves[3]), shares=[0.6, 0.4]),
        shares=[0.45, 0.55],
    )
    return sl.Tree(core_tree(root, schema), schema, classes, **options)


def models(name: str):
    shares = [(0.9, 0.1), (0.1, 0.9), (0.2, 0.8), (0.7, 0.3)]
    tree = shared_out(name, *shares, classes=np.array(["no", "yes"]))
    numbers = [(1.0,), (2.0,), (4.0,), (8.0,)]
    plain = shared_out(name, *numbers)
    is_leaf = np.asarray(plain.core.test) == LEAF
    lines = LeafLines(
        term_begin=np.append(0, np.cumsum(is_leaf)),
        feature=np.zeros(4, dtype=np.int32),
        slope=np.array([3.0, -2.0, 5.0, 7.0]),
        center=np.array([0.25, 0.5, 0.75, 1.0]),
        low=np.full(7, -100.0),
        high=np.full(7, 100.0),
    )
    yield tree
    yield tree.to_graph()
    yield plain
    yield shared_out(name, *numbers, lines=lines)
    for seed in range(3):
        yield random_rule_set(random.Random(seed), schema_with(name))


@pytest.mark.parametrize("run", [in_sqlite, in_duckdb])
@pytest.mark.parametrize("name", NAMES)
def test_a_column_is_that_of_the_table(run, name, tmp_path):
    for model in models(name):
        found, shares = run(model, ROWS, tmp_path)
        if model.classes_ is None:
            np.testing.assert_allclose(found, model.predict(ROWS), rtol=1e-15)
        else:
            assert found == model.predict(ROWS).tolist()
            np.testing.assert_allclose(shares, model.predict_proba(ROWS), rtol=1e-14)
