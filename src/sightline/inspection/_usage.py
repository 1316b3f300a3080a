"""How many rows have a path that tests a column."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.model import LEAF, Ensemble, Tree, tested_features
from sightline.table import Table

MAX_TREES = 100
"""Trees of an ensemble that are looked at, evenly spaced."""


def shares_tested(model: Any, rows: Table) -> NDArray[np.float64] | None:
    """Return :func:`share_tested` of a tree, or its mean over the trees of an ensemble; None for others."""
    if isinstance(model, Tree):
        return share_tested(model, rows)
    if not isinstance(model, Ensemble):
        return None
    trees = [model.trees[tree] for tree in evenly_spaced(model.n_trees, MAX_TREES)]
    return np.asarray(np.mean([share_tested(tree, rows) for tree in trees], axis=0))


def by_use(model: Any, shares: NDArray[np.float64] | None) -> list[int]:
    """Return the columns that a model tests, those that most rows pass a test on first, if that is known."""
    used = sorted(tested_features(model))
    return used if shares is None else sorted(used, key=lambda feature: -shares[feature])


def share_tested(model: Tree, rows: Table) -> NDArray[np.float64]:
    """Return per column the share of rows whose path tests it.

    Examples
    --------
    >>> import sightline as sl
    >>> X = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0]] * 5
    >>> tree = sl.C45Classifier().fit(X, ["a", "b", "c", "c"] * 5).tree_
    >>> share_tested(tree, Table.from_any(X)).tolist()
    [0.5, 1.0]
    """
    core = model.core
    passing = np.asarray(core.passing(rows.aligned(model.schema, "the model").native()))[:, 0]
    tests, features = core.test.tolist(), core.feature.tolist()
    begin, child = core.branch_begin.tolist(), core.child.tolist()
    tested: list[frozenset[int]] = [frozenset()] * core.n_nodes
    shares = np.zeros(len(model.schema))
    for node in range(core.n_nodes):
        if tests[node] == LEAF:
            continue
        # A row counts at the first test of a column on its way.
        if features[node] not in tested[node]:
            shares[features[node]] += passing[node]
        for below in child[begin[node] : begin[node + 1]]:
            tested[below] = tested[node] | {features[node]}
    return np.minimum(shares / rows.n_rows, 1.0)


def evenly_spaced(n: int, n_max: int) -> NDArray[np.int64]:
    """Return at most this many indices below n, evenly spaced, so that no seed is needed."""
    return np.unique(np.linspace(0, n - 1, min(n, n_max)).astype(np.int64))
