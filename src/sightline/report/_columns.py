"""The columns that the page shows: those that its models test, renumbered."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.table import Column, Table
from sightline.wording import printable

N_BINS = 24


class Columns:
    """Features in use, with the distribution of their values.

    Parameters
    ----------
    rows : Table
        The rows of the report.
    used : list of int
        Indices of the features that some model of the page tests.
    """

    def __init__(self, rows: Table, used: list[int]) -> None:
        self.rows = rows
        self.used = used
        self._index = {feature: index for index, feature in enumerate(used)}

    def renumbered(self, features: Any) -> list[int]:
        """Return the indices of features on the page; -1 for those that are not there."""
        return [self._index.get(feature, -1) for feature in features.tolist()]

    def to_json(self) -> list[dict[str, Any]]:
        """Return name, kind and distribution of each column."""
        return [_column(self.rows.columns[feature]) for feature in self.used]

    def cells(self, row: int) -> list[float | None]:
        """Return the values of a row: numbers, codes of categories, None for missing."""
        columns = (self.rows.columns[feature] for feature in self.used)
        return [None if column.is_missing[row] else column.values[row].item() for column in columns]


def _column(column: Column) -> dict[str, Any]:
    known = column.values[~column.is_missing]
    described: dict[str, Any] = {
        "name": printable(column.name),
        "n_missing": int(column.is_missing.sum()),
    }
    if column.feature.categories is not None:
        counts = np.bincount(known, minlength=column.feature.n_values)
        return {
            **described,
            "values": [printable(value) for value in column.feature.categories],
            "counts": counts.tolist(),
        }
    if not len(known):
        return {**described, "values": None, "low": None, "high": None, "bins": [], "whole": False}
    low, high = float(known.min()), float(known.max())
    # Halved first: the difference of two doubles may overflow.
    span = high / 2 - low / 2
    scaled = (known / 2 - low / 2) / span if span > 0 else np.zeros(len(known))
    bins = np.bincount(np.minimum((scaled * N_BINS).astype(int), N_BINS - 1), minlength=N_BINS)
    return {
        **described,
        "values": None,
        "low": low,
        "high": high,
        "middle": _median(known),
        "bins": bins.tolist(),
        "whole": bool((known == np.floor(known)).all()),
    }


def _median(numbers: NDArray[np.float64]) -> float:
    """Return the median, even where the sum of the two middle numbers overflows."""
    with np.errstate(over="ignore"):
        median = float(np.median(numbers))
    return median if math.isfinite(median) else 2 * float(np.median(numbers / 2))
