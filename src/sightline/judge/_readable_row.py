"""Round the numbers of a counterfactual: just beyond a threshold, with few digits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sightline.judge._allowed_changes import ColumnLimits

_MAX_DETOUR = 0.01
"""How much farther than necessary a number may go, in units of the column's scale."""
_MAX_DIGITS = 15

IsWanted = Callable[[list[list[float]]], NDArray[np.bool_]]


def with_round_numbers(
    row: Sequence[float], columns: Sequence[ColumnLimits], is_wanted: IsWanted
) -> list[float]:
    """Return a row with fewer digits in the numbers that changed.

    Parameters
    ----------
    row : sequence of float
        A row that gets the wanted prediction; its numbers lie at the very edge.
    columns : sequence of ColumnLimits
        What each column may be.
    is_wanted : callable
        Returns which of some rows get the wanted prediction.

    Returns
    -------
    list of float
        A row that also gets the wanted prediction. Each number has the fewest digits that keep it, and is
        farther from the given row's by at most a hundredth of the column's scale, or its last digit.
    """
    rounded = list(row)
    for index, column in enumerate(columns):
        value = rounded[index]
        is_number = not column.feature.is_nominal and not math.isnan(value)
        if not is_number or column.unit or column.keeps(value):
            continue
        numbers = [number for number in _candidates(value, column) if column.allows(number)]
        rows = [[*rounded[:index], number, *rounded[index + 1 :]] for number in numbers]
        if rows and (is_met := is_wanted(rows)).any():
            rounded[index] = numbers[int(is_met.argmax())]
    return rounded


def _candidates(value: float, column: ColumnLimits) -> list[float]:
    """Return rounder numbers, the roundest first, none nearer to the row's own than the value is."""
    first = math.floor(math.log10(column.scale))
    detour = max(_MAX_DETOUR * column.scale, column.step)
    result = []
    for digits in range(-first, -first + _MAX_DIGITS):
        number = _rounded_away(value, column.own, digits)
        if abs(number - value) <= detour and not column.keeps(number):
            result.append(number)
    return list(dict.fromkeys(result))


def _rounded_away(value: float, own: float, digits: int) -> float:
    """Round to this many decimals, away from the row's own number."""
    number = round(value, digits)
    if math.isnan(own):
        return number
    step = 10.0**-digits
    if value > own:
        return number if number >= value else round(value + step, digits)
    return number if number <= value else round(value - step, digits)
