"""A graph that shares tests, small enough to read."""

from __future__ import annotations

from strategies import Node, at_most, leaf, schema_of, tree_of

import sightline as sl


def below() -> Node:
    return at_most(1, 2.0, leaf(1, 0), leaf(0, 1), shares=[1, 0])


def shared_graph() -> sl.Graph:
    root = at_most(0, 1.0, at_most(2, 3.0, below(), leaf(1, 0), shares=[1, 0]), below(), shares=[0, 1])
    return tree_of(root, schema_of([0, 0, 0])).to_graph()
