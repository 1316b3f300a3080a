"""Names of rows: kept beside the columns, through every selection of rows, and never learned from."""

import numpy as np
import pandas as pd
import pytest

import sightline as sl
from sightline.exceptions import DataError, DataWarning, ParameterError
from sightline.table import Column, Feature, Table

CSV = "customer,age,zip,good\n0017,25,01067,yes\n0018,31,80331,no\n0019,n.a.,01067,yes\n"


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text(CSV)
    return file


def test_the_column_of_names_is_no_feature(path):
    with pytest.warns(DataWarning, match=r"Column 'age' holds numbers, but also 'n.a.' \(line 4\)."):
        table = sl.read_table(path, "good", kinds={"customer": "id", "age": "numeric", "zip": "categorical"})
    assert table.names == ["age", "zip"]
    assert table.row_names.name == "customer"
    assert [table.row_name(row) for row in range(3)] == ["0017", "0018", "0019"]
    assert not table["age"].feature.is_nominal
    assert table["zip"].to_list() == ["01067", "80331", "01067"]


def test_names_follow_their_rows(path):
    table = sl.read_table(path, "good", kinds={"customer": "id"})
    assert table[np.array([2, 0])].row_name(0) == "0019"
    assert table[1:].X.with_completeness().row_name(0) == "0018"
    assert table.X.aligned(table.schema).row_name(1) == "0018"


def test_whole_numbers_are_written_as_such():
    rows = Table.from_any([[17.0, 2.5], [None, 1.0]], feature_names=["id", "x"]).with_row_names("id")
    assert rows.row_name(0) == "17"
    assert rows.row_name(1) is None
    assert Table.from_any([[1.0]]).row_name(0) is None


def test_refusals(path):
    with pytest.raises(ParameterError, match=r"kind of column 'age' must be one of .* Got 'text' instead"):
        sl.read_table(path, kinds={"age": "text"})
    with pytest.raises(ParameterError, match=r"There is no column 'no'. The columns are 'customer', 'age'"):
        sl.read_table(path, kinds={"no": "id"})
    with pytest.raises(ParameterError, match=r"Only one column can hold row IDs. Got 'age' and 'zip'."):
        sl.read_table(path, kinds={"age": "id", "zip": "id"})
    with pytest.raises(ParameterError, match=r"Column 'good' is the target, so it cannot hold row IDs."):
        sl.read_table(path, "good", kinds={"good": "id"})
    names = Column(Feature("id"), np.array([1.0]))
    with pytest.raises(DataError, match=r"There are 1 names for 2 rows."):
        Table([Column(Feature("x"), np.array([1.0, 2.0]))], row_names=names)


def test_a_frame_cannot_make_numbers_of_words(tmp_path):
    pd.DataFrame({"a": ["x", "y"], "b": [1, 2]}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(DataError, match=r"Column 'a' holds text, so it cannot be numeric."):
        sl.read_table(tmp_path / "t.parquet", kinds={"a": "numeric"})
    table = sl.read_table(tmp_path / "t.parquet", kinds={"b": "categorical"})
    assert table["b"].feature.categories == (1, 2)


def test_a_column_becomes_names_or_weights_and_is_no_feature():
    table = Table.from_any(
        [["C7", 0.5, 25.0], ["C9", 1.0, 31.0]], feature_names=["customer", "exposure", "age"]
    )
    made = table.with_row_names("customer").with_weights("exposure")
    assert made.names == ["age"]
    assert [made.row_name(row) for row in (0, 1)] == ["C7", "C9"]
    assert made.weights.tolist() == [0.5, 1.0]
    with pytest.raises(DataError, match="Column 'customer' holds text, so it cannot hold the weights"):
        table.with_weights("customer")
    for take in (table.with_row_names, table.with_weights):
        with pytest.raises(KeyError, match="There is no column 'nothing'"):
            take("nothing")
