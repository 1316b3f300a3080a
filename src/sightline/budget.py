"""Limits of searches that may explode: checked before they begin."""

from sightline.exceptions import ParameterError

__all__ = ["check_budget"]


def check_budget(caller: str, **limits: float) -> None:
    """Raise unless every limit is positive.

    Parameters
    ----------
    caller : str
        The function that was given the limits, for the message.
    **limits : float
        Its parameters by name.

    Raises
    ------
    ParameterError
        Naming the first limit that leaves nothing to spend.

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
