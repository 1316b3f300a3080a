"""Times of a sheet that are longer than a day, which calamine gives as dates or as text."""

from __future__ import annotations

import datetime as dt
import re

__all__ = ["duration_of", "duration_text", "long_times_as_durations"]

_HOUR = dt.timedelta(hours=1)
_ORIGINS = {1900: dt.datetime(1899, 12, 31), 1904: dt.datetime(1904, 1, 1)}
"""What the number 0 means in the two calendars of Excel, by the year of the days after it."""
_MARCH = 3
"""From here on, Excel's calendar of 1900 is a day off. No sum of hours is as long."""
_DURATION = re.compile(r"(-?)PT(\d{1,7})H(\d{1,2})M(\d{1,2}(?:[.,]\d{1,9})?)S")


def long_times_as_durations(rows: list[list[object]]) -> None:
    """Replace the first days of Excel's calendar by durations, in place, in columns of times.

    Excel shows 25:30 in a cell for hours and minutes as 01:30, and as a date it is 1900-01-01 01:30.

    Parameters
    ----------
    rows : list of list
        All cells of a sheet.

    Examples
    --------
    >>> rows = [["start"], [dt.time(20, 30)], [dt.datetime(1900, 1, 1, 1, 30)]]
    >>> long_times_as_durations(rows)
    >>> duration_text(rows[2][0])
    '25:30:00'
    """
    columns = {column for row in rows for column, cell in enumerate(row) if isinstance(cell, dt.time)}
    for column in columns:
        days = [row for row in rows if column < len(row) and isinstance(row[column], dt.date)]
        lengths = [_since_origin(row[column]) for row in days]
        if None not in lengths:
            for row, length in zip(days, lengths, strict=True):
                row[column] = length


def _since_origin(day: object) -> dt.timedelta | None:
    """Return the time since the origin of a calendar, None if a day is not one of the first."""
    assert isinstance(day, dt.date)
    moment = day if isinstance(day, dt.datetime) else dt.datetime.combine(day, dt.time())
    origin = _ORIGINS.get(day.year)
    return moment - origin if origin is not None and day.month < _MARCH else None


def duration_of(text: str) -> dt.timedelta | None:
    """Return the time that OpenDocument stores as in PT25H30M00S, None if a text is not one.

    Examples
    --------
    >>> duration_text(duration_of("PT25H30M15.5S")), duration_of("PT")
    ('25:30:15.500000', None)
    """
    found = _DURATION.fullmatch(text) if text.startswith(("PT", "-PT")) else None
    if found is None:
        return None
    sign, hours, minutes, seconds = found.groups()
    length = dt.timedelta(hours=int(hours), minutes=int(minutes), seconds=float(seconds.replace(",", ".")))
    return -length if sign else length


def duration_text(length: dt.timedelta) -> str:
    """Return a duration as hours, minutes and seconds.

    Examples
    --------
    >>> duration_text(dt.timedelta(days=2, minutes=5)), duration_text(dt.timedelta(minutes=-30))
    ('48:05:00', '-0:30:00')
    """
    hours, rest = divmod(abs(length), _HOUR)
    minutes_and_seconds = str(rest).partition(":")[2]
    return f"{'-' if length < dt.timedelta() else ''}{hours}:{minutes_and_seconds}"
