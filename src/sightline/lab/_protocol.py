"""How often and on which rows everything is learnt and judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import DataError, ParameterError
from sightline.lab._data_set import LoadedSet
from sightline.table import Column, Table, stratified_folds


class Place(NamedTuple):
    """One fold of one repeat."""

    repeat: int
    fold: int


@dataclass(frozen=True)
class Protocol:
    """Repeated stratified cross-validation with folds that depend on nothing but the rows and a seed.

    Attributes
    ----------
    n_repeats : int
        Cross-validations, each with folds of its own.
    n_folds : int
        Folds of each.
    seed : int
        The folds of repeat r are drawn with seed + r.
    n_uniform : int
        Rows drawn uniformly, about which all models of a data set are asked, so that it can be
        measured how stable the learners are; 0 for none.

    Examples
    --------
    >>> [place.fold for place in Protocol(n_repeats=1, n_folds=3).places()]
    [0, 1, 2]
    """

    n_repeats: int
    n_folds: int
    seed: int = 1
    n_uniform: int = 0

    def __post_init__(self) -> None:
        for name, least in (("n_repeats", 1), ("n_folds", 2), ("n_uniform", 0)):
            if getattr(self, name) < least:
                raise ParameterError(
                    f"The {name!r} of a protocol must be at least {least}. Got {getattr(self, name)} instead."
                )

    @property
    def test_share(self) -> float:
        """Rows held out over rows learnt from, for the corrected resampled t-test."""
        return 1 / (self.n_folds - 1)

    def places(self) -> Iterator[Place]:
        """Yield every fold of the first repeat, then every fold of the second, and so on."""
        for repeat in range(self.n_repeats):
            for fold in range(self.n_folds):
                yield Place(repeat, fold)

    def split(self, data: LoadedSet, place: Place) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the rows to learn from and the rows to judge on; the same for every learner.

        Parameters
        ----------
        data : LoadedSet
            The rows.
        place : Place
            Which fold of which repeat.

        Returns
        -------
        train, test : ndarray
            Row numbers, ascending.
        """
        if self.n_folds > len(data.y):
            raise DataError(f"{data.name} has {len(data.y)} rows: too few for {self.n_folds} folds.")
        random = np.random.RandomState(self.seed + place.repeat)
        folds = stratified_folds(data.y.codes, self.n_folds, random)
        return np.flatnonzero(folds != place.fold), np.flatnonzero(folds == place.fold)

    def uniform_rows(self, data: LoadedSet) -> Table | None:
        """Return the rows about which all models of a data set are asked."""
        return uniform_rows(data.X, self.n_uniform) if self.n_uniform else None


def uniform_rows(like: Table, n_rows: int, seed: int = 0) -> Table:
    """Draw rows uniformly over the observed ranges and the declared values of each column.

    Parameters
    ----------
    like : Table
        Where ranges and values come from.
    n_rows : int
        Number of rows.
    seed : int, default=0
        The same seed gives the same rows.

    Returns
    -------
    Table
        Rows without missing values, but for columns of which no value is known.

    Examples
    --------
    >>> rows = uniform_rows(Table.from_any([[0.0, "a"], [10.0, "b"]]), 1000)
    >>> rows.n_rows, bool(rows.columns[0].values.max() <= 10)
    (1000, True)
    """
    random = np.random.RandomState(seed)
    columns = []
    for column in like.columns:
        draw = random.uniform(size=n_rows)
        if column.feature.is_nominal:
            values: NDArray[Any] = (draw * column.feature.n_values).astype(np.int32)
        else:
            known = column.values[~column.is_missing]
            low, high = (known.min(), known.max()) if len(known) else (np.nan, np.nan)
            values = low + draw * (high - low)
        columns.append(Column(column.feature, values))
    return Table(columns, has_names=like.has_names)
