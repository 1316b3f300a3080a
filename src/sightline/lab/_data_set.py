"""The data sets of an experiment: where they are, and what was done to them before anybody learnt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np

from sightline.exceptions import DataError
from sightline.table import Labels, Table, fingerprint, read_table

SUFFIXES = (".arff", ".arff.gz")
REST = "rest"
"""What the classes are called from which one is told apart."""


class DataSource(Protocol):
    """What an experiment reads rows from."""

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
        As the tables call it.
    file : str, optional
        Name of the file without ``.arff``; the data set's by default.
    without : tuple of str
        Columns that nobody may test, such as names of rows.
    nominal : bool
        Whether every column is nominal, whatever the file says.
    one_class : int, optional
        Index of the class to separate from all others, for papers about two classes.
    max_repeats : int, optional
        Stop after so many repeats on this data set, because each takes long.
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
            Holds the ARFF files, gzipped or not.

        Returns
        -------
        LoadedSet
            Rows and labels.

        Raises
        ------
        DataError
            If the file is not there or cannot be read.
        """
        stem = self.file or self.name
        paths = [folder / f"{stem}{suffix}" for suffix in SUFFIXES]
        found = [path for path in paths if path.exists()]
        if not found:
            raise DataError(
                f"There is no data set {self.name!r} in {str(folder)!r}: neither {paths[0].name} nor "
                f"{paths[1].name} is there."
            )
        table = read_table(found[0])
        if not isinstance(table.y, Labels):
            raise DataError(f"{found[0]}: the last attribute is numeric, but a class is to be predicted.")
        try:
            table.y.check_known()
        except DataError as error:
            raise DataError(f"{found[0]}: {error}") from error
        X = Table([column for column in table.X.columns if column.name not in self.without])
        if self.nominal:
            X = Table.from_any(X, categorical_features=X.names)
        y = table.y if self.one_class is None else _against_the_rest(table.y, self.one_class, found[0])
        return LoadedSet(self.name, X, y, self.max_repeats)


def _against_the_rest(labels: Labels, place: int, path: Path) -> Labels:
    if place >= len(labels.classes_):
        raise DataError(f"{path}: there is no class {place + 1}, the file declares {len(labels.classes_)}.")
    classes = np.array([REST, str(labels.classes_[place])])
    return Labels((labels.codes == place).astype(np.int32), classes)


@dataclass(frozen=True, eq=False)
class LoadedSet:
    """Rows and labels of a data set, with a name for their content.

    Attributes
    ----------
    name : str
        What they are called.
    X : Table
        The rows.
    y : Labels
        Their labels.
    max_repeats : int, optional
        See :class:`DataSet`.
    """

    name: str
    X: Table
    y: Labels
    max_repeats: int | None = None

    @cached_property
    def fingerprint(self) -> str:
        """What only rows and labels of the same content share."""
        return fingerprint(self.X, self.y)
