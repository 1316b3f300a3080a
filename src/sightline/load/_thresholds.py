"""Canonical thresholds: every numeric test of another library as ``x <= d`` over doubles.

Rounding a double to float32 is monotone. So the doubles whose float32 passes a test lie
below one largest double ``d``, and comparing with ``d`` is the same test, exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sightline import _core

_LARGEST_DOUBLE = np.finfo(np.float64).max


def float32_at_most(threshold: ArrayLike) -> NDArray[np.float64]:
    """Return d with ``float32(x) <= threshold`` exactly where ``x <= d``.

    Parameters
    ----------
    threshold : array-like of float
        Thresholds in double precision; they need not be float32 numbers themselves.

    Returns
    -------
    ndarray of float64
        Finite unless the threshold is NaN, which stays NaN. A threshold that every finite
        number passes gives the largest double.

    Examples
    --------
    The next double above the float32 nearest to 0.1 still rounds to it:

    >>> d = float32_at_most([0.10000000149011612])
    >>> bool(0.10000000149011613 <= d[0])
    True
    """
    return _converted(threshold, _core.single_at_most)


def float32_below(threshold: ArrayLike) -> NDArray[np.float64]:
    """Return d with ``float32(x) < threshold`` exactly where ``x <= d``.

    Parameters
    ----------
    threshold : array-like of float
        Thresholds in double precision.

    Returns
    -------
    ndarray of float64
        Minus infinity where no number passes, otherwise as :func:`float32_at_most`.

    Examples
    --------
    >>> d = float32_below([1.0])
    >>> bool(0.9999999 <= d[0]), bool(0.99999999 <= d[0])
    (True, False)
    """
    return _converted(threshold, _core.single_below)


def double_at_most(threshold: ArrayLike) -> NDArray[np.float64]:
    """Return d with ``x <= threshold`` exactly where ``x <= d``, for every finite x.

    Parameters
    ----------
    threshold : array-like of float
        Thresholds in double precision.

    Returns
    -------
    ndarray of float64
        The thresholds themselves, with the largest double in place of infinity.

    Examples
    --------
    >>> double_at_most([0.5, np.inf])
    array([5.00000000e-001, 1.79769313e+308])
    """
    return np.minimum(np.asarray(threshold, dtype=np.float64), _LARGEST_DOUBLE)


def double_below(threshold: ArrayLike) -> NDArray[np.float64]:
    """Return d with ``x < threshold`` exactly where ``x <= d``, for every finite x.

    Parameters
    ----------
    threshold : array-like of float
        Thresholds in double precision.

    Returns
    -------
    ndarray of float64
        The next smaller double; minus infinity where no number passes.

    Examples
    --------
    >>> double_below([0.0])
    array([-5.e-324])
    """
    with np.errstate(all="ignore"):
        return np.nextafter(np.asarray(threshold, dtype=np.float64), -np.inf)


def _converted(
    threshold: ArrayLike, convert: Callable[[NDArray[Any]], NDArray[np.float64]]
) -> NDArray[np.float64]:
    numbers = np.asarray(threshold)
    if numbers.dtype != np.float32:
        numbers = numbers.astype(np.float64, copy=False)
    return convert(numbers.ravel()).reshape(numbers.shape)
