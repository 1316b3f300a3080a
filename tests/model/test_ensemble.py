import pickle
import random

import numpy as np
import pytest
from hypothesis import given
from model import oracle
from scipy.special import expit, softmax
from strategies import (
    DrawnEnsemble,
    at_most,
    class_names,
    core_tree,
    drawn_ensembles,
    each_of,
    leaf,
    node_list,
    one_of,
    random_ensemble,
    random_node,
    random_table,
    randoms,
    rows_of,
    schema_of,
    tree_of,
)

from sightline import Ensemble, Table, _core
from sightline.model import LEAF, Link
from sightline.model._ensemble import combined

NUMBER = schema_of([0])


def stump(low, high, threshold=0.0, shares=()):
    """One score: `low` up to the threshold, `high` above."""
    return at_most(0, threshold, leaf(*np.atleast_1d(low)), leaf(*np.atleast_1d(high)), shares)


def cores(*roots, schema=NUMBER):
    return [core_tree(root, schema) for root in roots]


# ---------------------------------------------------------------- drawn by hand


def test_average_of_probabilities():
    trees = [tree_of(stump([1, 0], [0, 1]), NUMBER), tree_of(stump([0.5, 0.5], [0.25, 0.75], 1.0), NUMBER)]
    ensemble = Ensemble.average(trees)
    assert ensemble.predict_proba([[0.0], [0.5], [2.0]]).tolist() == [
        [0.75, 0.25],
        [0.25, 0.75],
        [0.125, 0.875],
    ]
    assert ensemble.predict([[0.0], [0.5]]).tolist() == ["class 0", "class 1"]
    assert (ensemble.n_trees, ensemble.n_nodes, ensemble.n_classes) == (2, 6, 2)
    assert ensemble.size_ == {"nodes": 6, "leaves": 4, "depth": 1, "rules": 4, "conditions": 4, "features": 1}
    assert repr(ensemble) == "Ensemble(2 trees, 6 nodes, 1 feature, 2 classes)"
    assert ensemble.feature_names == ["f0"]
    assert [tree.to_json() for tree in ensemble.trees] == [tree.to_json() for tree in trees]
    assert ensemble.apply([[0.5]]).tolist() == [[2, 1]]


def test_tie_goes_to_the_lowest_class():
    trees = [tree_of(leaf(1, 0, 0), NUMBER), tree_of(leaf(0, 0, 1), NUMBER)]
    assert Ensemble.average(trees).predict([[0.0]]).tolist() == ["class 0"]


def test_votes_against_go_to_all_other_classes():
    core = combined(
        cores(leaf(0.2, 0.7, 0.1), leaf(0.5, 0.5, 0.0)),
        votes=True,
        tree_weight=[2.0, 3.0],
        vote_against=[-1.0, -1.5],
    )
    ensemble = Ensemble(core, NUMBER, class_names(3), Link("mean", (5.0,)))
    assert ensemble.scores([[0.0]]).tolist() == [[2.0, 0.5, -2.5]]


def test_vote_needs_more_than_the_tolerance():
    for tolerance, winner in ((0.0, 1), (0.05, 1), (0.1, 0)):
        core = combined(cores(leaf(0.45, 0.53)), votes=True, tie_tolerance=tolerance)
        assert Ensemble(core, NUMBER, class_names(2), Link("mean")).scores([[0.0]]).argmax() == winner


def test_sigmoid_predicts_class_1_above_the_limit():
    core = combined(cores(stump(0.0, 1.0)), n_scores=1, tree_score=[0], base=[0.0])
    for label_above, at_zero in ((0.0, "class 0"), (np.nextafter(0, -1), "class 1")):
        ensemble = Ensemble(core, NUMBER, class_names(2), Link("sigmoid", (), label_above))
        assert ensemble.predict([[0.0], [1.0]]).tolist() == [at_zero, "class 1"]
        np.testing.assert_allclose(ensemble.predict_proba([[1.0]]), [[1 - expit(1.0), expit(1.0)]])


