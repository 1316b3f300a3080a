"""Columns that a tree should not test: dates, identifiers and large categories that predict nothing.

A column with hundreds of values fits any labels by chance. An ensemble that has memorized them
credits tests of the column with a value that no other row confirms. So such columns must help to predict
rows that were held out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from sightline.distill._standard_units import fit_in_standard_units
from sightline.table import Column, Labels, Table, content_order, is_large_category

if TYPE_CHECKING:
    from sightline.distill._teacher import Teacher

_MIN_ROWS = 100
_MAX_ROWS = 10_000
"""More rows would add time, not certainty."""
_N_TREES = 50
_N_SHUFFLES = 3
_MIN_ERRORS = 2.5
"""A column helps if shuffling it costs at least this many standard errors on held-out rows."""


def unhelpful_columns(teacher: Teacher, seed: int) -> list[int]:
    """Return the dates, identifiers and large categories that do not help to predict held-out rows.

    A forest learns one half of the training rows and predicts the other half, as they are and with the
    values of one column shuffled. The target is the given one, or the ensemble's if there is none.

    Parameters
    ----------
    teacher : Teacher
        The training rows and their target.
    seed : int
        Seed for all random choices.

    Returns
    -------
    list of int
        Indices of the columns; empty if the rows are too few to tell.
    """
    table = teacher.table
    suspects = [index for index, column in enumerate(table.columns) if _is_suspect(column)]
    if not suspects or table.n_rows < _MIN_ROWS:
        return []
    drawn = np.random.default_rng(seed)
    order = content_order(table, Labels(teacher.ensemble_labels, _any_classes(teacher)))
    rows = drawn.permutation(order)[:_MAX_ROWS]
    learned, held_out = np.array_split(rows, 2)
    target = np.asarray(teacher.target)
    if teacher.n_classes and len(np.unique(target[learned])) < 2:
        return []
    X = _encoded(table, target, learned, teacher.n_classes)
    kind: Any = RandomForestClassifier if teacher.n_classes else RandomForestRegressor
    forest = kind(_N_TREES, min_samples_leaf=5, random_state=seed)
    fit = type(forest).fit if teacher.n_classes else fit_in_standard_units
    fitted = fit(forest, X[learned], target[learned])
    trial = _Trial(fitted, X[held_out], target[held_out], drawn)
    unhelpful: list[int] = []
    # Of two dates that say the same, the second one is missed. So the one that the ensemble tests more
    # comes last: a tree has no thresholds of columns that the ensemble does not test.
    uses = _n_tests(teacher)
    for index in sorted(suspects, key=lambda index: uses[index]):
        if trial.cost_without([*unhelpful, index]) <= _MIN_ERRORS:
            unhelpful.append(index)
    return sorted(unhelpful)


def _n_tests(teacher: Teacher) -> NDArray[np.intp]:
    """Return how often the ensemble tests each column; 0 for a black box."""
    counts = np.zeros(len(teacher.table.columns), dtype=np.intp)
    for tree in () if teacher.is_black_box else teacher.trees.core.trees:
        feature = np.asarray(tree.feature)
        counts += np.bincount(feature[feature >= 0], minlength=len(counts))
    return counts


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


def _any_classes(teacher: Teacher) -> NDArray[Any]:
    return teacher.classes_ if teacher.n_classes else np.zeros(1)


def _is_suspect(column: Column) -> bool:
    """Return whether a column is a date, numbers every row differently, or is a large category."""
    if column.feature.is_nominal:
        return is_large_category(column)
    if column.feature.kind:
        return column.feature.kind != "duration"
    known = column.values[~column.is_missing]
    if len(known) < _MIN_ROWS or known[0] != np.floor(known[0]):
        return False
    return bool(np.all(known == np.floor(known))) and len(np.unique(known)) == len(known)


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
