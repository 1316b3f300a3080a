"""Which decimal mark a file has: what its columns prove, what is given, and what is told where both fit."""

import re
import warnings

import pytest
from table.written_cells import numbers, parsed, told

import sightline as sl
from sightline import _core


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("cells", [["8.199", "9.125"], ["8.199", "999"]])
def test_a_decimal_comma_elsewhere_makes_points_thousands(delimiter, cells):
    text = (
        delimiter.join("ab") + "\n" + "".join(f'{cell}{delimiter}"{i},5"\n' for i, cell in enumerate(cells))
    )
    table = _core.parse_delimited(text.encode())
    assert table.cells(0).tolist() == [float(cell.replace(".", "")) for cell in cells]
    assert table.cells(1).tolist() == [0.5, 1.5]
    assert (table.decimal, table.thousands) == (",", ".")
    assert not table[0].is_doubtful


@pytest.mark.parametrize(
    ("cells", "delimiter", "expected", "is_told"),
    [
        (["8.199", "999"], ";", [8199, 999], True),
        (["8.199", "9.125"], ";", [8.199, 9.125], True),
        (["8.199", "1234"], ";", [8.199, 1234], True),
        (["8.199", "9.125"], ",", [8.199, 9.125], False),
        (["8.199", "999"], ",", [8.199, 999], True),
        (["8,199", "999"], ";", [8199, 999], True),
        (["8,199", "9,125"], ";", [8.199, 9.125], True),
        (['"8,199"', "999"], ",", [8199, 999], False),
        (['"8,199"', '"9,125"'], ",", [8199, 9125], True),
        (["0.199", "9.125"], ";", [0.199, 9.125], False),
    ],
)
def test_where_two_readings_are_possible(cells, delimiter, expected, is_told):
    table = parsed(cells, delimiter)
    assert table.cells(0).tolist() == expected
    assert table[0].is_doubtful == is_told


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("cells", [["192.168.100.100", "10.0.0.1"], ["192.168.100.100", "10.200.150.255"]])
def test_addresses_are_text_and_prove_no_decimal_mark(cells, delimiter):
    table = _core.parse_delimited(
        f"a;b\n{cells[0]};1.123\n{cells[1]};2.456\n".replace(";", delimiter).encode()
    )
    assert table[0].values == sorted(cells)
    assert table.cells(1).tolist() == [1.123, 2.456]


@pytest.mark.parametrize(
    "cell", ["192.168.100.256", "192.168.100", "192.168.100.100.100", "192.168.100.100 kg"]
)
def test_thousands_that_are_no_addresses(cell):
    number = float("".join(character for character in cell if character.isdigit()))
    assert numbers([cell]) == [number]


@pytest.mark.parametrize(
    ("delimiter", "cells", "expected", "is_told"),
    [
        # What may be a list decides only if nothing else does, and the reading is told.
        (";", ["100.300.500;1.123"], 1123, True),
        (";", ["100,300,500;1,123"], 1123, True),
        (",", ["100.300.500,1.123"], 1.123, True),
        # Numbers of several sizes are no lists.
        (";", ["100.300.500;1.123", "100.300;2.456"], 1123, False),
        (";", ["100.300.500,5;1.123"], 1123, False),
        # Where commas separate cells, only a fraction proves a decimal comma.
        (",", ["100.300.500,1.123", "100.300,2.456"], 1.123, True),
        (",", ['"100.300.500,5",1.123'], 1123, False),
    ],
)
def test_thousands_in_another_column(delimiter, cells, expected, is_told):
    table = _core.parse_delimited("\n".join([f"a{delimiter}b", *cells]).encode())
    assert table.cells(0)[0] == pytest.approx(100300500, abs=1)
    assert (table.cells(1)[0], table[1].is_doubtful) == (expected, is_told)


