"""Distilled trees of numbers: how faithful they are, what leaves hold, and what is refused."""

import pickle
import warnings

import lightgbm
import numpy as np
import pandas as pd
import pytest
from cases import thorough_after
from sklearn.base import clone
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import r2_score
from sklearn.tree import DecisionTreeRegressor

import sightline as sl


@pytest.fixture(scope="module", params=thorough_after(1, ["diabetes", "friedman1", "friedman2"]))
def task(request):
    if request.param == "diabetes":
        X, y = load_diabetes(return_X_y=True)
    else:
        make = make_friedman1 if request.param == "friedman1" else make_friedman2
        X, y = make(600, noise=0.5, random_state=0)
    return X[::2], y[::2], X[1::2], y[1::2]


@pytest.fixture(scope="module", params=["forest", "booster"])
def teacher(request, task):
    X, y, *_ = task
    if request.param == "forest":
        return RandomForestRegressor(30, random_state=0).fit(X, y)
    return lightgbm.LGBMRegressor(n_estimators=30, verbose=-1, min_child_samples=5).fit(X, y)


def answers(teacher, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # LightGBM's about names of columns
        return teacher.predict(X)


def test_a_tree_is_more_faithful_than_a_tree_fitted_to_the_teachers_numbers(task, teacher):
    X, y, unseen, _ = task
    ordinary = DecisionTreeRegressor(max_leaf_nodes=16, random_state=0).fit(X, answers(teacher, X))
    tree = sl.DistilledTreeRegressor(teacher, max_leaves=16, random_state=0).fit(X, y)
    numbers = answers(teacher, unseen)
    assert tree.score(unseen, numbers) > r2_score(numbers, ordinary.predict(unseen))
    lined = sl.DistilledTreeRegressor(teacher, max_leaves=16, leaf="linear", random_state=0).fit(X, y)
    assert lined.score(unseen, numbers) > tree.score(unseen, numbers) - 0.01
    assert lined.tree_.lines is not None


def test_a_leaf_holds_the_mean_of_the_teacher_and_of_y(task, teacher):
    X, y, *_ = task
    tree = sl.DistilledTreeRegressor(teacher, max_leaves=6, augment=0, random_state=0).fit(X, y)
    leaves, numbers = tree.apply(X), answers(teacher, X)
    for leaf in np.unique(leaves):
        rows = leaves == leaf
        assert tree.tree_.core.output[leaf, 0] == pytest.approx(numbers[rows].mean(), rel=1e-9)
        assert tree.tree_.numbers.mean[leaf] == pytest.approx(y[rows].mean(), rel=1e-9)
        assert tree.tree_.numbers.deviation[leaf] == pytest.approx(y[rows].std(), rel=1e-6)
        assert tree.tree_.core.weight[leaf] == rows.sum()


def test_without_y_the_teachers_numbers_are_summarized(task, teacher):
    X, *_ = task
    tree = sl.DistilledTreeRegressor(teacher, max_leaves=4, augment=0, random_state=0).fit(X).tree_
    leaves = np.flatnonzero(tree.core.test == 0)
    assert tree.numbers.mean[leaves] == pytest.approx(tree.core.output[leaves, 0], rel=1e-6)


def test_the_text_promises_no_percentages(task, teacher):
    X, y, *_ = task
    tree = sl.DistilledTreeRegressor(teacher, max_leaves=4, random_state=0).fit(X, y)
    source = tree.to_text().splitlines()[1]
    assert source == f"Predicts a number; summarizes another model; counts {len(X):,} training rows"


def test_weights_that_numbers_of_rows_add_up_are_remarked(task):
    X, y, *_ = task
    forest = RandomForestRegressor(3, max_depth=3, random_state=0).fit(X, y)
    tree = sl.DistilledTreeRegressor(forest, max_leaves=4, random_state=0)
    assert tree.fit(X, y, np.ones(len(X))).remarks_ == []
    (remark,) = tree.fit(X, y, np.full(len(X), 0.5)).remarks_
    assert remark.startswith(f"Training rows are weighted (total {len(X) / 2:g}).")
    assert pickle.loads(pickle.dumps(tree)).training_remarks_ == [remark]


def test_an_explanation_gives_the_numbers_of_the_row(task, teacher):
    X, y, *_ = task
    tree = sl.DistilledTreeRegressor(teacher, max_leaves=4, random_state=0).fit(X, y)
    first, *_, last, spread = str(tree.explain(X[0])).splitlines()
    assert first.startswith(f"Predicted {tree.predict(X[:1])[0]:.6g}. ")
    assert f"their mean is {tree.tree_.numbers.mean[tree.apply(X[:1])[0]]:.6g}." in first
    gap = answers(teacher, X[:1])[0] - tree.predict(X[:1])[0]
    assert last.endswith(f"({abs(gap):.3g} {'more' if gap > 0 else 'less'}).")
    is_mean = tree.ensemble_.is_mean
    assert spread.startswith(
        "The predictions of 30 trees range from" if is_mean else "Each of 30 trees adds between"
    )


def test_lines_are_shown_as_formulas_and_answer_for_the_row(task, teacher):
    X, y, *_ = task
    tree = sl.DistilledTreeRegressor(teacher, max_leaves=3, leaf="linear", random_state=0).fit(X, y)
    has_line = np.diff(tree.tree_.lines.term_begin)[tree.apply(X)] > 0
    row = X[has_line.argmax()]
    first, formula, *_ = str(tree.explain(row)).splitlines()
    assert first.startswith(f"Predicted {tree.predict([row])[0]:.6g}. ")
    assert " × x" in formula
    assert ", but at least " in formula
    assert formula.removeprefix("The leaf predicts ").partition(", but")[0] in tree.to_text()


def test_absolute_error_answers_with_medians(task, teacher):
    X, y, *_ = task
    options = {"max_leaves": 5, "augment": 0, "random_state": 0}
    tree = sl.DistilledTreeRegressor(teacher, error="absolute", **options).fit(X, y)
    leaves, numbers = tree.apply(X), answers(teacher, X)
    for leaf in np.unique(leaves):
        inside = numbers[leaves == leaf]
        middle = tree.tree_.core.output[leaf, 0]
        assert np.abs(inside - middle).sum() <= np.abs(inside - np.median(inside)).sum() * (1 + 1e-4)


@pytest.mark.parametrize("min_leaf", [1, 7, 40])
def test_every_leaf_has_its_rows(task, teacher, min_leaf):
    X, y, *_ = task
    tree = sl.DistilledTreeRegressor(teacher, max_leaves=12, min_leaf=min_leaf, random_state=0).fit(X, y)
    assert np.bincount(tree.apply(X))[np.unique(tree.apply(X))].min() >= min_leaf


def test_sizes_and_the_curve_come_from_one_fit(task, teacher):
    X, y, unseen, y_unseen = task
    tree = sl.DistilledTreeRegressor(teacher, max_leaves=8, random_state=0).fit(X, y)
    assert tree.resized(3).size_["leaves"] == 3
    again = sl.DistilledTreeRegressor(teacher, max_leaves=3, random_state=0).fit(X, y)
    assert tree.resized(3).to_json() == again.to_json()
    curve = tree.fidelity_curve(unseen, y_unseen, sizes=[2, 4, 8])
    assert curve.measure == "R²"
    assert curve.fidelity[-1] == pytest.approx(tree.score(unseen, answers(teacher, unseen)))
    assert curve.accuracy[-1] == pytest.approx(tree.score(unseen, y_unseen))
    assert "R²" in curve.to_text()
    assert "%" not in curve.to_text()
    assert curve.plot().get_ylabel().startswith("R²")


def test_the_default_size_is_the_smallest_that_is_nearly_as_faithful(task, teacher):
    X, y, *_ = task
    assert sl.DistilledTreeRegressor(teacher, random_state=0).fit(X, y).size_["leaves"] <= 64
    step = np.where(X[:, 0] > np.median(X[:, 0]), 1.0, 0.0)
    simple = RandomForestRegressor(5, random_state=0).fit(X, step)
    assert sl.DistilledTreeRegressor(simple, random_state=0).fit(X, step).size_["leaves"] <= 4


def test_nominal_and_missing_values_are_split_as_they_are():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 300)
    size = np.where(rng.random(300) < 0.1, np.nan, rng.normal(size=300))
    y = 5.0 * (colour == "red") + np.nan_to_num(size)
    X = pd.DataFrame({"colour": pd.Categorical(colour), "size": size})
    booster = lightgbm.LGBMRegressor(n_estimators=20, verbose=-1).fit(X, y)
    tree = sl.DistilledTreeRegressor(booster, max_leaves=12, random_state=0).fit(X, y)
    assert tree.score(X, booster.predict(X)) > 0.9
    assert "colour" in tree.to_text()


