"""Distilled graphs: shrinking against brute force, sharing, sizes, and the estimator."""

import itertools

import numpy as np
import pytest
from cases import each
from distill.distilled_tree_reference import leaf_of, row_losses
from distill.small_cases import Case
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier

import sightline as sl
from sightline import _core
from sightline.table import Table


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
        tree = _core.distill_tree(case.rows, 5, search_rounds=2)
        graph = _core.distill_graph(case.rows, 4, search_rounds=2)
        assert graph.loss(case.rows) <= tree.loss(case.rows) + 1e-9


@pytest.mark.parametrize("objective", ["labels and probabilities", "numbers"])
@pytest.mark.parametrize("refine", [True, False])
@each(seed=range(10))
def test_no_two_leaves_of_a_label_are_alike_and_one_that_is_too_small_has_no_other_to_join(
    seed, refine, objective
):
    min_leaf, similar = 6.0, 0.1
    case = Case(seed, n_rows=80, objective=objective)
    case.limits = _core.Limits(min_leaf=min_leaf)
    nodes = _core.distill_graph(case.native(np.arange(80)), 6, refine=refine).nodes()
    leaves = np.array([leaf_of(nodes, codes) for codes in case.codes])
    support = np.where(case.observed >= 0, case.weights, 0)
    for a, b in itertools.combinations(np.unique(leaves), 2):
        if nodes[a][4] != nodes[b][4]:
            continue
        means = [
            np.average(case.targets[leaves == leaf], axis=0, weights=case.importance[leaves == leaf])
            for leaf in (a, b)
        ]
        assert np.abs(means[0] - means[1]).max() >= similar - 1e-6
        assert min(support[leaves == a].sum(), support[leaves == b].sum()) >= min_leaf


@each(seed=range(10))
def test_leaves_are_alike_by_the_answers_and_not_by_the_targets(seed):
    case = Case(seed, n_rows=80, objective="labels and probabilities")
    targets = case.answers / [1.0, 4.0, 30.0]
    targets /= targets.sum(axis=1, keepdims=True)
    rows = _core.DistillationRows(case.bins, 3, case.objective)
    arrays = (case.labels, case.answers.ravel(), case.weights, case.observed)
    rows.add(case.table.native(), *arrays, None, targets.ravel())
    graph = _core.distill_graph(rows, 6)
    nodes = graph.nodes()
    leaves = np.array([leaf_of(nodes, codes) for codes in case.codes])
    probabilities = graph.probabilities(rows)
    means = {}
    for leaf in np.unique(leaves):
        here, weights = leaves == leaf, case.weights[leaves == leaf]
        means[leaf] = np.average(case.answers[here], axis=0, weights=weights)
        assert probabilities[3 * leaf : 3 * leaf + 3] == pytest.approx(means[leaf], abs=1e-5)
        # The distance is charged on the scale of the targets.
        assert nodes[leaf][5] == pytest.approx(np.average(targets[here], axis=0, weights=weights), abs=1e-5)
    for a, b in itertools.combinations(means, 2):
        assert nodes[a][4] != nodes[b][4] or np.abs(means[a] - means[b]).max() >= 0.1 - 1e-6


@pytest.mark.parametrize(
    ("objective", "message"),
    [
        ("numbers", "targets other than the answers are for classes"),
        ("labels", "targets must be given for all blocks of rows, or for none"),
    ],
)
def test_targets_are_for_classes_and_for_all_blocks_of_rows(objective, message):
    case = Case(0, objective=objective)
    arrays = (case.labels, case.answers.ravel(), case.weights, case.observed)
    with pytest.raises(ValueError, match=f"^{message}$"):
        case.rows.add(case.table.native(), *arrays, None, case.answers.ravel())


def test_another_round_of_the_search_never_loses():
    """Rounds start from graphs of which some leaves have several parents."""
    case = Case(281, n_rows=80, objective="numbers")
    losses = [_core.distill_graph(case.rows, 10, search_rounds=n).loss(case.rows) for n in range(4)]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0]


def test_every_second_row_of_a_long_table_prices_a_graph_like_all_rows_of_half_of_it():
    """Every row is there twice in a row, so that the rows passed over are those that were priced."""
    rng = np.random.default_rng(0)
    n_rows, n_tests = 150_000, 14
    X = rng.integers(12, size=(n_rows, 2)).astype(float)
    labels = ((X[:, 0] * X[:, 1] + rng.integers(3, size=n_rows)) % 7 < 3).astype(np.int32)

    def shrunk(n_copies):
        table = Table.from_any(np.repeat(X, n_copies, axis=0))
        own = np.repeat(labels, n_copies)
        rows = _core.DistillationRows(_core.Bins(table.native()), 2)
        rows.add(table.native(), own, np.eye(2)[own].ravel(), np.ones(len(own)), own)
        graph = _core.SmallTree()
        graph.grow(rows, n_tests + 1)
        assert graph.n_tests == n_tests
        graph.shrink_to(rows, n_tests - 1)
        return graph.nodes()

    assert shrunk(1) == shrunk(2)


@each(seed=range(10))
def test_tests_to_which_no_row_comes_are_the_first_to_go(seed):
    case = Case(seed)
    graph = case.grown(7)
    nodes = graph.nodes()
    empty = next(v for v in reversed(range(1, len(nodes))) if nodes[v][0] >= 0)
    others = np.setdiff1d(np.arange(40), passing(nodes, case, empty))
    rows = case.native(others)
    before = graph.loss(rows)
    graph.shrink_to(rows, n_tests(nodes) - 1)
    assert graph.n_tests < n_tests(nodes)
    assert graph.loss(rows) <= before


def test_a_graph_whose_leaves_are_alike_is_one_leaf():
    table = Table.from_any(np.repeat([0.0, 1.0], 10)[:, None])
    answers = np.repeat([[0.80, 0.20], [0.76, 0.24]], 10, axis=0)
    rows = _core.DistillationRows(_core.Bins(table.native()), 2, _core.Objective(label=1.0, target=1.0))
    labels = np.zeros(20, dtype=np.int32)
    rows.add(table.native(), labels, answers.ravel(), np.ones(20), labels)
    assert _core.distill_tree(rows, 2).n_leaves == 2
    ((feature, _, _, _, label, value),) = _core.distill_graph(rows, 1).nodes()
    assert (feature, label) == (-1, 0)
    assert value == pytest.approx([0.78, 0.22], abs=1e-6)


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
