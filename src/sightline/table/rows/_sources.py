"""What rows can come from, and the parts that each kind of source has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import narwhals.stable.v1 as nw

from sightline.exceptions import DataError
from sightline.table._frames import is_frame
from sightline.table._table import Table
from sightline.table.rows._files import file_parts
from sightline.table.rows._frame_parts import FramePart, frame_parts
from sightline.table.rows._queries import FragmentPart, LazyFramePart, RelationPart
from sightline.table.rows._scheduling import DaskParts, LocalParts, Parts, is_dask_frame

__all__ = ["is_query", "parts_of"]

Recognizes = Callable[[Any], bool]
Opens = Callable[[Any, Mapping[str, Any]], Parts]


def _is_dataset(source: Any) -> bool:
    return type(source).__module__.startswith("pyarrow.") and type(source).__name__.endswith("Dataset")


def _is_relation(source: Any) -> bool:
    return "duckdb" in type(source).__module__ and type(source).__name__ == "DuckDBPyRelation"


def _are_paths(source: Any) -> bool:
    first = source[0] if isinstance(source, list) and source else source
    return isinstance(first, str | Path)


# Recognized by their names, so that no library is imported.
_QUERIES: tuple[tuple[Recognizes, Opens], ...] = (
    (is_dask_frame, lambda source, _: DaskParts(source)),
    (nw.dependencies.is_polars_lazyframe, lambda source, _: LocalParts([LazyFramePart(source)])),
    (_is_dataset, lambda source, _: LocalParts(FragmentPart.of(source))),
    (_is_relation, lambda source, _: LocalParts([RelationPart(source)])),
)
_SOURCES: tuple[tuple[Recognizes, Opens], ...] = (
    (_are_paths, lambda source, reading: LocalParts(file_parts(source, reading))),
    *_QUERIES,
    (
        lambda source: isinstance(source, Table) or is_frame(source),
        lambda source, _: LocalParts([FramePart("the frame", source)]),
    ),
    (lambda source: hasattr(source, "__iter__"), lambda source, _: LocalParts(*frame_parts(source))),
)


def is_query(source: object) -> bool:
    """Return whether rows are computed on demand: a Dask frame, LazyFrame, dataset or relation."""
    return any(recognizes(source) for recognizes, _ in _QUERIES)


def parts_of(source: Any, reading: Mapping[str, Any]) -> Parts:
    """Return the parts of a source.

    Parameters
    ----------
    source : object
        As in :class:`sightline.Rows`.
    reading : mapping
        Keywords of ``read_table`` for files.

    Raises
    ------
    DataError
        If it is of no known kind.
    """
    for recognizes, open_parts in _SOURCES:
        if recognizes(source):
            parts = open_parts(source, reading)
            if not parts.names:
                raise DataError("There are no rows: the list of frames or files is empty.")
            return parts
    raise DataError(
        "Rows must be files, frames, a pyarrow Dataset, a polars LazyFrame, a DuckDB relation or a Dask "
        f"DataFrame. Got {type(source).__name__} instead."
    )