def test_rows_of_weight_0_and_their_order_leave_no_trace(task, teacher):
    X, y, *_ = task
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 3, len(X)).astype(float)
    kept = rng.permutation(np.flatnonzero(weights))
    options = {"max_leaves": 7, "random_state": 0}
    one = sl.DistilledTreeRegressor(teacher, **options).fit(X, y, weights)
    other = sl.DistilledTreeRegressor(teacher, n_jobs=2, **options).fit(X[kept], y[kept], weights[kept])
    assert one.predict(X) == pytest.approx(other.predict(X))
    assert one.apply(X).tolist() == other.apply(X).tolist()


def test_pickling_and_cloning(task, teacher):
    X, y, unseen, _ = task
    tree = sl.DistilledTreeRegressor(teacher, max_leaves=5, leaf="linear", random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(tree))
    assert (again.predict(unseen) == tree.predict(unseen)).all()
    assert clone(tree).get_params()["max_leaves"] == 5


@pytest.mark.parametrize("value", [1e-300, 1e300, -7.0])
def test_a_constant_teacher_gives_one_leaf(value):
    X = np.arange(40.0)[:, None]
    teacher = RandomForestRegressor(3, random_state=0).fit(X, np.full(40, value))
    tree = sl.DistilledTreeRegressor(teacher, max_leaves=4, random_state=0).fit(X)
    assert tree.size_["leaves"] == 1
    assert tree.predict([[3.0]]) == pytest.approx([value], rel=1e-12, abs=0)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, np.nan, 2.0], "contains NaN, first at row 1"),
        ([1.0, 2.0, np.inf], "contains infinity, first at row 2"),
        (["a", "b", "c"], "row 0 is 'a'. For classes use a classifier"),
        ([[1.0, 2.0]] * 3, "y should be a 1d array"),
        ([1.0, 2.0], "inconsistent numbers of samples: X has 3 rows, y has 2 numbers"),
        ([1j, 2j, 3j], "Complex data"),
    ],
)
def test_a_bad_target_gets_a_sentence(y, message):
    with pytest.raises(sl.DataError, match=message):
        sl.DistilledTreeRegressor().fit([[1.0], [2.0], [3.0]], y)


