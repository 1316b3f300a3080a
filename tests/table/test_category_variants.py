"""What is told about categories that differ only in case or spaces."""

import warnings

import numpy as np
import pandas as pd
import pytest

import sightline as sl
from sightline.exceptions import DataWarning

SMOKER = ["yes", "Yes", "YES ", "no", "No", "yes"] * 5
NOTE = (
    "Column 'smoker' has categories that differ only in case or spaces: 'yes', {} and 'Yes'; 'No' and 'no'. "
    "Make them equal if they mean the same."
)


def written(path, cells):
    path.write_text("smoker,x\n" + "".join(f"{cell},{row}\n" for row, cell in enumerate(cells)))
    return path


def notes_of(call):
    with warnings.catch_warnings(record=True, action="always") as caught:
        call()
    return [str(warning.message) for warning in caught if issubclass(warning.category, DataWarning)]


def test_variants_are_told_once_per_column(tmp_path):
    path = written(tmp_path / "rows.csv", SMOKER)
    table = []
    assert notes_of(lambda: table.append(sl.read_table(path))) == [f"{path}: " + NOTE.format("'YES'")]
    assert table[0]["smoker"].feature.categories == ("No", "YES", "Yes", "no", "yes")  # not joined
    # Whoever trained a model on them was told.
    assert notes_of(lambda: sl.read_table(path, like=table[0])) == []


@pytest.mark.parametrize("dtype", ["object", "category"])
def test_variants_in_frames_are_told(dtype):
    frame = pd.DataFrame({"smoker": pd.Series(SMOKER, dtype=dtype), "x": range(30)})
    model = sl.C45Classifier()
    assert notes_of(lambda: model.fit(frame, np.arange(30) % 2)) == [NOTE.format("'YES '")]


def test_many_groups_are_counted(tmp_path):
    cells = [
        spelling for word in ("Bern", "Rome", "York", "Köln", "Lyon") for spelling in (word, word.lower())
    ]
    (note,) = notes_of(lambda: sl.read_table(written(tmp_path / "rows.csv", cells * 2)))
    assert note.count(" and '") == 3
    assert "; and 2 more groups. Make" in note


@pytest.mark.parametrize(
    "cells",
    [
        ["a", "A", "b", "B"] * 5,  # may well be different
        [f"{letter}{row}" for row in range(15) for letter in ("ab", "AB")],  # keys
        ["yes", "no", "yesno", "y es"] * 5,
    ],
)
def test_other_categories_are_left_in_peace(cells, tmp_path):
    assert notes_of(lambda: sl.read_table(written(tmp_path / "rows.csv", cells))) == []
