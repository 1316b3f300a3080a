"""Categories that a library only knows as whole numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sightline.load._binary_nodes import Subsets
from sightline.table import Feature

OTHER = "any other"
"""The category of every code that no test lists."""


def coded_feature(
    name: str, codes: Iterable[int], coded: Literal["down", "to zero"], rounding: str = ""
) -> Feature:
    """Return a feature whose categories are the codes that tests list, and "any other".

    Examples
    --------
    >>> coded_feature("size", {4, 1}, "down").categories
    (1, 4, 'any other')
    """
    return Feature(name, (*sorted(codes), OTHER), coded, rounding=rounding)


def left_sets(is_subset: NDArray[np.bool_], sets: Sequence[NDArray[np.int32]]) -> Subsets:
    """Return the categorical tests of a tree, from the categories that go left.

    Parameters
    ----------
    is_subset : ndarray of bool, shape (n_nodes,)
        Nodes that test a set.
    sets : sequence of ndarray of int32
        One ascending set per such node, in their order.

    Returns
    -------
    Subsets
        The tests.
    """
    size = np.zeros(len(is_subset) + 1, dtype=np.int64)
    size[1:][is_subset] = [len(codes) for codes in sets]
    flat = np.concatenate(sets) if len(sets) else np.empty(0, dtype=np.int32)
    return Subsets(is_subset, size.cumsum(), flat.astype(np.int32, copy=False))
