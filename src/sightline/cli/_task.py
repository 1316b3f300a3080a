"""Whether the target is classes or numbers, and how that was decided."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sightline.cli._options import TaskName
from sightline.exceptions import DataError, ParameterError
from sightline.table import Labels, Table
from sightline.wording import number_text

MAX_CODES = 20
"""More different whole numbers than this are a quantity, not codes of classes."""

Task = Literal["classes", "numbers"]


def task_of(table: Table) -> Task:
    """Return what the target of a table is.

    Examples
    --------
    >>> from sightline.table import Column, Feature
    >>> task_of(Table([Column(Feature("x"), np.array([1.0]))], np.array([2.5])))
    'numbers'
    """
    return "classes" if isinstance(table.y, Labels) else "numbers"


def decide_task(table: Table, wanted: TaskName, are_codes: bool = False) -> tuple[Task, str]:
    """Return what to predict, and a sentence on how that was decided.

    The sentence is empty if there was no doubt.

    Parameters
    ----------
    table : Table
        Rows with a target: labels, which may be whole numbers, or numbers.
    wanted : TaskName
        What the user asks for.
    are_codes : bool
        Whether numbers are known to be codes of classes.
    """
    if wanted is TaskName.AUTO:
        return ("classes", "") if are_codes else _guessed(table)
    return ("numbers", "") if wanted is TaskName.NUMBERS else ("classes", "")


def check_model_task(wanted: TaskName, task: Task) -> str:
    """Return a sentence if a model predicts numbers, and raise if the user asks for something else.

    Raises
    ------
    ParameterError
        Naming what the model predicts.
    """
    if wanted not in (TaskName.AUTO, task):
        raise ParameterError(f"--task is {wanted}, but the model predicts {task}. Leave --task out.")
    return "The model predicts numbers, so this is a regression." if task == "numbers" else ""


def with_task(table: Table, task: Task, source: str) -> Table:
    """Return the table with a target of classes or of numbers; ``source`` names it in errors.

    Raises
    ------
    DataError
        If the target cannot be taken as such.
    """
    return _with_numbers(table, source) if task == "numbers" else _with_classes(table, source)


def _guessed(table: Table) -> tuple[Task, str]:
    """Take fractions and many different whole numbers for a quantity, everything else for classes."""
    name, target = table.target_name, table.y
    values = _values_of(target)
    if values is None:
        return "classes", ""
    fractions = values[values != np.floor(values)]
    if len(fractions):
        shown = number_text(float(fractions[0]))
        return "numbers", f"{name!r} holds fractions such as {shown}, so this is a regression."
    found = f"{name!r} holds {len(values):,} different whole numbers in {table.n_rows:,} rows"
    # An ARFF file declares classes by their names, so that numbers in it are a quantity.
    if not isinstance(target, Labels) or len(values) > MAX_CODES:
        return "numbers", f"{found}, so this is a regression. Pass --task classes to treat them as classes."
    sentence = f"{found}, so they are treated as classes. Pass --task numbers for a regression."
    return "classes", sentence if len(values) > 2 else ""


def _values_of(target: Labels | NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    """Return the different numbers of a target; None if it holds text."""
    if not isinstance(target, Labels):
        assert target is not None
        return np.unique(target[np.isfinite(target)])
    if target.classes_.dtype.kind not in "iuf":
        return None
    return np.asarray(target.classes_[np.unique(target.codes[target.codes >= 0])], dtype=np.float64)


def _with_numbers(table: Table, source: str) -> Table:
    target, name = table.y, table.target_name
    if isinstance(target, Labels):
        target = _numbers_of(target, source, name)
    assert target is not None
    return table.with_target(target)


def _numbers_of(labels: Labels, source: str, name: str | None) -> NDArray[np.float64]:
    if labels.classes_.dtype.kind not in "iuf":
        text = next((value for value in labels.classes_.tolist() if not is_number(value)), None)
        if text is not None:
            raise DataError(f"{source}: the target {name!r} holds text such as {text!r}, not numbers.")
    values = np.append(labels.classes_.astype(np.float64), np.nan)
    return np.asarray(values[labels.codes])


def _with_classes(table: Table, source: str) -> Table:
    target, name = table.y, table.target_name
    if isinstance(target, Labels):
        return table
    assert target is not None
    known = ~np.isnan(target)
    fractions = target[known & (target != np.floor(target))]
    if len(fractions):
        raise DataError(
            f"{source}: the target {name!r} holds fractions such as {number_text(float(fractions[0]))}, not "
            "classes. Choose another column, or bin its values first."
        )
    classes, codes = np.unique(target[known], return_inverse=True)
    inverse = np.full(len(target), -1, dtype=np.int32)
    inverse[known] = codes
    return table.with_target(Labels(inverse, classes.astype(np.int64)))


def is_number(value: object) -> bool:
    """Whether a value, or its text, is a number."""
    try:
        float(str(value))
    except ValueError:
        return False
    return True
