"""Lines of a file that are no rows: units, notes, pages, totals; and cells with hidden characters."""

import statistics
import warnings

import numpy as np
import pytest

import sightline as sl
from sightline import _core
from sightline.exceptions import DataError
from sightline.table._column import nominal_column, numeric_column
from sightline.table.files._summary_rows import find_summary_rows
from sightline.table.sheets._blocks import columns_beside

N_ROWS = 24
SALES = [round(float(x), 2) for x in np.random.default_rng(0).normal(50, 20, N_ROWS)]
COUNT = list(range(3, 3 + N_ROWS))
CITY = ["Bern", "Köln", "York"] * (N_ROWS // 3)
ROWS = [f"{city};{sale};{count};no" for city, sale, count in zip(CITY, SALES, COUNT, strict=True)]
HEADER = "city;sales;count;kind"


def read(tmp_path, lines, target=None):
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(lines) + "\n")
    with warnings.catch_warnings(record=True, action="always") as caught:
        table = sl.read_table(path, target)
    return table, [str(warning.message).removeprefix(f"{path}: ") for warning in caught]


def summary(name, rows, what=sum):
    return f"{name};{what(SALES[rows])};{what(COUNT[rows])};"


STATISTICS = {
    "Count": len,
    "Maximum": max,
    "Min.": min,
    "median": np.median,
    "Std. dev.": lambda part: round(statistics.stdev(part), 2),
}
FIRST, SECOND, ALL = slice(0, 12), slice(12, 24), slice(0, 24)
CASES = {
    "units": (
        [HEADER, ";EUR;pieces;", *ROWS],
        ["Line 2 looks like units or types of the columns and was skipped: ';EUR;pieces;'."],
    ),
    "units below a title": (
        ["Sales of March", HEADER, ";EUR;pieces;", *ROWS],
        [
            "Line 1 is not a row of the table and was skipped: 'Sales of March'.",
            "Line 3 looks like units or types of the columns and was skipped: ';EUR;pieces;'.",
        ],
    ),
    "a header twice": (
        [HEADER, HEADER, *ROWS],
        [f"Line 2 is not a row of the table and was skipped: '{HEADER}'."],
    ),
    "notes below": (
        [HEADER, *ROWS, "", "Confidential", "Source: core system, as of March"],
        [
            "Line 27 is not a row of the table and was skipped: 'Confidential'.",
            "Line 28 is not a row of the table and was skipped: 'Source: core system, as of March'.",
        ],
    ),
    "notes below with empty cells": (
        [HEADER, *ROWS, "* preliminary;;;"],
        ["Line 26 is not a row of the table and was skipped: '* preliminary'."],
    ),
    "pages": (
        ["----", f"|{HEADER.replace(';', '|')}|", "----"]
        + [f"|{row.replace(';', '|')}|" for row in ROWS[FIRST]]
        + ["----", "", "Dynamic list display  2", "----", f"|{HEADER.replace(';', '|')}|", "----"]
        + [f"|{row.replace(';', '|')}|" for row in ROWS[SECOND]],
        [
            "Line 18 is not a row of the table and was skipped: 'Dynamic list display  2'.",
            "Line 20 is not a row of the table and was skipped: '|city|sales|count|kind|'.",
        ],
    ),
    "files joined with their byte order marks": (
        [HEADER, *ROWS[FIRST], "\ufeff" + HEADER, *ROWS[SECOND]],
        ["Line 14 is not a row of the table and was skipped: '\ufeffcity;sales;count;kind'."],
    ),
    "a row of sums without a name": (
        [HEADER, *ROWS, summary("", ALL)],
        ["The last row holds the totals of the others and was dropped."],
    ),
    "subtotals and totals": (
        [
            *(HEADER, *ROWS[FIRST], summary("North Total", FIRST)),
            *(*ROWS[SECOND], summary("South Total", SECOND), summary("Grand total", ALL)),
        ],
        [
            "3 rows hold the totals of others ('North Total', 'South Total' and 'Grand total') and were "
            "dropped."
        ],
    ),
    "total and mean": (
        [HEADER, *ROWS, summary("Total", ALL), summary("Average", ALL, lambda part: sum(part) / len(part))],
        ["2 rows hold the totals and means of others ('Total' and 'Average') and were dropped."],
    ),
    "statistics": (
        [HEADER, *ROWS, *(summary(name, ALL, what) for name, what in STATISTICS.items())],
        [
            "5 rows hold the summary statistics of others ('Count', 'Maximum', 'Min.' and 2 more) and were "
            "dropped."
        ],
    ),
    "statistics, total and mean": (
        [
            *(HEADER, *ROWS, summary("Max", ALL, max), summary("Total", ALL)),
            *(summary("Mean", ALL, np.mean), summary("Min", ALL, min)),
        ],
        [
            "4 rows hold the summary statistics of others ('Max', 'Total', 'Mean' and 1 more) and were "
            "dropped."
        ],
    ),
    "one statistic": (
        [HEADER, *ROWS, summary("Maximum", ALL, max)],
        ["The last row holds the maximums of the others ('Maximum') and was dropped."],
    ),
    "two statistics": (
        [HEADER, *ROWS, summary("Stabw", ALL, np.std), summary("n", ALL, len)],
        ["2 rows hold the counts and standard deviations of others ('Stabw' and 'n') and were dropped."],
    ),
    "hidden characters": (
        [HEADER, *(f"\u200b{row}\u200e".replace(";", "\ufeff;\u2060") for row in ROWS)],
        [],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_same_rows_as_without_these_lines(case, tmp_path):
    lines, notes = CASES[case]
    table, found = read(tmp_path, lines)
    assert found == notes
    assert table["city"].to_list() == CITY
    assert table["sales"].values.tolist() == SALES
    assert table["count"].values.tolist() == COUNT
    assert table["city"].feature.categories == ("Bern", "Köln", "York")


@pytest.mark.parametrize(
    "line",
    ["Zug;;;", "Bad Ems;;3;no", "Total;7;7;no", "media;9;9;no"],
    ids=["word", "row", "total", "word of a mean"],
)
def test_other_lines_are_rows(line, tmp_path):
    table, _ = read(tmp_path, [HEADER, *ROWS[FIRST], line, *ROWS[SECOND]])
    assert table.n_rows == N_ROWS + 1


def test_a_note_between_rows_is_a_row(tmp_path):
    table, _ = read(tmp_path, [HEADER, *ROWS[FIRST], "closed in March;;;", *ROWS[SECOND]])
    assert table["city"].to_list()[12] == "closed in March"


@pytest.mark.parametrize(
    "lines",
    [
        [f"Max;{max(SALES)};9;no"],  # a person
        [f"Maximum;{max(SALES) + 1};{max(COUNT) + 1};no"],
        [f"Zug;{max(SALES)};{max(COUNT)};no"],
        [f"{name};{max(SALES)};{max(COUNT)};" for name in ("Maximum", "Maximum", "Zug")],
    ],
    ids=["one number", "larger", "no name", "other rows"],
)
def test_rows_like_statistics_are_rows(lines, tmp_path):
    table, notes = read(tmp_path, [HEADER, *ROWS, *lines])
    assert table.n_rows == N_ROWS + len(lines)
    assert notes == []


def test_statistics_that_may_be_rows_are_told(tmp_path):
    table, notes = read(tmp_path, [HEADER, *ROWS, summary("Max", ALL, max)])
    assert table.n_rows == N_ROWS + 1
    assert notes == ["The last row may hold the maximums of the others ('Max'). If so, remove it."]
    grades = [f"K{row};{row % 5};no" for row in range(N_ROWS)]
    table, notes = read(tmp_path, ["name;grade;kind", *grades, "Maximum;4;"])  # as every fifth row
    assert table.n_rows == N_ROWS + 1
    assert notes == ["The last row may hold the maximums of the others ('Maximum'). If so, remove it."]
    table, notes = read(tmp_path, [HEADER, *ROWS, summary("Maximum", ALL, max), "Minimum;1;7;"])
    assert table.n_rows == N_ROWS + 1
    assert notes == [
        "One row holds the maximums of others ('Maximum') and was dropped.",
        "The last row may hold the minimums of the others ('Minimum'). If so, remove it.",
    ]


@pytest.mark.parametrize("n_names", [2, 5])
def test_names_of_statistics_in_a_column_of_numbers(n_names, tmp_path):
    numbers = [row / 4 for row in range(90)]
    rows = [f"{10_000 + row};{number};no" for row, number in enumerate(numbers)]
    below = [f"{name};{what(numbers)};" for name, what in list(STATISTICS.items())[:n_names]]
    table, notes = read(tmp_path, ["buyer;size;kind", *rows, *below])
    assert table["buyer"].values.tolist() == [10_000 + row for row in range(90)]
    assert [note.split(" (")[0] for note in notes] == [
        f"{n_names} rows hold the {'counts and maximums' if n_names == 2 else 'summary statistics'} of others"
    ]


def test_names_that_begin_like_totals_are_kept(tmp_path):
    """Small numbers are sums of others by chance."""
    rows = [f"{name},{row + 10},{shelf}.5,{row}7,{shelf}" for row, (name, shelf) in enumerate(SHELVES)]
    table, notes = read(tmp_path, ["cereal,sugar,fat,sodium,shelf", *rows])
    assert table.n_rows == len(rows)
    assert notes == []


SHELVES = [
    ("Kix", 1),
    ("Life", 2),
    ("Total Corn Flakes", 3),
    ("Trix", 1),
    ("Wheaties", 1),
    ("Total Bran", 2),
] * 3


def test_a_number_that_many_rows_have_makes_no_total(tmp_path):
    rows = [f"{kind},{row % 2},{row}.5" for row, kind in enumerate(["one", "two", "one", "All", "two"] * 6)]
    table, notes = read(tmp_path, ["kind,flag,size", *rows])
    assert table.n_rows == len(rows)
    assert notes == ["One row may hold the totals of others ('All'). If so, remove it."]


def test_last_rows_of_tiny_numbers_are_kept(tmp_path):
    rows = [f"K{row},{row}e-9,{row}e-12" for row in range(1, 9)]
    table, notes = read(tmp_path, ["part,farad,henry", *rows, "Total,5e-9,1e-12"])
    assert table.n_rows == len(rows) + 1
    assert notes == ["The last row may hold the totals of the others ('Total'). If so, remove it."]
    assert read(tmp_path, ["part,farad,henry", *rows])[0].n_rows == len(rows)


@pytest.mark.parametrize("is_sorted", [False, True])
def test_totals_of_many_groups(is_sorted):
    n_groups = 50_000  # quadratic cost would take minutes
    codes = np.tile(np.arange(3, dtype=np.int32), n_groups)
    numbers = np.arange(3.0 * n_groups)
    numbers[2::3] = numbers[::3] + numbers[1::3]
    order = np.argsort(codes, kind="stable") if is_sorted else np.arange(len(codes))
    columns = [
        nominal_column("sex", ["f", "m", "Total"], codes[order]),
        numeric_column("deaths", numbers[order]),
    ]
    found = find_summary_rows(columns)
    assert (found is None) == is_sorted
    if found is not None:
        assert [*found.certain] == [*range(2, 3 * n_groups, 3)]


def test_subtotals_that_are_no_sums_are_told(tmp_path):
    table, notes = read(tmp_path, [HEADER, *ROWS[FIRST], "Subtotal;1;2;", *ROWS[SECOND]])
    assert table.n_rows == N_ROWS + 1
    assert notes == ["One row may hold the totals of others ('Subtotal'). If so, remove it."]


@pytest.mark.parametrize("first", ["", "5"])
def test_names_of_rows_are_different(first, tmp_path):
    rows = [f"{first};{row}" for row in ROWS]
    with pytest.raises(
        DataError, match=r"the rows have 5 cells, but the header has 4\. Put cells that contain"
    ):
        read(tmp_path, [HEADER, *rows])


def test_a_group_that_only_its_first_row_names_is_told(tmp_path):
    regions = {0: "north", 12: "south"}
    rows = [f"{regions.get(index, '')};{row}" for index, row in enumerate(ROWS)]
    table, notes = read(tmp_path, [f"region;{HEADER}", *rows])
    assert table["region"].is_missing.sum() == N_ROWS - 2
    assert notes == [
        "Column 'region' has a value in only 2 of 24 rows, never the same. If each is meant for the rows "
        "below, fill them."
    ]


def test_a_row_instead_of_a_header_is_told(tmp_path):
    _, notes = read(tmp_path, ROWS)
    assert notes == [
        "The first line holds numbers and 'Bern', as the rows do, and became the column names. If it is "
        "a row, add a header line above it."
    ]


@pytest.mark.parametrize(
    ("rows", "value"),
    [
        (["P001,34,120.5", "P002,35,99.5"], "120.5"),
        (["1,17.99,M1", "2,18.5,M2"], "17.99"),
        (["2019-01-01,5", "2019-01-02,6"], "2019-01-01"),
        (["12:30,b", "13:45,c"], "12:30"),
        (["12%,b", "15%,c"], "12%"),
        (["€5,b", "€7,c"], "€5"),
        (['"1,5";b', '"2,5";c', '"3,25";d'], "1,5"),
        (["ham\tGo until", "spam\tFree entry", "ham\tOk lar"], "ham"),
        (["red,small,yes", "red,large,yes", "blue,small,no"], "red"),
    ],
)
def test_values_as_names_are_told(rows, value, tmp_path):
    _, notes = read(tmp_path, rows)
    assert [note for note in notes if "became the column names" in note] == [
        f"The first line holds '{value}', as the rows do, and became the column names. If it is a row, add a "
        "header line above it."
    ]


@pytest.mark.parametrize(
    "rows",
    [
        ["id,2019,2020", "a,1.5,2.5"],
        ["id,0.25,0.5,0.75", "a,1.5,2.5,3.5"],
        ["id,2019-01-01,2019-02-01", "a,1.5,2.5"],
        ["id,30 days,size", "a,1.5,2.5"],
        ["married,age", "married,30", "single,40"],
        ["name,city,married", "Ann,Bern,married", "Ben,York,single"],
        ["3rd,4 kg,c12", "a,1.5,2.5"],
        ["7e5432,-9e999", "1.5,2.5"],
    ],
)
def test_names_like_values_of_other_columns_are_names(rows, tmp_path):
    _, notes = read(tmp_path, rows)
    assert notes == []


def test_columns_of_fixed_width_are_pointed_at(tmp_path):
    lines = [row.replace(";", "   ") + "  x y" * (index % 2) for index, row in enumerate([HEADER, *ROWS])]
    with pytest.raises(DataError, match="If its columns have a fixed width, save the table as CSV"):
        read(tmp_path, lines, "kind")


@pytest.mark.parametrize("name", ["All", "Overall", "Σ", "all branches"])
def test_a_last_row_of_sums_is_dropped_whatever_its_label(name, tmp_path):
    rows = [f"K{row};{sale};{count};no" for row, (sale, count) in enumerate(zip(SALES, COUNT, strict=True))]
    table, notes = read(tmp_path, [HEADER, *rows, f"{name};{sum(SALES)};{sum(COUNT)};"])
    assert table.n_rows == N_ROWS
    assert name not in table["city"].feature.categories
    assert notes == [f"The last row holds the totals of the others ('{name}') and was dropped."]


@pytest.mark.parametrize(
    "last",
    [
        f"Bern;{sum(SALES)};{sum(COUNT)};",  # another row has this label
        f"Zug;{sum(SALES)};7;",
        f"Zug;{sum(SALES)};;",  # one number is a sum by chance
    ],
)
def test_other_last_rows_are_kept(last, tmp_path):
    table, notes = read(tmp_path, [HEADER, *ROWS, last])
    assert table.n_rows == N_ROWS + 1
    assert notes == []


def test_a_last_row_of_few_ones_is_kept(tmp_path):
    rows = ["K0,1,0", "K1,0,1", *[f"K{row},0,0" for row in range(2, 9)], "K9,1,1"]
    assert read(tmp_path, ["id,a,b", *rows])[0].n_rows == len(rows)


def test_the_name_of_a_dropped_row_is_told_once(tmp_path):
    numbers = [f"{10_000 + row};{row / 4};no" for row in range(30)]
    _, notes = read(tmp_path, ["buyer;size;kind", *numbers, f"Total;{sum(row / 4 for row in range(30))};"])
    assert notes == ["The last row holds the totals of the others ('Total') and was dropped."]


def test_columns_beside_the_table_are_not_read(tmp_path):
    beside = [";;city;mean", ";;Bern;5.5", ";;York;6.5", *[";;;"] * N_ROWS]
    header, *rows = [line + more for line, more in zip([HEADER, *ROWS], beside, strict=False)]
    header = header.replace(";;city;mean", ";;town;mean")
    table, notes = read(tmp_path, [header, *rows])
    assert table.names == ["city", "sales", "count", "kind"]
    assert notes == [
        "Columns 'town' and 'mean' were not read: an empty column separates them from the table, which has "
        "more rows."
    ]
    # Whoever names one of them means it.
    table, _ = read(tmp_path, [header, *rows], "mean")
    assert table.names[-1] == "town"
    # A column that is filled here and there is one of remarks.
    remarks = [";;remark", ";;", ";;late", *[";;"] * 10, ";;left", *[";;"] * N_ROWS]
    table, notes = read(tmp_path, [line + more for line, more in zip([HEADER, *ROWS], remarks, strict=False)])
    assert table.names[-1] == "remark"
    assert notes == []


class CountedColumns(list):
    """Columns that count how often they are listed."""

    n_lists = 0

    def __iter__(self):
        self.n_lists += 1
        return super().__iter__()


def test_columns_are_listed_as_often_for_many_blocks_as_for_few():
    n_lists = set()
    for n_columns in (4, 400):
        columns = CountedColumns(numeric_column(f"c{i}", np.ones(2)) for i in range(n_columns))
        assert columns_beside(columns, range(n_columns), set()) == []
        n_lists.add(columns.n_lists)
    assert len(n_lists) == 1


@pytest.mark.parametrize(
    ("line", "n_columns", "is_skipped"),
    [
        pytest.param("kg,m,s", 3, True, id="all columns"),
        pytest.param("kg,m,NA", 3, True, id="most, and a missing value"),
        pytest.param("kg,m,,,", 5, False, id="fewer than half"),
        pytest.param("kg,,", 3, False, id="one"),
    ],
)
def test_words_above_digits_are_units_in_at_least_half_of_the_columns(line, n_columns, is_skipped):
    header = ",".join("abcde"[:n_columns])
    rows = [",".join(str(row + column) for column in range(n_columns)) for row in range(9)]
    table = _core.parse_delimited("\n".join([header, line, *rows]).encode())
    assert [cell.text for cell in table.skipped] == ([line] if is_skipped else [])
    assert len(table.cells(0)) == 9 + (not is_skipped)


@pytest.mark.parametrize(
    "line",
    [
        *(
            "<0.1;>100",
            "1\u00a0234,5;2\u00a0345,5",
            "1\u2019234;2\u2019345",
            "\u22125;\u22126",
            "9:30 PM;10:15 AM",
        ),
        *("\u20ac5;$6", "1 Mar 2019;2 Mar 2019", "12 kg;1 m", "(5) a;b", "1000;EUR 5"),
    ],
)
def test_cells_that_begin_with_a_digit_are_no_units(line):
    rows = [f"{row};{row + 1}" for row in range(9)]
    table = _core.parse_delimited("\n".join(["a;b", line, *rows]).encode())
    assert (len(table.cells(0)), table.skipped) == (10, [])


@pytest.mark.parametrize("line", ["1000 EUR;100 t", "1000 EUR;kg"])
def test_powers_of_ten_may_be_units(line):
    rows = [f"{row};{row + 1}" for row in range(9)]
    table = _core.parse_delimited("\n".join(["a;b", line, *rows]).encode())
    assert [cell.text for cell in table.skipped] == [line]


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (["#gene\tchrom\tstrand", "g1\tchr1\t+", "g2\tchr2\t-"], ["gene", "chrom", "strand"]),
        (["#made by x", "#gene,chrom", "g1,chr1", "g2,chr2"], ["gene", "chrom"]),
        # Text that happens to have as many commas.
        (["# Source,Berlin", "city,state", "a,b"], ["city", "state"]),
        (["#Exported on Monday, by Ann", "city,state", "a,b"], ["city", "state"]),
        # The first of rows with numbers is the header.
        (["#gene,chrom", "name,age", "a,5"], ["name", "age"]),
    ],
)
def test_a_comment_that_names_columns_of_text(lines, names):
    table = _core.parse_delimited("\n".join(lines).encode())
    assert [table[index].name for index in range(len(table))] == names


