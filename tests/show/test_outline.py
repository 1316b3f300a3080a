import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from show.hand_trees import balanced, leaf, multiway, plant, threshold
from show.tree_strategies import trees

from sightline.show._outline import Outline
from sightline.table import Feature

FEATURES = [Feature("x"), Feature("c", ("u", "v", "w"))]


def test_a_tree_by_hand():
    tree = plant(
        threshold(0, 1, multiway(1, leaf(1, 0), leaf(0, 2), leaf(0, 0)), leaf(3, 3)), FEATURES, ["a", "b"]
    )
    outline = Outline.of(tree)
    assert outline.parent.tolist() == [-1, 0, 1, 1, 1, 0]
    assert outline.branch.tolist() == [-1, 0, 0, 1, 2, 1]
    assert outline.is_last.tolist()[1:] == [False, False, False, True, True]
    assert outline.n_leaves.tolist() == [4, 3, 1, 1, 1, 1]
    assert outline.best.tolist() == [1, 1, 0, 1, 0, 0]
    assert np.allclose(outline.mix[1], [1 / 3, 2 / 3])
    assert not outline.mix[4].any()


def test_the_heaviest_are_opened_first():
    tree = plant(
        threshold(
            0,
            5,
            threshold(0, 1, leaf(1, 0), leaf(1, 1)),
            threshold(0, 9, leaf(20, 0), threshold(0, 10, leaf(9, 9), leaf(1, 1))),
        ),
        FEATURES,
        ["a", "b"],
    )
    assert np.flatnonzero(Outline.of(tree).shown(max_leaves=4)).tolist() == [0, 1, 4, 5, 6, 7, 8]


@given(trees(), st.integers(1, 10), st.integers(0, 4))
def test_nodes_are_shown_with_parent_and_siblings(tree, max_leaves, max_depth):
    outline = Outline.of(tree)
    is_shown = outline.shown(max_depth, max_leaves)
    for node in range(1, tree.n_nodes):
        siblings = tree.children(outline.parent[node])
        assert len(set(is_shown[siblings].tolist())) == 1
        assert not is_shown[node] or is_shown[outline.parent[node]]
    assert (outline.level[is_shown] <= max_depth).all()


def test_limits_hold_for_large_trees():
    outline = Outline.of(balanced(12))
    is_shown = outline.shown(max_leaves=64)
    inner_shown = set(outline.parent[is_shown].tolist()) - {-1}
    assert is_shown.sum() - len(inner_shown) == 64
