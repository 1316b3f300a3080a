from time import process_time

import numpy as np
import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st

from sightline import _core
from sightline.exceptions import DataError, DataWarning
from sightline.table import Labels, read_table


@pytest.fixture
def read(tmp_path):
    """Writes bytes or text to a file and reads it back as a table."""

    def read(content, **options):
        path = tmp_path / "data.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_table(path, **options)

    return read


def cells(table):
    return {column.name: column.to_list() for column in table.columns}


def test_numbers_and_texts(read):
    table = read("a,b,c\n1,x,-1.5e3\n+2,,.5\n")
    assert cells(table) == {"a": [1.0, 2.0], "b": ["x", None], "c": [-1500.0, 0.5]}
    assert table.name == "data"
    assert table.y is None


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_dialects(read, delimiter, line_end, last, mark):
    lines = [delimiter.join(row) for row in (["a", "b"], ["1", "x"], ["2", '"y, ""z"""'])]
    text = line_end.join(lines) + (line_end if last else "")
    assert cells(read(mark + text.encode())) == {"a": [1.0, 2.0], "b": ["x", 'y, "z"']}


def test_delimiter_on_which_header_and_rows_agree(read):
    assert read("price, EUR;weight, kg;n\n1;2;3\n").names == ["price, EUR", "weight, kg", "n"]


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
@pytest.mark.parametrize(
    ("header", "row"),
    [
        (["Last, First", "Age"], ["Smith, John", "31"]),
        (["Last,First", "Age"], ["Smith,John", "31"]),
        (["weight, kg", "size, cm"], ["1,5", "2,5"]),
        (["0,5", "1,5"], ["2,5", "3,5"]),
        (["a, b, c", "d", "e"], ["x, y, z", "1", "2"]),
    ],
)
def test_commas_in_cells_are_no_delimiters(delimiter, header, row):
    lines = [
        "",
        delimiter.join(header),
        *[delimiter.join(row)] * 5,
        delimiter.join([row[0], *[""] * (len(row) - 1)]),
    ]
    table = _core.parse_delimited("\n".join(lines).encode())
    assert [table[index].name for index in range(len(table))] == header


@pytest.mark.parametrize(
    "lines",
    [
        ["a,b,c;", "1,2,3;", "4,5,6;"],
        ["a,\tb", "1,\t2", "3,\t4"],
        ["a,b", "x;y,1", "z;w,2"],
        ["a,b,c;d", "x,y,z;w", "x,y,z;w"],
        ["a, b", "1, 2", "3, 4"],
        ["a,b,c", "1,2,3", "4,5,6"],
    ],
)
def test_commas_stay_delimiters(lines):
    table = _core.parse_delimited("\n".join(lines).encode())
    assert len(table) == lines[0].count(",") + 1


def test_decimal_commas(read):
    table = read("length;width;price\n1,5;2;1,500\n-0,25;3,125;1,5e3\nNA;0,5;7\n")
    assert [feature.is_nominal for feature in table.schema.features] == [False, False, False]
    np.testing.assert_array_equal(table.columns[0].values, [1.5, -0.25, np.nan])
    assert table.columns[1].values.tolist() == [2, 3.125, 0.5]
    assert table.columns[2].values.tolist() == [1.5, 1500, 7]


@pytest.mark.parametrize("clear", ["0,125", "-0,125", "1234,567", "1,25"])
def test_one_clear_decimal_comma_is_enough(read, clear):
    assert not read(f"a;b\n1,500;1\n{clear};1\n").columns[0].feature.is_nominal


@pytest.mark.parametrize("cells", [("1,5,5", "2"), ("00,5", "2"), ("1,5", "x"), ("1,5", "2.5", "z")])
def test_what_no_decimal_mark_fits_is_text(read, cells):
    assert read("a;b\n" + "".join(f"{cell};1\n" for cell in cells)).columns[0].feature.is_nominal


def test_quotes_keep_newlines_and_blanks(read):
    assert cells(read('a, b\n" x\ny ", z \n')) == {"a": [" x\ny "], "b": ["z"]}


def test_missing_tokens_only_without_quotes(read):
    tokens = ["", "NA", "N/A", "NaN", "nan", "NULL", "null", "?", "None"]
    table = read("a,b\n" + "".join(f"{token},x\n" for token in tokens) + '"NA",x\n')
    assert cells(table)["a"] == [None] * len(tokens) + ["NA"]


