"""Sheets as people have them: cells beside the table, hidden rows, formulas without results."""

import datetime as dt
import io
import re
import zipfile

import numpy as np
import openpyxl
import pytest
import python_calamine
from workbooks import read_book as read
from workbooks import write_workbook

import sightline as sl
from sightline.exceptions import DataError, DataWarning
from sightline.table.sheets._errors import stored_errors

N_ROWS = 30
HEADER = ["age", "job", "income"]
ROWS = [[20 + row, ["cook", "smith", "judge"][row % 3], 1000.5 + row] for row in range(N_ROWS)]


def book_of(rows=ROWS, header=HEADER, top=1, left=1):
    book = openpyxl.Workbook()
    for index, row in enumerate([header, *rows]):
        for column, value in enumerate(row):
            book.active.cell(top + index, left + column, value)
    return book


def put(sheet, corner, rows):
    first = sheet[corner]
    for index, row in enumerate(rows):
        for column, value in enumerate(row):
            sheet.cell(first.row + index, first.column + column, value)


@pytest.mark.parametrize(
    ("corner", "cells", "text"),
    [
        ("E1", [["job", "mean"], ["cook", 1012.0], ["smith", 1015.0]], "E1:F3"),
        ("F4", [["Note: preliminary"]], "F4"),
        ("E3", [["total", 30], ["mean", 34.5]], "E3:F4"),
        ("E1", [["age", "job"], [1, "x"]], "E1:F2"),
    ],
)
def test_cells_beside_the_table_are_not_read(corner, cells, text, tmp_path):
    book = book_of()
    put(book.active, corner, cells)
    table, notes = read(tmp_path, book)
    assert table.names == HEADER
    assert table["income"].values.tolist() == [row[2] for row in ROWS]
    assert notes == [f"Read the table in columns A to C. The cells {text} beside it were not read."]
    with pytest.raises(DataError, match=f"no column 'mean'.* The cells {text} beside it were not read"):
        read(tmp_path, book, "mean")


def test_a_table_may_stand_to_the_right_of_other_cells(tmp_path):
    book = book_of(left=5, top=3)
    put(book.active, "A1", [["Report", "2024"], ["Author", "Ann"], ["Pages", 2]])
    table, notes = read(tmp_path, book)
    assert table.names == HEADER
    assert notes == ["Read the table in columns E to G. The cells A1:B3 beside it were not read."]


def test_an_empty_column_may_stand_within_a_table(tmp_path):
    book = book_of()
    put(book.active, "E1", [["score"], *([row / 4] for row in range(N_ROWS - 1))])
    put(book.active, "G1", [["remark"]])
    book.active["G9"], book.active["G20"] = "late", "left"
    table, notes = read(tmp_path, book)
    assert table.names == [*HEADER, "score", "remark"]
    assert table["score"].is_missing.sum() == 1
    assert table["remark"].to_list().count(None) == N_ROWS - 2
    assert notes == []


def test_hidden_rows_and_columns_are_read_and_told(tmp_path):
    book = book_of()
    for row in (4, 5):
        book.active.row_dimensions[row].hidden = True
    book.active.column_dimensions["B"].hidden = True
    table, notes = read(tmp_path, book)
    assert table.shape == (N_ROWS, 3)
    assert notes == [
        "The sheet has 2 hidden rows, the first is row 4. They are read like the others.",
        "Hidden column is read too: B of the sheet.",
    ]


def test_formulas_without_results_are_told(tmp_path):
    book = book_of()
    book.active["C7"], book.active["C12"] = "=SUM(A1:A6)", "=C7+1"
    table, notes = read(tmp_path, book)
    assert table["income"].is_missing.sum() == 2
    assert len(notes) == 1
    assert notes[0].startswith(
        "The sheet has 2 formulas without a stored result, first in cell C7. Such cells are"
    )
    book = book_of([[*row, f"=A{index + 2}"] for index, row in enumerate(ROWS)], [*HEADER, "sum"])
    table, notes = read(tmp_path, book)
    assert [note[:44] for note in notes] == ["Column 'sum' is empty in every row. If it ho"]


