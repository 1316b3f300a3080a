"""Columns of durations from text, and from numbers that carry a unit of time."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import DataError
from sightline.table._column import Column
from sightline.table._schema import Feature

__all__ = ["duration_seconds", "read_duration"]

_SECONDS_OF_UNIT = {"days": 86_400, ":": 3_600}
"""Files that hold ``2 days 06:00:00`` or ``06:00:00`` are read as numbers with these units."""
_NANO = 1_000_000_000
"""Nanoseconds per second."""

_WRITTEN = re.compile(
    r"(?P<sign>[+-]?)\s*(?:(?P<days>\d{1,3}(?:,\d{3})+|\d+)\s*days?)?(?P<comma>,?)\s*"
    r"(?:(?P<own_sign>[+-]?)(?P<hours>\d+):(?P<minutes>[0-5]?\d)(?::(?P<seconds>[0-5]?\d(?:\.\d+)?))?)?"
)
_ISO = re.compile(
    r"(?P<sign>[+-]?)P(?:(?P<days>\d+)D)?"
    r"(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?"
)


def read_duration(text: str) -> float | None:
    """Return the seconds of a duration as programs write it; None if the text is not a duration.

    pandas and Python write minus two hours as -1 day plus 22 hours, with a sign or a comma between the two.
    Without either, as in Sightline's own texts, the sign counts for both. Nanoseconds are rounded down, as in
    typed columns.

    Examples
    --------
    >>> [read_duration(text) for text in ("1 day 1:00:00", "-1 days +22:00:00", "-1 day 1:00:00", "P1DT1H")]
    [90000.0, -7200.0, -90000.0, 90000.0]
    """
    text = text.strip()
    found = _WRITTEN.fullmatch(text) or _ISO.fullmatch(text)
    if found is None or not any(found[part] for part in ("days", "hours", "minutes", "seconds")):
        return None
    parts = found.groupdict()
    days, hours, minutes = (
        int((parts[name] or "0").replace(",", "")) for name in ("days", "hours", "minutes")
    )
    # In nanoseconds, which whole numbers hold exactly.
    whole, _, fraction = (parts["seconds"] or "0").partition(".")
    time = (3600 * hours + 60 * minutes + int(whole)) * _NANO + int(fraction.ljust(9, "0")[:9])
    sign = -1 if parts["sign"] == "-" else 1
    has_own_sign = bool(days) and bool(parts.get("own_sign") or parts.get("comma"))
    time_sign = (-1 if parts.get("own_sign") == "-" else 1) if has_own_sign else sign
    return (sign * days * 86_400 * _NANO + time_sign * time) // 1000 / 1_000_000


def duration_seconds(column: Column, feature: Feature, owner: str) -> NDArray[np.float64]:
    """Return the seconds of a column of text, or of numbers with a unit of time.

    Parameters
    ----------
    column : Column
        The column.
    feature : Feature
        The column of the model.
    owner : str
        What has it, for error messages.

    Raises
    ------
    DataError
        If a cell is no duration. The message names the cell and the row.
    """
    expected = f"but {owner} expects durations"
    if column.feature.is_nominal:
        return _of_text(column, expected)
    if column.feature.unit in _SECONDS_OF_UNIT:
        # A third of a day is not a double; the microsecond that was written is.
        return np.round(column.values * _SECONDS_OF_UNIT[column.feature.unit] * 1e6) / 1e6
    raise DataError(
        f"Column {feature.name!r} holds numbers, {expected}. Pass timedeltas, or text such as 1 day 12:30:00."
    )


def _of_text(column: Column, expected: str) -> NDArray[np.float64]:
    texts = [str(value) for value in column.feature.categories or ()]
    known = [read_duration(text) for text in texts]
    for code in np.unique(column.values[column.values >= 0]).tolist():
        if known[code] is None:
            row = int((column.values == code).argmax())
            raise DataError(
                f"Column {column.name!r} holds {texts[code]!r} at row {row}, {expected}. Write them as in "
                "1 day 12:30:00, and leave unknown ones empty."
            )
    # The code -1 of missing cells finds the last entry.
    seconds: NDArray[np.float64] = np.array([*known, None], dtype=np.float64)[column.values]
    return seconds
