"""Number formats of Excel: codes with leading zeros and units are read as the same cells in a CSV file."""

import warnings
import zipfile

import openpyxl
import pytest

import sightline as sl
from sightline.exceptions import DataError
from sightline.table.sheets._shown_format import shown_formats

N_ROWS = 30
SIZES = [round(1.5 + row * 7.25, 3) for row in range(N_ROWS)]


def read(path, **options):
    with warnings.catch_warnings(record=True, action="always") as caught:
        table = sl.read_table(path, **options)
    return table, [str(warning.message).removeprefix(f"{path}: ") for warning in caught]


def sheet_of(tmp_path, numbers, formats, name="size", top=1):
    """Write numbers with their formats, beside a column of text."""
    book = openpyxl.Workbook()
    book.active.cell(top, 1, name)
    book.active.cell(top, 2, "job")
    for row, (number, code) in enumerate(zip(numbers, formats, strict=True), top + 1):
        book.active.cell(row, 1, number).number_format = code
        book.active.cell(row, 2, ["cook", "smith", "judge"][row % 3])
    path = tmp_path / "rows.xlsx"
    book.save(path)
    return path


def csv_of(tmp_path, cells, name="size"):
    """Write the same cells as they are shown."""
    path = tmp_path / "rows.csv"
    lines = [f"{cell}\t{['cook', 'smith', 'judge'][row % 3]}" for row, cell in enumerate(cells, 2)]
    path.write_text("\n".join([f"{name}\tjob", *lines]) + "\n")
    return path