def test_empty_cells_are_missing_also_in_quotes(read):
    table = read('"a","b"\n1,"x"\n"",""\n2,"y"\n"",""\n')
    assert cells(table) == {"a": [1, None, 2], "b": ["x", None, "y"]}


@pytest.mark.parametrize("header", ["a,b", '"a","b"'])
def test_quotes_around_all_cells_of_the_rows_mean_nothing(read, header):
    assert cells(read(header + '\n"1","x"\n"NA","NULL"\n'))["a"] == [1, None]


def test_columns_without_known_cells_are_numeric(read):
    assert cells(read("a,b\n,x\n?,y\n"))["a"] == [None, None]


def test_blank_lines_are_skipped(read):
    assert cells(read("\na,b\n\n1,2\n\n\n3,4\n\n")) == {"a": [1.0, 3.0], "b": [2.0, 4.0]}


def test_leading_zeros_make_text(read):
    assert cells(read("a,b,c\n007,0.5,00.5\n1,0,1\n")) == {
        "a": ["007", "1"],
        "b": [0.5, 0.0],
        "c": ["00.5", "1"],
    }


def test_what_is_not_quite_a_number_is_text(read):
    for text in ("0x10", "1_000", "1 2", "nan(1)", "1e", "--1", "+", ".", "1.5.2", "true", "infinite"):
        assert cells(read(f"a,b\n{text},1\n"))["a"] == [text]


def test_underflow_is_zero(read):
    assert cells(read("a,b\n1e-999,-0.0001e-400\n")) == {"a": [0.0], "b": [-0.0]}


@pytest.mark.parametrize("text", ["inf", "-Infinity", "1e999", "1" + "0" * 400, "1e99999999999999999999"])
def test_infinity_is_refused_in_numbers_only(read, text):
    with pytest.raises(DataError) as caught:
        read(f"a,b\n1,2\n{text},3\n")
    assert str(caught.value).endswith(
        "data.csv: line 3: column 'a' contains infinity or a number too large for a double."
    )
    assert cells(read(f"a,b\n{text},1\nx,2\n"))["a"] == [text, "x"]


def test_the_first_infinity_is_named(read):
    with pytest.raises(DataError, match=r"line 3: column 'a' contains infinity"):
        read("a,b\n1,x\n1e999,y\n-1e999,x\n")


def test_empty_cells_beyond_the_header_are_those_of_a_spreadsheet(read):
    table = read("a,b\n1,x,,\n2,y,,\n3,x\n")
    assert cells(table) == {"a": [1, 2, 3], "b": ["x", "y", "x"]}


def test_values_are_sorted_by_character(read):
    assert read("a,b\nz,1\nä,1\nZ,1\n😀,1\n").schema.features[0].categories == ("Z", "z", "ä", "😀")


def test_columns_without_name_are_numbered(read):
    assert read(",a\n0,1\n").names == ["x0", "a"]
    assert read(",x0_,x0\n0,1,2\n").names == ["x0__", "x0_", "x0"]


def test_very_many_columns_without_name():
    """Comparing each of them with all others would take a minute."""
    n_columns = 200_000
    begin = process_time()
    table = _core.parse_delimited(b"," * (n_columns - 1) + b"\n" + b"1," * (n_columns - 1) + b"1\n")
    assert table[n_columns - 1].name == f"x{n_columns - 1}"
    assert process_time() - begin < 20


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "the file is empty."),
        ("\n\n", "the file is empty."),
        ("a,b\n", "the file has a header but no rows."),
        ("a,b\n1,2\n3\n", "line 3 has 1 cell, but the header has 2."),
        ('a,b\n"x\ny",2\n1,2,3\n', "line 4 has 3 cells, but the header has 2."),
        ("a,a\n1,2\n", "two columns have the name 'a'."),
        ('a,b\n1,2\n"x,3\n4,5\n', "line 3 opens a quote that is never closed."),
        ('a,b\n"x"y,3\n', "line 2 has text after a closing quote."),
        (b"a,b\nx\0,1\n", "line 2, column 2 is a NUL byte, so this is not a text file."),
    ],
)
def test_malformed_files_are_refused(read, tmp_path, content, sentence):
    with pytest.raises(DataError) as caught:
        read(content)
    assert str(caught.value) == f"{tmp_path / 'data.csv'}: {sentence}"


def test_a_header_in_between_is_skipped(read):
    with pytest.warns(DataWarning, match=r"Line 3 is not a row of the table and was skipped: 'a,b'."):
        table = read("a,b\n1,2\na,b\n3,4\n")
    assert cells(table) == {"a": [1.0, 3.0], "b": [2.0, 4.0]}


