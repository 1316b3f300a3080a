"""Places of a layered drawing."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.show.drawing._layered import layered_positions


@given(st.data())
def test_gaps_are_kept_on_every_level(data):
    sizes = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=5))
    level = [at for at, size in enumerate(sizes) for _ in range(size)]
    breadth = data.draw(st.lists(st.floats(1, 50), min_size=len(level), max_size=len(level)))
    pairs = [(i, j) for i in range(len(level)) for j in range(len(level)) if level[j] == level[i] + 1]
    edges = data.draw(st.lists(st.sampled_from(pairs), max_size=12)) if pairs else []
    middle = layered_positions(level, breadth, edges, gap=4.0)
    for at in range(len(sizes)):
        items = sorted((i for i in range(len(level)) if level[i] == at), key=middle.__getitem__)
        for one, other in pairwise(items):
            assert middle[other] - middle[one] >= (breadth[one] + breadth[other]) / 2 + 4.0 - 1e-6
    assert min(m - b / 2 for m, b in zip(middle, breadth, strict=True)) == pytest.approx(0, abs=1e-9)


def test_lines_that_need_not_cross_do_not():
    # Two parents whose children come in the wrong order.
    middle = layered_positions([0, 0, 1, 1], [2.0] * 4, [(0, 3), (1, 2)], gap=1.0)
    assert (middle[0] < middle[1]) == (middle[3] < middle[2])
