"""Trees say where missing values go, as far as training rows had any."""

import re

import numpy as np
import pytest
from show.hand_trees import leaf, multiway, plant, subset, threshold

import sightline as sl
from sightline.model import ANY_NUMBER
from sightline.show._missing_ways import MissingWays
from sightline.show._stump_table import stump_lines
from sightline.table import Feature

COLORS = ("red", "green", "blue")


def features(**complete):
    return [
        Feature("income", complete=complete.get("income")),
        Feature("age", complete=complete.get("age")),
        Feature("color", COLORS, complete=complete.get("color")),
    ]


def ends():
    return leaf(8, 2), leaf(1, 9)


def one_way_tree(**complete):
    """Missing incomes go right, then left; the left branch never sees one."""
    left = threshold(0, 100, *ends(), shares=[0, 1])
    right = threshold(0, 900, threshold(1, 30, *ends(), shares=[1, 0]), leaf(0, 5), shares=[1, 0])
    return plant(threshold(0, 500, left, right, shares=[0, 1]), features(**complete), ["a", "b"])


def lines_of(text):
    return [re.sub(r"^[│├└─ ]+|:.*", "", line) for line in text.splitlines()[3:]]


KNOWN = ["income <= 500", "income <= 100", "income > 100"]


def test_text_names_the_branch_of_missing_values_where_one_arrives():
    assert lines_of(one_way_tree(income=False, age=True).to_text()) == [
        *KNOWN,
        "income > 500 or missing",
        "income <= 900 or missing",
        "age <= 30",
        "age > 30",
        "income > 900",
    ]


@pytest.mark.parametrize("complete", [None, True])
def test_nothing_is_said_about_columns_without_missing_values(complete):
    text = one_way_tree(income=complete, age=complete, color=complete).to_text()
    assert "missing" not in text
    assert text == one_way_tree().to_text()


def test_drawings_name_it_beside_the_edge():
    dot = one_way_tree(income=False).export("dot")
    assert 'label="no or missing", tooltip="income > 500 or missing"' in dot
    assert 'label="yes or missing", tooltip="income <= 900 or missing"' in dot
    assert 'tooltip="income <= 100"' in dot
    assert dot.count("missing") == 4
    assert "no or missing" in one_way_tree(income=False).export("svg")


def test_rules_of_leaves_say_so_and_explanations_do_not():
    tree = one_way_tree(income=False)
    rules = tree.to_frame()["rule"].tolist()
    assert rules[0] == "income <= 100"
    assert rules[2] == "(500 < income <= 900 or missing) and age <= 30"
    assert rules[-1] == "income > 900"
    assert "missing" not in str(tree.explain([600.0, 20.0, "red"]))
    assert "it is treated as income > 500." in str(tree.explain([np.nan, 20.0, "red"]))


def test_tests_that_ask_for_missing_values_say_nothing_more():
    inner = threshold(0, ANY_NUMBER, *ends(), shares=[0, 1])
    text = plant(
        threshold(0, 5, inner, leaf(0, 5), shares=[1, 0]), features(income=False), ["a", "b"]
    ).to_text()
    assert lines_of(text) == [
        "income <= 5 or missing",
        "income has a value",
        "income has no value",
        "income > 5",
    ]


def test_a_path_that_only_missing_values_take_says_just_that():
    inner = threshold(0, 5, *ends(), shares=[0, 1])
    tree = plant(threshold(0, 5, inner, leaf(0, 5), shares=[1, 0]), features(income=False), ["a", "b"])
    assert tree.to_frame()["rule"].tolist() == ["income <= 5", "income has no value", "income > 5"]


def test_categories():
    root = subset(2, [0], *ends(), shares=[0, 1])
    assert (
        "color is one of green, blue or missing" in plant(root, features(color=False), ["a", "b"]).to_text()
    )
    root = multiway(2, *ends(), leaf(1, 1), shares=[0, 1, 0])
    tree = plant(root, features(color=False), ["a", "b"])
    assert lines_of(tree.to_text()) == ["color = red", "color = green or missing", "color = blue"]


def test_rows_that_are_split_are_mentioned_once():
    tree = plant(threshold(0, 5, threshold(1, 3, *ends()), leaf(0, 5)), features(income=False), ["a", "b"])
    note = "If income is missing, a row takes all branches, weighted by their training rows."
    assert tree.to_text().splitlines()[-2:] == ["", note]
    assert "or missing" not in tree.to_text()
    assert note in tree.export("dot")
    assert note in tree.to_graph().to_text()
    both = plant(
        threshold(0, 5, threshold(1, 3, *ends()), leaf(0, 5)), features(income=False, age=False), ["a", "b"]
    )
    assert "If income or age is missing, a row" in both.to_text()


def test_a_shared_node_gets_the_missing_values_of_all_its_parents():
    def below():
        return threshold(0, 7, *ends(), shares=[1, 0])

    root = threshold(1, 3, threshold(0, 1, leaf(5, 0), below(), shares=[1, 0]), below(), shares=[1, 0])
    graph = plant(root, features(income=False), ["a", "b"]).to_graph()
    (shared,) = [node for node in range(graph.n_nodes) if graph.core.threshold[node] == 7]
    assert MissingWays.of(graph).branch[shared] == 0
    assert "income <= 7 or missing" in graph.to_text()


def table_with_gaps(n=400):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] > 0.5, "high", "low")
    gap = rng.random(n) < 0.2
    X[gap, 0] = np.nan
    return X, np.where(gap, "high", y)


def test_a_distilled_tree_knows_its_training_rows_also_when_read_again(tmp_path):
    X, y = table_with_gaps()
    tree = sl.DistilledTreeClassifier(max_leaves=2, random_state=0).fit(X, y).tree_
    assert [feature.complete for feature in tree.schema.features] == [False, True]
    assert len(re.findall(r"x0 (<=|>) \S+ or missing: ", tree.to_text())) == 1
    tree.to_json(tmp_path / "tree.json")
    again = sl.read_model(tmp_path / "tree.json")
    assert again.to_text() == tree.to_text()
    assert again.to_json() == tree.to_json()


def test_learners_that_split_rows_say_so():
    X, y = table_with_gaps()
    note = "If x0 is missing, a row takes all branches, weighted by their training rows."
    assert sl.C45Classifier().fit(X, y).tree_.to_text().endswith(f"\n\n{note}\n")


def test_stumps_say_where_missing_values_go():
    X, y = table_with_gaps()
    assert "x0 <= 0.491964 or missing: low" in sl.StumpEnsembleClassifier(random_state=0).fit(X, y).to_text()
    rows_split = plant(threshold(0, 5, *ends()), features(income=False), ["a", "b"])
    assert stump_lines(rows_split, 6)[-1].startswith("    If income is missing, a row takes all branches")
