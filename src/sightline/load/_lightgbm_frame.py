"""Which columns of a LightGBM model were categories of a pandas frame.

The library stores the categories of a frame as lists, in the order of the columns, but not which
columns they belong to. It replaces every such column with its codes 0, 1, ... and then treats it as
categorical, or as a number: ordered categories, and those that ``categorical_feature`` leaves out.
So a list fits every column whose values are codes of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.wording import list_names

_MAX_NAMES = 5
# Columns of zeros and ones are so common that one of them says nothing about a pair of strings: rows
# with strings elsewhere are refused. Rows with numbers are not, so a pair of numbers leaves a doubt.
_MIN_TELLING = 3


@dataclass(frozen=True)
class ColumnRange:
    """What a model stores about the training values of a column.

    Parameters
    ----------
    is_categorical : bool
        Whether its tests list categories.
    low, high : float
        Smallest and largest value, missing ones aside. NaN if the model never uses the column.
    """

    is_categorical: bool
    low: float
    high: float


def frame_categories(
    stored: object,
    names: Sequence[str],
    columns: Sequence[ColumnRange],
    given: Mapping[str, Sequence[object]],
    owner: str,
) -> list[tuple[object, ...] | None]:
    """Return the categories of each column of the frame that a model was trained on.

    Parameters
    ----------
    stored : list of lists or None
        As stored by the library: one list per column of categories, in order.
    names : sequence of str
        Names of all columns.
    columns : sequence of ColumnRange
        All columns.
    given : mapping of str to sequence
        Which columns they were, if the caller says so.
    owner : str
        File or class, for error messages.

    Returns
    -------
    list of (tuple or None)
        One per column.

    Raises
    ------
    UnsupportedModelError
        If the lists fit several columns.
    """
    result: list[tuple[object, ...] | None] = [None] * len(columns)
    if not stored:
        return result
    if not isinstance(stored, list) or not all(isinstance(values, list) and values for values in stored):
        raise ModelFormatError(f"{owner}: 'pandas_categorical' must be lists of categories.")
    lists = [tuple(values) for values in stored]
    for number, values in enumerate(lists):
        is_plain = all(isinstance(value, str | int | float) for value in values)
        if not is_plain or len(set(values)) < len(values):
            raise ModelFormatError(
                f"{owner}: list {number} of 'pandas_categorical' must hold different strings or numbers."
            )
    for values, column in zip(lists, _chosen(lists, names, columns, given, owner), strict=True):
        result[column] = values
    return result


def _chosen(
    lists: list[tuple[object, ...]],
    names: Sequence[str],
    columns: Sequence[ColumnRange],
    given: Mapping[str, Sequence[object]],
    owner: str,
) -> list[int]:
    """Return the column of each list, if there is no doubt."""
    fits, is_filled = _matches(lists, columns)
    if given:
        values_of = {name.replace(" ", "_"): _as_set(values) for name, values in given.items()}
        wanted = [values_of.get(name.replace(" ", "_")) for name in names]
        fits &= np.array([[_as_set(values) == other for other in wanted] for values in lists])
    usual = [index for index, column in enumerate(columns) if column.is_categorical]
    every = range(len(lists))
    if len(usual) == len(lists) and fits[every, usual].all() and not given:
        # By default, the library's categorical columns are the frame's. So others must fit better.
        fits = is_filled
        fits[every, usual] = True
    assignments = _assignments(fits)
    if len(assignments) != 1:
        raise UnsupportedModelError(_question(lists, names, assignments, given, owner))
    return assignments[0]


def _as_set(values: Sequence[object]) -> frozenset[str]:
    return frozenset(map(str, values))


def _matches(
    lists: list[tuple[object, ...]], columns: Sequence[ColumnRange]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return, per list and column, whether the values can be codes, and whether they look like codes.

    They look like codes if they reach the last one. Training rows may lack the last categories; where rows
    would not show a mistake, most codes from the first one on look like codes as well.
    """
    low, high = (np.array([getattr(column, name) for column in columns]) for name in ("low", "high"))
    are_codes = (low >= 0) & (low == np.floor(low)) & (high == np.floor(high))
    size = np.array([len(values) for values in lists])[:, np.newaxis]
    are_numbers = np.array([_are_other_numbers(values) for values in lists])
    is_telling = are_numbers | np.array([len(values) >= _MIN_TELLING for values in lists])
    fits = are_codes & (high < size)
    is_filled = fits & (high == size - 1) & is_telling[:, np.newaxis]
    are_most = fits & (low == 0) & (high + 1 >= _MIN_TELLING) & (2 * (high + 1) >= size)
    return np.isnan(low) | fits, is_filled | (are_most & are_numbers[:, np.newaxis])


def _are_other_numbers(values: tuple[object, ...]) -> bool:
    """Whether categories are numbers that differ from their codes, so that their column matters."""
    return not any(isinstance(value, str) for value in values) and values != tuple(range(len(values)))


def _assignments(fits: NDArray[np.bool_]) -> list[list[int]]:
    """Return up to two ways to give each row of a matrix a column that fits, in ascending order."""
    n_lists, n_columns = fits.shape
    if n_lists > n_columns:
        return []
    first: list[int] = []
    last: list[int] = []
    column = -1
    for row in range(n_lists):
        ahead = np.flatnonzero(fits[row, column + 1 :])
        if not len(ahead):
            return []
        column += 1 + int(ahead[0])
        first.append(column)
    column = n_columns
    for row in reversed(range(n_lists)):
        column = int(np.flatnonzero(fits[row, :column])[-1])
        last.insert(0, column)
    # The earliest and the latest way are the same exactly if there is only one.
    return [first] if first == last else [first, last]


def _as_code(values: tuple[object, ...]) -> str:
    shown = list(map(repr, values[:_MAX_NAMES])) + ["..."] * (len(values) > _MAX_NAMES)
    return f"[{', '.join(shown)}]"


def _question(
    lists: list[tuple[object, ...]],
    names: Sequence[str],
    assignments: list[list[int]],
    given: Mapping[str, Sequence[object]],
    owner: str,
) -> str:
    n_lists = f"{len(lists)} column{'s' if len(lists) > 1 else ''} of categories"
    if not assignments:
        among = " among those given" if given else ""
        return (
            f"{owner}: the frame had {n_lists}, but no columns{among} match them. "
            f"Pass exactly these columns: sl.load(model, categories={{name: values, ...}})."
        )
    row = next(k for k, (one, other) in enumerate(zip(*assignments, strict=True)) if one != other)
    candidates = " and ".join(repr(names[columns[row]]) for columns in assignments)
    shown = list_names([repr(value) for value in lists[row]], _MAX_NAMES)
    return (
        f"{owner}: the frame had {n_lists}, but LightGBM does not store which. The categories {shown} fit "
        f"the columns {candidates}. Name all of them, such as "
        f"sl.load(model, categories={{{names[assignments[0][row]]!r}: {_as_code(lists[row])}}}), or pass the "
        "training frame: sl.load(model, categories=X)."
    )
