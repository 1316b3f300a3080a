"""The rows that are drawn, gathered from the parts."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sightline.table._column import Column, Source
from sightline.table._labels import Labels
from sightline.table._table import Table, Target
from sightline.table.rows._agreement import Agreement
from sightline.table.rows._checkpoint import Arrays
from sightline.table.rows._draw import Draw, Judges, Keys
from sightline.table.rows._part import Part
from sightline.table.rows._reader import PartReader

__all__ = ["Gather", "Gathered", "HashRange", "Weigh"]


@dataclass(frozen=True)
class HashRange:
    """Rows of which the hash for judging lies in a range, and how many of them are wanted.

    Attributes
    ----------
    low, high : float
        The range; the upper end does not belong to it.
    n_keys : int
        Those with the smallest keys are kept.
    """

    low: float
    high: float
    n_keys: int


@dataclass(frozen=True, eq=False)
class Weigh:
    """Finds the rows of a part with the smallest keys; weights have to be read for that.

    Attributes
    ----------
    reader : PartReader
        Reads a part in the agreed columns.
    judges : Judges
        The seed, and the hash for judging.
    ranges : tuple of HashRange
        Which rows are wanted; the result has keys for each of them, in any order.
    """

    reader: PartReader
    judges: Judges
    ranges: tuple[HashRange, ...]

    def __call__(self, part: Part, index: int) -> tuple[Keys, ...]:
        """Return the keys of a part."""
        found = tuple(Keys.none() for _ in self.ranges)
        for batch in self.reader.batches(part, index):
            weights = batch.table.weights
            assert weights is not None
            keys = Keys.of(self.judges.seed, batch.first, weights)
            hashes = self.judges.hashes(keys.position)
            inside = tuple(keys[(hashes >= one.low) & (hashes < one.high)] for one in self.ranges)
            found = self.merged(found, inside)
        return found

    def merged(self, above: tuple[Keys, ...], below: tuple[Keys, ...]) -> tuple[Keys, ...]:
        """Return the smallest keys of two parts, and maybe more."""
        triples = zip(above, below, self.ranges, strict=True)
        return tuple(first.grown(second, one.n_keys) for first, second, one in triples)


@dataclass(frozen=True, eq=False)
class Gathered:
    """Rows that were drawn, in the agreed columns.

    Attributes
    ----------
    pieces : tuple of Table
        The rows in their order, each piece from one batch. They are joined once, at the end.
    """

    pieces: tuple[Table, ...]

    @staticmethod
    def joined(above: Gathered, below: Gathered) -> Gathered:
        """Put rows under each other."""
        return Gathered(above.pieces + below.pieces)

    def table(
        self,
        agreement: Agreement,
        target: str | None,
        weights: NDArray[np.float64] | None,
        weights_name: str | None = None,
    ) -> Table:
        """Return all rows as one table, with the weights of the draw."""
        columns = [
            _stacked([piece.columns[index] for piece in self.pieces])
            for index in range(len(agreement.schema))
        ]
        return Table(columns, self._target(agreement), weights, target_name=target, weights_name=weights_name)

    def _target(self, agreement: Agreement) -> Target | None:
        if agreement.target is None:
            return None
        if agreement.classes is None:
            return np.concatenate([np.asarray(piece.y) for piece in self.pieces])
        codes = [piece.y.codes for piece in self.pieces if isinstance(piece.y, Labels)]
        return Labels(np.concatenate(codes), agreement.classes)


@dataclass(frozen=True, eq=False)
class Gather:
    """Takes the drawn rows of a part."""

    reader: PartReader
    drawn: Draw

    def __call__(self, part: Part, index: int) -> Gathered:
        """Return the drawn rows of a part."""
        pieces: list[Table] = []
        for batch in self.reader.batches(part, index):
            mine = self.drawn.positions[self.drawn.between(batch.first, batch.first + batch.table.n_rows)]
            if len(mine):
                pieces.append(batch.table[mine - batch.first])
        return Gathered(tuple(pieces))

    def to_arrays(self, gathered: Gathered) -> Arrays:
        """Return rows as arrays; the types in which whole numbers came are not kept."""
        agreement = self.reader.agreement
        if not gathered.pieces:
            return {}
        table = gathered.table(agreement, self.reader.target, None)
        target = table.y.codes if isinstance(table.y, Labels) else table.y
        columns = {str(index): column.values for index, column in enumerate(table.columns)}
        return columns if target is None else {**columns, "target": target}

    def from_arrays(self, arrays: Arrays) -> Gathered:
        """Rebuild rows from arrays."""
        agreement = self.reader.agreement
        if not arrays:
            return Gathered(())
        columns = [
            Column(feature, arrays[str(index)]) for index, feature in enumerate(agreement.schema.features)
        ]
        target: Target | None = arrays.get("target")
        if agreement.classes is not None:
            target = Labels(arrays["target"], agreement.classes)
        return Gathered((Table(columns, target, target_name=self.reader.target),))


def _stacked(columns: list[Column]) -> Column:
    """Put the cells of one column under each other, with their types if all pieces have the same."""
    first = columns[0]
    if len(columns) == 1:
        return first
    sources = [column.source for column in columns]
    types = {column.number_type for column in columns}
    return replace(
        first,
        values=np.concatenate([column.values for column in columns]),
        source=_stacked_sources(sources),
        number_type=first.number_type if len(types) == 1 else "",
        missing_kinds=tuple(sorted({kind for column in columns for kind in column.missing_kinds})),
    )


def _stacked_sources(sources: list[Source | None]) -> Source | None:
    known = [source for source in sources if source is not None]
    if len(known) < len(sources) or len({source.container for source in known}) > 1:
        return None
    return Source(np.concatenate([source.numbers for source in known]), known[0].container)
