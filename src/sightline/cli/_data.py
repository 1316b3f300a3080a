"""Rows from a file, made ready to learn from."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from sightline.exceptions import DataError, DataWarning, ParameterError
from sightline.model import Ensemble
from sightline.table import Labels, Schema, Table, read_table

MIN_ROWS = 20
MAX_CLASSES = 100


@dataclass(frozen=True)
class Split:
    """Rows to learn from and rows to judge by.

    Attributes
    ----------
    name : str
        What the rows are about.
    train, test : Table
        Both with labels; no row is in both.
    left_out : list of str
        Columns that were not used, each with the reason.
    n_unlabelled : int
        Rows without a label, which were not used.
    remarks : list of str
        Sentences about columns that are probably not what they seem.
    """

    name: str
    train: Table
    test: Table
    left_out: list[str]
    n_unlabelled: int
    remarks: list[str] = field(default_factory=list)

    def sentence(self) -> str:
        """Say what was read."""
        n_nominal = sum(column.feature.is_nominal for column in self.train.columns)
        n_numeric = len(self.train.columns) - n_nominal
        assert isinstance(self.train.y, Labels)
        text = (
            f"{self.name}: {self.train.n_rows:,} rows to learn from, {self.test.n_rows:,} held out; "
            f"{n_numeric:,} numeric and {n_nominal:,} nominal columns, "
            f"{len(self.train.y.classes_):,} classes."
        )
        left_out = (f"Left out the column {column}." for column in self.left_out)
        return "\n".join([text, *told_of_unlabelled(self.n_unlabelled), *left_out, *self.remarks])


def told_of_unlabelled(n_rows: int) -> list[str]:
    """Say how many rows were not used because they have no label, if any."""
    return [f"Left out {n_rows:,} row{'s' * (n_rows != 1)} without a label."] if n_rows else []


def read_rows(path: Path, target: str | None = None) -> tuple[Table, list[str]]:
    """Read rows, and return what there is to say about their columns."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", DataWarning)
        table = read_table(path, target)
    start = f"{path}: "
    return table, [str(warning.message).removeprefix(start) for warning in said]


def read_labelled(path: Path, target: str | None) -> tuple[Table, int, list[str]]:
    """Read rows whose labels are known; say how many others there were, and what about the columns.

    Raises
    ------
    DataError
        If the file cannot be read, or the target holds no classes.
    """
    table, remarks = read_rows(path, target)
    if table.y is None:
        raise DataError(f"{path}: say which column is to be predicted, with --target.")
    target = table.target_name
    if not isinstance(table.y, Labels):
        raise DataError(
            f"{path}: the target {target!r} holds numbers with fractions, not classes: "
            "choose another column, or sort its values into classes first."
        )
    known = np.flatnonzero(table.y.codes >= 0)
    if not len(known):
        raise DataError(f"{path}: no row has a value of the target {target!r}.")
    labelled = table if len(known) == table.n_rows else table[known]
    return labelled, table.n_rows - len(known), remarks


def read_split(
    path: Path, target: str, test_share: float, seed: int, ensemble: Ensemble | None = None
) -> Split:
    """Read rows and put some aside, of each class its share.

    Parameters
    ----------
    path : Path
        The file.
    target : str
        The column to predict.
    test_share : float
        Share of the rows to put aside.
    seed : int
        Draws them.
    ensemble : Ensemble, optional
        A model that must know the columns and the labels; columns that it does not know are left out.
    """
    table, n_unlabelled, remarks = read_labelled(path, target)
    if ensemble is None:
        table, left_out = _without_names(table)
    else:
        table, left_out = known_columns(path, table, ensemble.schema)
        check_labels(path, table, ensemble)
    found = replace(split(table, test_share, seed, str(path), n_unlabelled), left_out=left_out)
    left = {f"Column {column.name!r} " for column in found.train.columns}
    return replace(found, remarks=[remark for remark in remarks if any(map(remark.startswith, left))])


