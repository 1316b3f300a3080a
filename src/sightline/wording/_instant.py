"""Dates, times and durations as people write them, from the numbers that models compare."""

from __future__ import annotations

import datetime as dt
import math

from sightline.wording._number import number_text, separated

_EPOCH = dt.date(1970, 1, 1).toordinal()
_DAY = 86_400
_SAME_SECOND = 1e-6
_SYMBOLS = "$€£¥₹₽₩₺₪¢"


def instant_text(number: float, kind: str) -> str:
    """Write the number of a date, time or duration.

    Parameters
    ----------
    number : float
        Days since 1970-01-01 of a date; seconds since then of a time; seconds of a duration.
    kind : {"date", "datetime", "datetime UTC", "duration"}
        What the number means. Parts of a day, and of a microsecond, are cut off.

    Returns
    -------
    str
        As in ISO 8601, with a blank between date and time. The plain number and its unit if the year has
        not four digits.

    Examples
    --------
    >>> instant_text(17956.5, "date"), instant_text(1551443400.5, "datetime"), instant_text(90000, "duration")
    ('2019-03-01', '2019-03-01 12:30:00.5', '1 day 1:00:00')
    """
    if not math.isfinite(number):
        return number_text(number)
    if kind == "duration":
        return _duration_text(number)
    days = math.floor(number if kind == "date" else number / _DAY)
    if not 1 <= days + _EPOCH <= dt.date.max.toordinal():
        return f"{number:.17g} {'days' if kind == 'date' else 'seconds'} since 1970"
    date = dt.date.fromordinal(days + _EPOCH).isoformat()
    if kind == "date":
        return date
    time = _time_text(_microseconds(number) - days * _DAY * 1_000_000, 2)
    return f"{date} {time}{' UTC' if kind == 'datetime UTC' else ''}"


def with_unit(text: str, unit: str) -> str:
    """Write a number with the unit that its column carries.

    Examples
    --------
    >>> with_unit("12.5", "%"), with_unit("-2,000", "$"), with_unit("30", "min"), with_unit("12.25", ":")
    ('12.5%', '-$2,000', '30 min', '12:15')
    """
    if unit == ":":
        return _clock_text(text)
    if unit in tuple(_SYMBOLS):
        return f"-{unit}{text[1:]}" if text.startswith("-") else f"{unit}{text}"
    return f"{text}%" if unit == "%" else f"{text} {unit}" if unit else text


def exact_text(value: float, unit: str = "", *, is_separated: bool = False) -> str:
    """Write a number with all its digits, and with its unit unless that would cut some off.

    Parameters
    ----------
    value : float
        The number.
    unit : str, default=""
        Its unit, as for :func:`with_unit`.
    is_separated : bool, default=False
        Whether to write thousands separators.

    Examples
    --------
    >>> exact_text(91.7000001, "%"), exact_text(8.25, ":"), exact_text(8.2500001, ":")
    ('91.7000001%', '8:15', '8.2500001')
    """
    text = number_text(value, 17)
    seconds = 3600 * value
    if unit == ":" and abs(seconds - round(seconds)) >= _SAME_SECOND:
        return text
    return with_unit(separated(text) if is_separated else text, unit)


def _microseconds(seconds: float) -> int:
    # A double near 2e9 is up to 1.2e-7 beside the microsecond that it stands for.
    return math.floor(seconds * 1_000_000 + 0.3)


def _time_text(microseconds: int, hour_digits: int) -> str:
    seconds, fraction = divmod(microseconds, 1_000_000)
    minutes, second = divmod(seconds, 60)
    text = f"{minutes // 60:0{hour_digits}}:{minutes % 60:02}"
    if second or fraction:
        text += f":{second:02}"
    return text + (f".{fraction:06}".rstrip("0") if fraction else "")


def _duration_text(seconds: float) -> str:
    sign, size = ("-", -seconds) if seconds < 0 else ("", seconds)
    total = round(size * 1_000_000)
    days, rest = divmod(total, _DAY * 1_000_000)
    if not days:
        return f"{sign}{_time_text(rest, 1)}{'' if rest % 60_000_000 else ':00'}"
    time = f" {_time_text(rest, 1)}{'' if rest % 60_000_000 else ':00'}" if rest else ""
    return f"{sign}{days:,} day{'' if days == 1 else 's'}{time}"


def _clock_text(text: str) -> str:
    """Write hours, or minutes of a lap time, with sixtieths after a colon."""
    number = float(text.replace(",", ""))
    sign, size = ("-", -number) if number < 0 else ("", number)
    seconds = round(size * 3600)
    whole, rest = divmod(seconds, 3600)
    return f"{sign}{whole}:{rest // 60:02}" + (f":{rest % 60:02}" if rest % 60 else "")
