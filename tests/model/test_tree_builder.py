"""Every sentence with which the builder refuses node arrays, and the order in which it puts them."""

import random

import numpy as np
import pytest
from hypothesis import given
from strategies import at_most, drawn_trees, each_of, leaf, node_arrays, node_list, one_of, randoms, schema_of

from sightline import _core

# Features: a number, and a nominal one of three values. Nodes, depth first:
# 0 (f0 <= 1): 1 (f1 in {v0, v2}): leaves 2, 3; 4 (f1): leaves 5, 6, 7
N_VALUES = [0, 3]


@pytest.fixture
def arrays():
    root = at_most(
        0, 1.0, one_of(1, [0, 2], leaf(1, 0), leaf(0, 1)), each_of(1, leaf(1, 0), leaf(0, 1), leaf(1, 0))
    )
    for node in node_list(root):
        node.counts = [1.0, 2.0]
    return node_arrays(root)


def build(arrays, n_values=N_VALUES, n_outputs=2):
    return _core.Tree(n_values=n_values, n_outputs=n_outputs, **arrays)


def test_valid_arrays_come_back_as_they_are(arrays):
    tree = build(arrays)
    for name, values in arrays.items():
        np.testing.assert_array_equal(np.ravel(getattr(tree, name)), values)
    assert tree.n_values == N_VALUES


WRONG_ENTRIES = [
    # array, place, value, sentence
    ("test", 2, 4, "node 2: there is no test of kind 4"),
    ("test", 2, 255, "node 2: there is no test of kind 255"),
    ("test", 1, 3, "node 1: only a subset test has categories"),
    ("test", 4, 0, "node 4: a leaf has no branches"),
    ("test", 2, 1, "node 2: feature -1 does not exist (there are 2)"),
    ("feature", 0, 2, "node 0: feature 2 does not exist (there are 2)"),
    ("feature", 4, -1, "node 4: feature -1 does not exist (there are 2)"),
    ("feature", 0, 1, "node 0: feature 1 is nominal, but the test is numeric"),
    ("feature", 1, 0, "node 1: feature 0 is numeric, but the test is nominal"),
    ("feature", 4, 0, "node 4: feature 0 is numeric, but the test is nominal"),
    ("threshold", 0, np.nan, "node 0: the threshold is not a finite number"),
    ("threshold", 0, np.inf, "node 0: the threshold is not a finite number"),
    ("threshold", 0, -np.inf, "node 0: the threshold is not a finite number"),
    ("test", 4, 2, "node 4: it has 3 branches, but the test has 2 outcomes"),
    ("category", 1, 3, "node 1: category 3 does not exist (feature 1 has 3)"),
    ("category", 0, -1, "node 1: category -1 does not exist (feature 1 has 3)"),
    ("category", 0, 2, "node 1: the categories must be ascending"),
    ("category", 1, 0, "node 1: the categories must be ascending"),
    ("weight", 3, -1.0, "node 3: the weight must be finite and not negative"),
    ("weight", 3, np.nan, "node 3: the weight must be finite and not negative"),
    ("weight", 3, np.inf, "node 3: the weight must be finite and not negative"),
    ("output", 7, np.nan, "node 3: the output is not finite"),
    ("output", 0, -np.inf, "node 0: the output is not finite"),
    ("counts", 15, -1.0, "node 7: class counts must be finite and not negative"),
    ("counts", 15, np.inf, "node 7: class counts must be finite and not negative"),
    ("counts", 15, np.nan, "node 7: class counts must be finite and not negative"),
    ("share", 0, -0.5, "node 0: the shares of branches must not be negative"),
    ("share", 0, np.nan, "node 0: the shares of branches must not be negative"),
    ("share", 0, np.inf, "node 0: the shares of branches must not be negative"),
    ("share", 3, 0.5 + 1e-8, "node 1: the shares of its branches do not sum to 1"),
    ("share", 4, 0.0, "node 4: the shares of its branches do not sum to 1"),
    ("child", 0, 8, "node 0: child 8 does not exist (the tree has 8 nodes)"),
    ("child", 6, -1, "node 4: child -1 does not exist (the tree has 8 nodes)"),
    ("child", 6, 2**31 - 1, "node 4: child 2147483647 does not exist (the tree has 8 nodes)"),
    ("child", 3, 2, "node 1: child 2 is reached a second time (two parents, or a cycle)"),
    ("child", 2, 0, "node 1: child 0 is reached a second time (two parents, or a cycle)"),
    ("child", 2, 1, "node 1: child 1 is reached a second time (two parents, or a cycle)"),
    ("child", 4, 1, "node 4: child 1 is reached a second time (two parents, or a cycle)"),
    ("branch_begin", 1, 5, "node 1: the array 'branch_begin' decreases here"),
    ("branch_begin", 0, -1, "node 0: the array 'branch_begin' decreases here"),
    ("branch_begin", 8, 8, "the array 'branch_begin' must run from 0 to 7"),
    ("branch_begin", 8, 2**62, "the array 'branch_begin' must run from 0 to 7"),
    ("category_begin", 1, 3, "node 1: the array 'category_begin' decreases here"),
    ("category_begin", 8, 3, "the array 'category_begin' must run from 0 to 2"),
]


