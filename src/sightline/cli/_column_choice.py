"""Choose the columns to learn from, and report why the others are not used."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sightline.cli._model_file import list_some
from sightline.cli._options import ColumnOptions
from sightline.exceptions import DataError, ParameterError
from sightline.table import (
    Column,
    Labels,
    Table,
    counts_rows,
    determines_target,
    flags_of_target,
    identifier_reason,
    is_date,
    is_target_in_disguise,
    key_doubt,
    number_of,
    share_predicted,
)
from sightline.wording import list_choices, list_names, number_text, option_text, percent, pluralize

MAX_RARE = 5

MIN_NAMES = 20
"""Fewer distinct labels than this always count as classes, even if the table has hardly more rows."""

_DROP_OPTION = "--drop names it"


def chosen_columns(
    path: Path, table: Table, options: ColumnOptions, n_unlabeled: int = 0
) -> tuple[Table, list[str], list[str]]:
    """Return the columns to learn from, the dropped ones with the reason, and remarks about others.

    Parameters
    ----------
    path : Path
        The file, for error messages.
    table : Table
        Rows with labels.
    options : ColumnOptions
        Which columns to keep or drop in any case.
    n_unlabeled : int
        Number of rows without a label, which the table lacks.

    Raises
    ------
    DataError
        If no column is left.
    ParameterError
        If --keep or --drop names a column that does not exist.
    """
    keep, drop = tuple(options.keep or ()), tuple(options.drop or ())
    _check_names(path, table, keep, drop)
    assert table.y is not None
    relation = "with one value for each class" if isinstance(table.y, Labels) else "in a different unit"
    reasons: dict[str, str] = {}
    remarks: list[str] = []
    for index, column in enumerate(table.columns):
        if column.name in drop:
            reasons[column.name] = _DROP_OPTION
        elif column.name in keep:
            continue
        elif reason := identifier_reason(column, index == 0, n_unlabeled):
            reasons[column.name] = reason
        elif is_target_in_disguise(column, table.y):
            reasons[column.name] = f"it repeats the target, {relation}"
        else:
            remarks += _doubts(column, table.y, n_unlabeled)
    kept = [column for column in table.columns if column.name not in reasons]
    remarks += _flag_remarks([column for column in kept if column.name not in keep], table)
    if not kept:
        # The only column may be all there is to learn from.
        remaining = [column for column in table.columns if column.name not in drop]
        if len(remaining) != 1 or remaining[0].feature.is_nominal:
            raise DataError(
                f"{path}: every column was dropped, because each identifies the rows or repeats the target. "
                "Keep one with --keep."
            )
        kept, reasons = (
            remaining,
            {name: reason for name, reason in reasons.items() if name != remaining[0].name},
        )
    if any(reason != _DROP_OPTION for reason in reasons.values()):
        remarks.append("To use a dropped column anyway, name it with --keep.")
    dropped = [f"{name!r}: {reason}" for name, reason in reasons.items()]
    left_out = [column for column in table.columns if reasons.get(column.name, _DROP_OPTION) != _DROP_OPTION]
    return named_by(left_out, table).with_columns(kept), dropped, remarks


def _doubts(column: Column, target: Labels | NDArray[np.float64], n_unlabeled: int) -> list[str]:
    """Say why a column that is kept should perhaps be dropped; nothing if there is no reason."""
    if counts_rows(column, n_unlabeled):
        return [
            f"Column {column.name!r} only numbers the rows. If that carries no information, "
            f"{_drop(column.name)}."
        ]
    if determines_target(column, target):
        return [
            f"Column {column.name!r} alone determines the target in every row. If it is known only "
            f"after the outcome, {_drop(column.name)}."
        ]
    if doubt := key_doubt(column):
        return [f"Column {column.name!r} may identify the rows: {doubt}. If so, {_drop(column.name)}."]
    return _share_remarks(column, target) if isinstance(target, Labels) else []


def _share_remarks(column: Column, target: Labels) -> list[str]:
    share, n_rows = share_predicted(column, target)
    if not share:
        return []
    return [
        f"Column {column.name!r} alone predicts the target in {percent(share, 1)} of {n_rows:,} rows. "
        f"If it is known only after the outcome, {_drop(column.name)}."
    ]


def _flag_remarks(columns: list[Column], table: Table) -> list[str]:
    flags = flags_of_target(columns, table.y) if isinstance(table.y, Labels) else []
    if not flags:
        return []
    options = " ".join(option_text("--drop", name) for name in flags)
    return [
        f"Columns {list_names([*map(repr, flags)], len(flags))} together determine the target in every row. "
        f"If they are known only after the outcome, drop them with {options}."
    ]


def named_by(left_out: list[Column], table: Table) -> Table:
    """Return the table with its rows named by a column that is left out, unless they have names already.

    A column of keys or text names rows better than one that only numbers them.
    """
    if table.row_names is not None:
        return table
    keys = [column for column in left_out if identifier_reason(column, is_first=True)]
    keys.sort(key=counts_rows)
    return table.with_row_names(keys[0].name) if keys else table


def _drop(name: str) -> str:
    return f"drop it with {option_text('--drop', name)}"


def _check_names(path: Path, table: Table, keep: tuple[str, ...], drop: tuple[str, ...]) -> None:
    known = [*table.names, table.target_name]
    for option, names in (("--keep", keep), ("--drop", drop)):
        for name in names:
            if name not in known:
                raise ParameterError(
                    f"{path}: {option} names {name!r}, which is not a column. "
                    f"The columns are {list_some(table.names)}."
                )
    if table.target_name in drop:
        raise ParameterError(f"{path}: --drop names the target {table.target_name!r}.")


def check_target(table: Table, source: str, are_classes: bool = False, n_unlabeled: int = 0) -> None:
    """Raise unless the target has several values; ``source`` names the table.

    Labels that are nearly all different identify rows, unless the user declares them as classes.
    ``n_unlabeled`` is the number of rows without a label, which the table lacks.
    """
    labels = table.y
    if not isinstance(labels, Labels):
        assert labels is not None
        if (labels == labels[0]).all():
            raise DataError(
                f"{source}: every row has the number {number_text(float(labels[0]))}. "
                "There is nothing to learn."
            )
        return
    n_classes, target = len(np.unique(labels.codes)), table.target_name
    if n_classes < 2:
        only = labels.classes_.tolist()[labels.codes[0]]
        if n_unlabeled:
            raise DataError(
                f"{source}: every row has the label {only!r}, or none ({pluralize(n_unlabeled, 'row')}). "
                "There is nothing to learn. Empty cells, NA and NULL count as missing: if one of them is a "
                "class, put it "
                "in quotes."
            )
        raise DataError(f"{source}: every row has the label {only!r}. There is nothing to learn.")
    if n_classes >= MIN_NAMES // 2 and not are_classes and all(map(is_date, labels.classes_.tolist())):
        raise DataError(
            f"{source}: the target {target!r} holds dates such as {str(labels.classes_[0])!r}. Convert them "
            "to numbers, such as days since a date, or pass --task classes."
        )
    if n_classes > MIN_NAMES and 2 * n_classes > table.n_rows and not are_classes:
        raise DataError(
            f"{source}: the target {target!r} has {n_classes:,} different labels in {table.n_rows:,} rows. "
            f"{_target_remedy(labels)}"
        )


def _target_remedy(labels: Labels) -> str:
    """Say what to do about a target whose labels are nearly all different."""
    names = labels.classes_[np.unique(labels.codes)].tolist()
    words = [name for name in names if number_of(name) is None]
    if 0 < MIN_NAMES * len(words) <= len(names):
        return f"To predict numbers, empty the cells with {list_names([*map(repr, words)], MAX_RARE)}."
    return "Choose a column with classes, or pass --task classes."


def rare_label_notes(table: Table) -> list[str]:
    """Name the labels that only one row has; none if the target is numbers."""
    if not isinstance(table.y, Labels):
        return []
    counts = np.bincount(table.y.codes, minlength=len(table.y.classes_))
    rare = table.y.classes_[counts == 1].tolist()
    if not rare:
        return []
    return [f"Only one row has the label {list_choices([*map(repr, rare[:MAX_RARE])])}. It may be a typo."]
