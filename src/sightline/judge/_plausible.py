"""Plausible rows: a counterfactual may be required to be near one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sightline.judge._allowed_changes import ColumnLimits
from sightline.judge._comparable import values_of
from sightline.table import Table


@dataclass(frozen=True)
class PlausibleRows:
    """Distinct rows, and how near to one of them a counterfactual has to be.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_columns)
        The rows as kernels see them.
    width : list of float
        How far numbers may be from those of a row; -1 for columns that do not count. Empty if every row is
        plausible.
    """

    values: NDArray[np.float64]
    width: list[float]

    @classmethod
    def of(cls, rows: Table | None, near: float | None, columns: Sequence[ColumnLimits]) -> PlausibleRows:
        """Take the rows of a table; without ``near``, every row is plausible.

        Parameters
        ----------
        rows : Table or None
            Rows that occur.
        near : float or None
            How far numbers may be, in units of the columns' scales.
        columns : sequence of ColumnLimits
            The columns. Those that no model tests do not count.

        Returns
        -------
        PlausibleRows
            Rows that differ only in columns that do not count are one.
        """
        if rows is None or near is None:
            return cls(np.empty((0, len(columns))), [])
        width = [
            -1.0 if not column.is_tested else 0.0 if column.feature.is_nominal else near * column.scale
            for column in columns
        ]
        values = np.array(values_of(rows), dtype=np.float64).reshape(-1, len(columns))
        values[:, [w < 0 for w in width]] = 0.0
        return cls(np.ascontiguousarray(np.unique(values, axis=0)), width)

    def include(self, rows: list[list[float]]) -> NDArray[np.bool_]:
        """Return which rows are near to one of these."""
        if not self.width:
            return np.ones(len(rows), dtype=bool)
        width = np.array(self.width)
        lowest, highest = self.values - width, self.values + width
        is_missing = np.isnan(self.values)
        result = []
        for row in np.array(rows):
            is_near = (row >= lowest) & (row <= highest) | (np.isnan(row) & is_missing) | (width < 0)
            result.append(bool(is_near.all(axis=1).any()))
        return np.array(result, dtype=bool)
