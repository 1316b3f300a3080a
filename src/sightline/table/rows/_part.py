"""A part of the rows: one file, partition or query, read in batches of bounded size."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sightline.exceptions import DataError, DataWarning
from sightline.table._schema import Schema
from sightline.table._table import Table

__all__ = ["BATCH_ROWS", "Part", "PartOutline", "first_line"]

BATCH_ROWS = 131_072
"""Rows that are in memory at a time: 20 MB at 20 columns."""


@dataclass(frozen=True)
class PartOutline:
    """Metadata of a part, known before any of its rows is read.

    Attributes
    ----------
    n_rows : int
        Number of rows.
    names : tuple of str
        Names of the columns.
    numeric : frozenset of str
        Columns whose type says that they hold plain numbers, so that their cells need not be read.
    """

    n_rows: int
    names: tuple[str, ...]
    numeric: frozenset[str]


class Part(ABC):
    """A part of the rows.

    Attributes
    ----------
    name : str
        Its name in messages.
    """

    name: str

    @abstractmethod
    def frames(self, columns: Sequence[str] | None, like: Schema | None) -> Iterator[Any]:
        """Yield the rows in order, as tables or frames.

        Parameters
        ----------
        columns : sequence of str or None
            Columns to read; None means all. A part that cannot select columns may read all.
        like : Schema or None
            The columns that all parts agreed on; they determine how text is read.
        """

    def outline(self) -> PartOutline | None:
        """Return what is known without reading rows, or None."""
        return None

    def names(self) -> list[str] | None:
        """Return the names of the columns; None if the rows must be read for that."""
        found = self.outline()
        return None if found is None else list(found.names)

    def version(self) -> str | None:
        """Return a string that changes with the rows; None if they would have to be read for that."""
        return None

    def tables(self, columns: Sequence[str] | None = None, like: Schema | None = None) -> Iterator[Table]:
        """Yield the rows in order, as tables of bounded size; errors and warnings name the part."""
        try:
            for frame in self.frames(columns, like):
                if len(frame):
                    yield from _sliced(Table.from_any(frame))
        except DataError as error:
            raise self._named(str(error)) from error
        except (OSError, MemoryError) as error:
            raise DataError(f"{self.name}: cannot be read ({first_line(error)}).") from error

    def _named(self, sentence: str) -> DataError:
        """Return an error that names the part once."""
        for name in (getattr(self, "path", None), self.name):
            sentence = sentence.removeprefix(f"{name}: ")
        return DataError(f"{self.name}: {sentence}")


def _sliced(table: Table) -> Iterator[Table]:
    for first in range(0, table.n_rows, BATCH_ROWS):
        yield table if table.n_rows <= BATCH_ROWS else table[first : first + BATCH_ROWS]


def first_line(error: BaseException) -> str:
    """Return what an error says first, or its class, to be quoted in another sentence."""
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def warn_of_empty(names: Sequence[str]) -> None:
    """Warn about parts without rows."""
    if names:
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        has = "has" if len(names) == 1 else "have"
        warnings.warn(f"{shown} {has} no rows.", DataWarning, stacklevel=4)
