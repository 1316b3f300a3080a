"""Which columns the model and the ensemble use, and what happens to their answers without one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.model import LEAF, Ensemble, Tree
from sightline.report._evidence import Evidence
from sightline.report._sample import Sample
from sightline.table import Column, Table
from sightline.wording import percent, printable

MAX_ROWS = 1_000
MAX_TREES = 100
MAX_COLUMNS = 15
"""Rows and trees are taken evenly spaced, the columns by their use."""


_TESTED = "Tested: rows whose answer passes a test on the column; for the ensemble, the mean over its trees."
_SHUFFLED = {
    "classes": "Shuffled: rows that get another label once the values of the column are shuffled.",
    "numbers": "Shuffled: by how many standard deviations the number changes on average once the values of "
    "the column are shuffled.",
}
_STAND_IN = "Correlated columns stand in for each other."


def importance_part(evidence: Evidence, sample: Sample) -> dict[str, Any] | None:  # noqa: ARG001
    """Return one line per column, the most used first; None without a tree and its ensemble."""
    model, ensemble = evidence.model, evidence.ensemble
    if not isinstance(model, Tree) or not isinstance(ensemble, Ensemble):
        return None
    indices = _spaced(evidence.rows.n_rows, MAX_ROWS)
    rows = evidence.rows[indices]
    own = share_tested(model, rows)
    theirs = np.mean(
        [share_tested(ensemble.trees[tree], rows) for tree in _spaced(ensemble.n_trees, MAX_TREES)], axis=0
    )
    order = np.lexsort((-theirs, -own))
    chosen = [int(feature) for feature in order if own[feature] or theirs[feature]][:MAX_COLUMNS]
    if not chosen:
        return None
    assert evidence.ensemble_labels is not None
    shuffled = shuffled_rows(rows, chosen)
    changes = [
        _changed(one, before[indices], shuffled, len(chosen))
        for one, before in ((model, evidence.model_labels), (ensemble, evidence.ensemble_labels))
    ]
    return {
        "title": "Which columns matter",
        "note": f"On {rows.n_rows:,} rows. {_TESTED} {_SHUFFLED[evidence.task]} {_STAND_IN}",
        "heads": ["Column", "Tested by the model", "by the ensemble", "Shuffled: model", "ensemble"],
        "lines": [
            [
                printable(rows.columns[feature].name),
                percent(float(own[feature])),
                percent(float(theirs[feature])),
                *(_text(change[index], evidence) for change in changes),
            ]
            for index, feature in enumerate(chosen)
        ],
    }


def share_tested(model: Tree, rows: Table) -> NDArray[np.float64]:
    """Return per column the share of rows whose answer passes a test on it.

    Examples
    --------
    >>> import sightline as sl
    >>> X = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0]] * 5
    >>> tree = sl.C45Classifier().fit(X, ["a", "b", "c", "c"] * 5).tree_
    >>> share_tested(tree, Table.from_any(X)).tolist()
    [0.5, 1.0]
    """
    core = model.core
    passing = np.asarray(core.passing(rows.native()))[:, 0]
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


def shuffled_rows(rows: Table, features: list[int]) -> Table:
    """Return the rows once per feature, each time with the values of that feature shuffled."""
    order = np.random.default_rng(0).permutation(rows.n_rows)
    columns = []
    for index, column in enumerate(rows.columns):
        blocks = [column.values[order] if index == feature else column.values for feature in features]
        columns.append(Column(column.feature, np.concatenate(blocks)))
    return Table(columns)


def _changed(model: Any, labels: NDArray[Any], shuffled: Table, n_features: int) -> list[float]:
    """Return per shuffled column the share of rows with another label, or the mean change in deviations."""
    before, after = np.tile(labels, n_features), np.asarray(model.predict(shuffled))
    if model.classes_ is not None:
        return _means(before != after, n_features)
    return _means(np.abs(after - before) / (float(before.std()) or 1.0), n_features)


def _means(amounts: NDArray[Any], n_blocks: int) -> list[float]:
    return [float(block.mean()) for block in np.split(np.asarray(amounts), n_blocks)]


def _text(change: float, evidence: Evidence) -> str:
    return percent(change, 1) if evidence.task == "classes" else f"{change:.2f}"


def _spaced(n: int, n_max: int) -> NDArray[np.int64]:
    return np.unique(np.linspace(0, n - 1, min(n, n_max)).astype(np.int64))
