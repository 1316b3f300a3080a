import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import _safe_indexing

from sightline.exceptions import DataError
from sightline.table import Labels


@pytest.mark.parametrize(
    "y",
    [
        np.array([2, 0, 2]),
        np.array([2.0, 0.0, 2.0]),
        np.array([True, False, True]),
        np.array(["b", "a", "b"]),
        np.array(["b", "a", "b"], dtype=object),
        np.array([b"b", b"a", b"b"]),
        np.array(["2021-01-01", "2020-01-01", "2021-01-01"], dtype="M8[D]"),
        [3, 1, 3],
        ["x", "", "x"],
        (1, 0, 1),
        [True, False, True],
    ],
)
def test_classes_are_those_of_numpy_unique(y):
    labels = Labels.from_any(y)
    classes = np.unique(np.asarray(y))
    assert labels.classes_.dtype == classes.dtype
    assert labels.classes_.tolist() == classes.tolist()
    assert labels.codes.dtype == np.int32
    assert labels.codes.tolist() == [1, 0, 1]
    assert np.asarray(labels).tolist() == list(np.asarray(y).tolist())


@pytest.mark.parametrize(
    "y",
    [
        pd.Series(pd.Categorical(["b", "a"], categories=["c", "b", "a"])),
        pd.Categorical(["b", "a"], categories=["c", "b", "a"]),
        pl.Series(["b", "a"], dtype=pl.Enum(["c", "b", "a"])),
        pa.DictionaryArray.from_arrays(pa.array([1, 2]), ["c", "b", "a"]),
    ],
)
def test_declared_categories_are_kept(y):
    labels = Labels.from_any(y)
    assert labels.classes_.tolist() == ["c", "b", "a"]
    assert labels.codes.tolist() == [1, 2]


@pytest.mark.parametrize(
    "y",
    [
        pd.Series([2, 1]),
        pd.Series([2, 1], dtype="Int64"),
        pd.Index([2, 1]),
        pl.Series([2, 1]),
        pa.array([2, 1]),
        pa.chunked_array([[2], [1]]),
    ],
)
def test_series_of_numbers(y):
    labels = Labels.from_any(y)
    assert labels.classes_.tolist() == [1, 2]
    assert labels.classes_.dtype.kind == "i"
    assert labels.codes.tolist() == [1, 0]


def test_polars_categorical_has_the_labels_that_occur():
    pl.Series(["other"], dtype=pl.Categorical)
    assert Labels.from_any(pl.Series(["b", "a"], dtype=pl.Categorical)).classes_.tolist() == ["a", "b"]


CONTINUOUS = (
    "Unknown label type: continuous. Maybe you are trying to fit a classifier, which expects discrete "
    "classes on a regression target with continuous values. To predict numbers use a regressor, such as "
    "DistilledTreeRegressor."
)


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (
            ["a", None, None],
            "y has 2 missing labels (None or NaN), the first at row 1. Remove these rows or label them.",
        ),
        (
            np.array([1.0, np.nan]),
            "y has 1 missing label (None or NaN), the first at row 1. Remove these rows or label them.",
        ),
        (
            pd.Series([1, None], dtype="Int64"),
            "y has 1 missing label (None or NaN), the first at row 1. Remove these rows or label them.",
        ),
        (
            np.array(["NaT"], dtype="M8[D]"),
            "y has 1 missing label (None or NaN), the first at row 0. Remove these rows or label them.",
        ),
        (
            Labels(np.array([0, -1], dtype=np.int32), np.array(["a"])),
            "y has 1 missing label (None or NaN), the first at row 1. Remove these rows or label them.",
        ),
        (
            [],
            "Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is required: y is empty.",
        ),
        ([0.5, 1.5], CONTINUOUS),
        (pd.Series([0.5, 1.5]), CONTINUOUS),
        ([1, "a"], "y mixes numbers and text, such as 1 and 'a'. Convert them to one type."),
        ([[1, 2], [3, 4]], "y should be a 1d array, got an array of shape (2, 2) instead."),
        (None, "y should be a 1d array, got an array of shape () instead."),
        (np.array([1j]), "Complex data not supported as labels."),
        ([1.0, np.inf], "Input y contains infinity or a value too large for dtype('float64')."),
        ([{}, 1], "y holds a dict at row 0. Every cell must be a string or a number."),
        ([dt.date(2020, 1, 1), "a"], None),
    ],
)
def test_unusable_labels_are_refused(y, sentence):
    with pytest.raises(DataError) as caught:
        Labels.from_any(y)
    if sentence is not None:
        assert str(caught.value) == sentence


def test_column_vector_is_flattened_with_a_warning():
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        labels = Labels.from_any(np.array([[1], [0]]))
    assert labels.codes.tolist() == [1, 0]


def test_indexing():
    labels = Labels(np.array([0, 1, -1, 1], dtype=np.int32), np.array(["no", "yes", "never"]))
    assert labels.shape == (4,)
    assert labels.ndim == 1
    assert labels.dtype.kind == "U"
    assert labels[1] == "yes"
    assert labels[2] is None
    assert labels[1:].codes.tolist() == [1, -1, 1]
    assert labels[[3, 0]].codes.tolist() == [1, 0]
    assert labels[[]].codes.tolist() == []
    assert labels[labels.codes < 0].codes.tolist() == [-1]
    assert _safe_indexing(labels, [0, 1]).codes.tolist() == [0, 1]
    assert labels[[0]].classes_.tolist() == ["no", "yes", "never"]
    assert np.asarray(labels).tolist() == ["no", "yes", None, "yes"]
    assert list(labels) == ["no", "yes", None, "yes"]
    assert repr(labels) == "<Labels: 3 of the 3 classes 'no', 'yes' and 'never', 1 missing>"
    assert repr(labels[:2]) == "<Labels: 2 of the 3 classes 'no', 'yes' and 'never'>"
    assert repr(Labels.from_any(["no", "no"])) == "<Labels: 2 of the 1 class 'no'>"
