import csv
import gzip
import io
import json
import os
import sys
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from absent import NO_POSIX

import sightline as sl
from sightline.exceptions import DataError, DataWarning, ParameterError
from sightline.table import Labels, read_table
from sightline.table.files import _content

ARFF = "% toys\n\n@Relation toys\n@attribute a numeric\n@attribute b {x,y}\n@data\n1,y\n2,x\n"
CSV = "a,b\n1,y\n2,x\n"
FRAME = pd.DataFrame(
    {"a": [1.0, 2.0], "b": pd.Categorical(["y", "x"], categories=["y", "z", "x"])}, index=[7, 9]
)


@pytest.mark.parametrize(("content", "has_target"), [(ARFF, True), ("\ufeff" + ARFF, True), (CSV, False)])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_content_decides_on_the_format(tmp_path, content, has_target, pack):
    path = tmp_path / "noname"
    path.write_bytes(pack(content.encode()))
    table = read_table(str(path), target="b")
    assert table["a"].to_list() == [1.0, 2.0]
    assert table.y.classes_.tolist() == ["x", "y"]
    assert (read_table(path).y is not None) == has_target


@pytest.mark.parametrize("write", ["to_parquet", "to_feather"])
def test_columns_with_several_levels_have_the_names_of_the_frame(tmp_path, write):
    levels = pd.MultiIndex.from_tuples([("income", "2023"), ("income", "2024"), ("size (m)", ""), ("y", "")])
    frame = pd.DataFrame(np.arange(40.0).reshape(10, 4) % 3, columns=levels)
    folder = tmp_path / "rows"
    folder.mkdir()
    getattr(frame, write)(folder / "rows.file")
    names = ["income 2023", "income 2024", "size (m)", "y"]
    assert sl.read_table(folder / "rows.file").names == sl.Table.from_any(frame).names == names
    assert sl.read_table(folder / "rows.file", target="y").names == names[:3]
    tree = sl.C45Classifier().fit(sl.Rows(folder, target="y")).tree_
    assert tree.schema.names == names[:3]
    np.testing.assert_array_equal(tree.predict(frame.iloc[:, :3]), tree.predict(frame.iloc[:, :3].to_numpy()))


def test_text_that_looks_like_levels_is_a_name_if_there_is_one_level(tmp_path):
    pd.DataFrame({"('a', '1')": [1.0, 2.0], "b": [0.0, 1.0]}).to_parquet(tmp_path / "rows.parquet")
    assert sl.read_table(tmp_path / "rows.parquet").names == ["('a', '1')", "b"]


@pytest.mark.parametrize("write", ["to_parquet", "to_feather"])
def test_arrow_files(tmp_path, write):
    path = tmp_path / "noname"
    frame = FRAME if write == "to_parquet" else FRAME.reset_index(drop=True)
    getattr(frame, write)(path)
    table = read_table(path, target="b")
    assert table.names == ["a"]
    assert table.y.classes_.tolist() == ["y", "z", "x"]
    assert table.y.codes.tolist() == [0, 2]
    assert table.name == "noname"


@pytest.mark.parametrize("write", ["to_parquet", "to_feather"])
def test_numbers_that_pandas_stored_as_a_category_are_categories(tmp_path, write):
    folder = tmp_path / "rows"
    folder.mkdir()
    frame = pd.DataFrame({"code": pd.Categorical([3, 1, None, 3] * 5), "size": [1.0, 2.0, 3.0, 4.0] * 5})
    frame["y"] = ["a", "b", "b", "a"] * 5
    getattr(frame, write)(folder / "rows.file")
    table = read_table(folder / "rows.file")
    assert table["code"].feature.categories == (1, 3)
    assert table["code"].to_list()[:4] == [3, 1, None, 3]
    assert not table["size"].feature.is_nominal
    schema = sl.C45Classifier().fit(sl.Rows(folder, target="y")).tree_.schema
    assert [feature.is_nominal for feature in schema.features] == [True, False]


