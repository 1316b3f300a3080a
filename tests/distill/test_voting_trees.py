"""The tree and the graph of a vote: equal to it in every cell of the space, and certified."""

import random

import numpy as np
import pytest
from cases import each
from grid import cell_table
from hypothesis import given
from strategies import (
    Node,
    at_most,
    class_names,
    core_tree,
    each_of,
    inner,
    leaf,
    one_of,
    randoms,
    schema_of,
)

import sightline as sl
from sightline import _core
from sightline.model import MULTIWAY, SUBSET, THRESHOLD, Link, combined

STACKED, ROUNDED, POSSIBLE, EQUAL = range(4)
CUTS = (0.0, 1.0, 2.0)


def random_stump(rng, schema, n_classes, depth):
    """A stump whose missing values follow one branch; as ragged as the generator's."""
    if depth == 0 or rng.random() < 0.2:
        return one_hot(rng.randrange(n_classes), n_classes)
    feature = rng.randrange(len(schema))
    n_values = schema.n_values[feature]
    test = THRESHOLD if n_values == 0 else rng.choice([SUBSET, MULTIWAY])
    n_branches = n_values if test == MULTIWAY else 2
    shares = [0.0] * n_branches
    shares[rng.randrange(n_branches)] = 1.0
    children = [random_stump(rng, schema, n_classes, depth - 1) for _ in range(n_branches)]
    node = inner(test, feature, children, shares)
    node.threshold = rng.choice(CUTS) if test == THRESHOLD else 0.0
    if test == SUBSET:
        node.categories = sorted(rng.sample(range(n_values), rng.randint(0, n_values)))
    return node


def one_hot(label, n_classes):
    return Node([float(c == label) for c in range(n_classes)])


def no():
    return leaf(1.0, 0.0)


def yes():
    return leaf(0.0, 1.0)


class Vote:
    """Stumps with whole points, as the kernels take them and as an ensemble that predicts."""

    def __init__(self, roots, schema, points, priority):
        n_classes = len(priority)
        cores = [core_tree(root, schema) for root in roots]
        base = [0.0] * n_classes
        for index, label in enumerate(priority):
            base[label] = (n_classes - 1 - index) * 2.0**-32
        core = combined(cores, votes=True, tree_weight=[float(p) for p in points], base=base)
        self.ensemble = sl.Ensemble(core, schema, class_names(n_classes), Link("mean", (float(sum(points)),)))
        self.native = _core.VotingTrees(core, list(points), list(priority))

    def tree(self, step=EQUAL, missing=True, max_nodes=100_000):
        core = self.native.stacked(step, missing, max_nodes)
        return None if core is None else sl.Tree(core, self.ensemble.schema, self.ensemble.classes_)

    def graph(self, missing=True, search=True, max_nodes=100_000):
        found = self.native.graph(missing, search, max_nodes, 100_000, 20_000)
        return None if found is None else sl.Graph(found[0], self.ensemble.schema, self.ensemble.classes_)


def random_vote(rng):
    schema = schema_of([rng.choice([0, 0, 2, 3]) for _ in range(rng.randint(1, 4))])
    n_classes = rng.choice([2, 2, 3, 4])
    n_trees = rng.randint(1, 6)
    roots = [random_stump(rng, schema, n_classes, rng.randint(1, 3)) for _ in range(n_trees)]
    points = [1] * n_trees if rng.random() < 0.7 else [rng.randint(1, 3) for _ in range(n_trees)]
    return Vote(roots, schema, points, rng.sample(range(n_classes), n_classes))


def check(vote):
    """Compare everything with the vote, cell by cell."""
    rows = cell_table(vote.ensemble)
    known = cell_table(vote.ensemble, missing=False)
    if rows is None:
        return
    truth = vote.ensemble.predict(rows)
    for model in (*(vote.tree(step) for step in range(4)), vote.graph(), vote.graph(search=False)):
        if model is not None:
            assert (model.predict(rows) == truth).all()
    truth = vote.ensemble.predict(known)
    for model in (vote.tree(POSSIBLE, False), vote.tree(EQUAL, False), vote.graph(missing=False)):
        assert (model.predict(known) == truth).all()