@pytest.mark.parametrize(("name", "place", "value", "sentence"), WRONG_ENTRIES)
def test_wrong_entry_is_named(arrays, name, place, value, sentence):
    arrays[name][place] = value
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the whole sentence is compared
        build(arrays)
    assert str(error.value) == sentence


# Features: two numbers, and a nominal one. Nodes, depth first: 0 (f0 <= 1): 1 (f1 <= 2): leaves 2, 3; leaf 4
WRONG_NUMERIC_ENTRIES = [
    ("test", 2, 1, "node 2: feature -1 does not exist (there are 3)"),
    ("test", 2, 4, "node 2: there is no test of kind 4"),
    ("test", 1, 0, "node 1: a leaf has no branches"),
    ("test", 1, 2, "node 1: feature 1 is numeric, but the test is nominal"),
    ("feature", 1, 3, "node 1: feature 3 does not exist (there are 3)"),
    ("feature", 1, -1, "node 1: feature -1 does not exist (there are 3)"),
    ("feature", 1, 2, "node 1: feature 2 is nominal, but the test is numeric"),
    ("threshold", 1, np.nan, "node 1: the threshold is not a finite number"),
    ("threshold", 1, -np.inf, "node 1: the threshold is not a finite number"),
    ("weight", 4, -1e-300, "node 4: the weight must be finite and not negative"),
    ("weight", 4, np.inf, "node 4: the weight must be finite and not negative"),
    ("weight", 4, -np.nan, "node 4: the weight must be finite and not negative"),
    ("output", 9, np.inf, "node 4: the output is not finite"),
    ("output", 9, -np.inf, "node 4: the output is not finite"),
    ("output", 9, np.nan, "node 4: the output is not finite"),
    ("counts", 9, -1.0, "node 4: class counts must be finite and not negative"),
    ("counts", 9, np.nan, "node 4: class counts must be finite and not negative"),
    ("share", 3, -0.5, "node 1: the shares of branches must not be negative"),
    ("share", 3, np.nan, "node 1: the shares of branches must not be negative"),
    ("share", 3, 0.5 + 1e-8, "node 1: the shares of its branches do not sum to 1"),
    ("child", 3, 2, "node 1: child 2 is reached a second time (two parents, or a cycle)"),
    ("child", 3, 5, "node 1: child 5 does not exist (the tree has 5 nodes)"),
    ("branch_begin", 2, 3, "node 1: it has 1 branches, but the test has 2 outcomes"),
    ("branch_begin", 3, 5, "node 3: the array 'branch_begin' decreases here"),
]


@pytest.fixture
def numeric_arrays():
    root = at_most(0, 1.0, at_most(1, 2.0, leaf(1, 0), leaf(0, 1)), leaf(1, 0))
    for node in node_list(root):
        node.counts = [1.0, 2.0]
    return node_arrays(root)


