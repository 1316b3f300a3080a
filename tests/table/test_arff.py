import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline import _core
from sightline.exceptions import DataError
from sightline.table import Labels, read_table

HEADER = (
    "@relation toys\n@attribute size numeric\n@attribute colour {red, green}\n@attribute kind {a,b,c}\n"
    "@data\n"
)


@pytest.fixture
def read(tmp_path):
    """Writes a text to a file and reads it back as a table."""

    def read(content, **options):
        path = tmp_path / "data.arff"
        path.write_bytes(content.encode())
        return read_table(path, **options)

    return read


def cells(table):
    return {column.name: column.to_list() for column in table.columns}


def test_last_attribute_is_the_target(read):
    table = read(HEADER + "1.5,red,b\n?,?,a\n")
    assert cells(table) == {"size": [1.5, None], "colour": ["red", None]}
    assert table.schema.features[1].categories == ("red", "green")
    assert table.y.classes_.tolist() == ["a", "b", "c"]
    assert table.y.codes.tolist() == [1, 0]
    assert (table.name, table.target_name, table.weights) == ("toys", "kind", None)


def test_any_attribute_may_be_the_target(read):
    table = read(HEADER + "1.5,red,b\n", target="size")
    assert table.y.tolist() == [1.5]
    assert table.names == ["colour", "kind"]


def test_keywords_comments_quotes_and_blanks(read):
    table = read(
        "% a comment\n\n  @RELATION 'my toys'\n% another\n"
        "@Attribute 'it\\'s \"size\"' REAL [0,10] % range\n"
        '@ATTRIBUTE "a b"{\'x y\' , "q\\"r", 50%}\n'
        "@attribute\tlast\tInteger\r\n"
        "@DATA\n% rows\n1 , 'x y' , 3 % end\r\n\n2\t50%\t4\n3,'q\"r',5"
    )
    assert table.name == "my toys"
    assert cells(table) == {'it\'s "size"': [1.0, 2.0, 3.0], "a b": ["x y", "50%", 'q"r']}
    assert isinstance(table.y, np.ndarray)
    assert table.y.tolist() == [3.0, 4.0, 5.0]


def test_only_a_bare_question_mark_is_missing(read):
    table = read("@relation r\n@attribute a {'?', b}\n@attribute y numeric\n@data\n?,1\n'?',2\n\"?\",3\n")
    assert table["a"].values.tolist() == [-1, 0, 0]


def test_cells_with_a_name_for_no_number_are_missing(read):
    table = read("@relation r\n@attribute a numeric\n@attribute b numeric\n@data\nNaN,1\nnan,2\n?,3\n4,5\n")
    assert table["a"].to_list() == [None, None, None, 4]


def test_empty_strings_and_tabs_in_quotes_are_values(read):
    table = read("@relation r\n@attribute a string\n@attribute b numeric\n@data\n'',1\n'x\\ty',2\n'',3\n")
    assert table["a"].to_list() == ["", "x\ty", ""]


def test_strings_are_nominal_in_order_of_appearance(read):
    table = read(
        "@relation r\n@attribute a string\n@attribute y numeric\n@data\n'z z',1\nb,2\n?,3\n'z z',4\n"
    )
    assert table.schema.features[0].categories == ("z z", "b")
    assert table["a"].values.tolist() == [0, 1, -1, 0]


def test_sparse_rows(read):
    table = read(HEADER + "{0 5, 2 c}\n{ }\n{1 green,0 ?}\n{2 'b'}\n")
    assert cells(table) == {"size": [5.0, 0.0, None, 0.0], "colour": ["red", "red", "green", "red"]}
    assert table.y.codes.tolist() == [2, 0, 0, 1]


def test_a_sparse_row_has_no_first_value_of_an_attribute_without_values():
    table = _core.parse_arff(b"@relation r\n@attribute a {}\n@attribute b {x, y}\n@data\n{1 y}\n{}\n")
    assert [table.cells(i).tolist() for i in range(2)] == [[-1, -1], [1, 0]]


def test_a_name_cut_within_a_character_is_shown_without_it():
    with pytest.raises(ValueError, match=r"unknown type '\.\.\.'"):
        _core.parse_arff(b"@relation r\n@attribute a " + b"\x80" * 80 + b"\n@data\n1\n")


def test_sparse_rows_that_would_fill_the_memory(read):
    """Three bytes of a row fill a cell of each of 10,000 columns."""
    names = "".join(f"@attribute {k} string\n" for k in range(10_000))
    with pytest.raises(DataError) as caught:
        read("@relation r\n" + names + "@data\n" + "{}\n" * 2000)
    assert str(caught.value).endswith(
        "line 11680: the sparse rows up to here have more than 16777216 cells, "
        "too many for a file of this size."
    )


def test_instance_weights(read):
    table = read(HEADER + "1,red,a\n2,red,b,{0.5}\n3,red,c\n{0 4},{2}\n")
    assert table.weights.tolist() == [1.0, 0.5, 1.0, 2.0]


def test_declared_values_that_never_occur_are_kept(read):
    assert read(HEADER + "1,red,a\n").y.classes_.tolist() == ["a", "b", "c"]