def test_softmax_of_one_tree_per_score():
    core = combined(
        cores(stump(1, 2), stump(0, -1), stump(3, 0)), n_scores=3, tree_score=[0, 2, 0], base=[0.0, 0.5, 0.0]
    )
    ensemble = Ensemble(core, NUMBER, class_names(3), Link("softmax"))
    assert ensemble.scores([[0.0], [1.0]]).tolist() == [[4.0, 0.5, 0.0], [2.0, 0.5, -1.0]]
    np.testing.assert_allclose(ensemble.predict_proba([[1.0]]), softmax([[2.0, 0.5, -1.0]], axis=1))


def test_softmax_decides_before_it_divides():
    core = combined(cores(leaf(1.0), leaf(np.nextafter(1.0, 2))), n_scores=2, tree_score=[0, 1])
    ensemble = Ensemble(core, NUMBER, class_names(2), Link("softmax", probability_divisor=3.0))
    assert ensemble.predict([[0.0]]).tolist() == ["class 1"]
    np.testing.assert_allclose(ensemble.predict_proba([[0.0]]), [[0.5, 0.5]])


def test_regression_divides_as_often_as_its_source():
    core = combined(cores(stump(1, 2), stump(3, 5)))
    ensemble = Ensemble(core, NUMBER, None, Link("identity", (2.0, 4.0)))
    assert ensemble.predict([[0.0], [1.0]]).tolist() == [0.5, 0.875]
    assert ensemble.n_classes == 0
    assert repr(ensemble) == "Ensemble(2 trees, 6 nodes, 1 feature, regression)"
    with pytest.raises(AttributeError) as error:
        ensemble.predict_proba([[0.0]])
    assert str(error.value) == "This ensemble is a regression: it has no class probabilities."
    assert [tree.classes_ for tree in ensemble.trees] == [None, None]


def test_weighted_median_is_the_answer_at_half_of_the_weight():
    core = combined(cores(leaf(10.0), leaf(-1.0), leaf(4.0)), tree_weight=[1.0, 1.0, 1.0])
    assert Ensemble(core, NUMBER, None, Link("median")).predict([[0.0]]).tolist() == [4.0]
    core = combined(cores(leaf(10.0), leaf(-1.0), leaf(4.0)), tree_weight=[5.0, 1.0, 1.0])
    assert Ensemble(core, NUMBER, None, Link("median")).predict([[0.0]]).tolist() == [10.0]


def test_single_precision_rounds_after_every_tree():
    weights = [0.1, 0.2, 0.3, 1e-8]
    roots = [leaf(weight) for weight in weights]
    core = combined(cores(*roots), base=[1.0], single_precision=True)
    total = np.float32(1.0)
    for weight in weights:
        total = np.float32(np.float64(total) + weight)
    assert Ensemble(core, NUMBER, None, Link("identity")).predict([[0.0]])[0] == float(total) != 1.6


def test_single_precision_differs_from_double():
    roots = [leaf(0.1)] * 10
    single = combined(cores(*roots), single_precision=True)
    double = combined(cores(*roots))
    rows = _core.Columns([np.zeros(1)], [0], 1)
    assert single.scores(rows, 1)[0, 0] != double.scores(rows, 1)[0, 0]


# ---------------------------------------------------------------- against the oracle


@given(drawn_ensembles(), randoms())
def test_scores_are_those_of_the_oracle(drawn, rng):
    table = random_table(rng, drawn.schema, rng.choice([1, 7, 40]), missing=rng.choice([0.0, 0.25]))
    expected = [oracle.scores(drawn, row) for row in rows_of(table)]
    assert drawn.core().scores(table.native(), 1).tolist() == expected


@given(drawn_ensembles(), randoms())
def test_leaves_and_tree_outputs_are_those_of_the_oracle(drawn, rng):
    n_rows = rng.choice([5, 40])
    table = random_table(rng, drawn.schema, n_rows, missing=rng.choice([0.0, 0.25]))
    core, cells = drawn.core(), rows_of(table)
    leaves = core.find_leaves(table.native(), 1)
    outputs = core.tree_outputs(table.native(), 1)
    assert leaves.shape == outputs.shape[:2] == (n_rows, len(drawn.roots))
    for t, root in enumerate(drawn.roots):
        nodes = node_list(root)
        for row, cell in enumerate(cells):
            assert nodes[leaves[row, t]] is oracle.only_leaf(root, cell)
            assert outputs[row, t].tolist() == oracle.tree_output(root, cell)


