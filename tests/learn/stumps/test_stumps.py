"""Stump ensembles as an estimator: what it finds, shows and refuses."""

import pickle
import random
import re

import numpy as np
import pandas as pd
import pytest
from cases import each
from grid import cell_table
from learn.stump_reference import Problem, grown, pruned, vote
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from strategies import random_labels, random_schema, random_table, rows_of

import sightline as sl
from sightline.learn.stumps._size import SizeChoice
from sightline.learn.stumps._vote import head_start


def random_training(seed, n_classes=None, max_rows=40):
    rng = random.Random(seed)
    schema = random_schema(rng, 4)
    table = random_table(rng, schema, rng.randint(2, max_rows), missing=rng.choice([0.0, 0.2]))
    return table, random_labels(rng, table.n_rows, n_classes or rng.choice([2, 3, 4]))


@each(seed=range(25))
def test_the_default_is_the_reference_in_order_of_quality(seed):
    table, labels = random_training(seed, max_rows=14)
    problem = Problem(rows_of(table), labels.codes.tolist(), table.schema.n_values, len(labels.classes_))
    candidates = problem.all_stumps(2)
    votes = [[vote(stump, row) for row in problem.rows] for stump in candidates]
    wrong = [sum(v != y for v, y in zip(row, problem.labels, strict=True)) for row in votes]
    order = sorted(range(len(votes)), key=lambda i: (wrong[i], i))
    expected = grown(votes, order, problem.labels, problem.n_classes)
    expected = pruned(votes, expected, problem.labels, problem.n_classes) if expected else []
    stumps = sl.StumpEnsembleClassifier().fit(table, labels)
    chosen = np.column_stack([votes[i] for i in expected]) if expected else None
    if chosen is None:
        assert [stump.n_nodes for stump in stumps.stumps_] == [1]
    else:
        assert (stumps.votes(table) == labels.classes_[chosen]).all()


@each(seed=range(80))
@pytest.mark.parametrize("multiclass", ["native", "ovr"])
def test_tree_and_graph_equal_the_vote_in_every_cell(seed, multiclass):
    table, labels = random_training(seed)
    nominal = random.Random(seed).choice(["multiway", "binary"])
    stumps = sl.StumpEnsembleClassifier(multiclass=multiclass, nominal=nominal, max_size=4)
    stumps.fit(table, labels)
    tree = stumps.to_tree(max_nodes=100_000)
    graph = stumps.to_graph(max_nodes=100_000)
    rows = cell_table(stumps.ensemble_)
    if rows is not None:
        truth = stumps.predict(rows)
        assert (tree.predict(rows) == truth).all()
        assert (graph.predict(rows) == truth).all()
    if seed % 8 == 0:
        assert sl.certify(tree, stumps).equivalent
        assert sl.certify(graph, stumps).equivalent


@each(seed=range(20))
def test_the_vote_is_counted_and_ties_go_to_the_more_frequent_class(seed):
    table, labels = random_training(seed)
    stumps = sl.StumpEnsembleClassifier(prune=False).fit(table, labels)
    counts = np.bincount(labels.codes, minlength=len(labels.classes_))
    for row_votes, label in zip(stumps.votes(table), stumps.predict(table), strict=True):
        best = max(range(len(counts)), key=lambda c: ((row_votes == labels.classes_[c]).sum(), counts[c], -c))
        assert label == labels.classes_[best]


@each(seed=range(20))
def test_one_against_the_rest_follows_the_surest(seed):
    table, labels = random_training(seed, n_classes=3)
    stumps = sl.StumpEnsembleClassifier(multiclass="ovr").fit(table, labels)
    assert len(stumps.ensembles_) == 3
    shares = np.column_stack([ensemble.predict_proba(table)[:, 1] for ensemble in stumps.ensembles_])
    counts = np.bincount(labels.codes, minlength=3)
    for share, label in zip(shares, stumps.predict(table), strict=True):
        best = max(range(3), key=lambda c: (round(share[c], 6), counts[c], -c))
        assert label == labels.classes_[best]


def test_probabilities_are_shares_of_votes():
    X, y = load_breast_cancer(return_X_y=True)
    stumps = sl.StumpEnsembleClassifier(max_size=5).fit(X, y)
    share = (stumps.votes(X) == 1).mean(axis=1)
    np.testing.assert_allclose(stumps.predict_proba(X)[:, 1], share, atol=1e-8)


