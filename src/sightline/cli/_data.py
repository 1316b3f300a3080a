"""Rows read from a file and split into training and held-out rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from sightline.cli._column_choice import check_classes, chosen_columns, keep_columns, rare_label_notes
from sightline.cli._model_file import list_some
from sightline.cli._options import ColumnOptions, FileOptions
from sightline.exceptions import DataError, DataWarning, ParameterError
from sightline.model import BlackBox, Ensemble
from sightline.table import (
    Labels,
    Schema,
    Table,
    identifier_reason,
    join_variants,
    label_variants,
    read_table,
)
from sightline.wording import list_names, pluralize

MIN_ROWS = 20
MAX_UNITS = 10
_AS_FOUND = FileOptions()
_ALL_COLUMNS = ColumnOptions()
EXACT_LABELS = ColumnOptions(exact_labels=True)
"""For rows of a model, whose labels are written as it knows them."""


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
        What could have been meant otherwise: columns, labels, lines, the encoding.
    """

    name: str
    train: Table
    test: Table
    dropped: list[str]
    n_unlabeled: int
    remarks: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Say in one line what was read."""
        n_nominal = sum(column.feature.is_nominal for column in self.train.columns)
        n_numeric = len(self.train.columns) - n_nominal
        assert isinstance(self.train.y, Labels)
        return (
            f"{self.name}: {pluralize(self.train.n_rows, 'training row')}, {self.test.n_rows:,} held out; "
            f"{n_numeric:,} numeric and {pluralize(n_nominal, 'nominal column')}, "
            f"{pluralize(len(self.train.y.classes_), 'class', 'classes')}."
        )

    @property
    def notes(self) -> list[str]:
        """What was dropped, and what could have been meant otherwise."""
        return [*unlabeled_notes(self.n_unlabeled), *dropped_notes(self.dropped), *self.remarks]


def unlabeled_notes(n_rows: int) -> list[str]:
    """Say how many rows were dropped because they have no label; nothing if none were."""
    return [f"Dropped {pluralize(n_rows, 'row')} without a label."] if n_rows else []


def dropped_notes(columns: list[str]) -> list[str]:
    """Say which columns were dropped and why."""
    return [f"Dropped column {column}." for column in columns]


def read_rows(
    path: Path, target: str | None = None, options: FileOptions = _AS_FOUND, like: Schema | None = None
) -> tuple[Table, list[str]]:
    """Read rows; return them with the warnings about them.

    Parameters
    ----------
    path : Path
        The file.
    target : str, optional
        Column to predict.
    options : FileOptions
        How to read the file.
    like : Schema, optional
        The columns of a model, which say what is a number and what is a category.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        table = read_table(path, target, **vars(options), like=like)
    start = f"{path}: "
    remarks = [str(warning.message).removeprefix(start) for warning in caught]
    return table, [*remarks, *_unit_notes(table)]


def _unit_notes(table: Table) -> list[str]:
    """Say which numbers were read without their unit."""
    units = {name: unit for name, unit in table.number_format.units.items() if name in set(table.names)}
    times = [repr(name) for name, unit in units.items() if unit == ":"]
    others = [f"{name!r} in {unit}" for name, unit in units.items() if unit != ":"]
    return [
        *([f"Numbers with units: {list_names(others, MAX_UNITS)}."] if others else []),
        *([f"Times, read as 12.5 for 12:30: {list_names(times, MAX_UNITS)}."] if times else []),
    ]


def read_labeled(
    path: Path,
    target: str | None,
    options: FileOptions = _AS_FOUND,
    columns: ColumnOptions = _ALL_COLUMNS,
    like: Schema | None = None,
) -> tuple[Table, int, list[str]]:
    """Read the rows that have a label; return them, the number of others, and warnings about the file.

    Labels that differ only in case or blanks are joined, unless `columns` says otherwise.

    Raises
    ------
    DataError
        If the file cannot be read, or the target holds no classes.
    """
    table, remarks = read_rows(path, target, options, like)
    if table.y is None:
        raise DataError(f"{path}: name the column to predict with --target.")
    target = table.target_name
    if not isinstance(table.y, Labels):
        raise DataError(
            f"{path}: the target {target!r} holds fractional numbers, not classes. "
            "Choose another column, or bin its values first."
        )
    if not columns.exact_labels:
        table, remarks = _with_joined_labels(table, remarks)
    assert isinstance(table.y, Labels)
    known = np.flatnonzero(table.y.codes >= 0)
    if not len(known):
        raise DataError(f"{path}: the target {target!r} is missing in every row.")
    labeled = table if len(known) == table.n_rows else table[known]
    return labeled, table.n_rows - len(known), remarks


