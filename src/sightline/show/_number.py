"""Numbers as people read them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Context, Decimal

import numpy as np

from sightline import _core

_SHORTEST = 17
"""Significant digits after which every double has a text of its own."""
_MAX_POSITIONAL = 15
"""Largest power of ten whose numbers are written out."""


def number_text(value: float, digits: int = 6) -> str:
    """Write a number with so many significant digits, whole units never rounded away.

    Parameters
    ----------
    value : float
        Any double.
    digits : int, default=6
        Significant digits; from 17 on the shortest text that reads back as the value.

    Returns
    -------
    str
        Positional where that is readable, scientific for the very large and small.

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
    rounded = exact if digits >= _SHORTEST else Context(prec=digits).plus(exact)
    if -5 <= rounded.adjusted() <= _MAX_POSITIONAL:
        return _without_trailing_zeros(f"{rounded:f}")
    mantissa = _without_trailing_zeros(f"{rounded.scaleb(-rounded.adjusted()):f}")
    return f"{mantissa}e{rounded.adjusted()}"


def distinct_texts(values: Iterable[float], digits: int = 6) -> dict[float, str]:
    """Write numbers so that different ones look different, each as short as that allows.

    The last number before a short one does not look like it.

    Parameters
    ----------
    values : iterable of float
        The numbers.
    digits : int, default=6
        Significant digits to begin with.

    Returns
    -------
    dict of float to str
        A text per number. The texts read as numbers are in the order of the values:
        rounding is monotone, and a value that looks like no other keeps its digits.

    Examples
    --------
    >>> distinct_texts([30.0, 2.0000001, 2.0])
    {30.0: '30', 2.0000001: '2.0000001', 2.0: '2'}
    >>> distinct_texts([0.9999999701976775])
    {0.9999999701976775: '0.99999997'}
    """
    texts: dict[float, str] = {}
    alike = dict.fromkeys(values)
    for n_digits in range(min(digits, _SHORTEST), _SHORTEST + 1):
        groups: dict[str, list[float]] = {}
        for value in alike:
            texts[value] = number_text(value, n_digits)
            groups.setdefault(texts[value], []).append(value)
        alike = {
            value: None
            for text, group in groups.items()
            for value in group
            if len(group) > 1 or _is_just_below(value, text)
        }
    return texts


def _is_just_below(value: float, text: str) -> bool:
    """Return whether a value is the last before the number that its text reads as.

    That is what a test ``x < 1`` becomes which was made of ``x <= value``: a text that says "at most 1"
    would be wrong for the very number that it names.
    """
    if not math.isfinite(value) or (read := float(text)) <= value:
        return False
    return value in (math.nextafter(read, -math.inf), last_single_below(read))


def last_single_below(value: float) -> float:
    """Return the last double that is less than a number once both are in single precision."""
    with np.errstate(over="ignore"):
        single = np.array([np.float32(value)], dtype=np.float64)
    return float(_core.single_below(single)[0])


def rows_text(weight: float) -> str:
    """Write a training weight as a number of rows.

    Examples
    --------
    >>> rows_text(1.0), rows_text(1200.0), rows_text(15.274)
    ('1 row', '1,200 rows', '15.3 rows')
    """
    number = f"{weight:,.0f}" if weight == round(weight) or weight >= 1000 else f"{weight:,.3g}"
    return f"{number} {'row' if number == '1' else 'rows'}"


def percent_text(share: float) -> str:
    """Write a share in percent; only what is exactly all or nothing reads 100 % or 0 %.

    Examples
    --------
    >>> percent_text(0.874), percent_text(1.0), percent_text(0.9996), percent_text(0.001)
    ('87 %', '100 %', '> 99 %', '< 1 %')
    """
    if 0.99 < share < 1:
        return "> 99 %"
    if 0 < share < 0.01:
        return "< 1 %"
    return f"{100 * share:.0f} %"


def _without_trailing_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
