"""Doubles as whole numbers in the same order, so that a search can halve them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SIGN = np.int64(-(2**63))


def rank_of(numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the rank of each double: 0 for zero, 1 for the smallest positive number.

    Examples
    --------
    >>> rank_of(np.array([-0.0, 5e-324, -5e-324]))
    array([ 0,  1, -1])
    """
    bits = np.ascontiguousarray(numbers, dtype=np.float64).view(np.int64)
    return np.where(bits >= 0, bits, _SIGN - bits)


def double_of(ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the doubles of ranks.

    Examples
    --------
    >>> double_of(rank_of(np.array([1.5, -2.0])))
    array([ 1.5, -2. ])
    """
    return np.where(ranks >= 0, ranks, _SIGN - ranks).view(np.float64)


LARGEST = np.finfo(np.float64).max
LAST = int(rank_of(np.array([LARGEST]))[0])
"""The rank of the largest double; that of the smallest is its negative."""


def finite(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return values as an ensemble reads them: the largest double stands for infinity.

    Text that an imputer fills in among objects is missing, because models refuse it.
    """
    try:
        numbers = values.astype(np.float64)
    except ValueError:
        numbers = np.array([_number(value) for value in values.ravel()]).reshape(values.shape)
    return np.clip(numbers, -LARGEST, LARGEST)


def _number(value: Any) -> float:
    try:
        return float(value)
    except ValueError:
        return math.nan
