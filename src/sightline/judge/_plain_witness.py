"""Shorten the numbers of a row that the search for a difference made up."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sightline.judge._comparable import ProofTask, table_of
from sightline.model import NodeModel

_DIGITS = 6
"""Numbers with at most this many significant digits are plain."""
_DECIMALS = range(7)
_MAX_NUMBER = 1e12
"""Larger numbers, infinity and missing values stay as they are."""


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
        rows = [plain, *([*plain[:index], number, *plain[index + 1 :]] for number in numbers)]
        is_same = _is_same(rows, task)
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


def _is_same(rows: list[list[float]], task: ProofTask) -> NDArray[np.bool_]:
    """Return for which rows both models predict, in the same leaf, what they do for the first row."""
    table = table_of(rows, task.first.schema)
    answers = [task.first.predict(table), task.second.predict(table_of(rows, task.second.schema))]
    if isinstance(task.first, NodeModel):
        answers.append(task.first.core.find_whole_leaves(table.native(), 1))
    same: NDArray[np.bool_] = np.logical_and.reduce([answer[1:] == answer[0] for answer in answers])
    return same
