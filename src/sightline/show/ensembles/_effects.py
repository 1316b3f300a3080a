"""How much each column moves the answers of an ensemble."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.model import Ensemble, class_sums
from sightline.table import Table


def contributions_of(ensemble: Ensemble, rows: Table, codes: NDArray[np.int32]) -> NDArray[np.float64]:
    """Add up what each feature adds to a score along the rows' paths.

    A step from a node to its child changes what the tree would predict; the change is credited to
    the feature that was tested.

    Parameters
    ----------
    ensemble : Ensemble
        The trees.
    rows : Table
        Rows in their columns.
    codes : ndarray of shape (n_rows,)
        The class of each row whose score is explained. Under *sigmoid* there is one score for both.

    Returns
    -------
    ndarray of shape (n_rows, n_features)
        Sums, before any division.
    """
    ensemble = class_sums(ensemble)
    core = ensemble.core
    total = np.zeros((rows.n_rows, len(ensemble.schema)))
    leaves = ensemble.apply(rows)
    for t, (tree, weight, score) in enumerate(
        zip(core.trees, core.tree_weight, core.tree_score, strict=True)
    ):
        chosen = np.arange(rows.n_rows)
        if score >= 0 and ensemble.link.kind == "softmax":
            chosen = np.flatnonzero(codes == score)
        is_single = score >= 0 or ensemble.link.kind == "sigmoid" or tree.n_outputs == 1
        columns = np.zeros(len(chosen), dtype=np.int64) if is_single else codes[chosen].astype(np.int64)
        _add_path(tree, leaves[chosen, t], columns, weight, total, chosen)
    return total


def _add_path(
    tree: _core.Tree,
    leaves: NDArray[np.int32],
    columns: NDArray[np.int64],
    weight: float,
    total: NDArray[np.float64],
    rows: NDArray[np.intp],
) -> None:
    """Climb from the leaves to the root, all rows one step at a time."""
    output, feature = np.asarray(tree.output), np.asarray(tree.feature)
    parent = np.full(tree.n_nodes, -1)
    parent[tree.child] = np.repeat(np.arange(tree.n_nodes), np.diff(tree.branch_begin))
    node = leaves.astype(np.int64)
    while len(below := np.flatnonzero(node > 0)):
        node, rows, columns = node[below], rows[below], columns[below]
        above = parent[node]
        # Every row is there once, so that no two changes meet in one cell.
        total[rows, feature[above]] += weight * (output[node, columns] - output[above, columns])
        node = above


def moved_answers(ensemble: Ensemble, rows: Table, codes: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return how much each feature raised the probability of a class, or the number.

    What a feature adds to the score is taken away again, and the answers are compared.

    Parameters
    ----------
    ensemble : Ensemble
        The trees.
    rows : Table
        Rows in their columns.
    codes : ndarray of shape (n_rows,)
        The class of each row; zeros if numbers are predicted.

    Returns
    -------
    ndarray of shape (n_rows, n_features)
        Changes of the probability or number. Those of several combined models are approximate.
    """
    added = contributions_of(ensemble, rows, codes)
    link = ensemble.link
    if link.kind == "median":
        return added / float(np.sum(ensemble.core.tree_weight))
    if link.kind == "mixture":
        return added if ensemble.classes_ is not None else _scaled(ensemble, rows, added)
    scores = ensemble.scores(rows)
    everyone = np.arange(rows.n_rows)
    column = codes if scores.shape[1] > 1 else np.zeros_like(codes)
    answer = 0 if ensemble.classes_ is None else codes
    now = link.probabilities(link.divided(scores))[everyone, answer]
    moved = np.zeros_like(added)
    for feature in np.flatnonzero(added.any(axis=0)):
        without = scores.copy()
        without[everyone, column] -= added[:, feature]
        moved[:, feature] = now - link.probabilities(link.divided(without))[everyone, answer]
    return moved


def _scaled(ensemble: Ensemble, rows: Table, added: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return contributions to the sums of several regressions in the unit of their common number."""
    core, link = ensemble.core, ensemble.link
    roots = np.array(core.base)
    for tree, weight, score in zip(core.trees, core.tree_weight, core.tree_score, strict=True):
        chosen = slice(None) if score < 0 else score
        roots[chosen] += weight * np.asarray(tree.output)[0]
    start = float(link.probabilities(link.divided(roots[None, :]))[0, 0])
    total = added.sum(axis=1)
    factor = np.divide(ensemble.predict(rows) - start, total, out=np.zeros_like(total), where=total != 0)
    return np.asarray(added * factor[:, None])
