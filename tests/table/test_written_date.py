"""Dates as people write them, against what datetime says about the parts."""

import datetime as dt

import pytest

from sightline.table.dates._written import read_date

DAY = 86_400
MARCH_4 = (dt.date(2019, 3, 4) - dt.date(1970, 1, 1)).days * DAY


@pytest.mark.parametrize(
    "text",
    [
        *("2019-03-04", "2019/3/4", "2019.03.04", "2019-03-04T00:00:00", "2019-03-04 00:00"),
        *("4 Mar 2019", "4. März 2019", "04-Mar-19", "4mar2019", "4 de marzo de 2019", "4 mars 2019"),
        *("Mar 4, 2019", "March 4th, 2019", "MAR-04-2019", "2019-03-04 12:00 AM"),
    ],
)
def test_one_day(text):
    assert set(read_date(text).seconds.values()) == {MARCH_4}


@pytest.mark.parametrize("text", ["04.03.2019", "4/3/19", "04-03-2019", "04/03/2019 00:00:00"])
def test_the_order_of_numbers_is_open(text):
    assert read_date(text).seconds == {"dmy": MARCH_4, "mdy": MARCH_4 + 30 * DAY}


def test_numbers_that_leave_no_choice():
    assert set(read_date("31/12/2019").seconds) == {"dmy"}
    assert set(read_date("12/31/2019").seconds) == {"mdy"}
    assert read_date("01/01/68").seconds["dmy"] > 0 > read_date("01/01/69").seconds["dmy"]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2019-03-04 12:30", 45_000),
        ("2019-03-04T12:30:15.25", 45_015.25),
        ("04.03.2019 12:30:15,5", 45_015.5),
        ("3/4/2019 1:05 PM", 47_100),
        ("2019-03-04 12:30Z", 45_000),
        ("2019-03-04T12:30:00+02:00", 37_800),
        ("2019-03-04T12:30:00-0530", 64_800),
    ],
)
def test_times(text, seconds):
    written = read_date(text)
    assert MARCH_4 + seconds in written.seconds.values()
    assert written.has_zone == (text[-1] == "Z" or text[-5:] in ("02:00", "-0530"))


@pytest.mark.parametrize(
    "text",
    [
        *("", "abc", "2019", "31.04.2019", "2019-02-29", "13/13/2019", "0000-00-00", "1.2.3", "12:30"),
        *("4 Foo 2019", "2019-03-04 25:00", "3/4/2019 13:00 PM", "2019-03/04", "192.168.0.1", "20190304"),
    ],
)
def test_what_is_no_date(text):
    assert read_date(text) is None


def test_microseconds_with_a_zone():
    assert read_date("1970-01-01T01:00:00.100001+01:00").seconds["dmy"] == 0.100001
    assert read_date("1970-01-01T00:00:00.1-00:30").seconds["dmy"] == 1800.1


def test_one_weekday_is_skipped():
    assert read_date("Fri, 4 Mar 2019") == read_date("4 Mar 2019")
    assert read_date("so " * 5_000) is None
    assert read_date("Fri Fri 4 Mar 2019") is None


def test_months_and_digits():
    assert read_date("2019-03").seconds["dmy"] == read_date("March 2019").seconds["dmy"] == MARCH_4 - 3 * DAY
    assert read_date("20190304", compact=True).seconds["mdy"] == MARCH_4
