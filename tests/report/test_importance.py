"""Which columns matter: the share of rows that are tested, and what shuffling changes."""

import numpy as np
from show.hand_trees import leaf, plant, threshold

import sightline as sl
from sightline.report._importance import share_tested, shuffled_rows
from sightline.report._parts import summarize
from sightline.table import Feature, Table


def columns_on_the_way(tree, row):
    """Walk down by hand."""
    core, node, seen = tree.core, 0, set()
    while core.test[node] != 0:
        feature = int(core.feature[node])
        seen.add(feature)
        branch = int(row[feature] > core.threshold[node])
        node = int(core.child[core.branch_begin[node] + branch])
    return seen


def test_share_of_rows_whose_answer_passes_a_test():
    random = np.random.default_rng(0)
    X = random.uniform(size=(300, 5))
    y = np.where((X[:, 0] > 0.5) ^ (X[:, 1] > 0.3) ^ (X[:, 2] > 0.8), "a", "b")
    tree = sl.C45Classifier(binary_splits=True).fit(X, y).tree_
    paths = [columns_on_the_way(tree, row) for row in X]
    expected = [np.mean([feature in path for path in paths]) for feature in range(5)]
    assert tree.n_leaves > 6
    np.testing.assert_allclose(share_tested(tree, Table.from_any(X)), expected)


def test_shuffling_keeps_values_and_moves_only_its_column():
    X = np.arange(40.0).reshape(10, 4)
    shuffled = np.asarray(shuffled_rows(Table.from_any(X), [1, 3]))
    assert shuffled.shape == (20, 4)
    np.testing.assert_array_equal(shuffled[:10, [0, 2, 3]], X[:, [0, 2, 3]])
    np.testing.assert_array_equal(np.sort(shuffled[:10, 1]), X[:, 1])
    assert (shuffled[:10, 1] != X[:, 1]).any()


def test_only_columns_in_use_change_answers():
    random = np.random.default_rng(0)
    X = random.uniform(size=(200, 3))
    tree = plant(threshold(1, 0.5, leaf(9, 1), leaf(1, 9)), [Feature(f"x{i}") for i in range(3)], ["a", "b"])
    parts = summarize(sl.report(tree, X, ensemble=tree).evidence)["parts"]
    part = next(part for part in parts if part["kind"] == "importance")
    (line,) = part["lines"]
    assert line[:3] == ["x1", "100%", "100%"]
    assert line[3] == line[4]
    assert 40 < float(line[3].rstrip("%")) < 60
