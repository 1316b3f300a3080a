"""A tree or graph as tables that a short loop walks, for the exports to Python, C and JavaScript.

Tables instead of nested ifs: deep trees cause no nesting, shared nodes of a graph are stored once,
and splitting a row among branches needs no second copy of the tests.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.export._plain_nodes import PlainNodes
from sightline.model import LEAF, LeafLines


@dataclass(frozen=True)
class NodeTable:
    """Arrays of an exported model.

    Attributes
    ----------
    nodes : PlainNodes
        The nodes.
    first : ndarray of int
        Index of the first branch of a test, or of the output row of a leaf.
    outputs : ndarray of shape (n_distinct, n_outputs)
        The distinct outputs of leaves; those of all leaves if there are lines.
    winner : list of int
        Per output row the index of its label.
    lines : LeafLines or None
        The lines, with one entry per output row instead of one per node.
    """

    nodes: PlainNodes
    first: NDArray[np.int64]
    outputs: NDArray[np.float64]
    winner: list[int]
    lines: LeafLines | None

    @classmethod
    def of(cls, nodes: PlainNodes) -> NodeTable:
        """Tabulate nodes; equal outputs are stored once, unless lines distinguish them."""
        is_leaf = nodes.test == LEAF
        first = np.array(nodes.begin[:-1])
        if nodes.lines is not None:
            first[is_leaf] = np.arange(is_leaf.sum())
            outputs = nodes.output[is_leaf]
            return cls(nodes, first, outputs, [], _lines_of_leaves(nodes.lines, is_leaf, outputs[:, 0]))
        winners = np.array(nodes.winner)[is_leaf] if nodes.classes_ is not None else np.zeros(is_leaf.sum())
        answers = np.column_stack([nodes.output[is_leaf], winners])
        answers, output_row = np.unique(answers, axis=0, return_inverse=True)
        first[is_leaf] = output_row.ravel()
        winner = [] if nodes.classes_ is None else answers[:, -1].astype(int).tolist()
        return cls(nodes, first, np.ascontiguousarray(answers[:, :-1]), winner, None)

    @property
    def own_labels(self) -> dict[str, NDArray[Any]]:
        """The label of each output row, where its numbers do not decide it; else nothing."""
        return {"label": np.array(self.winner)} if self.nodes.has_own_labels else {}

    @property
    def line_arrays(self) -> dict[str, NDArray[Any]]:
        """The lines under the names that programs give them; empty if there are none."""
        lines = self.lines
        if lines is None:
            return {}
        return {
            "term_begin": lines.term_begin,
            "term_feature": lines.feature,
            "slope": lines.slope,
            "center": lines.center,
            "low": lines.low,
            "high": lines.high,
        }


def _lines_of_leaves(lines: LeafLines, is_leaf: NDArray[np.bool_], output: NDArray[np.float64]) -> LeafLines:
    """Drop the entries of tests, which have no terms. The bounds of a leaf without terms are its output."""
    is_constant = np.diff(lines.term_begin)[is_leaf] == 0
    return replace(
        lines,
        term_begin=np.append(lines.term_begin[:-1][is_leaf], lines.term_begin[-1]),
        low=np.where(is_constant, output, lines.low[is_leaf]),
        high=np.where(is_constant, output, lines.high[is_leaf]),
    )
