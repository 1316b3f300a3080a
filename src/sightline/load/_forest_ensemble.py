"""From a forest to an ensemble over the caller's columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from numpy.typing import NDArray

from sightline import _core
from sightline.load._assembly import build_sum, build_trees
from sightline.load._binary_nodes import BinaryNodes
from sightline.load._forest import Forest
from sightline.load._forest_tests import BehindColumns, compares_numbers, threshold_nodes
from sightline.load.pipeline import pull_back
from sightline.model import Ensemble
from sightline.table import Schema


def forest_ensemble(
    forest: Forest,
    schema: Schema,
    classes: NDArray[Any] | None,
    tree_score: list[int],
    tree_weight: list[float] | None = None,
) -> Ensemble:
    """Return the ensemble of a forest.

    Parameters
    ----------
    forest : Forest
        The trees and how they are summed.
    schema : Schema
        The caller's columns.
    classes : ndarray, optional
        The labels, or None for numbers.
    tree_score : list of int
        The score that each tree adds to, -1 for all.
    tree_weight : list of float, optional
        Weights of the trees.

    Returns
    -------
    Ensemble
        Over the caller's columns.
    """

    def summed(nodes: Iterable[BinaryNodes], columns: Schema) -> _core.Ensemble:
        return build_sum(
            build_trees(nodes, columns.n_values, forest.node.where),
            forest.node.where,
            n_scores=len(forest.base),
            tree_weight=tree_weight,
            tree_score=tree_score,
            base=forest.base.tolist(),
            base_last=True,
            single_precision=forest.is_single,
        )

    if compares_numbers(forest):
        return Ensemble(summed(threshold_nodes(forest, tree_score), schema), schema, classes, forest.link)
    behind = BehindColumns(forest, schema)
    core = summed(behind.nodes(tree_score), behind.schema)
    return pull_back(Ensemble(core, behind.schema, classes, forest.link), schema, behind.columns)