@each(seed=range(400))
def test_tree_and_graph_equal_the_vote_in_every_cell(seed):
    check(random_vote(random.Random(seed)))


@given(randoms())
def test_tree_and_graph_equal_the_vote_in_every_cell_of_any(rng):
    check(random_vote(rng))


@each(seed=range(60))
def test_certificates_say_so(seed):
    vote = random_vote(random.Random(1000 + seed))
    for missing in (True, False):
        for model in (vote.tree(missing=missing), vote.graph(missing=missing)):
            assert sl.certify(model, vote.ensemble, missing=missing).equivalent


@each(seed=range(100))
def test_each_step_makes_the_tree_smaller(seed):
    vote = random_vote(random.Random(seed))
    sizes = [tree.n_nodes for step in range(4) if (tree := vote.tree(step)) is not None]
    assert sizes == sorted(sizes, reverse=True)
    stacked = vote.tree(STACKED)
    if stacked is not None:
        assert stacked.n_nodes == vote.native.stacked_size == vote.tree(ROUNDED).n_nodes


@each(seed=range(100))
def test_the_graph_is_reduced_and_ordered(seed):
    vote = random_vote(random.Random(seed))
    found = vote.native.graph(True, True, 100_000, 100_000, 20_000)
    graph, order = found[0], found[1]
    index = {feature: i for i, feature in enumerate(order)}
    seen = set()
    for v in range(graph.n_nodes):
        begin, end = graph.branch_begin[v : v + 2]
        children = graph.child[begin:end].tolist()
        if not children:
            key = graph.output[v].tobytes()
        else:
            assert len(set(children)) > 1
            feature = int(graph.feature[v])
            categories = graph.category[slice(*graph.category_begin[v : v + 2])]
            key = (feature, float(graph.threshold[v]), categories.tobytes(), tuple(children))
            key += (graph.share[begin:end].tobytes(),)
            below = [int(graph.feature[child]) for child in children if graph.feature[child] >= 0]
            assert all(index[feature] <= index[other] for other in below)
        assert key not in seen
        seen.add(key)


@each(seed=range(60))
def test_the_search_never_makes_the_graph_larger(seed):
    vote = random_vote(random.Random(seed))
    assert vote.graph().n_nodes <= vote.graph(search=False).n_nodes


def paper_vote():
    """Three stumps as in the paper's example: two cut one attribute into three intervals."""
    schema = schema_of([0, 0, 0])
    left, right = [1.0, 0.0], [0.0, 1.0]
    first = at_most(0, 1.0, no(), at_most(0, 2.0, yes(), no(), left), left)
    second = at_most(1, 1.0, at_most(2, 5.0, no(), yes(), right), yes(), right)
    third = at_most(2, 3.0, yes(), at_most(2, 5.0, no(), yes(), left), left)
    return Vote([first, second, third], schema, [1, 1, 1], [0, 1])


def test_the_steps_of_the_paper():
    vote = paper_vote()
    stacked = vote.tree(STACKED, missing=False)
    assert stacked.n_nodes == 2 + 3 * (2 + 3 * (2 + 3))
    shares = sorted({round(float(output[1]), 6) for output in stacked.core.output[stacked.core.test == 0]})
    assert shares == [0.0, 0.333333, 0.666667, 1.0]
    rounded = vote.tree(ROUNDED, missing=False)
    assert set(rounded.core.output[rounded.core.test == 0].ravel().tolist()) == {0.0, 1.0}
    possible, equal = vote.tree(POSSIBLE, missing=False), vote.tree(EQUAL, missing=False)
    assert possible.n_nodes < rounded.n_nodes
    assert equal.n_nodes < possible.n_nodes
    assert vote.graph(missing=False).n_nodes < equal.n_nodes


