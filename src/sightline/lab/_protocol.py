"""How often, and on which rows, every learner is trained and tested."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedShuffleSplit

from sightline.exceptions import DataError, ParameterError
from sightline.lab._data_set import LoadedSet
from sightline.table import Column, Table, stratified_folds
from sightline.wording import pluralize


class FoldId(NamedTuple):
    """One fold of one repeat."""

    repeat: int
    fold: int


@dataclass(frozen=True)
class Protocol:
    """Repeated stratified cross-validation. The folds depend only on the rows and a seed.

    Attributes
    ----------
    n_repeats : int
        Number of cross-validations, each with its own folds.
    n_folds : int
        Folds of each cross-validation.
    seed : int
        The folds of repeat r are drawn with seed + r.
    n_uniform : int
        Number of uniformly drawn rows that every model of a data set predicts, to measure how
        stable the learners are; 0 for none.

    Examples
    --------
    >>> [fold_id.fold for fold_id in Protocol(n_repeats=1, n_folds=3).fold_ids()]
    [0, 1, 2]
    """

    min_folds: ClassVar[int] = 2
    plain_labels: ClassVar[bool] = False
    """Whether learners get labels as an array, without the classes that the file declares."""

    n_repeats: int
    n_folds: int
    seed: int = 1
    n_uniform: int = 0

    def __post_init__(self) -> None:
        for name, least in (("n_repeats", 1), ("n_folds", self.min_folds), ("n_uniform", 0)):
            if getattr(self, name) < least:
                raise ParameterError(
                    f"The {name!r} of a protocol must be at least {least}. Got {getattr(self, name)} instead."
                )

    @property
    def test_share(self) -> float:
        """Test rows over training rows, for the corrected resampled t-test."""
        return 1 / (self.n_folds - 1)

    @property
    def identity(self) -> tuple[object, ...]:
        """Everything that decides which rows a fold holds; the number of repeats does not."""
        return (self.n_folds, self.seed, self.n_uniform)

    def describe(self) -> str:
        """Return the protocol in words."""
        return f"{self.n_repeats} x {self.n_folds}-fold stratified cross-validation"

    def quick(self) -> Self:
        """Return the protocol of a first look: one threefold cross-validation."""
        return replace(self, n_repeats=1, n_folds=3)

    def fold_ids(self, data: LoadedSet | None = None) -> Iterator[FoldId]:
        """Yield every fold of the first repeat, then every fold of the second, and so on."""
        limit = self.n_repeats if data is None or data.max_repeats is None else data.max_repeats
        for repeat in range(min(self.n_repeats, limit)):
            for fold in range(self.n_folds):
                yield FoldId(repeat, fold)

    def split(self, data: LoadedSet, fold_id: FoldId) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the training rows and the test rows of a fold, the same for every learner.

        Parameters
        ----------
        data : LoadedSet
            The rows.
        fold_id : FoldId
            Which fold of which repeat.

        Returns
        -------
        train, test : ndarray
            Row indices, ascending.
        """
        if self.n_folds > len(data.y):
            raise DataError(f"{data.name} has {len(data.y)} rows: too few for {self.n_folds} folds.")
        random = np.random.RandomState(self.seed + fold_id.repeat)
        folds = stratified_folds(data.strata, self.n_folds, random)
        return np.flatnonzero(folds != fold_id.fold), np.flatnonzero(folds == fold_id.fold)

    def learner_seed(self, fold_id: FoldId) -> int:
        """Return the seed of learners in a fold: a different one in every fold of every repeat."""
        return 1000 * fold_id.repeat + fold_id.fold

    def uniform_rows(self, data: LoadedSet) -> Table | None:
        """Return the uniformly drawn rows that every model of a data set also predicts."""
        return uniform_rows(data.X, self.n_uniform) if self.n_uniform else None


@dataclass(frozen=True)
class SameFolds(Protocol):
    """Cross-validations over the same folds: only the learners' seeds differ between repeats."""

    def split(self, data: LoadedSet, fold_id: FoldId) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the rows of a fold, the same in every repeat."""
        return super().split(data, FoldId(0, fold_id.fold))

    @property
    def identity(self) -> tuple[object, ...]:
        """Everything that decides which rows a fold holds."""
        return ("same folds", *super().identity)

    def describe(self) -> str:
        """Return the protocol in words."""
        return f"{self.n_repeats} seeds on the folds of one {self.n_folds}-fold stratified cross-validation"


@dataclass(frozen=True)
class Splits(Protocol):
    """The splits of one of scikit-learn's splitters; each counts as a repeat of one fold.

    Attributes
    ----------
    splitter : splitter
        Has ``split(X, y)`` and a ``random_state`` of its own.
    min_class_rows : int
        Rows of smaller classes are left out.
    unit : str
        What one split is called.
    detail : str
        What follows the number of splits.
    """

    min_folds: ClassVar[int] = 1
    plain_labels: ClassVar[bool] = True

    n_folds: int = 1
    splitter: Any = None
    min_class_rows: int = 1
    unit: str = "split"
    detail: str = ""

    @classmethod
    def of_two_thirds(
        cls, n_splits: int, min_class_rows: int = 1, splitter: Any = StratifiedShuffleSplit
    ) -> Self:
        """Return random splits with two thirds of the rows to train on.

        Parameters
        ----------
        n_splits : int
            How many.
        min_class_rows : int
            Rows of smaller classes are left out.
        splitter : class
            StratifiedShuffleSplit, or ShuffleSplit for numbers.
        """
        return cls(
            n_repeats=n_splits,
            splitter=splitter(n_splits, test_size=1 / 3, random_state=0),
            min_class_rows=min_class_rows,
            unit="random split",
            detail=", two thirds of the rows to train on",
        )

    @property
    def test_share(self) -> float:
        """Not known here: the splitter decides."""
        raise ParameterError("Splits have no fixed share of test rows.")

    @property
    def identity(self) -> tuple[object, ...]:
        """Everything that decides which rows a split holds."""
        return (repr(self.splitter), self.min_class_rows, self.n_uniform)

    def describe(self) -> str:
        """Return the protocol in words."""
        return pluralize(self.n_repeats, self.unit) + self.detail

    def quick(self) -> Self:
        """Return the protocol of a first look: one split."""
        return replace(self, n_repeats=1)

    def split(self, data: LoadedSet, fold_id: FoldId) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the training rows and the test rows of a split."""
        codes = data.strata
        usable = np.flatnonzero(np.bincount(codes)[codes] >= self.min_class_rows)
        splits = list(self.splitter.split(usable, codes[usable]))
        if fold_id.repeat >= len(splits):
            raise ParameterError(f"There are {len(splits)} splits of {data.name}. Ask for no more repeats.")
        train, test = splits[fold_id.repeat]
        return usable[train], usable[test]

    def learner_seed(self, fold_id: FoldId) -> int:
        """Return the seed of learners: the index of the split."""
        return fold_id.repeat


def uniform_rows(like: Table, n_rows: int, seed: int = 0) -> Table:
    """Draw rows uniformly from the observed ranges and the declared values of each column.

    Parameters
    ----------
    like : Table
        Source of the ranges and values.
    n_rows : int
        Number of rows.
    seed : int, default=0
        Seed for all random choices.

    Returns
    -------
    Table
        Rows without missing values, except in columns without any known value.

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
