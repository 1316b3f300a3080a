"""A tree or graph as tables that a short loop walks, for the exports to Python, C and JavaScript.

Tables instead of nested ifs: deep trees cause no nesting, shared nodes of a graph are stored once,
and splitting a row among branches needs no second copy of the tests.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sightline.export._plain_nodes import PlainNodes
from sightline.model import LEAF


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
        The distinct outputs of leaves.
    winner : list of int
        Per output row the index of its label.
    """

    nodes: PlainNodes
    first: NDArray[np.int64]
    outputs: NDArray[np.float64]
    winner: list[int]

    @classmethod
    def of(cls, nodes: PlainNodes) -> NodeTable:
        """Tabulate nodes; equal outputs are stored once."""
        is_leaf = nodes.test == LEAF
        outputs, output_row = np.unique(nodes.output[is_leaf], axis=0, return_inverse=True)
        first = np.array(nodes.begin[:-1])
        first[is_leaf] = output_row.ravel()
        winner = [] if nodes.classes_ is None else nodes.vote(outputs).tolist()
        return cls(nodes, first, outputs, winner)
