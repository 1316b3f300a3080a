"""Durations as text, as cells and as numbers with a unit, read for a model that learned timedeltas."""

import datetime as dt
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sightline import read_table
from sightline.exceptions import DataError
from sightline.table import Table, table_of_row
from sightline.table.dates._durations import read_duration
from sightline.wording import instant_text

LASTED = pd.to_timedelta([*range(0, 400_000, 21_600), -7200, 0.000001], unit="s")
SCHEMA = Table.from_any(pd.DataFrame({"lasted": LASTED})).schema
DAY = 86_400


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("18 days 18:00:00", 18.75 * DAY),
        ("1 day", DAY),
        ("1,234 days", 1234 * DAY),
        ("18:00:00", 0.75 * DAY),
        ("0:00:00.000001", 1e-6),
        ("2:30", 9000),
        ("1 day, 2:00:00", DAY + 7200),
        ("-1 day, 22:00:00", -7200),
        ("-1 days +22:00:00", -7200),
        ("-1 days -02:00:00", -DAY - 7200),
        ("-1 day 2:00:00", -DAY - 7200),
        ("-2:00:00", -7200),
        ("P18DT18H", 18.75 * DAY),
        ("-PT1M1.5S", -61.5),
        ("0 days 00:00:00.000999999", 0.000999),
        ("-1 days +23:59:59.999999001", -1e-6),
        ("-0:00:00.000000001", -1e-6),
        ("P2D", 2 * DAY),
        *((text, None) for text in ("", "P", "PT", "5", "days", "soon", "1 day 2", "1:99", "2019-03-01")),
        *((text, None) for text in ("1,5 days", "12,34 days", "1,2345 days")),
    ],
)
def test_what_programs_write(text, seconds):
    assert read_duration(text) == seconds


def test_every_duration_reads_back():
    random = np.random.default_rng(0)
    for micro in [*range(-3, 4), *random.integers(-(10**14), 10**14, 500).tolist()]:
        lasted = dt.timedelta(microseconds=micro)
        known = lasted.total_seconds()
        assert read_duration(instant_text(known, "duration")) == known
        assert read_duration(str(lasted)) == read_duration(str(pd.Timedelta(lasted))) == known


@pytest.mark.parametrize(
    "cell",
    [
        pd.Timedelta("18D 18h"),
        dt.timedelta(days=18, hours=18),
        np.timedelta64(450, "h"),
        np.timedelta64(450 * 3600 * 10**9, "ns"),
        "18 days 18:00:00",
    ],
)
def test_one_row(cell):
    for row in ({"lasted": cell}, pd.Series({"lasted": cell}, dtype=object), [cell]):
        table = table_of_row(row, SCHEMA, "the tree").aligned(SCHEMA, "the tree")
        assert table.columns[0].values.tolist() == [18.75 * DAY]


NANOSECONDS = [1_001_000_000, 1_003_000_000, 1_999, 999, 0, -1, -999, -1_000, -1_001, 10**15 + 1, -(10**15)]


@pytest.mark.parametrize("unit", ["ns", "us", "ms", "s"])
@pytest.mark.parametrize("kind", ["timedelta64", "datetime64"])
def test_every_form_is_rounded_down_to_microseconds(kind, unit):
    cells = np.array(NANOSECONDS, dtype=f"{kind}[ns]").astype(f"{kind}[{unit}]")
    expected = cells.astype(f"{kind}[us]").astype(np.int64) / 1e6
    gapped = np.append(cells, np.array("NaT", dtype=cells.dtype))
    of_arrow = pa.array(gapped)
    forms = [
        gapped.reshape(-1, 1),
        pd.DataFrame({"w": gapped}),
        pd.DataFrame({"w": pd.Series(gapped).astype(object)}),
        pd.DataFrame({"w": pd.Series(of_arrow, dtype=pd.ArrowDtype(of_arrow.type))}),
        pa.table({"w": of_arrow}),
        *([] if unit == "s" else [pl.DataFrame({"w": gapped})]),
    ]
    for X in forms:
        (column,) = Table.from_any(X).columns
        seconds = column.values * (DAY if column.feature.kind == "date" else 1)
        assert np.isnan(seconds[-1])
        assert seconds[:-1].tolist() == expected.tolist()
        assert Table.from_any(X[:-1]).columns[0].values.tolist() == column.values[:-1].tolist()


