"""ISM trees of numbers: what leaves answer, how large trees grow, what is refused."""

from __future__ import annotations

import pickle
import random

import lightgbm
import numpy as np
import pandas as pd
import pytest
from cases import each
from grid import every_cell
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.ensemble import (
    AdaBoostRegressor,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingRegressor,
)
from sklearn.tree import DecisionTreeRegressor
from strategies import random_ensemble

import sightline as sl
from sightline.model import LEAF, Ensemble, Link

VARIANTS = ["t", "td", "d", "hybrid"]


@pytest.fixture(scope="module")
def task():
    X, y = load_diabetes(return_X_y=True)
    return X[::2], y[::2], X[1::2], y[1::2]


@pytest.fixture(scope="module")
def forest(task):
    return RandomForestRegressor(20, random_state=0).fit(*task[:2])


def teachers():
    return [
        RandomForestRegressor(10, random_state=0),
        ExtraTreesRegressor(10, max_depth=6, random_state=0),
        GradientBoostingRegressor(n_estimators=10, random_state=0),
        lightgbm.LGBMRegressor(n_estimators=10, n_jobs=1, verbose=-1),
        VotingRegressor(
            [
                ("forest", RandomForestRegressor(3, random_state=0)),
                ("tree", DecisionTreeRegressor(max_depth=3)),
            ]
        ),
    ]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("teacher", teachers(), ids=lambda t: type(t).__name__)
def test_training_rows_get_nearly_the_numbers_of_the_ensemble(task, teacher, variant):
    X = pd.DataFrame(task[0]).rename(columns=str)
    teacher.fit(X, task[1])
    ism = sl.ISMRegressor(teacher, variant=variant, min_deviation=0.2).fit(X)
    numbers = teacher.predict(X)
    assert ism.complete_
    assert ism.score(X, numbers) >= 1 - 0.2**2
    exact = sl.ISMRegressor(teacher, variant=variant, min_deviation=0).fit(X)
    np.testing.assert_allclose(exact.predict(X), numbers, rtol=1e-12)


@pytest.mark.parametrize("variant", VARIANTS)
def test_numbers_behind_a_link_are_those_of_the_ensemble(task, variant):
    X, y, *_ = task
    poisson = HistGradientBoostingRegressor(loss="poisson", max_iter=10, random_state=0).fit(X, y)
    ism = sl.ISMRegressor(poisson, variant=variant, min_deviation=0).fit(X)
    np.testing.assert_allclose(ism.predict(X), poisson.predict(X), rtol=1e-12)


@each(seed=range(60))
def test_safe_stop_alone_gives_the_function_of_the_ensemble(seed):
    rng = random.Random(seed)
    drawn = random_ensemble(rng, max_trees=4, n_classes=2, kinds=("sums",))
    model = Ensemble(drawn.core(), drawn.schema, None, Link("identity", (rng.choice([1.0, 3.0]),)))
    cells = every_cell(model.schema)
    few = cells[rng.sample(range(len(cells)), min(len(cells), 5))]
    ism = sl.ISMRegressor(model, variant="t", stop="safe").fit(few)
    assert ism.complete_
    assert ism.proved_[ism.tree_.core.test == LEAF].all()
    assert (ism.predict(cells) == model.predict(cells)).all()


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_resized_tree_is_the_one_that_a_limit_gives(task, forest, variant):
    X, y, *_ = task
    full = sl.ISMRegressor(forest, variant=variant).fit(X, y)
    for n_leaves in (1, 2, 5, 9):
        limited = sl.ISMRegressor(forest, variant=variant, max_leaves=n_leaves).fit(X, y)
        assert limited.tree_.n_leaves == n_leaves
        assert full.resized(n_leaves).tree_.to_json() == limited.tree_.to_json()
    assert full.resized(10_000).tree_.to_json() == full.tree_.to_json()


def test_a_leaf_holds_the_mean_of_the_ensemble_and_of_y(task, forest):
    X, y, *_ = task
    ism = sl.ISMRegressor(forest, max_leaves=12).fit(X, y).resized(6)
    leaves, numbers = ism.apply(X), forest.predict(X)
    for leaf in np.unique(leaves):
        rows = leaves == leaf
        assert ism.tree_.core.output[leaf, 0] == pytest.approx(numbers[rows].mean())
        assert ism.tree_.numbers.mean[leaf] == pytest.approx(y[rows].mean())
        assert ism.tree_.numbers.deviation[leaf] == pytest.approx(y[rows].std(), abs=1e-9)
    again = pickle.loads(pickle.dumps(ism))
    assert again.resized(2).to_json() == ism.resized(2).to_json()
    assert ism.to_text().splitlines()[1].startswith("Predicts a number")
    assert str(ism.explain(X[0])).startswith(f"Predicted {ism.predict(X[:1])[0]:.6g}. ")


def test_larger_trees_are_more_faithful_on_unseen_rows(task, forest):
    X, y, unseen, y_unseen = task
    curve = sl.ISMRegressor(forest).fit(X, y).fidelity_curve(unseen, y_unseen, sizes=[2, 8, 32])
    assert curve.measure == "R²"
    assert curve.fidelity[0] < curve.fidelity[1] < curve.fidelity[2]


