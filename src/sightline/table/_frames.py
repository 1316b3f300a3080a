"""Columns from pandas, polars and pyarrow frames, through narwhals."""

from dataclasses import replace
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np

from sightline.exceptions import DataError
from sightline.table._arrow_text import column_of_arrow_text
from sightline.table._cells import (
    NULLABLE_BOOLEAN,
    column_of_cells,
    column_of_encoded,
    encode_cells,
    encode_declared,
    missing_kind,
)
from sightline.table._column import Column, Container, nominal_column, numeric_column
from sightline.table._schema import Schema, check_distinct, default_names, joined_levels
from sightline.table._whole_numbers import source_of
from sightline.table.dates import column_of_temporal, with_known_zone

_LARGE = (nw.Int64, nw.UInt64)
"""The types that hold whole numbers beyond the exact range of a double."""

__all__ = [
    "columns_of_frame",
    "declared_values",
    "is_frame",
    "is_series",
    "native_type",
    "series_of",
    "table_of_batch",
    "without_ignored",
]


def is_frame(X: object) -> bool:
    """Whether X is a frame of a library that narwhals supports."""
    return bool(nw.dependencies.is_into_dataframe(X)) or nw.dependencies.is_polars_lazyframe(X)


def is_series(y: object) -> bool:
    """Whether y is a series, index, categorical or arrow array of such a library."""
    return (
        bool(nw.dependencies.is_into_series(y))
        or nw.dependencies.is_pandas_index(y)
        or _is_categorical(y)
        or _is_arrow_array(y)
    )


def series_of(y: Any) -> "nw.Series[Any]":
    """Wrap a series, index, categorical or arrow array."""
    if nw.dependencies.is_pandas_index(y) or _is_categorical(y):
        y = nw.dependencies.get_pandas().Series(y)
    elif _is_arrow_array(y):
        y = nw.dependencies.get_pyarrow().chunked_array([y])
    return nw.from_native(y, series_only=True)


def _is_categorical(y: object) -> bool:
    pandas = nw.dependencies.get_pandas()
    return pandas is not None and isinstance(y, pandas.Categorical)


def _is_arrow_array(y: object) -> bool:
    pyarrow = nw.dependencies.get_pyarrow()
    return pyarrow is not None and isinstance(y, pyarrow.Array)


def table_of_batch(X: Any) -> Any:
    """Return a record batch of arrow as a table, which narwhals supports; anything else as it is."""
    pyarrow = nw.dependencies.get_pyarrow()
    is_batch = pyarrow is not None and isinstance(X, pyarrow.RecordBatch)
    return pyarrow.Table.from_batches([X]) if is_batch else X


def columns_of_frame(frame: Any) -> tuple[list[Column], bool]:
    """Return the columns of a frame, and whether they have real names.

    Categories, enumerations, strings, objects and booleans are nominal, the rest is numeric, also dates.
    """
    if nw.dependencies.is_polars_lazyframe(frame):
        raise DataError("A LazyFrame holds no rows yet. Pass X.collect() instead.")
    names, has_names = _names_of(frame)
    wrapped = nw.from_native(frame, eager_only=True)
    # Not wrapped[:, index], which lists all names again for every column.
    series = list(wrapped.iter_columns())
    columns = [_column_of_series(name, one) for name, one in zip(names, series, strict=True)]
    kinds = [one.dtype for one in series]
    if any(kind in _LARGE for kind in kinds):
        container = _container(frame, kinds)
        columns = [_with_source(column, one, container) for column, one in zip(columns, series, strict=True)]
    return columns, has_names


def without_ignored(X: Any, schema: Schema) -> Any:
    """Return a frame without the columns that a model ignores: they may hold what no table can, as lists."""
    X = table_of_batch(X)
    if not nw.dependencies.is_into_dataframe(X) or not schema.has_given_names:
        return X
    ignored = {feature.name for feature in schema.features if feature.ignored}
    if not (ignored or schema.ignores_extra):
        return X
    names, has_names = _names_of(X)
    if schema.ignores_extra:
        ignored |= set(names).difference(schema.called(names))
    kept = [position for position, name in enumerate(names) if name not in ignored]
    if not has_names or not 0 < len(kept) < len(names):
        return X
    return nw.from_native(X, eager_only=True)[:, kept].to_native()


def _container(frame: Any, kinds: list[Any]) -> Container:
    """Say how array libraries convert the frame: at once, through doubles, or column by column."""
    if nw.dependencies.is_pandas_dataframe(frame):
        types = [kind.categories.dtype if hasattr(kind, "categories") else kind for kind in frame.dtypes]
        if not all(isinstance(kind, np.dtype) for kind in types):
            return "nullable frame"
        # numpy has no common type for dates and numbers.
        has_dates = any(kind.kind in "mM" for kind in types)
        return "frame" if not has_dates and np.result_type(*types).kind in "iu" else "mixed frame"
    has_signed = any(kind.is_signed_integer() for kind in kinds)
    are_whole = all(kind.is_integer() or kind == nw.Boolean for kind in kinds)
    if are_whole and not (has_signed and nw.UInt64 in kinds):
        return "frame"
    return "mixed arrow" if nw.dependencies.is_pyarrow_table(frame) else "mixed frame"


