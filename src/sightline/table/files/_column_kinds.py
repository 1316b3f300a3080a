"""Kinds of columns that the caller declares: categories, numbers, dates or row names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sightline.exceptions import DataError, ParameterError
from sightline.table._column import Column, as_nominal, as_numeric
from sightline.table._schema import MAX_NAMES
from sightline.wording import list_names

__all__ = ["ColumnKinds"]

KINDS: tuple[str, ...] = ("categorical", "numeric", "date", "id")


@dataclass(frozen=True)
class ColumnKinds:
    """The kinds that the caller declares, by column.

    Parameters
    ----------
    of : mapping of str to {"categorical", "numeric", "date", "id"}
        The kinds of all other columns are detected from their cells.

    Examples
    --------
    >>> kinds = ColumnKinds({"zip": "categorical", "customer": "id"})
    >>> kinds.named("id"), kinds.id_column
    ({'customer'}, 'customer')
    """

    of: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, kind in self.of.items():
            if kind not in KINDS:
                raise ParameterError(
                    f"The kind of column {name!r} must be one of {', '.join(map(repr, KINDS))}. "
                    f"Got {kind!r} instead."
                )
        ids = self.named("id")
        if len(ids) > 1:
            listed = list_names([repr(name) for name in sorted(ids)])
            raise ParameterError(f"Only one column can hold row IDs. Got {listed}.")

    def named(self, *kinds: str) -> set[str]:
        """Return the columns of some kinds."""
        return {name for name, kind in self.of.items() if kind in kinds}

    @property
    def id_column(self) -> str | None:
        """The column of row names; None if the caller declares none."""
        return next(iter(self.named("id")), None)

    def check(self, names: list[str], target: str | None) -> None:
        """Raise if a declared column does not exist, or if the target is declared as row names."""
        for name in self.of:
            if name not in names and name != target:
                known = list_names([repr(name) for name in names], MAX_NAMES)
                raise ParameterError(f"There is no column {name!r}. The columns are {known}.")
        if target is not None and self.of.get(target) == "id":
            raise ParameterError(f"Column {target!r} is the target, so it cannot hold row IDs.")

    def applied(self, column: Column) -> Column:
        """Return a column in its declared kind."""
        kind = self.of.get(column.name)
        if kind == "categorical":
            return as_nominal(column)
        if kind != "numeric":
            return column
        numbers = as_numeric(column)
        if numbers is None:
            raise DataError(f"Column {column.name!r} holds text, so it cannot be numeric.")
        return numbers
