"""Files as programs and people write them: the same rows as in a plain CSV file, or a sentence."""

import gzip
import io
import sys
import warnings
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pytest

import sightline as sl

N_ROWS = 40
RNG = np.random.default_rng(0)
AMOUNT = [None if row == 7 else round(float(x), 2) for row, x in enumerate(RNG.normal(900, 2500, N_ROWS))]
RATE = [float(x) for x in RNG.integers(1, 999, N_ROWS) / 10]
COUNT = [int(x) for x in RNG.integers(0, 99_999, N_ROWS)]
CODE = [f"{int(x):05}" for x in RNG.integers(1_000, 99_999, N_ROWS)]
CITY = [["Köln", "Genève", "Łódź", "York"][x] for x in RNG.integers(0, 4, N_ROWS)]
KIND = [["no", "yes"][x] for x in RNG.integers(0, 2, N_ROWS)]
FRAME = pd.DataFrame(
    {"amount": AMOUNT, "rate": RATE, "count": COUNT, "code": CODE, "city": CITY, "kind": KIND}
)
WEST = FRAME.assign(city=FRAME.city.replace("Łódź", "Málaga"))


def grouped(value, decimal=".", thousands=",", places=2):
    """A number with marks between thousands, as spreadsheets show it; empty if missing."""
    if value is None or pd.isna(value):
        return ""
    text = f"{abs(value):,.{places}f}".replace(",", "\0").replace(".", decimal).replace("\0", thousands)
    return ("-" if value < 0 else "") + text


def trailing_minus(value):
    text = grouped(value, ",", ".")
    return text[1:] + "-" if text.startswith("-") else text


def parenthesized(value, sign="$"):
    text = grouped(value)
    return f"({sign}{text[1:]})" if text.startswith("-") else text and sign + text


def lines_of(frame, delimiter, amount, rate=str, count=str, header=None, missing="", quote=""):
    """Rows as text, with functions that write the numbers."""
    rows = [header or list(FRAME.columns)]
    for row in frame.itertuples():
        cells = [
            amount(row.amount) or missing,
            rate(row.rate),
            count(row.count),
            row.code,
            row.city,
            row.kind,
        ]
        rows.append(cells)
    protect = [f'"{cell}"' if quote == "all" or delimiter in cell else cell for row in rows for cell in row]
    return [delimiter.join(protect[i : i + 6]) for i in range(0, len(protect), 6)]


def text_of(*arguments, end="\n", **options):
    return end.join(lines_of(*arguments, **options)) + end


def comma(value):
    return f"{value}".replace(".", ",")


def bare(value):
    return "" if pd.isna(value) else f"{value}"