def changed_part(path, part, change):
    """Rewrite one part of a workbook."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[part] = change(parts[part])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize(
    ("code", "write"),
    [
        ("00000", "{:05d}".format),
        ("00", "{:02d}".format),
        ("[$-407]00000", "{:05d}".format),
        ("00000-0000", lambda number: f"{number // 10000:05d}-{number % 10000:04d}"),
        (r"000\-00\-0000", lambda number: f"000-{number // 10000:02d}-{number % 10000:04d}"),
        ('"D-"00000', "D-{:05d}".format),
    ],
)
def test_formats_of_zeros_show_codes(code, write, tmp_path):
    numbers = [1 + 3571 * row for row in range(N_ROWS)]
    table, notes = read(sheet_of(tmp_path, numbers, [code] * N_ROWS, "zip"))
    shown = [write(number) for number in numbers]
    expected, expected_notes = read(csv_of(tmp_path, shown, "zip"))
    assert table["zip"].feature.is_nominal
    assert table["zip"].to_list() == expected["zip"].to_list() == shown
    assert notes == expected_notes


@pytest.mark.parametrize(
    "code", ["0", "0.00", "#,##0", "00.00", "0.00E+00", "0%", "00:00", '0,"K"', "General"]
)
def test_other_formats_do_not_change_numbers(code, tmp_path):
    table, notes = read(sheet_of(tmp_path, SIZES, [code] * N_ROWS))
    assert table["size"].to_list() == SIZES
    assert (notes, table.number_format.units) == ([], {})


def test_codes_without_leading_zeros_are_numbers_as_in_csv(tmp_path):
    years = [2000 + row for row in range(N_ROWS)]
    table, notes = read(sheet_of(tmp_path, years, ["0000"] * N_ROWS))
    assert (table["size"].to_list(), notes) == (years, [])


def test_fractions_and_negative_numbers_are_no_codes(tmp_path):
    numbers = [-5, 2.5, *range(100, 128)]
    table, _ = read(sheet_of(tmp_path, numbers, ["000"] * N_ROWS))
    assert table["size"].to_list() == numbers


def test_codes_and_plain_numbers_in_one_column_are_categories(tmp_path):
    numbers = [1067 + 999 * row for row in range(N_ROWS)]
    formats = ["General" if row % 5 else "00000" for row in range(N_ROWS)]
    table, notes = read(sheet_of(tmp_path, numbers, formats))
    shown = [str(n) if row % 5 else f"{n:05d}" for row, n in enumerate(numbers)]
    expected, expected_notes = read(csv_of(tmp_path, shown))
    assert table["size"].to_list() == expected["size"].to_list() == shown
    assert notes == expected_notes


@pytest.mark.parametrize(
    ("code", "unit"),
    [
        ('0 "kg"', "kg"),
        ('General" kg"', "kg"),
        ("#,##0.00 [$€-407]", "€"),
        ("[$$-409]#,##0.00;[Red]-[$$-409]#,##0.00", "$"),
        ('_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-;_-@_-', "€"),
        ('0"%"', "%"),
    ],
)
def test_one_unit_is_that_of_the_column(code, unit, tmp_path):
    table, notes = read(sheet_of(tmp_path, SIZES, [code] * N_ROWS, top=3))
    assert table["size"].to_list() == SIZES
    assert table["size"].feature.unit == unit
    assert (table.number_format.units, notes) == ({"size": unit}, [])


@pytest.mark.parametrize(
    ("formats", "cells", "share"),
    [
        (('0.0 "kg"', '0 "g"'), ("{} kg", "{} g"), 5),
        (('0.0 "kg"', '0 "lb"'), ("{} kg", "{} lb"), 20),
        (("0 [$€-407]", "[$$-409]0"), ("{} €", "${}"), 2),
        (("0 [$€-407]", "[$$-409]0"), ("{} €", "${}"), 20),
        (('"$"#,##0', '#,##0 "EUR"'), ("${}", "{} EUR"), 3),
    ],
)
def test_several_units_are_read_as_in_csv(formats, cells, share, tmp_path):
    which = [int(row % share == 1) for row in range(N_ROWS)]
    numbers = [row + 5.5 for row in range(N_ROWS)]
    table, notes = read(sheet_of(tmp_path, numbers, [formats[one] for one in which]))
    shown = [cells[one].format(n) for one, n in zip(which, numbers, strict=True)]
    expected, expected_notes = read(csv_of(tmp_path, shown))
    assert table["size"].to_list() == expected["size"].to_list()
    assert table["size"].feature.unit == expected["size"].feature.unit
    assert notes == expected_notes
    assert notes


def test_three_digits_after_the_point_are_no_thousands(tmp_path):
    numbers = [1.125 + row for row in range(N_ROWS)]
    formats = ['0 "kg"' if row else '0 "g"' for row in range(N_ROWS)]
    table, notes = read(sheet_of(tmp_path, numbers, formats))
    assert table["size"].to_list() == [0.001125, *numbers[1:]]
    assert len(notes) == 1
    assert "converted to 'kg'" in notes[0]


def test_a_unit_of_some_numbers_is_told(tmp_path):
    formats = ['0 "kg"' if row < 9 else "General" for row in range(N_ROWS)]
    table, notes = read(sheet_of(tmp_path, SIZES, formats))
    assert (table["size"].to_list(), table["size"].feature.unit) == (SIZES, "kg")
    text = "Column A of the sheet shows numbers with 'kg', such as cell A2, and without a unit, such as cell"
    assert notes == [f"{text} A11. They are read as numbers with the same unit."]


def test_a_unit_that_begins_later_is_told(tmp_path):
    formats = ['0 "kg"' if row > 9 else "General" for row in range(N_ROWS)]
    table, notes = read(sheet_of(tmp_path, SIZES, formats))
    assert table["size"].feature.unit == "kg"
    assert "such as cell A12, and without a unit, such as cell A2." in notes[0]


def test_units_of_a_table_beside_this_one_are_its_own(tmp_path):
    path = sheet_of(tmp_path, SIZES, ["0.00"] * N_ROWS)
    book = openpyxl.load_workbook(path)
    book.active["E1"], book.active["E2"], book.active["E3"] = "size", 7, 8
    book.active["E2"].number_format = book.active["E3"].number_format = '0 "kg"'
    book.save(path)
    table, notes = read(path)
    assert (table.names, table["size"].feature.unit) == (["size", "job"], "")
    assert ["E1:E3 beside it were not read" in note for note in notes] == [True]


def test_zeros_fit_every_unit(tmp_path):
    numbers = [0 if row == 4 else number for row, number in enumerate(SIZES)]
    formats = ["General" if row == 4 else '0 "kg"' for row in range(N_ROWS)]
    table, notes = read(sheet_of(tmp_path, numbers, formats))
    assert (table["size"].feature.unit, notes) == ("kg", [])


def test_names_of_columns_that_are_numbers_need_no_unit(tmp_path):
    table, notes = read(sheet_of(tmp_path, SIZES, ['0 "kg"'] * N_ROWS, name=2019), target="job")
    assert table["2019"].to_list() == SIZES
    assert not [note for note in notes if "unit" in note]


def test_attributes_may_stand_in_another_order(tmp_path):
    path = sheet_of(tmp_path, range(N_ROWS), ["000"] * N_ROWS)
    changed_part(path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b' s="1" t="n"', b' t="n" s="1"'))
    assert read(path)[0]["size"].to_list()[:2] == ["000", "001"]


@pytest.mark.parametrize(
    "change",
    [
        lambda _: b"<styleSheet/>",
        lambda xml: xml.replace(b'numFmtId="164"', b'numFmtId="99999999999999999999"'),
        lambda xml: xml.replace(b'numFmtId="164"', b'numFmtId="x"'),
        lambda xml: xml.replace(b"<cellXfs", b"<other").replace(b"</cellXfs", b"</other"),
        lambda xml: xml.replace(b'formatCode="000"', b'formatCode="' + b"0" * 10**6 + b'"'),
        lambda xml: xml.replace(b'formatCode="000"', b'formatCode="[$"'),
    ],
)
def test_broken_styles_are_ignored(change, tmp_path):
    path = sheet_of(tmp_path, range(N_ROWS), ["000"] * N_ROWS)
    changed_part(path, "xl/styles.xml", change)
    assert read(path)[0]["size"].to_list() == list(range(N_ROWS))


def test_cells_with_formats_that_do_not_exist_are_numbers(tmp_path):
    path = sheet_of(tmp_path, range(N_ROWS), ["000"] * N_ROWS)
    changed_part(path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b's="1"', b's="4294967295999"'))
    assert read(path)[0]["size"].to_list() == list(range(N_ROWS))


@pytest.mark.parametrize(
    "styles",
    [
        b'<numFmt "' * 300_000,
        b"<numFmt '<xf " * 200_000,
        b"<cellXfs>" + b"<xf " * 500_000,
        b"<cellXfs>" + b'<xf numFmtId="1"/>' * 200_000,
        b"".join(b'<numFmt numFmtId="%d" formatCode="0 &quot;kg&quot;"/>' % one for one in range(99_999)),
        b'<numFmt numFmtId="7" formatCode="' + b'"' * 10**6 + b"<cellXfs>" * 10**5,
        b'<numFmt numFmtId="7" formatCode="' + b"&quot;" * 40 + b'"/><cellXfs><xf numFmtId="7"/>',
    ],
)
def test_huge_and_broken_tables_of_styles_take_linear_time(styles):
    assert shown_formats(styles) == {}


def test_a_cell_with_endless_attributes_takes_linear_time(tmp_path):
    """Where each of them was looked at from every other one, this took ten minutes."""
    path = sheet_of(tmp_path, range(N_ROWS), ["000"] * N_ROWS)
    attributes = b' r="A2"' * 150_000 + b' x="<"'
    changed_part(path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b' r="A2"', attributes, 1))
    try:
        is_read = read(path)[0].n_rows == N_ROWS
    except DataError as error:  # of older versions of python-calamine
        is_read = "it is damaged (position 9: duplicated attribute" in str(error)
    assert is_read


@pytest.mark.parametrize("tag", [b"<c ", b'<c t="e" ', b"<row ", b'<col hidden="0" ', b'<row r="1" '])
def test_tags_that_do_not_end_in_a_comment_take_linear_time(tmp_path, tag):
    path = sheet_of(tmp_path, range(N_ROWS), ["000"] * N_ROWS)
    expected, _ = read(path)
    comment = b'<!-- f> t="e" hidden="0" ' + tag * 400_000 + b"-->"
    changed_part(
        path,
        "xl/worksheets/sheet1.xml",
        lambda xml: xml.replace(b"<sheetData>", comment + b"<sheetData>", 1),
    )
    assert read(path)[0].columns[0].to_list() == expected.columns[0].to_list()
