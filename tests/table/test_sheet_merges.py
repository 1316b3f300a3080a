"""Merged cells of sheets: values beside several rows, and headers of several lines."""

import openpyxl
import pandas as pd
import pytest
from workbooks import read_book as read

N_ROWS = 12
ROWS = [[f"k{row % 3}", row + 0.5, row * 2.0] for row in range(N_ROWS)]
FRAME = pd.DataFrame(
    {"g": ["a", "b", "c"] * 4, "y": [2019, 2020] * 6, "v": [n + 0.5 for n in range(12)], "w": range(12)}
)


def book_of(lines, *merged):
    book = openpyxl.Workbook()
    for line in lines:
        book.active.append(line)
    for cells in merged:
        book.active.merge_cells(cells)
    return book


def written(tmp_path, frame):
    frame.to_excel(tmp_path / "frame.xlsx")
    return read(tmp_path, openpyxl.load_workbook(tmp_path / "frame.xlsx"))


def test_a_value_beside_several_rows_is_in_all_of_them(tmp_path):
    table, notes = read(tmp_path, book_of([["id", "m", "n"], *ROWS], "A2:A4", "A5:B7", "B9:B40"))
    assert table["id"].to_list() == ["k0"] * 6 + ["k0", "k1", "k2"] * 2
    assert table["m"].is_missing.tolist() == [False] * 3 + [True] * 3 + [False] * 6
    assert table["m"].values[7:].tolist() == [7.5] * 5
    assert notes == []


@pytest.mark.parametrize(
    ("lines", "merged", "names", "note"),
    [
        (
            [["id", "sales", None], [None, 2019, 2020]],
            ["A1:A2", "B1:C1"],
            ["id", "sales 2019", "sales 2020"],
            "The header has 2 lines. Their names are joined, as in 'sales 2019'.",
        ),
        (
            [["id", "sales", None], [None, "first", "last"]],
            ["B1:C1"],
            ["id", "sales first", "sales last"],
            "The header has 2 lines. Their names are joined, as in 'sales first'.",
        ),
    ],
)
def test_a_header_of_two_lines_is_joined(lines, merged, names, note, tmp_path):
    table, notes = read(tmp_path, book_of([*lines, *ROWS], *merged))
    assert (table.names, table.n_rows, notes) == (names, N_ROWS, [note])
    assert table[names[2]].to_list() == [row[2] for row in ROWS]


@pytest.mark.parametrize(
    ("frame", "names", "example"),
    [
        (
            FRAME.pivot_table(index="g", columns="y", values=["v", "w"]),
            ["g", "v 2019", "v 2020", "w 2019", "w 2020"],
            "v 2019",
        ),
        (
            FRAME.groupby("g")[["v", "w"]].agg(["mean", "std"]),
            ["g", "v mean", "v std", "w mean", "w std"],
            "v mean",
        ),
        (
            FRAME.groupby(["g", "y"])[["v", "w"]].agg(["mean", "std"]),
            ["g", "y", "v mean", "v std", "w mean", "w std"],
            "v mean",
        ),
    ],
)
def test_frames_with_several_levels_have_joined_names(frame, names, example, tmp_path):
    table, notes = written(tmp_path, frame)
    assert (table.names, table.n_rows) == (names, len(frame))
    assert notes == [f"The header has 3 lines. Their names are joined, as in {example!r}."]
    assert not any(column.feature.is_nominal for column in table.columns[-2:])


@pytest.mark.parametrize(
    ("header", "rows", "merged"),
    [
        (["id", "sales", None], ROWS, "B1:C1"),
        (["id", "address", None], [[f"k{row}", f"{row} Main St", "Bern"] for row in range(9)], "B1:C1"),
        ([None, "sales", None], [[f"k{row}", row, 2 * row + 1] for row in range(9)], "B1:C1"),
        (["sales", None, "n"], [[row, 2 * row + 1, 7] for row in range(9)], "A1:B1"),
    ],
)
def test_a_row_below_a_wide_name_is_a_row(header, rows, merged, tmp_path):
    table, _ = read(tmp_path, book_of([header, *rows], merged))
    assert table.n_rows == len(rows)


def test_a_wide_title_is_not_a_name(tmp_path):
    table, notes = read(tmp_path, book_of([["Report"], [], ["id", "m", "n"], *ROWS], "A1:C2"))
    assert table.names == ["id", "m", "n"]
    assert notes == ["Line 1 is not a row of the table and was skipped: 'Report'."]
