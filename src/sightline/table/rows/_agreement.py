"""Agree on one schema for all parts before the first batch is used: columns, kinds, categories, classes."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import DataError
from sightline.table._column import Column, are_whole, dates_as_nominal, exact_numbers
from sightline.table._schema import MAX_NAMES, NUMBER_NOUNS, Feature, Schema
from sightline.table._table import Table
from sightline.table.rows._part import Part
from sightline.wording import list_names

__all__ = ["Agreement", "PartFacts", "agreed", "columns_in_doubt", "facts_of"]

MAX_LABELS = 10_000
"""A target with more different whole numbers than this is a quantity, not classes."""
_MAX_LABEL = 2**63 - 1

MAX_VALUES = 1_000_000
"""A column of text with more different values than this is refused: it names the rows."""


@dataclass
class ColumnFacts:
    """What is known about a column from the cells read so far.

    Attributes
    ----------
    feature : Feature or None
        Name, kind and unit, without categories; None as long as no cell was known.
    values : dict
        The categories as keys, in the order in which they appeared; empty if the column is numeric.
    are_sorted : bool
        Whether every batch listed its categories in ascending order, as for text.
    """

    feature: Feature | None = None
    values: dict[object, None] = field(default_factory=dict)
    are_sorted: bool = True

    @property
    def is_nominal(self) -> bool:
        """Whether the column holds categories."""
        return bool(self.values)

    def add(self, column: Column) -> None:
        """Add the cells of a batch; raise if their kind differs."""
        feature = column.feature
        if not feature.is_nominal and not feature.kind and column.is_missing.all():
            return
        categories = list(feature.categories or ())
        self.unite(
            ColumnFacts(replace(feature, categories=None), dict.fromkeys(categories), _is_sorted(categories))
        )

    def unite(self, other: ColumnFacts) -> None:
        """Add what another part showed; raise if its kind differs."""
        if other.feature is None:
            return
        if self.feature is None:
            self.feature = other.feature
        elif (self.noun, self.feature.kind) != (other.noun, other.feature.kind):
            raise DataError(
                f"column {other.feature.name!r} holds {other.noun}, but {self.noun} in earlier parts. "
                "Convert it to one type in all parts."
            )
        else:
            self._check_style(other.feature)
        self.values |= other.values
        self.are_sorted = self.are_sorted and other.are_sorted
        if len(self.values) > MAX_VALUES:
            raise DataError(
                f"column {self.feature.name!r} has more than {MAX_VALUES:,} different values, too many for "
                "categories. Drop it: drop=[…]."
            )

    def _check_style(self, other: Feature) -> None:
        """Raise if texts mean something else here than in earlier parts."""
        assert self.feature is not None
        if other.unit != self.feature.unit:
            units = [f"in {unit!r}" if unit else "without a unit" for unit in (other.unit, self.feature.unit)]
            raise DataError(
                f"column {other.name!r} holds numbers {units[0]}, but {units[1]} in earlier parts. "
                "Convert it to one unit in all parts."
            )
        if {other.day_first, self.feature.day_first} == {True, False}:
            first, before = ("day", "month") if other.day_first else ("month", "day")
            raise DataError(
                f"column {other.name!r} holds dates with the {first} first, but with the {before} first in "
                "earlier parts. Pass the right one: date_order='dmy' or 'mdy'."
            )

    @property
    def noun(self) -> str:
        """What the cells are, for messages."""
        if self.is_nominal:
            return "categories"
        return NUMBER_NOUNS[self.feature.kind] if self.feature is not None else "nothing"

    @property
    def kind(self) -> str:
        """What the numbers mean, if not plain numbers."""
        return "" if self.feature is None else self.feature.kind

    def agreed(self, name: str) -> Feature:
        """Return the feature that holds for all parts."""
        if self.feature is None:
            return Feature(name)
        if not self.is_nominal:
            return self.feature
        values = sorted(self.values) if self.are_sorted else list(self.values)  # type: ignore[type-var]
        return replace(self.feature, categories=tuple(values))


@dataclass
class PartFacts:
    """What is known about one part.

    Attributes
    ----------
    name : str
        The part.
    n_rows : int
        Number of rows.
    columns : dict of str to ColumnFacts
        Facts about its columns; empty if it has no rows and no metadata.
    labels : set of int or None
        The whole numbers of a numeric target; None if it holds fractions or too many different ones.
    n_unlabeled : int
        Rows without a target.
    dropped : frozenset of str
        Columns that it has and that are left out.
    decimal : str
        Decimal mark of the numbers in a text file; empty if no number has one.
    """

    name: str
    n_rows: int = 0
    columns: dict[str, ColumnFacts] = field(default_factory=dict)
    labels: set[int] | None = field(default_factory=set)
    n_unlabeled: int = 0
    dropped: frozenset[str] = frozenset()
    decimal: str = ""


def facts_of(
    part: Part,
    target: str | None,
    weights: str | None,
    drop: Sequence[str] = (),
    in_doubt: frozenset[str] = frozenset(),
) -> PartFacts:
    """Look at a part: at its types if they say enough, otherwise at its rows.

    Parameters
    ----------
    part : Part
        The part.
    target, weights : str or None
        Columns whose cells matter even if they are numbers.
    drop : sequence of str
        Columns that are left out. Their cells may be anything.
    in_doubt : frozenset of str
        Columns whose types are not trusted: without any value, a type says nothing.
    """
    outline, names, facts = part.outline(), part.names(), PartFacts(part.name)
    columns = None
    if names is not None:
        columns = [name for name in names if name not in drop]
        facts.dropped = frozenset(names) & frozenset(drop)
        for name in (target, weights):
            _require(part.name, name, names)
    if outline is not None and columns is not None:
        known = outline.numeric - {target} - in_doubt
        facts.n_rows = outline.n_rows
        facts.columns = {
            name: ColumnFacts(Feature(name) if name in known else None) for name in outline.names
        }
        columns = [name for name in columns if name not in known]
        if not columns:
            return facts
    n_rows = 0
    for table in part.tables(columns):
        n_rows += table.n_rows
        if columns is None:
            for name in (target, weights):
                _require(part.name, name, table.names)
        _look_at(facts, table, target)
    facts.n_rows = facts.n_rows if outline is not None else n_rows
    facts.dropped |= facts.columns.keys() & set(drop)
    return facts


def _require(part: str, name: str | None, names: Sequence[str]) -> None:
    if name is not None and name not in names:
        known = list_names([repr(one) for one in names], MAX_NAMES)
        raise DataError(f"{part}: there is no column {name!r}. The columns are {known}.")


def columns_in_doubt(parts: Iterable[PartFacts]) -> frozenset[str]:
    """Return the columns that are not of the same kind in all parts, as far as is known."""
    kinds: dict[str, set[tuple[str, str]]] = {}
    for part in parts:
        for name, facts in part.columns.items():
            if facts.feature is not None:
                kinds.setdefault(name, set()).add((facts.noun, facts.feature.kind))
    return frozenset(name for name, found in kinds.items() if len(found) > 1)


def _look_at(facts: PartFacts, table: Table, target: str | None) -> None:
    facts.decimal = facts.decimal or table.number_format.decimal
    for original in table.columns:
        column = dates_as_nominal(original) if original.name == target else original
        try:
            facts.columns.setdefault(column.name, ColumnFacts()).add(column)
        except DataError as error:
            raise DataError(f"{facts.name}: {error}") from error
        if column.name == target:
            facts.n_unlabeled += int(column.is_missing.sum())
            _look_at_labels(facts, column)


def _look_at_labels(facts: PartFacts, column: Column) -> None:
    if column.feature.is_nominal or facts.labels is None:
        return
    distinct = np.unique(exact_numbers(column)[~column.is_missing])
    if not are_whole(distinct):
        facts.labels = None
        return
    facts.labels |= set(map(int, distinct.tolist()))
    if len(facts.labels) > MAX_LABELS or max(facts.labels, default=0) > _MAX_LABEL:
        facts.labels = None


@dataclass(frozen=True, eq=False)
class Agreement:
    """What holds for all parts.

    Attributes
    ----------
    schema : Schema
        The columns besides target and weights.
    target : Feature or None
        The target.
    classes : ndarray or None
        The classes of the target; None if it holds numbers, or if there is none.
    lengths : ndarray of int64
        Number of rows of each part.
    """

    schema: Schema
    target: Feature | None
    classes: NDArray[Any] | None
    lengths: NDArray[np.int64]

    @property
    def n_rows(self) -> int:
        """Number of rows of all parts."""
        return int(self.lengths.sum())

    @property
    def first_rows(self) -> NDArray[np.int64]:
        """The first row of each part among all rows."""
        return np.concatenate([[0], np.cumsum(self.lengths)[:-1]]).astype(np.int64)

    @property
    def every_feature(self) -> Schema:
        """All columns, the target included, for readers of text."""
        features = self.schema.features if self.target is None else (*self.schema.features, self.target)
        return replace(self.schema, features=features)


def agreed(
    parts: Iterable[PartFacts], target: str | None, weights: str | None, drop: Sequence[str] = ()
) -> Agreement:
    """Combine the facts about all parts.

    Raises
    ------
    DataError
        Names the first part that does not match the earlier ones.
    """
    united: dict[str, ColumnFacts] = {}
    first = ""
    lengths: list[int] = []
    labels: set[int] | None = set()
    decimal, unknown = "", set(drop)
    for part in parts:
        unknown -= part.dropped
        lengths.append(part.n_rows)
        if not part.columns:
            continue
        if part.n_unlabeled:
            raise DataError(
                f"{part.name}: the target {target!r} is missing in {part.n_unlabeled:,} of {part.n_rows:,} "
                "rows. Remove these rows first."
            )
        if united:
            _check_names(part, first, united, set(drop))
        if decimal and part.decimal and part.decimal != decimal:
            raise DataError(
                f"{part.name}: numbers seem to have the decimal mark {part.decimal!r}, but {decimal!r} in "
                "earlier parts. Pass the right one: decimal='.' or ','."
            )
        decimal = decimal or part.decimal
        first = first or part.name
        for name, facts in part.columns.items():
            if name in drop:
                continue
            try:
                united.setdefault(name, ColumnFacts()).unite(facts)
            except DataError as error:
                raise DataError(f"{part.name}: {error}") from error
        labels = None if labels is None or part.labels is None else labels | part.labels
    if not sum(lengths):
        raise DataError("The parts have no rows.")
    _check_options(united, weights, unknown)
    features = tuple(facts.agreed(name) for name, facts in united.items() if name not in (target, weights))
    if not features:
        raise DataError(f"There is no column besides the target {target!r}.")
    about = None if target is None else united[target].agreed(target)
    schema = Schema(features, names_given=True)
    return Agreement(schema, about, _classes(about, labels), np.array(lengths, dtype=np.int64))


def _check_options(united: dict[str, ColumnFacts], weights: str | None, unknown: set[str]) -> None:
    """Raise if columns to drop are in no part, or if the weights are not numbers."""
    if unknown:
        known = list_names([repr(name) for name in united], MAX_NAMES)
        raise DataError(f"drop names {min(unknown)!r}, but the columns are {known}.")
    if weights is not None and (united[weights].noun, united[weights].kind) != ("numbers", ""):
        raise DataError(f"The weights must be numbers, but column {weights!r} holds {united[weights].noun}.")


def _check_names(part: PartFacts, first: str, united: dict[str, ColumnFacts], drop: set[str]) -> None:
    names = part.columns.keys() - drop
    absent = [repr(name) for name in united if name not in names]
    extra = [repr(name) for name in part.columns if name in names and name not in united]
    for wrong, says in ((absent, "has no"), (extra, "has the")):
        if wrong:
            noun = "column" if len(wrong) == 1 else "columns"
            other = f"which {first} has" if wrong is absent else f"which {first} does not have"
            raise DataError(f"{part.name}: {says} {noun} {list_names(wrong, MAX_NAMES)}, {other}.")


def _classes(target: Feature | None, labels: set[int] | None) -> NDArray[Any] | None:
    if target is None:
        return None
    if target.categories is not None:
        return np.array(target.categories)
    return np.array(sorted(labels), dtype=np.int64) if labels else None


def _is_sorted(values: list[Any]) -> bool:
    try:
        return all(low < high for low, high in itertools.pairwise(values))
    except TypeError:
        return False