def test_errors_are_found_in_xml_with_prefixes(tmp_path):
    book = book_of()
    book.active["C3"] = "#REF!"
    book.active["C3"].data_type = "e"
    book.active.title = "A & B"
    buffer = io.BytesIO()
    book.save(buffer)
    path = tmp_path / "rows.xlsx"

    def rewritten(change):
        with zipfile.ZipFile(buffer) as old, zipfile.ZipFile(path, "w") as new:
            for name in old.namelist():
                new.writestr(name, change(name, old.read(name)))

    def with_prefix(name, text):
        if not name.endswith("sheet1.xml"):
            return text
        text = re.sub(rb"<(/?)(?=\w)", rb"<\1x:", text)
        return text.replace(b'xmlns="', b'xmlns:x="')

    rewritten(with_prefix)
    with pytest.warns(sl.exceptions.DataWarning, match=r"1 in column 'income' \(first '#REF!', line 3\)"):
        sl.read_table(path)


@pytest.mark.parametrize(
    ("below", "text"),
    [
        ([[], ["job", "mean"], ["cook", 1012.0], ["judge", 1013.5]], "A33:B35"),
        ([[], [], ["By job"], ["", "job", "n"], ["", "cook", 10.0]], "A34:C36"),
        ([[], ["Year", "Premium", "n"], *[[1990.0 + row, row * 7.0, 1.0] for row in range(40)]], "A33:C73"),
    ],
)
def test_another_table_below_is_not_read(below, text, tmp_path):
    book = book_of()
    for row in below:
        book.active.append(row)
    # The first names stand in the column of ages, the second in that of incomes.
    table, notes = read(tmp_path, book)
    assert table.shape == (N_ROWS, 3)
    assert notes == [f"The cells {text} below the table were not read."]


def test_a_first_table_with_years_as_names_is_the_table(tmp_path):
    book = book_of([["Bern", 3.0, row] for row in range(9)], ["city", 2019, 2020])
    for row in ([], ["job", "mean"], *[["cook", 1012.0]] * 6):
        book.active.append(row)
    table, _ = read(tmp_path, book)
    assert (table.names, table.n_rows) == (["city", "2019", "2020"], 9)


def test_another_table_above_is_not_read(tmp_path):
    book = book_of([["files", 3.0], ["customers", 12.0]], ["part", "n"])
    for row in ([], HEADER, *ROWS, [], ["job", "mean", "n"], ["cook", 1012.0, 3.0]):
        book.active.append(row)
    book.active["C9"] = "unknown"
    table, notes = read(tmp_path, book)
    assert table.names == HEADER
    assert table.n_rows == N_ROWS
    assert notes[:2] == [
        "The cells A1:B3 above the table were not read.",
        "The cells A37:C38 below the table were not read.",
    ]
    assert "(line 9)" in notes[2]


def test_text_below_an_empty_row_is_no_name_if_it_is_a_quantity(tmp_path):
    book = book_of()
    for row in ([], *[["51", "cook", f">{row},5"] for row in range(N_ROWS)]):
        book.active.append(row)
    table, _ = read(tmp_path, book)
    assert table.n_rows == 2 * N_ROWS


def test_rows_below_an_empty_one_are_rows(tmp_path):
    book = book_of()
    for row in ([], [51.0, "cook", 999.5], ["unknown", "smith", 999.5], [], HEADER, [52.0, "judge", 999.5]):
        book.active.append(row)
    table, _ = read(tmp_path, book)
    assert table["income"].values.tolist() == [*(row[2] for row in ROWS), *[999.5] * 3]


@pytest.mark.parametrize(
    ("numbers", "text", "expected"),
    [
        ([500.0, 2100.0, 7.0] * 10, "1.131", 1131.0),  # whole numbers, so the point divides thousands
        ([500.25, 2100.5, 7.75] * 10, "1.131", 1.131),
        ([500.25, 2100.5, 7.75] * 10, "1,131", 1.131),
        ([500.0, 2100.0, 7.0] * 10, "1,131", 1131.0),
    ],
)
def test_marks_in_text_are_not_those_of_stored_numbers(numbers, text, expected, tmp_path):
    rows = [[number, "x", row + 0.5] for row, number in enumerate(numbers)]
    rows[4][0] = text
    table, notes = read(tmp_path, book_of(rows))
    assert table["age"].values[4] == expected
    assert len(notes) == 1
    assert notes[0].startswith("Column 'age' is read with ")
    # Other text of the column decides.
    rows[7][0] = "2.131,25"
    table, notes = read(tmp_path, book_of(rows))
    assert table["age"].values[[4, 7]].tolist() == [1131.0 if text == "1.131" else 1.131, 2131.25]
    assert notes == []


