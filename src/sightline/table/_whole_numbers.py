"""Whole numbers as the libraries of models round them.

A table holds doubles. Libraries that compare in single precision round whole numbers beyond 2**53 once,
straight to single precision, or twice, through a double; LightGBM rounds arrays of whole numbers beyond
2**24. Which of these happens depends on the container of the rows. So a column keeps such numbers as
they came, and a model that was loaded from a library rounds them as the library would.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.table._column import Column, Container, Source

__all__ = ["as_rounded_by", "source_of"]

_EXACT_IN_SINGLE = 2**24
_EXACT_IN_DOUBLE = 2**53
_FRAMES = {"frame", "mixed frame", "mixed arrow", "nullable frame"}
_ROUNDED_AT_ONCE = {
    "sklearn": {"array", "frame", "mixed arrow", "nullable frame"},
    # Bagging and AdaBoost convert rows before their trees do.
    "sklearn, converted": {"array", "list", "frame"},
    "xgboost": {"array", "list", *_FRAMES},
    "lightgbm": {"array", "list"},
    "catboost": {"array", *_FRAMES},
}
"""Per library, the containers whose integers it rounds directly to single precision."""


def source_of(numbers: NDArray[Any], container: Container) -> Source | None:
    """Return the numbers as they came if a library may round them differently from a table."""
    kind, size = numbers.dtype.kind, numbers.dtype.itemsize
    if kind == "f" and size > 8:
        return Source(numbers, container)
    exact = _EXACT_IN_SINGLE if container in ("array", "list") else _EXACT_IN_DOUBLE
    if kind not in "iu" or 2 ** (8 * size - 1) <= exact or not numbers.size:
        return None
    # Not the absolute value, which the smallest number of its type does not have.
    is_beyond = int(numbers.max()) > exact or int(numbers.min()) < -exact
    return Source(numbers, container) if is_beyond else None


def as_rounded_by(column: Column, library: str) -> Column:
    """Return a numeric column with its numbers as a library rounds them.

    Examples
    --------
    >>> from sightline.table._schema import Feature
    >>> numbers = np.array([2**24 + 1])
    >>> column = Column(Feature("x"), numbers.astype(float), Source(numbers, "array"))
    >>> as_rounded_by(column, "lightgbm").values
    array([16777216.])
    """
    if column.source is None or column.source.container not in _ROUNDED_AT_ONCE.get(library, ()):
        return column
    with np.errstate(over="ignore"):
        rounded = column.source.numbers.astype(np.float32).astype(np.float64)
    return Column(column.feature, np.where(column.is_missing, np.nan, rounded))
