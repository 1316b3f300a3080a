"""Assign rows to the folds of a cross-validation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["stratified_folds"]


def stratified_folds(
    codes: NDArray[np.int32], n_folds: int, random: np.random.RandomState
) -> NDArray[np.int32]:
    """Assign the rows to folds, class by class.

    Fold sizes differ by at most one row, and so do the rows of each class per fold. A class with
    fewer rows than there are folds is absent from some.

    Parameters
    ----------
    codes : ndarray of shape (n_rows,)
        Classes of the rows.
    n_folds : int
        Number of folds, at most the number of rows.
    random : RandomState
        Shuffles the rows of each class.

    Returns
    -------
    ndarray of shape (n_rows,)
        The fold of each row.

    Examples
    --------
    >>> folds = stratified_folds(np.array([0, 1, 0, 1, 0, 1]), 3, np.random.RandomState(0))
    >>> [sorted((np.flatnonzero(folds == fold) % 2).tolist()) for fold in range(3)]
    [[0, 1], [0, 1], [0, 1]]
    """
    order = np.lexsort((random.permutation(len(codes)), codes))
    folds = np.empty(len(codes), dtype=np.int32)
    folds[order] = np.arange(len(codes)) % n_folds
    return folds
