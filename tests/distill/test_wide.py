"""Far more columns than rows, as in measurements of genes."""

import time

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import sightline as sl

N_ROWS, N_COLUMNS = 60, 5_000


@pytest.fixture(scope="module")
def wide():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 10 * N_ROWS)
    X = rng.normal(size=(len(y), N_COLUMNS))
    X[:, :50] += 0.8 * y[:, None]
    forest = RandomForestClassifier(50, random_state=0).fit(X[:N_ROWS], y[:N_ROWS])
    return X[:N_ROWS], y[:N_ROWS], X[N_ROWS:], forest


@pytest.mark.thorough
def test_a_wide_table_is_distilled_quickly_and_as_well_as_by_an_ordinary_tree(wide):
    X, y, unseen, forest = wide
    start = time.process_time()
    tree = sl.DistilledTreeClassifier(forest, random_state=0).fit(X, y)
    assert time.process_time() - start < 10
    ordinary = DecisionTreeClassifier(random_state=0).fit(X, forest.predict(X))
    taught = forest.predict(unseen)
    assert (tree.predict(unseen) == taught).mean() >= (ordinary.predict(unseen) == taught).mean()


def test_rows_in_blocks_give_the_tree_of_all_rows_at_once(wide):
    X, y, _, forest = wide
    options = {"max_leaves": 4, "augment": 2_000, "objective": "labels", "min_leaf": 0, "random_state": 0}
    tree = sl.DistilledTreeClassifier(forest, **options).fit(X, y)
    rows = tree.distillation_set_
    at_once = sl._core.DistillationRows(
        sl._core.Bins(rows.teacher.table.native(), rows.teacher.ensemble.core), len(tree.classes_)
    )
    own_labels = np.concatenate([rows.teacher.target, np.full(2_000, -1, dtype=np.int32)])
    probabilities = np.concatenate([rows.teacher.ensemble_probabilities, rows.artificial_answers[1]])
    at_once.add(rows.table.native(), rows.ensemble_labels, probabilities.ravel(), rows.weights, own_labels)
    expected = sl._core.distill_tree(at_once, 4, search_rounds=4)
    nodes = tree.tree_.core
    assert nodes.feature.tolist() == expected.tree(at_once).feature.tolist()
    assert nodes.threshold.tolist() == expected.tree(at_once).threshold.tolist()
    assert nodes.output.tolist() == expected.tree(at_once).output.tolist()


def test_a_smaller_tree_does_not_depend_on_what_was_grown_before(wide):
    X, y, *_ = wide
    forest = RandomForestClassifier(20, random_state=0).fit(X[:, :40], y)
    options = {"augment": 500, "random_state": 0}
    large = sl.DistilledTreeClassifier(forest, max_leaves=12, **options).fit(X[:, :40], y)
    fresh = sl.DistilledTreeClassifier(forest, max_leaves=4, **options).fit(X[:, :40], y)
    resized = large.resized(4).tree_.core
    assert resized.feature.tolist() == fresh.tree_.core.feature.tolist()
    assert resized.threshold.tolist() == fresh.tree_.core.threshold.tolist()
    assert resized.output.tolist() == fresh.tree_.core.output.tolist()
