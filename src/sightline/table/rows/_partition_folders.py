"""Columns encoded in folder names, as in ``year=2020/part-0.parquet``."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from sightline.table._column import Column, nominal_column, numeric_column
from sightline.table._schema import Feature, Schema
from sightline.table._table import Table
from sightline.table.rows._part import BATCH_ROWS, Part, PartOutline

__all__ = ["in_partition_folders"]

_MISSING = "__HIVE_DEFAULT_PARTITION__"
"""Name that Hive and Spark give the folder of rows without a value."""


@dataclass(frozen=True)
class PartitionedPart(Part):
    """A file, with one column per folder that names a value.

    Attributes
    ----------
    part : Part
        The file.
    cells : tuple of Column
        One cell per additional column; it applies to all rows.
    """

    part: Part
    cells: tuple[Column, ...]

    @property
    def name(self) -> str:  # type: ignore[override]
        """Name of the file."""
        return self.part.name

    def version(self) -> str | None:
        """Return the version of the file, and what its folders say."""
        return self.part.version()

    def outline(self) -> PartOutline | None:
        """Return what the file says, and the columns of the folders."""
        found = self.part.outline()
        if found is None:
            return None
        own = {cell.name: cell.feature == Feature(cell.name) for cell in self.cells}
        in_file = [name for name in found.names if name not in own]
        numeric = {name for name, is_number in own.items() if is_number}
        return PartOutline(found.n_rows, (*in_file, *own), found.numeric - own.keys() | numeric)

    def tables(self, columns: Sequence[str] | None = None, like: Schema | None = None) -> Iterator[Table]:
        """Yield the rows of the file with the columns of the folders, which replace those of the file."""
        own = {cell.name for cell in self.cells}
        wanted = None if columns is None else [name for name in columns if name not in own]
        if wanted == [] and (found := self.part.outline()) is not None:
            yield from self._without_file(found.n_rows)
            return
        for table in self.part.tables(wanted, like):
            in_file = [column for column in table.columns if column.name not in own]
            yield table.with_columns([*in_file, *self._repeated(table.n_rows)])

    def frames(self, columns: Sequence[str] | None, like: Schema | None) -> Iterator[Any]:
        """Yield the rows as tables."""
        yield from self.tables(columns, like)

    def _without_file(self, n_rows: int) -> Iterator[Table]:
        """Yield the columns of the folders alone: no row has to be read."""
        for first in range(0, n_rows, BATCH_ROWS):
            yield Table(self._repeated(min(BATCH_ROWS, n_rows - first)))

    def _repeated(self, n_rows: int) -> list[Column]:
        return [cell.take(np.zeros(n_rows, dtype=np.intp)) for cell in self.cells]


def in_partition_folders(parts: Sequence[Part], folders: Sequence[Path]) -> list[Part]:
    """Add the columns that the folders of some files name; files in other folders stay as they are.

    Parameters
    ----------
    parts : sequence of Part
        The files.
    folders : sequence of Path
        Their folders, relative to what the caller named.

    Examples
    --------
    >>> from sightline.table.rows._frame_parts import FramePart
    >>> one, other = (Table.from_any([[x]], feature_names=["x"]) for x in (1.0, 2.0))
    >>> parts = [FramePart("a", one), FramePart("b", other)]
    >>> found = in_partition_folders(parts, [Path("year=2020/land=de"), Path("year=2021/land=at")])
    >>> [[column.to_list() for column in table.columns] for part in found for table in part.tables()]
    [[[1.0], [2020.0], ['de']], [[2.0], [2021.0], ['at']]]
    """
    values = [_values(folder) for folder in folders]
    names = dict.fromkeys(name for one in values for name in one)
    kind_of = {name: _kind([one[name] for one in values if name in one]) for name in names}
    return [
        PartitionedPart(part, tuple(_cell(name, text, kind_of[name]) for name, text in one.items()))
        if one
        else part
        for part, one in zip(parts, values, strict=True)
    ]


def _values(folder: Path) -> dict[str, str]:
    pairs = (name.partition("=") for name in folder.parts)
    return {unquote(name): unquote(value) for name, sign, value in pairs if name and sign}


def _kind(texts: list[str]) -> type[float] | type[dt.date] | type[str]:
    """Return the common type of a column's values. As in Spark, leading zeros do not make them codes."""
    known = [text for text in texts if text != _MISSING]
    if known and all(_number(text) is not None for text in known):
        return float
    return dt.date if known and all(_day(text) is not None for text in known) else str


def _number(text: str) -> float | None:
    with suppress(ValueError):
        number = float(text)
        return number if math.isfinite(number) else None
    return None


def _day(text: str) -> float | None:
    with suppress(ValueError):
        return float((dt.date.fromisoformat(text) - dt.date(1970, 1, 1)).days)
    return None


def _cell(name: str, text: str, kind: type) -> Column:
    if kind is str and text != _MISSING:
        return nominal_column(name, [text], np.zeros(1, dtype=np.int32))
    value = _number(text) if kind is float else _day(text)
    cell = numeric_column(name, np.array([math.nan if value is None or text == _MISSING else value]))
    return replace(cell, feature=Feature(name, kind="date")) if kind is dt.date else cell
