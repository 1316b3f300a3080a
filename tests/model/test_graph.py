"""The graph: building, sharing, predicting, storing."""

from __future__ import annotations

import json
import pickle
import random
import re

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import (
    at_most,
    drawn_trees,
    leaf,
    node_arrays,
    random_table,
    schema_of,
    tables,
    tree_of,
)

import sightline as sl
from sightline import _core
from sightline.model._format import parse_model

SCHEMA = schema_of([0, 0])


def diamond_arrays() -> dict:
    """x0 <= 0 ? (x1 <= 0 ? a : b) : (x1 <= 5 ? b : a), with both leaves shared."""
    return {
        "test": np.array([1, 1, 1, 0, 0], dtype=np.uint8),
        "feature": np.array([0, 1, 1, -1, -1], dtype=np.int32),
        "threshold": np.array([0.0, 0.0, 5.0, 0.0, 0.0]),
        "branch_begin": np.array([0, 2, 4, 6, 6, 6], dtype=np.int64),
        "child": np.array([1, 2, 3, 4, 4, 3], dtype=np.int32),
        "share": np.array([0.25, 0.75, 1.0, 0.0, 0.5, 0.5]),
        "category_begin": np.zeros(6, dtype=np.int64),
        "category": np.empty(0, dtype=np.int32),
        "weight": np.ones(5),
        "output": np.array([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5], [1, 0], [0, 1]], dtype=float).ravel(),
        "counts": np.empty(0),
    }


def diamond() -> sl.Graph:
    core = _core.Graph(n_values=[0, 0], n_outputs=2, **diamond_arrays())
    return sl.Graph(core, SCHEMA, np.array(["a", "b"]))


def test_a_diamond_by_hand():
    graph = diamond()
    assert graph.size_ == {
        "nodes": 5,
        "leaves": 2,
        "depth": 2,
        "rules": 4,
        "conditions": 8,
        "features": 2,
    }
    assert graph.n_tests == 3
    assert graph.predict([[0.0, 0.0], [0.0, 1.0], [1.0, 5.0], [1.0, 6.0]]).tolist() == ["a", "b", "b", "a"]
    # Missing x0: a quarter goes to the left, where x1 = 0 gives a, the rest to the right, which says b.
    assert graph.predict_proba([[None, 0.0]]).tolist() == [[0.25, 0.75]]
    assert graph.apply([[None, 6.0]]).tolist() == graph.apply([[1.0, 6.0]]).tolist()
    assert repr(graph) == "Graph(5 nodes, depth 2, 2 features)"


@given(drawn_trees())
@settings(max_examples=150)
def test_sharing_changes_no_answer(drawn):
    schema, root = drawn
    tree = tree_of(root, schema)
    graph = tree.to_graph()
    assert graph.n_nodes <= tree.n_nodes
    assert graph.n_paths == tree.n_leaves
    assert graph.size_["conditions"] == tree.size_["conditions"]
    assert graph.depth == tree.depth
    rows = random_table(random.Random(0), schema, 30, missing=0.3)
    np.testing.assert_allclose(graph.predict_proba(rows), tree.predict_proba(rows), rtol=0, atol=1e-15)
    assert np.isclose(graph.core.weight[0], tree.core.weight[0])


@given(drawn_trees())
@settings(max_examples=80)
def test_equal_subtrees_are_one(drawn):
    """No two nodes of a graph have the same test, shares, output and children."""
    schema, root = drawn
    core = tree_of(root, schema).to_graph().core
    seen = set()
    for v in range(core.n_nodes):
        branches = slice(*core.branch_begin[v : v + 2])
        what = tuple(core.output[v]) if core.test[v] == 0 else ()
        key = (
            int(core.test[v]),
            int(core.feature[v]),
            float(core.threshold[v]),
            tuple(core.child[branches]),
            tuple(core.share[branches]),
            tuple(core.category[slice(*core.category_begin[v : v + 2])]),
            what,
        )
        assert key not in seen
        seen.add(key)
        assert (core.child[branches] > v).all()


