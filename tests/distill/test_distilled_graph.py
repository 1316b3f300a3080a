"""Distilled graphs: shrinking against brute force, sharing, sizes, and the estimator."""

import numpy as np
import pytest
from distilled_tree_reference import leaf_of, row_losses
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from test_distilled_tree_kernel import Case

import sightline as sl
from sightline import _core


def below(nodes, start):
    """Return the nodes that a node leads to, itself included."""
    found, waiting = set(), [start]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += nodes[node][2:4] if nodes[node][0] >= 0 else []
    return found


def redirected(nodes, node, to):
    """Return the nodes with all branches that lead to one node leading to another one instead."""
    moved = [
        (f, s, to if yes == node else yes, to if no == node else no, *rest) for f, s, yes, no, *rest in nodes
    ]
    if node == 0:
        moved[0] = moved[to]
    return moved


def n_tests(nodes):
    return sum(nodes[node][0] >= 0 for node in below(nodes, 0))


def passing(nodes, case, node):
    """Return the rows that come to a node."""
    rows = []
    for row, codes in enumerate(case.codes):
        now = 0
        while now != node and nodes[now][0] >= 0:
            feature, to_yes, yes, no, *_ = nodes[now]
            now = yes if codes[feature] in to_yes else no
        if now == node:
            rows.append(row)
    return rows


def cheapest_rise(nodes, case):
    """Return the smallest rise of the loss by which some test becomes superfluous."""
    rises = []
    everything = range(len(case.codes))
    now = row_losses(nodes, case, everything).sum()
    for node in below(nodes, 0):
        if nodes[node][0] < 0:
            continue
        for to in below(nodes, 0):
            if node in below(nodes, to) or n_tests(redirected(nodes, node, to)) == n_tests(nodes):
                continue
            rises.append(row_losses(redirected(nodes, node, to), case, everything).sum() - now)
        rows = passing(nodes, case, node)
        by_label = [(case.importance[rows] * case.charges[rows, label]).sum() for label in range(3)]
        rises.append(min(by_label, default=0) - row_losses(nodes, case, rows, node).sum())
    return max(0.0, min(rises))


@pytest.mark.parametrize("seed", range(10))
def test_shrinking_by_one_test_costs_as_little_as_possible(seed):
    case = Case(seed)
    graph = case.grown(7)
    while graph.n_tests > 1:
        before, nodes = graph.loss(case.rows), graph.nodes()
        size = graph.n_tests
        rise = cheapest_rise(nodes, case)
        graph.shrink_to(case.rows, size - 1)
        assert graph.n_tests < size
        # Leaves are fitted again afterwards, which can only help.
        assert graph.loss(case.rows) <= before + rise + 1e-6
        assert graph.loss(case.rows) == pytest.approx(
            row_losses(graph.nodes(), case, range(len(case.codes))).sum(), abs=1e-4
        )


@pytest.mark.parametrize("objective", ["labels", "labels and probabilities", "numbers"])
@pytest.mark.parametrize("seed", range(4))
def test_graphs_have_the_size_and_predict_what_their_nodes_say(seed, objective):
    case = Case(seed, objective=objective)
    for size in (0, 1, 3, 6):
        small = _core.distill_graph(case.rows, size, search_rounds=2)
        assert small.n_tests <= size
        core = small.graph(case.rows)
        assert core.n_nodes - core.n_leaves == small.n_tests
        if objective == "numbers":
            continue
        graph = sl.Graph(core, case.table.schema, np.arange(3))
        nodes = small.nodes()
        expected = [nodes[leaf_of(nodes, codes)][4] for codes in case.codes]
        known = ~np.isin(case.codes, [255]).any(axis=1)
        assert (graph.predict(case.table)[known] == np.array(expected)[known]).all()
        assert core.weight[0] == pytest.approx(case.weights.sum())


def test_a_graph_loses_no_more_than_a_tree_with_as_many_tests():
    for seed in range(8):
        case = Case(seed)
        tree = _core.distill_tree(case.rows, 5, True, 3.0, search_rounds=2)
        graph = _core.distill_graph(case.rows, 4, search_rounds=2)
        assert graph.loss(case.rows) <= tree.loss(case.rows) + 1e-9


def test_paths_that_meet_again_need_fewer_tests_than_a_tree():
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(400, 4)).astype(float)
    y = X.sum(axis=1).astype(int) % 2
    exact = sl.C45Classifier(prune=False, min_leaf=1).fit(X, y)
    graph = sl.DistilledGraphClassifier(exact, max_tests=7, augment=0, random_state=0).fit(X)
    tree = sl.DistilledTreeClassifier(exact, max_leaves=8, augment=0, random_state=0).fit(X)
    assert graph.score(X, y) == 1.0 > tree.score(X, y)
    assert graph.graph_.n_tests == 7
    assert graph.size_["leaves"] == 2


@pytest.fixture(scope="module")
def fitted():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X.iloc[:, :8]
    forest = RandomForestClassifier(10, random_state=0).fit(X[::2], y[::2])
    return (
        X,
        y,
        sl.DistilledGraphClassifier(forest, max_tests=7, augment=1000, random_state=0).fit(X[::2], y[::2]),
    )


def test_estimator_shows_and_exports_its_graph(fitted, tmp_path):
    X, y, graph = fitted
    assert isinstance(graph.model_, sl.Graph)
    assert graph.graph_.n_tests <= 7
    assert graph.score(X[1::2], y[1::2]) > 0.9
    assert graph.resized(3).graph_.n_tests <= 3
    assert "of the forest" not in graph.to_text()
    restored = sl.read_model(graph.graph_.to_json(tmp_path / "graph.json") and tmp_path / "graph.json")
    assert (restored.predict(X) == graph.predict(X)).all()
    assert "CASE" in graph.export("sql")
    assert str(graph.explain(X[:1]))
    curve = graph.fidelity_curve(X[1::2], y[1::2], sizes=[1, 3, 7])
    assert list(curve.sizes) == sorted(set(curve.sizes))
    assert (graph.graph_.core.counts.sum(axis=1) == graph.graph_.core.weight).all()


def test_a_report_of_a_graph_has_its_curve():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    graph = sl.DistilledGraphClassifier(forest, max_tests=3, augment=0, random_state=0).fit(X)
    page = sl.report(graph, X[1::2], y[1::2]).to_html()
    assert '"unit":["test","tests"]' in page.replace(" ", "")


def test_several_classes_and_limits():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    graph = sl.DistilledGraphClassifier(forest, max_tests=5, exclude=[2], max_depth=3, random_state=0).fit(X)
    assert 2 not in graph.graph_.core.used_features
    assert graph.size_["depth"] <= 3
    assert set(graph.predict(X)) == {0, 1, 2}
