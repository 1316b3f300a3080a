import pickle
import sys

import numpy as np
import pytest
from absent import IS_SANITIZED, NO_LINUX, SANITIZED
from hypothesis import given
from model.oracle import first_best, only_leaf, tree_output
from sklearn.tree import DecisionTreeRegressor
from strategies import (
    at_most,
    core_tree,
    drawn_trees,
    each_of,
    leaf,
    node_list,
    one_of,
    random_table,
    randoms,
    rows_of,
    schema_of,
    tables,
    tree_of,
    trees,
)

import sightline as sl
from benchmarks._memory import added_bytes
from sightline.model import LEAF, MULTIWAY, SUBSET, THRESHOLD, Tree, first_largest
from sightline.table import Table

# A number, a nominal feature of three values.
#
#   f0 <= 1? --yes--> f1 in {v0, v2}? --yes--> (1, 0)
#           |                        --no--> (0.5, 0.5)
#           --no--> f1: v0 -> (0, 1), v1 -> (0.25, 0.75), v2 -> (1, 0)
SCHEMA = schema_of([0, 3])
DRAWN = at_most(
    0,
    1.0,
    one_of(1, [0, 2], leaf(1, 0), leaf(0.5, 0.5), shares=[1, 0]),
    each_of(1, leaf(0, 1), leaf(0.25, 0.75), leaf(1, 0), shares=[0.5, 0.25, 0.25]),
    shares=[0.75, 0.25],
)


@pytest.fixture
def tree():
    return tree_of(DRAWN, SCHEMA)


def rows(*cells):
    return Table.from_any(list(cells), feature_names=["f0", "f1"], categorical_features=["f1"])


def test_known_values_are_routed_by_every_kind_of_test(tree):
    X = rows([1.0, "v0"], [0.0, "v1"], [1.0000000000000002, "v0"], [5.0, "v1"], [5.0, "v2"])
    assert tree.predict_proba(X).tolist() == [[1, 0], [0.5, 0.5], [0, 1], [0.25, 0.75], [1, 0]]
    assert tree.apply(X).tolist() == [2, 3, 5, 6, 7]
    assert tree.predict(X).tolist() == ["class 0", "class 0", "class 1", "class 1", "class 0"]


def test_missing_values_are_shared_among_branches(tree):
    X = rows([0.0, None], [5.0, None], [None, "v1"], [None, None])
    whole = [1.0, 0.0]
    mixed = [0.5 * 0 + 0.25 * 0.25 + 0.25 * 1, 0.5 * 1 + 0.25 * 0.75]
    either = [0.75 * 0.5 + 0.25 * 0.25, 0.75 * 0.5 + 0.25 * 0.75]
    both = [0.75 + 0.25 * mixed[0], 0.25 * mixed[1]]
    np.testing.assert_allclose(tree.predict_proba(X), [whole, mixed, either, both], rtol=1e-15)
    # One leaf: the way of the largest share.
    assert tree.apply(X).tolist() == [2, 5, 3, 2]


def test_unseen_category_counts_as_missing(tree):
    known = rows([5.0, None])
    unseen = rows([5.0, "something else"])
    assert tree.predict_proba(unseen).tolist() == tree.predict_proba(known).tolist()


def test_what_a_reader_asks_of_nodes(tree):
    assert tree.core.test.tolist() == [THRESHOLD, SUBSET, LEAF, LEAF, MULTIWAY, LEAF, LEAF, LEAF]
    assert tree.children(0).tolist() == [1, 4]
    assert tree.children(2).tolist() == []
    assert tree.shares(4).tolist() == [0.5, 0.25, 0.25]
    assert tree.categories(1) == ["v0", "v2"]
    assert tree.categories(2) == []
    assert tree.label(6) == "class 1"
    assert tree.core.level.tolist() == [0, 1, 2, 2, 1, 2, 2, 2]
    assert tree.feature_names == ["f0", "f1"]
    assert (tree.n_nodes, tree.n_leaves, tree.depth) == (8, 5, 2)
    assert tree.size_ == {"nodes": 8, "leaves": 5, "depth": 2, "rules": 5, "conditions": 10, "features": 2}
    assert repr(tree) == "Tree(5 leaves, depth 2, 2 features)"


