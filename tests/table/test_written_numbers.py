"""Numbers as people write them: the marks, signs and units of single cells, and of whole files."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from table.written_cells import numbers, told

import sightline as sl
from sightline import _core


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1.234,56", "999,5"], [1234.56, 999.5]),
        (["1,234.56", "999.5"], [1234.56, 999.5]),
        (["1'234.50", "5"], [1234.5, 5]),
        (["1\u2019234", "5"], [1234, 5]),
        (["1\u202f234,5", "12\u00a0345", "1 234 567"], [1234.5, 12345, 1234567]),
        (["12,34,567.5", "1,00,000"], [1234567.5, 100000]),
        (["$1,234.56", "$5", "-$2.50", "$-3"], [1234.56, 5, -2.5, -3]),
        (["1.234,56 €", "€ 5,00"], [1234.56, 5]),
        (["EUR 5,25", "EUR 6"], [5.25, 6]),
        (["12,3 %", "5 %", "0"], [12.3, 5, 0]),
        (["12.5%", "5%"], [12.5, 5]),
        (["(12.50)", "3", "(1,000.25)"], [-12.5, 3, -1000.25]),
        (["($5.50)", "$3"], [-5.5, 3]),
        (["\u221212.5", "3"], [-12.5, 3]),
        (["500,00-", "1.000,25"], [-500, 1000.25]),
        (["500,00- €", "500,00-€", "7- EUR"], [-500, -500, -7]),
        (["12-%", "5 %", "3- %"], [-12, 5, -3]),
        (["12:30", "5:45"], [12.5, 5.75]),
        (["1:30:36", "0:00:00"], [1.51, 0]),
        (["30 min", "5 mins", "1 Min."], [30, 5, 1]),
        (["36 months", "1 month"], [36, 1]),
        (["5 km/h", "7.5 km/h"], [5, 7.5]),
        (["1,23E+05", "2,5"], [123000, 2.5]),
        (["1,234E+05", "2,555E+03"], [123400, 2555]),
        (["71.8K", "1.2M", "5k", "2bn"], [71800, 1.2e6, 5000, 2e9]),
        (["$1.5M", "$700K"], [1.5e6, 7e5]),
        (["5h 30m", "19h", "0h 6 min", "1h 30m 36s", "14h30", "45m"], [5.5, 19, 0.1, 1.51, 14.5, 0.75]),
        (["2 years 3 months", "1yrs 6mon", "18 months"], [2.25, 1.5, 1.5]),
        (["3d 12h", "1d 6h", "2 days"], [3.5, 1.25, 2]),
        (["12 kg", "12000 g", "13.5 KG", "1 lb"], [12, 12, 13.5, 0.45359237]),
        (["20 °C", "212 °F", "25 °C"], [20, 100, 25]),
        (["5 %", "50 bps", "7,5 ‰", "3 pct"], [5, 0.5, 0.75, 3]),
        (["$5", "6 USD", "7", "US$8"], [5, 6, 7, 8]),
        (["5", "6", "$7"], [5, 6, 7]),
        (["1,234.50", "1.234,50", "12.5"], [1234.5, 1234.5, 12.5]),
        (["25,- €", "30,50 €", "7,-- €"], [25, 30.5, 7]),
        (["Fr. 25.\u2013", "Fr. 1'200.\u2014", "Fr. 7.50"], [25, 1200, 7.5]),
        (["12.50€-", "3.00€"], [-12.5, 3]),
        (["₹ 250.00/-", "₹ 7/-"], [250, 7]),
        (["1.5D+03", "2.25D-01"], [1500, 0.225]),
        (["1:30.6", "0:45.0"], [1.51, 0.75]),
        (
            ["2 days 06:00:00", "0 days 01:30:00.0", "-1 days +18:00:00", "-1 days -06:00:00"],
            [2.25, 0.0625, -0.25, -1.25],
        ),
        (["1 day 12:00:00", "3 days"], [1.5, 3]),
        (["$(1,234.50)", "$12.25", "($7.00)", "-$1.00"], [-1234.5, 12.25, -7, -1]),
        (["$ 1,234.50", "$ -", "$ -   "], [1234.5, 0, 0]),
        (["'5'", "'7.5'", "'8"], [5, 7.5, 8]),
        (["\u00a05 ", "7\u00a0"], [5, 7]),
        (["+1,5", ",5", "2,"], [1.5, 0.5, 2]),
        (["12:30 AM", "1:15 AM", "12:30 PM", "1:15 pm", "11:45 p.m."], [0.5, 1.25, 12.5, 13.25, 23.75]),
        (["12 PM", "1 PM", "11 am"], [12, 13, 11]),
        (["8.30 pm", "8:30 a.m.", "9 pm", "12.05AM"], [20.5, 8.5, 21, 1 / 12]),
        (["8.30 Uhr", "18:15 Uhr", "7 Uhr", "24.00 uhr"], [8.5, 18.25, 7, 24]),
        (['="1.50"', '="20"'], [1.5, 20]),
        (["\u0661\u0662\u066b\u0665", "\u0667"], [12.5, 7]),
        (["\u06f1\u06f2\u06f3", "\u06f9"], [123, 9]),
        (["\u0967\u0968.\u096b", "\u0969"], [12.5, 3]),
        (["\uff11\uff12\uff13", "\uff14"], [123, 4]),
        (["1.5e3 kg", "2E-1 kg", "3e+2 kg"], [1500, 0.2, 300]),
        (["5 kg\u00a0", "6 kg ", "7 kg\u202f", "8 kg\t"], [5, 6, 7, 8]),
        (["1:30:36.5"], [1 + 30 / 60 + 36.5 / 3600]),
        (["1.5M x", "1K x"], [1.5e6, 1000]),
        ([",5 kg", "1,5 kg"], [0.5, 1.5]),
        (["-1 days 06:00:00", "2 days"], [-1.25, 2]),
        (["0:30 AM"], [0.5]),
        (["13:30 PM", "14:00 PM"], [13.5, 14]),
        (["'12", "'7.5"], [12, 7.5]),
        (['"5 km\u00a0"', '"6 km "', '"7 km\t"', '"8 km\u202f"', '"9 km \u00a0"'], [5, 6, 7, 8, 9]),
        (["5 km/h", "6 KM/H"], [5, 6]),
        (["5 GB", "6 gb"], [5, 6]),
        (["5 mg", "6 MG"], [5, 6]),
        (["5 Mbit/s", "6 MBit/s"], [5, 6]),
        (["5 kWh", "6 KWh", "7 Kwh"], [5, 6, 7]),
    ],
)
def test_what_is_read(cells, expected):
    assert numbers(cells) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    "cells",
    [
        ["007", "12"],
        ["01234", "12345"],
        ["12 kg", "13 min"],
        ["5 mW", "5 MJ"],
        ["5 mV", "7 MV"],
        ["5 MV", "7 mV", "8 mV"],
        ["12:30", "1:15", "5 h"],
        ["12 $", "13 €"],
        ["5 Mb/s", "6 MB/s"],
        ["5 GB", "6 Gb"],
        ["5 Kibps", "6 KiBps"],
        ["5 Mg", "6 mg"],
        ["5 Cal", "6 cal"],
        ["8.5 pm", "9.5 pm"],
        ["8.75 Uhr", "9.80 Uhr"],
        ["8.300 Uhr", "9.000 Uhr"],
        ["1\u00bd", "2\u00bd"],
        ["12\u00b9", "10\u00b2"],
        ["5\u2074", "6\u2074"],
        ["5\u2155", "6\u2155"],
        ["1 S", "2 H"],
        ["12 %", "13"],
        ["12:30", "1:02:03"],
        ["12:75"],
        ["12.5.3"],
        ["1.23.456"],
        ["12,3456,789.5"],
        ["A12", "A13"],
        ["10-19", "20-29"],
        ["--5"],
        ["(-5)"],
        ["5-5"],
        ["2-door", "4-door"],
        ["12-month", "6-month"],
        ["1-A", "2-A"],
        ["2024-03-01", "2024-03-02"],
        ["12.10.2024"],
        ["5 (approx.)"],
        ["1 2"],
        ["0x10"],
        ["5*"],
        ["1e"],
        ["-"],
        ["$"],
        ["3 K", "4 M"],
        ["32M", "28F"],
        *([cell] for cell in ("1:02:03:04", "12:30.5:10", "12:3", "12:", "5h 300m", "5h 3m x", "5h 30")),
        *([cell] for cell in ("3 days 5", "3 days 5:30", "3 days 5:30:10 x", "(5", "5)", '="5', '=""')),
        *([cell] for cell in ("5 e", "5 E", "1 234.5e3", "-5-", "5 .", "5 /s", ".", "$.", "1e999 kg")),
        *([cell] for cell in ("5 " + "x" * 40, "1,234 5", "1,23,45", "0,123,456.5", "\u0665 \u00e9")),
        *([cell] for cell in ("5 " + "x" * 70, "1" * 70 + " \u00e9", "1," + "5" * 70, "\u0665 kg")),
        *([cell] for cell in ("123,45,678", "12,345,67", "12.34.567", "1.5D03", "3 days 5:75:00")),
        *([cell] for cell in ("14h3", "14h300", "14h30/", "30 min 0 h")),
    ],
)
def test_what_stays_text(cells):
    assert numbers(cells) is None


def test_new_rows_are_read_like_the_first(tmp_path):
    first, later = tmp_path / "first.csv", tmp_path / "later.csv"
    first.write_text("price;rate;kind\n1.250,50;5 %;a\n999,00;12,5 %;b\n")
    table = sl.read_table(first)
    assert table.number_format == sl.table.NumberFormat(",", ".", {"rate": "%"})
    assert table[:1].X.number_format is table.number_format
    later.write_text("price;rate;kind\n8.199;unknown;5 %\n")
    with pytest.warns(sl.DataWarning) as caught:
        row = sl.read_table(later, like=table)
    notes = [str(one.message).removeprefix(f"{later}: ") for one in caught]
    assert [note[:62] for note in notes] == [
        "Column 'rate' holds numbers, but also 'unknown' (line 2). This",
        "Column 'kind' is '5 %' in 1 row, which a model of the earlier ",
    ]
    assert row[0] == {"price": 8199, "rate": None, "kind": "5 %"}
    assert row.aligned(table.schema)[0] == {"price": 8199, "rate": None, "kind": None}


@pytest.mark.parametrize(
    ("first", "later", "note"),
    [
        ("2 kg", "500 g", "holds numbers with 'g', but held numbers with 'kg' before."),
        ("12 %", "0.12", "holds numbers without a unit, but held numbers with '%' before."),
        ("12", "12 %", "holds numbers with '%', but held numbers without a unit before."),
        ("12:30", "45", "holds numbers without a unit, but held times before."),
    ],
)
def test_another_unit_than_before_is_told(tmp_path, first, later, note):
    path = tmp_path / "rows.csv"
    path.write_text(f"a,b\n{first},1\n{first},2\n")
    table = sl.read_table(path)
    path.write_text(f"a,b\n{later},1\n{later},2\n")
    with pytest.warns(sl.DataWarning, match=re.escape(f"Column 'a' {note} They are read as written.")):
        sl.read_table(path, like=table)


@pytest.mark.parametrize(("first", "later"), [("2 months", "1 Month"), ("$5", "0"), ("5 km", "5 km")])
def test_the_same_unit_as_before_is_not_told(tmp_path, first, later):
    path = tmp_path / "rows.csv"
    path.write_text(f"a,b\n{first},1\n{first},2\n")
    table = sl.read_table(path)
    path.write_text(f"a,b\n{later},1\n{later},2\n")
    assert sl.read_table(path, like=table)["a"].values.dtype == float


def test_numbers_without_the_unit_of_the_others_are_shown(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n" + "".join(f"{i} months,t\n" for i in range(30)) + "0,t\n7,t\n9,t\n")
    with pytest.warns(sl.DataWarning, match=r"but also 2 other cells, such as '7' \(line 33\)"):
        assert sl.read_table(path)["a"].to_list()[-3:] == [0, None, None]


def test_units_that_differ_by_a_prefix_are_converted(tmp_path):
    """5 MW are not 5 mW: the case of the m makes a factor of 10^9."""
    table, notes = told(tmp_path / "rows.csv", [*(f"{row}.5 MW" for row in range(30)), "2500 kW", "5 mW"])
    assert table["a"].to_list() == pytest.approx([*(row + 0.5 for row in range(30)), 2.5, 5e-9], rel=1e-15)
    assert notes == [
        "Column 'a' holds numbers in several units, such as '2500 kW' (line 32). They are converted "
        "to 'MW', the unit of most cells."
    ]


def test_numbers_in_more_units_than_are_listed(tmp_path):
    odd = ["5 V", "5 A", "5 Hz", "5 px", "5 dB", "5 lm", "5 cd", "5 Bq", "5 Pa"]
    table, notes = told(tmp_path / "rows.csv", [*(f"{row}.5 kg" for row in range(200)), *odd])
    assert table["a"].to_list() == [*(row + 0.5 for row in range(200)), *[None] * len(odd)]
    assert "9 other cells" in notes[0]


@pytest.mark.parametrize("word", [".a", ".m", ".Z", ".A"])
def test_missing_values_of_stata_and_sas(tmp_path, word):
    table, _ = told(tmp_path / "rows.csv", [*map(str, range(30)), *[word] * 9])
    assert table["a"].to_list() == [*range(30), *[None] * 9]


@pytest.mark.parametrize("word", [".^", ".!", ".~", "#abc!", "#abc?", ".ab"])
def test_words_that_are_no_missing_values(tmp_path, word):
    table, _ = told(tmp_path / "rows.csv", [*map(str, range(30)), *[word] * 9])
    assert table["a"].to_list() == [*map(str, range(30)), *[word] * 9]


def test_codes_of_several_lengths_are_told(tmp_path):
    cells = ["007", *map(str, range(1, 40))]
    table, notes = told(tmp_path / "rows.csv", cells)
    assert table["a"].to_list() == cells
    assert notes == [
        "Column 'a' has leading zeros, as in '007' (line 2), so it is read as 40 unordered categories. "
        "To read numbers, pass kinds={'a': 'numeric'} (--numeric a)."
    ]


@pytest.mark.parametrize(("word", "is_number"), [("unknown", True), ("x", False), ("7 kg", False)])
def test_targets_of_whole_numbers_and_words(word, is_number):
    """Beside whole numbers, words other than those for a missing value may be classes."""
    found = numbers([*map(str, range(30)), word], target="a")
    if is_number:
        np.testing.assert_array_equal(found, [*range(30), np.nan])
    else:
        assert found is None


@pytest.mark.parametrize(
    ("cells", "values", "note"),
    [
        (
            [f"{row}.5 kg" if row % 3 else f"{row}500 g" for row in range(1, 31)],
            [row + 0.5 for row in range(1, 31)],
            "Column 'a' holds numbers in several units, such as '3500 g' (line 4). They are converted "
            "to 'kg', the unit of most cells.",
        ),
        (
            [f"${row}.5" if row % 3 else f"{row}.5" for row in range(30)],
            [row + 0.5 for row in range(30)],
            "Column 'a' holds numbers with and without a currency, such as '0.5' (line 2). They are read as "
            "amounts of the same currency.",
        ),
        (
            [f"{row}E{row % 5}" for row in range(1, 30)],
            [float(f"{row}E{row % 5}") for row in range(1, 30)],
            "Column 'a' holds cells such as '1E1' (line 2), which are read as powers of ten. If they are "
            "codes, pass kinds={'a': 'categorical'} (--categorical a).",
        ),
        (
            ["2-", "1-", "1", "2"] * 9,
            [-2.0, -1.0, 1.0, 2.0] * 9,
            "Column 'a' holds cells such as '2-' (line 2), which are read as negative numbers. If they are "
            "codes, pass kinds={'a': 'categorical'} (--categorical a).",
        ),
        (
            [*(str(row % 5) for row in range(200)), "x"],
            [*(row % 5 for row in range(200)), None],
            "Column 'a' holds numbers, but also 'x' (line 202). This cell is read as missing.",
        ),
        (
            [*(str(row % 5) for row in range(30)), "x"],
            [*(str(row % 5) for row in range(30)), "x"],
            "Column 'a' holds numbers, but also 'x' (line 32). It is read as 6 unordered categories. "
            "To read numbers, write all cells in one format, or empty the others.",
        ),
        (
            [f"{row:08.2f}" for row in range(30)],
            [f"{row:08.2f}" for row in range(30)],
            "Column 'a' has leading zeros, as in '00000.00' (line 2), so it is read as 30 unordered "
            "categories. To read numbers, pass kinds={'a': 'numeric'} (--numeric a).",
        ),
        (
            [f"{10**19 + row}" for row in range(30)],
            [f"{10**19 + row}" for row in range(30)],
            "Column 'a' holds whole numbers of 20 digits, such as '10000000000000000000' (line 2). They are "
            "read as 30 unordered categories.",
        ),
    ],
)
def test_other_notations_are_told(tmp_path, cells, values, note):
    table, notes = told(tmp_path / "rows.csv", cells)
    assert table["a"].to_list() == (pytest.approx(values) if isinstance(values[0], float) else values)
    assert notes == [note]


def test_a_minus_behind_longer_numbers_is_not_told(tmp_path):
    table, notes = told(tmp_path / "rows.csv", ["2-", "150-", "7"])
    assert (table["a"].to_list(), notes) == ([-2, -150, 7], [])


@pytest.mark.parametrize("cells", [["3M", "6M", "12M"], ["1B", "2B", "?"], ["300K"], ["14B", "12"]])
def test_codes_that_look_like_millions_are_told(tmp_path, cells):
    _, notes = told(tmp_path / "rows.csv", cells)
    assert notes[0] == (
        f"Column 'a' holds cells such as '{cells[0]}' (line 2), which are read as thousands (K), millions "
        "(M) or billions (B). If they are codes, pass kinds={'a': 'categorical'} (--categorical a)."
    )


@pytest.mark.parametrize("cells", [["3M", "1.5M"], ["3M", "700"], ["$3M", "$5M"], ["3Mio", "5Mio"]])
def test_other_millions_are_not_told(tmp_path, cells):
    assert told(tmp_path / "rows.csv", cells)[1] == []


def test_codes_of_one_length_are_not_told(tmp_path):
    table, notes = told(tmp_path / "rows.csv", [f"{row:05}" for row in range(9_990, 10_020)])
    assert table["a"].feature.is_nominal
    assert notes == []


def test_a_slip_in_a_target_of_whole_numbers_is_told(tmp_path):
    table, notes = told(tmp_path / "rows.csv", [*map(str, range(40)), "4o"], "a")
    assert len(table.y.classes_) == 41
    assert notes[0] == (
        "Column 'a' holds numbers, but also '4o' (line 42). It is read as 41 unordered categories. To read "
        "numbers, write all cells in one format, or empty the others."
    )
    classes, notes = told(tmp_path / "rows.csv", ["1", "2", "3", "crew"] * 9, "a")
    assert (len(classes.y.classes_), notes) == (4, [])


def test_targets_in_units_are_numbers(tmp_path):
    cells = [f"{row},5 %" for row in range(29)] + ["unknown"]
    table, notes = told(tmp_path / "rows.csv", cells, "a")
    np.testing.assert_array_equal(table.y, [*(row + 0.5 for row in range(29)), np.nan])
    assert notes == [
        "Column 'a' holds numbers with '%', but also 'unknown' (line 31). This cell is read as missing.",
        "The target 'a' is missing in 1 of 30 rows. This row can be predicted, but not used for training: "
        "keep the others with table[~np.isnan(table.y)].",
    ]


def test_declared_keys_are_not_rounded(tmp_path):
    cells = ["9007199254740993", "9007199254740992"] * 20
    table, notes = told(tmp_path / "rows.csv", cells, kinds={"a": "categorical"})
    assert (table["a"].to_list(), notes) == (cells, [])
    assert told(tmp_path / "rows.csv", cells, like=table)[0]["a"].to_list() == cells


def test_keys_as_targets_are_not_rounded(tmp_path):
    table, _ = told(tmp_path / "rows.csv", ["9007199254740993", "9007199254740992"] * 20, "a")
    assert table.y.classes_.tolist() == ["9007199254740992", "9007199254740993"]


def test_text_in_every_row_is_not_made_missing(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("age,b\nold,1\nyoung,2\n")
    schema = sl.Table.from_any([[1.0, 2.0]], feature_names=["age", "b"]).schema
    assert sl.read_table(path, like=schema)["age"].to_list() == ["old", "young"]


@pytest.mark.parametrize(
    ("extra", "is_numeric", "expected"),
    [
        (["12o"], True, "'12o' (line 32). This cell is read as missing."),
        (
            ["unknown"] * 9,
            True,
            "9 other cells, such as 'unknown' (line 32). These cells are read as missing.",
        ),
        (
            ["?", "x", "y"],
            True,
            "2 other cells, such as 'x' (line 33) and 'y' (line 34). These cells are read as",
        ),
        (["."] * 9, True, ""),
        (
            ["30+", "30+"],
            False,
            "2 other cells, such as '30+' (line 32). It is read as 31 unordered categories",
        ),
        (
            ["v", "w", "x", "y", "z", "z"],
            False,
            "6 other cells, such as 'v' (line 32), 'w' (line 33) and 'x' (line 34).",
        ),
    ],
)
def test_cells_that_are_not_numbers(tmp_path, extra, is_numeric, expected):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n" + "".join(f"{cell},1\n" for cell in [*range(30), *extra]))
    if not expected:
        table = sl.read_table(path)
    else:
        with pytest.warns(sl.DataWarning) as caught:
            table = sl.read_table(path)
        (sentence,) = [str(warning.message) for warning in caught]
        assert sentence.startswith(f"{path}: Column 'a' holds numbers, but also {expected}")
    assert table["a"].feature.is_nominal != is_numeric
    if is_numeric:
        np.testing.assert_array_equal(table["a"].values, [*range(30), *[np.nan] * len(extra)])


def test_numbers_in_two_units_are_not_lost(tmp_path):
    """As categories they would all be different, and be dropped."""
    path = tmp_path / "rows.csv"
    units = "$€€" * 10
    path.write_text("a,b\n" + "".join(f"{row}.5 {unit},1\n" for row, unit in enumerate(units)))
    with pytest.warns(sl.DataWarning) as caught:
        table = sl.read_table(path)
    assert str(caught[0].message) == (
        f"{path}: Column 'a' holds numbers with '€', but also 10 other cells, such as '0.5 $' (line 2). "
        "These cells are read as missing."
    )
    assert table["a"].to_list() == [row + 0.5 if row % 3 else None for row in range(30)]


def test_keys_with_letters_stay_text(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(
        "invoice,b\n" + "".join(f"{'' if row % 7 else 'C'}{536000 + row},1\n" for row in range(30))
    )
    with pytest.warns(sl.DataWarning, match="It is read as 30 unordered categories"):
        assert sl.read_table(path)["invoice"].feature.is_nominal


def test_few_different_numbers_and_a_word_are_categories(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("class,b\n" + "1,0\n2,0\n3,0\ncrew,0\n" * 9)
    assert sl.read_table(path)["class"].feature.categories == ("1", "2", "3", "crew")


def test_targets_and_declared_columns_keep_their_text(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("term,stars\n36 months,5 stars\n60 months,4 stars\n")
    table = sl.read_table(path, "stars", categorical_features=["term"])
    assert table.y.classes_.tolist() == ["4 stars", "5 stars"]
    assert table["term"].feature.categories == ("36 months", "60 months")
    assert sl.read_table(path, "stars")["term"].to_list() == [36, 60]


def test_whole_numbers_above_2_to_the_53(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n9007199254740993,1\n9007199254740995,2\n")
    with pytest.warns(sl.DataWarning) as caught:
        sl.read_table(path)
    assert str(caught[0].message) == (
        f"{path}: Column 'a' holds whole numbers above 2^53, such as 9007199254740993 (line 2), which are "
        "rounded to about 16 digits."
    )


@pytest.mark.parametrize("written", ['="{}"', "'{}", "'{}'", "{} N", "{}-", "{:,}", '"{:,}"'])
def test_whole_numbers_above_2_to_the_53_in_other_notations(tmp_path, written):
    cells = [written.format(890_123_456_789_012_345 + row) for row in range(30)]
    _, notes = told(tmp_path / "rows.csv", cells)
    assert "Column 'a' holds whole numbers above 2^53, such as" in notes[0]
    target, _ = told(tmp_path / "rows.csv", cells, "a")
    assert len(target.y) == 30 if "N" in written else len(target.y.classes_) == 30


STYLES = [(".", ","), (".", ""), (",", "."), (",", ""), (".", "'"), (",", " "), (",", "\u202f")]


def written(value, decimal, thousands, places):
    text = f"{abs(value):,.{places}f}".replace(",", "\0").replace(".", decimal).replace("\0", thousands)
    return ("-" if value < 0 else "") + text


@given(
    style=st.sampled_from(STYLES),
    places=st.sampled_from([1, 2, 4]),
    unit=st.sampled_from(["", " €", " %", " kg"]),
    values=st.lists(st.integers(-(10**8), 10**8), min_size=1, max_size=5),
)
def test_what_is_written_is_read(style, places, unit, values):
    """Python's own formatting is the oracle. One to four decimals, but not three, prove the mark."""
    cells = [written(value / 10**places, *style, places) + unit for value in values]
    assert numbers(cells) == [value / 10**places for value in values]


