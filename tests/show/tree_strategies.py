"""Random small trees with every kind of test."""

from __future__ import annotations

from hypothesis import strategies as st
from show.hand_trees import Node, leaf, multiway, plant, subset, threshold

from sightline.table import Feature

FEATURES = [
    Feature("age"),
    Feature("a rather long name for an income", None),
    Feature("colour", ("red", "green", "blue")),
]

_leaves = st.builds(leaf, st.integers(0, 9), st.integers(0, 9))


def _inner(nodes: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    numeric = st.builds(threshold, st.integers(0, 1), st.floats(-100, 100), nodes, nodes)
    nominal = st.builds(subset, st.just(2), st.sampled_from([[0], [1, 2], [0, 2]]), nodes, nodes)
    return numeric | nominal | st.builds(multiway, st.just(2), nodes, nodes, nodes)


def trees(max_leaves: int = 20):
    """Trees over FEATURES for the classes no and yes."""
    return st.recursive(_leaves, _inner, max_leaves=max_leaves).map(
        lambda root: plant(root, FEATURES, ["no", "yes"])
    )
