"""Graphs as drawings: one box per test, none over another."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from show.hand_graphs import shared_graph
from strategies import ensembles

import sightline as sl
from sightline.exceptions import ParameterError
from sightline.show import to_html, to_svg
from sightline.show.drawing._graph_layout import lay_out_graph


@given(ensembles())
@settings(max_examples=40)
def test_no_two_boxes_overlap_and_every_branch_is_drawn(ensemble):
    graph = sl.merge(ensemble, to="graph", max_nodes=400)
    layout = lay_out_graph(graph, max_leaves_shown=None)
    tests = [box.node for box in layout.boxes if box.kind == "test"]
    assert len(set(tests)) == len(tests) == graph.n_nodes - graph.n_leaves
    assert len(layout.edges) == len(graph.core.child)
    for one, other in combinations(layout.boxes, 2):
        apart = (
            one.x + one.width <= other.x
            or other.x + other.width <= one.x
            or one.y + one.height <= other.y
            or other.y + other.height <= one.y
        )
        assert apart
    assert all(box.x >= 0 and box.x + box.width <= layout.width for box in layout.boxes)
    assert all(box.y >= 0 and box.y + box.height <= layout.height for box in layout.boxes)


def test_a_shared_test_has_two_lines_to_it_and_long_lines_pass_the_levels_between():
    layout = lay_out_graph(shared_graph())
    shared = next(i for i, box in enumerate(layout.boxes) if box.title == "f1 <= 2")
    lines = [edge for edge in layout.edges if edge.child == shared]
    assert len(lines) == 2
    assert sorted(len(edge.via) for edge in lines) == [0, 2]


def test_large_graphs_are_folded():
    layout = lay_out_graph(shared_graph(), max_leaves_shown=2)
    assert layout.caption == ("2 of 3 tests shown; the others are folded.",)
    assert [box.kind for box in layout.boxes].count("folded") == 1


def test_svg_html_and_plot():
    graph = shared_graph()
    assert to_svg(graph).startswith("<svg ")
    assert to_html(graph).startswith("<div ")
    assert "Decision graph with 5 nodes" in to_svg(graph)
    assert graph.plot().get_title() == ""


def test_graphs_grow_to_the_right_only():
    with pytest.raises(sl.ParameterError) as caught:
        shared_graph().plot(direction="down")
    assert str(caught.value) == ("The 'direction' parameter of a graph must be 'right'. Got 'down' instead.")


def test_lines_over_too_many_levels_are_refused(monkeypatch):
    monkeypatch.setattr("sightline.show.drawing._graph_layout._MAX_POINTS", 3)
    with pytest.raises(ParameterError) as error:
        lay_out_graph(shared_graph(), max_leaves_shown=None)
    assert str(error.value) == (
        "The edges of this graph would cross 7 levels, more than 3. "
        "Draw a part of it with max_leaves_shown, such as 1000."
    )