@pytest.mark.parametrize(("name", "place", "value", "sentence"), WRONG_NUMERIC_ENTRIES)
def test_wrong_entry_of_a_numeric_tree_is_named(numeric_arrays, name, place, value, sentence):
    numeric_arrays[name][place] = value
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the whole sentence is compared
        build(numeric_arrays, [0, 0, 3])
    assert str(error.value) == sentence


def test_of_two_faults_the_first_node_is_named(numeric_arrays):
    numeric_arrays["weight"][1] = -1.0
    numeric_arrays["threshold"][0] = np.nan
    with pytest.raises(ValueError, match=r"^node 0: the threshold is not a finite number$"):
        build(numeric_arrays, [0, 0, 3])


def test_numbers_at_the_ends_of_their_range(numeric_arrays):
    largest = np.finfo(np.float64).max
    numeric_arrays["weight"][:] = [largest, 5e-324, 0.0, -0.0, 1.0]
    numeric_arrays["output"][:2] = [largest, -largest]
    numeric_arrays["threshold"][0] = -largest
    tree = build(numeric_arrays, [0, 0, 3])
    for name, values in numeric_arrays.items():
        np.testing.assert_array_equal(np.ravel(getattr(tree, name)), values)


@pytest.mark.parametrize("n_branches", [1, 2, 3, 5])
def test_missing_values_of_a_node_with_any_number_of_branches(n_branches):
    shares = np.zeros(n_branches)
    shares[-1] = 1.0
    root = each_of(
        0,
        *(leaf(1, 0) if branch else at_most(1, 0.0, leaf(1, 0), leaf(0, 1)) for branch in range(n_branches)),
    )
    arrays = node_arrays(root)
    arrays["share"][:n_branches] = shares
    tree = build(arrays, [n_branches, 0])
    rows = _core.Columns([np.array([-1], dtype=np.int32), np.array([1.0])], [n_branches, 0], 1)
    assert tree.depth == 2
    assert tree.find_leaves(rows, 1).tolist() == [tree.n_nodes - 1]


@pytest.mark.parametrize(
    ("name", "needed"),
    [
        ("feature", 8),
        ("threshold", 8),
        ("weight", 8),
        ("output", 16),
        ("counts", 16),
        ("branch_begin", 9),
        ("share", 7),
        ("category_begin", 9),
    ],
)
@pytest.mark.parametrize("change", [-1, 1])
def test_wrong_length_is_named(arrays, name, needed, change):
    values = arrays[name]
    arrays[name] = values[:-1] if change < 0 else np.append(values, values[-1]).astype(values.dtype)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        build(arrays)
    assert str(error.value) == f"the array '{name}' has length {needed + change}; expected {needed}"


def test_too_few_children_and_categories_are_offsets_beyond_the_end(arrays):
    for name, begin, n in (("child", "branch_begin", 6), ("category", "category_begin", 1)):
        shorter = {**arrays, name: arrays[name][:-1]}
        with pytest.raises(ValueError) as error:  # noqa: PT011
            build(shorter)
        assert str(error.value) == f"the array '{begin}' must run from 0 to {n}"


def test_empty_tree():
    empty = {name: values[:0] for name, values in node_arrays(leaf(1, 0)).items()}
    with pytest.raises(ValueError, match=r"^a tree needs at least one node$"):
        build(empty)


def test_orphan_is_named():
    # Nodes 1 and 2 are leaves, but node 0 is a leaf, too.
    arrays = node_arrays(leaf(1, 0))
    three = {name: np.concatenate([values] * 3) for name, values in arrays.items()}
    three["branch_begin"] = three["category_begin"] = np.zeros(4, dtype=np.int64)
    with pytest.raises(ValueError, match=r"^node 1: it cannot be reached from the root$"):
        build(three)


