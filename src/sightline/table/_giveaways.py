"""Find identifiers and leaks: columns that name the rows or determine the target."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.table._column import Column, exact_numbers
from sightline.table._labels import Labels

__all__ = [
    "counts_rows",
    "determines_target",
    "flags_of_target",
    "identifier_reason",
    "is_target_in_disguise",
    "key_doubt",
    "share_predicted",
]

_MIN_ROWS = 20
_MIN_ROWS_PER_VALUE = 5
_MAX_EXACT = 2.0**53
_MAX_TIME = 2.0**63
_SAME = 1e-9
# A column nearly determines the target if it alone predicts the first share of the rows, and is wrong in at
# most the second share of those that do not have the most frequent class.
_NEARLY = 0.98
_LEFT = 0.05
# Rows that are tried before all are counted.
_TRIED = 1000
# More flags than this may cover a class by chance, as the words of texts do.
_MAX_FLAGS = 10
_KEY = re.compile(
    r"(.*[\W_])?(?i:id|ids|key|uuid|guid|index|row|rownames|unnamed: \d+|x0)|.*[a-z](Id|ID|Key)"
    # No., Account No., Kunden-Nr, Kundennummer; a plain number may be a count.
    r"|.+[\W_](?i:no|nr|nbr)\.?|(?i:no\.|nr\.?)|#|№|.*[a-z]Nr\.?|(?i:.+nummer)"
    r"|(?i:(account|client|contract|customer|invoice|loan|member|order|policy|serial)[\W_]?number)"
)

# A column of this name may hold keys, or quantities such as the number of orders.
_PERHAPS_KEY = re.compile(
    r"(.*[\W_])?(phone|telephone|tel|telefon|fax|mobile|handy|account|konto|customer|kunde|client|patient"
    r"|student|member|employee|user|policy|contract|vertrag|invoice|rechnung|order|ticket|case|serial|isbn|ean"
    r"|barcode|vin|ssn|zip)([\W_]?(no|nr|num|number|code))?\.?|.+number",
    re.IGNORECASE,
)
# Phone numbers with an area code have 9 digits or more, and hardly vary in length.
_MIN_PHONE = 1e8
_MAX_PHONE_RATIO = 1000


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
    known = exact_numbers(column)[~column.is_missing]
    # Of thousands of columns most have a fraction in their first row: a name of rows is a whole number.
    if len(known) <= _MIN_ROWS or known[0] % 1 or len(np.unique(known)) < len(known):
        return ""
    if column.feature.categories is not None:
        return f"every row has a different value{_unread(column.feature.categories)}"
    return _number_reason(column, known, is_first and counts_rows(column, n_absent))


def _unread(values: Sequence[object]) -> str:
    """Say why categories that look like numbers are none; nothing if they look like text."""
    starts = [str(value).lstrip("-+$€£ ")[:1] for value in values]
    if sum(map(str.isdecimal, starts)) <= 0.8 * len(values):
        return ""
    if all(str(value).isdecimal() for value in values):
        return ", a code with leading zeros or too many digits for a number"
    return ", and not all can be read as numbers"


def _number_reason(column: Column, known: NDArray[Any], counts: bool) -> str:
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


def key_doubt(column: Column) -> str:
    """Return why the whole numbers of a column look like keys; empty if they do not, or are no whole numbers.

    They do if every row has a different one and they rise or fall from row to row, have as many digits as
    phone numbers, or have a name such as "phone" or "customer".

    Examples
    --------
    >>> from sightline.table._column import numeric_column
    >>> key_doubt(numeric_column("buyer", 10_001 + np.arange(30.0) ** 2))
    'every row has a different number, which rises from row to row'
    """
    values = column.values
    if (
        column.feature.is_nominal
        or column.feature.kind
        or column.feature.unit
        or len(values) <= _MIN_ROWS
        or values[0] % 1
        or not np.all(values == np.floor(values))
        or len(np.unique(values)) < len(values)
    ):
        return ""
    reason = "every row has a different number"
    steps = np.diff(values)
    if np.all(steps > 0) or np.all(steps < 0):
        return f"{reason}, which {'rises' if steps[0] > 0 else 'falls'} from row to row"
    low, high = float(values.min()), float(values.max())
    if low >= _MIN_PHONE and high < _MAX_PHONE_RATIO * low:
        return f"{reason} of {len(f'{low:.0f}')} digits or more, as phone numbers have"
    return f"{reason}, and the name is that of a key" if _PERHAPS_KEY.fullmatch(column.name) else ""


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


def share_predicted(column: Column, target: Labels) -> tuple[float, int]:
    """Return which share of how many rows a column alone predicts; 0 unless that is nearly all.

    A value of a category, or of a number with few values, predicts its most frequent class; a number, for two
    classes, which side of a threshold it is on. Missing cells are a value of their own. If
    that does not predict nearly all rows, those without them are counted, if they are most rows.

    Examples
    --------
    >>> from sightline.table._column import numeric_column
    >>> labels = Labels.from_any(["no", "yes"] * 50)
    >>> share_predicted(numeric_column("closed", np.array([0.0, 1.0] * 49 + [0.0, 0.0])), labels)
    (0.99, 100)
    """
    if len(column) <= _MIN_ROWS or (target.codes < 0).any():
        return 0.0, 0
    found = _share_of_rows(column, target.codes)
    known = np.flatnonzero(~column.is_missing)
    if not found and len(column) // 2 < len(known) < len(column):
        return _share_of_rows(column.take(known), target.codes[known]), len(known)
    return found, len(column)


def _share_of_rows(column: Column, codes: NDArray[np.int32]) -> float:
    values, is_nominal = column.values, column.feature.is_nominal
    step = max(1, len(values) // _TRIED)
    if step > 1 and _share_right(values[::step], is_nominal, codes[::step]) < 2 * _NEARLY - 1:
        return 0.0
    share = _share_right(values, is_nominal, codes)
    usual = float(np.bincount(codes).max() / len(codes))
    return share if share >= _NEARLY and usual < 1 and 1 - share <= _LEFT * (1 - usual) else 0.0


def _share_right(values: NDArray[np.generic], is_nominal: bool, codes: NDArray[np.int32]) -> float:
    _, ranks = np.unique(values, return_inverse=True)
    n_classes = int(codes.max()) + 1
    if (int(ranks.max()) + 1) * _MIN_ROWS_PER_VALUE <= len(ranks):
        pairs, counts = np.unique(ranks * n_classes + codes, return_counts=True)
        most = np.zeros(int(ranks.max()) + 1, dtype=np.intp)
        np.maximum.at(most, pairs // n_classes, counts)
        return float(most.sum() / len(codes))
    if is_nominal or n_classes != 2:
        return 0.0
    # Up to each value: rows of the second class less those of the first.
    balance = np.cumsum(np.bincount(ranks, 2.0 * codes - 1))
    n_second = int(codes.sum())
    right_below = n_second - balance  # of rows, if the second class is above the value
    return float(max(right_below.max(), (len(codes) - right_below).max()) / len(codes))


def flags_of_target(columns: Sequence[Column], target: Labels) -> list[str]:
    """Return the names of columns of zeros and ones that together determine the target, or none.

    They do if the ones of each column are all in one class, and each class but one has no other rows.

    Examples
    --------
    >>> from sightline.table._column import numeric_column
    >>> codes = np.arange(60) % 3
    >>> flags = [numeric_column(f"is_{code}", (codes == code).astype(float)) for code in (0, 2)]
    >>> flags_of_target(flags, Labels.from_any(codes))
    ['is_0', 'is_2']
    """
    if (target.codes < 0).any() or len(target.codes) <= _MIN_ROWS:
        return []
    names: list[list[str]] = [[] for _ in target.classes_]
    covered = np.zeros(len(target.codes), dtype=bool)
    for column in columns:
        ones = np.flatnonzero(_ones(column))
        classes = np.unique(target.codes[ones])
        if len(ones) >= _MIN_ROWS_PER_VALUE and len(classes) == 1:
            names[classes[0]].append(column.name)
            covered[ones] = True
    uncovered = np.unique(target.codes[~covered])
    found = [name for code, flags in enumerate(names) if code not in uncovered for name in flags]
    return found if len(uncovered) <= 1 and 2 <= len(found) <= _MAX_FLAGS else []


def _ones(column: Column) -> NDArray[np.bool_]:
    """Return where a column of zeros and ones, or of False and True, is one; nowhere for other columns."""
    values, categories = column.values, column.feature.categories
    if categories is not None:
        names = [str(value) for value in categories]
        is_flag = sorted(names) == ["False", "True"]
        values = np.equal(values, names.index("True")) if is_flag else np.full(len(values), np.nan)
    is_one = np.equal(values, 1)
    return is_one if np.all(is_one | (values == 0)) else np.zeros(len(values), dtype=bool)


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
