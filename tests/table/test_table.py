import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.utils import _safe_indexing

from sightline.exceptions import DataError
from sightline.table import Column, Feature, Labels, Table


@pytest.fixture
def table():
    """Six rows with a number, a colour, a class and weights."""
    columns = [
        Column(Feature("size"), np.array([1.0, 2.0, np.nan, 4.0, 5.0, 6.0])),
        Column(Feature("colour", ("red", "green", "blue")), np.array([0, 1, 0, -1, 1, 0], dtype=np.int32)),
    ]
    y = Labels(np.array([0, 1, 0, 1, 1, 0], dtype=np.int32), np.array(["no", "yes"]))
    return Table(columns, y, np.arange(6.0), name="toys", target_name="sold")


class Majority(ClassifierMixin, BaseEstimator):
    """Predicts the most frequent class, and insists on being given tables."""

    def fit(self, X, y):
        assert isinstance(X, Table)
        labels = Labels.from_any(y)
        self.classes_ = labels.classes_
        self.label_ = labels.classes_[np.bincount(labels.codes).argmax()]
        return self

    def predict(self, X):
        return np.full(len(Table.from_any(X)), self.label_)


def test_shape_and_names(table):
    assert table.shape == (6, 2)
    assert len(table) == table.n_rows == 6
    assert table.names == ["size", "colour"]
    assert table.schema.n_values == [0, 3]
    assert repr(table) == "<Table 'toys': 6 rows; 1 numeric, 1 nominal; target 'sold' of 2 classes>"
    one = table.with_target(Labels(np.zeros(6, dtype=np.int32), np.array(["no"])))
    assert repr(one).endswith("target 'sold' of 1 class>")


def test_indexing(table):
    assert table["colour"].to_list() == ["red", "green", "red", None, "green", "red"]
    assert table[-1] == {"size": 6.0, "colour": "red"}
    assert table[3] == {"size": 4.0, "colour": None}
    for rows in ([0, 2], np.array([0, 2]), slice(0, 3, 2), np.array([1, 0, 1, 0, 0, 0], dtype=bool)):
        part = table[rows]
        assert part["colour"].to_list() == ["red", "red"]
        assert part.y.codes.tolist() == [0, 0]
        assert part.weights.tolist() == [0.0, 2.0]
        assert part.schema == table.schema
    assert table[[]].n_rows == 0
    with pytest.raises(KeyError, match="There is no column 'x'"):
        table["x"]
    with pytest.raises(IndexError):
        table[6]


def test_features_alone_have_neither_target_nor_weights(table):
    assert table.X.y is None
    assert table.X.weights is None
    assert table.X.columns == table.columns
    assert table.X.X is table.X


def test_native_columns_are_made_once(table):
    assert table.native() is table.native()
    assert table.native().n_rows == 6


def test_scikit_learn_takes_rows(table):
    assert _safe_indexing(table.X, [0, 1]).shape == (2, 2)
    assert _safe_indexing(table.X, np.array([True] + [False] * 5)).shape == (1, 2)
    X_train, X_test, y_train, y_test = train_test_split(
        table.X, table.y, test_size=2, stratify=table.y, random_state=0
    )
    assert (len(X_train), len(X_test), len(y_train), len(y_test)) == (4, 2, 4, 2)
    assert isinstance(y_test, Labels)
    assert cross_val_score(Majority(), table.X, table.y, cv=3).shape == (3,)


def test_pickling_keeps_everything_but_the_borrowed_columns(table):
    table.native()
    back = pickle.loads(pickle.dumps(table))
    assert back.schema == table.schema
    assert back[3] == table[3]
    assert back.y.classes_.tolist() == ["no", "yes"]
    assert back.native().n_rows == 6


def test_pandas_round_trip(table):
    frame = table.to_pandas()
    assert list(frame) == ["size", "colour", "sold"]
    back = Table.from_any(frame[["size", "colour"]])
    assert back.schema == table.schema
    assert back["colour"].to_list() == table["colour"].to_list()
    assert Labels.from_any(frame["sold"]).codes.tolist() == table.y.codes.tolist()


def test_numbers_as_the_target():
    table = Table.from_any([[1.0], [2.0]]).with_target(np.array([1.5, 2.5]))
    assert table.to_pandas()["target"].tolist() == [1.5, 2.5]
    assert table.ndim == 2
    assert table.with_columns([]).n_rows == 2


def test_object_matrix(table):
    matrix = np.asarray(table.X)
    assert matrix.shape == (6, 2)
    assert matrix[0].tolist() == [1.0, "red"]
    assert matrix[3, 1] is None


def test_tables_pass_through_unchanged(table):
    assert Table.from_any(table) is table
    assert Table.from_any(table, categorical_features=["size", "colour"]).schema.n_values == [5, 3]


def test_feature_names():
    table = Table.from_any(np.eye(2), feature_names=["a", "b"])
    assert table.names == ["a", "b"]
    assert table.has_names
    with pytest.raises(DataError, match="There are 1 feature names for 2 columns"):
        Table.from_any(np.eye(2), feature_names=["a"])


NUMBERS = Column(Feature("a"), np.zeros(2))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ([NUMBERS, Column(Feature("b"), np.zeros(3))],),
            "Column 'b' has 3 rows, but the first column has 2.",
        ),
        (([NUMBERS, NUMBERS],), "Two columns have the name 'a'. Names must be different."),
        (([NUMBERS], np.zeros(3)), "The target has 3 rows, but the columns have 2."),
        (([NUMBERS], None, np.ones(3)), "The weights have shape (3,), but the table has 2 rows."),
        (([NUMBERS], None, np.array([1.0, -1.0])), "The weights must be finite and not negative."),
        (([NUMBERS], None, np.array([1.0, np.nan])), "The weights must be finite and not negative."),
    ],
)
def test_inconsistent_parts_are_refused(arguments, sentence):
    with pytest.raises(DataError) as caught:
        Table(*arguments)
    assert str(caught.value) == sentence


def test_values_of_another_type_are_refused():
    with pytest.raises(DataError) as caught:
        Column(Feature("a", ("x",)), np.zeros(2))
    assert str(caught.value) == (
        "The values of column 'a' must be a one-dimensional int32 array. Got float64 of shape (2,) instead."
    )


def test_read_only_memory_is_borrowed(tmp_path):
    path = tmp_path / "X.npy"
    np.save(path, np.arange(4.0).reshape(2, 2))
    table = Table.from_any(np.load(path, mmap_mode="r"))
    assert table.native().n_rows == 2
    assert pd.notna(table.columns[0].values).all()
