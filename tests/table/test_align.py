import re

import numpy as np
import pandas as pd
import pytest

from sightline.exceptions import DataError, ModelFormatError
from sightline.table import Feature, Schema, Table

SCHEMA = Schema((Feature("size"), Feature("colour", ("red", "green", "blue"))))


def test_columns_are_put_in_order_and_recoded():
    frame = pd.DataFrame({"colour": ["green", "pink", None, "red"], "size": [1, 2, 3, 4]})
    table = Table.from_any(frame).aligned(SCHEMA)
    assert table.schema == SCHEMA
    assert table["colour"].values.tolist() == [1, -1, -1, 0]
    assert table["size"].values.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_nothing_is_copied_where_the_table_fits():
    table = Table.from_any(np.eye(2))
    assert table.aligned(table.schema) is table
    assert table.aligned(Schema((Feature("x0"), Feature("x1")))) is table
    renamed = table.aligned(Schema((Feature("a"), Feature("b"))))
    assert np.shares_memory(renamed.columns[0].values, table.columns[0].values)


def test_arrays_are_matched_by_place():
    table = Table.from_any(np.array([[1, "red"], [2, "pink"]], dtype=object)).aligned(SCHEMA)
    assert table.schema == SCHEMA
    assert table["colour"].values.tolist() == [0, -1]


def test_names_do_not_matter_to_a_model_that_saw_none():
    schema = Table.from_any(np.eye(2)).schema
    frame = pd.DataFrame({"a": [1.0], "b": [2.0]})
    assert Table.from_any(frame).aligned(schema)["x1"].to_list() == [2.0]
    same = pd.DataFrame({"x0": [1.0], "x1": [2.0]})
    assert Table.from_any(same).aligned(schema)["x1"].to_list() == [2.0]


def test_positions_in_another_order_are_refused():
    schema = Table.from_any(np.eye(2)).schema
    swapped = pd.DataFrame({"x1": [1.0], "x0": [2.0]})
    with pytest.raises(DataError) as error:
        Table.from_any(swapped).aligned(schema, "the tree")
    assert str(error.value) == (
        "X has the columns 'x1' and 'x0', but the tree was trained without names of columns and takes them "
        "in order. If this is the right order, pass X.to_numpy(), otherwise reorder the columns."
    )


@pytest.mark.parametrize(
    ("declared", "cells", "codes"),
    [
        ((1, 2), [2.0, 1.0, 7.0, np.nan], [1, 0, -1, -1]),
        (("1", "2"), [2.0, 1.0, 7.0, np.nan], [1, 0, -1, -1]),
        ((1, 2), ["2", "1", "7", None], [1, 0, -1, -1]),
        ((False, True), [1, 0, 0, 1], [1, 0, 0, 1]),
        (("false", "true"), [True, False, True, True], [1, 0, 1, 1]),
        ((False, True), ["true", "false", None, "true"], [1, 0, -1, 1]),
        (("1", "2"), ["2", "1.0", "1", None], [1, -1, 0, -1]),
        (("a", "b"), [np.nan] * 4, [-1] * 4),
        ((1, 10), ["1_0", "10", "010", " 1"], [-1, 1, -1, -1]),
        ((1.5, 2), ["1.5", "2.0", "1.50", "2"], [0, 1, -1, 1]),
    ],
)
def test_values_of_another_type_are_matched_by_meaning(declared, cells, codes):
    table = Table.from_any(pd.DataFrame({"a": cells})).aligned(Schema((Feature("a", declared),)))
    assert table["a"].values.tolist() == codes


@pytest.mark.parametrize(
    ("declared", "cells", "sentence"),
    [
        (("01067", "1067", "5"), [5, 1067], "holds 1067, which may mean '01067' or '1067' for the forest."),
        (("01067", "5"), [5, 1067], "holds 1067, which may mean '01067' for the forest. Convert"),
        (("TRUE", "true"), [True, True], "holds True, which may mean 'TRUE' or 'true' for the forest."),
    ],
)
def test_values_of_another_type_with_two_meanings_are_refused(declared, cells, sentence):
    with pytest.raises(DataError, match=re.escape(sentence)):
        Table.from_any(pd.DataFrame({"a": cells})).aligned(
            Schema((Feature("a", declared),)), owner="the forest"
        )


@pytest.mark.parametrize(
    "cells", [["1", "2.5", None], pd.Categorical([1, 2.5, None]), pd.array([1, 2.5, None], dtype="Float64")]
)
def test_categories_that_are_numbers_become_numbers(cells):
    table = Table.from_any(pd.DataFrame({"a": cells})).aligned(Schema((Feature("a"),)))
    assert table["a"].to_list() == [1.0, 2.5, None]