def test_limits_of_size():
    X, y = load_breast_cancer(return_X_y=True)
    assert len(sl.StumpEnsembleClassifier(max_size=1).fit(X, y).stumps_) == 1
    assert len(sl.StumpEnsembleClassifier(max_size=4, prune=False).fit(X, y).stumps_) <= 4
    assert len(sl.StumpEnsembleClassifier(min_size=9, prune=False).fit(X, y).stumps_) >= 9


def test_size_by_cross_validation():
    X, y = load_wine(return_X_y=True)
    stumps = sl.StumpEnsembleClassifier(max_size="cv", random_state=0).fit(X, y)
    assert stumps.max_size_ == stumps.size_choice_.best
    assert len(stumps.stumps_) <= (stumps.max_size_ or 99)
    again = sl.StumpEnsembleClassifier(max_size="cv", random_state=0).fit(X, y)
    assert (again.size_choice_.error == stumps.size_choice_.error).all()
    both = sl.StumpEnsembleClassifier(max_size="cv", multiclass="ovr", random_state=0).fit(X, y)
    assert both.max_size_ in both.size_choice_.sizes


def test_one_standard_error_prefers_the_smaller():
    error, spread = np.array([0.30, 0.215, 0.20]), np.array([0.02] * 3)
    assert SizeChoice((1, 3, None), error, spread).best == 3
    assert SizeChoice((1, 3, None), error, spread / 4).best is None


@pytest.mark.thorough
def test_reweighting_varies_the_cuts():
    X, y = load_breast_cancer(return_X_y=True)
    plain = sl.StumpEnsembleClassifier(prune=False).fit(X, y)
    reweighted = sl.StumpEnsembleClassifier(prune=False, reweight=True).fit(X, y)
    assert _loss(reweighted, X, y) < _loss(plain, X, y)

    def cuts(model):
        cores = [stump.core for stump in model.stumps_]
        return {
            (int(f), float(t)) for core in cores for f, t in zip(core.feature, core.threshold, strict=True)
        }

    assert len(cuts(reweighted) - cuts(plain)) > 0
    assert sl.certify(reweighted.to_graph(max_nodes=50_000), reweighted).equivalent


def _loss(model, X, y):
    share = (model.votes(X) == 1).mean(axis=1)
    return ((y - share) ** 2).sum()


@pytest.mark.parametrize("order", ["quality", "natural", "random"])
@pytest.mark.parametrize("max_depth", [1, 2, 3])
def test_orders_and_depths(order, max_depth):
    X, y = load_iris(return_X_y=True)
    stumps = sl.StumpEnsembleClassifier(order=order, max_depth=max_depth, random_state=3).fit(X, y)
    assert max(stump.depth for stump in stumps.stumps_) <= max_depth
    assert stumps.score(X, y) > 0.5
    again = clone(stumps).set_params(n_jobs=2).fit(X, y)
    assert again.to_json() == stumps.to_json()


def test_natural_order_offers_shallow_stumps_first():
    # Min_size stumps join unseen: the first ones by the indices of their attributes.
    X, y = load_breast_cancer(return_X_y=True)
    stumps = sl.StumpEnsembleClassifier(order="natural", min_size=3, max_size=3, prune=False, passes=1)
    first = sl.StumpEnsembleClassifier(order="natural", min_size=3, max_size=3, prune=False, passes=1)
    first.fit(X[:, :3], y)
    stumps.fit(X, y)
    assert [stump.depth for stump in first.stumps_] != [0, 0, 0]
    assert len(stumps.stumps_) == 3


def test_missing_values_and_unseen_categories_follow_the_majority():
    frame = pd.DataFrame({"colour": ["red"] * 6 + ["blue"] * 3, "age": [1.0, 2, 3, 4, 5, 6, 7, 8, np.nan]})
    y = ["no"] * 6 + ["yes"] * 3
    stumps = sl.StumpEnsembleClassifier(max_depth=1, max_size=1).fit(frame[["colour"]], y)
    unseen = pd.DataFrame({"colour": ["green", None, "blue", "red"]})
    for model in (stumps, stumps.to_tree(), stumps.to_graph()):
        assert model.predict(unseen).tolist() == ["no", "no", "yes", "no"]
    stumps = sl.StumpEnsembleClassifier(max_depth=1, max_size=1).fit(frame[["age"]], y)
    for model in (stumps, stumps.to_tree(), stumps.to_graph()):
        assert model.predict(pd.DataFrame({"age": [np.nan, 8.0, 1.0]})).tolist() == ["no", "yes", "no"]
    # The row without an age counts where most others go.
    assert stumps.stumps_[0].core.counts[1].tolist() == [6.0, 1.0]