def test_targets_with_decimal_commas_are_numbers(read):
    assert read("a;b\n1;0,5\n2;1.200,5\n", target="b").y.tolist() == [0.5, 1200.5]
    assert read("a;b\n1;5 %\n2;7 %\n", target="b").y.classes_.tolist() == ["5 %", "7 %"]


def test_a_header_that_may_be_a_row(read):
    with pytest.raises(DataError, match=r"The first line may be a row. If so, add a header line above it."):
        read("1,yes\n2,no\n", target="kind")
    with pytest.warns(DataWarning, match="The first line holds only numbers, which became the column names"):
        read("1,2\n3,4\n")


@pytest.mark.filterwarnings("ignore:.*is missing in 1 of 3 rows")
def test_targets(read):
    content = "a,text,whole,number\n1,y,3,0.5\n2,x,1,1.5\n3,,,\n"
    assert read(content, target="text").y.classes_.tolist() == ["x", "y"]
    assert read(content, target="text").y.codes.tolist() == [1, 0, -1]
    whole = read(content, target="whole").y
    assert isinstance(whole, Labels)
    assert whole.classes_.tolist() == [1, 3]
    assert whole.classes_.dtype == np.int64
    assert whole.codes.tolist() == [1, 0, -1]
    assert np.array_equal(read(content, target="number").y, [0.5, 1.5, np.nan], equal_nan=True)
    assert read(content, target="number").names == ["a", "text", "whole"]


def test_unknown_target_is_refused(read, tmp_path):
    with pytest.raises(DataError) as caught:
        read("a,b\n1,2\n", target="c")
    assert (
        str(caught.value) == f"{tmp_path / 'data.csv'}: there is no column 'c'. The columns are 'a' and 'b'."
    )


def test_of_many_columns_the_most_similar_is_named(read, tmp_path):
    names = [f"x{index}" for index in range(12)] + ["income"]
    with pytest.raises(DataError) as caught:
        read(",".join(names) + "\n" + ",".join("1" * 13) + "\n", target="incom")
    assert str(caught.value) == (
        f"{tmp_path / 'data.csv'}: there is no column 'incom'. The columns are 'income', 'x0', 'x1', 'x2', "
        "'x3', 'x4', 'x5', 'x6', 'x7', 'x8' and 3 more. Did you mean 'income'?"
    )


def test_categorical_features(read):
    assert read("a,b\n1,2\n", categorical_features=["b"]).schema.n_values == [0, 1]
    with pytest.raises(DataError, match=r"data.csv: Column 'a' holds text"):
        read("a,b\nx,2\n", categorical_features=None)


HOSTILE = st.text(st.sampled_from("ab ,;\t|\"'\n\r?%{}\\é😀0.NA"), max_size=6)


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


@given(
    names=st.lists(HOSTILE.filter(bool), min_size=1, max_size=4, unique=True),
    data=st.data(),
)
def test_round_trip(tmp_path_factory, names, data):
    rows = data.draw(
        st.lists(
            st.tuples(*[st.one_of(st.none(), HOSTILE) for _ in names], st.floats(allow_infinity=False)),
            min_size=1,
            max_size=5,
        )
    )
    path = tmp_path_factory.getbasetemp() / "hostile.csv"
    # The letter before each text keeps it from being read as a number.
    lines = [[*map(quoted, names), "the number"]]
    lines += [
        ["" if cell is None else quoted("t" + cell) for cell in row[:-1]] + [repr(row[-1])] for row in rows
    ]
    path.write_bytes("\n".join(map(",".join, lines)).encode())
    table = read_table(path)
    assert table.names == [*names, "the number"]
    for index, column in enumerate(table.columns[:-1]):
        assert column.to_list() == [None if row[index] is None else "t" + row[index] for row in rows]
    assert np.array_equal(table.columns[-1].values, [row[-1] for row in rows], equal_nan=True)