def test_booleans_become_numbers():
    table = Table.from_any(pd.DataFrame({"a": [True, False]})).aligned(Schema((Feature("a"),)))
    assert table["a"].to_list() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["True", "False", None], [1.0, 0.0, None]),
        (["FALSE", "false", "true"], [0.0, 0.0, 1.0]),
        (["True"], [1]),
    ],
)
def test_text_that_is_true_or_false_becomes_numbers(cells, numbers):
    """A frame's column of booleans could not be read back from its own file."""
    schema = Schema((Feature("a", rounding="lightgbm"),))
    assert Table.from_any(pd.DataFrame({"a": cells})).aligned(schema)["a"].to_list() == numbers


def test_true_beside_other_text_is_no_number():
    frame = pd.DataFrame({"a": ["True", "1"]})
    with pytest.raises(DataError, match="Column 'a' holds text such as 'True', but the model expects"):
        Table.from_any(frame).aligned(Schema((Feature("a"),)))


def test_blanks_in_names_match_underscores():
    schema = Schema((Feature("tail_length"), Feature("age")))
    frame = pd.DataFrame({"age": [1.0], "tail length": [2.0]})
    assert Table.from_any(frame).aligned(schema)[0] == {"tail_length": 2.0, "age": 1.0}
    both = frame.assign(tail_length=3.0)
    with pytest.raises(DataError) as caught:
        Table.from_any(both).aligned(schema)
    assert (
        str(caught.value)
        == "X has the column 'tail length', which the model was not trained on. Drop it first."
    )


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        (np.eye(3), "X has 3 features, but the forest is expecting 2 features as input."),
        (pd.DataFrame({"size": [1]}), "X has no column 'colour', which the forest expects."),
        (
            pd.DataFrame({"size": [1], "colour": ["red"], "a": [1], "b": [1]}),
            "X has the columns 'a' and 'b', which the forest was not trained on. Drop them first.",
        ),
        (
            pd.DataFrame({"size": ["1", "tall"], "colour": ["red", "red"]}),
            "Column 'size' holds text such as 'tall', but the forest expects numbers.",
        ),
        (
            pd.DataFrame({"size": [1], "colour": [3]}),
            "Column 'colour' holds numbers such as 3, but the forest expects text such as 'red'.",
        ),
    ],
)
def test_unusable_columns_are_refused(X, sentence):
    with pytest.raises(DataError) as caught:
        Table.from_any(X).aligned(SCHEMA, owner="the forest")
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("coded", "expected"),
    [("down", [1, 2, 2, 0, 0, -1, 2]), ("to zero", [1, 0, 2, 0, 0, -1, 2])],
)
def test_codes_are_cut_to_whole_numbers_and_others_are_one(coded, expected):
    schema = Schema((Feature("size", (0, 4, "any other"), coded),))
    rows = np.array([[4.5], [-0.5], [99.0], [0.25], [-1e-46], [np.nan], [1e300]])
    assert Table.from_any(rows).aligned(schema, "test").columns[0].values.tolist() == expected
    assert Schema.from_json(schema.to_json()) == schema


def test_codes_in_a_stored_schema_are_checked():
    stored = {"features": [{"name": "size", "categories": [1, "any other"], "coded": "up"}]}
    with pytest.raises(ModelFormatError) as caught:
        Schema.from_json(stored)
    assert (
        str(caught.value)
        == "The 'coded' of feature 'size' must be 'down', 'to zero' or 'hash', and needs 'categories'."
    )


LIKE_POSITIONS = pd.DataFrame({"x0": [1.0], "x1": [2.0], "x2": [3.0]})


def test_names_that_look_like_positions_are_names():
    schema = Table.from_any(LIKE_POSITIONS).schema
    for known in (schema, Schema.from_json(schema.to_json())):
        table = Table.from_any(LIKE_POSITIONS[["x2", "x0", "x1"]]).aligned(known)
        assert [column.to_list() for column in table.columns] == [[1.0], [2.0], [3.0]]
        with pytest.raises(DataError, match=re.escape("X has no column 'x2', which the model expects.")):
            Table.from_any(LIKE_POSITIONS.rename(columns={"x2": "other"})).aligned(known)
        # Arrays have no names.
        assert Table.from_any(LIKE_POSITIONS.to_numpy()).aligned(known)["x1"].to_list() == [2.0]


def test_only_names_that_look_like_positions_are_stored_as_given():
    assert "names_given" not in Table.from_any(np.eye(2)).schema.to_json()
    assert "names_given" not in Table.from_any(pd.DataFrame({"a": [1.0]})).schema.to_json()
    with pytest.raises(ModelFormatError, match="The 'names_given' of a schema must be true or false"):
        Schema.from_json({"features": [{"name": "x0"}], "names_given": 1})
