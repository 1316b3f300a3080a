"""Distilled trees of odd targets, rows and weights: a defined result, or one sentence."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import sightline as sl

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 3))
Y = 2 * X[:, 0] + np.abs(X[:, 1])
LEAVES = pytest.mark.parametrize("leaf", ["mean", "linear"])
ERRORS = pytest.mark.parametrize("error", ["squared", "absolute"])


def distilled(ensemble=None, **options):
    return sl.DistilledTreeRegressor(
        ensemble, **{"max_leaves": 5, "augment": 300, "random_state": 0, **options}
    )


def forest():
    return RandomForestRegressor(5, random_state=0)


@LEAVES
@ERRORS
@pytest.mark.parametrize("unit", [1e300, 1e160, 1e-160, 1e-300, 2.0**60])
def test_the_unit_of_the_numbers_does_not_matter(unit, leaf, error):
    tree = distilled(
        lambda rows: np.sign(rows[:, 0]) * (2 + (rows[:, 1] > 0)) * unit, error=error, leaf=leaf
    ).fit(X)
    same = distilled(lambda rows: np.sign(rows[:, 0]) * (2 + (rows[:, 1] > 0)), error=error, leaf=leaf).fit(X)
    assert tree.size_["leaves"] == same.size_["leaves"] == 4
    assert tree.predict(X) / unit == pytest.approx(same.predict(X), rel=1e-6)


def test_lines_are_left_out_where_squares_overflow():
    tree = distilled(lambda rows: rows[:, 0] * 1e300, leaf="linear").fit(X)
    assert tree.tree_.lines is None
    assert np.isfinite(tree.predict(X)).all()
    huge = distilled(lambda rows: rows[:, 0] / 1e300, leaf="linear").fit(X * 1e300)
    assert np.isfinite(huge.predict(X * 1e300)).all()


@LEAVES
@ERRORS
@pytest.mark.parametrize("value", [0.0, 3.7, -1e300, 1e-300])
def test_a_constant_target_is_one_leaf(value, leaf, error):
    tree = distilled(None, error=error, leaf=leaf, max_leaves=None).fit(X, np.full(60, value))
    assert tree.size_["leaves"] == 1
    assert tree.predict(X) == pytest.approx(np.full(60, value), rel=1e-12, abs=0)


def test_whole_numbers_that_doubles_do_not_hold_are_rounded_to_doubles():
    y = 2**60 + np.arange(60) * 2**50 + 1
    tree = distilled(forest()).fit(X, y)
    assert tree.tree_.numbers.mean[0] == pytest.approx(float(y.astype(float).mean()), rel=1e-12)
    same = distilled(forest()).fit(X, y.astype(float))
    assert (tree.predict(X) == same.predict(X)).all()


@LEAVES
@pytest.mark.parametrize("max_leaves", [None, 4])
@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_very_few_rows_give_a_tree(n_rows, max_leaves, leaf):
    tree = distilled(None, max_leaves=max_leaves, leaf=leaf).fit(X[:n_rows], Y[:n_rows])
    assert 1 <= tree.size_["leaves"] <= n_rows
    assert tree.predict(X).min() >= Y[:n_rows].min() - 1e-12
    assert tree.predict(X).max() <= Y[:n_rows].max() + 1e-12


@LEAVES
def test_columns_without_values_constant_ones_and_copies_do_no_harm(leaf):
    useless = np.column_stack([X[:, 0], np.full(60, np.nan), np.ones(60), X[:, 0], 1e-9 * X[:, 0] + 5])
    tree = distilled(forest(), leaf=leaf).fit(useless, X[:, 0])
    assert tree.score(useless, X[:, 0]) > 0.85
    assert "x1" not in tree.to_text()
    one = distilled(forest(), leaf=leaf).fit(X[:, :1], X[:, 0])
    assert one.score(X[:, :1], X[:, 0]) > 0.85


@LEAVES
def test_columns_and_targets_of_many_types(leaf):
    frame = pd.DataFrame(
        {
            "single": X[:, 0].astype(np.float32),
            "small": (10 * X[:, 1]).astype(np.int8),
            "flag": X[:, 2] > 0,
            "kind": pd.Categorical(RANDOM.choice(list("xyz"), 60)),
            "text": RANDOM.choice(["u", "v"], 60),
            "nullable": pd.array([None, *range(59)], dtype="Int64"),
        }
    )
    for y in (
        Y.astype(np.float32),
        pd.Series(Y),
        pd.array(np.arange(60), dtype="Int64"),
        Y > 1,
        Y.astype(object),
    ):
        tree = distilled(leaf=leaf).fit(frame, y)
        assert np.isfinite(tree.predict(frame)).all()
        assert tree.predict(frame).dtype == np.float64


def test_an_outlier_does_not_leave_the_range_of_its_leaf():
    y = Y.copy()
    y[7] = 1e6
    model = forest().fit(X, y)
    tree = distilled(model, leaf="linear").fit(X, y)
    far = X * 1e6
    everything = np.concatenate([model.predict(X), tree.distillation_set_.artificial_answers[1][:, 0]])
    assert tree.predict(far).min() >= everything.min()
    assert tree.predict(far).max() <= everything.max()


@pytest.mark.parametrize("weights", [np.full(60, 3.0), np.arange(60.0), np.r_[np.zeros(58), 1.0, 2.0]])
def test_weights_count_rows(weights):
    tree = distilled(forest().fit(X, Y), augment=0).fit(X, Y, weights)
    kept = np.repeat(np.arange(60), weights.astype(int))
    same = distilled(forest().fit(X, Y), augment=0).fit(X[kept], Y[kept])
    assert tree.predict(X) == pytest.approx(same.predict(X))
    assert tree.tree_.numbers.mean[0] == pytest.approx(np.average(Y, weights=weights))


def test_more_rows_than_there_are_in_a_leaf_give_one_leaf():
    assert distilled(forest(), min_leaf=100).fit(X, Y).size_["leaves"] == 1


@pytest.mark.parametrize(
    ("y", "text"),
    [
        ([None, *Y[1:]], "Input y contains NaN, first at row 0. Remove these rows."),
        (
            pd.array([None, *range(59)], dtype="Int64"),
            "Input y contains NaN, first at row 0. Remove these rows.",
        ),
        (np.r_[Y[:-1], -np.inf], "Input y contains infinity, first at row 59. Remove these rows."),
        ([str(number) for number in Y], "y must hold numbers, but row 0 is "),
        (
            np.arange(60).astype("datetime64[D]"),
            "y holds dates or durations, not numbers. Convert them first",
        ),
        (np.column_stack([Y, Y]), "y should be a 1d array, got an array of shape (60, 2) instead."),
    ],
)
def test_a_target_that_is_no_number_is_refused(y, text):
    with pytest.raises(sl.DataError) as caught:
        distilled().fit(X, y)
    assert str(caught.value).startswith(text)


def test_several_outputs_and_classes_are_refused():
    several = RandomForestRegressor(2, random_state=0).fit(X, np.column_stack([Y, Y]))
    with pytest.raises(
        sl.DataError, match=r"returned 2 numbers per row for rows 0 to 59\. .* one model per number"
    ):
        distilled(several).fit(X)
    classes = RandomForestClassifier(2, random_state=0).fit(X, Y > 1)
    with pytest.raises(sl.UnsupportedModelError, match=r"is a classifier, .* Use DistilledTreeClassifier\."):
        distilled(classes).fit(X)