def test_errors_of_excel_are_missing_numbers(tmp_path):
    path = tmp_path / "rows.csv"
    cells = ["#DIV/0!" if row % 5 == 0 else f"{row}.5" for row in range(60)]
    path.write_text("a,b\n" + "".join(f"{cell},t\n" for cell in cells))
    with pytest.warns(
        UserWarning, match=r"are read as missing: 12 in column 'a' \(first '#DIV/0!', line 2\)"
    ):
        column = sl.read_table(path)["a"]
    assert not column.feature.is_nominal
    assert column.is_missing.sum() == 12


def first_column(lines, **options):
    table = _core.parse_delimited("\n".join(["a,b", *lines]).encode(), **options)
    return table[0], table.cells(0)


@pytest.mark.parametrize(("usual", "other", "factor"), [("MW", "mW", 1e-9), ("mW", "MW", 1e9)])
def test_the_case_of_a_prefix_makes_another_unit(usual, other, factor):
    column, cells = first_column([*(f"{i} {usual},1" for i in range(1, 31)), f"7 {other},1"])
    assert (column.unit, column.converted.text) == (usual, f"7 {other}")
    assert cells[:2].tolist() == [1, 2]
    assert cells[-1] == pytest.approx(7 * factor)


def test_only_different_values_are_no_categories():
    numbers = [f"{i}.25,1" for i in range(100, 130)]
    words = [f"w{i},1" for i in range(9)]
    column, cells = first_column(numbers + words)
    assert not column.is_nominal
    assert np.isnan(cells[30:]).all()
    # A value that is there twice may be a category, and so may each of a few.
    assert first_column(numbers + words + numbers[:1])[0].is_nominal
    assert first_column(numbers[:10] + words[:5])[0].is_nominal


@pytest.mark.parametrize(("written", "is_nominal"), [("{}.5 kg", False), ("{:03d} kg", True)])
def test_a_target_of_quantities_is_numeric_unless_they_are_codes(written, is_nominal):
    column, _ = first_column([written.format(i) + ",1" for i in range(1, 31)], target="a")
    assert column.is_nominal == is_nominal
    assert len(column.values) == (30 if is_nominal else 0)


def test_a_missing_value_with_digits_is_no_value_of_its_own():
    column, cells = first_column([*(f"{i}.5,1" for i in range(30)), "1.#QNAN,1", "1.#QNAN,1"])
    assert not column.is_nominal
    assert np.isnan(cells).tolist() == [False] * 30 + [True] * 2


def test_a_line_of_equals_signs_is_a_ruler():
    table = _core.parse_delimited(b"a|b\n===|===\n1|2\n3|4\n")
    assert [table.cells(i).tolist() for i in range(2)] == [[1, 3], [2, 4]]
