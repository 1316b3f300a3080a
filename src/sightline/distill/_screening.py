"""Columns that a tree should not test: dates, identifiers and large categories that predict nothing.

A column with hundreds of values fits any labels by chance. An ensemble that has memorized them
credits tests of the column with a value that no other row confirms. So such columns must help to predict
rows that were held out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sightline.distill._standard_units import fit_in_standard_units
from sightline.learn import MIN_ROWS, unhelpful_columns
from sightline.table import Column, Labels, content_order, is_large_category

if TYPE_CHECKING:
    from sightline.distill._teacher import Teacher


def screened_out(teacher: Teacher, seed: int) -> list[int]:
    """Return the dates, identifiers and large categories that do not help to predict held-out rows.

    The target is the given one, or the ensemble's if there is none.

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
    if not suspects:
        return []
    # Of two dates that say the same, the second one is missed. So the one that the ensemble tests more
    # comes last: a tree has no thresholds of columns that the ensemble does not test.
    uses = _n_tests(teacher)
    return unhelpful_columns(
        table,
        np.asarray(teacher.target),
        sorted(suspects, key=lambda index: uses[index]),
        content_order(table, Labels(teacher.ensemble_labels, _any_classes(teacher))),
        seed,
        n_classes=teacher.n_classes,
        fit=None if teacher.n_classes else fit_in_standard_units,
    )


def _n_tests(teacher: Teacher) -> NDArray[np.intp]:
    """Return how often the ensemble tests each column; 0 for a black box."""
    counts = np.zeros(len(teacher.table.columns), dtype=np.intp)
    for tree in () if teacher.is_black_box else teacher.trees.core.trees:
        feature = np.asarray(tree.feature)
        counts += np.bincount(feature[feature >= 0], minlength=len(counts))
    return counts


def _any_classes(teacher: Teacher) -> NDArray[Any]:
    return teacher.classes_ if teacher.n_classes else np.zeros(1)


def _is_suspect(column: Column) -> bool:
    """Return whether a column is a date, numbers every row differently, or is a large category."""
    if column.feature.is_nominal:
        return is_large_category(column)
    if column.feature.kind:
        return column.feature.kind != "duration"
    known = column.values[~column.is_missing]
    if len(known) < MIN_ROWS or known[0] != np.floor(known[0]):
        return False
    return bool(np.all(known == np.floor(known))) and len(np.unique(known)) == len(known)