@pytest.mark.parametrize("variant", VARIANTS)
def test_pruning_equals_its_definition(task, variant):
    X, y, *_ = task
    forest = RandomForestRegressor(5, max_depth=5, random_state=1).fit(X, y)
    plain = sl.ISMRegressor(forest, variant=variant).fit(X).tree_
    pruned = sl.ISMRegressor(forest, variant=variant, prune="pessimistic").fit(X)
    numbers, core = forest.predict(X), plain.core

    def pruned_leaves(node, rows, parent):
        """The error and number of leaves of a node's pruned subtree."""
        inside = numbers[rows]
        number = inside.mean()
        if len(inside) > 1:
            as_leaf = np.abs(inside - number).sum() * (len(inside) + 1) / (len(inside) - 1)
        else:
            as_leaf = abs(number - parent)
        if core.test[node] == LEAF:
            return as_leaf, 1
        goes_left = X[rows, core.feature[node]] <= core.threshold[node]
        parts = [
            pruned_leaves(child, side, number)
            for child, side in zip(plain.children(node), (rows[goes_left], rows[~goes_left]), strict=True)
            if len(side)
        ]
        error, n_leaves = (sum(values) for values in zip(*parts, strict=True))
        return (as_leaf, 1) if as_leaf <= error * (1 + 1e-12) else (error, n_leaves)

    assert pruned.tree_.n_leaves < plain.n_leaves
    if variant != "t":  # every leaf has rows
        assert pruned.tree_.n_leaves == pruned_leaves(0, np.arange(len(X)), 0.0)[1]
    assert pruned.resized(3).tree_.n_leaves == 3


def test_nominal_and_missing_values_are_split_as_they_are():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 300)
    size = np.where(rng.random(300) < 0.1, np.nan, rng.normal(size=300))
    y = 5.0 * (colour == "red") + np.nan_to_num(size)
    X = pd.DataFrame({"colour": pd.Categorical(colour), "size": size})
    booster = lightgbm.LGBMRegressor(n_estimators=20, n_jobs=1, verbose=-1).fit(X, y)
    ism = sl.ISMRegressor(booster, max_leaves=12).fit(X, y)
    assert ism.score(X, booster.predict(X)) > 0.9
    assert "colour" in ism.to_text()
    assert sl.ISMRegressor(max_leaves=4, random_state=0).fit(X, y).score(X, y) > 0.7


def test_weights_count_rows(task, forest):
    X, *_ = task
    weights = np.arange(len(X)) % 3
    weighted = sl.ISMRegressor(forest, max_leaves=6).fit(X, sample_weight=weights)
    repeated = sl.ISMRegressor(forest, max_leaves=6).fit(np.repeat(X, weights, axis=0))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X))


def test_rows_without_numbers_get_those_of_the_ensemble(task, forest):
    X, y, unseen, _ = task
    ism = sl.ISMRegressor(forest, min_deviation=0.0).fit(X, y, X_unlabeled=unseen)
    np.testing.assert_allclose(ism.predict(unseen), forest.predict(unseen))
    assert ism.tree_.core.weight[0] == len(X)


@pytest.mark.parametrize("value", [0.0, 1e-300, 0.1, 1e300])
def test_a_constant_teacher_gives_one_leaf(value):
    X = np.arange(40.0)[:, None]
    teacher = RandomForestRegressor(3, random_state=0).fit(X, np.full(40, value))
    ism = sl.ISMRegressor(teacher).fit(X)
    assert ism.size_["leaves"] == 1
    assert ism.predict([[3.0]]) == pytest.approx([value], rel=1e-12, abs=0)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_the_unit_of_the_target_does_not_matter(scale):
    X, y = make_friedman1(150, random_state=0)
    tree = DecisionTreeRegressor(max_leaf_nodes=20, random_state=0).fit(X, y)
    drawn = sl.load(tree)
    core = drawn.core
    scaled = Ensemble(core, drawn.schema, None, Link("identity", (*drawn.link.divide_by, 1 / scale)))
    ism = sl.ISMRegressor(scaled, max_leaves=6).fit(X)
    plain = sl.ISMRegressor(tree, max_leaves=6).fit(X)
    assert (ism.apply(X) == plain.apply(X)).all()
    np.testing.assert_allclose(ism.predict(X), plain.predict(X) * scale)


def test_refusals_say_what_is_wrong(task, forest):
    X, y, *_ = task
    with pytest.raises(sl.ParameterError, match="The 'min_deviation' parameter of ISMRegressor must be"):
        sl.ISMRegressor(forest, min_deviation=-1).fit(X)
    with pytest.raises(sl.ParameterError, match="stop='safe' of ISMRegressor requires"):
        sl.ISMRegressor(forest, stop="safe", matching="literal").fit(X)
    classes = (y > 100).astype(int)
    classifier = RandomForestClassifier(3, random_state=0).fit(X, classes)
    with pytest.raises(sl.UnsupportedModelError, match=r"is a classifier.*Use ISMClassifier\."):
        sl.ISMRegressor(classifier).fit(X, y)
    with pytest.raises(sl.UnsupportedModelError, match=r"is a regressor.*Use ISMRegressor\."):
        sl.ISMClassifier(forest).fit(X, classes)
    median = AdaBoostRegressor(n_estimators=5, random_state=0).fit(X, y)
    with pytest.raises(sl.UnsupportedModelError) as refusal:
        sl.ISMRegressor(median).fit(X)
    assert str(refusal.value) == (
        "ISMRegressor sums the trees' predictions, but the ensemble predicts their median. "
        "Use DistilledTreeRegressor, which only needs predictions."
    )
    for wrong, message in (
        (np.where(np.arange(len(y)) == 3, np.nan, y), "contains NaN, first at row 3"),
        (np.where(np.arange(len(y)) == 4, np.inf, y), "contains infinity, first at row 4"),
        (np.column_stack([y, y]), "y should be a 1d array"),
    ):
        with pytest.raises(sl.DataError, match=message):
            sl.ISMRegressor(forest).fit(X, wrong)
    several = RandomForestRegressor(3, random_state=0).fit(X, np.column_stack([y, -y]))
    with pytest.raises(sl.UnsupportedModelError, match="outputs"):
        sl.ISMRegressor(several).fit(X)
