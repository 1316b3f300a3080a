"""Numbers of dates in words, against datetime."""

import datetime as dt

import pytest

from sightline.wording import FeatureWording, instant_text, with_unit


@pytest.mark.parametrize(
    "day", ["0001-01-01", "1969-12-31", "1970-01-01", "2000-02-29", "2019-03-01", "9999-12-31"]
)
def test_days(day):
    number = (dt.date.fromisoformat(day) - dt.date(1970, 1, 1)).days
    assert instant_text(number, "date") == instant_text(number + 0.99, "date") == day


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "1970-01-01 00:00"),
        (-0.5, "1969-12-31 23:59:59.5"),
        (1551443400, "2019-03-01 12:30"),
        (1551443415.000001, "2019-03-01 12:30:15.000001"),
    ],
)
def test_moments(seconds, text):
    assert instant_text(seconds, "datetime") == text
    assert instant_text(seconds, "datetime UTC") == f"{text} UTC"


def test_every_microsecond_reads_back():
    for micro in range(0, 1_000_000, 9973):
        moment = dt.datetime(2031, 7, 14, 23, 59, 59, micro)
        seconds = (moment - dt.datetime(1970, 1, 1)) / dt.timedelta(seconds=1)
        assert dt.datetime.fromisoformat(instant_text(seconds, "datetime")) == moment


def test_years_beyond():
    assert instant_text(4e6, "date") == "4000000 days since 1970"
    assert instant_text(-1e12, "datetime") == "-1000000000000 seconds since 1970"


def test_durations_and_units():
    texts = [instant_text(seconds, "duration") for seconds in (0, 45.5, 5400, 86_400, -180_000, 200_000_000)]
    assert texts == ["0:00:00", "0:00:45.5", "1:30:00", "1 day", "-2 days 2:00:00", "2,314 days 19:33:20"]
    assert [with_unit("7.25", unit) for unit in ("", "%", "€", "CHF", ":")] == [
        "7.25",
        "7.25%",
        "€7.25",
        "7.25 CHF",
        "7:15",
    ]


def wording(kind="", unit=""):
    return FeatureWording(["opened"], [None], {0: [17956.5]}, kinds=[kind], units=[unit])


def test_conditions_on_days_name_the_first_day_beyond():
    date = wording("date")
    inf = float("inf")
    assert date.interval(0, -inf, 17956.5) == date.interval(0, -inf, 17956) == "opened before 2019-03-02"
    assert date.interval(0, 17956.5, inf) == "opened on or after 2019-03-02"
    assert date.interval(0, 17956, 17990) == "2019-03-02 <= opened < 2019-04-05"
    assert date.number(0, 17956.5) == "2019-03-01"


def test_conditions_with_units():
    inf = float("inf")
    assert wording(unit="%").interval(0, 17956.5, inf) == "opened > 17956.5%"
    assert wording("datetime").interval(0, -inf, 60.0) == "opened <= 1970-01-01 00:01"
    assert wording("duration").interval(0, -inf, 60.0) == "opened <= 0:01:00"
