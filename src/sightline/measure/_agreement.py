"""Shares of rows with the right label."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sightline.exceptions import DataError


def accuracy(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Return the share of rows whose predicted label is their own.

    Examples
    --------
    >>> accuracy(["a", "b", "b", "a"], ["a", "b", "a", "a"])
    0.75
    """
    return float(agreement(truth, predicted).mean())


def error_rate(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Return the share of rows whose predicted label is not their own.

    Examples
    --------
    >>> error_rate(["a", "b", "b", "a"], ["a", "b", "a", "a"])
    0.25
    """
    return 1 - accuracy(truth, predicted)


def agreement(first: ArrayLike, second: ArrayLike) -> NDArray[np.bool_]:
    """Return per row whether two labels are the same."""
    one, other = paired(first, second, "label")
    same: NDArray[np.bool_] = one == other
    return same


def paired(first: ArrayLike, second: ArrayLike, noun: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return two arrays with one entry per row; raise if they are anything else."""
    one, other = np.asarray(first), np.asarray(second)
    if one.shape != other.shape or one.ndim != 1:
        shapes = f"{one.shape} and {other.shape}"
        raise DataError(f"Both arrays must hold one {noun} per row. Got shapes {shapes}.")
    if not len(one):
        raise DataError("There are no rows to measure on.")
    return one, other
