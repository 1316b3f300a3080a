"""The estimator: which labels the tree keeps, how large it grows, what it refuses."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest
from cases import each, thorough_after
from grid import every_cell
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier
from strategies import at_most, core_tree, leaf, random_ensemble, random_node, rows_of, schema_of

import sightline as sl
from sightline.model import LEAF, Ensemble, Link, combined
from sightline.table import Column, Table

VARIANTS = ["t", "td", "d", "hybrid"]


def teachers():
    return [
        RandomForestClassifier(15, random_state=0),
        ExtraTreesClassifier(10, random_state=0),
        AdaBoostClassifier(n_estimators=15, random_state=0),
        GradientBoostingClassifier(n_estimators=8, random_state=0),
        HistGradientBoostingClassifier(max_iter=8, random_state=0),
        sl.BaggedTreesClassifier(n_trees=10, random_state=0),
        sl.BoostedTreesClassifier(n_trees=10),
    ]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("teacher", teachers(), ids=lambda t: type(t).__name__)
@pytest.mark.parametrize("load", thorough_after(1, [load_iris, load_breast_cancer]))
def test_training_rows_get_the_labels_of_the_ensemble(load, teacher, variant):
    X, y = load(return_X_y=True)
    X, y = X[::2], y[::2]
    teacher.fit(X, y)
    ism = sl.ISMClassifier(teacher, variant=variant).fit(X)
    assert (ism.predict(X) == teacher.predict(X)).all()
    assert ism.complete_


@pytest.mark.parametrize("variant", VARIANTS)
def test_rows_without_labels_get_the_labels_of_the_ensemble(variant):
    X, y = load_wine(return_X_y=True)
    forest = RandomForestClassifier(15, random_state=0).fit(X[::2], y[::2])
    ism = sl.ISMClassifier(forest, variant=variant).fit(X[::2], X_unlabeled=X[1::2])
    assert (ism.predict(X[1::2]) == forest.predict(X[1::2])).all()


def assert_safe_stop_gives_its_function(model, rng):
    cells = every_cell(model.schema)
    few = cells[rng.sample(range(len(cells)), min(len(cells), 5))]
    ism = sl.ISMClassifier(model, variant="t", stop="safe").fit(few)
    assert ism.complete_
    assert ism.proved_[ism.tree_.core.test == LEAF].all()
    assert (ism.predict(cells) == model.predict(cells)).all()


@each(seed=range(80))
def test_safe_stop_alone_gives_the_function_of_the_ensemble(seed):
    rng = random.Random(seed)
    assert_safe_stop_gives_its_function(random_ensemble(rng, max_trees=4).model(), rng)


@each(seed=range(20))
def test_safe_stop_knows_trees_of_one_score_beside_trees_of_all(seed):
    rng = random.Random(300 + seed)
    schema = schema_of([0, 3])
    trees = [core_tree(random_node(rng, schema, n_outputs, 3), schema) for n_outputs in (2, 1, 1, 2)]
    core = combined(trees, n_scores=2, tree_score=[-1, 1, 0, -1])
    assert_safe_stop_gives_its_function(Ensemble(core, schema, np.array([0, 1]), Link("softmax")), rng)


@each(seed=range(10))
def test_safe_stop_proves_no_more_than_single_leaves_if_scores_have_no_bounds(seed):
    """Dividing by a negative number turns the scores round."""
    rng = random.Random(400 + seed)
    drawn = random_ensemble(rng, max_trees=3, n_classes=2, kinds=("sums",))
    model = Ensemble(drawn.core(), drawn.schema, np.array([0, 1]), Link("sigmoid", divide_by=(-2.0,)))
    assert_safe_stop_gives_its_function(model, rng)


def test_safe_stop_allows_for_sums_that_cancel():
    """In float32 the small tree drowns in 1e8, so every row scores 0 and gets class 0."""
    schema = schema_of([0])
    roots = [leaf(1e8), at_most(0, 0.0, leaf(0.3), leaf(0.6)), leaf(-1e8)]
    core = combined([core_tree(root, schema) for root in roots], single_precision=True)
    model = Ensemble(core, schema, np.array([0, 1]), Link("sigmoid"))
    cells = every_cell(schema)
    assert (model.predict(cells) == 0).all()
    ism = sl.ISMClassifier(model, variant="t", stop="safe").fit(cells)
    assert (ism.predict(cells) == 0).all()
    assert sl.certify(ism.tree_, model).equivalent


@pytest.mark.parametrize("variant", VARIANTS)
def test_safe_stop_refuses_literal_matching(variant):
    """Literal matching leaves nodes open that no test may decide any more: leaves would be guessed."""
    X, y = load_iris(return_X_y=True)
    ism = sl.ISMClassifier(variant=variant, stop="safe", matching="literal", random_state=0)
    with pytest.raises(sl.ParameterError) as error:
        ism.fit(X, y)
    assert str(error.value) == (
        "stop='safe' of ISMClassifier requires matching='implication': with matching='literal' "
        "the tree would not equal the ensemble. Use stop='data' for literal matching."
    )
    assert sl.ISMClassifier(variant=variant, matching="literal", random_state=0).fit(X, y).complete_


@each(seed=range(40))
@pytest.mark.parametrize("stop", ["data", "safe"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_proved_leaves_speak_for_every_cell_that_reaches_them(seed, variant, stop):
    rng = random.Random(500 + seed)
    model = random_ensemble(rng, max_trees=4).model()
    cells = every_cell(model.schema)
    few = cells[rng.sample(range(len(cells)), min(len(cells), 6))]
    ism = sl.ISMClassifier(model, variant=variant, stop=stop).fit(few)
    proved = ism.proved_[ism.tree_.apply(cells)]
    assert (ism.predict(cells)[proved] == model.predict(cells)[proved]).all()


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_resized_tree_is_the_one_that_a_limit_gives(variant):
    X, y = load_wine(return_X_y=True)
    forest = sl.load(RandomForestClassifier(10, random_state=1).fit(X, y))
    full = sl.ISMClassifier(forest, variant=variant).fit(X)
    for n_leaves in (1, 2, 5, 9):
        limited = sl.ISMClassifier(forest, variant=variant, max_leaves=n_leaves).fit(X)
        assert full.resized(n_leaves).tree_.to_json() == limited.tree_.to_json()
    assert full.resized(10_000).tree_.to_json() == full.tree_.to_json()


def test_larger_sizes_contain_the_splits_of_smaller_ones():
    X, y = load_breast_cancer(return_X_y=True)
    full = sl.ISMClassifier(random_state=0).fit(X, y)
    small, large = full.resized(4), full.resized(8)
    assert 2 < small.tree_.n_leaves <= 4 < large.tree_.n_leaves <= 8
    leaf_of_small = small.tree_.apply(X)
    leaf_of_large = large.tree_.apply(X)
    assert all(len(set(leaf_of_small[leaf_of_large == leaf])) == 1 for leaf in set(leaf_of_large))


def test_pruning_makes_the_tree_smaller():
    X, y = load_breast_cancer(return_X_y=True)
    bagged = sl.BaggedTreesClassifier(random_state=0).fit(X, y)
    plain = sl.ISMClassifier(bagged).fit(X)
    pruned = sl.ISMClassifier(bagged, prune="pessimistic").fit(X)
    assert pruned.tree_.n_leaves < plain.tree_.n_leaves


def test_limits_end_growth_and_say_so():
    X, y = load_wine(return_X_y=True)
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    limited = sl.ISMClassifier(forest, stop="safe", variant="t", max_nodes=50).fit(X)
    assert not limited.complete_
    assert limited.tree_.n_nodes < 60
    assert sl.ISMClassifier(forest, max_depth=2).fit(X).tree_.depth == 2
    assert not sl.ISMClassifier(forest, stop="safe", variant="t", max_seconds=1e-9).fit(X).complete_


def test_of_two_splits_as_useful_the_first_is_kept():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, dtype=float)
    y = 2 * X[:, 0] + X[:, 1]
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    core = sl.ISMClassifier(tree, variant="td", max_leaves=3).fit(X).tree_.core
    assert core.n_leaves == 3
    first, second = core.child[:2]
    assert core.test[first] != LEAF
    assert core.test[second] == LEAF


@pytest.mark.parametrize("matching", ["implication", "literal"])
def test_fewer_thresholds_may_be_asked(matching):
    X, y = load_breast_cancer(return_X_y=True)
    forest = sl.load(RandomForestClassifier(30, random_state=0).fit(X, y))
    ism = sl.ISMClassifier(forest, max_thresholds=3, max_leaves=20, matching=matching).fit(X)
    core = ism.tree_.core
    asked = {(f, t) for f, t in zip(core.feature, core.threshold, strict=True) if f >= 0}
    assert all(sum(g == f for g, _ in asked) <= 3 for f, _ in asked)
    thresholds = {
        (f, t) for tree in forest.core.trees for f, t in zip(tree.feature, tree.threshold, strict=True)
    }
    assert asked <= thresholds


@pytest.mark.parametrize(
    "options", [{"matching": "literal"}, {"gain": "literal"}, {"criterion": "gain_ratio"}]
)
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_paper_s_readings_keep_the_training_labels(variant, options):
    X, y = load_iris(return_X_y=True)
    bagged = sl.BaggedTreesClassifier(n_trees=10, random_state=0).fit(X, y)
    ism = sl.ISMClassifier(bagged, variant=variant, **options).fit(X)
    assert (ism.predict(X) == bagged.predict(X)).all()


@pytest.mark.parametrize("binary_splits", [True, False])
@pytest.mark.parametrize("variant", VARIANTS)
def test_literal_matching_of_categories_keeps_the_training_labels(variant, binary_splits):
    rng = np.random.default_rng(0)
    schema = schema_of([3, 4, 0])
    values = [rng.integers(n, size=150).astype(np.int32) for n in (3, 4)] + [rng.integers(5, size=150) / 2]
    table = Table([Column(feature, own) for feature, own in zip(schema.features, values, strict=True)])
    y = (values[0] == 1) ^ (values[1] > 1) ^ (values[2] > 1)
    base = sl.C45Classifier(binary_splits=binary_splits, min_leaf=1, prune=False)
    bagged = sl.BaggedTreesClassifier(base, n_trees=7, random_state=0).fit(table, y)
    ism = sl.ISMClassifier(bagged, variant=variant, matching="literal").fit(table)
    assert (ism.predict(table) == bagged.predict(table)).all()
    assert ism.tree_.n_leaves > 8


def test_marginal_probability_of_a_test_is_that_of_the_training_values():
    X, y = load_iris(return_X_y=True)
    bagged = sl.BaggedTreesClassifier(n_trees=10, random_state=0).fit(X, y)
    ism = sl.ISMClassifier(bagged, variant="t", test_probability="marginal").fit(X)
    assert (ism.predict(X) == bagged.predict(X)).all()


def test_categories_and_missing_values_are_taken_as_they_are(shared):
    table = sl.read_table(shared / "datasets" / "colic.arff")
    for base in (sl.C45Classifier(), sl.C45Classifier(binary_splits=True)):
        bagged = sl.BaggedTreesClassifier(base, n_trees=10, random_state=0).fit(table.X, table.y)
        ism = sl.ISMClassifier(bagged).fit(table.X)
        agreement = (ism.predict(table.X) == bagged.predict(table.X)).mean()
        # Rows that differ only in what is missing cannot always be told apart.
        assert agreement > 0.97


def test_a_fitted_model_survives_pickling_and_can_still_be_resized():
    X, y = load_iris(return_X_y=True)
    ism = sl.ISMClassifier(random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(ism))
    assert (again.predict(X) == ism.predict(X)).all()
    assert again.resized(2).tree_.to_json() == ism.resized(2).tree_.to_json()


def test_weights_count_rows():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    weights = np.arange(len(X)) % 3
    weighted = sl.ISMClassifier(forest, max_leaves=4).fit(X, sample_weight=weights)
    repeated = sl.ISMClassifier(forest, max_leaves=4).fit(np.repeat(X, weights, axis=0))
    ours, theirs = weighted.tree_.core, repeated.tree_.core
    for name in ("test", "feature", "threshold"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    np.testing.assert_allclose(ours.weight, theirs.weight)
    np.testing.assert_allclose(ours.output, theirs.output)


def fitted_forest():
    X, y = load_iris(return_X_y=True)
    return X, y, RandomForestClassifier(5, random_state=0).fit(X, y)


def test_refusals_say_what_is_wrong():
    X, y, forest = fitted_forest()
    with pytest.raises(
        sl.ParameterError, match="The 'variant' parameter of ISMClassifier must be a str among"
    ):
        sl.ISMClassifier(forest, variant="x").fit(X)
    with pytest.raises(sl.ParameterError, match="The 'max_leaves' parameter of ISMClassifier must be"):
        sl.ISMClassifier(forest, max_leaves=0).fit(X)
    with pytest.raises(sl.DataError, match="expecting 4 features"):
        sl.ISMClassifier(forest).fit(X[:, :3])
    with pytest.raises(sl.DataError, match="X has 3 features, but X_unlabeled"):
        sl.ISMClassifier(forest).fit(X, X_unlabeled=X[:, :3])
    regressor = RandomForestRegressor(3, random_state=0).fit(X, y)
    with pytest.raises(sl.UnsupportedModelError, match="The ensemble is a regressor, but ISMClassifier"):
        sl.ISMClassifier(regressor).fit(X)
    with pytest.raises(sl.DataError, match="requires y to be passed"):
        sl.ISMClassifier(RandomForestClassifier()).fit(X)
    with pytest.raises(sl.DataError, match="which the ensemble does not know"):
        sl.ISMClassifier(forest).fit(X, y + 1)


def test_rows_that_strategies_draw_are_complete():
    """Guards the oracle: cells without missing values, each threshold on both sides."""
    model = random_ensemble(random.Random(1)).model()
    cells = every_cell(model.schema)
    assert not np.isnan(np.array(rows_of(cells))).any()


@pytest.mark.parametrize("variant", ["t", "td"])
@pytest.mark.parametrize("max_leaves", [None, 4, 9])
def test_joining_siblings_changes_no_label(variant, max_leaves):
    X, y = load_wine(return_X_y=True)
    forest = RandomForestClassifier(8, max_depth=4, random_state=0).fit(X, y)
    rows = np.random.default_rng(0).normal(X.mean(0), 2 * X.std(0), (500, X.shape[1]))
    rows[::7, 3] = np.nan
    joined = sl.ISMClassifier(forest, variant=variant, max_leaves=max_leaves).fit(X)
    core = joined.tree_.core
    label = core.output.argmax(axis=1)
    for node in np.flatnonzero(core.test != LEAF):
        children = joined.tree_.children(node)
        assert (core.test[children] != LEAF).any() or len(set(label[children])) > 1
    if max_leaves is None:
        kept = sl.ISMClassifier(forest, variant=variant, collapse=False).fit(X)
        np.testing.assert_array_equal(joined.predict(rows), kept.predict(rows))
        assert joined.tree_.n_leaves <= kept.tree_.n_leaves
    else:
        assert joined.tree_.n_leaves <= max_leaves
        larger = sl.ISMClassifier(forest, variant=variant).fit(X)
        assert larger.resized(max_leaves).tree_.to_json() == joined.tree_.to_json()


def test_a_joined_leaf_is_proved_if_all_its_parts_were():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X, y)
    exact = sl.ISMClassifier(forest, variant="t", stop="safe").fit(X)
    assert exact.tree_.complete
    assert exact.proved_.sum() == exact.tree_.n_leaves
    assert sl.certify(exact, forest, missing=False).equivalent
    said = str(exact.explain(X[0].tolist()))
    assert "provably predicts the same for every row without missing values that takes this path." in said


def test_counts_are_of_training_rows_only():
    X, y = load_iris(return_X_y=True)
    ism = sl.ISMClassifier(random_state=0).fit(X[::2], y[::2], X_unlabeled=X[1::2])
    assert ism.tree_.label_source == "own"
    np.testing.assert_array_equal(ism.tree_.core.counts[0], [25, 25, 25])
    again = sl.ISMClassifier(ism.ensemble_).fit(X[::2])
    assert again.tree_.label_source == "ensemble"
    np.testing.assert_array_equal(again.tree_.core.counts[0], np.bincount(ism.ensemble_.predict(X[::2])))


@pytest.mark.parametrize("collapse", [True, False])
def test_a_pruned_tree_has_smaller_sizes(collapse):
    """Pruning leaves gaps in the order of the splits."""
    X, y = load_iris(return_X_y=True)
    ism = sl.ISMClassifier(prune="pessimistic", collapse=collapse, random_state=1).fit(X, y)
    assert (np.diff(np.unique(ism.split_step_)) > 1).any()
    assert ism.resized(100).to_json() == ism.to_json()
    assert [ism.resized(n).tree_.n_leaves for n in (1, 2, 3)] == [1, 2, 3]


def test_a_test_without_gain_is_taken_or_not():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 2, dtype=float)
    y = (X[:, 0] != X[:, 1]).astype(int)
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    # Neither column alone says anything about the label.
    assert (sl.ISMClassifier(tree, variant="t").fit(X).predict(X) == y).all()
    assert sl.ISMClassifier(tree, variant="t", without_gain="stop").fit(X).tree_.n_nodes == 1
    assert sl.ISMClassifier(tree, variant="t", preset="paper").fit(X).tree_.n_nodes == 1
