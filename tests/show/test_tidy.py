from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.show.drawing._tidy import tidy_positions


@st.composite
def shapes(draw):
    n_nodes = draw(st.integers(1, 40))
    path, parent = [0], [-1]
    for node in range(1, n_nodes):
        del path[draw(st.integers(1, len(path))) :]
        parent.append(path[-1])
        path.append(node)
    return parent, draw(st.lists(st.floats(1, 50), min_size=n_nodes, max_size=n_nodes))


@given(shapes())
def test_neighbours_keep_the_gap(shape):
    parent, breadth = shape
    middle = tidy_positions(parent, breadth, gap=3.0)
    level = [0] * len(parent)
    rows: dict[int, list[int]] = {0: [0]}
    for node in range(1, len(parent)):
        level[node] = level[parent[node]] + 1
        rows.setdefault(level[node], []).append(node)
    for row in rows.values():
        for left, right in pairwise(row):
            assert middle[right] - middle[left] >= (breadth[left] + breadth[right]) / 2 + 3.0 - 1e-9
    assert min(m - b / 2 for m, b in zip(middle, breadth, strict=True)) == pytest.approx(0)


@given(shapes())
def test_parents_stand_in_the_middle_of_their_children(shape):
    parent, breadth = shape
    middle = tidy_positions(parent, breadth, gap=3.0)
    for node in range(len(parent)):
        children = [child for child in range(len(parent)) if parent[child] == node]
        if children:
            assert middle[node] == pytest.approx((middle[children[0]] + middle[children[-1]]) / 2)


def test_a_small_subtree_tucks_under_a_long_arm():
    parent = [-1, 0, 1, 1, 0]
    middle = tidy_positions(parent, [2.0] * 5, gap=1.0)
    assert middle[4] - middle[1] == 3.0


@pytest.mark.thorough
def test_a_deep_chain_takes_no_recursion():
    parent = [-1]
    for inner in range(0, 200_000, 2):
        parent += [inner, inner]
    assert len(tidy_positions(parent, [1.0] * len(parent), gap=1.0)) == 200_001
