"""Trees over columns that are computed from the caller's, and their sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ModelFormatError
from sightline.load._compared_nodes import ComparedNodes
from sightline.load._computed_columns import CategoryColumn, NumberColumn
from sightline.model import Link

Column = NumberColumn | CategoryColumn


class Origin(Protocol):
    """Where trees come from, for messages."""

    where: str

    def fault(self, sentence: str) -> ModelFormatError:
        """Return an error about something that is wrong."""


@dataclass(frozen=True)
class Forest:
    """What a tree model computes: trees over columns of the caller, and their sum.

    Parameters
    ----------
    node : Origin
        The model or its operator, for messages.
    trees : ComparedNodes
        The trees.
    columns : sequence of NumberColumn or CategoryColumn
        The columns that the trees test.
    output : ndarray of shape (n_nodes, n_scores)
        What each leaf adds to the scores.
    base : ndarray of shape (n_scores,)
        Added last.
    is_single : bool
        Whether sums are rounded to single precision.
    link : Link
        How the scores become an answer.
    classes : tuple of str or int, optional
        The labels, or None for numbers.
    """

    node: Origin
    trees: ComparedNodes
    columns: Sequence[Column]
    output: NDArray[np.float64]
    base: NDArray[np.float64]
    is_single: bool
    link: Link
    classes: tuple[object, ...] | None = None