def test_booleans_and_text_that_says_so_are_one(tmp_path):
    flags = [True, "TRUE", False, "FALSE", "false ", None]
    rows = [[flags[row % 6], "TRUE" if row % 2 else "no", row] for row in range(N_ROWS)]
    table, notes = read(tmp_path, book_of(rows, ["flag", "text", "n"]))
    assert table["flag"].to_list() == ["True", "True", "False", "False", "False", None] * 5
    assert table["text"].feature.categories == ("TRUE", "no")
    assert notes == []


def test_durations_are_hours(tmp_path):
    lengths = [dt.timedelta(hours=row, minutes=30 * (row % 2)) for row in range(N_ROWS)]
    rows = [[length, row % 3] for row, length in enumerate(lengths)]
    table, _ = read(tmp_path, book_of(rows, ["length", "n"]))
    assert table["length"].to_list() == [row + 0.5 * (row % 2) for row in range(N_ROWS)]


def test_durations_have_a_sign_and_fractions_of_seconds(tmp_path):
    lengths = [dt.timedelta(hours=-0.5), dt.timedelta(hours=-25), dt.timedelta(seconds=4.5)]
    table, notes = read(tmp_path, book_of([[length, 1] for length in lengths], ["length", "n"]))
    assert table["length"].to_list() == [-0.5, -25, 4.5 / 3600]
    assert notes == []


@pytest.mark.parametrize("epoch", [1900, 1904])
def test_times_beyond_a_day_are_hours(epoch, tmp_path):
    serials = [0.5, 1.25, 2.0, 0.75]
    book = book_of([[serial, serial, row] for row, serial in enumerate(serials)], ["length", "day", "n"])
    if epoch == 1904:
        book.epoch = dt.datetime(1904, 1, 1)
    for row in range(2, 6):
        book.active.cell(row, 1).number_format = book.active.cell(row, 2).number_format = "h:mm"
    # A real day in a column means that all are days.
    book.active.cell(5, 2).value = 45_000.5
    table, notes = read(tmp_path, book)
    assert table["length"].to_list() == [12, 30, 48, 18]
    assert table["day"].feature.is_nominal
    assert notes == []


def test_times_beyond_a_day_in_opendocument_are_hours(tmp_path):
    cells = ["PT24H30M15.5S", "PT20H30M15.5S", "-PT00H30M00S", "PT00H00M00S"]
    path = write_workbook(tmp_path / "rows.ods", [["length", "n"], *([cell, 1.0] for cell in cells)])
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    stored = re.sub(
        rb'value-type="string">(?=<text:p>(-?PT\w+[.]?\w*)<)',
        rb'value-type="time" office:time-value="\1">',
        parts["content.xml"],
    )
    assert stored.count(b"time-value") == len(cells)
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, stored if name == "content.xml" else part)
    assert sl.read_table(path)["length"].to_list() == [
        24 + 30.25833333333333 / 60,
        20.504305555555554,
        -0.5,
        0,
    ]


def test_text_of_cells_is_text(tmp_path):
    """Cells with delimiters, quotes, line ends and the mark of comments, and columns of numbers and text."""
    words = ["#1", "a,b;c|d", 'say "no"', "two\nlines", "plain", "x\ty"] * 5
    sizes = [1.5, "S", 2.25] * 10
    table, notes = read(
        tmp_path, book_of([[*cells, 1] for cells in zip(words, sizes, strict=True)], ["# room", "size", "n"])
    )
    assert table["# room"].to_list() == ["#1", "a,b;c|d", 'say "no"', "two lines", "plain", "x\ty"] * 5
    assert set(table["size"].feature.categories) == {"1.5", "2.25", "S"}
    assert notes == []


def test_the_first_sheet_with_a_table_is_read(tmp_path):
    book = book_of()
    book.create_sheet("Cover", 0)["B2"] = "Customers"
    table, notes = read(tmp_path, book)
    assert table.names == HEADER
    assert notes == ["Read sheet 'Sheet'. The workbook also has 'Cover'; choose with sheet= (--sheet)."]