@each(
    case=[
        # Records without cells are rows only between others, in columns of either kind.
        (b"a;b\nx;1\n;\n;\ny;2\n;\n", {"a": [0, -1, -1, 1], "b": [1.0, None, None, 2.0]}),
        (b"SEP=;\na;b\n1;2\n", {"a": [1.0], "b": [2.0]}),
        (b"sEp=|\na|b\n1|2\n", {"a": [1.0], "b": [2.0]}),
        (b'"sep=;"\na;b\n1;2\n', {"a": [1.0], "b": [2.0]}),
        # Names that begin like the line that declares a delimiter.
        (b"salt;\n1;2\n", {"salt": [1.0], "x1": [2.0]}),
        (b"sep;;\n1;2;3\n", {"sep": [1.0], "x1": [2.0], "x2": [3.0]}),
        (b"sex=;\n1;2\n", {"sex=": [1.0], "x1": [2.0]}),
        (b"sepal\n1\n", {"sepal": [1.0]}),
        # A comment names the columns only if it fits the row below it.
        (b"# a;b\n1;2\n3;4\n", {"a": [1.0, 3.0], "b": [2.0, 4.0]}),
        (b"# a;b\nx;y\nz;w\n", {"x": [0], "y": [0]}),
        (b"# a;b;c\n1;2\n2;3\n", {"1": [2.0], "2": [3.0]}),
        (b"# 5;6\n1;2\n2;3\n", {"1": [2.0], "2": [3.0]}),
        (b"# a\n1;2\n2;3\n", {"1": [2.0], "2": [3.0]}),
        (b"#\n1;2\n3;4\n", {"1": [3.0], "2": [4.0]}),
        # Blanks divide cells only if every row has as many.
        (b"a b\n1 2\n3 4\n", {"a": [1.0, 3.0], "b": [2.0, 4.0]}),
        (b"a b\n1 2 3\n3 4\n", {"a b": [0, 1]}),
        (b"x y z\nr 1 2 3\ns 4 5 6\n", {"x0": [0, 1], "x": [1.0, 4.0], "y": [2.0, 5.0], "z": [3.0, 6.0]}),
    ]
)
def test_layouts_by_hand(case):
    content, expected = case
    table = _core.parse_delimited(content)
    found = {
        table[i].name: [None if np.isnan(cell) else cell for cell in table.cells(i).tolist()]
        for i in range(len(table))
    }
    assert found == expected


@pytest.mark.parametrize("content", [b'""\nNA\nNA\n', b'"";""\nNA;NA\n'])
def test_neither_names_nor_cells(content):
    with pytest.raises(ValueError, match=r"^the file has no named column and no cells$"):
        _core.parse_delimited(content)


def test_many_rows_of_words_and_numbers():
    n_rows = 5000
    lines = [f"{'even' if i % 2 == 0 else 'odd'},{i}\n" for i in range(n_rows)]
    table = _core.parse_delimited(("kind,number\n" + "".join(lines)).encode())
    assert table.cells(0).tolist() == [0, 1] * (n_rows // 2)
    assert table.cells(1).tolist() == list(range(n_rows))


def test_more_kinds_of_numbers_than_are_listed():
    units = ["kg", "lb", "m", "km", "cm", "mm", "oz", "st", "t", "ft", "yd", "mi", "h", "s"]
    cells = [f"{i} {unit}" for i, unit in enumerate(units)]
    table = _core.parse_delimited(("a;b\n" + "".join(f"{cell};1\n" for cell in cells)).encode())
    assert table[0].is_nominal
    assert sorted(table[0].values) == sorted(cells)


@pytest.mark.parametrize("wrapped", ["'{}'", '="{}"'])
def test_text_that_is_wrapped_in_every_row_is_unwrapped(wrapped, read):
    words = ["b", "a b", "a", "b"]
    rows = [f"{wrapped.format(word)},{row},'x'y" for row, word in enumerate(words)]
    table = read("\n".join(["w,n,z", *rows]) + "\n")
    assert table["w"].feature.categories == ("a", "a b", "b")
    assert table["w"].to_list() == words
    assert set(table["z"].to_list()) == {"'x'y"}
    named = read(
        "\n".join(",".join(map(wrapped.format, row)) for row in (("w", "n"), ("a", 1), ("b", 2))) + "\n"
    )
    assert named.names == ["w", "n"]
    assert named["n"].values.tolist() == [1.0, 2.0]
    assert read("w,n\n'a',1\nb,2\n")["w"].to_list() == ["'a'", "b"]


def test_lines_of_blanks_are_blank_lines(read):
    text = "  \na,b\n   \n1,x\n\n  \n2,y\n   "
    assert cells(read(text)) == {"a": [1.0, 2.0], "b": ["x", "y"]}
    with pytest.raises(DataError, match="line 5 has 3 cells"):
        read("a,b\n  \n1,x\n \n2,y,z\n")