def test_lone_leaf():
    tree = tree_of(leaf(0.25, 0.75), schema_of([0]))
    assert tree.size_ == {"nodes": 1, "leaves": 1, "depth": 0, "rules": 1, "conditions": 0, "features": 0}
    assert tree.predict([[np.nan], [3.0]]).tolist() == ["class 1", "class 1"]


def test_tree_of_numbers_has_no_classes():
    schema = schema_of([0])
    tree = Tree(tree_of(at_most(0, 0.0, leaf(-2.5), leaf(4.0)), schema).core, schema, None)
    assert tree.predict([[0.0], [1.0]]).tolist() == [-2.5, 4.0]
    assert tree.label(1) == -2.5


def test_node_arrays_are_read_only_and_outlive_the_tree(tree):
    threshold = tree.core.threshold
    with pytest.raises(ValueError, match="read-only"):
        threshold[0] = 3
    del tree
    assert threshold[0] == 1.0


def test_pickle_keeps_everything(tree):
    again = pickle.loads(pickle.dumps(tree))
    assert again.to_json() == tree.to_json()
    assert again.tie_tolerance == tree.tie_tolerance


@pytest.mark.parametrize(
    ("values", "tolerance", "best"),
    [
        ([0.2, 0.5, 0.5], 0.0, 1),
        ([0.5, 0.5, 0.5], 0.0, 0),
        ([0.3, 0.3 + 1e-9, 0.3 + 2e-6], 1e-6, 2),
        ([0.3, 0.3 + 9e-7, 0.3 + 1.8e-6], 1e-6, 2),
        ([0.3, 0.3 + 9e-7], 1e-6, 0),
        ([1.0], 0.0, 0),
    ],
)
def test_first_largest(values, tolerance, best):
    assert first_largest(np.array([values]), tolerance).tolist() == [best]
    assert first_best(values, tolerance) == best


@given(drawn_trees(), randoms())
def test_outputs_and_leaves_are_those_of_the_oracle(drawn, rng):
    schema, root = drawn
    tree = tree_of(root, schema)
    table = random_table(rng, schema, 20, missing=rng.choice([0.0, 0.3]))
    cells = rows_of(table)
    assert tree.predict_proba(table).tolist() == [tree_output(root, row) for row in cells]
    nodes = node_list(root)
    reached = [only_leaf(root, row) for row in cells]
    assert [id(nodes[v]) for v in tree.apply(table)] == [id(node) for node in reached]


@given(trees(), randoms())
def test_labels_are_the_votes_of_the_outputs(tree, rng):
    table = random_table(rng, tree.schema, 10)
    outputs = tree.predict_proba(table)
    expected = [tree.classes_[first_best(row, tree.tie_tolerance)] for row in outputs.tolist()]
    assert tree.predict(table).tolist() == expected
    assert tree.vote(outputs).tolist() == [tree.classes_.tolist().index(label) for label in expected]


@given(trees())
def test_counts_of_nodes_agree_with_a_walk(tree):
    depth = leaves = conditions = nodes = 0
    features = set()
    stack = [(0, 0)]
    while stack:
        v, level = stack.pop()
        nodes, depth = nodes + 1, max(depth, level)
        assert tree.core.level[v] == level
        if tree.core.test[v] == LEAF:
            leaves, conditions = leaves + 1, conditions + level
            assert tree.core.feature[v] == -1
        else:
            features.add(int(tree.core.feature[v]))
            assert tree.children(v)[0] == v + 1
        stack.extend((int(child), level + 1) for child in tree.children(v))
    assert tree.size_ == {
        "nodes": nodes,
        "leaves": leaves,
        "depth": depth,
        "rules": leaves,
        "conditions": conditions,
        "features": len(features),
    }
    assert tree.core.used_features == sorted(features)


