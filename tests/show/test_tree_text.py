import re

import pytest
from cases import thorough_after
from hypothesis import given
from show.hand_trees import balanced, chain, leaf, multiway, number, plant, threshold
from show.tree_strategies import trees

from sightline.exceptions import ParameterError
from sightline.show import to_text
from sightline.show._example import credit_tree
from sightline.table import Feature


def test_golden(golden):
    golden("credit.txt", to_text(credit_tree()))
    golden("credit_folded.txt", credit_tree().to_text(max_depth=1))


def test_multiway_with_an_empty_branch():
    tree = plant(
        multiway(0, leaf(3, 1), leaf(0, 0), leaf(0, 1)),
        [Feature("colour", ("red", "green", "blue"))],
        ["a", "b"],
    )
    assert to_text(tree).splitlines()[3:] == [
        "├─ colour = red: a (75% of 4 rows)",
        "├─ colour = green: a (no training rows)",
        "└─ colour = blue: b (100% of 1 row)",
    ]


def test_numbers_instead_of_classes():
    tree = plant(threshold(0, 1, number(2.5, 10), number(-1, 20)), [Feature("x")], None)
    assert to_text(tree).splitlines() == [
        "Tree with 2 leaves and depth 1; tests 1 of 1 feature",
        "Predicts a number; trained on 30 rows",
        "",
        "├─ x <= 1: 2.5 (10 rows)",
        "└─ x > 1: -1 (20 rows)",
    ]


def test_a_lone_leaf():
    assert to_text(plant(leaf(3, 1), [Feature("x")], ["a", "b"])).splitlines()[2:] == [
        "",
        "a (75% of 4 rows)",
    ]


@given(trees())
def test_every_leaf_has_one_line_and_every_node_at_most_one(tree):
    lines = to_text(tree).splitlines()[3:]
    assert len(lines) == max(tree.n_nodes - 1, 1)
    assert sum(bool(re.search(r": (no|yes) \(", line)) for line in lines) == (
        tree.n_leaves if tree.depth else 0
    )


@given(trees())
def test_folding_loses_no_leaf(tree):
    text = tree.to_text(max_depth=1)
    hidden = sum(int(n) for n in re.findall(r"… (\d+) more leaves", text))
    assert hidden + len(re.findall(r": (?:no|yes) \(", text)) == (tree.n_leaves if tree.depth else 0)


@pytest.mark.parametrize("depth", thorough_after(1, [20_000, 100_000]))
def test_depth_does_not_blow_up_the_text(depth):
    text = to_text(chain(depth))
    assert text.count("\n") == 2 * depth + 3
    assert len(text) < 100 * depth
    assert f"[level {depth:,}] x > {2 * depth - 2}: no (50% of 2 rows)" in text


@pytest.mark.thorough
def test_a_hundred_thousand_leaves():
    assert to_text(balanced(17)).count("\n") == 2**18 - 2 + 3


def test_hostile_names_stay_on_their_line():
    tree = plant(threshold(0, 1, leaf(1, 0), leaf(0, 1)), [Feature("a\r\n\x1b]0;owned\x07")], ["<b>", "😀"])
    assert to_text(tree).splitlines()[3:] == [
        r'├─ a\r\n\x1b]0;owned\x07 <= 1: "<b>" (100% of 1 row)',
        r"└─ a\r\n\x1b]0;owned\x07 > 1: 😀 (100% of 1 row)",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"style": "c45"}, "The 'style' parameter must be 'sightline' or 'weka'. Got 'c45' instead."),
        (
            {"style": "weka", "max_depth": 2},
            "The 'max_depth' parameter must be None for style='weka', which cannot fold nodes.",
        ),
        ({"max_depth": -1}, "The 'max_depth' parameter must be None or at least 0. Got -1 instead."),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ParameterError, match=re.escape(message)):
        credit_tree().to_text(**options)


def test_unknown_models_are_named():
    shown = "FidelityCurve, Graph, NeighbourEnsemble, RuleSet, StumpTable, Tree"
    kinds = f"BlackBox, CaseBase, CaseExplanation, Ensemble, Explanation, Explanations, {shown}"
    message = f"sightline has no display for a value of type dict. Supported: {kinds}."
    with pytest.raises(TypeError, match=message):
        to_text({})
