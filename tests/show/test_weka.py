import pytest
from show.hand_trees import chain, leaf, multiway, parse_weka, plant, subset, threshold

from sightline.model import ANY_NUMBER
from sightline.show.nodes._weka import java_double, six_decimals, two_decimals
from sightline.table import Feature


def test_reference_files_come_back_byte_for_byte(weka_files):
    assert len(weka_files) == 7
    for path in weka_files:
        text = path.read_text()
        is_binary = "-B" in path.stem
        assert (
            parse_weka(text).to_text(style="weka", title=text.partition("\n")[0], binary_thresholds=is_binary)
            == text
        )


def test_a_tree_written_by_hand():
    tree = plant(
        threshold(
            0,
            2.5,
            leaf(13.0, 2.27),
            multiway(1, leaf(0, 3.0), leaf(0, 0, output=[0.0, 1.0]), leaf(4.0, 1.004)),
        ),
        [Feature("wage"), Feature("pension", ("none", "some", "full"))],
        ["bad", "good"],
    )
    assert tree.to_text(style="weka") == (
        "J48 pruned tree\n------------------\n\n"
        "wage <= 2.5: bad (15.27/2.27)\n"
        "wage > 2.5\n"
        "|   pension = none: good (3.0)\n"
        "|   pension = some: good (0.0)\n"
        "|   pension = full: bad (5.0/1.0)\n"
        "\nNumber of Leaves  : \t4\n\nSize of the tree : \t6\n\n"
    )


def test_a_test_for_a_missing_value():
    tree = plant(threshold(0, ANY_NUMBER, leaf(2, 0), leaf(0, 1), shares=[0, 1]), FEATURES, ["a", "b"])
    assert "x has a value: a (2.0)\nx has no value: b (1.0)\n" in tree.to_text(style="weka")


def test_thresholds_are_full_where_there_is_a_subset_test():
    binary = plant(threshold(0, 40, subset(1, [0], leaf(1, 0), leaf(0, 1)), leaf(0, 1)), FEATURES, ["a", "b"])
    assert "x <= 40.0\n|   y = u: a (1.0)\n|   y != u: b (1.0)\nx > 40.0: b (1.0)" in binary.to_text(
        style="weka"
    )
    assert "x <= 40\n" in binary.to_text(style="weka", binary_thresholds=False)
    numeric = plant(threshold(0, 40, leaf(1, 0), leaf(0, 1)), FEATURES, ["a", "b"])
    assert "x <= 40: a" in numeric.to_text(style="weka")


FEATURES = [Feature("x"), Feature("y", ("u", "v", "w"))]


def test_a_lone_leaf_and_a_title():
    text = plant(leaf(312, 228), FEATURES, ["no", "yes"]).to_text(style="weka", title="J48 unpruned tree")
    assert text.startswith(
        "J48 unpruned tree\n------------------\n: no (540.0/228.0)\n\nNumber of Leaves  : \t1\n"
    )


def test_errors_below_the_tolerance_are_none():
    tree = plant(threshold(0, 1, leaf(2, 5e-7), leaf(2.03, 0.001)), FEATURES, ["a", "b"])
    assert "x <= 1: a (2.0)\nx > 1: a (2.03/0.0)\n" in tree.to_text(style="weka")


def test_unknown_counts_fall_back_on_the_weight():
    tree = plant(threshold(0, 1, leaf(2, 1), leaf(0, 3)), FEATURES, ["a", "b"], with_counts=False)
    assert "x <= 1: a (3.0)\nx > 1: b (3.0)\n" in tree.to_text(style="weka")


def test_names_cannot_steer_the_terminal():
    tree = plant(threshold(0, 1, leaf(1, 0), leaf(0, 1)), [Feature("\x1b[31mx\n")], ["a\x07", "b"])
    assert "\\x1b[31mx\\n <= 1: a\\x07 (1.0)\n" in tree.to_text(style="weka")


@pytest.mark.thorough
def test_depth_does_not_blow_up_the_text():
    text = chain(100_000).to_text(style="weka")
    assert text.count("\n") == 200_000 + 2 + 6
    assert len(text) < 10_000_000


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (40.0, "40.0"),
        (0.5609999, "0.5609999"),
        (1e-3, "0.001"),
        (9.99e-4, "9.99E-4"),
        (1e-4, "1.0E-4"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (-12345678.5, "-1.23456785E7"),
        (2e22, "2.0E22"),
        (0.0, "0.0"),
        (float("inf"), "Infinity"),
    ],
)
def test_java_double(value, expected):
    assert java_double(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2.5, "2.5"),
        (10.0, "10"),
        (-5.0, "-5"),
        (-2.219236, "-2.219236"),
        (0.0000005, "0.000001"),
        (-0.0000004, "0"),
        (100.0, "100"),
        (0.1234567, "0.123457"),
        (1e14, "1.0E14"),
    ],
)
def test_six_decimals(value, expected):
    assert six_decimals(value) == expected


def test_two_decimals_round_up_from_the_middle():
    assert [two_decimals(value) for value in (0.125, 2.675, 1.0, 4395)] == ["0.13", "2.68", "1.0", "4395.0"]
