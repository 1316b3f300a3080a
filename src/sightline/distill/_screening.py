"""Columns that a tree should not test: dates, identifiers and large categories that predict nothing.

A column with hundreds of values fits any labels by chance, and an ensemble that has learned them by
heart gives tests of the column a worth that no other row confirms. So such columns must help to predict
rows that were held out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from sightline.table import Column, Labels, Table, content_order, is_large_category

if TYPE_CHECKING:
    from sightline.distill._teacher import Teacher

_MIN_ROWS = 100
_MAX_ROWS = 10_000
"""Rows beyond these would add time, not certainty."""
_N_TREES = 50
_N_SHUFFLES = 3
_MIN_ERRORS = 2.5
"""A column helps if shuffling it costs so many standard errors on held-out rows."""


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
    forest = RandomForestClassifier if teacher.n_classes else RandomForestRegressor
    fitted = forest(_N_TREES, min_samples_leaf=5, random_state=seed).fit(X[learned], target[learned])
    kept = X[held_out]
    losses = _losses(fitted, kept, target[held_out])
    unhelpful = []
    for index in suspects:
        costs = np.zeros(len(held_out))
        for _ in range(_N_SHUFFLES):
            shuffled = kept.copy()
            shuffled[:, index] = drawn.permutation(kept[:, index])
            costs += _losses(fitted, shuffled, target[held_out]) - losses
        costs /= _N_SHUFFLES
        if costs.mean() <= _MIN_ERRORS * costs.std() / np.sqrt(len(costs)):
            unhelpful.append(index)
    return unhelpful


def _any_classes(teacher: Teacher) -> NDArray[Any]:
    return teacher.classes_ if teacher.n_classes else np.zeros(1)


def _is_suspect(column: Column) -> bool:
    """Return whether a column is a date, has another whole number in every row, or is a large category."""
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
