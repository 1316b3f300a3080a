"""Shorten the numbers of rows that the search for a difference made up."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sightline.judge._allowed_changes import cuts_of
from sightline.judge._comparable import ProofTask, table_of
from sightline.model import NodeModel

_DIGITS = 6
"""Numbers with at most this many significant digits are plain."""
_DECIMALS = range(7)
_MAX_NUMBER = 1e12
"""Larger numbers are replaced, if possible, by one just above the thresholds below them."""


def with_possible_numbers(rows: Mapping[int, list[float]], task: ProofTask) -> dict[int, list[float]]:
    """Return rows without huge numbers for which both models predict the same.

    A test for missing values compares with the largest number, and the search takes numbers next to a
    threshold. The model's own library may refuse such a number.

    Parameters
    ----------
    rows : mapping of int to list of float
        A row per leaf: numbers, codes of categories, and NaN for missing values.
    task : ProofTask
        The two models.

    Returns
    -------
    dict of int to list of float
        Rows of the same leaves. A number stays huge if a smaller one changes a prediction.
    """
    result = {leaf: list(row) for leaf, row in rows.items()}
    for index, feature in enumerate(task.first.schema.features):
        huge = [leaf for leaf, row in result.items() if abs(row[index]) >= _MAX_NUMBER]
        if feature.is_nominal or not huge:
            continue
        cuts, _ = cuts_of([task.first, task.second], index)
        before = [result[leaf] for leaf in huge]
        after = [[*row[:index], _beyond(cuts, row[index]), *row[index + 1 :]] for row in before]
        for leaf, row, is_same in zip(huge, after, _are_same(before, after, task), strict=True):
            if is_same:
                result[leaf] = row
    return result


def _beyond(cuts: NDArray[np.float64], value: float) -> float:
    """Return the first whole number above the largest threshold that is below a huge number."""
    below = cuts[(cuts < value) & (np.abs(cuts) < _MAX_NUMBER)]
    return math.floor(below[-1]) + 1.0 if len(below) else 0.0


def with_plain_numbers(row: list[float], task: ProofTask) -> list[float]:
    """Return a row with fewer digits for which both models predict the same.

    The search takes numbers next to a threshold, such as 69.99999618530272 below XGBoost's 70.

    Parameters
    ----------
    row : list of float
        Numbers, codes of categories, and NaN for missing values.
    task : ProofTask
        The two models.

    Returns
    -------
    list of float
        A row of the same leaf. A number stays as it is if every shorter one changes a prediction.
    """
    plain = list(row)
    for index, feature in enumerate(task.first.schema.features):
        value = plain[index]
        is_long = abs(value) < _MAX_NUMBER and float(f"{value:.{_DIGITS}g}") != value
        if feature.is_nominal or not is_long:
            continue
        numbers = _candidates(value)
        rows = [[*plain[:index], number, *plain[index + 1 :]] for number in numbers]
        is_same = _are_same([plain] * len(rows), rows, task)
        if is_same.any():
            plain[index] = numbers[int(is_same.argmax())]
    return plain


def _candidates(value: float) -> list[float]:
    """Return shorter numbers, the shortest first."""
    found = [
        rounding(value * 10**digits) / 10**digits
        for digits in _DECIMALS
        for rounding in (round, math.floor, math.ceil)
    ]
    return list(dict.fromkeys(found))


def _are_same(before: list[list[float]], after: list[list[float]], task: ProofTask) -> NDArray[np.bool_]:
    """Return for which rows both models predict, in the same leaf, what they did before a change."""
    rows = [*before, *after]
    table = table_of(rows, task.first.schema)
    answers = [task.first.predict(table), task.second.predict(table_of(rows, task.second.schema))]
    if isinstance(task.first, NodeModel):
        answers.append(task.first.core.find_whole_leaves(table.native(), 1))
    same: NDArray[np.bool_] = np.logical_and.reduce(
        [answer[: len(before)] == answer[len(before) :] for answer in answers]
    )
    return same
