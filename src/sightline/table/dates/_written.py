"""One date as people write it: its layout, and the instant that it names."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import Literal

__all__ = ["Order", "WrittenDate", "is_date", "read_date"]

Order = Literal["dmy", "mdy"]

_MONTHS = [
    "jan january januar janvier janv enero ene gennaio gen janeiro januari",
    "feb february februar février févr fév febrero febbraio fevereiro februari fev",
    "mar march märz mär mrz mars marzo março maart mrt",
    "apr april avril avr abril abr aprile",
    "may mai mayo maggio mag maio mei maj",
    "jun june juni juin junio giugno giu junho",
    "jul july juli juillet juil julio luglio lug julho",
    "aug august août aoû agosto ago augustus augusti",
    "sep sept september septembre septiembre settembre set setembro",
    "oct october oktober okt octobre octubre ottobre ott outubro out",
    "nov november novembre noviembre novembro",
    "dec december dezember dez décembre déc diciembre dic dicembre dezembro",
]
_MONTH_OF = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names.split()}

_CLOCK = (
    r"(?:(?:[T :]|, | - | at )\s*(?P<hour>\d{1,2})[:.](?P<minute>\d{2})"
    r"(?:[:.](?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?)?\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}:?(?:\d{2})?)?)?"
)
_NAME, _YEAR, _NTH = r"(?P<name>[^\W\d_]{3,10})\.?", r"(?P<y>\d{4}|\d{2})", "(?:st|nd|rd|th)?"
_LAYOUTS = {
    layout: re.compile(pattern + _CLOCK)
    for layout, pattern in {
        "y-m-d": r"(?P<y>\d{4})(?P<mark>[-/.])(?P<m>\d{1,2})(?P=mark)(?P<d>\d{1,2})",
        "a-b-y": rf"(?P<a>\d{{1,2}})(?P<mark>[-/.])(?P<b>\d{{1,2}})(?P=mark){_YEAR}",
        "d mon y": rf"(?P<d>\d{{1,2}})\.?{_NTH}[-/ ]?(?:de )?{_NAME},?[-/ ]?(?:de )?{_YEAR}",
        "mon d y": rf"{_NAME}[-/ ]?(?P<d>\d{{1,2}}){_NTH}(?:, ?|[-/ ])(?P<y>\d{{4}})",
    }.items()
}
_BASIC = {
    "ymdt": re.compile(
        r"(?P<y>\d{4})(?P<m>\d{2})(?P<d>\d{2})T(?P<hour>\d{2})(?P<minute>\d{2})(?P<second>\d{2})?"
        r"(?:[.,](?P<fraction>\d{1,9}))?(?P<zone>Z|[+-]\d{2}:?(?:\d{2})?)?"
    ),
    "y年m月d日": re.compile(r"(?P<y>\d{4})年(?P<m>\d{1,2})月(?P<d>\d{1,2})日"),
}
_WEEKDAY = re.compile(
    r"(?:mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so|lun|mar|mer|jeu|ven|sam|dim)[^\W\d_]*\.?,?\s+",
    re.IGNORECASE,
)
_MONTHLY = {
    "y-m": re.compile(r"(?P<y>\d{4})[-/](?P<m>\d{1,2})"),
    "m-y": re.compile(r"(?P<m>\d{1,2})[-/.](?P<y>(?:19|20)\d{2})"),
    "mon y": re.compile(rf"{_NAME}[-/, ]{{0,2}}(?P<y>\d{{4}})"),
}
_COMPACT = re.compile(r"(?P<y>(?:19|20)\d{2})(?P<m>\d{2})(?P<d>\d{2})")
_EPOCH = dt.datetime(1970, 1, 1)
_CENTURY = 69
"""Years from this one on are of the 20th century if they have two digits, as in POSIX."""


@dataclass(frozen=True)
class WrittenDate:
    """A date as it was written.

    Attributes
    ----------
    layout : str
        How: "y-m-d", "a-b-y", "d mon y", "mon d y", "y-m", "m-y", "mon y" or "ymd", and the mark between the
        parts.
    seconds : dict of str to float
        Seconds since 1970-01-01 00:00, in UTC if there is a zone, by the order of day and month:
        "dmy", "mdy", or both if the layout leaves it open.
    has_zone : bool
        Whether a zone is written.
    has_short_year : bool
        Whether the year has two digits.
    year_first : float or None
        Seconds if the first number is the year instead, as 17-10-28 may be of 2017; None if it cannot be.
    """

    layout: str
    seconds: dict[Order, float]
    has_zone: bool = False
    has_short_year: bool = False
    year_first: float | None = None


def read_date(text: str, compact: bool = False) -> WrittenDate | None:
    """Read a date, or return None if it is none.

    Parameters
    ----------
    text : str
        The cell.
    compact : bool, default=False
        Whether eight digits, such as 20190301, are a date.

    Examples
    --------
    >>> read_date("2019-03-01").seconds["dmy"] / 86400
    17956.0
    >>> sorted(read_date("03/04/2019").seconds), sorted(read_date("31/12/2019").seconds)
    (['dmy', 'mdy'], ['dmy'])
    >>> read_date("1. März 2019") == read_date("1 Mar 2019"), read_date("31.04.2019")
    (True, None)
    """
    text = text.strip()
    if compact and (found := _COMPACT.fullmatch(text)):
        return _written("ymd", found)
    # The weekday last, because "mar" is a Tuesday in French, but March as well.
    weekday = _WEEKDAY.match(text)
    for written in (text,) if weekday is None else (text, text[weekday.end() :]):
        for layout, pattern in (*_LAYOUTS.items(), *_BASIC.items(), *_MONTHLY.items()):
            if found := pattern.fullmatch(written):
                return _written(layout, found)
    return None


def _written(layout: str, found: re.Match[str]) -> WrittenDate | None:
    parts = found.groupdict()
    year, is_short, year_first = _year(parts["y"]), len(parts["y"]) == 2, None
    if "a" in parts and is_short and len(parts["a"]) == 2:
        year_first = _seconds(_year(parts["a"]), int(parts["b"]), int(parts["y"]), parts)
    if "a" in parts:
        first, second = int(parts["a"]), int(parts["b"])
        days: dict[Order, tuple[int, int]] = {"dmy": (second, first), "mdy": (first, second)}
    else:
        month = int(parts["m"]) if "m" in parts else _MONTH_OF.get(parts["name"].lower(), 0)
        own = (month, int(parts.get("d") or 1))
        days = {"dmy": own, "mdy": own}
    seconds = {
        order: value for order, day in days.items() if (value := _seconds(year, *day, parts)) is not None
    }
    if not seconds:
        return None
    mark = parts.get("mark") or ""
    return WrittenDate(f"{layout} {mark}".rstrip(), seconds, bool(parts.get("zone")), is_short, year_first)


def _year(digits: str) -> int:
    year = int(digits)
    if len(digits) > 2:
        return year
    return year + (1900 if year >= _CENTURY else 2000)


def _seconds(year: int, month: int, day: int, parts: dict[str, str | None]) -> float | None:
    hour, half = int(parts.get("hour") or 0), (parts.get("half") or "").lower()
    if half and not 1 <= hour <= 12:
        return None
    if half:
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    fraction = (parts.get("fraction") or "").ljust(6, "0")[:6]
    try:
        moment = dt.datetime(
            year,
            month,
            day,
            hour,
            int(parts.get("minute") or 0),
            int(parts.get("second") or 0),
            int(fraction),
        )
    except ValueError:
        return None
    return (moment - _EPOCH - _offset(parts.get("zone") or "")).total_seconds()


def _offset(zone: str) -> dt.timedelta:
    """Return by how much the clock of a zone is ahead of UTC."""
    if zone[:1] not in ("+", "-"):
        return dt.timedelta(0)
    digits = zone[1:].replace(":", "").ljust(4, "0")
    size = dt.timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return -size if zone.startswith("-") else size


def is_date(value: object) -> bool:
    """Whether a value is text that reads as a date.

    Examples
    --------
    >>> is_date("1. März 2019"), is_date("soon"), is_date(20190301)
    (True, False, False)
    """
    return isinstance(value, str) and read_date(value) is not None