@pytest.mark.parametrize("write", [pa.parquet.write_table, pa.feather.write_feather])
def test_dictionaries_of_numbers_are_numbers_unless_pandas_says_otherwise(tmp_path, write):
    cells = pa.chunked_array([[7, 5, None], [7]]).dictionary_encode()
    write(pa.table({"a": cells, "b": pa.array(["x", "y", "x", "y"]).dictionary_encode()}), tmp_path / "rows")
    table = read_table(tmp_path / "rows")
    assert table["a"].to_list() == [7.0, 5.0, None, 7.0]
    assert [table[name].feature.is_nominal for name in "ab"] == [False, True]


@pytest.mark.parametrize("columns", [3, [None, 4, {"pandas_type": "categorical"}, {"field_name": []}]])
def test_broken_notes_of_pandas_are_ignored(tmp_path, columns):
    notes = json.dumps({"columns": columns}).encode()
    table = pa.table({"a": [1, 2]}).replace_schema_metadata({b"pandas": notes})
    pa.parquet.write_table(table, tmp_path / "rows.parquet")
    assert read_table(tmp_path / "rows.parquet")["a"].to_list() == [1.0, 2.0]


def test_damaged_arrow_files_are_refused(tmp_path):
    path = tmp_path / "cut.parquet"
    FRAME.to_parquet(path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match=r"cut.parquet: pyarrow cannot read the file \("):
        read_table(path)


def test_columns_that_cannot_be_used_name_the_file(tmp_path):
    path = tmp_path / "lists.parquet"
    pa.parquet.write_table(pa.table({"d": pa.array([[0]], pa.list_(pa.int32()))}), path)
    with pytest.raises(DataError, match=r"lists.parquet: Column 'd' is of type List\(Int32\), which is not"):
        read_table(path)


def test_arrow_files_need_pyarrow(tmp_path, monkeypatch):
    path = tmp_path / "data.parquet"
    FRAME.to_parquet(path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="Parquet and Feather files need pyarrow: pip install pyarrow"):
        read_table(path)


def test_missing_files_and_folders_are_refused(tmp_path):
    with pytest.raises(DataError) as caught:
        read_table(tmp_path / "absent.csv")
    assert str(caught.value) == f"{tmp_path / 'absent.csv'}: there is no such file."
    with pytest.raises(DataError) as caught:
        read_table(tmp_path)
    assert str(caught.value) == f"{tmp_path}: there is no file in this folder."


@pytest.mark.skipif(os.name != "posix", reason=NO_POSIX)
def test_devices_are_refused():
    with pytest.raises(DataError) as caught:
        read_table("/dev/null")
    assert str(caught.value) == "/dev/null: this is not a regular file."


@pytest.mark.parametrize(
    "damage", [lambda packed: packed[:-10], lambda packed: packed[:15] + b"\xff" * 9 + packed[24:]]
)
def test_damaged_gzip_is_refused(tmp_path, damage):
    path = tmp_path / "data.csv.gz"
    path.write_bytes(damage(gzip.compress(CSV.encode() * 9)))
    with pytest.raises(DataError, match=r"data.csv.gz: the gzip data is damaged or cut off \("):
        read_table(path)


def test_bombs_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"0" * (8 << 20)))
    monkeypatch.setattr(_content, "FREE_UNPACKED_SIZE", 1 << 20)
    packed = path.stat().st_size
    sentence = (
        rf"bomb.csv.gz: {packed} compressed bytes expand to \d+ or more. Decompress the file yourself if you "
        r"trust it\.$"
    )
    with pytest.raises(DataError, match=sentence):
        read_table(path)


