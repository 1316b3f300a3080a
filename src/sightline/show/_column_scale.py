"""The range of a column that drawings show: rounded quantiles, never the value of a single row."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

MIN_ROWS_BEYOND = 5
"""At least so many rows lie at or beyond each end of a range."""

TAIL = 0.01
_MAX_TAIL = 0.25
_STEPS = 40
"""Ends are rounded to about this part of the range."""


def quantile_range(numbers: NDArray[np.float64]) -> tuple[float, float]:
    """Return a rounded range from the 1% quantile to that of 99%, with at least five numbers at each end.

    The range of a column in which nearly all numbers are equal may be empty.

    Examples
    --------
    >>> quantile_range(np.append(np.arange(200.0), 9_999_999))
    (0.0, 200.0)
    """
    n_numbers = len(numbers)
    for share in (TAIL, 0.0):
        rank = min(max(math.ceil(share * n_numbers), MIN_ROWS_BEYOND), max(1, round(_MAX_TAIL * n_numbers)))
        places = [rank - 1, n_numbers - rank]
        low, high = (float(number) for number in np.partition(numbers, places)[places])
        if low < high:
            break
    return rounded_range(low, high)


def rounded_range(low: float, high: float) -> tuple[float, float]:
    """Round the ends of a range outwards, to 1, 2 or 5 times a power of ten.

    Examples
    --------
    >>> rounded_range(18.3, 97.2), rounded_range(3.0, 3.0)
    ((18.0, 98.0), (3.0, 3.0))
    """
    # Halved first: the difference of two doubles may overflow.
    span = (high / 2 - low / 2) / _STEPS * 2
    if not span > 0:
        return low, high
    power = 10.0 ** math.floor(math.log10(span))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= span)
    digits = max(0, 1 - math.floor(math.log10(step)))
    ends = math.floor(low / step) * step, math.ceil(high / step) * step
    first, last = (round(end, digits) if digits < 300 else end for end in ends)
    return (first, last) if math.isfinite(first) and math.isfinite(last) else (low, high)


def open_ends(
    ends: tuple[str, str], is_below: bool, is_above: bool, is_instant: bool = False
) -> tuple[str, str]:
    """Say at the ends of an axis that its outer bars also count the values beyond them.

    Examples
    --------
    >>> open_ends(("0", "2"), is_below=False, is_above=True)
    ('0', '2 or more')
    """
    low, high = ends
    less, more = ("or earlier", "or later") if is_instant else ("or less", "or more")
    return f"{low} {less}" if is_below else low, f"{high} {more}" if is_above else high