def test_it_is_loaded_stored_and_certified_like_any_ensemble(tmp_path):
    X, y = load_iris(return_X_y=True)
    for multiclass in ("native", "ovr"):
        stumps = sl.StumpEnsembleClassifier(multiclass=multiclass).fit(X, y)
        stumps.to_json(tmp_path / "stumps.json")
        again = sl.read_model(tmp_path / "stumps.json")
        assert (again.predict(X) == stumps.predict(X)).all()
        assert sl.certify(again, stumps).equivalent
        assert sl.certify(sl.merge(stumps), stumps.to_graph()).equivalent
        copy = pickle.loads(pickle.dumps(stumps))
        assert (copy.predict_proba(X) == stumps.predict_proba(X)).all()
        assert copy.to_graph().n_nodes == stumps.to_graph().n_nodes
        assert sl.load(stumps).n_trees == len(stumps.stumps_)


def test_rows_can_be_counted():
    X, y = load_iris(return_X_y=True)
    stumps = sl.StumpEnsembleClassifier(max_size=3).fit(X, y)
    assert stumps.to_tree(X=X).core.weight[0] == 150
    assert stumps.to_graph(X=X).core.weight[0] == 150


def test_the_head_start_decides_ties_only():
    assert head_start([2, 0, 1]) == [2.0**-32, 0.0, 2.0**-31]


# ---------------------------------------------------------------- tables


@pytest.mark.parametrize("seed", range(10))
def test_errors_alone_and_without(seed):
    table, labels = random_training(seed, n_classes=2)
    stumps = sl.StumpEnsembleClassifier(prune=False).fit(table, labels)
    found = stumps.tables_[0]
    votes = stumps.votes(table)
    truth = np.asarray(labels)
    assert found.alone.tolist() == [(votes[:, i] != truth).mean() for i in range(len(found))]
    assert found.error == (stumps.predict(table) != truth).mean()
    priority = np.argsort(-np.bincount(labels.codes, minlength=2), kind="stable")
    for i in range(len(found)):
        rest = np.delete(votes, i, axis=1)
        counts = np.column_stack([(rest == c).sum(axis=1) for c in labels.classes_])
        winner = np.where(counts[:, 0] == counts[:, 1], priority[0], counts.argmax(axis=1))
        assert found.without[i] == (labels.classes_[winner] != truth).mean()
        if rest.shape[1] == 0:
            assert np.isnan(found.loss_without[i])
            continue
        share = counts / rest.shape[1]
        expected = ((np.eye(2)[labels.codes] - share) ** 2).sum() / len(labels)
        assert found.loss_without[i] == pytest.approx(expected)


# ---------------------------------------------------------------- bad input


def sentence(text):
    return f"^{re.escape(text)}$"


@pytest.mark.parametrize(
    ("parameters", "allowed"),
    [
        ({"max_depth": 0}, "an int in the range [1, 3]"),
        ({"max_depth": 4}, "an int in the range [1, 3]"),
        ({"min_size": 0}, "an int in the range [1, inf)"),
        ({"max_size": "best"}, "an int in the range [1, inf), a str among {'cv'} or None"),
        ({"max_size": 0}, "an int in the range [1, inf), a str among {'cv'} or None"),
        ({"min_leaf": 0}, "an int in the range [1, inf) or None"),
        ({"passes": 0}, "an int in the range [1, 2147483647] or None"),
    ],
)
def test_parameters_out_of_range(parameters, allowed):
    (name, value), *_ = parameters.items()
    text = f"The '{name}' parameter of StumpEnsembleClassifier must be {allowed}. Got {value!r} instead."
    with pytest.raises(sl.ParameterError, match=sentence(text)):
        sl.StumpEnsembleClassifier(**parameters).fit([[1.0], [2.0]], [0, 1])


def test_more_than_64_classes():
    X = np.arange(130, dtype=float).reshape(-1, 1)
    y = np.repeat(np.arange(65), 2)
    text = 'y has 65 classes, but one vote can have at most 64. Set multiclass="ovr", or merge classes.'
    with pytest.raises(sl.DataError, match=sentence(text)):
        sl.StumpEnsembleClassifier().fit(X, y)
    stumps = sl.StumpEnsembleClassifier(multiclass="ovr", max_size=1).fit(X, y)
    assert len(stumps.predict(X)) == 130
    assert sl.StumpEnsembleClassifier().fit(X[:128], y[:128]).score(X[:128], y[:128]) > 0


