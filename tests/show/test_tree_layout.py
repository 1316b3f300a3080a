import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from show.hand_trees import balanced, leaf, multiway, number, plant, threshold
from show.tree_strategies import trees

from sightline.exceptions import ParameterError
from sightline.model import LEAF, LeafLines
from sightline.show._example import credit_tree
from sightline.show.drawing._layout import text_width
from sightline.show.drawing._palette import class_color, number_color
from sightline.show.drawing._tree_layout import lay_out
from sightline.table import Feature


def overlap(first, second):
    return (
        first.x < second.x + second.width
        and second.x < first.x + first.width
        and first.y < second.y + second.height
        and second.y < first.y + first.height
    )


@given(trees(), st.sampled_from(["down", "right"]), st.integers(1, 30))
def test_boxes_never_overlap_and_stay_inside(tree, direction, max_leaves):
    layout = lay_out(tree, direction=direction, max_leaves_shown=max_leaves)
    for i, box in enumerate(layout.boxes):
        assert not any(overlap(box, other) for other in layout.boxes[i + 1 :])
        assert box.x >= 0
        assert box.y >= 0
        assert box.x + box.width <= layout.width
        assert box.y + box.height <= layout.height
    assert len(layout.edges) == len(layout.boxes) - 1


def test_what_boxes_and_edges_say():
    layout = lay_out(credit_tree())
    assert [(box.kind, box.title, box.detail) for box in layout.boxes] == [
        ("test", "age <= 30", "100 rows"),
        ("test", "income <= 2000", "40 rows"),
        ("leaf", "bad", "80% of 25 rows"),
        ("leaf", "good", "60% of 15 rows"),
        ("test", "purpose is one of car, holiday", "60 rows"),
        ("leaf", "good", "75% of 20 rows"),
        ("leaf", "good", "95% of 40 rows"),
    ]
    assert [edge.text for edge in layout.edges] == ["yes", "yes", "no", "no", "yes", "no"]
    assert [line.text for line in layout.boxes[4].lines] == ["purpose", "is one of car, holiday?", "60 rows"]
    assert layout.edges[0].full_text == "age <= 30"
    assert layout.edges[0].share == pytest.approx(0.4)
    assert layout.boxes[2].bar == ((0.8, class_color(0)), (0.2, class_color(1)))
    assert [box.color for box in layout.boxes[2:4]] == [class_color(0), class_color(1)]
    assert [entry.name for entry in layout.legend] == ["bad", "good"]
    assert layout.caption == ()


def test_folded_parts_are_counted():
    layout = lay_out(balanced(12))
    folded = [box for box in layout.boxes if box.kind == "folded"]
    assert sum(int(re.search(r"… ([\d,]+) more", box.title)[1]) for box in folded) == 4096
    assert layout.caption == ("0 of 4,096 leaves shown; 4,096 are folded into 64 parts.",)


def test_multiway_edges_carry_the_values():
    tree = plant(multiway(0, leaf(3, 1), leaf(0, 0)), [Feature("colour", ("red", "x" * 500))], ["a", "b"])
    layout = lay_out(tree)
    red, long = (edge.label for edge in layout.edges)
    assert red == ("red",)
    assert len(long) == 3
    assert set("".join(long)) == {"x", "…"}
    assert layout.edges[1].full_text == "colour = " + "x" * 500
    assert layout.boxes[2].detail == "no training rows"


def test_direction_follows_the_size():
    assert lay_out(credit_tree()).direction == "down"
    assert lay_out(balanced(4)).direction == "right"
    with pytest.raises(
        ParameterError, match=r"The 'direction' parameter must be 'down' or 'right'. Got 'up'"
    ):
        lay_out(credit_tree(), direction="up")


def test_max_leaves_shown_must_be_positive():
    message = "The 'max_leaves_shown' parameter must be None or at least 1. Got 0 instead."
    with pytest.raises(ParameterError, match=re.escape(message)):
        lay_out(credit_tree(), max_leaves_shown=0)


def test_numbers_have_a_scale():
    layout = lay_out(plant(threshold(0, 1, number(2.5, 10), number(-1, 20)), [Feature("x")], None))
    scale = [(number_color(0.0), "lowest: -1"), (number_color(1.0), "highest: 2.5")]
    assert [(entry.color, entry.name) for entry in layout.legend] == scale
    assert [box.title for box in layout.boxes] == ["x <= 1", "2.5", "-1"]
    assert [box.bar for box in layout.boxes] == [(), ((1.0, number_color(1.0)),), ((0.0, number_color(0.0)),)]


