"""Columns of dates: from text of one clear format, from typed columns, and back to what a model expects."""

import datetime as dt
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sightline as sl
from sightline.exceptions import DataError, DataWarning, ParameterError
from sightline.table import RowForm, Schema, Table, recognize_dates

DAYS = pd.date_range("2019-01-27", periods=40, freq="3D")


def text_table(*columns, decimal=None, tmp_path, **options):
    names = [f"c{index}" for index in range(len(columns))]
    rows = [
        ";".join(names),
        *(
            ";".join(f'"{cell}"' if "," in cell else cell for cell in cells)
            for cells in zip(*columns, strict=True)
        ),
    ]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return sl.read_table(path, decimal=decimal, **options)


@pytest.mark.parametrize(
    "form",
    [
        "%Y-%m-%d",
        "%d.%m.%Y",
        "%m/%d/%Y",
        "%d.%m.%y",
        "%m/%d/%y",
        "%d %b %Y",
        "%B %d, %Y",
        "%Y-%m-%dT%H:%M:%S",
        "%d-%b-%y",
        "%d%b%Y:%H:%M:%S",
        "%Y%m%dT%H%M%S",
        "%a %b %d %Y",
        "%A, %d. %B %Y",
        "%Y年%m月%d日",
    ],
)
def test_one_format_per_column(form, tmp_path):
    table = text_table(DAYS.strftime(form), tmp_path=tmp_path)
    assert table["c0"].feature.kind == "date"
    assert table["c0"].to_list() == DAYS.strftime("%Y-%m-%d").tolist()


def test_times_missing_cells_and_strays(tmp_path):
    cells = [*(DAYS[:38] + pd.Timedelta("90min")).strftime("%d.%m.%Y %H:%M"), "", "tba"]
    with pytest.warns(
        DataWarning, match=r"Column 'c0' holds dates, but also 'tba'\. These cells are read as"
    ):
        table = text_table(cells, [str(n) for n in range(40)], tmp_path=tmp_path)
    assert table["c0"].feature.kind == "datetime"
    assert table["c0"].to_list()[0] == "2019-01-27 01:30"
    assert table["c0"].to_list()[-2:] == [None, None]


def test_other_columns_decide_the_order(tmp_path):
    early = [f"0{1 + n % 9}/0{1 + n % 7}/2019" for n in range(40)]
    table = text_table(early, DAYS.strftime("%d/%m/%Y"), tmp_path=tmp_path)
    assert table["c0"].to_list()[1] == "2019-02-02"
    assert table["c0"].feature.day_first is True
    table = text_table(early, DAYS.strftime("%m/%d/%Y"), tmp_path=tmp_path)
    assert table["c0"].feature.day_first is False


def test_an_open_order_is_told_and_can_be_set(tmp_path):
    early = [f"0{1 + n % 9}/0{1 + n % 7}/2019" for n in range(40)]
    note = r"Column 'c0' is read with the month first in dates .* pass date_order='dmy' \(--date-order dmy\)"
    with pytest.warns(DataWarning, match=note):
        assert text_table(early, tmp_path=tmp_path)["c0"].feature.day_first is False
    with pytest.warns(DataWarning, match=r"with the day first .* pass date_order='mdy'"):
        text_table(early, [f"{n},5" for n in range(40)], tmp_path=tmp_path)
    assert text_table(early, tmp_path=tmp_path, date_order="dmy")["c0"].feature.day_first is True
    with pytest.raises(
        ParameterError, match=r"'date_order' parameter must be 'dmy', 'mdy' or None. Got 'ymd'"
    ):
        text_table(early, tmp_path=tmp_path, date_order="ymd")


YEAR_FIRST = ["17-10-28", "18-05-04", "22-08-16", "19-12-31", "20-02-29", "21-07-20"]


