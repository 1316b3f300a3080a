"""Which columns a distilled tree may test, and how large it may become."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from sightline import _core
from sightline.exceptions import ParameterError
from sightline.table import Schema
from sightline.wording import list_names

_MAX_LISTED = 10


@dataclass(frozen=True)
class TreeLimits:
    """Limits of a tree, with columns by name or index.

    Attributes
    ----------
    min_leaf : float
        Minimum weight of the training rows in a leaf.
    max_depth, max_features : int, optional
        Most tests on a path, and most columns in the tree.
    exclude, only, prefer : sequence of column, optional
        Columns that are not tested, columns of which all others are not tested, and columns that are tested
        where another test is hardly better.
    group : sequence of sequence of column, or mapping to such, optional
        Columns that count as one.
    """

    min_leaf: float = 0.0
    max_depth: int | None = None
    max_features: int | None = None
    exclude: Sequence[Any] | None = None
    only: Sequence[Any] | None = None
    prefer: Sequence[Any] | None = None
    group: Sequence[Sequence[Any]] | Mapping[str, Sequence[Any]] | None = None

    def native(self, schema: Schema) -> _core.Limits:
        """Return the limits for the kernels; ParameterError names a column that does not exist."""
        return _core.Limits(
            min_leaf=self.min_leaf,
            max_depth=self.max_depth or 0,
            max_columns=self.max_features or 0,
            banned=self.banned(schema),
            preferred=[] if self.prefer is None else _marked(schema, self.prefer, "prefer"),
            group=self._groups(schema),
        )

    def banned(self, schema: Schema) -> list[int]:
        """Return 1 for each column that must not be tested and 0 for the others; empty if all may be."""
        if self.exclude is None and self.only is None:
            return []
        banned = [0] * len(schema)
        if self.only is not None:
            banned = [1 - kept for kept in _marked(schema, self.only, "only")]
        if self.exclude is not None:
            excluded = _marked(schema, self.exclude, "exclude")
            banned = [max(both) for both in zip(banned, excluded, strict=True)]
        if all(banned):
            raise ParameterError("exclude and only leave no column that the tree may test.")
        return banned

    def _groups(self, schema: Schema) -> list[int]:
        if self.group is None:
            return []
        members = self.group.values() if isinstance(self.group, Mapping) else self.group
        group = list(range(len(schema)))
        for columns in members:
            indices = columns_named(schema, columns, "group")
            for index in indices:
                if group[index] != index or index in group[:index] + group[index + 1 :]:
                    raise ParameterError(f"group has {schema.names[index]!r} in more than one group.")
            for index in indices:
                group[index] = indices[0]
        return group


def columns_named(schema: Schema, columns: Iterable[Any], parameter: str) -> list[int]:
    """Return the indices of columns given by name or index, each once.

    Parameters
    ----------
    schema : Schema
        The columns that exist.
    columns : iterable of str or int
        Names or indices.
    parameter : str
        The parameter that they were given as, for the message of an error.

    Returns
    -------
    list of int
        In the given order.

    Raises
    ------
    ParameterError
        If a column does not exist, or one name was given instead of a list.
    """
    if isinstance(columns, str):
        raise ParameterError(f"{parameter} must be a list of columns: [{columns!r}], not {columns!r}.")
    names = schema.names
    indices: dict[int, None] = {}
    unknown = []
    for column in columns:
        if column in names:
            indices[names.index(column)] = None
        elif isinstance(column, Integral) and 0 <= int(column) < len(names):
            indices[int(column)] = None
        else:
            unknown.append(repr(column))
    if unknown:
        known = list_names([repr(name) for name in names], _MAX_LISTED)
        raise ParameterError(
            f"{parameter} names {list_names(unknown, _MAX_LISTED)}, but the columns are {known}."
        )
    return list(indices)


def _marked(schema: Schema, columns: Iterable[Any], parameter: str) -> list[int]:
    chosen = set(columns_named(schema, columns, parameter))
    return [int(index in chosen) for index in range(len(schema))]
