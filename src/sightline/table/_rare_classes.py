"""Rare classes: those with so few rows that overall shares say little about them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

MIN_BALANCE = 1 / 5
"""A class is rare if it has less than this share of the rows of the most frequent class."""


def rare_classes(counts: ArrayLike) -> NDArray[np.bool_]:
    """Return which classes are rare. Classes without any row do not count as rare.

    Parameters
    ----------
    counts : array-like of shape (n_classes,)
        Number of rows, or their weight, per class.

    Examples
    --------
    >>> rare_classes([990, 10, 0]).tolist()
    [False, True, False]
    >>> rare_classes([75, 25]).any()
    np.False_
    """
    rows = np.asarray(counts, dtype=np.float64)
    most = rows.max(initial=0.0)
    return np.asarray((rows > 0) & (rows < MIN_BALANCE * most))
