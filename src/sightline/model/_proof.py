"""What is known of a model that was made to give the labels of another one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray


class Status(Enum):
    """What is known of a leaf: its rows all agree, some row differs, or neither is known."""

    PROVED = 0
    REFUTED = 1
    OPEN = 2


@dataclass(frozen=True)
class Proof:
    """How far a model is proved that was made from an ensemble.

    Attributes
    ----------
    is_proved : ndarray of bool, one per node
        Whether every row that comes to the node gets the ensemble's label.
    complete : bool
        Whether that is so for all nodes.
    missing : tuple of str
        Features without whose value a row is covered by the proof, too. Rows in which
        another feature is missing are answered, but nothing is proved of them.
    n_boxes : int
        Parts of the space that were looked at.
    share : float or None
        Share of the rows given that end in proved leaves.
    """

    is_proved: NDArray[np.bool_]
    complete: bool
    missing: tuple[str, ...]
    n_boxes: int
    share: float | None = None