def _with_joined_labels(table: Table, remarks: list[str]) -> tuple[Table, list[str]]:
    """Join labels that differ only in case or blanks, and say so instead of warning about them."""
    assert isinstance(table.y, Labels)
    groups = label_variants(table.y)
    if not groups:
        return table, remarks
    joined = [
        f"Joined the labels {list_names([*map(repr, group)], MAX_UNITS)} into one class, {group[0]!r}. "
        "Pass --exact-labels to keep them separate."
        for group in groups
    ]
    table = Table(
        table.columns,
        join_variants(table.y),
        table.weights,
        table.name,
        table.target_name,
        number_format=table.number_format,
    )
    return table, [*(remark for remark in remarks if "differ only in case" not in remark), *joined]


def read_split(
    path: Path,
    target: str,
    test_share: float,
    seed: int,
    ensemble: Ensemble | BlackBox | None = None,
    options: FileOptions = _AS_FOUND,
    columns: ColumnOptions = _ALL_COLUMNS,
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
    ensemble : Ensemble or BlackBox, optional
        A model that must know the columns and labels; columns that it does not use are dropped.
    options : FileOptions
        How to read the file.
    columns : ColumnOptions
        Which columns to keep or drop.
    """
    if ensemble is None:
        table, n_unlabeled, remarks = read_labeled(path, target, options, columns)
        check_classes(table, str(path), columns.keep)
        table, dropped, more = chosen_columns(path, table, columns, n_unlabeled)
        remarks += [*more, *rare_label_notes(table)]
    else:
        # The labels must be those of the model, letter by letter.
        exact = replace(columns, exact_labels=True)
        table, n_unlabeled, remarks = read_labeled(path, target, options, exact, ensemble.schema)
        schema = ensemble.expected if isinstance(ensemble, BlackBox) else ensemble.schema
        if schema is None:
            table, dropped, more = chosen_columns(path, table, columns, n_unlabeled)
            remarks += more
        else:
            table, dropped = select_columns(path, table, schema)
        check_labels(path, table, ensemble)
        check_classes(table, str(path), columns.keep)
    rows = split(table, test_share, seed, str(path), n_unlabeled)
    return replace(rows, dropped=dropped, remarks=remarks)


def select_columns(path: Path, table: Table, schema: Schema) -> tuple[Table, list[str]]:
    """Return a model's columns in its order, and the dropped columns with the reason.

    Models without column names take the columns by position. Columns that a pipeline ignores may be absent.

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
    names = names_in_order(path, table.names, schema)
    used = set(names)
    known = {column.name: column for column in table.columns if column.name in used}
    kept = [known[name] for name in names]
    dropped = [f"{name!r}: the model does not use it" for name in table.names if name not in known]
    return Table(kept, table.y, table.weights, table.name, table.target_name), dropped


def names_in_order(path: Path, given: list[str], schema: Schema) -> list[str]:
    """Return the given names that a model knows, in its order.

    Raises
    ------
    DataError
        If the model needs a column that is not given.
    """
    known = set(given)
    names = schema.called(given)
    needed = [not feature.ignored for feature in schema.features]
    absent = [name for name, is_needed in zip(names, needed, strict=True) if is_needed and name not in known]
    if absent:
        columns, are = ("column", "is") if len(absent) == 1 else ("columns", "are")
        raise DataError(
            f"{path}: the model needs the {columns} {list_names([*map(repr, absent)], MAX_UNITS)}, "
            f"which {are} missing."
        )
    return [name for name in names if name in known]


def check_labels(path: Path, table: Table, ensemble: Ensemble | BlackBox) -> None:
    """Raise unless an ensemble knows the labels of a table.

    Raises
    ------
    DataError
        Saying how to name its classes: many model files store class numbers only.
    """
    labels: Any = table.y
    if ensemble.classes_ is None:
        return  # A black box that does not name its classes.
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


def _without_identifiers(table: Table) -> tuple[Table, list[str]]:
    """Drop the columns that only name the rows."""
    reasons = [identifier_reason(column, is_first=False) for column in table.columns]
    kept = [column for column, reason in zip(table.columns, reasons, strict=True) if not reason]
    named = zip(table.names, reasons, strict=True)
    return keep_columns(table, kept), [f"{name!r}: {reason}" for name, reason in named if reason]
