"""Which columns of a LightGBM model were categories of a pandas frame.

The library stores the categories of a frame as lists, in the order of the columns, but not which
columns they belong to. It replaces every such column with its codes 0, 1, ... and then treats it as
categorical, or as a number: ordered categories, and those that ``categorical_feature`` leaves out.
It also treats columns of whole numbers as categorical if ``categorical_feature`` names them. So a list
fits every column whose values can be codes of it, and only the caller knows which of these is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ModelFormatError
from sightline.load._options import CategoriesNeededError
from sightline.wording import list_names, pluralize

_MAX_NAMES = 5


@dataclass(frozen=True)
class ColumnRange:
    """What a model stores about the training values of a column.

    Parameters
    ----------
    low, high : float
        Smallest and largest value, missing ones aside. NaN if the model never uses the column.
    """

    low: float
    high: float


def frame_categories(
    stored: object,
    names: Sequence[str],
    columns: Sequence[ColumnRange],
    has_fractions: NDArray[np.bool_],
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
    has_fractions : ndarray of bool, shape (n_columns,)
        Columns whose tests show that some training values were not whole numbers.
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
    CategoriesNeededError
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
    fits = _can_be_codes(lists, columns) & ~has_fractions
    for values, column in zip(lists, _chosen(lists, names, fits, given, owner), strict=True):
        result[column] = values
    return result


def _chosen(
    lists: list[tuple[object, ...]],
    names: Sequence[str],
    fits: NDArray[np.bool_],
    given: Mapping[str, Sequence[object]],
    owner: str,
) -> list[int]:
    """Return the column of each list, if there is no doubt."""
    if given:
        equal = fits & _match(lists, names, given, frozenset.__eq__)
        # Other rows than those of training may lack some categories, and have others.
        fits = equal if _assignments(equal) else fits & _match(lists, names, given, _overlap)
    assignments = _assignments(fits)
    if not assignments:
        raise CategoriesNeededError(_no_match(len(lists), bool(given), owner))
    if len(assignments) > 1:
        raise CategoriesNeededError(_question(lists, names, fits, assignments, owner))
    return assignments[0]


def _can_be_codes(lists: list[tuple[object, ...]], columns: Sequence[ColumnRange]) -> NDArray[np.bool_]:
    """Return, per list and column, whether the training values can be codes of the list."""
    low = np.array([column.low for column in columns], dtype=np.float64)
    high = np.array([column.high for column in columns], dtype=np.float64)
    are_codes = (low >= 0) & (low == np.floor(low)) & (high == np.floor(high))
    size = np.array([len(values) for values in lists])[:, np.newaxis]
    fits: NDArray[np.bool_] = np.isnan(low) | (are_codes & (high < size))
    return fits


def _match(
    lists: list[tuple[object, ...]],
    names: Sequence[str],
    given: Mapping[str, Sequence[object]],
    are_like: Callable[[frozenset[str], frozenset[str]], bool],
) -> NDArray[np.bool_]:
    """Return, per list and column, whether the caller gives the column such categories."""
    values_of = {_stored_name(name): _as_set(values) for name, values in given.items()}
    found = [values_of.get(_stored_name(name), frozenset()) for name in names]
    return np.array([[are_like(_as_set(values), other) for other in found] for values in lists])


def _overlap(one: frozenset[str], other: frozenset[str]) -> bool:
    return not one.isdisjoint(other)


def _stored_name(name: str) -> str:
    """Return a name as the library stores it."""
    return name.replace(" ", "_")


def _as_set(values: Sequence[object]) -> frozenset[str]:
    return frozenset(map(str, values))


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


def _no_match(n_lists: int, is_given: bool, owner: str) -> str:
    among = " among those given" if is_given else ""
    return (
        f"{owner}: the frame had {pluralize(n_lists, 'column')} of categories, but no columns{among} match "
        f"them. Pass exactly these columns: sl.load(model, categories={{name: values, ...}})."
    )


def _question(
    lists: list[tuple[object, ...]],
    names: Sequence[str],
    fits: NDArray[np.bool_],
    assignments: list[list[int]],
    owner: str,
) -> str:
    first, last = assignments
    row = next(k for k in range(len(lists)) if first[k] != last[k])
    # The lists before it can have their first columns, and those behind it their last ones.
    possible = [column for column in range(first[row], last[row] + 1) if fits[row, column]]
    candidates = list_names([repr(names[column]) for column in possible], _MAX_NAMES)
    shown = list_names([repr(value) for value in lists[row]], _MAX_NAMES)
    return (
        f"{owner}: the frame had {pluralize(len(lists), 'column')} of categories, but LightGBM does not "
        f"store which. The categories {shown} fit the columns {candidates}. Pass the training frame: "
        "sl.load(model, categories=X), or all columns of categories: "
        "sl.load(model, categories={name: values, ...})."
    )