def test_a_tie_goes_by_priority_in_all_forms():
    schema = schema_of([0, 0])
    stumps = [at_most(f, 0.0, no(), yes(), [1.0, 0.0]) for f in (0, 1)]
    for priority in ([0, 1], [1, 0]):
        vote = Vote(stumps, schema, [1, 1], priority)
        expected = f"class {priority[0]}"
        row = [[-1.0, 1.0]]
        models = [vote.ensemble, vote.graph(), *(vote.tree(step) for step in range(4))]
        assert [model.predict(row)[0] for model in models] == [expected] * 6


def test_values_that_lead_to_the_same_are_one_branch():
    schema = schema_of([4])
    vote = Vote([each_of(0, no(), yes(), no(), no(), shares=[0, 1, 0, 0])], schema, [1], [0, 1])
    graph = vote.graph()
    assert graph.n_nodes == 3
    assert graph.categories(0) == ["v1"]
    assert graph.shares(0).tolist() == [1.0, 0.0]


def test_missing_values_with_an_answer_of_their_own():
    schema = schema_of([2, 2])
    # Known values give one vote each way, a missing one two for yes.
    vote = Vote(
        [one_of(0, [0], no(), yes(), [0.0, 1.0]), one_of(0, [0], yes(), no(), [1.0, 0.0])],
        schema,
        [1, 1],
        [0, 1],
    )
    graph = vote.graph()
    assert graph.n_nodes == 3
    assert graph.to_text().count("has no value") == 1
    assert graph.predict([[None, None]])[0] == "class 1"


def test_beyond_the_budget_there_is_nothing():
    vote = random_vote(random.Random(3))
    size = vote.tree().n_nodes
    assert vote.tree(max_nodes=size).n_nodes == size
    assert vote.tree(max_nodes=size - 1) is None
    assert vote.tree(POSSIBLE, max_nodes=1) is None
    assert vote.tree(STACKED, max_nodes=1) is None
    nodes = vote.graph().n_nodes
    assert vote.graph(max_nodes=nodes).n_nodes == nodes
    assert vote.graph(max_nodes=nodes - 1) is None
    assert vote.native.graph(True, True, 100_000, 1, 20_000) is None


def test_what_the_kernel_refuses():
    schema = schema_of([0])
    tree = core_tree(at_most(0, 0.0, leaf(1.0, 0.0), leaf(0.0, 1.0), [0.5, 0.5]), schema)
    ensemble = combined([tree], votes=True)
    with pytest.raises(ValueError, match=r"^one number of points per tree is required$"):
        _core.VotingTrees(ensemble, [1, 1], [0, 1])
    with pytest.raises(ValueError, match=r"^every class needs its priority$"):
        _core.VotingTrees(ensemble, [1], [0])
    with pytest.raises(ValueError, match=r"^the priorities must name every class once$"):
        _core.VotingTrees(ensemble, [1], [0, 0])
    with pytest.raises(ValueError, match=r"^points must be positive$"):
        _core.VotingTrees(ensemble, [0], [0, 1])
    with pytest.raises(ValueError, match=r"^a missing value must follow one branch$"):
        _core.VotingTrees(ensemble, [1], [0, 1])
    whole = core_tree(leaf(1.0, 0.0), schema)
    native = _core.VotingTrees(combined([whole], votes=True), [1], [0, 1])
    with pytest.raises(ValueError, match=r"^there is no such step$"):
        native.stacked(4, True, 10)
    assert native.stacked(EQUAL, True, 10).n_nodes == 1
    assert native.graph(True, True, 10, 10, 10)[0].n_nodes == 1


def test_all_rows_of_a_table_agree(shared):
    table = sl.read_table(shared / "datasets" / "labor.arff")
    stumps = sl.StumpEnsembleClassifier(max_size=5).fit(table.X, table.y)
    rng = np.random.default_rng(0)
    # Every column shuffled by itself: rows that nobody has seen.
    columns = [column.take(rng.integers(0, len(table), 5_000)) for column in table.columns]
    rows = sl.Table(columns)
    labels_of_stumps = stumps.predict(rows)
    for model in (stumps.to_tree(), stumps.to_graph()):
        assert (model.predict(rows) == labels_of_stumps).all()
