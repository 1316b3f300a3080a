"""The data sets of an experiment: their files, and how rows are prepared before training."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import DataError
from sightline.table import Labels, Numbers, Table, fingerprint, read_file

SUFFIXES = (".arff", ".arff.gz")
REST = "rest"
"""Name of all other classes when one class is separated from them."""


class DataSource(Protocol):
    """A source of rows for an experiment."""

    @property
    def name(self) -> str:
        """Name in the tables."""
        ...

    def read(self, folder: Path) -> LoadedSet:
        """Return the rows and labels."""
        ...


@dataclass(frozen=True)
class DataSet:
    """A file of an experiment.

    Attributes
    ----------
    name : str
        Name in the tables.
    file : str, optional
        Name of the file without ``.arff``; by default the name of the data set.
    without : tuple of str
        Columns to drop, such as row identifiers.
    nominal : bool
        Whether to treat every column as nominal.
    one_class : int, optional
        Index of the class to separate from all others, for papers about two classes.
    max_repeats : int, optional
        Maximum number of repeats on this data set, if each takes long.
    """

    name: str
    file: str | None = None
    without: tuple[str, ...] = ()
    nominal: bool = False
    one_class: int | None = None
    max_repeats: int | None = None

    def read(self, folder: Path) -> LoadedSet:
        """Read the rows.

        Parameters
        ----------
        folder : Path
            Folder with the ARFF files, gzipped or not.

        Returns
        -------
        LoadedSet
            Rows and labels.

        Raises
        ------
        DataError
            If the file is missing or cannot be read.
        """
        path = self.path(folder)
        table = read_file(path)
        if not isinstance(table.y, Labels):
            raise DataError(f"{path}: the last attribute must be nominal, the class to predict.")
        try:
            table.y.check_known()
        except DataError as error:
            raise DataError(f"{path}: {error}") from error
        X = Table([column for column in table.X.columns if column.name not in self.without])
        if self.nominal:
            X = Table.from_any(X, categorical_features=X.names)
        y = table.y if self.one_class is None else _one_against_rest(table.y, self.one_class, path)
        return LoadedSet(self.name, X, y, self.max_repeats)

    def path(self, folder: Path) -> Path:
        """Return the file in a folder, or raise DataError if there is none."""
        stem = self.file or self.name
        paths = [folder / f"{stem}{suffix}" for suffix in SUFFIXES]
        existing = [path for path in paths if path.exists()]
        if not existing:
            raise DataError(
                f"There is no data set {self.name!r} in {str(folder)!r}: found neither {paths[0].name} nor "
                f"{paths[1].name}."
            )
        return existing[0]


def _one_against_rest(labels: Labels, code: int, path: Path) -> Labels:
    if code >= len(labels.classes_):
        raise DataError(f"{path}: there is no class {code + 1}. The file declares {len(labels.classes_)}.")
    classes = np.array([REST, str(labels.classes_[code])])
    return Labels((labels.codes == code).astype(np.int32), classes)


@dataclass(frozen=True, eq=False)
class LoadedSet:
    """Rows of a data set, and what is to be predicted.

    Attributes
    ----------
    name : str
        Name of the data set.
    X : Table
        The rows.
    y : Labels or Numbers
        Their labels, or numbers.
    max_repeats : int, optional
        See :class:`DataSet`.
    weights : ndarray of shape (n_rows,), optional
        Weight of each row, above 0; None if all rows count the same.
    """

    name: str
    X: Table
    y: Labels | Numbers
    max_repeats: int | None = None
    weights: NDArray[np.float64] | None = None

    @property
    def task(self) -> Literal["classes", "numbers"]:
        """Whether the rows have classes or numbers."""
        return "classes" if isinstance(self.y, Labels) else "numbers"

    @property
    def strata(self) -> NDArray[np.int32]:
        """The classes of the rows, by which folds are stratified; all the same for numbers."""
        return self.y.codes if isinstance(self.y, Labels) else np.zeros(len(self.y), dtype=np.int32)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the rows, labels and weights."""
        rows = fingerprint(self.X, self.y)
        if self.weights is not None:
            rows = hashlib.sha256(rows.encode() + self.weights.tobytes()).hexdigest()
        return rows
