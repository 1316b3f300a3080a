"""Parquet and Feather files, read by pyarrow."""

import ast
import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from sightline.exceptions import DataError
from sightline.table._schema import joined_levels

__all__ = [
    "ARROW_MAGIC",
    "PARQUET_MAGIC",
    "column_names",
    "read_arrow_file",
    "stored_categories",
    "with_categories",
]

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
    names = column_names(table.schema)
    table = with_categories(table, stored_categories(table.schema))
    # By index: two columns may have the same name, which is refused later. Once: pyarrow lists all of them.
    kept = [(index, names[name]) for index, name in enumerate(table.column_names) if name in names]
    return table.select([index for index, _ in kept]).rename_columns([name for _, name in kept])


def column_names(schema: Any) -> dict[str, str]:
    """Return the columns of an arrow schema, and what the frame that was stored calls them.

    The unnamed index of a pandas frame is none of them. Columns with several levels are stored as
    ``"('income', '2024')"``.
    """
    stored = _pandas_facts(schema)
    index, n_levels = stored.get("index_columns", []), len(stored.get("column_indexes", []))
    return {
        name: joined_levels(_levels(name)) if n_levels > 1 else name
        for name in schema.names
        if not (name in index and name.startswith("__index_level_"))
    }


def stored_categories(schema: Any) -> set[str]:
    """Return the columns of an arrow schema that were categories of pandas when it stored them."""
    columns = _pandas_facts(schema).get("columns", [])
    return {
        str(one.get("field_name"))
        for one in columns
        if isinstance(one, dict) and one.get("pandas_type") == "categorical"
    }


def with_categories(table: Any, categories: Collection[str]) -> Any:
    """Return a table in which columns of numbers have a dictionary if they are categories, and only then.

    Parquet stores numbers without their dictionaries, Feather with those of pandas and of any other program.
    """
    import pyarrow as pa  # noqa: PLC0415 - the caller has it

    columns = [
        _with_category(cells, field.name in categories)
        for field, cells in zip(table.schema, table.columns, strict=True)
    ]
    return pa.Table.from_arrays(columns, names=table.column_names)


def _with_category(cells: Any, is_category: bool) -> Any:
    import pyarrow as pa  # noqa: PLC0415 - the caller has it

    has_dictionary = pa.types.is_dictionary(cells.type)
    kind = cells.type.value_type if has_dictionary else cells.type
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if not is_number or has_dictionary == is_category:
        return cells
    return cells.cast(kind) if has_dictionary else _encoded(cells)


def _encoded(numbers: Any) -> Any:
    """Return numbers with a dictionary of them in ascending order."""
    import pyarrow as pa  # noqa: PLC0415 - the caller has it
    import pyarrow.compute as pc  # noqa: PLC0415

    values = pc.unique(numbers).drop_null()
    values = values.take(pc.array_sort_indices(values))
    codes = pc.index_in(numbers, value_set=values, skip_nulls=True).combine_chunks()
    return pa.DictionaryArray.from_arrays(codes, values)


def _pandas_facts(schema: Any) -> dict[str, Any]:
    metadata = (schema.metadata or {}).get(b"pandas")
    try:
        facts = json.loads(metadata) if metadata else {}
    except ValueError:
        return {}
    is_sound = isinstance(facts, dict) and all(
        isinstance(facts.get(key, []), list) for key in ("index_columns", "column_indexes", "columns")
    )
    return facts if is_sound else {}


def _levels(name: str) -> tuple[object, ...]:
    try:
        levels = ast.literal_eval(name)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return (name,)
    return levels if isinstance(levels, tuple) else (name,)
