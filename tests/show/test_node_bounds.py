import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from show.hand_trees import leaf, plant, threshold

from sightline.load._thresholds import double_below, float32_below
from sightline.show._conditions import Conditions
from sightline.show._node_wording import NodeWording
from sightline.show._tree_text import tree_text
from sightline.table import Feature
from sightline.wording import BoundStrings

short = st.builds(
    lambda digits, power: float(f"{digits}e{power}"), st.integers(-99_999, 99_999), st.integers(-6, 4)
)
repeatable = settings(derandomize=True, deadline=None, max_examples=300)
SINGLE = "numbers are compared in single precision"


def tree_at(*bounds):
    root = leaf(1, 0)
    for bound in bounds:
        root = threshold(0, float(bound), root, leaf(0, 1))
    return plant(root, [Feature("x")], ["a", "b"])


def as_single(x):
    with np.errstate(over="ignore"):
        return float(np.float32(x))


def near(centre):
    """Doubles around a number: beside it, and around the single precision numbers next to it."""
    single = np.float32(centre)
    singles = [
        single,
        np.nextafter(single, np.float32(-math.inf)),
        np.nextafter(single, np.float32(math.inf)),
    ]
    middles = [float(single) / 2 + float(other) / 2 for other in singles]
    centres = [centre, *map(float, singles), *middles]
    return [
        x
        for c in centres
        for x in (math.nextafter(c, -math.inf), c, math.nextafter(c, math.inf), c - 1, c + 1)
    ]


def holds(sentence, x, read=float):
    """Read a condition such as ``x < 30`` or ``1 <= x < 30`` and apply it to a number."""
    value = {"x": x}
    words = [value.get(word, word) for word in sentence.split()]
    signs = {
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
    }
    return all(
        signs[words[i]](read(float(words[i - 1])), read(float(words[i + 1]))) for i in range(1, len(words), 2)
    )


def test_the_last_double_before_a_short_number_is_that_number_excluded():
    wording = NodeWording(tree_at(math.nextafter(1.0, 0)))
    assert [wording.branch(0, 0), wording.branch(0, 1), wording.precision] == ["x < 1", "x >= 1", ""]


def test_the_last_number_before_a_short_one_in_single_precision():
    tree = tree_at(float32_below([1.0])[0])
    wording = NodeWording(tree)
    assert [wording.branch(0, 0), wording.branch(0, 1), wording.precision] == ["x < 1", "x >= 1", SINGLE]
    assert tree_text(tree).splitlines()[1] == f"Predicts a or b; trained on 2 rows; {SINGLE}"


def test_a_measured_value_that_single_precision_rounds_is_excluded_too():
    # 122.46 is no single precision number; the model sends 122.46 itself to the right.
    wording = NodeWording(tree_at(float32_below([np.float32(122.46)])[0]))
    assert (wording.branch(0, 0), wording.precision) == ("x < 122.46", SINGLE)


def test_with_bounds_of_both_precisions_nothing_is_said_that_holds_for_one_only():
    wording = NodeWording(tree_at(float32_below([1.0])[0], 2.5))
    assert [wording.branch(0, 0), wording.branch(1, 0)] == ["x <= 2.5", "x <= 0.99999997"]
    assert wording.precision == ""


def test_both_sides_of_a_short_number():
    below = math.nextafter(1.0, 0)
    conditions = Conditions(NodeWording(tree_at(below, 1.0)), [(0, 0), (1, 1)])
    assert conditions.strings() == ["1 <= x <= 1"]


def test_intervals_between_excluded_numbers():
    low, high = double_below([1.0, 30.0])
    conditions = Conditions(NodeWording(tree_at(low, high)), [(0, 0), (1, 1)])
    assert conditions.strings() == ["1 <= x < 30"]


def test_a_value_within_the_rounding_is_told_by_its_digits():
    bound = float(float32_below([1.0])[0])
    tree = tree_at(bound)
    assert NodeWording(tree, row={0: 1.0}).branch(0, 1) == "x >= 1"
    wording = NodeWording(tree, row={0: 0.99999999})
    assert [wording.branch(0, 1), wording.number(0, 0.99999999)] == ["x > 0.99999997", "0.99999999"]


def test_values_are_never_written_as_the_number_after_them():
    value = math.nextafter(1.0, 0)
    assert BoundStrings.of({}, {0: [value]}).strings == {0: {value: "0.9999999999999999"}}


@repeatable
@given(short)
@example(0.0)
@example(1.0)
def test_what_excludes_a_number_is_true_of_every_double(number):
    tree = tree_at(double_below([number])[0])
    wording = NodeWording(tree)
    yes, no = wording.branch(0, 0), wording.branch(0, 1)
    if number:
        assert " < " in yes
    for x in near(number):
        takes_yes = tree.apply([[x]])[0] == tree.children(0)[0]
        assert (holds(yes, x), holds(no, x)) == (takes_yes, not takes_yes)


@repeatable
@given(st.lists(short, min_size=1, max_size=3, unique=True), st.booleans())
@example([122.46], True)
@example([1.0, 61.0], True)
def test_in_single_precision_the_sentences_are_true_of_every_double(numbers, is_measured):
    """All that such a model sees of a number is what single precision leaves of it."""
    bounds = float32_below(np.array(numbers, dtype=np.float32) if is_measured else numbers)
    tree = tree_at(*bounds)
    wording = NodeWording(tree, digits=9)
    for node, bound in zip(np.flatnonzero(tree.core.test), reversed(bounds), strict=True):
        yes = wording.branch(int(node), 0)
        if " < " not in yes:
            continue
        assert wording.precision == SINGLE
        for number in numbers:
            for x in near(number):
                assert holds(yes, x, as_single) == (x <= bound)


@pytest.mark.parametrize("number", [1e300, -1e300, 5e-324, 3.4028235677973366e38])
def test_numbers_that_single_precision_has_not(number):
    assert NodeWording(tree_at(number)).branch(0, 0).startswith("x <= ")
