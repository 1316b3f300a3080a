import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from show.hand_trees import chain, leaf, number, plant, threshold
from show.tree_strategies import FEATURES, trees

import sightline as sl
from sightline.exceptions import DataError
from sightline.show import explain
from sightline.show._example import credit_tree
from sightline.table import Feature


def lines(tree, row):
    return str(explain(tree, row)).split("\n")


def test_parts_of_rows_are_not_counted_as_rows():
    """Missing values split rows: "4.52 training rows took this path"."""
    tree = plant(threshold(0, 5, leaf(3.39, 1.13), leaf(0.31, 0.31)), [Feature("age")], ["a", "b"])
    assert lines(tree, [1.0])[0] == 'Predicted a. About 5 training rows took this path; 75% of them were "a".'
    parts = 'Predicted a. Parts of training rows, 0.62 in all, took this path; 50% of them were "a".'
    assert lines(tree, [9.0])[0] == parts
    counted = plant(threshold(0, 5, number(1, 2.6), number(2, 4)), [Feature("age")], None)
    counted.label_source = "passed"
    assert lines(counted, [1.0])[0] == "Predicted 1. About 3 counted rows took this path."


def test_a_known_row():
    assert lines(credit_tree(), {"age": 45, "income": 1, "purpose": "holiday"}) == [
        'Predicted good. 20 training rows took this path; 75% of them were "good".',
        "Because age > 30 (yours: 45) and purpose is one of car, holiday (yours: holiday).",
    ]


def test_a_missing_value_mixes_branches():
    assert lines(credit_tree(), {"age": 25, "income": None, "purpose": "car"}) == [
        "Predicted bad with probability 65%.",
        "Known: age <= 30 (yours: 25).",
        "The value of income is missing, so the branches are mixed: 62% income <= 2000, 38% income > 2000.",
        "Mixed paths, heaviest first:",
        "- 62% through income <= 2000: bad (80% of 25 rows)",
        "- 38% through income > 2000: good (60% of 15 rows)",
    ]


def test_an_unknown_category_is_named():
    text = str(explain(credit_tree(), [45, 1, "boat\x1b"]))
    assert "The tree does not know the value boat\\x1b of purpose, so the branches are mixed: " in text


def test_many_paths_are_cut():
    text = str(explain(credit_tree(), [None, None, None]))
    assert "Mixed paths, the 3 heaviest of 4:" in text
    assert text.count("\n- ") == 3


def test_a_fixed_direction_is_not_a_mixture():
    root = threshold(0, 10, leaf(4, 1), leaf(0, 5), shares=[0.0, 1.0])
    tree = plant(root, [Feature("age")], ["a", "b"])
    assert lines(tree, [None]) == [
        'Predicted b. 5 training rows took this path; 100% of them were "b".',
        "The value of age is missing; it is treated as age > 10.",
    ]


def test_values_that_nearly_equal_a_threshold_look_different():
    tree = plant(threshold(0, 30.00000049, leaf(4, 1), leaf(0, 5)), [Feature("age")], ["a", "b"])
    assert "age <= 30.0000005 (yours: 30.0000001)" in str(explain(tree, [30.0000001]))


def test_leaves_without_rows_counts_or_classes():
    features = [Feature("x")]
    empty = plant(threshold(0, 1, leaf(0, 0), leaf(0, 1)), features, ["a", "b"])
    assert lines(empty, [0])[0] == "Predicted a. No training row took this path."
    unknown = plant(threshold(0, 1, leaf(3, 1), leaf(0, 1)), features, ["a", "b"], with_counts=False)
    assert lines(unknown, [0])[0] == "Predicted a with probability 75%. 4 training rows took this path."
    numbers = plant(threshold(0, 1, number(2.5, 3), number(5.5, 3)), features, None)
    assert lines(numbers, [0])[0] == "Predicted 2.5. 3 training rows took this path."
    assert lines(numbers, [None])[0] == "Predicted 4, a weighted mean."


def test_one_row_has_a_value_and_no_mean():
    tree = sl.DistilledTreeRegressor(max_leaves=2, min_leaf=0, random_state=0)
    tree.fit([[0.0]] * 20 + [[9.0]], [1.0] * 20 + [9.0])
    one, more = (lines(tree.tree_, [value])[0] for value in (9.0, 0.0))
    assert "1 training row took this path; its value is 9." in one
    assert "20 training rows took this path; their mean is 1." in more


def test_lines_have_enough_digits_to_compute_with():
    """A slope of four digits times the number of days since 1970 was off by the height of the leaf."""
    random = np.random.default_rng(0)
    day = random.integers(0, 30, 200)
    opened = pd.Timestamp("2020-01-01") + pd.to_timedelta(day, "D")
    frame = pd.DataFrame({"opened": opened, "stamped": opened + pd.Timedelta("6h"), "year": 2000.0 + day})
    for name, written in {
        "opened": r"(\S+) \+ (\S+) × days of opened since (\S+)",
        "stamped": r"(\S+) \+ (\S+) × days of stamped since (\S+)",
        "year": r"(\S+) \+ (\S+) × year",
    }.items():
        model = sl.DistilledTreeRegressor(max_leaves=1, leaf="linear", random_state=0)
        model.fit(frame[[name]], 0.87 * day + random.normal(size=200) * 0.01)
        row = frame[[name]].iloc[[7]]
        sentence = lines(model.tree_, row.to_dict("records")[0])[1]
        start, slope, *since = re.search(f"The leaf predicts {written}", sentence).groups()
        value = row[name].iloc[0]
        distance = (value - pd.Timestamp(since[0])) / pd.Timedelta("1D") if since else value
        computed = float(start.replace(",", "")) + float(slope) * distance
        assert computed == pytest.approx(model.predict(row)[0], abs=0.05)


def test_a_lone_leaf():
    assert lines(plant(leaf(3, 1), [Feature("x")], ["a", "b"]), [0]) == [
        'Predicted a. 4 training rows took this path; 75% of them were "a".',
        "The tree has no tests: it predicts the same for every row.",
    ]


rows = st.tuples(
    st.none() | st.floats(-100, 100),
    st.none() | st.floats(-100, 100),
    st.sampled_from([None, "red", "green", "blue", "x"]),
)


@given(trees(), rows)
def test_the_prediction_is_the_trees_own(tree, row):
    named = dict(zip([feature.name for feature in FEATURES], row, strict=True))
    label = tree.predict([list(row)])[0]
    assert str(explain(tree, named)).startswith(f"Predicted {label}")


@pytest.mark.thorough
def test_a_deep_chain():
    assert "Because 199996 < x <= 199998 (yours: 199997)." in str(explain(chain(100_000), [199_997]))
    assert "The value of x is missing" in str(explain(chain(10_000), [None]))


def test_wrong_rows_are_refused():
    with pytest.raises(DataError, match=r"The row has no 'income', which the tree expects\. Pass None for"):
        credit_tree().explain({"age": 1, "purpose": "car"})
