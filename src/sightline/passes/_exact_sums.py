"""Sums of doubles without rounding, so that the order and the parts do not matter."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["exact_sums", "rounded"]

_LIMB_BITS = 32
_N_LIMBS = 68
"""A double is a whole number times 2**-1126, of at most 2150 bits; 32 bits a limb."""
_LOWEST = 1126
_MASK = np.int64((1 << _LIMB_BITS) - 1)
_MAX_ADDED = 1 << 20
"""Doubles hold whole numbers up to 2**53, so this many limbs of 32 bits add up exactly."""


def exact_sums(group: NDArray[np.integer], values: NDArray[np.float64], n_groups: int) -> NDArray[np.int64]:
    """Add up finite doubles by group, without rounding.

    Parameters
    ----------
    group : ndarray of int, of shape (n_values,)
        The group of each value.
    values : ndarray of shape (n_values,)
        The values.
    n_groups : int
        Number of groups.

    Returns
    -------
    ndarray of int64, of shape (n_groups, 68)
        Limbs of the sums. Sums are added by adding the limbs, up to two billion values.

    Examples
    --------
    >>> group = np.zeros(4, dtype=int)
    >>> rounded(exact_sums(group, np.array([1e300, 1.0, -1e300, 0.1]), 1))
    array([1.1])
    """
    limbs = np.zeros(n_groups * _N_LIMBS, dtype=np.int64)
    for first in range(0, len(values), _MAX_ADDED):
        part = slice(first, first + _MAX_ADDED)
        _add(limbs, np.asarray(group[part], dtype=np.int64), values[part])
    return limbs.reshape(n_groups, _N_LIMBS)


def _add(limbs: NDArray[np.int64], group: NDArray[np.int64], values: NDArray[np.float64]) -> None:
    fraction, exponent = np.frexp(values)
    whole = np.abs(fraction * 2.0**53).astype(np.int64)
    sign = np.sign(fraction)
    limb, shift = np.divmod(exponent.astype(np.int64) - 53 + _LOWEST, _LIMB_BITS)
    low = (whole & _MASK) << shift
    high = ((whole >> _LIMB_BITS) << shift) + (low >> _LIMB_BITS)
    place = group * _N_LIMBS + limb
    for step, digits in enumerate((low & _MASK, high & _MASK, high >> _LIMB_BITS)):
        limbs += np.bincount(place + step, sign * digits, minlength=len(limbs)).astype(np.int64)


def rounded(limbs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the sums as doubles, each rounded once."""
    return np.array([_value(one) for one in limbs.reshape(-1, _N_LIMBS).tolist()]).reshape(limbs.shape[:-1])


def _value(limbs: list[int]) -> float:
    total = sum(digits << (_LIMB_BITS * index) for index, digits in enumerate(limbs) if digits)
    # A quotient of whole numbers is rounded correctly.
    return total / (1 << _LOWEST)