def _with_source(column: Column, series: "nw.Series[Any]", container: Container) -> Column:
    if series.dtype not in _LARGE:
        return column
    # What stands for missing numbers does not matter: the column has NaN there.
    numbers = series.fill_null(0) if series.is_null().any() else series
    return replace(column, source=source_of(numbers.to_numpy(), container))


def declared_values(series: "nw.Series[Any]") -> list[object] | None:
    """Return the values that a series declares in its type, None if it declares none.

    polars' Categorical does not count: it lists all strings seen so far in any column.
    """
    if hasattr(getattr(series.to_native(), "dtype", None), "pyarrow_dtype"):
        return None  # pandas does not give the categories of arrow's types
    if series.dtype == nw.Enum or (series.dtype == nw.Categorical and not series.implementation.is_polars()):
        return series.cat.get_categories().to_list()
    return None


def _names_of(frame: Any) -> tuple[list[str], bool]:
    names = list(frame.column_names if nw.dependencies.is_pyarrow_table(frame) else frame.columns)
    if getattr(getattr(frame, "columns", None), "nlevels", 1) > 1:
        names = [joined_levels(levels) for levels in names]
    are_strings = {isinstance(name, str) for name in names}
    if are_strings == {True, False}:
        raise DataError("Some column names are strings and some are not. Make them all strings.")
    check_distinct(names)
    if names == list(range(len(names))):
        return default_names(len(names)), False
    return [str(name) for name in names], True


def _column_of_series(name: str, series: "nw.Series[Any]") -> Column:
    series = with_known_zone(series)
    dtype = series.dtype
    if series.implementation.is_pyarrow() and dtype in (nw.Categorical, nw.String):
        return column_of_arrow_text(name, series.to_native())
    declared = declared_values(series)
    if declared is not None:
        cells = series.to_list()
        codes = encode_declared(cells, declared)
        kinds = tuple(missing_kind(cells[row]) for row in np.flatnonzero(codes < 0)[:1])
        return replace(nominal_column(name, declared, codes), missing_kinds=kinds)
    if dtype == nw.Object:
        column = column_of_cells(name, series.to_list())
        is_plain = column.feature.is_nominal or column.number_type
        return column if is_plain else replace(column, number_type="object")
    if dtype in (nw.Categorical, nw.String, nw.Boolean):
        column = column_of_encoded(name, encode_cells(series.to_list(), f"Column {name!r}"))
        return _as_booleans(column, series) if dtype == nw.Boolean else column
    if hasattr(series.to_native(), "sparse"):
        raise DataError(
            f"Column {name!r} is sparse, but dense data is required. "
            f"Use X[{name!r}].sparse.to_dense() to convert it."
        )
    if dtype.is_temporal():
        return column_of_temporal(name, series)
    if not (dtype.is_numeric() or (dtype == nw.Unknown and series.is_null().all())):
        kind = native_type(series) if dtype == nw.Unknown else dtype
        raise DataError(
            f"Column {name!r} is of type {kind}, which is not supported. Convert it to numbers or text."
        )
    return numeric_column(name, _numbers_of(series), "" if dtype == nw.Float64 else _number_type(series))


def _as_booleans(column: Column, series: "nw.Series[Any]") -> Column:
    is_nullable = series.implementation.is_pandas() and column.missing_kinds
    kinds = (NULLABLE_BOOLEAN,) if is_nullable else column.missing_kinds
    return replace(column, number_type="bool", missing_kinds=kinds)


def _number_type(series: "nw.Series[Any]") -> str:
    """Return the type of numbers; pandas computes with those of Arrow in a way of its own."""
    of_arrow = hasattr(getattr(series.to_native(), "dtype", None), "pyarrow_dtype")
    return f"{series.dtype}{'[pyarrow]' if of_arrow else ''}".lower()


def native_type(series: "nw.Series[Any]") -> object:
    """Return the type of a series in its own library."""
    native = series.to_native()
    return native.type if hasattr(native, "type") else native.dtype


def _numbers_of(series: "nw.Series[Any]") -> Any:
    if not series.dtype.is_numeric():
        return np.full(len(series), np.nan)
    is_wide = series.dtype in (nw.Int128, nw.UInt128)  # numpy has no such numbers
    if not series.null_count() and not is_wide:
        return np.asarray(series.to_numpy(), dtype=np.float64)
    if not series.dtype.is_integer() or is_wide:
        return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
    # Not cast: Arrow refuses to round whole numbers beyond 2**53.
    numbers = np.asarray(series.fill_null(0).to_numpy(), dtype=np.float64)
    return np.where(series.is_null().to_numpy(), np.nan, numbers)
