"""The form that rows had before they became a table: kind of frame, names, types and missing values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from sightline.table._arrays import matrix_of
from sightline.table._cells import is_missing
from sightline.table._column import Column, plain_value
from sightline.table._frames import declared_values, is_frame, native_type, table_of_batch
from sightline.table._table import Table
from sightline.table.dates import instants_of, with_known_zone

__all__ = ["RowForm", "frame_of"]


class RowForm(ABC):
    """Converts tables back to the rows that another library's model was fitted to.

    A model needs new rows in the form of its training rows: whole numbers as integers,
    strings as strings, categories with all their declared values, missing values as they were.
    """

    @staticmethod
    def of(X: Any) -> RowForm:
        """Return the form of some rows.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            The rows. The form of a Table is that of a pandas frame with categories, integers
            where a column holds whole numbers only, and booleans.

        Returns
        -------
        RowForm
            Its ``rows`` makes more such rows.

        Examples
        --------
        >>> import pandas as pd
        >>> X = pd.DataFrame({"age": [30, 41], "town": ["Ulm", None]})
        >>> more = Table.from_any([[25.0, "Ulm"], [41.0, None]], feature_names=["age", "town"])
        >>> made = RowForm.of(X).rows(more)
        >>> made["age"].tolist(), made["town"].tolist()[0]
        ([25, 41], 'Ulm')
        >>> bool((made.dtypes == X.dtypes).all())
        True
        """
        if isinstance(X, Table):
            X = frame_of(X)
        X = table_of_batch(X)
        return _FrameForm(X) if is_frame(X) else _ArrayForm(matrix_of(X))

    @abstractmethod
    def rows(self, table: Table) -> Any:
        """Return the rows of a table in this form.

        Parameters
        ----------
        table : Table
            Rows with the columns of the form, in any order if both have names.

        Returns
        -------
        frame or ndarray
            A value that the column's type cannot hold, such as a fraction in a column of
            integers, makes the column's type wider. It is never changed.
        """

    @abstractmethod
    def takes(self, X: Any) -> bool:
        """Return whether rows have this form already, perhaps with the columns in a different order."""

    @abstractmethod
    def ordered(self, X: Any) -> Any:
        """Return rows that :meth:`takes` accepts with the columns in order."""


class _FrameForm(RowForm):
    def __init__(self, frame: Any) -> None:
        wrapped = nw.from_native(frame, eager_only=True)
        table = Table.from_any(frame)
        self._labels = list(wrapped.columns)
        self._names = table.names
        self._has_names = table.has_names
        self._library = _LIBRARIES.get(_library_of(wrapped), _Pandas)()
        self._columns = [_ColumnForm(wrapped[:, index], column) for index, column in enumerate(table.columns)]

    def rows(self, table: Table) -> Any:
        by_name = self._has_names and table.has_names
        columns = _ordered(table, self._names) if by_name else table.columns
        series = [
            form.series(column, self._library) for form, column in zip(self._columns, columns, strict=True)
        ]
        return self._library.frame(self._labels, series)

    def takes(self, X: Any) -> bool:
        if not is_frame(X) or nw.dependencies.is_polars_lazyframe(X):
            return False
        wrapped = nw.from_native(X, eager_only=True)
        is_alike = type(self._library) is _LIBRARIES.get(_library_of(wrapped), _Pandas)
        return is_alike and set(self._labels) == set(wrapped.columns)

    def ordered(self, X: Any) -> Any:
        wrapped = nw.from_native(X, eager_only=True)
        labels = list(wrapped.columns)
        # By position: labels may be tuples.
        return X if labels == self._labels else wrapped[:, [*map(labels.index, self._labels)]].to_native()


class _ArrayForm(RowForm):
    def __init__(self, matrix: NDArray[Any]) -> None:
        self._dtype = matrix.dtype
        self._cells: list[dict[Any, Any]] = []
        self._missing: list[Any] = []
        if matrix.dtype.kind in "OUST":
            for index, column in enumerate(Table.from_any(matrix).columns):
                cells = matrix[:, index].tolist()
                self._cells.append(_cell_of_value(column, cells.__getitem__))
                self._missing.append(next((cell for cell in cells if is_missing(cell)), np.nan))

    def rows(self, table: Table) -> Any:
        if self._cells:
            matrix = np.empty(table.shape, dtype=object)
            forms = zip(table.columns, self._cells, self._missing, strict=True)
            for index, (column, cell_of, missing) in enumerate(forms):
                matrix[:, index] = _cells(column, cell_of, missing)
            return matrix if self._dtype.kind == "O" else matrix.astype(self._dtype.kind)
        numbers = np.column_stack([_numbers(column) for column in table.columns])
        return _narrowed(numbers, self._dtype)

    def takes(self, X: Any) -> bool:
        return isinstance(X, np.ndarray)

    def ordered(self, X: Any) -> Any:
        return X


class _ColumnForm:
    """The type of one column, and the cells that its values had."""

    def __init__(self, series: nw.Series[Any], column: Column) -> None:
        self.dtype: Any = native_type(series)
        series = with_known_zone(series)
        self.is_number = series.dtype.is_numeric()
        self.is_instant = series.dtype.is_temporal() and series.dtype != nw.Time
        self.is_nullable = bool(series.is_null().any())
        self.missing: Any = None
        self.cell_of: dict[Any, Any] = {}
        if self.is_number or self.is_instant:
            return
        cells = series.to_list()
        self.missing = next((cell for cell in cells if is_missing(cell)), None)
        declared = declared_values(series) or ()
        self.cell_of = {plain_value(value): value for value in declared}
        self.cell_of |= _cell_of_value(column, cells.__getitem__)

    def series(self, column: Column, library: _Library) -> Any:
        if self.is_number:
            return library.numbers(_numbers(column), self.dtype, self.is_nullable)
        if self.is_instant:
            return library.instants(instants_of(column), self.dtype)
        return library.cells(_cells(column, self.cell_of, self.missing), self.dtype)


class _Library(ABC):
    """How one library makes columns of a type and frames."""

    @abstractmethod
    def numbers(self, values: NDArray[np.float64], dtype: Any, is_nullable: bool) -> Any:
        """Return a column of numbers, of this type if that changes none of them."""

    @abstractmethod
    def cells(self, values: list[Any], dtype: Any) -> Any:
        """Return a column of strings, booleans or categories."""

    @abstractmethod
    def instants(self, values: NDArray[Any], dtype: Any) -> Any:
        """Return a column of dates, times or durations; values of a type with a zone are in UTC."""

    @abstractmethod
    def frame(self, names: Sequence[Any], columns: Sequence[Any]) -> Any:
        """Return the columns as a frame."""


class _Pandas(_Library):
    def numbers(self, values: NDArray[np.float64], dtype: Any, is_nullable: bool) -> Any:  # noqa: ARG002
        import pandas as pd  # noqa: PLC0415 - only for those who have it

        if isinstance(dtype, np.dtype):
            return pd.Series(_narrowed(values, dtype))
        # A nullable type: NaN is then a missing value.
        return _unless_lossy(
            values,
            pd.Series(values),
            lambda wide: wide.astype(dtype),
            lambda narrow: narrow.to_numpy(dtype=np.float64, na_value=np.nan),
        )

    def cells(self, values: list[Any], dtype: Any) -> Any:
        import pandas as pd  # noqa: PLC0415

        if isinstance(dtype, np.dtype) and dtype.kind == "b" and any(map(is_missing, values)):
            dtype = object  # numpy would read None as False
        return pd.Series(values, dtype=dtype)

    def instants(self, values: NDArray[Any], dtype: Any) -> Any:
        import pandas as pd  # noqa: PLC0415

        series, zone = pd.Series(values), getattr(dtype, "tz", None)
        if zone is not None:
            series = series.dt.tz_localize("UTC").dt.tz_convert(zone)
        return series.astype(dtype)

    def frame(self, names: Sequence[Any], columns: Sequence[Any]) -> Any:
        import pandas as pd  # noqa: PLC0415

        return pd.concat(columns, axis=1, keys=names)


class _Polars(_Library):
    def numbers(self, values: NDArray[np.float64], dtype: Any, is_nullable: bool) -> Any:
        import polars as pl  # noqa: PLC0415

        return _unless_lossy(
            values,
            pl.Series(values, nan_to_null=is_nullable or not dtype.is_float()),
            lambda wide: wide.cast(dtype, strict=False),
            lambda narrow: narrow.cast(pl.Float64).to_numpy(),
        )

    def cells(self, values: list[Any], dtype: Any) -> Any:
        import polars as pl  # noqa: PLC0415

        return pl.Series(values, dtype=dtype)

    def instants(self, values: NDArray[Any], dtype: Any) -> Any:
        import polars as pl  # noqa: PLC0415

        series, zone = pl.Series(values), getattr(dtype, "time_zone", None)
        if zone is not None:
            series = series.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
        return series.cast(dtype)

    def frame(self, names: Sequence[Any], columns: Sequence[Any]) -> Any:
        import polars as pl  # noqa: PLC0415

        return pl.DataFrame([column.alias(name) for name, column in zip(names, columns, strict=True)])


class _Arrow(_Library):
    def numbers(self, values: NDArray[np.float64], dtype: Any, is_nullable: bool) -> Any:
        import pyarrow as pa  # noqa: PLC0415

        return _unless_lossy(
            values,
            pa.array(values, from_pandas=is_nullable or not pa.types.is_floating(dtype)),
            lambda wide: wide.cast(dtype),
            lambda narrow: narrow.cast(pa.float64()).to_numpy(zero_copy_only=False),
        )

    def cells(self, values: list[Any], dtype: Any) -> Any:
        import pyarrow as pa  # noqa: PLC0415

        return pa.array(values, type=dtype)

    def instants(self, values: NDArray[Any], dtype: Any) -> Any:
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        made, zone = pa.array(values), getattr(dtype, "tz", None)
        if zone is not None:
            made = pc.assume_timezone(made, "UTC")
        return made.cast(dtype, safe=False)

    def frame(self, names: Sequence[Any], columns: Sequence[Any]) -> Any:
        import pyarrow as pa  # noqa: PLC0415

        return pa.table(list(columns), names=list(names))


_LIBRARIES: dict[str, type[_Library]] = {"pandas": _Pandas, "polars": _Polars, "pyarrow": _Arrow}
"""Frames of any other library come back as pandas frames."""


def _library_of(wrapped: nw.DataFrame[Any]) -> str:
    return str(wrapped.implementation.name.lower())


def frame_of(table: Table) -> Any:
    """Return the rows of a table in a form that other libraries accept.

    Parameters
    ----------
    table : Table
        The rows; target and weights are left out.

    Returns
    -------
    pandas.DataFrame or ndarray
        A frame as pandas would read it from a file: nominal columns as categories, integers where a
        column holds whole numbers only, and booleans. Without pandas, an array of objects.

    Examples
    --------
    >>> frame_of(Table.from_any([[1.0, "a", 0.5], [2.0, "b", None]])).dtypes.astype(str).tolist()
    ['int64', 'category', 'float64']
    """
    try:
        import pandas as pd  # noqa: PLC0415 - optional
    except ImportError:
        return np.asarray(table)
    made: dict[str, Any] = {}
    for column in table.columns:
        categories, is_complete = column.feature.categories, not column.is_missing.any()
        if categories is None:
            made[column.name] = _narrowed(_numbers(column), np.dtype(np.int64))
        elif is_complete and all(isinstance(value, bool) for value in categories):
            made[column.name] = np.array(column.to_list(), dtype=bool)
        else:
            made[column.name] = pd.Categorical.from_codes(column.values, categories=list(categories))
    # At once: joining thousands of series takes ten times as long.
    return pd.DataFrame(made)


def _ordered(table: Table, names: Sequence[str]) -> Sequence[Column]:
    if not table.has_names or table.names == list(names):
        return table.columns
    column_of = {column.name: column for column in table.columns}
    return [column_of[name] for name in names]


def _cell_of_value(column: Column, cell: Callable[[int], Any]) -> dict[Any, Any]:
    """Return the first cell that each value of a column had."""
    _, first = np.unique(column.values, return_index=True)
    known = [row for row in first.tolist() if not column.is_missing[row]]
    return {column.take(slice(row, row + 1)).to_list()[0]: cell(row) for row in known}


def _cells(column: Column, cell_of: dict[Any, Any], missing: Any) -> list[Any]:
    if column.feature.kind:
        instants = instants_of(column)
        cells = (instants.astype("datetime64[D]") if column.feature.kind == "date" else instants).tolist()
        return [missing if cell is None else cell for cell in cells]
    return [missing if value is None else cell_of.get(value, value) for value in column.to_list()]


def _numbers(column: Column) -> NDArray[np.float64]:
    if column.source is not None and not column.is_missing.any():
        return column.source.numbers  # Whole numbers that doubles do not hold.
    if column.feature.categories is None:
        return column.values
    values = [np.nan if value is None else value for value in column.to_list()]
    return np.array(values, dtype=np.float64)


def _narrowed(numbers: NDArray[np.float64], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return numbers in a different type, or unchanged if the type cannot hold them."""
    with np.errstate(invalid="ignore", over="ignore"):
        narrow = numbers.astype(dtype)
    return narrow if np.array_equal(narrow, numbers, equal_nan=True) else numbers


def _unless_lossy(
    values: NDArray[np.float64],
    wide: Any,
    narrow: Callable[[Any], Any],
    back: Callable[[Any], NDArray[Any]],
) -> Any:
    """Return a column of doubles in a narrower type, or unchanged if the type cannot hold them."""
    try:
        made = narrow(wide)
    except (TypeError, ValueError, OverflowError):
        return wide
    return made if np.array_equal(back(made), values, equal_nan=True) else wide
