"""How sentences about a difference read."""

import math

import numpy as np
import pytest
from show.hand_trees import number, plant, threshold
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

import sightline as sl
from sightline.measure import Estimate, error_text
from sightline.report._costs import cost_change
from sightline.report._measure_words import change_text, measure_lines
from sightline.table import Feature


@pytest.mark.parametrize(
    ("difference", "text"),
    [
        (
            Estimate(-0.0404, -0.0665, -0.0144, 9, "change"),
            "0.040 lower (95% interval 0.014 to 0.067 lower)",
        ),
        (Estimate(0.25, 0.087, 0.413, 9, "change"), "0.250 higher (95% interval 0.087 to 0.413 higher)"),
        (
            Estimate(-0.004, -0.012, 0.005, 9, "change"),
            "no clear difference (between 0.012 lower and 0.005 higher)",
        ),
        (Estimate(0.0, 0.0, 0.0, 9, "change"), "no difference"),
        (
            Estimate(-0.01, -0.02, -0.005, 9, "points"),
            "1.0 point lower (95% interval 0.5 to 2.0 points lower)",
        ),
        (Estimate(1234.5, 800.0, 1669.0, 9, "change"), "1,234 higher (95% interval 800 to 1,669 higher)"),
        (Estimate(4e-5, 1e-5, 7e-5, 9, "change"), "0.00004 higher (95% interval 0.00001 to 0.00007 higher)"),
        (Estimate(-0.5, math.nan, math.nan, 9, "change"), "0.500 lower"),
        (Estimate(math.nan, math.nan, math.nan, 0, "change"), "undefined"),
    ],
)
def test_changes_read_as_people_say_them(difference, text):
    assert change_text(difference) == text


def test_inside_parentheses_there_are_no_others():
    text = change_text(Estimate(-0.14, -0.2, -0.06, 9, "points"), is_nested=True)
    assert text == "14.0 points lower, 95% interval 6.0 to 20.0 points lower"


def test_reports_of_trees_with_costs_say_what_rows_cost():
    X, y = load_iris(return_X_y=True)
    costs = np.array([[0, 1, 5], [2, 0, 1], [9, 3, 0]], dtype=float)
    forest = RandomForestClassifier(10, max_depth=2, random_state=0).fit(X[::2], y[::2])
    tree = sl.DistilledTreeClassifier(forest, 4, cost_matrix=costs, random_state=0).fit(X[::2], y[::2])
    report = sl.report(tree, X[1::2], y[1::2], sizes=(), max_seconds=1)
    own, theirs = (float(costs[y[1::2], one.predict(X[1::2])].mean()) for one in (tree, tree.ensemble_))
    line = next(line for line in report.to_text().splitlines() if line.startswith("Cost per row: "))
    assert f"the 10 trees {error_text(theirs)}, this tree {error_text(own)}" in line
    assert cost_change(report.evidence).value == pytest.approx(own - theirs)
    # Nobody said what a class costs that the model does not know.
    unknown = np.where(y[1::2] == 2, 3, y[1::2])
    with pytest.warns(sl.DataWarning, match=r"does not know: 3 \(25 rows\)"):
        report = sl.report(tree, X[1::2], unknown, sizes=(), max_seconds=1)
    assert "Cost" not in report.to_text()


def test_errors_in_a_list_have_the_same_digits():
    """A mean of 0.13 stood beside one of 0.129."""
    tree, other = (
        plant(threshold(0, 1.5, number(low), number(high)), [Feature("x")], None)
        for low, high in ((0.5, 2.3), (0.25, 1.9))
    )
    page = sl.report(tree, [[1.0], [1.0], [2.0]], [0.0, 0.0, 2.0], sizes=(), ensemble=other)
    assert "the other tree 0.949 (0.200), this tree 0.779 (0.433), " in page.to_text()
    assert measure_lines(page.evidence)["MAE"].startswith("the other tree 0.200, this tree 0.433, ")