def test_more_stumps_than_memory():
    X = np.zeros((10_000, 700))
    text = (
        "The votes of up to 343,490,700 stumps of depth 3 on 700 columns and 10,000 rows would take "
        "402 GiB. Use a smaller max_depth, or fewer columns or rows."
    )
    with pytest.raises(sl.BudgetExceeded, match=sentence(text)):
        sl.StumpEnsembleClassifier(max_depth=3).fit(X, np.arange(10_000) % 2)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1.0], [2.0]], ["a", "b"]),  # two rows: no test leaves two on each side
        ([[1.0]], ["a"]),
        ([[0.0, 5.0]] * 6, ["a", "b", "b"] * 2),  # constant attributes
        ([[np.nan]] * 4, ["a", "b", "b", "b"]),
        ([[1.0], [2.0], [3.0], [4.0]], ["a"] * 4),  # a single class
    ],
)
def test_where_no_stump_is_possible_the_most_frequent_class_is_predicted(X, y):
    for parameters in ({}, {"max_size": "cv", "random_state": 0}, {"reweight": True}, {"max_depth": 3}):
        stumps = sl.StumpEnsembleClassifier(**parameters).fit(X, y)
        most = max(sorted(set(y)), key=y.count)
        assert stumps.predict(X).tolist() == [most] * len(y)
        assert [stump.n_nodes for stump in stumps.stumps_] == [1]
        assert stumps.to_tree().n_nodes == stumps.to_graph().n_nodes == 1
        assert "no test separates the classes" in stumps.to_text()
        assert str(stumps.explain(X[0])).startswith(f"Predicted {most}. 1 of 1 stump votes for it:")


def test_fewer_stumps_than_min_size():
    X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"]
    stumps = sl.StumpEnsembleClassifier(min_size=50, prune=False).fit(X, y)
    assert len(stumps.stumps_) == 1
    assert stumps.score(X, y) == 1.0


def test_beyond_the_budget_the_stumps_are_shown():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    stumps = sl.StumpEnsembleClassifier(max_size=7, prune=False).fit(X, y)
    for form, convert in (("tree", stumps.to_tree), ("graph", stumps.to_graph)):
        text = (
            f"The {form} of these 7 stumps has more than 3 nodes. Read the stumps themselves, "
            "raise max_nodes, or fit with a smaller max_size."
        )
        with pytest.raises(sl.BudgetExceeded, match=sentence(text)):
            convert(max_nodes=3)
        assert stumps.to_text(form, max_nodes=3) == f"{text}\n\n{stumps.to_text()}"
        drawn = [artist.get_text() for artist in stumps.plot(form=form, max_nodes=3).texts]
        assert drawn[0] == text


def test_unknown_steps_and_forms():
    stumps = sl.StumpEnsembleClassifier().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
    text = (
        "The 'step' parameter of to_tree must be one of 'stacked', 'rounded', 'possible', 'equal', "
        "'smallest'. "
        "Got 'last' instead."
    )
    with pytest.raises(sl.ParameterError, match=sentence(text)):
        stumps.to_tree("last")
    text = "The 'form' parameter must be 'stumps', 'tree' or 'graph'. Got 'forest' instead."
    with pytest.raises(sl.ParameterError, match=sentence(text)):
        stumps.to_text("forest")
    text = "The 'max_nodes' parameter of to_graph must be a whole number from 1. Got 0 instead."
    with pytest.raises(sl.ParameterError, match=sentence(text)):
        stumps.to_graph(max_nodes=0)


# ---------------------------------------------------------------- the paper's sets


def test_the_glass_class_of_the_paper_is_read_as_a_small_graph(shared):
    table = sl.read_table(shared / "datasets" / "glass.arff")
    stumps = sl.StumpEnsembleClassifier(max_size=3).fit(table.X, table.y.codes == 2)
    sizes = [tree.n_nodes for tree in stumps.tree_steps().values()]
    assert sizes == sorted(sizes, reverse=True)
    graph = stumps.to_graph()
    assert graph.n_nodes <= sizes[-1]
    assert sl.certify(graph, stumps).equivalent


@pytest.mark.parametrize("missing", [False, True])
def test_the_smallest_tree_equals_the_vote(missing):
    X, y = load_iris(return_X_y=True)
    stumps = sl.StumpEnsembleClassifier(max_size=5, random_state=0).fit(X, y)
    equal, smallest = (stumps.to_tree(step, missing=missing) for step in ("equal", "smallest"))
    assert smallest.n_leaves <= equal.n_leaves
    assert sl.certify(smallest, stumps, missing=missing).equivalent
