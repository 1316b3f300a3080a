"""Conversion to JSON values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np


def finite_or_none(value: float | None) -> float | None:
    """Return a number, or None in place of one that JSON cannot hold.

    Examples
    --------
    >>> finite_or_none(0.5), finite_or_none(float("inf")), finite_or_none(None)
    (0.5, None, None)
    """
    return value if value is not None and math.isfinite(value) else None


def plain(value: Any) -> Any:
    """Return a value as Python's own types; what JSON cannot hold becomes None or a string.

    Examples
    --------
    >>> plain(np.float64(0.5)), plain(np.str_("no")), plain(float("nan")), plain((np.int64(1), None))
    (0.5, 'no', None, [1, None])
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return finite_or_none(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    differs_from_itself = value != value  # noqa: PLR0124 - as pandas' missing dates do
    return None if differs_from_itself is True else str(value)
