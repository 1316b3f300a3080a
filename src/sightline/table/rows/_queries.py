"""Parts that a library computes on demand: pyarrow datasets, polars' LazyFrames and DuckDB's relations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sightline.exceptions import DataError
from sightline.table._schema import Schema
from sightline.table.rows._files import outline_of_types
from sightline.table.rows._part import BATCH_ROWS, Part, PartOutline, first_line

__all__ = ["FragmentPart", "LazyFramePart", "RelationPart"]


@dataclass(frozen=True)
class FragmentPart(Part):
    """A fragment of a pyarrow dataset, usually a file."""

    name: str
    fragment: Any
    schema: Any
    filter: Any = None

    @classmethod
    def of(cls, dataset: Any) -> list[Part]:
        """Return the fragments of a dataset, in its order."""
        kept = getattr(dataset, "_scan_options", {}).get("filter")
        fragments = list(dataset.get_fragments())
        names = [
            str(getattr(one, "path", None) or f"fragment {index}") for index, one in enumerate(fragments)
        ]
        return [
            cls(name.rpartition("/")[2], one, _schema_of(one, dataset), kept)
            for name, one in zip(names, fragments, strict=True)
        ]

    def outline(self) -> PartOutline | None:
        """Return what the types and, of a whole file, its number of rows say."""
        return outline_of_types(self._asked("count_rows", filter=self.filter), self.schema)

    def frames(self, columns: Sequence[str] | None, like: Schema | None) -> Iterator[Any]:  # noqa: ARG002
        """Yield the batches of the fragment, in order."""
        import pyarrow as pa  # noqa: PLC0415 - optional

        wanted = None if columns is None else [name for name in columns if name in self.schema.names]
        options = {"columns": wanted, "filter": self.filter, "batch_size": BATCH_ROWS}
        batches = self._asked("to_batches", schema=self.schema, **options)
        try:
            for batch in batches:
                yield pa.Table.from_batches([batch])
        except pa.ArrowException as error:
            raise DataError(f"pyarrow cannot read it ({first_line(error)}).") from error

    def _asked(self, method: str, **options: Any) -> Any:
        import pyarrow as pa  # noqa: PLC0415 - optional

        try:
            return getattr(self.fragment, method)(**options)
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"{self.name}: pyarrow cannot read it ({first_line(error)}).") from error


@dataclass(frozen=True)
class LazyFramePart(Part):
    """A LazyFrame of polars, computed anew in every pass."""

    frame: Any
    name: str = "the LazyFrame"

    def names(self) -> list[str]:
        """Return the schema that polars reports."""
        import polars as pl  # noqa: PLC0415 - the caller has it

        try:
            return list(self.frame.collect_schema().names())
        except pl.exceptions.PolarsError as error:
            raise DataError(f"{self.name}: polars cannot compute it ({first_line(error)}).") from error

    def frames(self, columns: Sequence[str] | None, like: Schema | None) -> Iterator[Any]:  # noqa: ARG002
        """Yield the result in slices, in its order."""
        import polars as pl  # noqa: PLC0415 - the caller has it

        # Before 1.37, a query that fails ends without an error, after the batches that succeeded.
        if tuple(map(int, pl.__version__.split(".")[:2])) < (1, 37):
            raise DataError(
                f"polars {pl.__version__} can leave out rows without an error. Install polars 1.37 or newer, "
                "or collect the frame."
            )
        frame = self.frame if columns is None else self.frame.select(columns)
        try:
            yield from frame.collect_batches(chunk_size=BATCH_ROWS, maintain_order=True)
        except pl.exceptions.PolarsError as error:
            raise DataError(f"polars cannot compute it ({first_line(error)}).") from error


@dataclass(frozen=True)
class RelationPart(Part):
    """A relation of DuckDB, such as the result of ``duckdb.sql``, computed anew in every pass."""

    relation: Any
    name: str = "the DuckDB relation"

    def names(self) -> list[str]:
        """Return the schema that DuckDB reports."""
        return list(self.relation.columns)

    def frames(self, columns: Sequence[str] | None, like: Schema | None) -> Iterator[Any]:  # noqa: ARG002
        """Yield the result in slices, in its order."""
        import duckdb  # noqa: PLC0415 - the caller has it
        import pyarrow as pa  # noqa: PLC0415

        relation = self.relation
        if columns is not None:
            relation = relation.select(*(duckdb.ColumnExpression(name) for name in columns))
        try:
            for batch in _reader(relation)(BATCH_ROWS):
                yield pa.Table.from_batches([batch])
        except (duckdb.Error, pa.ArrowException) as error:
            raise DataError(f"DuckDB cannot compute it ({first_line(error)}).") from error


def _reader(relation: Any) -> Any:
    """Return the method that reads a relation in batches. Where a newer name exists, the older ones warn."""
    names = ("to_arrow_reader", "fetch_record_batch", "fetch_arrow_reader")
    return next(getattr(relation, name) for name in names if hasattr(type(relation), name))


def _schema_of(fragment: Any, dataset: Any) -> Any:
    """Return the columns of a file and its folders; the dataset's schema would hide a missing column."""
    from pyarrow.dataset import get_partition_keys  # noqa: PLC0415 - the caller has it

    schema = fragment.physical_schema
    for name in get_partition_keys(fragment.partition_expression):
        if name not in schema.names:
            schema = schema.append(dataset.schema.field(name))
    return schema
