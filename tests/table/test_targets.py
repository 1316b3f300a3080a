"""Targets whose labels are large whole numbers or dates."""

import warnings

import numpy as np
import pandas as pd
import pytest

import sightline as sl

LARGE = [2**53 + 1, 2**53, -5]


def read(path):
    with warnings.catch_warnings(record=True, action="always") as caught:
        y = sl.read_table(path, "y").y
    return y, [str(one.message).removeprefix(f"{path}: ") for one in caught]


def stored(path, cells):
    pd.DataFrame({"y": cells, "b": range(len(cells))}).to_parquet(path)
    return path


def in_both_forms(tmp_path, cells):
    """Yield a file with some cells, and a folder of two such files."""
    yield stored(tmp_path / "rows.parquet", cells)
    (tmp_path / "rows").mkdir()
    for part in range(2):
        stored(tmp_path / "rows" / f"{part}.parquet", cells)
    yield tmp_path / "rows"


@pytest.mark.parametrize("large", [LARGE, [2**63 + 1, 2**63, 7]])
def test_whole_numbers_beyond_doubles_are_different_classes(large, tmp_path):
    file, folder = in_both_forms(tmp_path, np.array(large, dtype=np.uint64 if min(large) > 0 else np.int64))
    y, notes = read(file)
    assert y.classes_.tolist() == sorted(large)
    assert y.codes.tolist() == [2, 1, 0]
    assert notes == []
    if max(large) < 2**63:
        assert read(folder)[0].codes.tolist() == [2, 1, 0] * 2


def test_whole_numbers_beyond_64_bits_are_quantities(tmp_path):
    for path in in_both_forms(tmp_path, [1e19, 2e19, -4.0]):
        y, _ = read(path)
        assert y[:3].tolist() == [1e19, 2e19, -4.0]


def written(path, cells):
    path.write_text("y,b\n" + "".join(f"{cell},1\n" for cell in cells))
    return path


def test_protected_whole_numbers_are_different_classes(tmp_path):
    path = written(tmp_path / "rows.csv", ['="9007199254740993"', '="9007199254740992"'])
    y, notes = read(path)
    assert [str(label) for label in y.classes_] == ["9007199254740992", "9007199254740993"]
    assert notes == []


def test_labels_that_were_rounded_are_told(tmp_path):
    path = written(tmp_path / "rows.csv", ["9007199254740993.0", "1"])
    _, notes = read(path)
    assert notes == [
        "The target 'y' holds whole numbers above 2^53, such as about 9.01e+15, which are rounded to about "
        "16 digits. Different numbers may have become one class. If they are codes, store them as text."
    ]
    assert read(stored(tmp_path / "rows.parquet", [2.0**53, np.nan, 1.0]))[1][:1] == notes


@pytest.mark.parametrize(
    ("times", "classes"),
    [
        (["2019-01-02", "2019-01-01"], ["2019-01-01", "2019-01-02"]),
        (["2019-01-01 12:30:15.5", "2019-01-01 00:00"], ["2019-01-01 00:00", "2019-01-01 12:30:15.5"]),
    ],
)
def test_dates_are_classes_by_their_text(times, classes, tmp_path):
    for path in in_both_forms(tmp_path, pd.to_datetime(times, format="mixed")):
        y, notes = read(path)
        assert y.classes_.tolist() == classes
        assert y.codes[:2].tolist() == [1, 0]
        assert notes == []


def test_a_marker_among_labels_is_told(tmp_path):
    y, notes = read(stored(tmp_path / "rows.parquet", ["nan", "x"] * 3))
    assert y.classes_.tolist() == ["nan", "x"]
    assert [note[:52] for note in notes] == ["Column 'y' holds the text 'nan' in 3 rows, which cou"]
