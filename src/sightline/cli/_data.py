"""Rows read from a file and split into training and held-out rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from sightline.cli._model_file import list_some
from sightline.exceptions import DataError, DataWarning, ParameterError
from sightline.model import Ensemble
from sightline.table import Labels, Schema, Table, read_table
from sightline.wording import pluralize

MIN_ROWS = 20
MAX_CLASSES = 100


@dataclass(frozen=True)
class Split:
    """Training rows and held-out rows.

    Attributes
    ----------
    name : str
        Name of the table.
    train, test : Table
        Both with labels; no row is in both.
    dropped : list of str
        Columns that were not used, each with the reason.
    n_unlabeled : int
        Rows without a label, which were not used.
    remarks : list of str
        Warnings about columns whose type is probably not what the user expects.
    """

    name: str
    train: Table
    test: Table
    dropped: list[str]
    n_unlabeled: int
    remarks: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Describe what was read, one sentence per line."""
        n_nominal = sum(column.feature.is_nominal for column in self.train.columns)
        n_numeric = len(self.train.columns) - n_nominal
        assert isinstance(self.train.y, Labels)
        text = (
            f"{self.name}: {self.train.n_rows:,} training rows, {self.test.n_rows:,} held out; "
            f"{n_numeric:,} numeric and {n_nominal:,} nominal columns, "
            f"{len(self.train.y.classes_):,} classes."
        )
        notes = [*unlabeled_notes(self.n_unlabeled), *dropped_notes(self.dropped), *self.remarks]
        return "\n".join([text, *notes])


def unlabeled_notes(n_rows: int) -> list[str]:
    """Say how many rows were dropped because they have no label; nothing if none were."""
    return [f"Dropped {pluralize(n_rows, 'row')} without a label."] if n_rows else []


def dropped_notes(columns: list[str]) -> list[str]:
    """Say which columns were dropped and why."""
    return [f"Dropped column {column}." for column in columns]


