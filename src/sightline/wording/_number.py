"""Numbers as people read them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from decimal import Context, Decimal
from functools import cache, lru_cache

_SHORTEST = 17
"""With this many significant digits, different doubles have different strings."""
_MAX_DECIMALS = 4
"""Numbers with more decimals than this were computed; people write amounts and measurements with fewer."""
_MAX_POSITIONAL = 15
"""Larger powers of ten use scientific notation."""


@lru_cache(maxsize=1 << 13)
def number_text(value: float, digits: int = 6) -> str:
    """Write a number with some significant digits, but never round whole units away.

    Parameters
    ----------
    value : float
        Any double.
    digits : int, default=6
        Significant digits. With 17 or more, the shortest string that reads back as the value.

    Returns
    -------
    str
        Positional notation, or scientific for very large and very small numbers.

    Examples
    --------
    >>> number_text(30.0), number_text(0.1 + 0.2), number_text(1234567.8), number_text(2.5e-9)
    ('30', '0.3', '1234568', '2.5e-9')
    >>> number_text(0.1 + 0.2, digits=17)
    '0.30000000000000004'
    """
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return "infinity" if value > 0 else "-infinity" if value < 0 else "missing"
    exact = Decimal(repr(value))
    digits = max(digits, exact.adjusted() + 1) if exact.adjusted() < _MAX_POSITIONAL else digits
    rounded = exact if digits >= _SHORTEST else _rounding(digits).plus(exact)
    if -5 <= rounded.adjusted() <= _MAX_POSITIONAL:
        return _without_trailing_zeros(f"{rounded:f}")
    mantissa = _without_trailing_zeros(f"{rounded.scaleb(-rounded.adjusted()):f}")
    return f"{mantissa}e{rounded.adjusted()}"


def answer_text(value: float, digits: int = 6) -> str:
    """Write a predicted number: as :func:`number_text` does, with thousands separators.

    Examples
    --------
    >>> answer_text(145912.3), answer_text(-0.25), answer_text(1234.5), answer_text(2.5e-9)
    ('145,912', '-0.25', '1,234.5', '2.5e-9')
    """
    return separated(number_text(value, digits))


def cell_text(value: float) -> str:
    """Write the number of a cell: with all its digits, unless it has many decimals.

    Examples
    --------
    >>> cell_text(2681381.5), cell_text(100 / 3)
    ('2681381.5', '33.3333')
    """
    return number_text(value, _SHORTEST if round(value, _MAX_DECIMALS) == value else 6)


def separated(text: str) -> str:
    """Return a written number with thousands separators.

    Examples
    --------
    >>> separated("-12345.678"), separated("1e20")
    ('-12,345.678', '1e20')
    """
    whole, point, rest = text.partition(".")
    sign, size = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
    return f"{sign}{int(size):,}{point}{rest}" if size.isdigit() else text


def distinct_strings(values: Iterable[float], digits: int = 6) -> dict[float, str]:
    """Write numbers as briefly as possible so that different ones look different.

    The last double before a short number does not look like that number either.

    Parameters
    ----------
    values : iterable of float
        The numbers.
    digits : int, default=6
        Significant digits to start with.

    Returns
    -------
    dict of float to str
        A string per number. Read back, the strings have the order of the values: rounding
        is monotone, and a value that looks like no other keeps its digits.

    Examples
    --------
    >>> distinct_strings([30.0, 2.0000001, 2.0])
    {30.0: '30', 2.0000001: '2.0000001', 2.0: '2'}
    >>> distinct_strings([0.9999999701976775])
    {0.9999999701976775: '0.99999997'}
    """
    strings: dict[float, str] = {}
    alike = dict.fromkeys(values)
    for n_digits in range(min(digits, _SHORTEST), _SHORTEST + 1):
        groups: dict[str, list[float]] = {}
        for value in alike:
            strings[value] = number_text(value, n_digits)
            groups.setdefault(strings[value], []).append(value)
        just_below = _just_below({value: float(strings[value]) for value in alike if math.isfinite(value)})
        alike = {
            value: None
            for group in groups.values()
            for value in group
            if len(group) > 1 or value in just_below
        }
        if not alike:
            break
    return strings


def _just_below(read: dict[float, float]) -> set[float]:
    """Return the values that are the last ones before the numbers that their strings read as.

    Importers turn ``x < 1`` into ``x <= value``. Written as "x <= 1", it would be wrong for 1 itself.
    """
    above = {value: number for value, number in read.items() if number > value}
    lasts = zip(above.items(), last_singles_below(above.values()), strict=True)
    return {value for (value, number), last in lasts if value in (math.nextafter(number, -math.inf), last)}


def last_singles_below(values: Collection[float]) -> list[float]:
    """Return per number the last double that is below it when both are rounded to single precision."""
    import numpy as np  # noqa: PLC0415 - the help of the command loads neither numpy nor the core

    from sightline import _core  # noqa: PLC0415

    with np.errstate(over="ignore"):
        singles = np.array([*values], dtype=np.float32).astype(np.float64)
    below: list[float] = _core.single_below(singles).tolist()
    return below


@cache
def _rounding(digits: int) -> Context:
    # Making a context takes longer than using it.
    return Context(prec=digits)


def _without_trailing_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