@given(tables(schema=SCHEMA))
def test_rows_do_not_influence_each_other(table):
    tree = tree_of(DRAWN, SCHEMA)
    together = tree.predict_proba(table)
    alone = np.vstack([tree.predict_proba(table[[row]]) for row in range(table.n_rows)])
    np.testing.assert_array_equal(together, alone)


def test_missing_columns_are_named(tree):
    with pytest.raises(sl.DataError) as error:
        tree.predict(Table.from_any([[1.0]], feature_names=["f0"]))
    assert str(error.value) == "X has no column 'f1', which Tree expects."


def test_the_same_tests_with_other_outputs():
    tree = tree_of(at_most(0, 1.0, leaf(1.0, 0.0), leaf(0.0, 1.0)), schema_of([0]))
    other = tree.with_outputs(np.array([[0.0], [3.0], [4.0]]), None)
    assert other.predict([[1.0], [2.0]]).tolist() == [3.0, 4.0]
    assert (other.core.weight == tree.core.weight).all()


# ---------------------------------------------------------------- importances of numbers


def friedman(seed=0, n_rows=300):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows, 4))
    return X, 10 * np.sin(X[:, 0] * X[:, 1]) + 5 * X[:, 2], rng.uniform(0.5, 2, n_rows)


@pytest.mark.parametrize("seed", range(3))
def test_importances_of_a_regression_are_those_of_scikit_learn(seed):
    X, y, weights = friedman(seed)
    source = DecisionTreeRegressor(max_leaf_nodes=12, random_state=0).fit(X, y, weights)
    found = sl.load(source).trees[0].feature_importances()
    np.testing.assert_allclose(found, source.feature_importances_, rtol=1e-6, atol=1e-12)


def test_importances_of_a_distilled_regression_are_the_fall_of_squared_error():
    X, y, _ = friedman()
    model = sl.DistilledTreeRegressor(max_leaves=6, random_state=0).fit(X, y)
    tree = model.tree_
    fall = np.zeros(4)
    reached = [(0, np.arange(len(X)))]
    for node, rows in reached:
        if tree.core.test[node] == THRESHOLD:
            goes_left = X[rows, tree.core.feature[node]] <= tree.core.threshold[node]
            parts = rows[goes_left], rows[~goes_left]
            fall[tree.core.feature[node]] += len(rows) * y[rows].var() - sum(
                len(p) * y[p].var() for p in parts
            )
            reached += zip(tree.children(node), parts, strict=True)
    np.testing.assert_allclose(model.feature_importances_, fall / fall.sum(), rtol=1e-6)


def test_importances_of_a_tree_without_rows_are_zero():
    schema = schema_of([0, 0])
    tree = sl.Tree(
        core_tree(at_most(0, 0.5, leaf(1.0, weight=0.0), leaf(2.0, weight=0.0)), schema), schema, None
    )
    assert tree.feature_importances().tolist() == [0.0, 0.0]


WIDE = """
import numpy as np
import sightline as sl
X = np.zeros((200, 20_000))
X[100:, 7] = 1
tree = sl.C45Classifier().fit(X, X[:, 7]).tree_
rows = sl.Table.from_any(X)
trees = [sl.Tree(tree.core, tree.schema, tree.classes_) for _ in range(100)]
tree.predict(rows)
"""


@pytest.mark.skipif(sys.platform != "linux", reason=NO_LINUX)
@pytest.mark.skipif(IS_SANITIZED, reason=SANITIZED)
def test_trees_over_many_columns_keep_only_what_they_test():
    """A number and a list for every column would be 90 MB."""
    assert added_bytes(WIDE, "for tree in trees: tree.predict(rows)") < 30e6
