"""Reads a part in the columns that all parts agreed on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import DataError
from sightline.table._align import codes_of
from sightline.table._column import Column, dates_as_nominal, exact_numbers
from sightline.table._labels import Labels
from sightline.table._schema import Feature
from sightline.table._table import Table, Target
from sightline.table.rows._agreement import Agreement
from sightline.table.rows._part import Part

__all__ = ["Batch", "PartReader"]


@dataclass(frozen=True, eq=False)
class Batch:
    """Some consecutive rows.

    Attributes
    ----------
    first : int
        Position of the first of them among all rows.
    table : Table
        The rows in the agreed columns, with target and weights.
    """

    first: int
    table: Table


@dataclass(frozen=True, eq=False)
class PartReader:
    """Reads a part in the columns that all parts agreed on. It is sent to the workers."""

    agreement: Agreement
    target: str | None
    weights: str | None

    def batches(self, part: Part, index: int) -> Iterator[Batch]:
        """Yield the rows of a part."""
        first, schema = int(self.agreement.first_rows[index]), self.agreement.schema
        wanted = [*schema.names, *(name for name in (self.target, self.weights) if name is not None)]
        end = first + int(self.agreement.lengths[index])
        for raw in part.tables(wanted, self.agreement.every_feature):
            if first + raw.n_rows > end:
                break
            column_of = {column.name: column for column in raw.columns}
            try:
                columns = [_agreed_column(column_of[feature.name], feature) for feature in schema.features]
                table = Table(
                    columns, self._target(column_of), self._weights(column_of), target_name=self.target
                )
            except (DataError, KeyError) as error:
                raise DataError(f"{part.name}: {error}") from error
            yield Batch(first, table)
            first += raw.n_rows
        if first != end:
            raise DataError(
                f"{part.name}: has a different number of rows than before. Its rows must stay the same "
                "while it is read."
            )

    def _target(self, column_of: Mapping[str, Column]) -> Target | None:
        if self.target is None:
            return None
        column = dates_as_nominal(column_of[self.target])
        feature, classes = self.agreement.target, self.agreement.classes
        assert feature is not None
        if feature.is_nominal:
            return Labels(_agreed_column(column, feature).values, np.asarray(classes))
        if classes is None:
            return column.values
        return Labels(np.searchsorted(classes, exact_numbers(column)).astype(np.int32), classes)

    def _weights(self, column_of: Mapping[str, Column]) -> NDArray[np.float64] | None:
        return None if self.weights is None else column_of[self.weights].values


def _agreed_column(column: Column, feature: Feature) -> Column:
    """Return a column with the agreed feature, and with its own numbers and their type."""
    own = column.feature.categories
    if feature.categories is None:
        if own is not None:
            raise DataError(f"column {column.name!r} holds categories, but numbers in earlier parts.")
        return replace(column, feature=feature)
    if own is None:
        return Column(feature, np.full(len(column), -1, dtype=np.int32))
    if own == feature.categories:
        return replace(column, feature=feature)
    # The code -1 of missing values finds the last entry.
    codes = np.append(codes_of(own, feature), np.int32(-1))
    return Column(feature, codes[column.values])
