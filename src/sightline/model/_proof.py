"""What is proved about a model that was merged from an ensemble."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray


class Status(Enum):
    """Status of a leaf: all its rows agree, some row differs, or neither is known."""

    PROVED = 0
    REFUTED = 1
    OPEN = 2


@dataclass(frozen=True)
class Proof:
    """How much of a model is proved to equal its ensemble.

    Attributes
    ----------
    is_proved : ndarray of bool, one per node
        Whether every row that reaches the node gets the ensemble's label, or its number within the
        tolerance.
    complete : bool
        Whether that holds for all nodes.
    missing : tuple of str
        Features that may be missing in the rows that the proof covers. Nothing is proved about
        rows in which any other feature is missing.
    n_boxes : int
        Number of boxes that the search visited.
    share : float or None
        Share of the rows given that end in proved leaves.
    tolerance : float, default=0.0
        For numbers, the largest allowed distance from the ensemble's.
    optimal : bool, default=False
        Whether it is proved that no other model of this kind with these tests costs less.
    cost : float, optional
        What the search minimized: leaves of a tree, nodes of a graph, or tests per row (see
        ``weigh`` of :func:`sightline.merge`). None if there was no such search.
    lower_bound : float, optional
        No model of this kind with these tests costs less than this.
    """

    is_proved: NDArray[np.bool_]
    complete: bool
    missing: tuple[str, ...]
    n_boxes: int
    share: float | None = None
    tolerance: float = 0.0
    optimal: bool = False
    cost: float | None = None
    lower_bound: float | None = None
