"""What counts as missing: markers of programs, errors of spreadsheets, and words in columns of numbers."""

import csv
import io
import warnings
from decimal import Decimal

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sightline as sl
from sightline.table import identifier_reason

MARKERS = [
    *("", "?", "NA", "N/A", "n/a", "NaN", "nan", "NAN", "NULL", "null", "Null", "None", "NaT", "\\N", "<NA>"),
    *("<null>", "<NULL>", "(null)", "(NULL)", "[null]", "[NULL]", "#NA", "-nan", "1.#QNAN", "-1.#IND"),
]
STORED_ERRORS = ["#VALUE!", "#N/A", "#DIV/0!", "#REF!", "#NAME?"]
ERRORS = [*STORED_ERRORS, "#WERT!", "#BEZUG!", "#NV", "#¡VALOR!", "Err:502"]
WORDS = ["unknown", "-", "\u2013", "k.A.", "n.a.", "N.V.", "o.A.", "none", "(blank)", "non renseigné"]
N_ROWS = 40


def told(path, target=None):
    with warnings.catch_warnings(record=True, action="always") as caught:
        table = sl.read_table(path, target)
    return table, [str(warning.message).removeprefix(f"{path}: ") for warning in caught]


def written(tmp_path, word, form):
    """Write a column of numbers and one of text, with a word in rows 5 and 9 of both."""
    rows = [[row + 0.25, ["red", "blue"][row % 2], row % 3] for row in range(N_ROWS)]
    for row in (5, 9):
        rows[row][:2] = [word, word]
    path = tmp_path / f"rows.{form}"
    if form == "xlsx":
        book = openpyxl.Workbook()
        for row in [["size", "color", "count"], *rows]:
            book.active.append(row)
        for cell in (cell for row in book.active for cell in row if cell.value in STORED_ERRORS):
            cell.data_type = "e"
        book.save(path)
    else:
        lines = [["size", "color", "count"], *rows]
        path.write_text("".join(",".join(map(str, line)) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_markers_are_missing_in_every_column(form, tmp_path):
    for marker in MARKERS:
        table, notes = told(written(tmp_path, marker, form))
        for name in ("size", "color"):
            assert np.flatnonzero(table[name].is_missing).tolist() == [5, 9], (marker, name)
        assert not table["size"].feature.is_nominal
        assert table["color"].feature.categories == ("blue", "red")
        # Such a word could be a category, so it is told. All others are plain.
        remedy = "put it in quotes" if form == "csv" else "use another word"
        sentence = f"{marker} is read as missing in the column 'color'. If {marker} is a category, {remedy}."
        assert notes == ([sentence] if marker in ("NA", "None") else []), marker


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_errors_of_spreadsheets_are_missing_with_a_warning(form, tmp_path):
    for error in ERRORS:
        table, notes = told(written(tmp_path, error, form))
        for name in ("size", "color"):
            assert np.flatnonzero(table[name].is_missing).tolist() == [5, 9], (error, name)
        assert notes == [
            f"Spreadsheet errors are read as missing: 2 in column 'size' (first '{error}', line 7) and "
            f"2 in column 'color' (first '{error}', line 7)."
        ]


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_words_of_people_are_missing_numbers_but_categories_of_text(form, tmp_path):
    for word in WORDS:
        table, notes = told(written(tmp_path, word, form))
        assert np.flatnonzero(table["size"].is_missing).tolist() == [5, 9]
        assert set(table["color"].feature.categories) == {"blue", "red", word}
        assert len(notes) == 1
        assert f"Column 'size' holds numbers, but also 2 other cells, such as '{word}' (line 7)" in notes[0]


def test_quotes_protect_a_category_unless_every_cell_has_them(tmp_path):
    rows = [[str(row), "x" if row % 2 else "NA", "" if row == 3 else str(row / 4)] for row in range(20)]
    path = tmp_path / "rows.csv"
    for quoting, expected in ((csv.QUOTE_NONNUMERIC, 0), (csv.QUOTE_ALL, 10)):
        text = io.StringIO()
        typed = [[int(a), b, float(c) if c else ""] for a, b, c in rows]
        csv.writer(text, quoting=quoting).writerows([["a", "b", "c"], *typed])
        path.write_text(text.getvalue())
        table, notes = told(path)
        assert table["b"].is_missing.sum() == expected
        assert table["c"].is_missing.sum() == 1
        assert not table["c"].feature.is_nominal
        assert any("NA is read as missing in the column 'b'" in note for note in notes) == bool(expected)


def test_markers_in_text_of_frames_stay_categories_and_are_told(tmp_path):
    frame = pd.DataFrame(
        {"size": np.arange(30.0), "job": ["cook", "nan", "(null)"] * 10, "ok": ["a", "b", None] * 10}
    )
    expected = (
        "Column 'job' holds the text '(null)' and 'nan' in 20 rows, which counts as a category. If it means "
        "a missing value, replace it by None."
    )
    path = tmp_path / "rows.parquet"
    frame.to_parquet(path)
    table, notes = told(path)
    assert notes == [expected]
    assert table["job"].feature.categories == ("(null)", "cook", "nan")
    with pytest.warns(sl.exceptions.DataWarning) as caught:
        sl.C45Classifier().fit(frame, np.arange(30) % 2)
    assert [str(warning.message) for warning in caught] == [expected]


def test_whole_numbers_of_frames_that_doubles_do_not_hold_are_told(tmp_path):
    frame = pd.DataFrame({"key": 2**60 + np.arange(30), "size": np.arange(30.0)})
    path = tmp_path / "rows.parquet"
    frame.to_parquet(path)
    table, notes = told(path)
    assert notes == [
        f"Column 'key' holds whole numbers above 2^53, such as {2**60 + 29}, which are rounded to about "
        "16 digits."
    ]
    # Rounded, they would all be equal, and not look like keys.
    assert identifier_reason(table["key"], is_first=False).startswith("it is named like a key")
    assert told(written(tmp_path, "?", "csv"))[1] == []


WIDE = [Decimal(2**60 + row) for row in range(30)]
WIDE_COLUMNS = {
    "polars Int128": pl.DataFrame({"key": pl.Series([int(key) for key in WIDE], dtype=pl.Int128)}),
    "polars Int128 with nulls": pl.DataFrame(
        {"key": pl.Series([None, *map(int, WIDE[1:])], dtype=pl.Int128)}
    ),
    "polars Decimal": pl.DataFrame({"key": pl.Series(WIDE, dtype=pl.Decimal(38, 2))}),
    "arrow decimal": pa.table({"key": pa.array(WIDE, type=pa.decimal128(38, 0))}),
    "pandas decimal": pd.DataFrame({"key": pd.array(WIDE, dtype=pd.ArrowDtype(pa.decimal128(38, 0)))}),
    "decimals": pd.DataFrame({"key": pd.Series(WIDE, dtype=object)}),
    "integers": pd.DataFrame({"key": pd.Series([int(key) << 5 for key in WIDE], dtype=object)}),
}


@pytest.mark.parametrize("kind", WIDE_COLUMNS)
def test_numbers_wider_than_those_of_numpy_are_told(kind):
    frame = WIDE_COLUMNS[kind]
    with pytest.warns(sl.exceptions.DataWarning) as caught:
        sl.C45Classifier().fit(frame, np.arange(30) % 2)
    what = "numbers" if "ecimal" in kind else "whole numbers"
    largest = "3.69e+19" if kind == "integers" else "1.15e+18"
    assert [str(warning.message) for warning in caught] == [
        f"Column 'key' holds {what} above 2^53, such as about {largest}, which are rounded to about "
        "16 digits."
    ]


def test_wide_types_of_numbers_that_doubles_hold_are_not_told():
    frame = pl.DataFrame({"size": pl.Series(range(30), dtype=pl.Int128)}).with_columns(
        cost=pl.Series([None, *map(Decimal, range(29))], dtype=pl.Decimal(38, 2))
    )
    with warnings.catch_warnings(action="error"):
        sl.C45Classifier().fit(frame, np.arange(30) % 2)
