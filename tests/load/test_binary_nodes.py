from dataclasses import replace

import numpy as np
import pytest

from sightline.load._binary_nodes import BinaryNodes, Subsets

STUMP = BinaryNodes(
    is_leaf=np.array([False, True, True]),
    feature=np.array([0, -2, -2]),
    threshold=np.array([0.5, -2.0, np.nan]),
    left=np.array([2, -1, -1]),
    right=np.array([1, -1, -1]),
    missing_goes_left=np.array([True, False, False]),
    weight=np.array([8.0, 5.0, 3.0]),
    output=np.array([[0.5], [0.2], [1.0]]),
)


def test_nodes_are_put_in_depth_first_order():
    core = STUMP.build([0])
    assert core.output.ravel().tolist() == [0.5, 1.0, 0.2]
    assert core.weight.tolist() == [8.0, 3.0, 5.0]
    assert core.share.tolist() == [1.0, 0.0]
    assert core.feature.tolist() == [0, -1, -1]


def test_subset():
    subsets = Subsets(
        np.array([True, False, False]), np.array([0, 2, 2, 2]), np.array([0, 3], dtype=np.int32)
    )
    core = replace(STUMP, subsets=subsets).build([4])
    assert core.test.tolist() == [2, 0, 0]
    assert core.category.tolist() == [0, 3]


def test_arrays_of_any_integer_type_and_stride():
    wide = np.array([[2, 1], [9, 9], [9, 9]], dtype=np.uint64)
    core = replace(STUMP, left=wide[:, 0], right=wide[:, 1]).build([0])
    assert core.n_leaves == 2


@pytest.mark.parametrize("child", [2**31, 2**32 + 2, 2**40])
def test_large_ids_do_not_wrap_into_range(child):
    with pytest.raises(ValueError, match=r"^node 0: child 2147483647 does not exist"):
        replace(STUMP, left=np.array([child, -1, -1])).build([0])


def test_unequal_lengths():
    with pytest.raises(ValueError, match=r"^the array 'weight' has length 2; expected 3"):
        replace(STUMP, weight=np.array([1.0, 2.0])).build([0])


OF_FOUR = [4]
SUBSETS = Subsets(np.array([True, False, False]), np.array([0, 2, 2, 2]), np.array([0, 3], dtype=np.int32))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"subsets": replace(SUBSETS, category_begin=np.array([0, 2, 2]))}, "'category_begin' has length 3"),
        ({"subsets": replace(SUBSETS, category_begin=np.array([1, 2, 2, 2]))}, "must run from 0 to 2"),
        (
            {"subsets": replace(SUBSETS, category_begin=np.array([0, 2, 1, 2]))},
            "'category_begin' decreases here",
        ),
        ({"subsets": replace(SUBSETS, category_begin=np.array([0, 2, 2, 3]))}, "must run from 0 to 2"),
        ({"output": np.array([[0.5], [0.2]])}, "'output' has length 2; expected 3"),
        ({"output": np.ones((4, 1))}, "'output' has length 4; expected 3"),
        ({"counts": np.ones((2, 1))}, "'counts' has length 2; expected 3"),
        ({"left": np.array([0, -1, -1])}, "child 0 is reached a second time"),
        ({"left": np.array([1, -1, -1])}, "child 1 is reached a second time"),
        ({"left": np.array([3, -1, -1])}, "child 3 does not exist"),
        ({"left": np.array([-1, -1, -1])}, "child -1 does not exist"),
        (
            {"is_leaf": np.array([True, True, True]), "subsets": None},
            "node 1: it cannot be reached from the root",
        ),
        ({"output": np.array([[0.5], [np.nan], [1.0]])}, "node 1: the output is not finite"),
    ],
)
@pytest.mark.parametrize("leaves_only", [False, True])
def test_what_does_not_fit_is_named_as_in_the_source(change, message, leaves_only):
    nodes = replace(STUMP, subsets=SUBSETS, leaves_only=leaves_only)
    with pytest.raises(ValueError, match=message):
        replace(nodes, **change).build(OF_FOUR)


@pytest.mark.parametrize("begin", [[], [1, 3], [0, 2], [0, 4], [0, 4, 3], [0, 2, 1, 3]], ids=str)
def test_trees_must_divide_their_nodes(begin):
    with pytest.raises(ValueError, match=r"^the trees do not match their nodes$"):
        STUMP.build_all(np.array(begin, dtype=np.int64), [0])


def test_no_trees_have_no_nodes():
    none = {name: value[:0] for name, value in vars(STUMP).items() if isinstance(value, np.ndarray)}
    assert BinaryNodes(**none).build_all(np.array([0]), [0]) == []


