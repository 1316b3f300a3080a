"""Which columns had missing values in training, as far as the directions of missing values show it.

Libraries store a direction for every test, also if no training value was missing. Then the direction
follows a rule of the library. If tests of a column do not follow it, they learned it from missing values.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sightline.table import Schema


class MissingDirections:
    """The directions of all tests of a model, by feature.

    Parameters
    ----------
    n_features : int
        Number of features.
    """

    def __init__(self, n_features: int) -> None:
        self._goes = np.zeros((2, n_features), dtype=np.bool_)
        self._breaks_rule = np.zeros(n_features, dtype=np.bool_)

    def add(
        self,
        feature: NDArray[np.integer],
        goes_left: NDArray[np.bool_],
        by_rule: NDArray[np.bool_] | None = None,
    ) -> None:
        """Add some tests.

        Parameters
        ----------
        feature, goes_left : ndarray of shape (n_tests,)
            The tested features, and whether missing values go left.
        by_rule : ndarray of shape (n_tests,), optional
            Where they would go if there had been none. None if always the same way.
        """
        self._goes[goes_left.astype(np.intp), feature] = True
        self._breaks_rule[feature if by_rule is None else feature[goes_left != by_rule]] = True

    def mark(self, schema: Schema) -> Schema:
        """Return the schema in which columns with learned directions are known to have had missing values.

        Tests that all go one way may follow a rule of another version of the library.
        """
        is_learned = self._goes.all(axis=0) & self._breaks_rule
        if not is_learned.any():
            return schema
        marked = (
            replace(feature, complete=False) if learned else feature
            for feature, learned in zip(schema.features, is_learned.tolist(), strict=True)
        )
        return replace(schema, features=tuple(marked))
