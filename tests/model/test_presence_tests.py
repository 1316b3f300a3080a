"""Tests that only separate missing values become tests for them."""

from __future__ import annotations

import math
import random

import numpy as np
import pandas as pd
import pytest
from cases import each
from export.boundary_rows import as_numbers, boundary_rows
from export.elsewhere import RUNNERS
from model.oracle import tree_output
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from strategies import (
    at_most,
    each_of,
    leaf,
    node_list,
    one_of,
    random_node,
    random_schema,
    schema_of,
    tree_of,
)

import sightline as sl
from sightline.distill._distilled import SEARCH_ROUNDS
from sightline.model import (
    ANY_NUMBER,
    THRESHOLD,
    LeafLines,
    NodeNumbers,
    Tree,
    with_presence_tests,
)

LEFT, RIGHT = (1, 0), (0, 1)
A, B, C = leaf(1, 0, 0, weight=1), leaf(0, 1, 0, weight=2), leaf(0, 0, 1, weight=4)


def drawn(root, n_values=(0, 3)) -> Tree:
    return tree_of(root, schema_of(n_values))


def lines_of(tree) -> list[str]:
    return tree.to_text().splitlines()[3:]


def test_known_values_go_left():
    tree = drawn(at_most(0, 5, at_most(0, 5, A, B, shares=RIGHT), C, shares=LEFT))
    assert lines_of(with_presence_tests(tree)) == [
        "├─ f0 <= 5",
        "│  ├─ f0 has a value: class 0 (100% of 1 row)",
        "│  └─ f0 has no value: class 1 (100% of 2 rows)",
        "└─ f0 > 5: class 2 (100% of 4 rows)",
    ]
    assert with_presence_tests(tree).to_frame()["rule"].tolist() == ["f0 <= 5", "f0 has no value", "f0 > 5"]


def test_known_values_go_right():
    tree = drawn(at_most(0, 5, A, at_most(0, 4, B, C, shares=LEFT), shares=RIGHT), [0])
    changed = with_presence_tests(tree)
    assert lines_of(changed) == [
        "├─ f0 <= 5: class 0 (100% of 1 row)",
        "└─ f0 > 5",
        "   ├─ f0 has a value: class 2 (100% of 4 rows)",
        "   └─ f0 has no value: class 1 (100% of 2 rows)",
    ]
    rows = [[math.nan], [4.5], [6.0]]
    assert changed.predict(rows).tolist() == tree.predict(rows).tolist() == ["class 1", "class 0", "class 2"]


def test_categories():
    below = one_of(1, [0, 2], A, B, shares=RIGHT)
    for root in (
        one_of(1, [0], below, C, shares=LEFT),
        each_of(1, below, C, leaf(0, 0, 1), shares=(1, 0, 0)),
    ):
        text = "\n".join(lines_of(with_presence_tests(drawn(root))))
        assert "f1 has a value: class 0" in text
        assert "f1 has no value: class 1" in text
    swapped = one_of(1, [0], A, one_of(1, [0], B, C, shares=LEFT), shares=RIGHT)
    assert (
        lines_of(with_presence_tests(drawn(swapped)))[-1].strip()
        == "└─ f1 has no value: class 1 (100% of 2 rows)"
    )


@pytest.mark.parametrize(
    "root",
    [
        at_most(0, 5, at_most(0, 4, A, B, shares=RIGHT), C, shares=LEFT),
        at_most(0, 5, at_most(0, 5, A, B, shares=LEFT), C, shares=LEFT),
        at_most(0, 5, at_most(0, 5, A, B, shares=RIGHT), C, shares=RIGHT),
        at_most(0, 5, at_most(0, 5, A, B), C, shares=LEFT),
        at_most(0, ANY_NUMBER, A, B, shares=RIGHT),
        each_of(1, A, B, C),
    ],
    ids=["some go right", "missing too", "none missing", "mixed", "asks already", "many ways"],
)
def test_other_tests_stay(root):
    tree = drawn(root)
    assert with_presence_tests(tree) is tree


@each(seed=range(150))
def test_every_row_gets_the_same_output(seed):
    rng = random.Random(seed)
    schema = random_schema(rng)
    root = random_node(rng, schema, 3, 5)
    for node in node_list(root):
        if node.test == THRESHOLD:
            node.threshold = rng.choice([-1.0, 0.5, 1.0])
        if node.children:
            best = rng.randrange(len(node.children))
            node.shares = [float(branch == best) for branch in range(len(node.children))]
    tests = [(node.feature, node.threshold) for node in node_list(root) if node.test == THRESHOLD]
    rows = boundary_rows(rng, schema, tests)
    outputs = [tree_output(root, as_numbers(row, schema)) for row in rows]
    frame = pd.DataFrame(rows, columns=schema.names, dtype=object)
    tree = tree_of(root, schema)
    for model in (tree, tree.to_graph()):
        changed = with_presence_tests(model)
        np.testing.assert_array_equal(changed.outputs(frame), outputs)
        assert with_presence_tests(changed) is changed
        assert sorted(changed.core.weight.tolist()) == sorted(model.core.weight.tolist())