@pytest.mark.parametrize("n_rows", [1, 31, 32, 33, 47, 1024, 1025])
@pytest.mark.parametrize("missing", [0.0, 0.001, 0.3])
def test_blocks_of_rows_and_threads_do_not_show(n_rows, missing):
    """Less than 32 rows are asked one by one; blocks hold 1,024 rows, of which 16 walk together."""
    rng = random.Random(n_rows)
    for schema in (schema_of([0, 0]), schema_of([0, 3, 2])):
        roots = [random_node(rng, schema, 2, 4) for _ in range(3)]
        drawn = DrawnEnsemble(
            schema, roots, 2, tree_weight=[1.0, 0.3, 0.1], tree_score=[-1] * 3, base=[0.1, 0.2]
        )
        table, core = random_table(rng, schema, n_rows, missing), drawn.core()
        expected = [oracle.scores(drawn, row) for row in rows_of(table)]
        for n_threads in (1, 2, 3, 16):
            assert core.scores(table.native(), n_threads).tolist() == expected
        one, many = (core.find_leaves(table.native(), n) for n in (1, 7))
        np.testing.assert_array_equal(one, many)
        one, many = (core.tree_outputs(table.native(), n) for n in (1, 7))
        np.testing.assert_array_equal(one, many)


def answers_alone(core, X):
    """The scores of rows that are asked one by one."""
    return np.vstack([core.scores(Table.from_any(X[i : i + 1]).native(), 1) for i in range(len(X))])


