"""Which rows a proof covers: those in which only some values may be missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import ParameterError
from sightline.table import Schema, Table


@dataclass(frozen=True)
class Coverage:
    """Rows of finite numbers and declared categories, with missing values in some features.

    Attributes
    ----------
    schema : Schema
        The features.
    may_be_missing : tuple of bool
        Per feature: whether rows without its value are covered. Always so if the model ignores it.

    Examples
    --------
    >>> from sightline.table import Feature
    >>> schema = Schema((Feature("age"), Feature("income")))
    >>> Coverage.of(["age"], schema).may_be_missing
    (True, False)
    """

    schema: Schema
    may_be_missing: tuple[bool, ...]

    @classmethod
    def of(cls, missing: bool | Sequence[str], schema: Schema) -> Coverage:
        """Read the parameter ``missing`` of a function: all features, none, or those named."""
        if isinstance(missing, bool):
            return cls(schema, tuple(missing or feature.ignored for feature in schema.features))
        named = {missing} if isinstance(missing, str) else set(missing)
        unknown = sorted(named.difference(schema.names))
        if unknown:
            raise ParameterError(f"The 'missing' parameter names {unknown[0]!r}, which is not a feature.")
        return cls(schema, tuple(one.name in named or one.ignored for one in schema.features))

    @property
    def names(self) -> tuple[str, ...]:
        """Features that the model uses and whose values may be missing."""
        pairs = zip(self.schema.features, self.may_be_missing, strict=True)
        return tuple(one.name for one, is_covered in pairs if is_covered and not one.ignored)

    def box(self) -> _core.Box:
        """Return the box of the rows that are covered."""
        box = _core.Box(self.schema.n_values)
        for index, may_be_missing in enumerate(self.may_be_missing):
            if not may_be_missing:
                box.forbid_missing(index)
            if self.schema.features[index].kind == "date":
                box.require_whole(index)
        return box

    def rows(self, table: Table) -> NDArray[np.bool_]:
        """Return for each row of a table whether it is covered."""
        result = np.ones(table.n_rows, dtype=bool)
        for column, is_covered in zip(table.columns, self.may_be_missing, strict=True):
            result &= is_covered | ~column.is_missing
        return result
