"""Numbers and dates that are something else: months such as 1.2018, versions such as 3.8.10."""

import warnings

import pytest

import sightline as sl

MONTHS = [f"{month}.{year}" for year in (2018, 2019) for month in range(1, 13)]


def told(tmp_path, cells, **options):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n" + "".join(f"{cell},{row % 3}\n" for row, cell in enumerate(cells)))
    with warnings.catch_warnings(record=True, action="always") as caught:
        table = sl.read_table(path, **options)
    return table["a"], [str(one.message).removeprefix(f"{path}: ") for one in caught]


def test_months_that_are_read_as_numbers_are_told(tmp_path):
    column, notes = told(tmp_path, MONTHS)
    assert column.values[1] == 2.2018
    assert notes == [
        "Column 'a' holds numbers such as 1.2018, which may be months. As numbers, they are ordered by "
        "month, not by year. If so, write them as in 2018-01."
    ]
    assert told(tmp_path, MONTHS, kinds={"a": "numeric"})[1] == []


@pytest.mark.parametrize(
    "cells",
    [
        [*MONTHS, "13.2018"],
        [*MONTHS, "1.5"],
        [f"{row}.2" for row in range(1, 13)],
        MONTHS[:4],
        ["1.2018", "1.2019", "1.2017"] * 4,
    ],
)
def test_other_numbers_are_left_in_peace(cells, tmp_path):
    assert told(tmp_path, cells)[1] == []


def test_versions_that_are_read_as_dates_are_told(tmp_path):
    versions = ["3.8.10", "3.10.12", "3.11.10"]
    column, notes = told(tmp_path, versions)
    assert column.to_list() == ["2010-08-03", "2012-10-03", "2010-11-03"]
    assert notes == [
        "Column 'a' is read as dates, such as '3.10.12' as 2012-10-03. If they are version numbers, pass "
        "kinds={'a': 'categorical'} (--categorical a)."
    ]
    assert told(tmp_path, versions, kinds={"a": "date"})[1] == []
    assert told(tmp_path, versions, kinds={"a": "categorical"})[1] == []


@pytest.mark.parametrize("last", ["03.12.10", "31.12.10", "3.12.2010"])
def test_one_cell_that_is_no_version_makes_all_dates(last, tmp_path):
    assert told(tmp_path, ["3.8.10", "3.10.12", "3.11.10", last])[1] == []
