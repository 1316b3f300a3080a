"""The data sets of an experiment: where they are, and what was done to them before anybody learnt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sightline.exceptions import DataError
from sightline.table import Labels, Table, fingerprint, read_table

SUFFIXES = (".arff", ".arff.gz")


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
    """

    name: str
    file: str | None = None
    without: tuple[str, ...] = ()
    nominal: bool = False

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
        table.y.check_known()
        X = Table([column for column in table.X.columns if column.name not in self.without])
        if self.nominal:
            X = Table.from_any(X, categorical_features=X.names)
        return LoadedSet(self.name, X, table.y)


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
    """

    name: str
    X: Table
    y: Labels

    @cached_property
    def fingerprint(self) -> str:
        """What only rows and labels of the same content share."""
        return fingerprint(self.X, self.y)