def test_marks_that_are_given_decide(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a;b\n8.199;x\n999;y\n")
    with pytest.warns(sl.DataWarning) as caught:
        table = sl.read_table(path)
    assert [str(warning.message) for warning in caught] == [
        f"{path}: Column 'a' is read with points between thousands. If they have decimal points instead, "
        "pass decimal='.' (--decimal .)."
    ]
    assert table["a"].to_list() == [8199, 999]
    assert sl.read_table(path, decimal=".")["a"].to_list() == [8.199, 999]
    assert sl.read_table(path, decimal=",")["a"].to_list() == [8199, 999]
    assert sl.read_table(path, thousands="none")["a"].to_list() == [8.199, 999]
    assert sl.read_table(path, thousands=".")["a"].to_list() == [8199, 999]
    with pytest.raises(sl.ParameterError, match=re.escape("must be one of '.', ','. Got 'x' instead.")):
        sl.read_table(path, decimal="x")


def test_columns_that_prove_another_mark_keep_it():
    table = _core.parse_delimited(b"a;b;c\n0,5;0.5;1\n1,5;1.5;2\n")
    assert table.cells(0).tolist() == table.cells(1).tolist() == [0.5, 1.5]
    assert table.decimal == ""
    assert numbers(["0.5", "1.5"], decimal=",") == [0.5, 1.5]


@pytest.mark.parametrize(
    ("later", "weights", "note"),
    [
        # The rates prove the other mark.
        ("4.305;0.5\n1.241;0.7\n", [4.305, 1.241], "Column 'weight' is read with decimal points, as"),
        # Too few cells are numbers to prove it, but they contradict the earlier mark.
        ("4.305;0.5\n1.241;-\n", [4.305, 1.241], "Column 'weight' is read with decimal points. If they have"),
        # Nothing in the file decides.
        ("4.305;5\n1.241;7\n", [4305, 1241], ""),
        # Too few cells are numbers to prove the earlier mark, but they all have it.
        ("4,35;5\nopen;7\n", [4.35, None], "Column 'weight' holds numbers, but also 'open' (line 3)."),
    ],
)
def test_a_file_with_another_decimal_mark_than_before(tmp_path, later, weights, note):
    path = tmp_path / "rows.csv"
    path.write_text("weight;rate\n4,305;0,5\n1,24;0,75\n")
    table = sl.read_table(path)
    path.write_text("weight;rate\n" + later)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert sl.read_table(path, like=table)["weight"].to_list() == weights
    told = [str(one.message) for one in caught if "'weight'" in str(one.message)]
    assert len(told) == bool(note)
    assert all(note in one for one in told)


def test_a_column_with_both_decimal_marks_is_told(tmp_path):
    cells = [f"{i}.25" if i % 5 == 0 else f"{i % 40},5" for i in range(100)]
    table, notes = told(tmp_path / "rows.csv", cells)
    assert table["a"].to_list() == [float(cell.replace(",", ".")) for cell in cells]
    assert notes == [
        "Column 'a' holds numbers with decimal commas, but 20 with decimal points, such as '0.25' (line 2). "
        "Each is read with its own mark."
    ]


@pytest.mark.parametrize(
    ("undecided", "count", "are"),
    [(["1,234"], "1 cell", "It is"), (["1,234", "2.345"], "2 cells", "They are")],
)
def test_what_fits_both_marks_of_a_divided_column_is_missing(tmp_path, undecided, count, are):
    cells = ["1.25", "3,75"] * 20 + [*undecided, "7"]
    table, notes = told(tmp_path / "rows.csv", cells)
    assert table["a"].to_list() == [1.25, 3.75] * 20 + [*[None] * len(undecided), 7]
    assert notes[1] == (
        f"In column 'a', {count} such as '1,234' (line 42) can be read with either mark. {are} read as "
        "missing."
    )


@pytest.mark.parametrize(("mark", "other"), [(",", "."), (".", ",")])
@pytest.mark.parametrize("unit", ["", " kg"])
def test_a_mark_that_is_long_ruled_out_changes_nothing(tmp_path, mark, other, unit):
    """After 64 cells against it, a mark is tried only in cells that the other one does not fit."""
    cells = [f"{row}{mark}5{unit}" for row in range(200)]
    later = ["x", f"7{other}25{unit}", f"300{mark}5{unit}", f"1{other}234{mark}5{unit}"]
    table, notes = told(tmp_path / "rows.csv", cells + later)
    assert table["a"].to_list() == [*(row + 0.5 for row in range(200)), None, 7.25, 300.5, 1234.5]
    assert any("'x' (line 202)" in note for note in notes)
    assert any(f"such as '7{other}25{unit}' (line 203)" in note for note in notes)


def test_the_marks_of_a_few_cells_do_not_change_the_others(tmp_path):
    cells = ["1,234", "0.5", "1.25"] * 20 + ["1,5"]
    table, notes = told(tmp_path / "rows.csv", cells)
    assert table["a"].to_list() == [1234, 0.5, 1.25] * 20 + [1.5]
    assert "1 with decimal commas, such as '1,5' (line 62)" in notes[0]


@pytest.mark.parametrize(
    ("cells", "is_told"),
    [
        ([f"{1 + row % 8}.{100 + row}" for row in range(60)], True),
        ([f"{1 + row % 8}.{10 + row}" for row in range(60)], True),
        ([f"0.{100 + row}" for row in range(60)], False),
        ([f"{1 + row % 8}.{1000 + row}" for row in range(60)], False),
    ],
)
def test_a_later_file_shows_that_points_were_between_thousands(tmp_path, cells, is_told):
    earlier, _ = told(tmp_path / "earlier.csv", cells)
    path = tmp_path / "later.csv"
    path.write_text("a;b\n" + "".join(f"{1 + row % 8}.{100 + row},50;{row}\n" for row in range(60)))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        later = sl.read_table(path, like=earlier)
    assert later["a"].to_list()[:2] == [1100.5, 2101.5]
    assert any("Column 'a' has decimal commas" in str(one.message) for one in caught) == is_told
