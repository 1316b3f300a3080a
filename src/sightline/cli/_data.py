"""Rows read from a file and split into training and held-out rows."""

from __future__ import annotations

import csv
import io
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from sightline.cli._column_choice import check_target, chosen_columns, named_by, rare_label_notes
from sightline.cli._label_spelling import with_joined_labels, with_known_labels
from sightline.cli._model_file import list_some, model_task
from sightline.cli._options import ColumnOptions, FileOptions, TaskName
from sightline.cli._task import Task, check_model_task, decide_task, task_of, with_task
from sightline.cli._weights import with_weights
from sightline.exceptions import DataError, DataWarning, ParameterError
from sightline.model import BlackBox, Ensemble
from sightline.table import (
    Column,
    Labels,
    Rows,
    Schema,
    Table,
    identifier_reason,
    read_file,
)
from sightline.table.rows import Draw, is_pattern
from sightline.wording import instant_text, list_names, number_text, pluralize

MIN_ROWS = 20
MAX_UNITS = 10
_AS_FOUND = FileOptions()
_ALL_COLUMNS = ColumnOptions()


@dataclass(frozen=True)
class Notes(ABC):
    """What a person should know about rows that were read.

    Attributes
    ----------
    decision : str
        How the task was decided, classes or numbers; empty if there was no doubt.
    n_unlabeled : int
        Rows without a target, which were not used.
    dropped : list of str
        Columns that were not used, each with the reason.
    remarks : list of str
        Doubtful readings of columns, labels, lines and the encoding.
    """

    decision: str = ""
    n_unlabeled: int = 0
    dropped: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    @abstractmethod
    def task(self) -> Task:
        """Whether classes or numbers are to be predicted."""

    @property
    def notes(self) -> list[str]:
        """What was decided, what was dropped, and which readings are doubtful."""
        decided = [self.decision] if self.decision else []
        unlabeled = unlabeled_notes(self.n_unlabeled, self.task)
        return [*decided, *unlabeled, *dropped_notes(self.dropped), *self.remarks]


@dataclass(frozen=True, eq=False)
class SampledParts:
    """Rows in parts, with a sample of them in memory.

    Attributes
    ----------
    rows : Rows
        All rows, in the columns of the sample.
    training : Draw
        The training rows among them.
    """

    rows: Rows
    training: Draw


@dataclass(frozen=True)
class Split(Notes):
    """Training rows and held-out rows.

    Attributes
    ----------
    name : str
        Name of the table.
    train, test : Table
        Both with labels or numbers; no row is in both.
    held_out : ndarray of int
        Row numbers of the held-out rows in the file, starting at 0.
    parts : SampledParts or None
        All rows, if both are only a sample of rows in parts.
    """

    name: str = field(kw_only=True)
    train: Table = field(kw_only=True)
    test: Table = field(kw_only=True)
    held_out: NDArray[np.intp] = field(kw_only=True)
    parts: SampledParts | None = field(default=None, kw_only=True)

    def held_out_lines(self) -> str:
        """Return a CSV table of the held-out rows: their numbers in the file and, if they have any, names."""
        names = self.test.row_names
        lines: list[list[Any]] = [["row"] if names is None else ["row", names.name]]
        for index, number in enumerate(self.held_out.tolist()):
            lines.append([number] if names is None else [number, self.test.row_name(index)])
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(lines)
        return text.getvalue()

    def text(self) -> str:
        """Say in one line what was read."""
        n_nominal = sum(column.feature.is_nominal for column in self.train.columns)
        n_numeric = len(self.train.columns) - n_nominal
        return (
            f"{self.name}: {pluralize(self.train.n_rows, 'training row')}, {self.test.n_rows:,} held out"
            f"{self._weights_text()}; "
            f"{n_numeric:,} numeric and {pluralize(n_nominal, 'nominal column')}, {self._target_text()}."
        )

    def _weights_text(self) -> str:
        return "" if self.train.weights is None else f", weighted by {self.train.weights_name or 'the file'}"

    def _target_text(self) -> str:
        target = self.train.y
        if isinstance(target, Labels):
            return pluralize(len(target.classes_), "class", "classes")
        numbers = np.concatenate([target, np.asarray(self.test.y)])
        low, high = number_text(float(numbers.min())), number_text(float(numbers.max()))
        return f"numbers from {low} to {high}"

    @property
    def task(self) -> Task:
        """Whether classes or numbers are to be predicted."""
        return task_of(self.train)