def test_a_year_of_two_digits_that_may_be_first_is_not_guessed(tmp_path):
    note = (
        r"Column 'c0' holds dates such as '17-10-28', which may be 2028-10-17 or 2017-10-28\. They are read "
        r"as 6 unordered categories\. .* date_order= \(--date-order\) if the year is last\."
    )
    with pytest.warns(DataWarning, match=note) as caught:
        assert text_table(YEAR_FIRST, tmp_path=tmp_path)["c0"].to_list() == YEAR_FIRST
    assert len(caught) == 1
    with pytest.warns(DataWarning, match=note):
        sl.C45Classifier().fit(pd.DataFrame({"c0": YEAR_FIRST * 4}), ["no", "yes"] * 12)
    with pytest.warns(
        DataWarning, match=r"'c0' is read with the year last in dates such as '17-10-28', which"
    ):
        declared = text_table(["17-10-28", "18-05-04"], tmp_path=tmp_path, kinds={"c0": "date"})
    assert declared["c0"].to_list() == ["2028-10-17", "2004-05-18"]


def test_a_year_that_must_be_last_settles_years_of_two_digits(tmp_path):
    days = DAYS.strftime("%d/%m/%y").tolist()
    dates = DAYS.strftime("%Y-%m-%d").tolist()
    assert text_table(days, tmp_path=tmp_path, date_order="dmy")["c0"].to_list() == dates
    # A four-digit year in another column, or one that is no day, shows that the year is last.
    assert text_table(days, DAYS.strftime("%d/%m/%Y"), tmp_path=tmp_path)["c0"].to_list() == dates
    assert text_table([*days, "01/02/99"], tmp_path=tmp_path)["c0"].to_list() == [*dates, "1999-02-01"]


def test_new_rows_with_a_year_that_may_be_first_are_refused(tmp_path):
    table = text_table(DAYS.strftime("%Y-%m-%d"), tmp_path=tmp_path)
    with pytest.raises(
        DataError, match=r"'17-10-28' at row 0, in which the day, the month or the year may be"
    ):
        text_table(["17-10-28"], tmp_path=tmp_path, like=table)
    later = text_table(["17-10-28"], tmp_path=tmp_path, like=table, date_order="dmy")
    assert later["c0"].to_list() == ["2028-10-17"]


def test_a_guessed_century_is_told(tmp_path):
    births = ["26.01.59", "17.04.43", "30.12.68", "17.01.75", "27.03.72", "31.05.69"]
    note = (
        r"Column 'c0' holds years of two digits, such as '30\.12\.68', which is read as 2068-12-30\. If it "
        r"is 1968-12-30, write all years with four digits\."
    )
    with pytest.warns(DataWarning, match=note):
        assert text_table(births, tmp_path=tmp_path)["c0"].to_list()[3] == "1975-01-17"
    text_table(["31.12.29", "01.01.69", "01.01.00"], tmp_path=tmp_path)


def test_several_clear_formats_are_read(tmp_path):
    mixed = [*DAYS[:25].strftime("%Y-%m-%d"), *DAYS[25:].strftime("%d/%m/%Y")]
    with pytest.warns(DataWarning, match=r"'c0' holds dates in several formats, such as '.*' and '.*'\."):
        table = text_table(mixed, tmp_path=tmp_path)
    assert table["c0"].to_list() == DAYS.strftime("%Y-%m-%d").tolist()


@pytest.mark.parametrize(("first", "second"), [("%d.%m.%Y", "%m/%d/%Y"), ("%d/%m/%Y", "%m/%d/%Y")])
def test_formats_that_leave_the_order_open_stay_text(first, second, tmp_path):
    mixed = [*DAYS[:20].strftime(first), *DAYS[20:].strftime(second)]
    with pytest.warns(
        DataWarning, match=r"Column 'c0' holds dates, read as \d+ unordered categories, .* is ambiguous"
    ):
        table = text_table(mixed, tmp_path=tmp_path)
    assert table["c0"].feature.is_nominal


def test_points_mean_day_first_in_new_rows_too(tmp_path):
    table = text_table(DAYS.strftime("%Y-%m-%d"), tmp_path=tmp_path)
    later = text_table(["03.04.2019", "2019-04-04"], tmp_path=tmp_path, like=table)
    assert later["c0"].to_list() == ["2019-04-03", "2019-04-04"]