def test_what_belongs_to_the_nodes_moves_with_them():
    root = at_most(0, 5, leaf(1), at_most(0, 4, leaf(2), leaf(3), shares=LEFT), shares=RIGHT)
    plain = drawn(root, [0])
    nodes = np.arange(5.0)
    lines = LeafLines(
        np.array([0, 0, 0, 0, 1, 2]),
        np.zeros(2, dtype=np.int32),
        np.array([3.0, 4.0]),
        np.zeros(2),
        nodes - 10,
        nodes + 100,
    )
    tree = Tree(plain.core, plain.schema, None, numbers=NodeNumbers(nodes, nodes), lines=lines)
    changed = with_presence_tests(tree)
    assert changed.core.output[:, 0].tolist() == [tree.core.output[node, 0] for node in (0, 1, 2, 4, 3)]
    assert changed.numbers.mean.tolist() == [0, 1, 2, 4, 3]
    assert changed.lines.low.tolist() == [-10, -9, -8, -6, -7]
    assert [changed.lines.terms(node)[0].slope for node in (3, 4)] == [4.0, 3.0]
    rows = [[math.nan], [3.0], [7.0]]
    assert changed.predict(rows).tolist() == tree.predict(rows).tolist()
    classes = drawn(at_most(0, 5, A, at_most(0, 4, B, C, shares=LEFT), shares=RIGHT), [0])
    own = classes.with_probabilities(np.eye(5)[:, :3] * 0.5 + 0.5 / 3)
    np.testing.assert_array_equal(with_presence_tests(own).predict_proba(rows), own.predict_proba(rows))


@pytest.fixture(scope="module")
def incomes():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"income": np.round(rng.lognormal(8, 0.5, 600)), "age": rng.integers(18, 80, 600) * 1.0})
    X.loc[rng.random(600) < 0.3, "income"] = np.nan
    return X, np.where(X.income.isna() | (X.age > 60), "bad", "good")


def imputed(forest):
    return make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler(), forest)


def test_a_distilled_tree_says_that_a_value_is_missing(incomes, tmp_path):
    X, y = incomes
    forest = imputed(RandomForestClassifier(10, max_depth=3, random_state=0)).fit(X, y)
    tree = sl.DistilledTreeClassifier(forest, max_leaves=5, random_state=0).fit(X, y)
    assert "income has no value: bad (100% of 184 rows)" in tree.to_text()
    assert tree.tree_.to_frame()["rule"].str.contains("940 < income").sum() == 0
    explained = tree.explain(X[X.income.isna()].iloc[0])
    assert "Because income has no value." in str(explained)
    assert "income > 940" not in str(explained)
    assert [(r.condition, r.low, r.high) for r in explained.reasons] == [("income has no value", None, None)]
    rows = tree.distillation_set_
    small = rows.distilled(5, search_rounds=SEARCH_ROUNDS)
    before = Tree(small.tree(rows.native), tree.tree_.schema, tree.classes_)
    assert before.predict(X).tolist() == tree.predict(X).tolist()
    assert "940 < income <= 940" not in before.to_frame()["rule"].tolist()
    few = X[:40]
    rows = few.astype(object).where(few.notna(), None).to_numpy().tolist()
    for runner in RUNNERS:
        assert runner(tree.tree_, rows, tmp_path)[0] == tree.predict(few).tolist()


def test_so_do_graphs_and_trees_of_numbers(incomes):
    X, y = incomes
    forest = imputed(RandomForestClassifier(10, max_depth=3, random_state=0)).fit(X, y)
    graph = sl.DistilledGraphClassifier(forest, max_tests=4, random_state=0).fit(X, y)
    assert "income has no value" in graph.to_text()
    numbers = imputed(RandomForestRegressor(10, max_depth=3, random_state=0)).fit(X, y == "bad")
    for kind in ("mean", "linear"):
        tree = sl.DistilledTreeRegressor(numbers, max_leaves=5, leaf=kind, random_state=0).fit(X)
        assert "income has no value" in tree.to_text()
        assert np.abs(tree.predict(X) - numbers.predict(X)).max() < 0.5