def test_no_nodes():
    none = {name: value[:0] for name, value in vars(STUMP).items() if isinstance(value, np.ndarray)}
    with pytest.raises(ValueError, match=r"^a tree needs at least one node$"):
        BinaryNodes(**none).build([0])


@pytest.mark.parametrize(
    ("weight", "expected"), [([8.0, 5.0, 3.0], 0.5), ([8.0, 0.0, 0.0], 0.6), ([1.0, 1e308, 1e308], 0.6)]
)
def test_inner_nodes_get_the_mean_of_their_leaves(weight, expected):
    nodes = replace(
        STUMP, output=np.array([[np.nan], [0.2], [1.0]]), weight=np.array(weight), leaves_only=True
    )
    np.testing.assert_allclose(nodes.build([0]).output.ravel(), [expected, 1.0, 0.2])


def grown(rng, n_leaves):
    """Return random nodes in the order in which leaves are split: children right behind each other."""
    left, right = np.full((2, 2 * n_leaves - 1), -1)
    leaves = [0]
    for n_nodes in range(1, 2 * n_leaves - 1, 2):
        parent = leaves.pop(rng.integers(len(leaves)))
        left[parent], right[parent] = n_nodes, n_nodes + 1
        leaves += [n_nodes, n_nodes + 1]
    n = len(left)
    return BinaryNodes(
        is_leaf=left < 0,
        feature=rng.integers(0, 3, n),
        threshold=rng.normal(size=n),
        left=left,
        right=right,
        missing_goes_left=rng.random(n) < 0.5,
        weight=rng.random(n),
        output=rng.normal(size=(n, 2)),
        counts=rng.random((n, 2)),
    )


def shuffled(rng, nodes):
    """Return the same nodes in another order, the root first."""
    n = len(nodes.is_leaf)
    order = np.concatenate([[0], 1 + rng.permutation(n - 1)])
    index = np.append(np.argsort(order), -1)
    arrays = {name: value[order] for name, value in vars(nodes).items() if isinstance(value, np.ndarray)}
    return replace(nodes, **arrays | {name: index[arrays[name]] for name in ("left", "right")})


def visited(nodes):
    """Return the nodes in depth-first order."""
    order, waiting = [], [0]
    while waiting:
        order.append(node := waiting.pop())
        waiting += [] if nodes.is_leaf[node] else [nodes.right[node], nodes.left[node]]
    return order


@pytest.mark.parametrize("n_leaves", [1, 2, 3, 10, 300])
@pytest.mark.parametrize("leaves_only", [False, True])
def test_any_order_of_nodes_becomes_depth_first(n_leaves, leaves_only):
    rng = np.random.default_rng(n_leaves)
    grown_nodes = replace(grown(rng, n_leaves), leaves_only=leaves_only)
    core = grown_nodes.build([0, 0, 0])
    order = visited(grown_nodes)
    is_leaf = grown_nodes.is_leaf[order]
    np.testing.assert_array_equal(core.weight, grown_nodes.weight[order])
    np.testing.assert_array_equal(core.counts, grown_nodes.counts[order])
    np.testing.assert_array_equal(core.output[is_leaf], grown_nodes.output[order][is_leaf])
    np.testing.assert_array_equal(core.feature, np.where(is_leaf, -1, grown_nodes.feature[order]))
    np.testing.assert_array_equal(core.share[::2], grown_nodes.missing_goes_left[order][~is_leaf])
    np.testing.assert_array_equal(core.child[::2], np.flatnonzero(~is_leaf) + 1)
    others = [shuffled(rng, grown_nodes).build([0, 0, 0]) for _ in range(3)]
    for name in ("test", "feature", "threshold", "child", "share", "weight", "output", "counts"):
        for other in others:
            np.testing.assert_array_equal(getattr(other, name), getattr(core, name))


def test_damaged_children_are_refused_as_the_builder_does():
    """Whichever nodes two children point at, nothing but a tree is built."""
    rng = np.random.default_rng(0)
    n_built = 0
    for _ in range(2000):
        nodes = grown(rng, rng.integers(1, 6))
        n = len(nodes.is_leaf)
        left, right, is_leaf = nodes.left.copy(), nodes.right.copy(), nodes.is_leaf.copy()
        for damaged in (left, right)[: rng.integers(1, 3)]:
            damaged[rng.integers(n)] = rng.integers(-1, n + 1)
        is_leaf[rng.integers(n)] ^= rng.random() < 0.2
        nodes = replace(nodes, left=left, right=right, is_leaf=is_leaf)
        try:
            core = nodes.build([0, 0, 0])
        except ValueError as error:
            assert str(error).startswith("node ")  # noqa: PT017 - some of the trees are sound
            continue
        n_built += 1
        assert sorted(visited(nodes)) == list(range(n))
        np.testing.assert_array_equal(core.weight, nodes.weight[visited(nodes)])
    assert 100 < n_built < 1900
