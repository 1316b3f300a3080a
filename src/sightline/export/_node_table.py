"""A tree or graph as tables that a short loop walks: what Python, C and JavaScript exports hold.

Tables instead of nested ifs: depth costs no nesting, shared nodes are there once, and rows
that missing values spread over several leaves need no second copy of the tests.
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
        What they were made from.
    first : ndarray of int
        Of a test its first branch, of a leaf its row of outputs.
    outputs : ndarray of shape (n_different, n_outputs)
        The different outputs of leaves.
    winner : list of int
        Per row of outputs the place of its label.
    """

    nodes: PlainNodes
    first: NDArray[np.int64]
    outputs: NDArray[np.float64]
    winner: list[int]

    @classmethod
    def of(cls, nodes: PlainNodes) -> NodeTable:
        """Tabulate nodes; equal outputs are stored once."""
        is_leaf = nodes.test == LEAF
        outputs, place = np.unique(nodes.output[is_leaf], axis=0, return_inverse=True)
        first = np.array(nodes.begin[:-1])
        first[is_leaf] = place.ravel()
        winner = [] if nodes.classes_ is None else nodes.vote(outputs).tolist()
        return cls(nodes, first, outputs, winner)