def test_attribute_without_values_is_a_column_of_nothing(read):
    table = read("@relation r\n@attribute a {}\n@attribute y numeric\n@data\n?,1\n")
    assert table["a"].to_list() == [None]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("@relation r\n@attribute a numeric\n", "the file ends at line 2, before @data."),
        ("@relation r\n@data\n1\n", "line 2 begins the data before any attribute is declared."),
        (HEADER, "the file has no rows after @data."),
        (HEADER + "1,red,a\n2,red", "line 7 has 2 cells, but 3 attributes are declared."),
        (HEADER + "1,red,a,4\n", "line 6 has 4 cells, but 3 attributes are declared."),
        (
            HEADER + "1,pink,a\n",
            "line 6: attribute 'colour' does not declare the value 'pink', only 'red', 'green'.",
        ),
        (
            "@relation r\n@attribute a {p, q, r, s, t, u}\n@data\nx\n",
            "line 4: attribute 'a' does not declare the value 'x', only 'p', 'q', 'r', 's', 't', ....",
        ),
        (HEADER + "tall,red,a\n", "line 6: attribute 'size' is numeric, but the cell is 'tall'."),
        (
            HEADER + "1e999,red,a\n",
            "line 6: attribute 'size' contains infinity or a number too large for a double.",
        ),
        (
            HEADER + "1,,a\n",
            "line 6: the cell of attribute 'colour' is empty; write ? for a missing value.",
        ),
        (HEADER + "1,'red,a\n", "line 6 opens a quote that is never closed."),
        (HEADER + "1,'red\\", "line 6 opens a quote that is never closed."),
        (HEADER + "{0 1, 0 2}\n", "line 6 gives attribute 'size' twice."),
        (
            HEADER + "{3 1}\n",
            "line 6 has '3' as the index of a sparse cell, which must be a whole number below 3.",
        ),
        *(
            (
                HEADER + f"{{{index} 1}}\n",
                f"line 6 has '{index}' as the index of a sparse cell, which must be a whole number below 3.",
            )
            for index in ("x", "1x", "-1", "99999999999999999999")
        ),
        (HEADER + "{0 1\n", "line 6 has a sparse row without a closing brace."),
        (HEADER + "{0 1} x\n", "line 6 has text after the closing brace."),
        (
            HEADER + "1,red,a,{-1}\n",
            "line 6 has the instance weight '-1', which must be a number of at least 0 in braces.",
        ),
        *(
            (
                HEADER + f"1,red,a,{{{weight}\n",
                f"line 6 has the instance weight '{weight.rstrip('}')}', which must be a number of at least "
                "0 in braces.",
            )
            for weight in ("x}", "1")
        ),
        (HEADER + "1,red,a,{1},2\n", "line 6 has text after the instance weight."),
        (
            "@relation r\n@attribute when date 'yyyy'\n",
            "line 2: attribute 'when' is a date; turn it into a number, such as days since a fixed day, "
            "or remove it.",
        ),
        ("@relation r\n@attribute a complex\n", "line 2: attribute 'a' has the unknown type 'complex'."),
        ("@relation r\n@attribute a\n", "line 2: attribute 'a' has no type."),
        (
            "@relation r\n@attribute a {x, y\n",
            "line 2: attribute 'a' has a list of values without a closing brace.",
        ),
        ("@relation r\n@attribute a {x, x}\n", "line 2: attribute 'a' declares the value 'x' twice."),
        (
            "@relation r\n@attribute a {x,,y}\n",
            "line 2: attribute 'a' declares an empty value without quotes.",
        ),
        (
            "@relation r\n1,2\n",
            "line 2 has '1'; expected @relation, @attribute or @data.",
        ),
        (
            "@relation r\n@attribute a numeric\n@attribute a numeric\n@data\n1,2\n",
            "two columns have the name 'a'.",
        ),
        ("@relation r\n@attribute a numeric\n@data\n1\n", "there is no column besides the target 'a'."),
        ("", "the file ends at line 0, before @data."),
    ],
)
def test_malformed_files_are_refused(read, tmp_path, content, sentence):
    with pytest.raises(DataError) as caught:
        read(content)
    assert str(caught.value) == f"{tmp_path / 'data.arff'}: {sentence}"


def test_long_and_odd_values_are_shown_cut_and_escaped(read):
    with pytest.raises(DataError) as caught:
        read(HEADER + "1,'" + "\x1b" + "é" * 40 + "',a\n")
    assert "the value '\\x1b" + "é" * 29 + "...', only" in str(caught.value)


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)


def quoted(value):
    escapes = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return "'" + "".join(escapes.get(character, character) for character in value) + "'"


@pytest.mark.filterwarnings("ignore:.*The target 'y' is missing in")
@given(
    name=TEXT,
    values=st.lists(
        st.one_of(TEXT, st.sampled_from(["?", "%", "{", "}", " ", ",", "a,b"])), min_size=1, unique=True
    ),
    data=st.data(),
)
def test_round_trip(tmp_path_factory, name, values, data):
    codes = data.draw(st.lists(st.integers(-1, len(values) - 1), min_size=1, max_size=6))
    numbers = data.draw(st.lists(st.floats(allow_infinity=False), min_size=len(codes), max_size=len(codes)))
    rows = [
        f"{number!r},{'?' if code < 0 else quoted(values[code])}"
        for number, code in zip(numbers, codes, strict=True)
    ]
    path = tmp_path_factory.getbasetemp() / "hostile.arff"
    path.write_bytes(
        "\n".join(
            [
                f"@relation {quoted(name)}",
                f"@attribute {quoted('n' + name)} numeric",
                f"@attribute y {{{','.join(map(quoted, values))}}}",
                "@data",
                *rows,
            ]
        ).encode()
    )
    table = read_table(path)
    assert table.names == ["n" + name]
    assert isinstance(table.y, Labels)
    assert table.y.codes.tolist() == codes
    assert np.array_equal(table.columns[0].values, numbers, equal_nan=True)
    assert table.y.classes_.tolist() == values
