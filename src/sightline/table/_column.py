"""One typed column, and the conversions between its two kinds."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import EllipsisType
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sightline.exceptions import DataError
from sightline.table._schema import SCALARS, Feature
from sightline.wording import instant_text

__all__ = ["Column"]

Container = Literal["array", "list", "cells", "frame", "mixed frame", "mixed arrow", "nullable frame"]

_MAX_WHOLE = 2.0**63


@dataclass(frozen=True, eq=False)
class Source:
    """The original numbers of a column, kept because a library may round them differently.

    Parameters
    ----------
    numbers : ndarray of shape (n_rows,)
        In their own type.
    container : {"array", "list", "cells", "frame", "mixed frame", "mixed arrow", "nullable frame"}
        Where they came from. Cells are objects of Python. The common type of all columns of a frame is a
        whole number, unless it is mixed. A nullable frame has a column of pandas' own types.
    """

    numbers: NDArray[Any]
    container: Container


@dataclass(frozen=True, eq=False)
class Column:
    """A feature and its values.

    Parameters
    ----------
    feature : Feature
        Name and kind.
    values : ndarray of shape (n_rows,)
        float64 with NaN for missing if numeric; int32 codes of the declared values with
        -1 for missing if nominal. May be a view of a larger array.
    source : Source, optional
        Numbers that float64 does not hold, or that are rounded to single precision by a library.
    number_type : str, default=""
        The type in which the numbers came, such as "float32", "int64[pyarrow]", "object" or "bool"; empty for
        float64 and for text.
    missing_kinds : tuple of {"NaN", "None", "pd.NA", "pd.NA of booleans"}, default=()
        What the missing cells were. Empty if that is unknown, or NaN in a column of numbers.

    Examples
    --------
    >>> column = Column(Feature("colour", ("red", "green")), np.array([1, 0, -1], dtype=np.int32))
    >>> column.to_list()
    ['green', 'red', None]
    """

    feature: Feature
    values: NDArray[Any]
    source: Source | None = None
    number_type: str = ""
    missing_kinds: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        expected = np.int32 if self.feature.is_nominal else np.float64
        if self.values.ndim != 1 or self.values.dtype != expected:
            raise DataError(
                f"The values of column {self.feature.name!r} must be a one-dimensional {np.dtype(expected)} "
                f"array. Got {self.values.dtype} of shape {self.values.shape} instead."
            )

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        values = np.array(self.to_list(), dtype=object) if self.feature.is_nominal else self.values
        return np.array(values, dtype=dtype, copy=copy)

    @property
    def name(self) -> str:
        """The column's name."""
        return self.feature.name

    @cached_property
    def is_finite(self) -> bool:
        """Whether no number is infinite; cached, because every model checks it and tables share columns."""
        return self.feature.is_nominal or not bool(np.isinf(self.values).any())

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """Where the value is missing."""
        return self.values < 0 if self.feature.is_nominal else np.isnan(self.values)

    def take(self, rows: Any) -> "Column":
        """Return the column for some rows: an index array, a mask or a slice."""
        source = None if self.source is None else replace(self.source, numbers=self.source.numbers[rows])
        # Tables of 5,000 columns are cut often; dataclasses.replace takes several times as long.
        taken = Column(self.feature, self.values[rows], source, self.number_type, self.missing_kinds)
        return taken.known_finite() if self.__dict__.get("is_finite") else taken

    def known_finite(self) -> "Column":
        """Return the column, marked as finite so that it is not checked again."""
        self.__dict__["is_finite"] = True
        return self

    def value_at(self, row: int) -> object:
        """Return the value in one row as a Python object, None if missing; dates and durations as text."""
        value = self.values[row].item()
        if self.feature.categories is None:
            return self._number(value)
        return None if value < 0 else self.feature.categories[value]

    def to_list(self) -> list[object]:
        """Return the values as Python objects, None where missing; dates and durations as text."""
        if self.feature.categories is None:
            return [self._number(value) for value in self.values.tolist()]
        values = [*self.feature.categories, None]
        return [values[code] for code in self.values.tolist()]

    def _number(self, value: float) -> object:
        if math.isnan(value):
            return None
        return instant_text(value, self.feature.kind) if self.feature.kind else value


