"""Columns of dates from text: formats that are clear for the whole column, or none."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import DataError
from sightline.table._column import Column
from sightline.table._schema import Feature
from sightline.table.dates._written import Order, WrittenDate, read_date
from sightline.wording import instant_text, list_choices, list_names, option_text, shortened

__all__ = ["DAY", "DateReading", "date_column", "parsed_dates", "read_dates", "without_missing_words"]

DAY = 86_400
"""Seconds."""
_MAX_STRAYS = 0.1
"""Share of rows with other cells up to which a column is still one of dates."""
_N_PROBED = 20
_MIN_MONTHS = 6
"""Fewer values such as 2019-03 may be codes."""
_MONTHLY = ("y-m", "m-y", "mon y")
_OPEN = "a-b-y"
_POINTS = f"{_OPEN} ."
_MAX_SHOWN = 3
_MIN_EXCHANGED = 8
_N_MONTHS = 12
_EXCHANGED = (
    " But all days above 12 are in one format and all others in another: a spreadsheet program may have "
    "swapped day and month in the latter. Check them in the source."
)
_MAX_LENGTH = 40
_VERSION = re.compile(r"(?:[1-9]|1[0-2])\.(?:[1-9]\d?)\.(?:[1-9]\d?)")
"""A date that may be a version: no part has a leading zero, as most dates have, nor is a day above 12."""
_LATE = (dt.date(2030, 1, 1) - dt.date(1970, 1, 1)).days * DAY
"""Years of two digits from here on are of the 20th century in spreadsheet programs."""


@dataclass(frozen=True)
class DateReading:
    """How a column of text reads as dates.

    Attributes
    ----------
    column : Column
        The text.
    written : list of WrittenDate or None
        Per category the date; None if it is not a date, or has a different layout.
    orders : set of {"dmy", "mdy"}
        Orders of day and month that fit every date. Two if the column is ambiguous.
    """

    column: Column
    written: list[WrittenDate | None]
    orders: set[Order]

    @property
    def is_open(self) -> bool:
        """Whether both orders of day and month fit, and give different dates."""
        return len(self.orders) == 2 and any(
            one is not None and len(set(one.seconds.values())) > 1 for one in self.written
        )

    @property
    def uses_points(self) -> bool:
        """Whether points separate the parts, which always means day first."""
        return any(one is not None and one.layout == _POINTS for one in self.written)

    @property
    def year_may_be_first(self) -> bool:
        """Whether the years have two digits, and every date can also be read with the year first."""
        parts = [one for one in self.written if one is not None and one.layout.startswith(_OPEN)]
        return bool(parts) and not self.uses_points and all(one.year_first is not None for one in parts)

    @property
    def strays(self) -> list[str]:
        """Categories that are not dates."""
        values = self.column.feature.categories or ()
        return [str(value) for value, one in zip(values, self.written, strict=True) if one is None]

    def stray_note(self) -> str:
        """Say which cells are read as missing; empty if there are none."""
        return _stray_note(self.column.name, self.strays) if self.strays else ""

    def format_note(self) -> str:
        """Say that the dates have several formats; empty if they have one."""
        values = self.column.feature.categories or ()
        examples = {
            one.layout: repr(value)
            for value, one in zip(values, self.written, strict=True)
            if one is not None
        }
        if len(examples) < 2:
            return ""
        shown = list_names([*examples.values()], _MAX_SHOWN)
        note = f"Column {self.column.name!r} holds dates in several formats, such as {shown}. All are read."
        return note + (_EXCHANGED if self._may_be_exchanged() else "")

    def century_note(self, order: Order) -> str:
        """Say that the century of some dates is a guess; empty if it is not.

        Programs agree on 69 to 99 and on 00 to 29. Between them, C and Python choose 20, Excel 19.
        """
        values = self.column.feature.categories or ()
        late = (
            (str(value), one.seconds[order])
            for value, one in zip(values, self.written, strict=True)
            if one is not None and one.has_short_year and one.seconds[order] >= _LATE
        )
        text, seconds = max(late, key=lambda pair: pair[1], default=("", 0.0))
        if not text:
            return ""
        day = _day(seconds)
        return (
            f"Column {self.column.name!r} holds years of two digits, such as {text!r}, which is read as "
            f"{day}. If it is {int(day[:4]) - 100}{day[4:]}, write all years with four digits."
        )

    def version_note(self, order: Order) -> str:
        """Say that the dates may be versions such as 3.8.10; empty if one of them cannot be."""
        values = self.column.feature.categories or ()
        pairs = zip(map(str, values), self.written, strict=True)
        dates = [(text, one.seconds[order]) for text, one in pairs if one is not None]
        if not all(_VERSION.fullmatch(text) for text, _ in dates):
            return ""
        text, seconds = dates[0]
        return (
            f"Column {self.column.name!r} is read as dates, such as {text!r} as {_day(seconds)}. If they are "
            f"version numbers, pass kinds={{{self.column.name!r}: 'categorical'}} "
            f"({option_text('--categorical', self.column.name)})."
        )

    def year_note(self) -> str:
        """Show a date that has several readings, because the year may be first; empty if it cannot be."""
        if not self.year_may_be_first:
            return ""
        values = self.column.feature.categories or ()
        text, one = next(
            (str(value), one)
            for value, one in zip(values, self.written, strict=True)
            if one is not None and one.layout.startswith(_OPEN)
        )
        ways = dict.fromkeys([*(one.seconds[order] for order in sorted(self.orders)), one.year_first or 0.0])
        return f"{text!r}, which may be {list_choices([_day(way) for way in ways])}"

    def _may_be_exchanged(self) -> bool:
        """Whether only days above 12 are written day and month first, and all others have a day up to 12.

        Spreadsheet programs of another country leave 31/05/2019 as it is, and make 5 September of 9 May.
        """
        known = [one for one in self.written if one is not None]
        written = [one for one in known if one.layout.startswith(_OPEN)]
        others = [one for one in known if one.layout.startswith("y-m-d")]
        days = [dt.datetime.fromtimestamp(one.seconds["dmy"], dt.UTC).day for one in others]
        return (
            min(len(written), len(others)) >= _MIN_EXCHANGED
            and all(len(one.seconds) == 1 for one in written)
            and max(days) <= _N_MONTHS
        )

    def as_dates(self, order: Order) -> Column:
        """Return the column as dates, or as dates with times if some have one."""
        # The code -1 of missing cells finds the last entry.
        seconds = np.array([*(np.nan if one is None else one.seconds[order] for one in self.written), np.nan])
        has_zone = any(one is not None and one.has_zone for one in self.written)
        column = date_column(self.column.name, seconds[self.column.values], has_zone)
        shows_order = any(one is not None and one.layout.startswith(_OPEN) for one in self.written)
        day_first = order == "dmy" if shows_order else None
        return replace(column, feature=replace(column.feature, day_first=day_first))


def read_dates(column: Column, compact: bool = False) -> DateReading | None:
    """Return how a nominal column reads as dates; None if it has no clear format.

    Parameters
    ----------
    column : Column
        The column.
    compact : bool, default=False
        Whether the caller says that it holds dates: eight digits, such as 20190301, are dates then.

    Examples
    --------
    >>> from sightline.table._column import nominal_column
    >>> codes = np.array([0, 1, -1], dtype=np.int32)
    >>> reading = read_dates(nominal_column("seen", ["13.02.2019", "01.03.2019"], codes))
    >>> reading.orders, reading.as_dates("dmy").values
    ({'dmy'}, array([17940., 17956.,    nan]))
    """
    values = column.feature.categories
    if not values or not all(isinstance(value, str) or compact for value in values):
        return None
    probed = values[:: max(1, len(values) // _N_PROBED)]
    probed = tuple(value for value in probed if not _means_missing(str(value))) or probed
    if sum(read_date(str(value), compact) is None for value in probed) > len(probed) / 2:
        return None
    written = _of_clear_layouts([read_date(str(value), compact) for value in values])
    counts = np.bincount(column.values[column.values >= 0], minlength=len(values))
    is_stray = np.array([one is None for one in written])
    known = [one for one in written if one is not None]
    is_missing = np.array([_means_missing(str(value)) for value in values])
    if not known or counts[is_stray & ~is_missing].sum() > _MAX_STRAYS * counts[~is_missing].sum():
        return None
    if known[0].layout in _MONTHLY and len(known) < _MIN_MONTHS and not compact:
        return None
    orders = set.intersection(*(set(one.seconds) for one in known))
    return DateReading(column, written, orders) if orders else None


def _stray_note(name: str, strays: list[str]) -> str:
    shown = list_names([repr(shortened(text, _MAX_LENGTH)) for text in strays], _MAX_SHOWN)
    return f"Column {name!r} holds dates, but also {shown}. These cells are read as missing."


def _means_missing(text: str) -> bool:
    """Whether a cell in a column of dates stands for a missing one: unknown, -, 0000-00-00, 00.00.0000."""
    return _core.is_missing_word(text) or (len(text) > 3 and not text.strip("0-./: T"))


def _of_clear_layouts(written: Sequence[WrittenDate | None]) -> list[WrittenDate | None]:
    """Keep the dates of the most frequent layout, with a zone or without, and of others that fit it.

    Of 03/04/2019, 03.04.2019 and 03-04-2019 only one fits: their orders of day and month may differ.
    """
    ways = Counter((one.layout, one.has_zone) for one in written if one is not None)
    if not ways:
        return list(written)
    frequent = [way for way, _ in ways.most_common()]
    most, has_zone = frequent[0]
    kept = {most}
    for layout, zone in frequent if most not in _MONTHLY else ():
        has_order = layout.startswith(_OPEN) and any(other.startswith(_OPEN) for other in kept)
        if zone == has_zone and layout not in _MONTHLY and not has_order:
            kept.add(layout)
    return [
        one if one is not None and one.layout in kept and one.has_zone == has_zone else None
        for one in written
    ]


def date_column(name: str, seconds: NDArray[np.float64], has_zone: bool = False) -> Column:
    """Return a column of dates, or of dates with times if some are not midnight or have a zone.

    Parameters
    ----------
    name : str
        Its name.
    seconds : ndarray of float64
        Seconds since 1970-01-01 00:00, NaN where missing.
    has_zone : bool, default=False
        Whether they are in UTC rather than in local time.
    """
    days = seconds / DAY
    if not has_zone and np.all((days == np.floor(days)) | np.isnan(days)):
        return Column(Feature(name, kind="date"), days)
    return Column(Feature(name, kind="datetime UTC" if has_zone else "datetime"), seconds)


def _day(seconds: float) -> str:
    return instant_text(seconds // DAY, "date")


def parsed_dates(column: Column, feature: Feature, owner: str, order: Order | None = None) -> Column:
    """Read text as the dates of a model's column.

    Parameters
    ----------
    column : Column
        The text.
    feature : Feature
        The column of the model.
    owner : str
        What has it, for error messages.
    order : {"dmy", "mdy"}, optional
        What 03/04/2019 means. None: what the training rows showed.

    Raises
    ------
    DataError
        If a cell is no date. The message names the cell and the row.
    """
    day_first = feature.day_first if order is None else order == "dmy"
    seconds = [np.nan] * (len(column.feature.categories or ()) + 1)
    zones = set()
    for code in np.unique(column.values[column.values >= 0]).tolist():
        text = str((column.feature.categories or ())[code])
        one = read_date(text, compact=True)
        fitting = _fitting(one, day_first, is_told=order is not None)
        if one is None or len(set(fitting.values())) != 1:
            row = int((column.values == code).argmax())
            wrong = f"but {owner} expects dates. Write them as in 2019-03-01, and leave unknown ones empty."
            if len(fitting) > 1:
                wrong = (
                    f"in which the day{', the month or the year' if 'ymd' in fitting else ' or the month'} "
                    "may be first. Write dates as in 2019-03-01, or read the file with date_order= "
                    "(--date-order)."
                )
            elif one is not None and day_first is not None:
                taken, other = ("day", "mdy") if day_first else ("month", "dmy")
                wrong = (
                    f"but {owner} expects dates with the {taken} first. Write dates as in 2019-03-01, or "
                    f"read the file with date_order={other!r} (--date-order {other})."
                )
            raise DataError(f"Column {column.name!r} holds {text!r} at row {row}, {wrong}")
        seconds[code] = next(iter(fitting.values()))
        zones.add(one.has_zone)
    if len(zones) > 1:
        raise DataError(f"Column {column.name!r} holds times with and without a time zone.")
    return date_column(column.name, np.array(seconds)[column.values], True in zones)


def _fitting(one: WrittenDate | None, day_first: bool | None, is_told: bool) -> dict[str, float]:
    """Return the seconds of a date by the orders that it may have.

    Parameters
    ----------
    one : WrittenDate or None
        The date, if the text is one.
    day_first : bool or None
        Which order is expected, if that is known.
    is_told : bool
        Whether the caller says so. Otherwise training rows such as 03/31/2019 do not make 03.04.2019 a
        date with the month first: points usually mean the opposite.
    """
    if one is None:
        return {}
    fitting: dict[str, float] = dict(one.seconds.items())
    has_points = one.layout == _POINTS
    if day_first is None:
        if has_points:
            return {order: fitting[order] for order in fitting if order == "dmy"}
        return fitting if one.year_first is None else fitting | {"ymd": one.year_first}
    if has_points and not day_first and not is_told and len(set(fitting.values())) > 1:
        return fitting
    return {order: fitting[order] for order in fitting if (order == "dmy") == day_first}


def without_missing_words(column: Column) -> tuple[Column, str]:
    """Return a column of text with words such as unknown as missing cells, and a note on them, if any."""
    values = column.feature.categories or ()
    words = [code for code, value in enumerate(values) if _means_missing(str(value))]
    is_word = np.isin(column.values, words)
    if not is_word.any():
        return column, ""
    shown = [str(values[code]) for code in np.unique(column.values[is_word])]
    codes = np.where(is_word, np.int32(-1), column.values)
    return replace(column, values=codes), _stray_note(column.name, shown)
