"""Parquet and Feather files, read by pyarrow."""

import json
from pathlib import Path
from typing import Any

from sightline.exceptions import DataError

__all__ = ["ARROW_MAGIC", "PARQUET_MAGIC", "read_arrow_file", "unnamed_index"]

PARQUET_MAGIC = b"PAR1"
ARROW_MAGIC = b"ARROW1"


def read_arrow_file(path: Path, content: bytes) -> Any:
    """Return the pyarrow table in a Parquet or Feather file, without the index columns of pandas."""
    try:
        import pyarrow as pa  # noqa: PLC0415 - optional
        import pyarrow.feather  # noqa: PLC0415
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(f"{path}: Parquet and Feather files need pyarrow: pip install pyarrow.") from error
    read = pa.parquet.read_table if content.startswith(PARQUET_MAGIC) else pa.feather.read_table
    try:
        table = read(pa.BufferReader(content))
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path}: pyarrow cannot read the file ({str(error).splitlines()[0]}).") from error
    return table.drop_columns(unnamed_index(table.schema))


def unnamed_index(schema: Any) -> list[str]:
    """Return the columns of an arrow schema that hold the unnamed index of a pandas frame."""
    metadata = (schema.metadata or {}).get(b"pandas")
    try:
        index = json.loads(metadata)["index_columns"] if metadata else []
    except (ValueError, KeyError, TypeError):
        return []
    return [name for name in schema.names if name in index and name.startswith("__index_level_")]