def read_rows(path: Path, target: str | None = None) -> tuple[Table, list[str]]:
    """Read rows; return them with the warnings about their columns."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        table = read_table(path, target)
    start = f"{path}: "
    return table, [str(warning.message).removeprefix(start) for warning in caught]


def read_labeled(path: Path, target: str | None) -> tuple[Table, int, list[str]]:
    """Read the rows that have a label; return them, the number of others, and warnings about columns.

    Raises
    ------
    DataError
        If the file cannot be read, or the target holds no classes.
    """
    table, remarks = read_rows(path, target)
    if table.y is None:
        raise DataError(f"{path}: name the column to predict with --target.")
    target = table.target_name
    if not isinstance(table.y, Labels):
        raise DataError(
            f"{path}: the target {target!r} holds fractional numbers, not classes. "
            "Choose another column, or bin its values first."
        )
    known = np.flatnonzero(table.y.codes >= 0)
    if not len(known):
        raise DataError(f"{path}: the target {target!r} is missing in every row.")
    labeled = table if len(known) == table.n_rows else table[known]
    return labeled, table.n_rows - len(known), remarks


def read_split(
    path: Path, target: str, test_share: float, seed: int, ensemble: Ensemble | None = None
) -> Split:
    """Read rows and hold some out, stratified by class.

    Parameters
    ----------
    path : Path
        The file.
    target : str
        Column to predict.
    test_share : float
        Share of the rows to hold out.
    seed : int
        Seed for the split.
    ensemble : Ensemble, optional
        A model that must know the columns and labels; columns that it does not use are dropped.
    """
    table, n_unlabeled, remarks = read_labeled(path, target)
    if ensemble is None:
        table, dropped = _without_identifiers(table)
    else:
        table, dropped = select_columns(path, table, ensemble.schema)
        check_labels(path, table, ensemble)
    rows = replace(split(table, test_share, seed, str(path), n_unlabeled), dropped=dropped)
    kept = tuple(f"Column {column.name!r} " for column in rows.train.columns)
    return replace(rows, remarks=[remark for remark in remarks if remark.startswith(kept)])


def select_columns(path: Path, table: Table, schema: Schema) -> tuple[Table, list[str]]:
    """Return a model's columns in its order, and the dropped columns with the reason.

    Models without column names take the columns by position.

    Raises
    ------
    DataError
        If a column is missing or, without names, the number of columns is wrong.
    """
    if not schema.has_given_names and set(table.names) != set(schema.names):
        dropped: list[str] = []
        if len(table.columns) > len(schema):
            table, dropped = _without_identifiers(table)
        if len(table.columns) != len(schema):
            besides = "" if table.target_name is None else " besides the target"
            raise DataError(
                f"{path}: the table has {len(table.columns):,} columns{besides}, "
                f"but the model needs {len(schema):,}."
            )
        return table, dropped
    names = schema.called(table.names)
    given = set(table.names)
    absent = [name for name in names if name not in given]
    if absent:
        more = f" So are {len(absent) - 1:,} more." if len(absent) > 2 else " So is 1 more."
        raise DataError(
            f"{path}: column {absent[0]!r} is missing, and the model needs it.{more * (len(absent) > 1)}"
        )
    used = set(names)
    known = {column.name: column for column in table.columns if column.name in used}
    kept = [known[name] for name in names]
    dropped = [f"{name!r}: the model does not use it" for name in table.names if name not in known]
    return Table(kept, table.y, table.weights, table.name, table.target_name), dropped


def check_labels(path: Path, table: Table, ensemble: Ensemble) -> None:
    """Raise unless an ensemble knows the labels of a table.

    Raises
    ------
    DataError
        Saying how to name its classes: many model files store class numbers only.
    """
    labels: Any = table.y
    known = np.asarray(ensemble.classes_).tolist()
    for label in labels.classes_[np.unique(labels.codes)].tolist():
        if label not in known:
            raise DataError(
                f"{path}: the model has no class {label!r}. Its classes are {list_some(known)}. "
                "Name them in this order with --classes."
            )


def split(table: Table, test_share: float, seed: int, source: str, n_unlabeled: int = 0) -> Split:
    """Hold out some rows of a table; ``source`` names the table in errors."""
    if not 0 < test_share < 1:
        raise ParameterError(f"--test-share must lie between 0 and 1. Got {test_share} instead.")
    check_classes(table, source)
    if table.n_rows < MIN_ROWS:
        raise DataError(f"{source}: {table.n_rows} rows are too few. At least {MIN_ROWS} are needed.")
    labels: Any = table.y
    codes = labels.codes
    stratify = codes if np.bincount(codes)[np.unique(codes)].min() > 1 else None
    try:
        train, test = train_test_split(
            np.arange(table.n_rows), test_size=test_share, random_state=seed, stratify=stratify
        )
    except ValueError as error:
        raise DataError(f"{source}: cannot split the rows ({error}). Change --test-share.") from error
    return Split(table.name or source, table[np.sort(train)], table[np.sort(test)], [], n_unlabeled)


def check_classes(table: Table, source: str) -> None:
    """Raise unless the target has several classes, and not too many; ``source`` names the table."""
    labels: Any = table.y
    n_classes = len(np.unique(labels.codes))
    if n_classes < 2:
        only = labels.classes_.tolist()[labels.codes[0]]
        raise DataError(f"{source}: every row has the label {only!r}. There is nothing to learn.")
    if n_classes > MAX_CLASSES:
        raise DataError(
            f"{source}: the target {table.target_name!r} has {n_classes:,} different values. "
            "Choose a column of classes, or bin its values first."
        )


def _without_identifiers(table: Table) -> tuple[Table, list[str]]:
    """Drop nominal columns in which every row has a different value, such as names and keys."""
    kept, dropped = [], []
    for column in table.columns:
        known = column.values[~column.is_missing]
        is_identifier = column.feature.is_nominal and MIN_ROWS < len(known) == len(np.unique(known))
        if is_identifier:
            dropped.append(f"{column.name!r}: every row has a different value")
        else:
            kept.append(column)
    if not kept:
        raise DataError("In every column, every row has a different value. There is nothing to learn from.")
    return Table(kept, table.y, table.weights, table.name, table.target_name), dropped
