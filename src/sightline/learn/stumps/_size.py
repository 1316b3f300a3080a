"""The choice of the ensemble size by an inner cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sightline.table import Labels, Table, stratified_folds

SIZES: tuple[int | None, ...] = (1, 3, 5, 7, 9, 15, None)
"""Limits to try, ascending; None is no limit."""

N_FOLDS = 10


@dataclass(frozen=True)
class SizeChoice:
    """Errors of ensembles of several sizes on held-out rows.

    Attributes
    ----------
    sizes : tuple of int or None
        The size limits tried, ascending; None is no limit.
    error : ndarray of shape (n_sizes,)
        Mean error over the folds.
    standard_error : ndarray of shape (n_sizes,)
        Standard error of that mean.

    Examples
    --------
    >>> choice = SizeChoice((1, 3, None), np.array([0.30, 0.21, 0.20]), np.array([0.02, 0.02, 0.02]))
    >>> choice.best
    3
    """

    sizes: tuple[int | None, ...]
    error: NDArray[np.float64]
    standard_error: NDArray[np.float64]

    @property
    def best(self) -> int | None:
        """The smallest size within one standard error of the lowest error."""
        lowest = int(self.error.argmin())
        good_enough = self.error <= self.error[lowest] + self.standard_error[lowest]
        return self.sizes[int(good_enough.argmax())]


class Predictor(Protocol):
    """Predicts class indices with an ensemble of at most some size."""

    def predict(self, max_size: int | None, rows: Table, /) -> NDArray[np.int32]:
        """Return the class index of each row."""


def choose_size(
    table: Table,
    labels: Labels,
    fit: Callable[[Table, Labels], Predictor],
    random: np.random.RandomState,
) -> SizeChoice:
    """Measure ensembles of the `SIZES` by stratified cross-validation.

    Parameters
    ----------
    table, labels : Table, Labels
        Training rows.
    fit : callable
        Learns a predictor from a part of them.
    random : RandomState
        Assigns the rows to folds.

    Returns
    -------
    SizeChoice
        The errors; ``best`` is the choice.
    """
    fold = stratified_folds(labels.codes, min(N_FOLDS, len(labels)), random)
    errors = []
    for held_out in range(fold.max() + 1):
        train, test = np.flatnonzero(fold != held_out), np.flatnonzero(fold == held_out)
        fitted = fit(table[train], labels[train])
        rows = table[test]
        errors.append([float((fitted.predict(size, rows) != labels.codes[test]).mean()) for size in SIZES])
    values = np.array(errors)
    spread = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return SizeChoice(SIZES, values.mean(axis=0), spread)
