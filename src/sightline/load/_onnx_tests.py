"""The tests of ONNX trees as tests of the caller's columns."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.load._assembly import build_trees
from sightline.load._binary_nodes import BinaryNodes
from sightline.load._computed_columns import NumberColumn
from sightline.load._onnx_answer import Forest
from sightline.load._onnx_trees import GT, GTE, LEAF, LEQ, LT, passes


def native_trees(forest: Forest, tree_score: list[int], n_values: list[int]) -> list[_core.Tree]:
    """Check and build the trees of an operator, over the caller's columns."""
    return build_trees(_Thresholds(forest).nodes(tree_score), n_values, forest.node.where)


class _Thresholds:
    """Tests that compare numbers: each becomes one threshold."""

    def __init__(self, forest: Forest) -> None:
        trees = forest.trees
        self.forest = forest
        self.feature = np.zeros(len(trees.mode), dtype=np.int64)
        self.threshold = np.zeros(len(trees.mode))
        # Whether the true branch is the one of larger numbers.
        self.true_is_right = np.zeros(len(trees.mode), dtype=np.bool_)
        self.missing_is_true = trees.missing_is_true.copy()
        inner = np.flatnonzero(trees.mode != LEAF)
        for column, nodes in _grouped(trees.feature, inner):
            found = forest.columns[column]
            assert isinstance(found, NumberColumn)
            self._translate(found, nodes)

    def _translate(self, column: NumberColumn, nodes: NDArray[np.int64]) -> None:
        trees = self.forest.trees
        mode, value = trees.mode[nodes], trees.value[nodes]
        self.feature[nodes] = column.source
        is_strict = (mode == LT) | (mode == GTE)
        for strict in (False, True):
            chosen = nodes[is_strict == strict]
            if len(chosen):
                self.threshold[chosen] = column.highest(trees.value[chosen], strict)
        self.true_is_right[nodes] = ((mode == GTE) | (mode == GT)) ^ (column.sign < 0)
        filling = column.of_missing()
        if not np.isnan(filling):
            for kind in (LEQ, LT, GTE, GT):
                is_kind = mode == kind
                self.missing_is_true[nodes[is_kind]] = passes(
                    kind, np.full(int(is_kind.sum()), filling), value[is_kind], False
                )

    def nodes(self, tree_score: list[int]) -> Iterator[BinaryNodes]:
        """Yield the nodes of each tree."""
        trees, output = self.forest.trees, self.forest.output
        left = np.where(self.true_is_right, trees.false, trees.true)
        right = np.where(self.true_is_right, trees.true, trees.false)
        missing_goes_left = self.missing_is_true ^ self.true_is_right
        is_leaf, weight = trees.mode == LEAF, np.zeros(len(trees.mode))
        for tree, score in enumerate(tree_score):
            part = slice(trees.begin[tree], trees.begin[tree + 1])
            yield BinaryNodes(
                is_leaf=is_leaf[part],
                feature=self.feature[part],
                threshold=self.threshold[part],
                left=left[part],
                right=right[part],
                missing_goes_left=missing_goes_left[part],
                weight=weight[part],
                output=output[part] if score < 0 else output[part, score : score + 1],
                leaves_only=True,
            )


def _grouped(keys: NDArray[np.int64], entries: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield each key with the entries that have it."""
    order = entries[np.argsort(keys[entries], kind="stable")]
    found, begin = np.unique(keys[order], return_index=True)
    yield from zip(found.tolist(), np.split(order, begin[1:]), strict=True)