@pytest.mark.parametrize("suffix", [".xls", ".xlsb", ".ods"])
@pytest.mark.parametrize("error", ["#VALUE!", "#N/A", "#DIV/0!", "#REF!", "#NAME?"])
def test_errors_in_other_formats_are_missing_with_a_warning(suffix, error, tmp_path):
    rows = [["size", "color", "cost"], *([row + 0.5, "red" if row % 3 else "blue", 2.0] for row in range(40))]
    rows[6][0] = rows[10][0] = rows[6][1] = error
    rows[8][2] = (error,)  # the result of a formula
    path = write_workbook(tmp_path / f"rows{suffix}", rows)
    with pytest.warns(DataWarning) as caught:
        table = sl.read_table(path)
    assert [str(warning.message) for warning in caught] == [
        f"{path}: Spreadsheet errors are read as missing: 2 in column 'size' (first '{error}', line 7), 1 in "
        f"column 'color' (first '{error}', line 7) and 1 in column 'cost' (first '{error}', line 9)."
    ]
    assert np.flatnonzero(table["size"].is_missing).tolist() == [5, 9]
    assert np.flatnonzero(table["color"].is_missing).tolist() == [5]
    assert table["color"].feature.categories == ("blue", "red")
    assert np.flatnonzero(table["cost"].is_missing).tolist() == [7]


@pytest.mark.parametrize("suffix", [".xls", ".xlsb", ".ods"])
def test_errors_are_looked_for_in_damaged_workbooks_too(suffix, tmp_path):
    rows = [["size", "color"], *([row + 0.5, "#N/A" if row == 3 else "red"] for row in range(20))]
    content = write_workbook(tmp_path / f"rows{suffix}", rows).read_bytes()
    assert stored_errors(content, "rows", (21, 2)) == {(4, 1): "#N/A"}
    assert stored_errors(content, "other", (21, 2)) == {}
    for cut in range(len(content)):
        for damaged in (content[:cut], content[:cut] + b"\xff\xff\xff\xff" + content[cut + 4 :]):
            found = stored_errors(damaged, "rows", (21, 2))
            assert len(found) <= 2 * len(rows)


def test_repeated_errors_end_where_the_table_does(tmp_path):
    path = write_workbook(tmp_path / "rows.ods", [["size", "color"], [0.5, "#N/A"]])
    with zipfile.ZipFile(path) as archive:
        xml = archive.read("content.xml").decode()
    often = 'table:number-{}s-repeated="2000000000"'
    head, _, last = xml.rpartition("<table:table-row>")
    last = last.replace(
        "<table:table-cell table:formula", f"<table:table-cell {often.format('column')} table:formula"
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("content.xml", f"{head}<table:table-row {often.format('row')}>{last}")
    found = stored_errors(path.read_bytes(), "rows", (4, 3))
    assert sorted(found) == [(row, column) for row in (1, 2, 3) for column in (1, 2)]


def test_a_panic_of_the_reader_is_a_refusal(tmp_path, monkeypatch):
    class PanicException(BaseException):
        """As Rust code raises it."""

    def panic(_):
        raise PanicException("index out of bounds")

    path = write_workbook(tmp_path / "rows.xls", [["a", "b"], [1.0, 2.0]])
    monkeypatch.setattr(python_calamine.CalamineWorkbook, "from_object", panic)
    with pytest.raises(DataError) as caught:
        sl.read_table(path)
    reason = "this is not a workbook, or it is damaged (index out of bounds)"
    assert str(caught.value) == f"{path}: {reason}."


def test_dates_are_dates_where_the_cells_are_formatted_so(tmp_path):
    days = [dt.date(2020, 1, 1) + dt.timedelta(7 * row) for row in range(20)]
    serials = [(day - dt.date(1899, 12, 30)).days for day in days]
    rows = [["day", "serial"], *([day, serial] for day, serial in zip(days, serials, strict=True))]
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "rows.xlsx")
    for path in (tmp_path / "rows.xlsx", write_workbook(tmp_path / "rows.ods", rows)):
        table = sl.read_table(path)
        assert table["day"].to_list() == [str(day) for day in days]
        assert table["serial"].to_list() == serials


def test_blanks_around_text_do_not_matter(tmp_path):
    rows = [[text, 1] for text in ("a, b ", "a, b", " a, b", "yes ", "yes")]
    table, notes = read(tmp_path, book_of(rows, ["a", "b"]))
    assert table["a"].to_list() == ["a, b"] * 3 + ["yes"] * 2
    assert notes == []