def known_columns(path: Path, table: Table, schema: Schema) -> tuple[Table, list[str]]:
    """Return a table of the columns that a model knows, in its order, and those left out with the reason.

    Models without names of their own take the columns by their places.

    Raises
    ------
    DataError
        If a column is not there, or, without names, not as many as are needed.
    """
    if not schema.has_given_names and set(table.names) != set(schema.names):
        left_out: list[str] = []
        if len(table.columns) > len(schema):
            table, left_out = _without_names(table)
        if len(table.columns) != len(schema):
            besides = "" if table.target_name is None else " besides the target"
            raise DataError(
                f"{path}: there are {len(table.columns):,} columns{besides}, "
                f"but the model needs {len(schema):,}."
            )
        return table, left_out
    names = schema.called(table.names)
    absent = [name for name in names if name not in table.names]
    if absent:
        n_more = len(absent) - 1
        more = (
            f" (and {n_more:,} {'other is' if n_more == 1 else 'others are'} missing, too)" if n_more else ""
        )
        raise DataError(f"{path}: there is no column {absent[0]!r}, which the model needs{more}.")
    known = {column.name: column for column in table.columns if column.name in set(names)}
    kept = [known[name] for name in names]
    left_out = [f"{name!r}: the model does not know it" for name in table.names if name not in known]
    return Table(kept, table.y, table.weights, table.name, table.target_name), left_out


def check_labels(path: Path, table: Table, ensemble: Ensemble) -> None:
    """Raise unless an ensemble knows the labels of a table.

    Raises
    ------
    DataError
        Saying how to name its classes: many models know numbers only.
    """
    labels: Any = table.y
    known = np.asarray(ensemble.classes_).tolist()
    for label in labels.classes_[np.unique(labels.codes)].tolist():
        if label not in known:
            listed = ", ".join(map(repr, known[:10]))
            raise DataError(
                f"{path}: the model does not know the label {label!r}; its classes are {listed}: "
                "give their names in this order with --classes."
            )


def split(table: Table, test_share: float, seed: int, source: str, n_unlabelled: int = 0) -> Split:
    """Put some rows of a table aside; ``source`` names it in errors."""
    if not 0 < test_share < 1:
        raise ParameterError(f"The share held out must lie between 0 and 1. Got {test_share} instead.")
    _check_enough(table, source)
    labels: Any = table.y
    codes = labels.codes
    stratify = codes if np.bincount(codes)[np.unique(codes)].min() > 1 else None
    try:
        train, test = train_test_split(
            np.arange(table.n_rows), test_size=test_share, random_state=seed, stratify=stratify
        )
    except ValueError as error:
        raise DataError(f"{source}: the rows cannot be split ({error}): choose another share.") from error
    return Split(table.name or source, table[np.sort(train)], table[np.sort(test)], [], n_unlabelled)


def check_classes(table: Table, source: str) -> None:
    """Raise unless the target has several classes, and not too many; ``source`` names the table."""
    labels: Any = table.y
    n_classes = len(np.unique(labels.codes))
    if n_classes < 2:
        only = labels.classes_.tolist()[labels.codes[0]]
        raise DataError(f"{source}: all rows have the same label {only!r}: there is nothing to learn.")
    if n_classes > MAX_CLASSES:
        raise DataError(
            f"{source}: the target {table.target_name!r} has {n_classes:,} different values: "
            "choose a column of classes, or sort its values into classes first."
        )


def _check_enough(table: Table, source: str) -> None:
    check_classes(table, source)
    if table.n_rows < MIN_ROWS:
        raise DataError(f"{source}: {table.n_rows} rows are too few: {MIN_ROWS} or more are needed.")


def _without_names(table: Table) -> tuple[Table, list[str]]:
    """Leave out columns that name the rows: nobody learns from what occurs once."""
    kept, left_out = [], []
    for column in table.columns:
        known = column.values[~column.is_missing]
        is_name = column.feature.is_nominal and MIN_ROWS < len(known) == len(np.unique(known))
        if is_name:
            left_out.append(f"{column.name!r}: it has another value in every row")
        else:
            kept.append(column)
    if not kept:
        raise DataError("Every column has another value in every row: there is nothing to learn from.")
    return Table(kept, table.y, table.weights, table.name, table.target_name), left_out
