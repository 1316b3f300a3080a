"""Find the text columns of a table that are dates, and decide whether day or month comes first."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from sightline.exceptions import DataError, ParameterError
from sightline.table._column import Column, as_nominal
from sightline.table._schema import MAX_NAMES
from sightline.table.dates._columns import DateReading, read_dates
from sightline.table.dates._written import Order
from sightline.wording import list_names

__all__ = ["check_order", "recognize_dates"]

_NAMES = {"dmy": "day", "mdy": "month"}


def check_order(order: str | None) -> Order | None:
    """Return an order of day and month, or raise if it is none."""
    if order not in (None, "dmy", "mdy"):
        raise ParameterError(
            f"The 'date_order' parameter must be 'dmy', 'mdy' or None. Got {order!r} instead."
        )
    return order  # type: ignore[return-value]


def recognize_dates(
    columns: Sequence[Column],
    declared: Collection[str] = (),
    order: Order | None = None,
    if_open: Order | Literal["text"] = "text",
) -> tuple[list[Column], list[str]]:
    """Return the columns with text dates converted to dates, and notes on doubtful readings.

    Parameters
    ----------
    columns : sequence of Column
        The columns of one table.
    declared : collection of str
        Columns that the caller declared as dates.
    order : {"dmy", "mdy"}, optional
        What 03/04/2019 means, if its column leaves it open. None detects it from the other columns.
    if_open : {"dmy", "mdy", "text"}, default="text"
        What it means if they do not decide it either. "text": its column stays text. So does a column
        such as 17-10-28, where the year may be first, unless the caller declared it.

    Raises
    ------
    DataError
        If a declared column does not hold dates.
    """
    readings = {column.name: _reading(column, column.name in declared) for column in columns}
    found = [reading for reading in readings.values() if reading is not None]
    order = order or _order_shown(found)
    is_guess = order is None
    if order is None and if_open != "text":
        order = if_open
    if is_guess:
        readings |= {
            reading.column.name: None
            for reading in found
            if reading.year_may_be_first and reading.column.name not in declared
        }
        found = [reading for reading in readings.values() if reading is not None]
    doubtful = [reading for reading in found if reading.is_open and not reading.uses_points]
    notes = [note for reading in found if (note := reading.stray_note())]
    notes += [_day_first(reading) for reading in found if is_guess and reading.year_may_be_first]
    if doubtful and is_guess and order is not None:
        notes.append(_doubt(doubtful, order))
    made: list[Column] = []
    for column in columns:
        reading = readings[column.name]
        own = None if reading is None else _order_of(reading, order)
        made.append(column if reading is None or own is None else reading.as_dates(own))
        if reading is not None and own is not None:
            version = "" if column.name in declared else reading.version_note(own)
            notes += filter(None, [reading.format_note(), reading.century_note(own), version])
    return made, notes


def _reading(column: Column, is_declared: bool) -> DateReading | None:
    if column.feature.kind or not (column.feature.is_nominal or is_declared):
        return None
    reading = read_dates(as_nominal(column), compact=is_declared)
    if reading is None and is_declared:
        example = next((value for value in column.to_list() if value is not None), "")
        raise DataError(
            f"Column {column.name!r} does not hold dates in one format, such as 2019-03-01. One cell is "
            f"{example!r}."
        )
    return reading


def _order_shown(found: list[DateReading]) -> Order | None:
    """Return the order that at least one column proves, unless another column proves the opposite."""
    shown = {
        next(iter(reading.orders))
        for reading in found
        if len(reading.orders) == 1 and not reading.year_may_be_first
    }
    return shown.pop() if len(shown) == 1 else None


def _order_of(reading: DateReading, order: Order | None) -> Order | None:
    if len(reading.orders) == 1:
        return next(iter(reading.orders))
    return "dmy" if reading.uses_points or not reading.is_open else order


def _day_first(reading: DateReading) -> str:
    return (
        f"Column {reading.column.name!r} is read with the year last in dates such as {reading.year_note()}. "
        "If the year is first, write it with four digits."
    )


def _doubt(doubtful: list[DateReading], order: Order) -> str:
    names = list_names([repr(reading.column.name) for reading in doubtful], MAX_NAMES)
    noun, verb = ("Column", "is") if len(doubtful) == 1 else ("Columns", "are")
    example = next(
        str(value)
        for value, one in zip(doubtful[0].column.feature.categories or (), doubtful[0].written, strict=True)
        if one is not None and len(set(one.seconds.values())) > 1
    )
    other: Order = "mdy" if order == "dmy" else "dmy"
    return (
        f"{noun} {names} {verb} read with the {_NAMES[order]} first in dates such as {example}. If the "
        f"{_NAMES[other]} is first, pass date_order={other!r} (--date-order {other})."
    )
