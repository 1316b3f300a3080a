"""Find the case that a row is, if the case base learned from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.table import Table


class OwnCases:
    """Finds rows among cases: by equal values, and by name where both have names.

    Parameters
    ----------
    cases : Table
        The cases.
    names : sequence or None
        Their names.

    Examples
    --------
    >>> cases = Table.from_any([[1.0], [2.0], [2.0]])
    >>> OwnCases(cases, None).find(Table.from_any([[2.0], [3.0]]), None)
    array([ 1, -1], dtype=int32)
    >>> OwnCases(cases, ["a", "b", "c"]).find(Table.from_any([[2.0], [1.0]]), ["c", "d"])
    array([ 2, -1], dtype=int32)
    """

    def __init__(self, cases: Table, names: Sequence[Any] | None) -> None:
        self.cases = cases
        self.names = names
        self._by_name = {} if names is None else {str(name): case for case, name in enumerate(names)}
        self._first: dict[bytes, int] = {}
        for case, key in enumerate(_keys(cases)):
            self._first.setdefault(key, case)

    def find(self, rows: Table, names: Sequence[Any] | None) -> NDArray[np.int32]:
        """Return the case that each row is, -1 if it is none.

        Parameters
        ----------
        rows : Table
            Rows in the columns of the cases.
        names : sequence or None
            Names of the rows; None if they are only numbered. Without names on both sides, the first
            case with the same values counts.
        """
        keys = _keys(rows)
        if names is None or self.names is None:
            return np.array([self._first.get(key, -1) for key in keys], dtype=np.int32)
        found = np.array([self._by_name.get(str(name), -1) for name in names], dtype=np.int32)
        # A name that stands for other values now is another row.
        own = _keys(self.cases[np.maximum(found, 0)])
        same = np.array([one == other for one, other in zip(keys, own, strict=True)], dtype=bool)
        return np.where(same, found, -1).astype(np.int32)


def _keys(rows: Table) -> list[bytes]:
    """Return one value per row that is equal for equal rows; all missing numbers are alike."""
    columns = [
        column.values.astype(np.float64)
        if column.feature.is_nominal
        else np.where(np.isnan(column.values), np.nan, column.values + 0.0)
        for column in rows.columns
    ]
    matrix = np.ascontiguousarray(np.column_stack(columns))
    return [row.tobytes() for row in matrix]