@pytest.mark.parametrize(
    ("lines", "note"),
    [
        (
            ["Region,Sales,,", ",2019,2020,", *(f"r{row},{row},{row}," for row in range(9))],
            "Line 2 is read as a row, but may be a second line of the header. If so, join it with the line "
            "above.",
        ),
        (
            ["Key0,val0,,,,", "Key1,val1,,,,", "a,b,c,d,e,f", *["u,v,w,x,y,z"] * 9],
            "Line 3 is read as a row, but may be the header: the lines above it have fewer cells. If so, "
            "remove them.",
        ),
        (
            ["#Smith,Ann", "city,state", "a,b"],
            "Line 1 became the column names, but begins with #, as comments do. If it is a comment, remove "
            "it.",
        ),
        (
            ["state;people", *(f"s{row};{row}" for row in range(9)), "Quelle: Bundesamt;"],
            "The last row, 'Quelle: Bundesamt' (line 11), may be a note below the table. If so, remove it.",
        ),
        (
            ["state;people", *(f"s{row};{row}" for row in range(9)), "all as of March 1;"],
            "The last row, 'all as of March 1' (line 11), may be a note below the table. If so, remove it.",
        ),
    ],
    ids=["second header", "later header", "comment as header", "note", "note without a colon"],
)
def test_rows_that_may_be_none_are_told(tmp_path, lines, note):
    assert read(tmp_path, lines)[1] == [note]


@pytest.mark.parametrize(
    "lines",
    [
        ["a,b,", "x,2,3", "y,4,5"],
        [",a,b", ",2,3", "y,4,5"],
        ["state;people", "North Dakota;5", "New York;"],
        ["state;people", "Note: this is no note;", "New York;5"],
        ["# Source,Berlin", "city,state", "a,b"],
        ["#gene,length", "g1,20", "g2,30"],
        ["review;kind", "I like it a lot.;good", "It broke at once.;", "Not sure yet, to be honest.;"],
    ],
)
def test_rows_like_others_are_not_told(tmp_path, lines):
    assert read(tmp_path, lines)[1] == []


def test_units_stand_above_an_empty_column_too():
    rows = [f"{row},{row + 1}," for row in range(9)]
    table = _core.parse_delimited("\n".join(["a,b,c", "kg,m,s", *rows]).encode())
    assert [cell.text for cell in table.skipped] == ["kg,m,s"]
    assert np.isnan(table.cells(2)).all()