def aligned(edge, ruler, missing=""):
    """A table with bars, as databases print it."""
    rows = [line.split("\t") for line in lines_of(FRAME, "\t", bare, missing=missing)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    shown = [
        edge + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + edge[::-1]
        for row in rows
    ]
    line = ruler(widths)
    return shown, line


def psql():
    shown, line = aligned(" ", lambda widths: "+".join("-" * (width + 2) for width in widths))
    return "\n".join([shown[0], line, *shown[1:], f"({N_ROWS} rows)", "", ""])


def mysql():
    shown, line = aligned(
        "| ", lambda widths: "+" + "+".join("-" * (width + 2) for width in widths) + "+", "NULL"
    )
    return "\n".join([line, shown[0], line, *shown[1:], line, f"{N_ROWS} rows in set (0.00 sec)", ""])


def markdown():
    shown, line = aligned("| ", lambda widths: "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join([shown[0], line, *shown[1:]]) + "\n"


def sap_list():
    rows = lines_of(WEST, "|", trailing_minus, comma, lambda value: grouped(value, ",", ".", 0))
    ruler = "-" * 60
    return "\n".join([ruler, f"|{rows[0]}|", ruler, *(f"|{row}|" for row in rows[1:]), ruler]) + "\n"


def r_table(delimiter, quote='"', decimal="."):
    def quoted(text):
        return f"{quote}{text}{quote}"

    lines = [delimiter.join(map(quoted, FRAME.columns))]
    for row in FRAME.itertuples():
        numbers = [
            str(x).replace(".", decimal) if not pd.isna(x) else "NA"
            for x in (row.amount, row.rate, row.count)
        ]
        texts = [quoted(x) for x in (row.code, row.city, row.kind)]
        lines.append(delimiter.join([quoted(row.Index + 1), *numbers, *texts]))
    return lines


def sqlcmd():
    header, *rows = lines_of(FRAME, ",", bare, missing="NULL")
    ruler = ",".join("-" * len(name) for name in header.split(","))
    return "\n".join([header, ruler, *rows, "", f"({N_ROWS} rows affected)", ""])


def workbook(fill):
    book = openpyxl.Workbook()
    fill(book.active)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def typed_sheet(sheet):
    sheet.append(list(FRAME.columns))
    for row in FRAME.itertuples(index=False):
        sheet.append([None if pd.isna(cell) else cell for cell in row])


def sheet_with_title(sheet):
    """Numbers typed as text among typed ones, below a title and an empty row."""
    sheet.append(["Customers, March 2024"])
    sheet.append([])
    sheet.append([None, *FRAME.columns])
    for row in FRAME.itertuples(index=False):
        sheet.append([None, grouped(row.amount, ",", "."), *row[1:]])


def stata():
    file = io.BytesIO()
    FRAME.to_stata(file, write_index=False, version=118)
    return file.getvalue()


def parquet():
    file = io.BytesIO()
    FRAME.to_parquet(file)
    return file.getvalue()


def with_total():
    total = sum(x for x in AMOUNT if x is not None)
    return text_of(FRAME, ",", bare) + f"{total:.2f},,{sum(COUNT)},,Total,\n"


def with_mean():
    mean = np.mean([x for x in AMOUNT if x is not None])
    return text_of(FRAME, ",", bare) + f"{mean:.2f},,{np.mean(COUNT):.1f},,Average,\n"


def sqlplus():
    rows = [line.split(",") for line in lines_of(FRAME, ",", bare, missing="NULL")]
    header, *shown = [" ".join(cell.ljust(10) for cell in row) for row in rows]
    ruler = " ".join(["-" * 10] * 6)
    return "\n".join([header, ruler, *shown, "", f"{N_ROWS} rows selected.", ""])


def archive():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("rows.csv", "a,b\n1,2\n")
    return file.getvalue()


CP1252 = (
    "The file is not UTF-8 and was read as Windows-1252 (for example, '{word}' in line {line}). "
    "Pass encoding= "
)
SKIPPED = "Line {} is not a row of the table and was skipped: '{}'."
ROW_NAMES = "The rows have one more cell than the header, as in files written by R."
FIRST_WEST = next(row for row, city in enumerate(WEST.city) if not city.isascii())

US = text_of(FRAME, ",", parenthesized, lambda x: f"{x}%", lambda x: grouped(x, places=0), end="\r\n")
GERMAN = text_of(
    WEST,
    ";",
    lambda x: "" if pd.isna(x) else grouped(x, ",", ".") + " €",
    lambda x: comma(x) + " %",
    lambda x: grouped(x, ",", ".", 0),
    end="\r\n",
)
SWISS = text_of(FRAME, ";", lambda x: grouped(x, ".", "\u2019"), str, lambda x: grouped(x, ".", "\u2019", 0))
FRENCH = text_of(
    FRAME, ";", lambda x: grouped(x, ",", "\u202f"), comma, lambda x: grouped(x, ",", "\u202f", 0)
).replace("-", "\u2212")

READ = {
    "pandas": (FRAME.to_csv(index=False), FRAME, []),
    "pandas with index": (FRAME.to_csv(), FRAME, []),
    "pandas, German": (FRAME.to_csv(index=False, sep=";", decimal=","), FRAME, []),
    "pandas, tab, gzip": (gzip.compress(FRAME.to_csv(index=False, sep="\t").encode()), FRAME, []),
    "polars": ("\n".join(lines_of(FRAME, ",", bare)), FRAME, []),
    "parquet": (parquet(), FRAME, []),
    "Excel workbook": (workbook(typed_sheet), FRAME, []),
    "Excel workbook with a title": (
        workbook(sheet_with_title),
        FRAME,
        [SKIPPED.format(1, "Customers, March 2024")],
    ),
    "Excel, US": (US, FRAME, []),
    "Excel, US, cp1252": (
        text_of(WEST, ",", parenthesized).encode("cp1252"),
        WEST,
        [CP1252.format(word=WEST.city[FIRST_WEST], line=FIRST_WEST + 2)],
    ),
    "Excel, German, sep=": (
        ("sep=;\r\n" + GERMAN).encode("cp1252"),
        WEST,
        [CP1252.format(word="€", line=3)],
    ),
    "Excel, Swiss": ("\ufeff" + SWISS, FRAME, []),
    "Excel, French": ("\ufeff" + FRENCH, FRAME, []),
    "Excel, Unicode text": (text_of(FRAME, "\t", grouped).encode("utf-16"), FRAME, []),
    "Excel, empty cells": (
        "Customers;;;;;;;\n" + GERMAN.replace("\r\n", ";;\n") + ";;;;;;;\n;;;;;;;\n",
        WEST,
        [SKIPPED.format(1, "Customers")],
    ),
    "Excel, total": (
        with_total(),
        FRAME,
        ["The last row holds the totals of the others ('Total') and was dropped."],
    ),
    "Excel, mean": (
        with_mean(),
        FRAME,
        ["The last row holds the means of the others ('Average') and was dropped."],
    ),
    "Excel, lines above": (
        "Created;01.03.2024\nBy;Meyer\n\n" + SWISS,
        FRAME,
        [SKIPPED.format(1, "Created"), SKIPPED.format(2, "By")],
    ),
    "DOS, Ctrl+Z": (text_of(FRAME, ",", bare, end="\r\n") + "\x1a", FRAME, []),
    "Hive": (text_of(FRAME, "\x01", bare, missing="\\N"), FRAME, []),
    "mainframe": (text_of(FRAME, "~", bare), FRAME, []),
    "SAP list": (sap_list(), WEST, []),
    "SAP spreadsheet": (
        text_of(WEST, "\t", trailing_minus, comma, lambda value: grouped(value, ",", ".", 0)).encode(
            "utf-16-le"
        ),
        WEST,
        [],
    ),
    "R, write.csv": ("\n".join(['"",' + r_table(",")[0], *r_table(",")[1:]]), FRAME, []),
    "R, write.csv2": ("\n".join(['"";' + r_table(";")[0], *r_table(";", decimal=",")[1:]]), FRAME, []),
    "R, write.table": ("\n".join(r_table(" ")), FRAME, [ROW_NAMES]),
    "R, write.table, tab": ("\n".join(r_table("\t", quote="")), FRAME, [ROW_NAMES]),
    "Stata": (stata(), FRAME, []),
    "Stata, export delimited": (text_of(FRAME, ",", bare, missing="."), FRAME, []),
    "SAS, proc export": (
        text_of(FRAME, ",", parenthesized, lambda x: f"{x:.1f}%", missing=".", end="\r\n"),
        FRAME,
        [],
    ),
    "SAS, put": (text_of(FRAME, "|", lambda x: bare(x).rjust(10), missing="."), FRAME, []),
    "psql": (psql(), FRAME, [SKIPPED.format(N_ROWS + 3, f"({N_ROWS} rows)")]),
    "PostgreSQL, copy": (text_of(FRAME, "\t", bare, missing="\\N"), FRAME, []),
    "PostgreSQL, copy with its end": (
        text_of(FRAME, "\t", bare, missing="\\N") + "\\.\n",
        FRAME,
        [SKIPPED.format(N_ROWS + 2, "\\.")],
    ),
    "SQL*Plus": (sqlplus(), FRAME, [SKIPPED.format(N_ROWS + 4, f"{N_ROWS} rows selected.")]),
    "mysql": (mysql(), FRAME, [SKIPPED.format(N_ROWS + 5, f"{N_ROWS} rows in set (0.00 sec)")]),
    "mysql --batch": (text_of(FRAME, "\t", bare, missing="NULL"), FRAME, []),
    "SQLite": (text_of(FRAME, "|", bare), FRAME, []),
    "Oracle": (
        text_of(FRAME, ",", bare, quote="") + f"\n{N_ROWS} rows selected.\n",
        FRAME,
        [SKIPPED.format(N_ROWS + 3, f"{N_ROWS} rows selected.")],
    ),
    "SQL Server": (sqlcmd(), FRAME, [SKIPPED.format(N_ROWS + 4, f"({N_ROWS} rows affected)")]),
    "Markdown": (markdown(), FRAME, []),
    "comments": ("# made by lab.py, version 2\n" + text_of(FRAME, ",", bare) + "# end\n", FRAME, []),
    "header in a comment": ("##run 7\n#" + text_of(FRAME, "\t", bare), FRAME, []),
}


@pytest.mark.parametrize("kind", READ)
def test_the_same_rows_as_in_a_plain_file(kind, tmp_path):
    content, frame, notes = READ[kind]
    plain, path = tmp_path / "plain.csv", tmp_path / "file"
    plain.write_text(frame.to_csv(index=False))
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with warnings.catch_warnings(record=True, action="always") as caught:
        table = sl.read_table(path, "kind")
    found = [str(warning.message).removeprefix(f"{path}: ") for warning in caught]
    assert len(found) == len(notes), found
    for sentence, note in zip(found, notes, strict=True):
        assert sentence.startswith(note)
    expected = sl.read_table(plain, "kind")
    columns = [column for column in table.columns if column.name != "x0"]
    assert [column.name for column in columns] == expected.names
    for column, other in zip(columns, expected.columns, strict=True):
        assert column.feature == other.feature
        np.testing.assert_array_equal(column.values, other.values, column.name)
    assert table.y.classes_.tolist() == expected.y.classes_.tolist()
    assert table.y.codes.tolist() == expected.y.codes.tolist()


REFUSED = {
    b'[{"a": 1}]': "this is JSON. Save the table as CSV.",
    b"<html><table><tr><td>1": "this is HTML or XML, which some programs save as .xls. Open",
    b"-- MySQL dump 10.13\nINSERT INTO t VALUES (1);\n": "this is a database dump, which holds",
    b"INSERT INTO t VALUES (1);\n": "this is a database dump, which holds commands.",
    b"PGDMP\x01\x0e": "this is a PostgreSQL dump. Save the table as CSV.",
    b"SQLite format 3\0": "this is an SQLite database. Save the table as CSV.",
    b"$FL2@(#) SPSS DATA FILE": "this is an SPSS file. Save the table as CSV.",
    gzip.compress(b"RDX3\nX\n"): "this is an R workspace. Write the table with write.csv() in R.",
    b"%PDF-1.7\n": "this is a PDF file. Save the table as CSV.",
    b"\x93NUMPY\x01": "this is a NumPy array. Save the table as CSV.",
    b"BZh91AY": "this is a bzip2 archive. Unpack it first.",
    archive(): "this is a zip archive. Unpack it first.",
    b"{\\rtf1 hello}": "this is an RTF document. Save the table as CSV.",
    b"PK\x03\x04 no workbook": "this is not a workbook, or it is damaged (Cannot detect file format).",
    b"a;b\n1;2\n3\n": "line 3 has 1 cell, but the header has 2.",
    b"a,b\n1,'x, y'\n": "line 2 has 3 cells, but the header has 2.",
    b"a;b;a\n1;2;3\n": "two columns have the name 'a'.",
    "a;b\nK\u00f6ln;2\nY\udcff;3\n".encode("utf-8", "surrogateescape"): "line 3, column 2 is not UTF-8, but",
    "a;b\n1;2\n".encode("utf-16") + b"\0\xdc": "line 3, column 1 is not utf-16-le. Pass another encoding",
    b"a,b\n"
    + b"x" * 11_000_000
    + b",1\n": "line 2 has a cell of 11000000 bytes, so this is not a table of rows.",
    b"1," * 2_100_000: "line 1 has more than 2,000,000 cells, so this is not a table of rows.",
    b"<stata_dta><header>": "pandas cannot read this Stata file (",
}


@pytest.mark.parametrize("content", REFUSED, ids=range(len(REFUSED)))
def test_what_is_refused_says_what_it_is(content, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(sl.DataError) as caught:
        sl.read_table(path)
    assert str(caught.value).startswith(f"{path}: {REFUSED[content]}")


def test_sheets_are_chosen(tmp_path):
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path, engine="openpyxl") as writer:
        pd.DataFrame().to_excel(writer, sheet_name="cover", index=False)
        FRAME.to_excel(writer, sheet_name="data", index=False)
        FRAME[:5].to_excel(writer, sheet_name="more", index=False)
    with pytest.warns(sl.DataWarning) as caught:
        assert sl.read_table(path).n_rows == N_ROWS
    assert str(caught[0].message) == (
        f"{path}: Read sheet 'data'. The workbook also has 'cover' and 'more'; choose with sheet= (--sheet)."
    )
    assert sl.read_table(path, sheet="more").n_rows == sl.read_table(path, sheet=2).n_rows == 5
    with pytest.raises(sl.ParameterError, match=r"no sheet 'x'. The sheets are 'cover', 'data' and 'more'"):
        sl.read_table(path, sheet="x")
    with pytest.raises(sl.DataError, match="sheet 'cover' is empty"):
        sl.read_table(path, sheet="cover")


def test_encodings_are_given(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes("\u0433\u043e\u0440\u043e\u0434,b\nx,1\n".encode("cp1251"))
    assert sl.read_table(path, encoding="cp1251").names == ["\u0433\u043e\u0440\u043e\u0434", "b"]
    with pytest.warns(sl.DataWarning, match=r"read as Windows-1252 \(for example, 'ãîðîä' in line 1\)"):
        sl.read_table(path)
    with pytest.raises(sl.ParameterError, match="Python has no encoding 'klingon'"):
        sl.read_table(path, encoding="klingon")
    for name in ("undefined", "idna", "a\0b"):
        with pytest.raises(sl.ParameterError) as caught:
            sl.read_table(path, encoding=name)
        assert str(caught.value) == f"Python cannot read a file with the encoding {name!r}."


def test_escape_sequences_of_japanese_text_are_told(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes("a,b\n1,東京\n2,大阪\n".encode("iso2022_jp"))
    note = r"Line 2 has escape sequences, as in Japanese text.*pass encoding='iso2022_jp'"
    with pytest.warns(sl.DataWarning, match=note):
        sl.read_table(path)
    assert sl.read_table(path, encoding="iso2022_jp")["b"].to_list() == ["東京", "大阪"]


def test_workbooks_need_a_library(tmp_path, monkeypatch):
    path = tmp_path / "book.xlsx"
    FRAME.to_excel(path, engine="openpyxl")
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(ImportError, match="Excel files need python-calamine: pip install python-calamine"):
        sl.read_table(path)


def workbook_of(path, rows, merged=(), hidden=False):
    book = openpyxl.Workbook()
    if hidden:
        book.active.append(["notes"])
        book.active.sheet_state = "hidden"
        book.active = book.create_sheet("data")
    for row in rows:
        book.active.append(row)
    for area in merged:
        book.active.merge_cells(area)
    book.save(path)
    return path


ROWS = [["region", "amount", "t"], *([None, row + 0.5, "ny"[row % 2]] for row in range(40))]


def test_a_cell_that_is_merged_over_rows_belongs_to_each(tmp_path):
    rows = [list(row) for row in ROWS]
    rows[1][0], rows[21][0] = "north", "south"
    table = sl.read_table(workbook_of(tmp_path / "rows.xlsx", rows, ["A2:A21", "A22:A41"]))
    assert table["region"].to_list() == ["north"] * 20 + ["south"] * 20


@pytest.mark.parametrize("area", ["A22:A60", "E2:E9"])
def test_a_merged_cell_may_reach_beyond_the_table(tmp_path, area):
    rows = [list(row) for row in ROWS]
    rows[1][0], rows[21][0] = "north", "south"
    table = sl.read_table(workbook_of(tmp_path / "rows.xlsx", rows, ["A2:A21", area]))
    assert table["region"].to_list()[:21] == ["north"] * 20 + ["south"]
    assert table.n_rows == 40


@pytest.mark.parametrize("cell", ["XFD1048576", "AAAAAAA5"])
def test_a_cell_far_from_the_table_is_named(tmp_path, cell):
    """calamine stores every empty cell before it, and would end the process."""
    path = workbook_of(tmp_path / "rows.xlsx", ROWS)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"]
    far = b'<row r="1048576"><c r="%b"><v>1</v></c></row></sheetData>' % cell.encode()
    parts["xl/worksheets/sheet1.xml"] = sheet.replace(b"</sheetData>", far)
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    with pytest.raises(sl.DataError) as caught:
        sl.read_table(path)
    last = cell if cell == "XFD1048576" else "AAAAAAA41"
    assert str(caught.value) == (
        f"{path}: the last cell of sheet 'Sheet' is {last}, and nearly all before it are empty. "
        "Delete the cells far from the table, or save it as CSV."
    )


def test_formulas_without_results_are_told(tmp_path):
    rows = [ROWS[0], *(["=2*3", *row[1:]] for row in ROWS[1:])]
    path = workbook_of(tmp_path / "rows.xlsx", rows)
    with pytest.warns(sl.DataWarning, match="Column 'region' is empty in every row. If it holds formulas"):
        sl.read_table(path)


def test_a_hidden_sheet_comes_last(tmp_path):
    path = workbook_of(tmp_path / "rows.xlsx", [row[1:] for row in ROWS], hidden=True)
    with pytest.warns(sl.DataWarning, match="Read sheet 'data'. The workbook also has 'Sheet'"):
        assert sl.read_table(path).n_rows == 40


def test_a_target_in_another_sheet_is_pointed_at(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["Report", "March"])
    book.active.append(["made by", "Risk"])
    typed_sheet(book.create_sheet("Data"))
    book.save(tmp_path / "book.xlsx")
    with pytest.raises(sl.SightlineError, match=r"no column 'kind'.* The workbook also has 'Data'; choose"):
        sl.read_table(tmp_path / "book.xlsx", "kind")