@pytest.mark.thorough
def test_more_thresholds_than_one_column_of_codes_holds():
    n_trees, depth = 40, 11
    rng = np.random.default_rng(0)

    def balanced(low, high, level):
        if level == depth:
            return leaf(low)
        middle = float(rng.uniform(low, high))
        return at_most(0, middle, balanced(low, middle, level + 1), balanced(middle, high, level + 1))

    roots = [balanced(0.0, 1.0, 0) for _ in range(n_trees)]
    core = combined(cores(*roots))
    thresholds = np.sort(np.concatenate([tree.threshold[tree.test != LEAF] for tree in core.trees]))
    assert len(np.unique(thresholds)) > 2**16
    near = thresholds[:: len(thresholds) // 200]
    X = np.concatenate([near, np.nextafter(near, -1), np.nextafter(near, 2), [-1.0, 2.0]])[:, None]
    np.testing.assert_array_equal(core.scores(Table.from_any(X).native(), 1), answers_alone(core, X))


@pytest.mark.thorough
def test_more_features_than_there_are_columns_of_codes():
    n_features = 8_200
    schema = schema_of([0] * n_features)
    roots = [at_most(f, 0.5, leaf(float(f)), leaf(-1.0)) for f in range(n_features)]
    core = combined(cores(*roots, schema=schema))
    X = np.random.default_rng(0).random((40, n_features))
    np.testing.assert_array_equal(core.scores(Table.from_any(X).native(), 1), answers_alone(core, X))


def test_zero_has_no_sign():
    for threshold in (0.0, -0.0):
        core = combined(cores(stump(1.0, 2.0, threshold)))
        X = np.array([[0.0], [-0.0]] * 20)
        assert set(core.scores(Table.from_any(X).native(), 1)[:, 0]) == {1.0}


def test_missing_values_go_either_way_at_tests_of_one_feature():
    roots = [stump(1.0, 2.0, 0.5, [1.0, 0.0]), stump(10.0, 20.0, 0.5, [0.0, 1.0])]
    core = combined(cores(*roots))
    X = np.array([[np.nan], [0.0], [1.0]] * 20)
    assert core.scores(Table.from_any(X).native(), 1)[:3, 0].tolist() == [21.0, 11.0, 22.0]


def test_a_chain_is_walked_to_its_end():
    root = leaf(-1.0)
    for depth in range(900):
        root = at_most(0, float(depth), leaf(float(depth)), root) if depth % 2 else root
    for depth in range(898, 0, -2):
        root = at_most(0, float(depth), root, leaf(float(depth)))
    core = combined(cores(root))
    X = np.arange(-2.0, 950.0)[:, None]
    np.testing.assert_array_equal(core.scores(Table.from_any(X).native(), 1), answers_alone(core, X))


@pytest.mark.parametrize("n_values", [[0], [3], [0, 3]])
def test_no_rows_give_no_scores(n_values):
    schema = schema_of(n_values)
    core = combined([core_tree(leaf(1.0, 2.0), schema)])
    arrays = [np.empty(0, dtype=np.int32 if n else np.float64) for n in n_values]
    rows = _core.Columns(arrays, n_values, 0)
    assert core.scores(rows, 4).shape == (0, 2)
    assert core.tree_outputs(rows, 4).shape == (0, 1, 2)
    assert core.find_leaves(rows, 4).shape == (0, 1)


def test_strided_columns_are_read_where_they_are():
    schema = schema_of([0, 0])
    matrix = np.arange(40.0).reshape(10, 4)[:, ::2]
    core = combined([core_tree(at_most(1, 18.0, leaf(1.0), leaf(0.0)), schema)])
    rows = _core.Columns([matrix[:, 0], matrix[:, 1]], [0, 0], 10)
    assert core.scores(rows, 1)[:, 0].tolist() == (matrix[:, 1] <= 18).astype(float).tolist()


def test_codes_that_are_not_declared_count_as_missing():
    schema = schema_of([2])
    core = combined([core_tree(each_of(0, leaf(1.0), leaf(2.0), shares=[0.25, 0.75]), schema)])
    rows = _core.Columns([np.array([0, 1, 2, -1, -7, 2**31 - 1], dtype=np.int32)], [2], 6)
    assert core.scores(rows, 1)[:, 0].tolist() == [1.0, 2.0, 1.75, 1.75, 1.75, 1.75]
    assert core.find_leaves(rows, 1)[:, 0].tolist() == [1, 2, 2, 2, 2, 2]


def test_infinite_numbers_take_the_outer_branches():
    core = combined([core_tree(at_most(0, 1e308, leaf(1.0), leaf(2.0)), NUMBER)])
    rows = _core.Columns([np.array([np.inf, -np.inf])], [0], 2)
    assert core.scores(rows, 1)[:, 0].tolist() == [2.0, 1.0]


def test_models_take_infinite_numbers_as_the_largest():
    largest = np.finfo(np.float64).max
    for threshold, answers in ((0.0, [1.0, 2.0]), (largest, [1.0, 1.0])):
        ensemble = Ensemble.average([tree_of(stump([1, 2], [2, 1], threshold), NUMBER)])
        for dtype in (np.float32, np.float64):
            rows = np.array([[-np.inf], [np.inf]], dtype=dtype)
            assert ensemble.scores(rows)[:, 0].tolist() == answers


@given(drawn_ensembles(), randoms())
def test_public_predictions_follow_from_the_scores(drawn, rng):
    model = drawn.model()
    table = random_table(rng, drawn.schema, 8)
    divided = model.link.divided(model.scores(table))
    probabilities = model.predict_proba(table)
    assert probabilities.shape == (8, model.n_classes)
    labels = model.predict(table)
    for row in range(8):
        expected = int(divided[row, 0] > 0) if model.link.kind == "sigmoid" else np.argmax(divided[row])
        assert labels[row] == model.classes_[expected]
    if model.link.kind != "mean":
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.scores(table), model.scores(table))


def test_n_jobs_does_not_change_the_answer():
    rng = random.Random(2)
    drawn = random_ensemble(rng)
    table = random_table(rng, drawn.schema, 1500)
    model = drawn.model()
    for ask in (model.predict, model.predict_proba, model.scores, model.apply):
        np.testing.assert_array_equal(ask(table), ask(table, n_jobs=2))
        np.testing.assert_array_equal(ask(table), ask(table, n_jobs=-1))


# ---------------------------------------------------------------- errors