def test_cycle_apart_from_the_root_is_unreachable():
    # Node 0 is a leaf; 1 and 2 have each other and themselves as children.
    arrays = node_arrays(at_most(0, 1.0, leaf(1, 0), leaf(0, 1)))
    arrays |= {
        "test": np.array([0, 1, 1], dtype=np.uint8),
        "feature": np.array([-1, 0, 0], dtype=np.int32),
        "branch_begin": np.array([0, 0, 2, 4]),
        "child": np.array([2, 1, 1, 2], dtype=np.int32),
        "share": np.full(4, 0.5),
    }
    with pytest.raises(ValueError, match=r"^node 1: it cannot be reached from the root$"):
        build(arrays)


@pytest.mark.parametrize("n_outputs", [1, 3, 2**61, 2**63])
def test_number_of_outputs_must_fit(arrays, n_outputs):
    with pytest.raises(ValueError, match="output"):
        build(arrays, n_outputs=n_outputs)


def test_number_of_outputs_whose_product_overflows():
    """With 2 nodes, 2**63 outputs each are 2**64 values, which wraps to none at all."""
    arrays = node_arrays(each_of(0, leaf(1.0)))
    arrays["output"] = arrays["counts"] = np.empty(0)
    with pytest.raises(ValueError, match=r"^the array 'output' has length 0"):
        build(arrays, n_values=[1], n_outputs=2**63)


def test_tree_without_outputs():
    with pytest.raises(ValueError, match=r"^a tree needs at least one output$"):
        build({**node_arrays(leaf(1.0)), "output": np.empty(0)}, n_outputs=0)


def test_shares_may_miss_one_by_rounding(arrays):
    arrays["share"][:2] = [0.1, 0.9 + 1e-12]
    assert build(arrays).share[1] == 0.9 + 1e-12


def test_leaves_forget_feature_and_threshold(arrays):
    arrays["feature"][2] = 7
    arrays["threshold"][1:] = np.nan
    tree = build(arrays)
    assert tree.feature[2] == -1
    assert not tree.threshold[1:].any()


def test_counts_may_be_unknown(arrays):
    arrays["counts"] = np.empty(0)
    assert build(arrays).counts.shape == (0, 2)


def test_feature_count_bounds_hold_without_features():
    tree = build(node_arrays(leaf(1, 0)), n_values=[])
    assert tree.n_features == 0
    assert tree.used_features == []


@given(drawn_trees(), randoms())
def test_nodes_in_any_order_are_put_depth_first(drawn, rng):
    schema, root = drawn
    ordered = node_arrays(root)
    rest = list(range(1, len(node_list(root))))
    rng.shuffle(rest)
    shuffled = build(node_arrays(root, [0, *rest]), schema.n_values, len(root.output))
    for name, values in ordered.items():
        np.testing.assert_array_equal(np.ravel(getattr(shuffled, name)), values)


def test_random_damage_is_refused_or_harmless():
    """Whatever the arrays hold, the builder says so, or gives a tree that can be asked."""
    schema = schema_of([0, 3, 2])
    rows = _core.Columns(
        [np.array([0.5, np.nan]), np.array([1, -1], dtype=np.int32), np.array([0, 1], dtype=np.int32)],
        schema.n_values,
        2,
    )
    rng = random.Random(0)
    n_built = 0
    for _ in range(3000):
        root = at_most(
            0, 1.0, one_of(1, [0, 2], leaf(1, 0), leaf(0, 1)), each_of(1, leaf(1, 0), leaf(0, 1), leaf(1, 0))
        )
        arrays = node_arrays(root)
        for _ in range(rng.randint(1, 3)):
            name = rng.choice([name for name in arrays if len(arrays[name])])
            arrays[name][rng.randrange(len(arrays[name]))] = rng.choice([0, 1, 2, 3, 5, 7, 100])
        try:
            tree = build(arrays, schema.n_values)
        except ValueError:
            continue
        n_built += 1
        assert tree.n_nodes == 8
        ensemble = _core.Ensemble(
            [tree], 2, False, [1.0], [], [-1], [0.0, 0.0], [False] * 2, 0.0, [False] * 2
        )
        assert np.isfinite(ensemble.scores(rows, 1)).all()
    assert 100 < n_built < 2900
