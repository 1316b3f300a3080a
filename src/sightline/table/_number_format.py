"""How the numbers of a file are written: its decimal mark, its thousands and its units."""

from dataclasses import dataclass, field

from sightline.exceptions import ParameterError

__all__ = ["NumberFormat", "check_marks"]

_DECIMALS = (".", ",")
_THOUSANDS = (",", ".", "'", " ", "none")


@dataclass(frozen=True)
class NumberFormat:
    """How the numbers of a file were read.

    Parameters
    ----------
    decimal : {".", ",", ""}, default=""
        Decimal mark. Empty if no number has a mark, or if columns have different ones.
    thousands : {",", ".", "'", " ", ""}, default=""
        Mark between thousands. Empty if there is none.
    units : dict of str to str
        Unit written with every number of a column, by column: ``"%"``, ``"$"``, ``"kg"``, or ``":"`` for
        times such as 12:30. The values are as written: 12 % is 12, and 12:30 is 12.5.

    Examples
    --------
    >>> NumberFormat(",", ".").decimal
    ','
    """

    decimal: str = ""
    thousands: str = ""
    units: dict[str, str] = field(default_factory=dict)


def check_marks(decimal: str | None, thousands: str | None) -> None:
    """Raise unless both are valid number marks and differ.

    Examples
    --------
    >>> check_marks(",", ".")
    >>> check_marks(",", ",")
    Traceback (most recent call last):
        ...
    sightline.exceptions.ParameterError: 'decimal' and 'thousands' must differ. Got ',' for both.
    """
    for name, mark, known in (("decimal", decimal, _DECIMALS), ("thousands", thousands, _THOUSANDS)):
        if mark is not None and mark not in known:
            choices = ", ".join(map(repr, known))
            raise ParameterError(f"The {name!r} parameter must be one of {choices}. Got {mark!r} instead.")
    if decimal is not None and decimal == thousands:
        raise ParameterError(f"'decimal' and 'thousands' must differ. Got {decimal!r} for both.")
