"""Graphs as text and sentences."""

from __future__ import annotations

from show.hand_graphs import below, shared_graph
from strategies import at_most, leaf, schema_of, tree_of

import sightline as sl


def test_shared_tests_are_written_once_and_referred_to():
    assert shared_graph().to_text().splitlines() == [
        "Graph with 5 nodes and depth 3; tests 3 of 3 features; as a tree it has 5 leaves",
        "Predicts class 0 or class 1; trained on 5 rows",
        "",
        "├─ f0 <= 1",
        "│  ├─ f2 <= 3 [1]",
        "│  │  ├─ f1 <= 2: class 0",
        "│  │  └─ f1 > 2: class 1",
        "│  └─ f2 > 3: class 0",
        "└─ f0 > 1: see [1]",
    ]


def test_one_leaf():
    graph = tree_of(leaf(1, 0), schema_of([0])).to_graph()
    assert graph.to_text().splitlines()[-1] == "class 0"


def test_sentences_tell_the_way_that_the_row_took():
    graph = shared_graph()
    assert str(graph.explain([2.0, 3.0, 0.0])) == (
        "Predicted class 1.\nBecause f0 > 1 (yours: 2) and f1 > 2 (yours: 3)."
    )


def test_a_merged_model_says_what_is_proved():
    merged = sl.merge(shared_graph_tree(), to="graph", missing=["f0"])
    assert str(merged.explain([2.0, 3.0, 0.0])).endswith(
        "provably predicts the same for every row that takes this path and has missing values only in f0."
    )
    assert str(merged.explain([2.0, None, 0.0])).endswith(
        "There is no proof that the ensemble predicts the same for every row that takes this path."
    )


def shared_graph_tree() -> sl.Tree:
    return tree_of(at_most(0, 1.0, leaf(1, 0), below(), shares=[0, 1]), schema_of([0, 0, 0]))


def test_whether_a_value_is_missing_is_an_answer():
    tree = tree_of(at_most(0, 1.0, leaf(3, 1), leaf(0, 1), shares=[0.5, 0.5]), schema_of([0]))
    merged = sl.merge(tree)
    assert str(merged.explain([None])).splitlines()[:2] == ["Predicted class 0.", "Because f0 has no value."]
    assert "f0 has a value" in merged.to_text()
    assert str(merged.explain([0.5])).splitlines()[1] == "Because f0 <= 1 (yours: 0.5)."