def unlabeled_notes(n_rows: int, task: Task = "classes") -> list[str]:
    """Say how many rows were dropped because they have no target; nothing if none were."""
    what = "a label" if task == "classes" else "a number in the target"
    return [f"Dropped {pluralize(n_rows, 'row')} without {what}."] if n_rows else []


def dropped_notes(columns: list[str]) -> list[str]:
    """Say which columns were dropped and why."""
    return [f"Dropped column {column}." for column in columns]


def open_parts(
    path: Path, target: str | None, options: FileOptions, seed: int = 0, checkpoint: Path | None = None
) -> Rows | None:
    """Return the rows of a folder or pattern of files; None for a single file."""
    if not is_pattern(path):
        return None
    given = {name: value for name, value in options.for_read_table().items() if value}
    return Rows(str(path), target, seed=seed, checkpoint=checkpoint, reading=given)


def name_of(path: Path) -> str:
    """Return a short name for the rows of a file, folder or pattern.

    Examples
    --------
    >>> name_of(Path("data/loans.csv.gz")), name_of(Path("data/rows/*.parquet"))
    ('loans', 'rows')
    """
    named = path.parent if is_pattern(path) and not path.is_dir() else path
    return named.resolve().name.split(".")[0] or "rows"


def read_rows(
    path: Path,
    target: str | None = None,
    options: FileOptions = _AS_FOUND,
    like: Schema | None = None,
    parts: Rows | None = None,
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
    parts : Rows, optional
        The rows of a folder or pattern, if they are open already. A sample of them is read.
    """
    parts = parts or open_parts(path, target, options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        if parts is None:
            table = read_file(path, target, **options.for_read_table(), like=like)
        else:
            table = parts.taken(parts.drawn())
    start = f"{path}: "
    return table, [str(warning.message).removeprefix(start) for warning in caught]


def unit_notes(table: Table) -> list[str]:
    """Say which numbers were read without their unit, and which columns as dates.

    Pass the columns that are used: nobody needs to know how a dropped column was read.
    """
    units = {name: unit for name, unit in table.number_format.units.items() if name in set(table.names)}
    times = [repr(name) for name, unit in units.items() if unit == ":"]
    others = [f"{name!r} in {unit}" for name, unit in units.items() if unit != ":"]
    columns = [column for column in table.columns if column.feature.kind and not column.is_missing.all()]
    dates = [_range_of_dates(column) for column in columns if column.feature.kind != "duration"]
    return [
        *([f"Numbers with units: {list_names(others, MAX_UNITS)}."] if others else []),
        *([f"Times, read as 12.5 for 12:30: {list_names(times, MAX_UNITS)}."] if times else []),
        *([f"Dates: {list_names(dates, MAX_UNITS)}."] if dates else []),
    ]


def _range_of_dates(column: Column) -> str:
    known = column.values[~column.is_missing]
    low, high = (instant_text(float(end), column.feature.kind) for end in (known.min(), known.max()))
    return f"{column.name!r} from {low} to {high}"


def read_labeled(
    path: Path,
    target: str | None,
    options: FileOptions = _AS_FOUND,
    columns: ColumnOptions = _ALL_COLUMNS,
    parts: Rows | None = None,
    weight: str | None = None,
) -> Prepared:
    """Read the rows that have a target, and decide whether it is classes or numbers.

    Labels that differ only in case or blanks are joined, unless `columns` says otherwise.

    Raises
    ------
    DataError
        If the file cannot be read, or the target does not match the task.
    """
    table, remarks = _read_target(path, target, options, parts=parts, weight=weight)
    task, decision = decide_task(table, columns.task, are_codes=table.target_name in (columns.keep or ()))
    table = with_task(table, task, str(path))
    # The labels of all parts are counted as they are written.
    if not columns.exact_labels and isinstance(table.y, Labels) and parts is None:
        table, remarks = with_joined_labels(table, remarks)
    table, numbers, n_unlabeled = _with_known_target(path, table)
    return Prepared(decision, n_unlabeled, [], remarks, table=table, numbers=numbers)


def read_for_model(
    path: Path,
    target: str | None,
    options: FileOptions,
    schema: Schema | None,
    task: Task,
    parts: Rows | None = None,
    weight: str | None = None,
    classes: Any = None,
) -> Prepared:
    """Read rows as :func:`read_labeled`, with labels as a model knows them, or with numbers for it.

    Parameters
    ----------
    path, target, options
        As in :func:`read_labeled`.
    schema : Schema or None
        The columns of the model, if it names them.
    task : {"classes", "numbers"}
        What it predicts.
    parts, weight
        As in :func:`prepare_rows`.
    classes : array-like, optional
        The classes of the model. Labels that differ from one of them only in case or blanks mean that one.
    """
    table, remarks = _read_target(path, target, options, schema, parts, weight)
    table = with_task(table, task, str(path))
    if classes is not None and isinstance(table.y, Labels):
        table, remarks = with_known_labels(table, remarks, np.asarray(classes).tolist())
    table, numbers, n_unlabeled = _with_known_target(path, table)
    return Prepared("", n_unlabeled, [], remarks, table=table, numbers=numbers)


def _read_target(
    path: Path,
    target: str | None,
    options: FileOptions,
    like: Schema | None = None,
    parts: Rows | None = None,
    weight: str | None = None,
) -> tuple[Table, list[str]]:
    table, remarks = read_rows(path, target, options, like, parts)
    if table.y is None:
        raise DataError(f"{path}: name the column to predict with --target.")
    return with_weights(path, table, weight, like), remarks


def _with_known_target(path: Path, table: Table) -> tuple[Table, NDArray[np.intp], int]:
    """Return the rows whose target is known, their numbers in the file, and how many others there are."""
    is_known = table.y.codes >= 0 if isinstance(table.y, Labels) else ~np.isnan(np.asarray(table.y))
    known = np.flatnonzero(is_known)
    if not len(known):
        raise DataError(f"{path}: the target {table.target_name!r} is missing in every row.")
    return table if len(known) == table.n_rows else table[known], known, table.n_rows - len(known)


@dataclass(frozen=True)
class Prepared(Notes):
    """Rows to learn from, or to measure a model on.

    Attributes
    ----------
    table : Table
        The rows that have a target, in the columns to use.
    numbers : ndarray of int
        Their row numbers in the file, starting at 0.
    """

    table: Table = field(kw_only=True)
    numbers: NDArray[np.intp] = field(kw_only=True)

    @property
    def task(self) -> Task:
        """Whether classes or numbers are to be predicted."""
        return task_of(self.table)


def prepare_rows(
    path: Path,
    target: str | None,
    ensemble: Ensemble | BlackBox | None = None,
    options: FileOptions = _AS_FOUND,
    columns: ColumnOptions = _ALL_COLUMNS,
    advice: str = "",
    parts: Rows | None = None,
    weight: str | None = None,
) -> Prepared:
    """Read rows, decide what their target is, and choose the columns.

    Parameters
    ----------
    path : Path
        The file.
    target : str or None
        Column to predict; None means the last one of an ARFF file.
    ensemble : Ensemble or BlackBox, optional
        A model that must know the columns and labels; columns that it does not use are dropped.
    options : FileOptions
        How to read the file.
    columns : ColumnOptions
        Which columns to keep or drop, and how to treat the target.
    advice : str
        What to do instead of dropping a column that the ensemble uses.
    parts : Rows, optional
        The rows of a folder or pattern, if they are open already.
    weight : str, optional
        Column with the weights of the rows.
    """
    if ensemble is None:
        rows = read_labeled(path, target, options, columns, parts, weight)
        are_classes = _are_classes(columns, rows.table.target_name)
        check_target(rows.table, str(path), are_classes, rows.n_unlabeled)
        table, dropped, more = chosen_columns(path, rows.table, columns, rows.n_unlabeled)
        remarks = [*rows.remarks, *unit_notes(table), *more, *rare_label_notes(table)]
        return replace(rows, table=table, dropped=dropped, remarks=remarks)
    task = model_task(ensemble)
    decision = check_model_task(columns.task, task)
    rows = read_for_model(path, target, options, ensemble.schema, task, parts, weight, ensemble.classes_)
    schema = ensemble.expected if isinstance(ensemble, BlackBox) else ensemble.schema
    if schema is None:
        table, dropped, more = chosen_columns(path, rows.table, columns, rows.n_unlabeled)
    else:
        table, dropped, more = select_columns(path, rows.table, schema)
        _check_unused(path, table.names, columns.drop or (), advice)
    check_labels(path, table, ensemble)
    check_target(table, str(path), _are_classes(columns, table.target_name))
    remarks = [*rows.remarks, *unit_notes(table), *more]
    return replace(rows, decision=decision, table=table, dropped=dropped, remarks=remarks)


def _check_unused(path: Path, used: list[str], drop: Iterable[str], advice: str) -> None:
    """Raise if a column that a model uses should be dropped: it would not be the same model."""
    for name in drop:
        if name in used:
            raise ParameterError(
                f"{path}: --drop names {name!r}, which the model uses. Dropping it would make a different "
                f"model.{advice}"
            )


def read_split(
    path: Path,
    target: str,
    test_share: float,
    seed: int,
    ensemble: Ensemble | BlackBox | None = None,
    options: FileOptions = _AS_FOUND,
    columns: ColumnOptions = _ALL_COLUMNS,
    checkpoint: Path | None = None,
    weight: str | None = None,
) -> Split:
    """Read rows and hold some out, stratified by class if there are classes.

    Parameters
    ----------
    path, target, ensemble, options, columns, weight
        As in :func:`prepare_rows`.
    test_share : float
        Share of the rows to hold out.
    seed : int
        Seed for the split.
    checkpoint : Path, optional
        Folder for the results of finished parts.
    """
    parts = open_parts(path, target, options, seed, checkpoint)
    advice = " To keep a tree from testing it, use --exclude instead of --drop."
    if weight is not None and parts is not None and parts.n_rows > parts.sample_size:
        raise ParameterError(
            f"{path}: --weight works with up to {parts.sample_size:,} rows in several files, and these have "
            f"{parts.n_rows:,}. In Python, fit to sl.Rows(source, target, weights={weight!r})."
        )
    rows = prepare_rows(path, target, ensemble, options, columns, advice, parts, weight)
    held_out = split(rows.table, test_share, seed, str(path))
    facts = {name: getattr(rows, name) for name in ("decision", "n_unlabeled", "dropped", "remarks")}
    numbers = rows.numbers
    sampled = None
    if parts is not None:
        held_out = replace(held_out, name=name_of(path))
        numbers = parts.drawn().positions[numbers]
        training = np.delete(numbers, held_out.held_out)
        if parts.n_rows > parts.sample_size:
            columns_of_parts = parts.selected(rows.table.names)
            sampled = SampledParts(columns_of_parts, Draw(training, None, is_complete=False))
    return replace(held_out, held_out=numbers[held_out.held_out], parts=sampled, **facts)


def _are_classes(columns: ColumnOptions, target: str | None) -> bool:
    """Whether the user says that the target holds classes."""
    return columns.task is TaskName.CLASSES or target in (columns.keep or ())


def select_columns(path: Path, table: Table, schema: Schema) -> tuple[Table, list[str], list[str]]:
    """Return a model's columns in its order, the dropped columns with the reason, and remarks.

    Models without column names take the columns by position, and a remark says so. Columns that a pipeline
    ignores are dropped.

    Raises
    ------
    DataError
        If a column is missing or, without names, the number of columns is wrong.
    """
    if not schema.has_given_names and table.names != schema.names:
        return _by_position(path, table, schema)
    names = names_in_order(path, table.names, schema)
    used = set(names)
    known = {column.name: column for column in table.columns if column.name in used}
    kept = [known[name] for name in names]
    dropped = [f"{name!r}: the model does not use it" for name in table.names if name not in known]
    named = named_by([column for column in table.columns if column.name not in known], table)
    return named.with_columns(kept), dropped, []


def _by_position(path: Path, table: Table, schema: Schema) -> tuple[Table, list[str], list[str]]:
    dropped: list[str] = []
    if len(table.columns) > len(schema):
        table, dropped = _without_identifiers(table)
    if len(table.columns) != len(schema):
        besides = "" if table.target_name is None else " besides the target"
        raise DataError(
            f"{path}: the table has {len(table.columns):,} columns{besides}, but the model needs "
            f"{len(schema):,}. It does not store their names, so the file must hold exactly these columns, "
            "in the order of training."
        )
    if len(schema) < 2:
        return table, dropped, []
    order = list_names([*map(repr, table.names)], MAX_UNITS)
    remark = (
        f"The model does not store column names, so the columns of the file are taken in their order: "
        f"{order}. If the training rows had another order, the predictions are wrong."
    )
    return table, dropped, [remark]


def names_in_order(path: Path, given: list[str], schema: Schema) -> list[str]:
    """Return the given names that a model uses, in its order.

    Raises
    ------
    DataError
        If the model needs a column that is not given.
    """
    known = set(given)
    called = zip(schema.called(given), schema.features, strict=True)
    names = [name for name, feature in called if not feature.ignored]
    absent = [name for name in names if name not in known]
    if absent:
        columns, are = ("column", "is") if len(absent) == 1 else ("columns", "are")
        unused = [name for name in given if name not in names]
        alike = [name for wanted in absent for name in get_close_matches(wanted.lower(), unused, 1, 0.5)]
        them = "it" if len(alike) == 1 else "them"
        hint = f" Similar: {list_names([*map(repr, alike)], MAX_UNITS)}. Rename {them}." if alike else ""
        raise DataError(
            f"{path}: the model needs the {columns} {list_names([*map(repr, absent)], MAX_UNITS)}, "
            f"which {are} missing.{hint}"
        )
    return names


def check_labels(path: Path, table: Table, ensemble: Ensemble | BlackBox) -> None:
    """Raise unless an ensemble knows the labels of a table.

    Raises
    ------
    DataError
        Saying how to name its classes: many model files store class numbers only.
    """
    labels: Any = table.y
    if ensemble.classes_ is None:
        return  # A regression, or a black box that does not name its classes.
    known = np.asarray(ensemble.classes_).tolist()
    for label in labels.classes_[np.unique(labels.codes)].tolist():
        if label not in known:
            raise DataError(
                f"{path}: the model has no class {label!r}. Its classes are {list_some(known)}. "
                "Rename them with --classes, in this order."
            )


def split(table: Table, test_share: float, seed: int, source: str) -> Split:
    """Hold out some rows of a table; ``source`` names the table in errors."""
    if not 0 < test_share < 1:
        raise ParameterError(f"--test-share must lie between 0 and 1. Got {test_share} instead.")
    if table.n_rows < MIN_ROWS:
        raise DataError(f"{source}: {table.n_rows} rows are too few. At least {MIN_ROWS} are needed.")
    try:
        train, test = train_test_split(
            np.arange(table.n_rows), test_size=test_share, random_state=seed, stratify=_strata(table)
        )
    except ValueError as error:
        raise DataError(f"{source}: cannot split the rows ({error}). Change --test-share.") from error
    train, test = np.sort(train), np.sort(test)
    return Split(name=table.name or source, train=table[train], test=table[test], held_out=test)


def _strata(table: Table) -> NDArray[np.int32] | None:
    """Return the classes by which to stratify; None if there are none, or one of them has one row only."""
    if not isinstance(table.y, Labels):
        return None
    codes = table.y.codes
    return codes if np.bincount(codes)[np.unique(codes)].min() > 1 else None


def _without_identifiers(table: Table) -> tuple[Table, list[str]]:
    """Drop the columns that only name the rows."""
    reasons = {column.name: identifier_reason(column, is_first=False) for column in table.columns}
    left_out = [column for column in table.columns if reasons[column.name]]
    kept = [column for column in table.columns if not reasons[column.name]]
    dropped = [f"{name!r}: {reason}" for name, reason in reasons.items() if reason]
    return named_by(left_out, table).with_columns(kept), dropped
