"""Find identifiers and leaks: columns that name the rows or determine the target."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from sightline.table._column import Column
from sightline.table._labels import Labels

__all__ = ["counts_rows", "determines_target", "identifier_reason", "is_target_in_disguise"]

_MIN_ROWS = 20
_MIN_ROWS_PER_VALUE = 5
_MAX_EXACT = 2.0**53
_MAX_TIME = 2.0**63
_SAME = 1e-9
_KEY = re.compile(
    r"(.*[\W_])?(?i:id|ids|key|uuid|guid|index|row|rownames|unnamed: \d+|x0)|.*[a-z](Id|ID|Key)"
    # No., Account No., Kunden-Nr, Kundennummer; a plain number may be a count.
    r"|.+[\W_](?i:no|nr|nbr)\.?|(?i:no\.|nr\.?)|#|№|.*[a-z]Nr\.?|(?i:.+nummer)"
    r"|(?i:(account|client|contract|customer|invoice|loan|member|order|policy|serial)[\W_]?number)"
)


def identifier_reason(column: Column, is_first: bool, n_absent: int = 0) -> str:
    """Return why a column only identifies the rows; empty if it may carry information.

    Text is an identifier if every row has a different value. Whole numbers are if they number the rows and
    the column is the first one or is named like a key, or if they are all different and have the
    name of a key, or are too large to be anything else.

    Parameters
    ----------
    column : Column
        The column.
    is_first : bool
        Whether it is the first one of the table, where programs write the numbers of rows.
    n_absent : int
        Number of rows that were left out before.

    Examples
    --------
    >>> from sightline.table._column import numeric_column
    >>> identifier_reason(numeric_column("customer_id", np.arange(100.0) * 7 % 101), is_first=False)
    'it is named like a key, and every row has a different value'
    >>> identifier_reason(numeric_column("age", np.arange(100.0)), is_first=False)
    ''
    """
    known = column.values[~column.is_missing]
    # Of thousands of columns most have a fraction in their first row: a name of rows is a whole number.
    if len(known) <= _MIN_ROWS or known[0] % 1 or len(np.unique(known)) < len(known):
        return ""
    if column.feature.categories is not None:
        values = [str(value).lstrip("-+$€£ ")[:1] for value in column.feature.categories]
        are_numbers = sum(map(str.isdecimal, values)) > 0.8 * len(values)
        unread = ", and none can be read as a number" if are_numbers else ""
        return f"every row has a different value{unread}"
    return _number_reason(column, known, is_first and counts_rows(column, n_absent))


def _number_reason(column: Column, known: NDArray[np.float64], counts: bool) -> str:
    if not np.all(known == np.floor(known)):
        return ""
    if counts:
        return "it only numbers the rows"
    if _KEY.fullmatch(column.name):
        return "it is named like a key, and every row has a different value"
    low, high = float(known.min()), float(known.max())
    # Time stamps in nanoseconds are as large, but lie close together, and fit in 64 bits.
    is_huge = high > _MAX_EXACT and (0 <= 2 * low < high or low > _MAX_TIME)
    return "every row has a different value, too large to be a quantity" if is_huge else ""


def counts_rows(column: Column, n_absent: int = 0) -> bool:
    """Whether a column holds 0, 1, 2, … or 1, 2, 3, …, apart from rows that were left out."""
    values = column.values
    if column.feature.is_nominal or len(values) <= _MIN_ROWS or not 0 <= values[0] <= 1 + n_absent:
        return False
    is_running = np.all(values == np.floor(values)) and np.all(np.diff(values) > 0)
    return bool(is_running and values[-1] - values[0] < len(values) + n_absent)


def is_target_in_disguise(column: Column, target: Labels | NDArray[np.float64]) -> bool:
    """Whether a column repeats the target: one value for each class, or a different unit.

    Examples
    --------
    >>> from sightline.table._column import numeric_column
    >>> labels = Labels.from_any(["no", "yes"] * 15)
    >>> is_target_in_disguise(numeric_column("code", np.array([7.0, 3.0] * 15)), labels)
    True
    >>> miles = np.arange(30.0) ** 2
    >>> is_target_in_disguise(numeric_column("km", 1.609344 * miles), miles)
    True
    """
    if not isinstance(target, Labels):
        return _is_in_another_unit(column, target)
    if not _is_complete(column, target):
        return False
    n_classes = _n_occurring(target)
    if len(set(column.values[: n_classes + _MIN_ROWS].tolist())) > n_classes:
        return False
    _, values = np.unique(column.values, return_inverse=True)
    n_values = int(values.max()) + 1
    return n_values == n_classes >= 2 and _n_pairs(values, target) == n_values


def _is_in_another_unit(column: Column, target: NDArray[np.float64]) -> bool:
    """Whether a column and the target lie on one straight line."""
    if column.feature.is_nominal or column.is_missing.any() or len(column) <= _MIN_ROWS:
        return False
    low, high = int(column.values.argmin()), int(column.values.argmax())
    span, rise = column.values[high] - column.values[low], target[high] - target[low]
    if not span or not rise or not np.isfinite(span) or not np.isfinite(rise):
        return False
    line = target[low] + rise * ((column.values - column.values[low]) / span)
    return bool(np.all(np.abs(line - target) <= _SAME * abs(rise)))


def determines_target(column: Column, target: Labels | NDArray[np.float64]) -> bool:
    """Whether each value of a category, or each of a few ranges of a number, has one class only.

    Missing cells are a value of their own. Of numbers: whether each value of a category has one number, or
    the number rises or falls with the column in every row.
    """
    if isinstance(target, Labels) and column.is_missing.any():
        return _gap_determines(column, target)
    ranked = target if isinstance(target, Labels) else _ranked(target)
    if not _is_complete(column, ranked):
        return False
    n_classes = _n_occurring(ranked)
    if column.feature.is_nominal:
        _, values = np.unique(column.values, return_inverse=True)
        n_values = int(values.max()) + 1
        is_short = n_classes < 2 or n_values * _MIN_ROWS_PER_VALUE > len(values)
        return not is_short and _n_pairs(values, ranked) == n_values
    if not isinstance(target, Labels):
        return n_classes > _MIN_ROWS and _moves_with(column.values, ranked.codes)
    # Sorted by value and class, so that a value of two classes makes one change too many.
    order = np.lexsort((ranked.codes, column.values))
    changes = np.flatnonzero(np.diff(ranked.codes[order]))
    if n_classes < 2 or len(changes) != n_classes - 1:
        return False
    values = column.values[order]
    return bool(np.all(values[changes] < values[changes + 1]))


def _gap_determines(column: Column, target: Labels) -> bool:
    """Whether all rows without a value are of one class, and the others of another one or determined too."""
    absent = np.flatnonzero(column.is_missing)
    known = np.flatnonzero(~column.is_missing)
    if (
        min(len(absent), len(known)) < _MIN_ROWS_PER_VALUE
        or len(column) <= _MIN_ROWS
        or (target.codes < 0).any()
    ):
        return False
    if len(np.unique(target.codes[absent])) > 1:
        return False
    classes = np.unique(target.codes[known])
    if len(classes) == 1:
        return bool(classes[0] != target.codes[absent[0]])
    return determines_target(column.take(known), Labels(target.codes[known], target.classes_))


def _ranked(numbers: NDArray[np.float64]) -> Labels:
    """Return numbers as classes in their order."""
    values, ranks = np.unique(numbers, return_inverse=True)
    return Labels(ranks.astype(np.int32), values)


def _moves_with(values: NDArray[np.float64], ranks: NDArray[np.int32]) -> bool:
    """Whether the ranks rise with the values in every row, or fall."""
    _, own = np.unique(values, return_inverse=True)
    return np.array_equal(own, ranks) or np.array_equal(own, own.max() - ranks)


def _is_complete(column: Column, labels: Labels) -> bool:
    return len(column) > _MIN_ROWS and not column.is_missing.any() and not (labels.codes < 0).any()


def _n_occurring(labels: Labels) -> int:
    return int(np.count_nonzero(np.bincount(labels.codes)))


def _n_pairs(values: NDArray[np.intp], labels: Labels) -> int:
    """Return the number of different pairs of a value, given by its rank, and a class."""
    return len(np.unique(values * (int(labels.codes.max()) + 1) + labels.codes))