def test_points_do_not_take_the_order_of_slashes(tmp_path):
    table = text_table(DAYS.strftime("%m/%d/%Y"), tmp_path=tmp_path)
    message = r"'11\.04\.2019' at row 0, in which the day or the month may be first"
    with pytest.raises(DataError, match=message):
        text_table(["11.04.2019", "x"], tmp_path=tmp_path, like=table)
    for order, date in (("dmy", "2019-04-11"), ("mdy", "2019-11-04")):
        later = text_table(["11.04.2019"], tmp_path=tmp_path, like=table, date_order=order)
        assert later["c0"].to_list() == [date]


def test_words_for_missing_dates_are_missing_in_new_rows_too(tmp_path):
    table = text_table(DAYS.strftime("%Y-%m-%d"), tmp_path=tmp_path)
    message = r"holds dates, but also '0000-00-00' and 'unknown'\. These cells are read as missing"
    with pytest.warns(DataWarning, match=message):
        later = text_table(["unknown", "2019-04-03", "0000-00-00"], tmp_path=tmp_path, like=table)
    assert later["c0"].to_list() == [None, "2019-04-03", None]


def test_months_before_years(tmp_path):
    table = text_table([f"{1 + n % 12:02}/2019" for n in range(40)], tmp_path=tmp_path)
    assert table["c0"].to_list()[:2] == ["2019-01-01", "2019-02-01"]


@pytest.mark.parametrize("date", ["9999-12-31", "1900-01-01"])
def test_dates_that_mean_nothing_are_told(date, tmp_path):
    cells = [date, date, *DAYS[2:].strftime("%Y-%m-%d")]
    with pytest.warns(DataWarning, match=rf"Column 'c0' is {date} in 2 rows, which may mean a missing value"):
        text_table(cells, tmp_path=tmp_path)
    text_table([date, *cells[2:], "2019-02-03"], tmp_path=tmp_path)


def test_declared_dates(tmp_path):
    table = text_table(DAYS.strftime("%Y%m%d"), tmp_path=tmp_path, kinds={"c0": "date"})
    assert table["c0"].to_list()[0] == "2019-01-27"
    with pytest.raises(
        DataError, match=r"Column 'c0' does not hold dates in one format, such as 2019-03-01."
    ):
        text_table(["x", "y"] * 20, tmp_path=tmp_path, kinds={"c0": "date"})


def test_codes_are_no_dates(tmp_path):
    table = text_table(["2019-01", "2019-02"] * 20, tmp_path=tmp_path)
    assert table["c0"].feature.is_nominal


def frame():
    return pd.DataFrame(
        {
            "day": DAYS,
            "time": DAYS + pd.Timedelta("90min"),
            "zone": (DAYS + pd.Timedelta("90min")).tz_localize("Europe/Berlin"),
            "lasted": DAYS - DAYS[0] + pd.Timedelta("30min"),
            "object": [day.date() for day in DAYS],
            "clock": [dt.time(12, minute) for minute in range(40)],
        }
    )


KINDS = ["date", "datetime", "datetime UTC", "duration", "date", ""]


@pytest.mark.parametrize("convert", [lambda X: X, pl.from_pandas, pa.Table.from_pandas])
def test_typed_columns_and_back(convert):
    X = frame()
    X.loc[3] = None
    X = convert(X)
    table = Table.from_any(X)
    assert [column.feature.kind for column in table.columns] == KINDS
    assert [column.value_at(1) for column in table.columns][:5] == [
        "2019-01-30",
        "2019-01-30 01:30",
        "2019-01-30 00:30 UTC",
        "3 days 0:30:00",
        "2019-01-30",
    ]
    assert all(column.value_at(3) is None for column in table.columns)
    made = RowForm.of(X).rows(table)
    assert Table.from_any(made).schema == table.schema
    if isinstance(X, pd.DataFrame):
        pd.testing.assert_frame_equal(made, X)
    elif isinstance(X, pl.DataFrame):
        assert made.equals(X)
    else:
        assert made.equals(X.replace_schema_metadata(None))