@given(tables(SCHEMA))
def test_stored_and_pickled_graphs_are_the_same(rows):
    graph = diamond()
    text = graph.to_json()
    again = parse_model(text, "here")
    assert isinstance(again, sl.Graph)
    assert again.to_json() == text
    assert (pickle.loads(pickle.dumps(graph)).predict(rows) == graph.predict(rows)).all()


def test_nodes_in_any_order_give_the_same_bytes():
    arrays = node_arrays(at_most(0, 0.0, leaf(1, 0), at_most(1, 1.0, leaf(1, 0), leaf(0, 1))))
    graph = sl.Graph(_core.Graph(n_values=[0, 0], n_outputs=2, **arrays), SCHEMA, None)
    shuffled = node_arrays(
        at_most(0, 0.0, leaf(1, 0), at_most(1, 1.0, leaf(1, 0), leaf(0, 1))), order=[0, 3, 2, 4, 1]
    )
    other = sl.Graph(_core.Graph(n_values=[0, 0], n_outputs=2, **shuffled), SCHEMA, None)
    assert graph.to_json() == other.to_json()


@pytest.mark.parametrize(
    ("array", "place", "value", "message"),
    [
        ("child", 2, 0, "node 1: child 0 leads back to it: there is a cycle"),
        ("child", 2, 1, "node 1: child 1 leads back to it: there is a cycle"),
        ("child", 2, 9, "node 1: child 9 does not exist (the graph has 5 nodes)"),
        ("child", 2, -1, "node 1: child -1 does not exist (the graph has 5 nodes)"),
        ("child", 0, 2, "node 1: it cannot be reached from the root"),
        ("threshold", 0, np.nan, "node 0: the threshold is not a finite number"),
    ],
)
def test_what_is_no_graph(array, place, value, message):
    arrays = diamond_arrays()
    arrays[array][place] = value
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        _core.Graph(n_values=[0, 0], n_outputs=2, **arrays)


def test_a_damaged_file_names_the_place():
    document = json.loads(diamond().to_json())
    document["graph"]["child"][2] = 0
    with pytest.raises(sl.ModelFormatError) as caught:
        parse_model(json.dumps(document), "graph.json")
    assert str(caught.value) == "graph.json: node 1: child 0 leads back to it: there is a cycle."


def test_paths_beyond_counting_cost_nothing():
    """200 diamonds in a row: 2^200 paths, of which a row with missing values takes all."""
    n = 200
    test = np.array([1, 1, 1] * n + [0], dtype=np.uint8)
    children = []
    for i in range(n):
        top, nxt = 3 * i, 3 * (i + 1)
        children += [top + 1, top + 2, nxt, nxt, nxt, nxt]
    core = _core.Graph(
        n_values=[0],
        n_outputs=2,
        test=test,
        feature=np.array([0] * (3 * n) + [-1], dtype=np.int32),
        threshold=np.arange(3 * n + 1, dtype=float),
        branch_begin=np.minimum(np.arange(3 * n + 2) * 2, 6 * n).astype(np.int64),
        child=np.array(children, dtype=np.int32),
        share=np.full(6 * n, 0.5),
        category_begin=np.zeros(3 * n + 2, dtype=np.int64),
        category=np.empty(0, dtype=np.int32),
        weight=np.ones(3 * n + 1),
        output=np.tile([0.25, 0.75], 3 * n + 1),
        counts=np.empty(0),
    )
    graph = sl.Graph(core, schema_of([0]), np.array(["a", "b"]))
    assert graph.n_paths == 4.0**n
    assert graph.predict_proba([[None]]).tolist() == [[0.25, 0.75]]
    assert str(graph.explain([None])).startswith("Predicted b")
    assert len(graph.to_text().splitlines()) < 6 * n + 10
    assert sl.certify(graph, graph, max_nodes=2_000).equivalent in (True, None)


def test_rows_are_counted_at_the_nodes():
    graph = diamond().with_rows([[0.0, 0.0], [1.0, 0.0], [None, 0.0]])
    assert graph.core.weight.tolist() == [
        3.0,
        1.25,
        1.75,
        1.75 if graph.label(3) == "b" else 1.25,
        1.25 if graph.label(3) == "b" else 1.75,
    ]