@pytest.mark.parametrize("unit", ["ns", "us"])
def test_one_row_is_read_like_its_column(unit):
    lasted = pd.Series(pd.to_timedelta([1.7e15 + 999_999, -1.7e15 - 1, 1_001_000_000, -999], unit="ns"))
    frame = pd.DataFrame({"lasted": lasted.dt.as_unit(unit), "at": pd.Timestamp("2024-05-01") + lasted})
    table = Table.from_any(frame.assign(at=frame["at"].dt.as_unit(unit)))
    for row in range(len(frame)):
        one = table_of_row(frame.iloc[row].to_dict(), table.schema, "it").aligned(table.schema, "it")
        for read, column in zip(one.columns, table.columns, strict=True):
            assert read.values[0] == column.values[row]


def test_a_gap_does_not_limit_the_years():
    far = [dt.datetime(2300, 1, 1), dt.datetime(1970, 1, 1, 0, 0, 1), None]
    column = Table.from_any(pa.table({"at": far})).columns[0]
    np.testing.assert_array_equal(column.values, [10_413_792_000, 1, np.nan])


def test_times_of_day_are_read_alike_from_files_and_frames(tmp_path):
    micro = np.random.default_rng(0).integers(0, DAY * 10**6, 500).tolist()
    times = [(dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=size)).time() for size in micro]
    frame = pd.DataFrame({"at": times, "n": range(500)})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    read = read_table(tmp_path / "rows.csv")
    assert read["at"].values.tolist() == Table.from_any(frame)["at"].values.tolist()


def test_rows_of_tables_and_files_fit_again(tmp_path):
    table = Table.from_any(pd.DataFrame({"lasted": LASTED}))
    assert table[3] == {"lasted": "18:00:00"}
    for row in range(table.n_rows):
        again = table_of_row(table[row], SCHEMA, "the tree").aligned(SCHEMA, "the tree")
        assert again.columns[0].values.tolist() == [table.columns[0].values[row]]
    pd.DataFrame({"lasted": LASTED, "n": 1}).to_csv(tmp_path / "rows.csv", index=False)
    read = read_table(tmp_path / "rows.csv")
    aligned = Table(read.columns[:1]).aligned(SCHEMA, "the tree")
    assert aligned.columns[0].values.tolist() == table.columns[0].values.tolist()


def test_numbers_with_a_unit_of_time_and_missing_cells(tmp_path):
    (tmp_path / "rows.csv").write_text("lasted,n\n" + "".join(f"{n}:20,{n}\n" for n in range(12)) + ",12\n")
    read = read_table(tmp_path / "rows.csv")
    seconds = Table(read.columns[:1]).aligned(SCHEMA, "the tree").columns[0].values
    assert seconds[:-1].tolist() == [3600 * n + 1200 for n in range(12)]
    assert np.isnan(seconds[-1])
    nothing = table_of_row({"lasted": None}, SCHEMA, "the tree").aligned(SCHEMA, "the tree")
    assert np.isnan(nothing.columns[0].values[0])


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (
            "soon",
            "Column 'lasted' holds 'soon' at row 0, but the tree expects durations. Write them as in "
            "1 day 12:30:00, and leave unknown ones empty.",
        ),
        (
            5.0,
            "Column 'lasted' holds numbers, but the tree expects durations. Pass timedeltas, or text such as "
            "1 day 12:30:00.",
        ),
    ],
)
def test_refusals(cell, message):
    with pytest.raises(DataError, match=f"^{re.escape(message)}$"):
        table_of_row({"lasted": cell}, SCHEMA, "the tree").aligned(SCHEMA, "the tree")