def test_arrays_and_objects():
    table = Table.from_any(np.array([["2019-03-01"], ["NaT"]], dtype="datetime64[D]"))
    assert table.columns[0].to_list() == ["2019-03-01", None]
    assert Table.from_any(np.array([[5], [90]], dtype="timedelta64[s]")).columns[0].values.tolist() == [5, 90]
    table = Table.from_any([[dt.date(2019, 3, 1)], [None]])
    assert table.columns[0].to_list() == ["2019-03-01", None]
    aware = dt.datetime(2019, 3, 1, 12, tzinfo=dt.timezone(dt.timedelta(hours=2)))
    assert Table.from_any([[aware]]).columns[0].to_list() == ["2019-03-01 10:00 UTC"]
    with pytest.raises(DataError, match="mixes dates and numbers"):
        Table.from_any([[dt.date(2019, 3, 1)], [1]])


def test_what_models_expect():
    schema = Table.from_any(frame()[["day", "time", "zone", "lasted"]]).schema
    assert Schema.from_json(schema.to_json()) == schema
    text = pd.DataFrame(
        {
            "day": ["2019-03-01 13:00", None],
            "time": ["2019-03-01", "1 Mar 2019"],
            "zone": ["2019-03-01 13:00+01:00", None],
            "lasted": pd.to_timedelta(["1h", None]),
        }
    )
    aligned = Table.from_any(text).aligned(schema)
    assert [column.value_at(0) for column in aligned.columns] == [
        "2019-03-01",
        "2019-03-01 00:00",
        "2019-03-01 12:00 UTC",
        "1:00:00",
    ]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (
            ["03/04/2019"],
            r"Column 'd' holds '03/04/2019' at row 0, in which the day or the month may be first\.",
        ),
        (["soon"], r"holds 'soon' at row 0, but the model expects dates"),
        ([17956.0], r"Column 'd' holds numbers, but the model expects dates\. Pass dates, or text such as"),
        (
            [20190301.0, 20190331.0],
            r"numbers, but the model expects dates\. Read the file with kinds=\{'d': 'date'\} \(--date d\)",
        ),
        (pd.to_timedelta(["1h"]), r"Column 'd' holds durations, but the model expects dates"),
        (
            pd.to_datetime(["2019-03-01 12:00Z"]),
            r"holds times with a time zone, but the model expects dates\. Remove the zone: with pandas, "
            r"X\['d'\]\.dt\.tz_localize\(None\) keeps the local times, and .*tz_convert\(None\) gives",
        ),
    ],
)
def test_refusals(column, message):
    schema = Table.from_any(pd.DataFrame({"d": DAYS})).schema
    with pytest.raises(DataError, match=message):
        Table.from_any(pd.DataFrame({"d": column})).aligned(schema)


@pytest.mark.parametrize(
    ("day_first", "text", "taken", "other"),
    [(True, "01/22/2019", "day", "mdy"), (False, "22/01/2019", "month", "dmy")],
)
def test_dates_in_the_other_order_are_refused_with_the_remedy(day_first, text, taken, other):
    feature = replace(Table.from_any(pd.DataFrame({"d": DAYS})).schema.features[0], day_first=day_first)
    message = rf"at row 0, but the model expects dates with the {taken} first\..*\(--date-order {other}\)"
    with pytest.raises(DataError, match=message):
        Table.from_any(pd.DataFrame({"d": [text]})).aligned(Schema((feature,)))


def test_times_without_the_zone_of_training_are_refused_with_the_remedy():
    times = pd.DataFrame({"d": pd.to_datetime(DAYS, utc=True)})
    schema = Table.from_any(times).schema
    message = r"holds dates, but the model expects times with a time zone\. Say which zone they are in: .*"
    with pytest.raises(DataError, match=message + r"X\['d'\]\.dt\.tz_localize\('Europe/Paris'\)\."):
        Table.from_any(pd.DataFrame({"d": DAYS})).aligned(schema)


