"""Columns that fit any labels by chance, and whether they help to predict held-out rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from sightline.table import Column, Table, is_large_category

MIN_ROWS = 100
"""Fewer rows are too few to tell."""

_MAX_ROWS = 10_000
"""More rows would add time, not certainty."""
_N_TREES = 50
_N_SHUFFLES = 3
_MIN_ERRORS = 2.5
"""A column helps if shuffling it costs at least this many standard errors on held-out rows."""


def unhelpful_columns(
    table: Table,
    target: NDArray[Any],
    suspects: Sequence[int],
    order: NDArray[np.intp],
    seed: int,
    *,
    n_classes: int,
    fit: Callable[..., Any] | None = None,
) -> list[int]:
    """Return those of some columns that do not help to predict held-out rows.

    A forest learns one half of the rows and predicts the other half, as they are and with the values of
    the column shuffled.

    Parameters
    ----------
    table : Table
        The training rows.
    target : ndarray of shape (n_rows,)
        Their class indices or numbers.
    suspects : sequence of int
        The columns. Of two that say the same, the first one is left out.
    order : ndarray of shape (n_rows,)
        An order of the rows that does not depend on the one in which they came.
    seed : int
        Seed for all random choices.
    n_classes : int
        Number of classes; 0 if the target is a number.
    fit : callable, optional
        Fits the forest to rows and target; by default its own method.

    Returns
    -------
    list of int
        Indices of the columns, ascending; empty if the rows are too few to tell.
    """
    if not suspects or table.n_rows < MIN_ROWS:
        return []
    drawn = np.random.default_rng(seed)
    rows = drawn.permutation(order)[:_MAX_ROWS]
    learned, held_out = np.array_split(rows, 2)
    if n_classes and len(np.unique(target[learned])) < 2:
        return []
    X = _encoded(table, target, learned, n_classes)
    kind: Any = RandomForestClassifier if n_classes else RandomForestRegressor
    forest = kind(_N_TREES, min_samples_leaf=5, random_state=seed)
    fitted = (kind.fit if fit is None else fit)(forest, X[learned], target[learned])
    trial = _Trial(fitted, X[held_out], target[held_out], drawn)
    unhelpful: list[int] = []
    for index in suspects:
        if trial.cost_without([*unhelpful, index]) <= _MIN_ERRORS:
            unhelpful.append(index)
    return sorted(unhelpful)


class _Trial:
    """Held-out rows, and what it costs a forest to see some of their columns shuffled."""

    def __init__(
        self, forest: Any, X: NDArray[Any], target: NDArray[Any], drawn: np.random.Generator
    ) -> None:
        self._forest, self._X, self._target = forest, X, target
        self._losses = _losses(forest, X, target)
        self._shuffles = [drawn.permutation(len(X)) for _ in range(_N_SHUFFLES)]

    def cost_without(self, columns: list[int]) -> float:
        """Return the mean loss that shuffling adds, in standard errors."""
        costs = np.zeros(len(self._X))
        for order in self._shuffles:
            shuffled = self._X.copy()
            shuffled[:, columns] = self._X[order][:, columns]
            costs += _losses(self._forest, shuffled, self._target) - self._losses
        error = float(costs.std()) / np.sqrt(len(costs))
        return float(costs.mean()) / error if error > 0 else 0.0


def _encoded(table: Table, target: NDArray[Any], learned: NDArray[np.intp], n_classes: int) -> NDArray[Any]:
    """Return numbers for a forest: codes of small categories, and means of the target for large ones."""
    answers = target == np.bincount(target[learned]).argmax() if n_classes else target
    columns = []
    for column in table.columns:
        values = np.where(column.is_missing, np.nan, column.values).astype(np.float64)
        if is_large_category(column):
            values = _means(column, answers.astype(np.float64), learned)
        columns.append(values)
    return np.column_stack(columns)


def _means(column: Column, answers: NDArray[np.float64], learned: NDArray[np.intp]) -> NDArray[np.float64]:
    # One row of the overall mean per value: the mean of a few rows says little.
    overall, codes = answers[learned].mean(), column.values[learned]
    known = codes >= 0
    n_values = column.feature.n_values
    sums = np.bincount(codes[known], answers[learned][known], n_values) + overall
    means = sums / (np.bincount(codes[known], minlength=n_values) + 1)
    # The code -1 of missing values finds the last entry.
    return np.asarray(np.append(means, overall)[column.values])


def _losses(fitted: Any, X: NDArray[Any], target: NDArray[Any]) -> NDArray[np.float64]:
    """Return the squared error of each row, over all classes."""
    if not hasattr(fitted, "classes_"):
        return np.asarray((fitted.predict(X) - target) ** 2)
    probabilities = fitted.predict_proba(X)
    return np.asarray(((probabilities - (target[:, None] == fitted.classes_)) ** 2).sum(axis=1))
