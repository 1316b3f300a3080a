"""Which columns a distilled tree may test, and how large it may become."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, TypeVar

import numpy as np

from sightline import _core
from sightline.exceptions import ParameterError
from sightline.sklearn_internals import Interval, RealNotInt
from sightline.table import Schema
from sightline.wording import list_names

MIN_LEAF = 2.0
"""Default weight of the training rows in a leaf."""

SCARCE = 10
"""With fewer training rows per leaf than this, no leaf needs any by default."""

ROWS_OR_SHARE = (
    Interval(Integral, 0, None, closed="left"),
    Interval(RealNotInt, 0, 1, closed="neither"),
)
"""What ``min_leaf`` of an estimator may be: a number of rows, or a share of them."""

_MAX_LISTED = 10

Grown = TypeVar("Grown")


@dataclass(frozen=True)
class TreeLimits:
    """Limits of a tree, with columns by name or index.

    Attributes
    ----------
    min_leaf : float, optional
        Minimum weight of the training rows in a leaf; None: two rows, unless they are scarce.
    max_depth, max_features : int, optional
        Most tests on a path, and most columns in the tree.
    exclude, only, prefer : sequence of column, optional
        Columns that must not be tested, the only columns that may be tested, and columns to prefer
        when another test is hardly better.
    group : sequence of sequence of column, or mapping to such, optional
        Columns that count as one.
    unhelpful : tuple of int, default=()
        Indices of columns that are not tested unless `only` or `prefer` names them, because they do not help
        to predict held-out rows.
    """

    min_leaf: float | None = 0.0
    max_depth: int | None = None
    max_features: int | None = None
    exclude: Sequence[Any] | None = None
    only: Sequence[Any] | None = None
    prefer: Sequence[Any] | None = None
    group: Sequence[Sequence[Any]] | Mapping[str, Sequence[Any]] | None = None
    unhelpful: tuple[int, ...] = ()

    def native(self, schema: Schema) -> _core.Limits:
        """Return the limits for the kernels; ParameterError names a column that does not exist."""
        return _core.Limits(
            min_leaf=self.min_leaf or 0.0,
            max_depth=self.max_depth or 0,
            max_columns=self.max_features or 0,
            banned=self.banned(schema),
            preferred=[] if self.prefer is None else _marked(schema, self.prefer, "prefer"),
            group=self._groups(schema),
        )

    def min_leaf_of(self, n_leaves: int, n_rows: float) -> float:
        """Return the minimum weight of training rows in a leaf, for a tree of this many leaves.

        With few rows per leaf, the tree can be faithful only with leaves for artificial rows.
        """
        if self.min_leaf is not None:
            return self.min_leaf
        return MIN_LEAF if n_rows >= SCARCE * n_leaves else 0.0

    def banned(self, schema: Schema) -> list[int]:
        """Return 1 for each column that must not be tested and 0 for the others; empty if all may be."""
        if self.exclude is None and self.only is None and not self.unhelpful:
            return []
        banned = [0] * len(schema)
        if self.only is not None:
            banned = [1 - kept for kept in _marked(schema, self.only, "only")]
        if self.exclude is not None:
            excluded = _marked(schema, self.exclude, "exclude")
            banned = [max(both) for both in zip(banned, excluded, strict=True)]
        if all(banned):
            raise ParameterError("exclude and only leave no column that the tree may test.")
        left_out = self.left_out(schema)
        without = [int(is_banned or index in left_out) for index, is_banned in enumerate(banned)]
        return banned if all(without) else without

    def left_out(self, schema: Schema) -> set[int]:
        """Return the unhelpful columns that the caller did not name."""
        named = [*(self.only or ()), *(self.prefer or ())]
        return set(self.unhelpful) - set(columns_named(schema, named, "prefer"))

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


def least_support(min_leaf: float, n_rows: float) -> float:
    """Return the weight of rows that ``min_leaf``, a number of rows or a share of them, means."""
    return float(min_leaf if isinstance(min_leaf, Integral) else min_leaf * n_rows)


def within_columns(
    grow: Callable[[list[int]], Grown], tree_of: Callable[[Grown], _core.Tree], max_features: int | None
) -> Grown:
    """Regrow a tree without its least used columns until it tests few enough columns.

    Parameters
    ----------
    grow : callable
        Grows a tree that does not test some columns, given by index in ascending order.
    tree_of : callable
        Returns the tree of what was grown.
    max_features : int, optional
        Maximum number of columns in the tree.
    """
    banned: list[int] = []
    while True:
        grown = grow(banned)
        decided = _rows_decided(tree_of(grown))
        n_excess = 0 if max_features is None else len(decided) - max_features
        if n_excess <= 0:
            return grown
        # Half of them at a time: the tests of the others change.
        banned = sorted([*banned, *decided[: (n_excess + 1) // 2]])


def _rows_decided(tree: _core.Tree) -> list[int]:
    """Return the columns of a tree; those whose tests decide the fewest rows come first."""
    tested = tree.feature[tree.feature >= 0]
    rows = np.bincount(tested, tree.weight[tree.feature >= 0])
    return sorted(set(tested.tolist()), key=lambda column: (rows[column], column))


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
    if isinstance(columns, str | Integral):
        raise ParameterError(f"{parameter} must be a list of columns: [{columns!r}], not {columns!r}.")
    if not isinstance(columns, Iterable):
        raise ParameterError(f"{parameter} must be a list of columns. Got {columns!r} instead.")
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