def manifest(shared):
    with (shared / "datasets" / "MANIFEST.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_all_data_sets_have_the_counts_of_the_manifest(shared):
    entries = manifest(shared)
    assert len(entries) == 55
    for entry in entries:
        table = read_table(shared / "datasets" / entry["file"])
        n_nominal = sum(column.feature.is_nominal for column in table.columns)
        found = {
            "examples": str(table.n_rows),
            "numeric": str(len(table.columns) - n_nominal),
            "nominal": str(n_nominal),
            "missing": str(sum(int(column.is_missing.sum()) for column in table.columns)),
            "class_attribute": table.target_name,
            "classes": classes_text(table.y),
        }
        assert found == {key: entry[key] for key in found}, entry["name"]


def classes_text(y):
    if not isinstance(y, Labels):
        return "numeric"
    n_occurring = len(np.unique(y.codes))
    return f"{len(y.classes_)}" + (f" ({n_occurring} occur)" if n_occurring < len(y.classes_) else "")


@pytest.mark.parametrize(
    ("number", "others", "is_told"),
    [
        ("-999", range(30), True),
        ("-999.0", range(-20, 10), True),
        ("999", range(30), True),
        ("99", range(1, 9), True),
        ("2147483647", range(30), True),
        ("999", range(90, 120), False),
        ("-99", range(-20, 10), False),
    ],
)
def test_numbers_that_mean_nothing_are_told(tmp_path, number, others, is_told):
    path = tmp_path / "rows.csv"
    cells = [number, number, *others, *others, *others]
    path.write_text("a,b\n" + "".join(f"{cell},x\n" for cell in cells))
    with warnings.catch_warnings(record=True, action="always") as caught:
        read_table(path)
    note = f"Column 'a' is {float(number):.0f} in 2 rows, which may mean a missing value."
    assert [note in str(warning.message) for warning in caught] == [True] * is_told


def test_one_number_that_means_nothing_in_many_columns_is_told_once(tmp_path):
    """A file of credit scores gave 14 sentences that differed only in the column."""
    path = tmp_path / "rows.csv"
    names = [f"c{column}" for column in range(7)]
    cells = [-9, -9, *range(40)]
    path.write_text(",".join(names) + "\n" + "".join(f"{','.join([str(cell)] * 7)}\n" for cell in cells))
    with warnings.catch_warnings(record=True, action="always") as caught:
        read_table(path)
    (note,) = [str(warning.message) for warning in caught if "missing value" in str(warning.message)]
    named = ", ".join(f"'{name}' (2 rows)" for name in names[:5])
    assert f"7 columns hold -9, which may mean a missing value: {named} and 2 more. If so, empty" in note


def test_marks_of_numbers_must_differ(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(CSV)
    with pytest.raises(ParameterError) as caught:
        read_table(path, decimal=".", thousands=".")
    assert str(caught.value) == "'decimal' and 'thousands' must differ. Got '.' for both."


def test_a_last_row_that_may_hold_totals(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("region,sales\nnorth,3\nsouth,4\neast,5\nTotal,99\n")
    with pytest.warns(
        DataWarning, match=r"The last row may hold the totals of the others \('Total'\)\. If so, remove it\."
    ):
        assert read_table(path).n_rows == 4


def test_index_notes_of_pandas_that_are_damaged(tmp_path):
    path = tmp_path / "rows.parquet"
    table = pa.table({"__index_level_0__": [7, 9], "a": [1.0, 2.0]})
    pa.parquet.write_table(table.replace_schema_metadata({"pandas": "{"}), path)
    assert read_table(path).names == ["__index_level_0__", "a"]


def test_names_for_columns_without_one_are_free(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,,x1\n1,2,3\n4,5,6\n")
    assert read_table(path).names == ["a", "x1_", "x1"]


def test_a_target_below_the_first_line_is_pointed_at(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("Customer,,Result\nage,income,y\n" + "1,2,no\n3,4,yes\n" * 9)
    with pytest.raises(DataError, match=r"'y' appears in a line below\. If that is the header, remove"):
        read_table(path, "y")


def test_a_file_that_does_not_fit_in_memory(tmp_path, monkeypatch):
    class Endless(io.BytesIO):
        def read(self, size=-1):
            if size < 0:
                raise MemoryError
            return super().read(size)

    path = tmp_path / "large.csv"
    path.write_text("a,b\n1,2\n")
    monkeypatch.setattr(type(path), "open", lambda *arguments, **options: Endless(b"a,b"))
    with pytest.raises(DataError) as caught:
        read_table(path)
    assert str(caught.value) == f"{path}: the file does not fit in memory."
