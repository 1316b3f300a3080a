"""The limits of a search: checked before it begins, and counted from then on."""

from __future__ import annotations

import math
import time
from numbers import Integral, Real
from typing import Any

from sightline.exceptions import ParameterError

__all__ = ["Deadline", "check_budget", "check_count", "check_tolerance", "is_number"]

clock = time.monotonic
"""Seconds since some moment. The only clock of Python code that has a time limit."""


class Deadline:
    """The end of a time limit.

    It is set when a call begins, so that reading, predicting and preparing count as well as the
    search itself. Kernels get the seconds that are left.

    Parameters
    ----------
    max_seconds : float, optional
        The limit; None for none.

    Examples
    --------
    >>> Deadline(0.0).has_passed
    True
    >>> Deadline(None).seconds_left
    inf
    """

    def __init__(self, max_seconds: float | None) -> None:
        self._end = math.inf if max_seconds is None else clock() + max_seconds

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit."""
        return self._end < math.inf

    @property
    def seconds_left(self) -> float:
        """Seconds until the limit; negative after it."""
        return self._end - clock()

    @property
    def has_passed(self) -> bool:
        """Whether the limit is reached."""
        return self.seconds_left <= 0


def is_number(value: Any) -> bool:
    """Return whether a parameter is a number: not text, an array or a boolean.

    Examples
    --------
    >>> is_number(0.5), is_number("0.5"), is_number(True)
    (True, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool)


def check_budget(caller: str, **limits: float) -> None:
    """Raise unless every limit is positive.

    Parameters
    ----------
    caller : str
        The function with these parameters, for the message.
    **limits : float
        The limits by parameter name.

    Raises
    ------
    ParameterError
        For the first limit that is not positive.

    Examples
    --------
    >>> check_budget("merge", max_seconds=0)
    Traceback (most recent call last):
    sightline.exceptions.ParameterError: The 'max_seconds' parameter of merge must be positive. Got 0 instead.
    """
    for name, value in limits.items():
        if not (is_number(value) and value > 0):
            raise ParameterError(
                f"The {name!r} parameter of {caller} must be positive. Got {value!r} instead."
            )


def check_count(caller: str, **counts: int) -> None:
    """Raise unless every number is whole and positive.

    Parameters
    ----------
    caller : str
        The function with these parameters, for the message.
    **counts : int
        The numbers by parameter name.

    Raises
    ------
    ParameterError
        For the first number that is not.

    Examples
    --------
    >>> check_count("f", n=0)
    Traceback (most recent call last):
    sightline.exceptions.ParameterError: The 'n' parameter of f must be a whole number from 1. Got 0 instead.
    """
    for name, value in counts.items():
        if not (is_number(value) and isinstance(value, Integral) and value > 0):
            raise ParameterError(
                f"The {name!r} parameter of {caller} must be a whole number from 1. Got {value!r} instead."
            )


def check_tolerance(caller: str, tolerance: float | None, name: str = "tolerance") -> None:
    """Raise unless a tolerance is a finite number that is not negative, or None.

    Parameters
    ----------
    caller : str
        The function with this parameter, for the message.
    tolerance : float or None
        The tolerance.
    name : str, default="tolerance"
        The parameter that it was given as.

    Raises
    ------
    ParameterError
        If it is out of range.

    Examples
    --------
    >>> check_tolerance("merge", 0.5)
    """
    if tolerance is not None and not (is_number(tolerance) and math.isfinite(tolerance) and tolerance >= 0):
        raise ParameterError(
            f"The {name!r} parameter of {caller} must be a finite number, 0 or larger. "
            f"Got {tolerance!r} instead."
        )