def test_the_wrong_kind_of_ensemble_is_refused_by_name(task):
    X, y, *_ = task
    classes = (y > np.median(y)).astype(int)
    classifier = RandomForestClassifier(3, random_state=0).fit(X, classes)
    regressor = RandomForestRegressor(3, random_state=0).fit(X, y)
    with pytest.raises(sl.UnsupportedModelError, match=r"is a classifier.*Use DistilledTreeClassifier\."):
        sl.DistilledTreeRegressor(classifier).fit(X, y)
    with pytest.raises(sl.UnsupportedModelError, match=r"is a regressor.*Use DistilledTreeRegressor\."):
        sl.DistilledTreeClassifier(regressor).fit(X, classes)


def test_a_classifier_refuses_a_target_of_numbers():
    X = np.arange(5000.0)[:, None]
    with pytest.raises(sl.DataError, match=r"5,000 different values in 5,000 rows.*DistilledTreeRegressor"):
        sl.DistilledTreeClassifier().fit(X, np.arange(5000))
    with pytest.raises(sl.DataError, match="looks like a row ID"):
        sl.C45Classifier().fit(X, [f"row {i}" for i in range(5000)])
    many = np.arange(5000) % 250
    assert len(sl.C45Classifier(max_leaves=2).fit(X, many).classes_) == 250
