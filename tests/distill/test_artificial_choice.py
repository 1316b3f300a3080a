"""Artificial rows are used unless they do harm."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

import sightline as sl
from sightline.distill._tree_limits import TreeLimits

N_COLUMNS = 6


def erratic_elsewhere(X):
    """Label rows whose columns are equal by a few steps, and all others by chance."""
    X = np.asarray(X, dtype=float)
    is_usual = (np.abs(X - X[:, :1]) < 1e-9).all(axis=1)
    steps = np.floor(4 * X[:, 0]) % 2
    chance = np.floor(1e4 * np.abs(np.sin(X @ np.arange(1.0, N_COLUMNS + 1)))) % 2
    return np.where(is_usual, steps, chance).astype(int)


@pytest.fixture(scope="module")
def usual_rows():
    return np.repeat(np.random.default_rng(0).random((400, 1)).round(2), N_COLUMNS, axis=1)


def test_rows_unlike_any_other_are_left_out_where_they_do_harm(usual_rows):
    box = sl.BlackBox(erratic_elsewhere, classes=[0, 1])
    trees = {
        augment: sl.DistilledTreeClassifier(box, 4, augment=augment, random_state=0).fit(usual_rows)
        for augment in ("auto", 16_384)
    }
    assert trees["auto"].distillation_set_.n_near == 0
    assert trees[16_384].distillation_set_.n_near == 16_384
    fidelity = {
        augment: (tree.predict(usual_rows) == erratic_elsewhere(usual_rows)).mean()
        for augment, tree in trees.items()
    }
    assert fidelity["auto"] >= max(0.95, fidelity[16_384])


def test_the_choice_does_not_depend_on_the_size(usual_rows):
    box = sl.BlackBox(erratic_elsewhere, classes=[0, 1])
    small, large = (
        sl.DistilledTreeClassifier(box, n_leaves, random_state=0).fit(usual_rows) for n_leaves in (3, 8)
    )
    assert small.resized(8).to_json() == large.to_json()


def test_numbers_are_learned_without_rows_that_do_harm(usual_rows):
    box = sl.BlackBox(lambda X: erratic_elsewhere(X) * 1e200, task="numbers")
    auto, always = (
        sl.DistilledTreeRegressor(box, 4, augment=augment, random_state=0).fit(usual_rows)
        for augment in ("auto", 16_384)
    )
    assert auto.distillation_set_.n_near == 0
    truth = erratic_elsewhere(usual_rows)
    error = [np.mean((tree.predict(usual_rows) / 1e200 - truth) ** 2) for tree in (auto, always)]
    assert error[0] <= min(0.05, error[1])


def test_rows_that_help_are_kept():
    X, y = make_classification(300, 6, n_informative=4, random_state=0)
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    tree = sl.DistilledTreeClassifier(forest, 8, random_state=0).fit(X, y)
    assert tree.distillation_set_.n_near == 16_384


def test_too_few_rows_for_a_trial_keep_them():
    tree = sl.DistilledTreeClassifier(augment="auto", random_state=0).fit([[1.0], [2.0]], [0, 1])
    assert tree.distillation_set_.n_near == 16_384


def test_two_training_rows_in_a_leaf_unless_they_are_scarce():
    limits = TreeLimits(min_leaf=None)
    assert limits.min_leaf_of(10, n_rows=100) == 2
    assert limits.min_leaf_of(11, n_rows=100) == 0
    assert TreeLimits(min_leaf=5.0).min_leaf_of(50, n_rows=100) == 5


def test_leaves_have_two_training_rows_by_default():
    X, y = make_classification(400, 6, n_informative=4, flip_y=0.1, random_state=2)
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    tree = sl.DistilledTreeClassifier(forest, 32, random_state=0).fit(X, y)
    assert tree.tree_.core.weight[tree.tree_.core.test == 0].min() >= 2
    assert tree.resized(64).tree_.n_leaves > 40


@pytest.mark.parametrize(
    ("distiller", "n_trees"),
    [(sl.DistilledTreeClassifier, 200), (sl.ISMClassifier, 25), (sl.CMMClassifier, 25)],
)
def test_ensembles_learned_for_a_distilled_tree_are_large(distiller, n_trees):
    X, y = make_classification(60, 4, random_state=0)
    assert distiller(max_leaves=3, random_state=0).fit(X, y).ensemble_.n_trees == n_trees
