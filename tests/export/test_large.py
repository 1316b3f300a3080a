"""A thousand levels and many leaves, run wherever exports run; a hundred thousand are in the benchmark."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from export.elsewhere import RUNNERS, in_c, in_node, in_onnxruntime, in_python
from export.large_trees import broad_tree, deep_chain, many_rules, with_shared_leaves

import sightline as sl
from sightline.export import predictor_data


def rows_of(tree, n_rows=40):
    rng = np.random.default_rng(0)
    rows = rng.uniform(0, 100 if tree.size_["depth"] == 1000 else 1, size=(n_rows, len(tree.schema)))
    return [[None if rng.random() < 0.1 else value for value in row] for row in rows.tolist()]


def predicted(tree, rows):
    return tree.predict(np.array(rows, dtype=float)).tolist()


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize(
    "tree",
    [
        deep_chain(1000),
        broad_tree(10),
        with_shared_leaves(deep_chain(1000)),
        with_shared_leaves(broad_tree(10)),
    ],
    ids=["deep", "broad", "deep graph", "broad graph"],
)
@pytest.mark.thorough
def test_deep_and_broad_trees(runner, tree, tmp_path):
    rows = rows_of(tree)
    assert runner(tree, rows, tmp_path)[0] == predicted(tree, rows)


@pytest.mark.parametrize("runner", [runner for runner in RUNNERS if runner is not in_onnxruntime])
@pytest.mark.thorough
def test_many_rules(runner, tmp_path):
    rules = many_rules(1000)
    rng = np.random.default_rng(1)
    rows = [[*row] for row in rng.uniform(-0.1, 1.1, size=(40, 2)).tolist()] + [[None, 0.5], [0.5, None]]
    assert runner(rules, rows, tmp_path)[0] == predicted(rules, rows)


@pytest.mark.parametrize("runner", [in_python, in_c, in_node])
@pytest.mark.parametrize(
    "tree", [deep_chain(1000, shared=True), broad_tree(12, shared=True)], ids=["deep", "broad"]
)
def test_rows_shared_out_over_a_thousand_levels(runner, tree, tmp_path):
    rows = [*rows_of(tree, 5), [None] * len(tree.schema)]
    labels, shares = runner(tree, rows, tmp_path)
    assert labels == predicted(tree, rows)
    np.testing.assert_array_equal(shares, tree.predict_proba(np.array(rows, dtype=float)))


@pytest.mark.parametrize("kind", ["dot", "svg", "json"])
def test_drawings_of_a_thousand_levels(kind):
    assert len(deep_chain(1000).export(kind)) > 10_000


def test_a_graph_stores_each_set_of_categories_once(tmp_path):
    """It asks a few questions of thousands of nodes, each about hundreds of 1,000 categories."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 1000, 6000)
    numbers = rng.normal(size=(2, 6000)).round(2)
    y = (codes * 7919 % 1000 / 1000 + 0.3 * numbers.sum(axis=0) > 0.5).astype(int)
    X = pd.DataFrame({"code": pd.Categorical(codes), "a": numbers[0], "b": numbers[1]})
    base = sl.C45Classifier(binary_splits=True, prune=False, max_depth=6)
    trees = sl.BaggedTreesClassifier(base, n_trees=3, random_state=0).fit(X, y)
    graph = sl.merge(trees, to="graph")
    core = graph.core
    bounds = np.asarray(core.category_begin)
    subsets = [bytes(core.category[begin:end]) for begin, end in itertools.pairwise(bounds)]
    assert len(core.category) > 5 * sum(map(len, set(subsets))) / 4
    assert len(predictor_data(graph)["code"]) == sum(map(len, set(subsets))) / 4
    rows = [[int(code), a, b] for code, a, b in zip(codes[:40], *numbers[:, :40].tolist(), strict=True)]
    assert in_node(graph, rows, tmp_path)[0] == graph.predict(X[:40]).tolist()