VALID = {
    "n_scores": 2,
    "votes": False,
    "tree_weight": [1.0, 1.0],
    "vote_against": [],
    "tree_score": [-1, -1],
    "base": [0.0, 0.0],
    "single_precision": [False, False],
    "tie_tolerance": 0.0,
    "base_last": [False, False],
}


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"single_precision": [True]}, "the ensemble's 'single_precision' has length 1; expected 2"),
        ({"base_last": [True] * 3}, "the ensemble's 'base_last' has length 3; expected 2"),
        ({"n_scores": 0, "base": []}, "an ensemble needs at least one score"),
        ({"tree_weight": [1.0]}, "the ensemble's 'tree_weight' has length 1; expected 2"),
        ({"tree_score": [-1] * 3}, "the ensemble's 'tree_score' has length 3; expected 2"),
        ({"vote_against": [0.0] * 2}, "the ensemble's 'vote_against' has length 2; expected 0"),
        ({"votes": True}, "the ensemble's 'vote_against' has length 0; expected 2"),
        ({"base": [0.0]}, "the ensemble's 'base' has length 1; expected 2"),
        ({"base": [0.0, np.nan]}, "the ensemble's 'base' is not finite"),
        ({"votes": True, "vote_against": [0.0, np.inf]}, "the ensemble's 'vote_against' is not finite"),
        ({"tree_weight": [1.0, np.inf]}, "tree 1: the weight is not finite"),
        ({"tree_score": [-1, 2]}, "tree 1: score 2 does not exist (there are 2)"),
        ({"tree_score": [-2, -1]}, "tree 0: score -2 does not exist (there are 2)"),
        (
            {"votes": True, "vote_against": [0.0] * 2, "tree_score": [-1, 0]},
            "tree 1: a tree that votes must know every class",
        ),
        ({"tree_score": [-1, 0]}, "tree 1: it has 2 outputs; expected 1"),
        (
            {
                "n_scores": 3,
                "base": [0.0] * 3,
                "single_precision": [False] * 3,
                "base_last": [False] * 3,
            },
            "tree 0: it has 2 outputs; expected 3",
        ),
        ({"tie_tolerance": np.nan}, "the ensemble's 'tie_tolerance' must be finite and not negative"),
        ({"tie_tolerance": -1.0}, "the ensemble's 'tie_tolerance' must be finite and not negative"),
    ],
)
def test_parts_that_do_not_fit_are_named(wrong, sentence):
    trees = cores(stump([1, 0], [0, 1]), leaf(0.5, 0.5))
    _core.Ensemble(trees=trees, **VALID)
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the whole sentence is compared
        _core.Ensemble(trees=trees, **VALID | wrong)
    assert str(error.value) == sentence


def test_trees_must_be_over_the_same_features():
    trees = [core_tree(leaf(1, 0), NUMBER), core_tree(leaf(1, 0), schema_of([3]))]
    with pytest.raises(ValueError, match=r"^tree 1: its features differ from those of tree 0$"):
        _core.Ensemble(trees=trees, **VALID)


def test_ensemble_of_nothing():
    with pytest.raises(ValueError, match=r"^an ensemble needs at least one tree$"):
        _core.Ensemble(trees=[], **VALID)


def test_rows_must_have_the_columns_of_the_trees():
    core = combined([core_tree(one_of(0, [1], leaf(1.0), leaf(0.0)), schema_of([2]))])
    for arrays, n_values in (([np.zeros(1)], [0]), ([np.zeros(1, dtype=np.int32)], [3]), ([], [])):
        rows = _core.Columns(arrays, n_values, 1)
        for ask in (core.scores, core.tree_outputs, core.find_leaves):
            with pytest.raises(ValueError, match=r"^the columns differ from the ensemble's features$"):
                ask(rows, 1)


def test_tree_outputs_of_different_widths():
    # Two scores: one tree gives both, the other the second only.
    trees = cores(leaf(1.0, 2.0), leaf(3.0))
    core = combined(trees, n_scores=2, tree_score=[-1, 1])
    rows = Table.from_any([[0.0]]).native()
    assert core.scores(rows, 1).tolist() == [[1.0, 5.0]]
    with pytest.raises(ValueError, match=r"^the trees have different numbers of outputs$"):
        core.tree_outputs(rows, 1)
