from dataclasses import replace

import pytest
from show.hand_trees import leaf, multiway, plant, subset, threshold

from sightline.exceptions import ParameterError
from sightline.show._node_wording import NodeWording
from sightline.table import Feature

COLOURS = Feature("colour", ("red", "green", "blue", "grey", "pink"))


def subset_tree(codes):
    return plant(subset(0, codes, leaf(1, 0), leaf(0, 1)), [COLOURS], ["a", "b"])


@pytest.mark.parametrize(
    ("codes", "yes", "no"),
    [
        ([0], "colour = red", "colour != red"),
        ([0, 2], "colour is one of red, blue", "colour is none of red, blue"),
        ([0, 1, 2], "colour is none of grey, pink", "colour is one of grey, pink"),
        ([0, 1, 2, 3], "colour != pink", "colour = pink"),
    ],
)
def test_subsets_are_named_by_the_shorter_side(codes, yes, no):
    wording = NodeWording(subset_tree(codes))
    assert [wording.branch(0, 0), wording.branch(0, 1)] == [yes, no]


def test_missing_values_do_not_read_as_one_of_the_excluded_values():
    colours = replace(COLOURS, complete=False)
    tree = plant(subset(0, [0, 2], leaf(1, 0), leaf(0, 1), shares=[0.0, 1.0]), [colours], ["a", "b"])
    assert NodeWording(tree).way(0, 1) == "colour is missing or none of red, blue"
    assert "└─ colour is missing or none of red, blue: b" in tree.to_text()


def test_two_values_are_named_themselves():
    tree = plant(subset(0, [0], leaf(1, 0), leaf(0, 1)), [Feature("smoker", ("yes", "no"))], ["a", "b"])
    assert [NodeWording(tree).branch(0, i) for i in (0, 1)] == ["smoker = yes", "smoker = no"]


def test_long_lists_say_how_many_more():
    feature = Feature("code", tuple(f"c{i}" for i in range(100)))
    tree = plant(subset(0, list(range(40)), leaf(1, 0), leaf(0, 1)), [feature], ["a", "b"])
    assert NodeWording(tree).branch(0, 0).endswith("c10, c11 and 28 more")
    assert NodeWording(tree).brief().branch(0, 0) == "code is one of c0, c1, c2 and 37 more"


def test_thresholds_of_one_feature_never_look_alike():
    tree = plant(
        threshold(
            0,
            1.00000001,
            threshold(0, 1.0, leaf(1, 0), leaf(0, 1)),
            threshold(1, 1.00000001, leaf(1, 0), leaf(0, 1)),
        ),
        [Feature("x"), Feature("y")],
        ["a", "b"],
    )
    wording = NodeWording(tree)
    assert wording.branch(0, 0) == "x <= 1.00000001"
    assert wording.branch(1, 1) == "x > 1"
    assert wording.branch(4, 0) == "y <= 1"


def test_values_of_the_row_differ_from_thresholds():
    tree = plant(threshold(0, 30.00000049, leaf(1, 0), leaf(0, 1)), [Feature("age")], ["a", "b"])
    wording = NodeWording(tree, row={0: 30.0000001})
    assert wording.branch(0, 0) == "age <= 30.0000005"
    assert wording.number(0, 30.0000001) == "30.0000001"


def test_multiway_asks_for_the_name_and_answers_with_values():
    tree = plant(multiway(0, *[leaf(1, 0) for _ in range(5)]), [COLOURS], ["a", "b"])
    wording = NodeWording(tree)
    assert (wording.question(0), wording.answer(0, 3), wording.branch(0, 3)) == (
        "colour",
        "grey",
        "colour = grey",
    )


def test_odd_names_are_quoted():
    tree = plant(
        multiway(0, leaf(1, 0), leaf(0, 1), leaf(0, 1)), [Feature(" f", ("", "a, b", "c"))], ["", "b\n"]
    )
    wording = NodeWording(tree)
    assert [wording.branch(0, i) for i in range(3)] == ['" f" = ""', '" f" = "a, b"', '" f" = c']
    assert [wording.label(1), wording.label(2)] == ['""', r"b\n"]


def test_intervals():
    wording = NodeWording(plant(threshold(0, 3.0, leaf(1, 0), leaf(0, 1)), [Feature("x")], ["a", "b"]))
    inf = float("inf")
    assert [wording.interval(0, *ends) for ends in ((-inf, 3), (3, inf), (1, 3))] == [
        "x <= 3",
        "x > 3",
        "1 < x <= 3",
    ]


def test_digits_must_be_positive():
    with pytest.raises(ParameterError, match=r"The 'digits' parameter must be at least 1\. Got 0 instead\."):
        NodeWording(subset_tree([0]), digits=0)
