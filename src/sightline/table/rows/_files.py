"""Files in a folder or of a pattern as parts: Parquet, Feather, and everything that read_table reads."""

from __future__ import annotations

import glob
import itertools
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sightline.exceptions import DataError, DataWarning
from sightline.table._arrow_file import (
    ARROW_MAGIC,
    PARQUET_MAGIC,
    column_names,
    stored_categories,
    with_categories,
)
from sightline.table._schema import Schema
from sightline.table.rows._part import BATCH_ROWS, Part, PartOutline
from sightline.table.rows._partition_folders import in_partition_folders

__all__ = ["file_parts", "is_pattern", "outline_of_types"]


@dataclass(frozen=True)
class ParquetPart(Part):
    """A Parquet file, read row group by row group."""

    name: str
    path: Path

    def version(self) -> str:
        """Return path, size and time of the file."""
        return _version(self.path)

    def outline(self) -> PartOutline:
        """Return the metadata of the footer."""
        with _opened(self.path) as file:
            schema = file.schema_arrow
            names = column_names(schema)
            found = outline_of_types(file.metadata.num_rows, schema, names)
            categories = {names[key] for key in stored_categories(schema) & names.keys()}
            return replace(found, numeric=found.numeric - categories)

    def frames(self, columns: Sequence[str] | None, like: Schema | None) -> Iterator[Any]:  # noqa: ARG002
        """Yield the row groups in slices."""
        import pyarrow as pa  # noqa: PLC0415 - optional

        with _opened(self.path) as file:
            names = column_names(file.schema_arrow)
            categories = stored_categories(file.schema_arrow)
            wanted = [key for key, name in names.items() if columns is None or name in columns]
            try:
                for batch in file.iter_batches(BATCH_ROWS, columns=wanted):
                    read = with_categories(pa.Table.from_batches([batch]), categories)
                    yield read.rename_columns([names[key] for key in read.column_names])
            except pa.ArrowException as error:
                raise _damaged(self.path, error) from error


@dataclass(frozen=True)
class FilePart(Part):
    """A Feather, CSV or any other file that :func:`sightline.read_table` reads; it must fit in memory.

    So does a Parquet file if the caller says how to read its columns.
    """

    name: str
    path: Path
    reading: Mapping[str, Any] = field(default_factory=dict)

    def version(self) -> str:
        """Return path, size and time of the file, and how it is read."""
        return f"{_version(self.path)} {sorted(self.reading.items())!r}"

    def frames(self, columns: Sequence[str] | None, like: Schema | None) -> Iterator[Any]:  # noqa: ARG002
        """Yield the whole file."""
        from sightline.table.files import read_file  # noqa: PLC0415 - it reads folders with this module

        with warnings.catch_warnings():
            if like is not None:
                warnings.simplefilter(
                    "ignore", DataWarning
                )  # what is odd was said when the parts were compared
            table = read_file(self.path, **{"like": like, **self.reading})
        # An ARFF file has a target without being asked.
        yield table if table.y is None else _with_target_as_column(table)


def _version(path: Path) -> str:
    try:
        found = path.stat()
    except OSError as error:
        raise DataError(f"{path}: the file cannot be read ({error.strerror or error}).") from error
    return f"{path.resolve()} {found.st_size} {found.st_mtime_ns}"


def _with_target_as_column(table: Any) -> Any:
    from sightline.table._column import nominal_column, numeric_column  # noqa: PLC0415
    from sightline.table._labels import Labels  # noqa: PLC0415

    target, name = table.y, table.target_name
    column = (
        nominal_column(name, target.classes_.tolist(), target.codes)
        if isinstance(target, Labels)
        else numeric_column(name, target)
    )
    return table.X.with_columns([*table.columns, column])


def file_parts(source: Any, reading: Mapping[str, Any]) -> list[Part]:
    """Return the files that a path, pattern, folder or list of paths names, in the order of their names.

    Raises
    ------
    DataError
        If there is no such file.
    """
    paths = _paths(source)
    parts = [_part(path, name, reading) for path, name in zip(paths, _short_names(paths), strict=True)]
    if isinstance(source, list | tuple):
        return parts
    root = _root(Path(source))
    return in_partition_folders(parts, [path.parent.relative_to(root) for path in paths])


def _root(source: Path) -> Path:
    """Return the folder below which folders may hold values: the one that is named without a wildcard."""
    if source.is_dir():
        return source
    steps = source.parts if is_pattern(source) else source.parts[:-1]
    named = itertools.takewhile(lambda step: not glob.has_magic(step), steps)
    return Path(*named)


def is_pattern(path: object) -> bool:
    """Whether a path names several files: a folder, or a pattern such as ``rows/*.parquet``."""
    text = str(path)
    return (glob.has_magic(text) and not Path(text).exists()) or Path(text).is_dir()


def _paths(source: Any) -> list[Path]:
    if isinstance(source, list | tuple):
        return [Path(path) for path in source]
    path = Path(source)
    if path.is_dir():
        # What begins with _ or . is a note of Spark or of the system, such as _SUCCESS.
        found = [one for one in path.rglob("*") if one.is_file() and not _is_hidden(one.relative_to(path))]
        if not found:
            raise DataError(f"{path}: there is no file in this folder.")
        return sorted(found)
    if is_pattern(path):
        # Path.glob takes no absolute patterns.
        named = glob.glob(str(path), recursive=True)  # noqa: PTH207
        found = [Path(one) for one in named if Path(one).is_file()]
        if not found:
            raise DataError(f"{path}: no file matches this pattern.")
        return sorted(found)
    return [path]


def _is_hidden(path: Path) -> bool:
    return any(name.startswith(("_", ".")) for name in path.parts)


def _short_names(paths: list[Path]) -> list[str]:
    names = [path.name for path in paths]
    return names if len(set(names)) == len(names) else [str(path) for path in paths]


def _part(path: Path, name: str, reading: Mapping[str, Any]) -> Part:
    try:
        with path.open("rb") as file:
            begin = file.read(len(ARROW_MAGIC))
    except OSError as error:
        raise DataError(f"{path}: the file cannot be read ({error.strerror or error}).") from error
    if not begin:
        raise DataError(f"{path}: the file is empty.")
    if begin.startswith(PARQUET_MAGIC) and not reading:
        return ParquetPart(name, path)
    return FilePart(name, path, reading)


def _opened(path: Path) -> Any:
    try:
        import pyarrow as pa  # noqa: PLC0415 - optional
        import pyarrow.parquet as pq  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(f"{path}: Parquet files need pyarrow: pip install pyarrow.") from error
    try:
        return pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: BaseException) -> DataError:
    reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
    return DataError(f"{path.name}: pyarrow cannot read the file ({reason}).")


def outline_of_types(n_rows: int, schema: Any, names: Mapping[str, str] | None = None) -> PartOutline:
    """Return what the types of an arrow schema say about its columns, or about those that have names here."""
    import pyarrow as pa  # noqa: PLC0415 - optional

    names = {name: name for name in schema.names} if names is None else names
    fields = [one for one in schema if one.name in names]
    numeric = frozenset(
        names[one.name]
        for one in fields
        if pa.types.is_floating(one.type) or pa.types.is_integer(one.type) or pa.types.is_decimal(one.type)
    )
    return PartOutline(n_rows, tuple(names[one.name] for one in fields), numeric)