@pytest.mark.parametrize("zone", ["America/New_York", "Etc/GMT+5", "Europe/Berlin"])
def test_times_of_every_zone_are_in_utc_and_keep_their_type(zone):
    utc = pd.Series(pd.to_datetime(["2024-03-01 12:00", None, "2024-03-02 13:00"], utc=True))
    frame = pd.DataFrame({"d": utc.dt.tz_convert(zone)})
    table = Table.from_any(frame)
    assert table["d"].feature.kind == "datetime UTC"
    assert np.array_equal(table["d"].values, Table.from_any(utc.to_frame("d"))["d"].values, equal_nan=True)
    assert RowForm.of(frame).rows(table)["d"].dtype == frame["d"].dtype


def test_models_without_dates_refuse_them():
    numbers = Table.from_any(pd.DataFrame({"d": [1.0]})).schema
    words = Table.from_any(pd.DataFrame({"d": ["a"]})).schema
    dates = Table.from_any(pd.DataFrame({"d": DAYS}))
    with pytest.raises(
        DataError, match=r"holds dates, but the model expects numbers\. Convert them as for training"
    ):
        dates.aligned(numbers)
    with pytest.raises(
        DataError, match=r"expects categories\. Read the file with kinds=\{'d': 'categorical'\}"
    ):
        dates.aligned(words)


def test_frames_of_text_leave_an_open_order_alone():
    early = pd.DataFrame({"d": [f"0{1 + n % 9}/0{1 + n % 7}/2019" for n in range(40)]})
    columns, notes = recognize_dates(Table.from_any(early).columns)
    assert columns[0].feature.is_nominal
    assert not notes


def test_new_rows_are_read_like_the_old_ones(tmp_path):
    table = text_table(DAYS.strftime("%d/%m/%Y"), tmp_path=tmp_path)
    path = tmp_path / "new.csv"
    path.write_text("c0\n03/04/2019\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sl.read_table(path, like=table)["c0"].to_list() == ["2019-04-03"]


def test_to_pandas_and_categories():
    table = Table.from_any(frame())
    assert table.to_pandas()["day"].equals(frame()["day"].astype("datetime64[us]"))
    nominal = Table.from_any(frame()[["day"]], categorical_features=["day"])
    assert nominal["day"].feature.categories[0] == "2019-01-27"


def test_workbooks(tmp_path):
    path = tmp_path / "rows.xlsx"
    frame()[["day", "time"]].assign(lasted=[30.0] * 40).to_excel(path, index=False)
    table = sl.read_table(path)
    assert [feature.kind for feature in table.schema.features] == ["date", "datetime", ""]
    assert table["time"].to_list()[0] == "2019-01-27 01:30"


@pytest.mark.parametrize(
    "word", ["0000-00-00", "00.00.0000", "0000-00-00 00:00:00", "-", "unbekannt", "k.A."]
)
def test_words_for_a_missing_date_may_be_many(word, tmp_path):
    cells = [word if row % 3 == 0 else day for row, day in enumerate(DAYS.strftime("%d.%m.%Y"))]
    with pytest.warns(
        DataWarning, match="Column 'c0' holds dates, but also .* These cells are read as missing"
    ):
        column = text_table(cells, tmp_path=tmp_path)["c0"]
    assert column.feature.kind == "date"
    assert column.is_missing.tolist() == [row % 3 == 0 for row in range(len(DAYS))]


def test_days_and_months_that_a_program_has_swapped_are_told(tmp_path):
    days = pd.date_range("2019-01-01", periods=120)
    cells = [f"{day:%d/%m/%Y}" if day.day > 12 else f"{day:%Y-%d-%m}" for day in days]
    with pytest.warns(DataWarning, match="may have swapped day and month in the latter"):
        assert text_table(cells, tmp_path=tmp_path)["c0"].feature.kind == "date"


def test_the_order_of_new_dates_can_be_given(tmp_path):
    schema = Table.from_any(pd.DataFrame({"c0": DAYS, "c1": range(len(DAYS))})).schema
    columns = (DAYS.strftime("%m/%d/%Y"), [str(row) for row in range(len(DAYS))])
    with pytest.raises(DataError, match="in which the day or the month may be first"):
        text_table(*columns, tmp_path=tmp_path, like=schema)
    table = text_table(*columns, tmp_path=tmp_path, like=schema, date_order="mdy")
    assert table["c0"].to_list() == DAYS.strftime("%Y-%m-%d").tolist()