def test_a_single_number_needs_no_scale():
    layout = lay_out(plant(number(2.5, 10), [Feature("x")], None))
    assert layout.legend == ()
    assert layout.boxes[0].color == number_color(1.0)


def test_folded_numbers_are_a_range():
    root = threshold(0, 1, threshold(0, 0, number(12345.5, 10), number(-1, 20)), number(7, 5))
    tree = plant(root, [Feature("x")], None)
    folded = lay_out(tree, max_depth=1).boxes[1]
    assert (folded.title, folded.detail) == ("… 2 more leaves", "-1 to 12,345.5, 30 rows")
    assert "… 2 more leaves, -1 to 12,345.5 (30 rows)" in tree.to_text(max_depth=1)


def lined_tree():
    """Six leaves, each with a line of the second feature."""
    root = number(1005, 5)
    for k in range(5):
        root = threshold(0, k, number(1000 + k, 5), root)
    tree = plant(root, [Feature("x"), Feature("sum insured in thousands")], None)
    is_leaf = tree.core.test == LEAF
    output = tree.core.output[:, 0]
    n_lines = int(is_leaf.sum())
    return tree.with_lines(
        LeafLines(
            np.append(0, np.cumsum(is_leaf)),
            np.ones(n_lines, dtype=np.int32),
            np.full(n_lines, 0.5),
            np.full(n_lines, 10.0),
            output - 3,
            output + 3,
        )
    )


def test_lines_are_drawn_beside_their_means():
    tree = lined_tree()
    layout = lay_out(tree)
    leaf = next(box for box in layout.boxes if box.kind == "leaf")
    assert leaf.title.endswith(" × sum insured in thousands")
    assert leaf.detail.startswith("mean 1,0")
    assert layout.legend[0].name.startswith("lowest mean: 1,0")


def test_many_classes_are_cut_in_the_legend():
    tree = plant(leaf(*range(30)), [Feature("x")], [f"class {i}" for i in range(30)])
    assert lay_out(tree).legend[-1].name == "and 19 more"


def test_names_wrap_and_are_not_cut():
    name = "installment_commitment_of_the_last_12_months"
    tree = plant(threshold(0, 12345, leaf(1, 0), leaf(0, 1)), [Feature(name)], ["a", "b"])
    box = lay_out(tree).boxes[0]
    titles = [line.text for line in box.lines if line.style == "title"]
    assert len(titles) > 1
    assert "".join(titles) == name
    assert max(line.width for line in box.lines) <= box.width
    assert [line.text for line in box.lines if line.style == "detail"] == ["12345 or less? · 2 rows"]


def test_endless_names_end_in_an_ellipsis():
    tree = plant(threshold(0, 12345, leaf(1, 0), leaf(0, 1)), [Feature("n" * 500)], ["a", "b"])
    box = lay_out(tree).boxes[0]
    assert [line.text for line in box.lines if line.style == "title"][-1].endswith("n…")
    assert box.full_text.startswith("n" * 500 + " <= 12345: 2 rows")


def test_wide_characters_are_wider():
    assert text_width("漢字") > text_width("ab")
    assert text_width("e\u0301") == text_width("e")


@pytest.mark.parametrize("direction", ["down", "right"])
def test_labels_of_neighbours_never_overlap(direction):
    values = tuple(f"{letter * 40}" for letter in "mwmn漢W@") + tuple("abc")
    values = tuple(f"{value}{place}" for place, value in enumerate(values))
    tree = plant(multiway(0, *[leaf(1, 0) for _ in values]), [Feature("colour", values)], ["a", "b"])
    edges = lay_out(tree, direction=direction).edges
    for first, second in pairwise(edges):
        if direction == "down":
            widths = [max(text_width(line, 12) for line in edge.label) for edge in (first, second)]
            half_widths = sum(widths) / 2
            assert second.label_at[0] - first.label_at[0] > half_widths
        else:
            assert second.label_at[1] - first.label_at[1] > 9 * (len(first.label) + len(second.label))