def row_selection(index: Any) -> Any:
    """Return an index that numpy takes, also for ``X[rows, ...]``, which scikit-learn writes."""
    if isinstance(index, tuple):
        (index,) = (part for part in index if not isinstance(part, EllipsisType))
    if isinstance(index, (slice, str)) or np.ndim(index) == 0:
        return index
    return np.asarray(index, dtype=None if len(index) else np.intp)


def numeric_column(name: str, numbers: NDArray[Any], number_type: str = "") -> Column:
    """Return a numeric column. Only what is not float64 is copied."""
    return Column(Feature(name), np.require(numbers, np.float64, ["ALIGNED"]), number_type=number_type)


def nominal_column(name: str, categories: Sequence[object], codes: NDArray[np.int32]) -> Column:
    """Return a nominal column, or a numeric one full of NaN if no value is declared."""
    if not categories:
        return numeric_column(name, np.full(len(codes), np.nan))
    return Column(Feature(name, tuple(plain_value(value) for value in categories)), codes)


def plain_value(value: object) -> object:
    """Return a category as a string, int, float or bool, anything else as its string."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return value if isinstance(value, SCALARS) else str(value)


def exact_numbers(column: Column) -> NDArray[Any]:
    """Return the numbers of a column as they came if they are whole, else as doubles.

    Doubles do not distinguish whole numbers beyond 2**53, such as identifiers. A missing cell may have any.
    """
    is_exact = column.source is not None and column.source.numbers.dtype.kind in "iu"
    return column.source.numbers if column.source is not None and is_exact else column.values


def are_whole(numbers: NDArray[Any]) -> bool:
    """Whether numbers are whole, and not so large that only doubles hold them, as quantities are."""
    if numbers.dtype.kind in "iu":
        return True
    return bool(np.all((numbers == np.floor(numbers)) & (np.abs(numbers) < _MAX_WHOLE)))


def as_nominal(column: Column) -> Column:
    """Return the column with its sorted distinct numbers as categories, whole numbers as int."""
    if column.feature.is_nominal:
        return column
    is_known = ~column.is_missing
    distinct, inverse = np.unique(exact_numbers(column)[is_known], return_inverse=True)
    codes = np.full(len(column), -1, dtype=np.int32)
    codes[is_known] = inverse
    if column.feature.kind:
        return nominal_column(column.name, [instant_text(v, column.feature.kind) for v in distinct], codes)
    return nominal_column(
        column.name, [int(value) if value.is_integer() else value for value in distinct], codes
    )


def dates_as_nominal(column: Column) -> Column:
    """Return a column of dates with its dates as categories, any other column as it is."""
    return as_nominal(column) if column.feature.kind.startswith("date") else column


def as_numeric(column: Column) -> Column | None:
    """Return the column with its categories as numbers, or None if one in use is text.

    If all of them are True and False, in any capitalization, they are 1 and 0: so pandas reads them from a
    file, and so they are in a frame.
    """
    categories = column.feature.categories
    if categories is None:
        return column
    used = {code: categories[code] for code in np.unique(column.values).tolist() if code >= 0}
    read = flag_of if are_flags(used.values()) else number_of
    # The code -1 of missing values finds the last entry.
    lookup = np.full(len(categories) + 1, np.nan)
    for code, value in used.items():
        number = read(value)
        if number is None:
            return None
        lookup[code] = number
    return numeric_column(column.name, lookup[column.values])


def are_flags(values: Iterable[object]) -> bool:
    """Return whether all values are True or False, or text that says so."""
    return all(flag_of(value) is not None for value in values)


def flag_of(value: object) -> float | None:
    """Return 1 for True and 0 for False, as bool or as text; None for anything else."""
    return _FLAGS.get(str(value).lower())


_FLAGS = {"true": 1.0, "false": 0.0}


def number_of(value: object) -> float | None:
    """Return a category as a finite number, or None if it is text."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
