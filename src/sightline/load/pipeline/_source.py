"""The original columns of a pipeline, and what its steps reveal about them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import UnsupportedModelError
from sightline.table import Feature, plain_value
from sightline.table import is_missing as is_missing_cell

OTHER = "any other"


@dataclass(eq=False)
class Source:
    """One column of the frame or array that the pipeline was fitted on.

    Attributes
    ----------
    index : int
        Its position.
    name : str
        Its name.
    values : list
        The known values that steps list and accept, in their order.
    is_category : bool
        Whether an encoder has listed values.
    number_uses : int
        How many steps take its values as numbers.
    rounded_types : set of str
        Types of numbers with which steps compute differently than with doubles.
    is_marked : bool
        Whether a step looks whether values are missing.
    reaches_model : bool
        Whether a column of the model is made of it.
    refuses_other : bool
        Whether the pipeline raises an error for a value that is not listed.
    refuses_missing : bool
        Whether it does so for a missing value.
    missing : object
        What a missing value is for the encoders: NaN, None or pandas.NA.
    dtype : numpy.dtype or None
        The type of the values that are listed.
    """

    index: int
    name: str
    values: list[Any] = field(default_factory=list)
    is_category: bool = False
    number_uses: int = 0
    rounded_types: set[str] = field(default_factory=set)
    is_marked: bool = False
    reaches_model: bool = False
    refuses_other: bool = False
    refuses_missing: bool = False
    missing: Any = np.nan
    dtype: np.dtype[Any] | None = None
    _refused: set[Any] = field(default_factory=set)
    _replaced: set[Any] = field(default_factory=set)

    def replaces(self, value: Any) -> None:
        """Add a value that a step replaces, so that a later one may take it that knows only others."""
        self._replaced.add(value)
        self.lists([value])

    def lists(self, values: Sequence[Any] | NDArray[Any], refuses_other: bool = False) -> None:
        """Add the values that a step knows; it may refuse all others."""
        known = [value for value in values if not is_missing_cell(value)]
        dtype = np.asarray(values).dtype
        for value in known:
            plain = _plain(value, self.name)
            if dtype.kind in "iu" and plain != float(value):
                raise UnsupportedModelError(
                    f"Column {self.name!r} has the category {plain}, a whole number that no double holds. "
                    "Convert the column to text before the pipeline.",
                    "Or use sl.BlackBox(pipeline) to distill it as a whole.",
                )
        if len(known) < len(values):
            missing = [value for value in values if is_missing_cell(value)]
            self.missing = next((value for value in missing if not isinstance(value, float)), np.nan)
        listed = set(self.values) | self._refused
        new = [value for value in known if value not in listed]
        if self.refuses_other:
            self._refused.update(new)
        else:
            self.values += new
        if refuses_other:
            self.refuse(set(self.values).difference(known, self._replaced))
        self.refuses_other |= refuses_other
        self.dtype = dtype if self.dtype in (None, dtype) else np.dtype(object)

    def refuse(self, values: Collection[Any]) -> None:
        """Drop listed values that make the pipeline raise an error."""
        self._refused.update(values)
        self.values = [value for value in self.values if value not in self._refused]

    @property
    def is_used(self) -> bool:
        """Whether any step or the model looks at the column."""
        return self.reaches_model or self.is_category or self.is_marked or self.number_uses > 0

    @property
    def is_nominal(self) -> bool:
        """Whether the column's values are categories: listed, and not only some of many numbers."""
        if not self.is_category:
            return False
        if not self.values:  # Every cell was missing when the steps were fitted.
            return self.dtype == np.dtype(object) and self.number_uses == 0
        has_text = any(isinstance(value, str | bytes | bool | np.bool_) for value in self.values)
        return has_text or self.refuses_other or self.number_uses == 0

    @property
    def is_boolean(self) -> bool:
        """Whether all listed values are booleans."""
        return bool(self.values) and all(isinstance(value, bool | np.bool_) for value in self.values)

    def other(self) -> Any:
        """Return a value that no step lists, or None if there is none."""
        if self.is_boolean:
            unlisted = {False, True}.difference(map(bool, self.values))
            # A column of objects, as pandas makes of booleans with missing values, may hold text as well.
            return next(iter(unlisted), self.other_name() if self.dtype == np.dtype(object) else None)
        # An imputer lists its marker in every column, also a string in a column of numbers.
        known = [value for value in self.values if not isinstance(value, str)]
        if not known:
            return self.other_name()
        numbers = np.asarray([float(value) for value in known])
        largest = float(np.abs(numbers).max())
        return max(np.floor(largest) + 1, np.nextafter(largest, np.inf))

    def other_name(self) -> str:
        """Return a name for all values that are not listed."""
        name = OTHER
        while name in self.values:
            name += " value"
        return name

    def categories(self) -> tuple[object, ...]:
        """Return the listed values as a feature declares them."""
        return tuple(_plain(value, self.name) for value in self.values)

    def some_value(self) -> Any:
        """Return a value that the pipeline takes: one that a step replaces may be unknown to another."""
        known = [value for value in self.values if value not in self._replaced]
        return next(iter(known or self.values), self.missing)

    def probe_rows(self) -> NDArray[Any]:
        """Return every listed value, a missing one and, if the pipeline takes it, any other."""
        missing = self.some_value() if self.refuses_missing else self.missing
        other = None if self.refuses_other else self.other()
        return self.probe([*self.values, missing, *([] if other is None else [other])])

    def probe(self, values: list[Any]) -> NDArray[Any]:
        """Return values as a column of the type that the pipeline was fitted on."""
        is_numeric = self.dtype is not None and self.dtype.kind in "iuf"
        if is_numeric:
            return np.array(
                [np.nan if is_missing_cell(value) else value for value in values], dtype=np.float64
            )
        column = np.empty(len(values), dtype=object)
        column[:] = values
        return column


def _plain(value: Any, name: str) -> object:
    is_scalar = isinstance(value, str | bytes | bool | int | float | np.number | np.bool_)
    # For numpy, a time span is a whole number.
    if not is_scalar or isinstance(value, np.timedelta64):
        raise UnsupportedModelError(
            f"Column {name!r} has the category {str(value)!r} of type {type(value).__name__}. Supported: "
            "strings, numbers and booleans.",
            "Use sl.BlackBox(pipeline) to distill the pipeline as a whole.",
        )
    plain = plain_value(value)
    return int(plain) if isinstance(plain, float) and plain.is_integer() else plain


def feature_of(source: Source, has_other: bool) -> Feature:
    """Return the feature of a column; `has_other` adds a category for all values that are not listed."""
    if not source.is_used:
        return Feature(source.name, ignored=True)
    if not source.is_nominal:
        return Feature(source.name, rounded_types=tuple(sorted(source.rounded_types)))
    if not source.values and source.refuses_other:
        raise UnsupportedModelError(
            f"Column {source.name!r} had no value when the pipeline was fitted, and its encoder rejects any. "
            "Fit the pipeline without the column.",
            "Or use sl.BlackBox(pipeline) to distill it as a whole.",
        )
    if has_other or not source.values:
        return Feature(source.name, (*source.categories(), source.other_name()), unseen="last")
    return Feature(source.name, source.categories(), unseen="refuse" if source.refuses_other else "missing")
