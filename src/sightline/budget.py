"""Check the limits of a search before it begins."""

from sightline.exceptions import ParameterError

__all__ = ["check_budget"]


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
