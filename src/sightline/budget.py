"""Check the limits of a search before it begins."""

import math

from sightline.exceptions import ParameterError

__all__ = ["check_budget", "check_tolerance"]


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
    >>> check_budget("merge", max_nodes=0)
    Traceback (most recent call last):
    sightline.exceptions.ParameterError: The 'max_nodes' parameter of merge must be positive. Got 0 instead.
    """
    for name, value in limits.items():
        if not value > 0:
            raise ParameterError(
                f"The {name!r} parameter of {caller} must be positive. Got {value!r} instead."
            )


def check_tolerance(caller: str, tolerance: float | None) -> None:
    """Raise unless a tolerance is a finite number that is not negative, or None.

    Parameters
    ----------
    caller : str
        The function with this parameter, for the message.
    tolerance : float or None
        The tolerance.

    Raises
    ------
    ParameterError
        If it is out of range.

    Examples
    --------
    >>> check_tolerance("merge", 0.5)
    """
    if tolerance is not None and not (math.isfinite(tolerance) and tolerance >= 0):
        raise ParameterError(
            f"The 'tolerance' parameter of {caller} must be a finite number, 0 or larger. "
            f"Got {tolerance!r} instead."
        )
