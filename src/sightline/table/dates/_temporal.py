"""Columns of typed dates, times and durations: of frames, arrays and Python objects."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import DataError
from sightline.table._column import Column
from sightline.table._schema import Feature
from sightline.table.dates._columns import date_column

__all__ = [
    "column_of_instants",
    "column_of_temporal",
    "column_of_temporal_cells",
    "instants_of",
    "temporal_kind",
    "with_known_zone",
]

_MICROSECONDS = 1e6
"""Microseconds per second. Divide by it: multiplying by 1e-6 is not exact for whole seconds."""
_HOURS_PER_MINUTE = 1 / 60
_HOURS_PER_SECOND = _HOURS_PER_MINUTE / 60
"""Rounded as in the kernel that reads ``10:20:30``, so that files and frames give the same number."""


def column_of_temporal(name: str, series: nw.Series[Any]) -> Column:
    """Return the column of a series of dates, times or durations. Times with a zone are in UTC."""
    dtype = series.dtype
    if dtype == nw.Time:
        # pandas has its own missing value in columns of arrow's types.
        are_missing = series.is_null().to_list()
        cells = [None if is_missing else cell for cell, is_missing in zip(series, are_missing, strict=True)]
        return column_of_temporal_cells(name, cells, "times")
    if dtype == nw.Date:
        series = series.cast(nw.Datetime("us"))  # numpy gets pandas' days as objects
    has_zone = getattr(dtype, "time_zone", None) is not None
    return column_of_instants(name, series.to_numpy(), has_zone)


def with_known_zone(series: nw.Series[Any]) -> nw.Series[Any]:
    """Return a series, with times of pandas in UTC if narwhals does not recognize their zone.

    It parses the name of the type, with zones of letters and slashes only: not America/New_York.

    Examples
    --------
    >>> import pandas as pd
    >>> times = pd.Series(pd.to_datetime(["2024-03-01 12:00"]).tz_localize("America/New_York"))
    >>> with_known_zone(nw.from_native(times, series_only=True)).to_list()
    [Timestamp('2024-03-01 17:00:00+0000', tz='UTC')]
    """
    native = series.to_native()
    if series.dtype != nw.Unknown or getattr(getattr(native, "dtype", None), "tz", None) is None:
        return series
    return nw.from_native(native.dt.tz_convert("UTC"), series_only=True)


def column_of_instants(name: str, cells: NDArray[Any], has_zone: bool = False) -> Column:
    """Return the column of an array of numpy's dates or durations. Nanoseconds are rounded down."""
    is_known = ~np.isnat(cells)
    kind = "datetime64[us]" if cells.dtype.kind == "M" else "timedelta64[us]"
    numbers = np.full(len(cells), np.nan)
    numbers[is_known] = cells[is_known].astype(kind).astype(np.int64) / _MICROSECONDS
    return date_column(name, numbers, has_zone) if cells.dtype.kind == "M" else _durations(name, numbers)


def column_of_temporal_cells(name: str, cells: Sequence[Any], kind: str) -> Column:
    """Return the column of Python's dates, times or durations, where None is missing.

    Parameters
    ----------
    name : str
        Its name.
    cells : sequence
        The cells.
    kind : {"dates", "times", "durations"}
        What they are, as :func:`temporal_kind` says.
    """
    numbers = np.array([_number(cell, kind) for cell in cells], dtype=np.float64)
    if kind == "times":
        return Column(Feature(name, unit=":"), numbers)
    if kind == "durations":
        return _durations(name, numbers)
    zones = {cell.tzinfo is not None for cell in cells if isinstance(cell, dt.datetime)}
    if len(zones) > 1:
        raise DataError(
            f"Column {name!r} holds times with and without a time zone. Convert them to one kind."
        )
    return date_column(name, numbers, True in zones)


def temporal_kind(cell: object) -> str:
    """Return "dates", "times" or "durations", or an empty string if a cell is none of these."""
    if isinstance(cell, dt.date | np.datetime64):
        return "dates"
    if isinstance(cell, dt.timedelta | np.timedelta64):
        return "durations"
    return "times" if isinstance(cell, dt.time) else ""


def instants_of(column: Column) -> NDArray[Any]:
    """Return the values of a column of dates, times or durations as numpy's, in microseconds."""
    kind = column.feature.kind
    scale = 86_400e6 if kind == "date" else 1e6
    is_known = ~column.is_missing
    values = np.full(len(column), np.timedelta64("NaT", "us"))
    numbers = np.floor(column.values[is_known]) if kind == "date" else column.values[is_known]
    values[is_known] = np.round(numbers * scale).astype(np.int64).astype("timedelta64[us]")
    return values if kind == "duration" else np.datetime64(0, "us") + values


def _durations(name: str, seconds: NDArray[np.float64]) -> Column:
    return Column(Feature(name, kind="duration"), seconds + 0.0)  # no negative zero


def _number(cell: Any, kind: str) -> float:
    if cell is None:
        return np.nan
    if isinstance(cell, np.datetime64 | np.timedelta64):
        whole = "datetime64[us]" if isinstance(cell, np.datetime64) else "timedelta64[us]"
        return float(cell.astype(whole).astype(np.int64)) / _MICROSECONDS
    if kind == "durations":
        return _seconds(cell)
    if kind == "times":
        seconds = (1_000_000 * cell.second + cell.microsecond) / _MICROSECONDS
        return float(cell.hour + _HOURS_PER_MINUTE * cell.minute + _HOURS_PER_SECOND * seconds)
    if not isinstance(cell, dt.datetime):
        return float((cell - dt.date(1970, 1, 1)).days * 86_400)
    moment = cell.astimezone(dt.UTC).replace(tzinfo=None) if cell.tzinfo is not None else cell
    return _seconds(moment - dt.datetime(1970, 1, 1))


def _seconds(duration: dt.timedelta) -> float:
    # Whole microseconds: pandas computes seconds from nanoseconds, and these are too many for a double.
    return (duration // dt.timedelta(microseconds=1)) / _MICROSECONDS
