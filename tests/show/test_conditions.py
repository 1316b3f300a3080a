import math
import time

from show.hand_trees import leaf, multiway, plant, subset, threshold

from sightline.model import ANY_NUMBER
from sightline.show._conditions import Conditions
from sightline.show._node_wording import NodeWording
from sightline.table import Feature

FEATURES = [Feature("age"), Feature("colour", ("red", "green", "blue", "grey", "pink"))]


def path_of(root, branches):
    tree = plant(root, FEATURES, ["a", "b"])
    conditions = Conditions(NodeWording(tree))
    node = 0
    for branch in branches:
        conditions.add(node, branch)
        node = int(tree.children(node)[branch])
    return conditions


def ends():
    return leaf(1, 0), leaf(0, 1)


def test_implied_thresholds_are_merged():
    def root():
        return threshold(0, 50, threshold(0, 30, threshold(0, 20, *ends()), leaf(1, 0)), leaf(0, 1))

    assert path_of(root(), [0, 0]).strings() == ["age <= 30"]
    assert path_of(root(), [0, 0, 1]).strings() == ["20 < age <= 30"]
    assert path_of(root(), [1]).strings() == ["age > 50"]


def test_only_a_missing_value_is_between_equal_thresholds():
    below = threshold(0, ANY_NUMBER, *ends(), shares=[0, 1])
    for inner in (threshold(0, 50, *ends(), shares=[0, 1]), below):
        conditions = path_of(threshold(0, 50, inner, leaf(0, 1), shares=[1, 0]), [0, 1])
        assert conditions.strings([math.nan, 0.0]) == ["age has no value"]
        assert conditions.is_missing(0)
        assert conditions.bounds(0) == (None, None)
    known = path_of(threshold(0, ANY_NUMBER, *ends(), shares=[0, 1]), [0])
    assert known.strings() == ["age has a value"]
    assert not known.is_missing(0)
    assert known.bounds(0) == (None, None)


def test_sets_of_values_are_intersected():
    root = subset(1, [0, 1, 2], threshold(0, 5, subset(1, [0, 4], *ends()), leaf(1, 0)), leaf(0, 1))
    assert path_of(root, [0, 0, 0]).strings() == ["colour = red", "age <= 5"]
    assert path_of(root, [0, 0, 1]).strings() == ["colour is one of green, blue", "age <= 5"]


def test_multiway_after_a_subset():
    root = subset(1, [0, 1], multiway(1, *[leaf(1, 0) for _ in range(5)]), leaf(0, 1))
    assert path_of(root, [0, 1]).strings() == ["colour = green"]


def test_the_rows_own_values_are_added_where_they_say_more():
    root = subset(1, [0, 1], threshold(0, 5, *ends()), leaf(0, 1))
    conditions = path_of(root, [0, 1])
    assert conditions.strings([7.0, 1.0]) == [
        "colour is one of red, green (yours: green)",
        "age > 5 (yours: 7)",
    ]
    assert conditions.strings([math.nan, 1.0])[1] == "age > 5"


def test_a_branch_for_each_of_20000_values_takes_time_linear_in_them():
    n_values = 20_000
    root = multiway(0, *(leaf(i % 2, 1 - i % 2) for i in range(n_values)))
    city = Feature("city", tuple(f"c{i}" for i in range(n_values)))
    wording = NodeWording(plant(root, [city], ["a", "b"]))
    before = time.process_time()
    texts = [Conditions(wording, [(0, branch)]).strings() for branch in range(n_values)]
    # Listing all values at every branch took more than ten times as long.
    assert time.process_time() - before < 3
    assert texts[:2] == [["city = c0"], ["city = c1"]]


def test_a_copy_is_narrowed_alone():
    root = threshold(
        0, 5.0, leaf(1, 0), subset(1, [0, 1], leaf(1, 0), subset(1, [0], leaf(0, 1), leaf(1, 0)))
    )
    tree = plant(root, FEATURES, ["a", "b"])
    above = Conditions(NodeWording(tree), [(0, 1), (2, 0)])
    below = above.copy()
    below.add(0, 0)
    below.add(4, 0)
    assert above.strings() == ["age > 5", "colour is one of red, green"]
    assert below.features == above.features
    assert below.values(1) == ("red",)
