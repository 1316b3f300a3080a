import itertools
import pickle

import numpy as np
import pytest
import setgen_reference as reference
from cases import thorough_after
from hypothesis import given, settings
from hypothesis import strategies as st

import sightline as sl
from sightline.learn.setgen import _evaluation
from sightline.learn.setgen._evaluation import Abandonment, Evaluator, Workers
from sightline.table import stratified_folds

BASES = [
    sl.C45Classifier(),
    sl.C45Classifier(binary_splits=True, subtree_raising=False),
    sl.C45Classifier(prune=False, collapse=False, min_leaf=1),
    sl.C45Classifier(max_depth=2, max_leaves=3),
]


def evaluator(seed=0, base=BASES[0], n_folds=5, n_classes=2, weights=(0.75, 0.5), n_rows=60):
    X, y = reference.small_table(n_rows, seed, n_classes)
    folds = stratified_folds(y.codes, n_folds, np.random.RandomState(seed))
    return Evaluator(X, y, folds, base, *weights)


def every_set(n_features=5):
    return np.array(list(itertools.product([False, True], repeat=n_features)))


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("seed", thorough_after(1, [1, 0, 2]))
def test_every_set_equals_the_slow_reference(base, seed):
    own = evaluator(seed, base, n_classes=3 if seed == 1 else 2)
    own.confidence = 0.25
    for members, found in zip(every_set(), own.evaluate(every_set()), strict=True):
        expected = reference.evaluate(own.table, own.labels, own.folds, members, base, 0.25)
        assert found == pytest.approx(expected, abs=1e-12), members


@pytest.mark.parametrize("confidence", [1e-300, 1e-20, 1e-9])
def test_tiny_confidences_equal_the_slow_reference(confidence):
    own = evaluator(n_rows=120)
    (level,) = own.choose_confidence((confidence,))
    every = np.ones(5, dtype=bool)
    expected = reference.evaluate(own.table, own.labels, own.folds, every, own.base, confidence)
    assert level == pytest.approx(expected, abs=1e-12)
    assert own.evaluate(every[None, :])[0] == pytest.approx(expected, abs=1e-12)


def large_table(seed, n_rows=200):
    """Columns that can be tested for long and columns that soon cannot, with and without missing values."""
    random = np.random.RandomState(seed)
    labels = random.randint(2, size=n_rows)
    signal = labels + random.normal(0, 0.8, n_rows)
    columns = {
        "signal": signal,
        "rounded": np.round(signal + random.normal(0, 0.3, n_rows), 1),
        # Neighbours are too close to be told apart, those farther away are not.
        "close": 4e-6 * np.round(5 * signal),
        "rare": (random.rand(n_rows) < 0.03).astype(float),
        "noise": random.normal(0, 1, n_rows),
        "letter": np.array(list("abcdef"))[random.randint(6, size=n_rows)],
        "hint": np.array(list("abc"))[(labels + (random.rand(n_rows) < 0.4)) % 3],
        # More values than take part in the mean gain, unless there are no others.
        "name": np.array([f"n{code}" for code in random.randint(90, size=n_rows)]),
        "title": np.array([f"t{code}" for code in 2 * random.randint(45, size=n_rows) + labels]),
    }
    columns = {name: np.array(values, dtype=object) for name, values in columns.items()}
    for name in ("rounded", "noise", "hint", "letter"):
        columns[name][random.rand(n_rows) < 0.06] = None
    X = sl.Table.from_any(np.column_stack(list(columns.values())), feature_names=list(columns))
    return X, sl.Labels.from_any(labels)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("cache_bytes", thorough_after(2, [400_000, 0, 512 * 2**20]))
def test_many_sets_equal_trees_grown_one_by_one(base, cache_bytes, monkeypatch):
    """The size of the cache does not matter: a small one is cleared again and again."""
    monkeypatch.setattr(_evaluation, "CACHE_BYTES", cache_bytes)
    X, y = large_table(seed=3)
    folds = stratified_folds(y.codes, 3, np.random.RandomState(0))
    own = Evaluator(X, y, folds, base, 0.75, 0.5)
    own.confidence = 0.25
    sets = np.unique(np.random.RandomState(1).rand(80, len(X.columns)) < 0.45, axis=0)
    for members, found in zip(sets, own.evaluate(sets), strict=True):
        expected = reference.evaluate(X, y, folds, members, base, 0.25)
        assert found == pytest.approx(expected, abs=1e-12), members
    own.forget()


@pytest.mark.parametrize(("n_rows", "n_columns"), [(3000, 3), (60, 70)])
def test_the_cache_changes_nothing_in_long_and_in_wide_tables(n_rows, n_columns, monkeypatch):
    """It sorts the rows of a node that is small beside its table, and notes 64 columns per word."""
    random = np.random.RandomState(0)
    values = random.normal(size=(n_rows, n_columns))
    values[random.rand(n_rows) < 0.05, 0] = np.nan
    X = sl.Table.from_any(values)
    y = sl.Labels.from_any(random.randint(2, size=n_rows))
    folds = stratified_folds(y.codes, 2, random)
    sets = np.ones((3, n_columns), dtype=bool)
    sets[1, :2] = sets[2, -1] = False
    found = []
    for cache_bytes in (0, 512 * 2**20):
        monkeypatch.setattr(_evaluation, "CACHE_BYTES", cache_bytes)
        own = Evaluator(X, y, folds, sl.C45Classifier(prune=False, mdl_correction=False), 0.75, 0.5)
        own.confidence = 0.25
        found.append(own.evaluate(sets))
        own.forget()
    assert found[0] == found[1]


@pytest.mark.parametrize("collapse", [True, False])
def test_confidences_are_judged_as_sets_are(collapse):
    own = evaluator(base=sl.C45Classifier(collapse=collapse), n_rows=120)
    confidences = (0.05, 0.25, 0.5)
    for confidence, found in zip(confidences, own.choose_confidence(confidences), strict=True):
        every = np.ones(5, dtype=bool)
        expected = reference.evaluate(own.table, own.labels, own.folds, every, own.base, confidence)
        assert found == pytest.approx(expected, abs=1e-12)


@settings(max_examples=15)
@given(st.permutations(range(32)), st.integers(0, 5))
def test_the_cache_changes_nothing(order, seed):
    """Sets evaluated after others, in any order, are worth what they are worth alone."""
    fresh = evaluator(seed)
    together = dict(zip(order, fresh.evaluate(every_set()[order]), strict=True))
    fresh.forget()
    for index in order[:4]:
        alone = evaluator(seed)
        assert alone.evaluate(every_set()[index : index + 1]) == [together[index]]
        alone.forget()


def alone_and_together(X, y, base, sets):
    """Evaluate sets with a cache of their own, and with one that all of them share."""
    folds = stratified_folds(y.codes, 2, np.random.RandomState(0))
    own = Evaluator(X, y, folds, base, 0.75, 0.5)
    alone = []
    for members in sets:
        alone += own.evaluate(members[None, :])
        own.forget()
    together = own.evaluate(sets)
    own.forget()
    return alone, together


def test_the_same_rows_at_another_depth_have_another_subtree():
    """Column "both" leads with one test to rows that "one" and "other" need two for; the depth is limited."""
    bits = np.tile(np.array(list(itertools.product([0, 1], repeat=5))), (8, 1))
    one, other, *rest = bits.T
    both = one & other
    labels = np.where(both == 1, 1 + (rest[0] & rest[1] & rest[2]), 0)
    X = sl.Table.from_any(
        np.column_stack([both, one, other, *rest]).astype(float),
        feature_names=["both", "one", "other", "x", "y", "z"],
    )
    base = sl.C45Classifier(max_depth=4, prune=False, collapse=False)
    sets = np.array([[1, 0, 0, 1, 1, 1], [0, 1, 1, 1, 1, 1]], dtype=bool)
    alone, together = alone_and_together(X, sl.Labels.from_any(labels), base, sets)
    assert together == alone
    assert together[0].accuracy == 1 > together[1].accuracy


def test_columns_of_many_values_are_tested_only_if_a_set_has_no_others():
    """The constant has no test anywhere, but it keeps the names from being tested."""
    labels = np.arange(60) % 2
    names = np.array([f"n{2 * (row // 6) + row % 2}" for row in range(60)])
    X = sl.Table.from_any(
        np.column_stack([names, np.zeros(60)]).astype(object), feature_names=["name", "constant"]
    )
    sets = np.array([[1, 0], [1, 1]], dtype=bool)
    alone, together = alone_and_together(X, sl.Labels.from_any(labels), sl.C45Classifier(), sets)
    assert together == alone
    assert together[0].nodes > 1 == together[1].nodes


def test_levels_equal_evaluations_at_each_level():
    own = evaluator(3)
    levels = (0.05, 0.25, 0.45, 0.95)
    found = own.choose_confidence(levels)
    for level, evaluation in zip(levels, found, strict=True):
        own.confidence = level
        assert own.evaluate(np.ones((1, 5), dtype=bool)) == [evaluation]


def test_the_strongest_pruning_wins_ties():
    own = evaluator(0, sl.C45Classifier(prune=False))
    own.choose_confidence((0.05, 0.25, 0.5))
    assert own.confidence == 0.05


def test_the_empty_set_is_a_majority_leaf():
    own = evaluator(0)
    (found,) = own.evaluate(np.zeros((1, 5), dtype=bool))
    assert (found.nodes, found.leaves) == (1, 1)
    assert found.fitness == pytest.approx(0.75 * found.accuracy + 0.25 * (1 - 0.5 / 48))


def test_the_paper_s_fitness_divides_mean_nodes_by_mean_rows():
    # 60 rows in 7 folds: the folds differ in size.
    own = evaluator(0, n_folds=7, weights=(0.75, 0.5, "of_means"))
    own.confidence = 0.25
    every = np.ones(5, dtype=bool)
    expected = [
        reference.evaluate(own.table, own.labels, own.folds, every, own.base, 0.25, of_means=of_means)
        for of_means in (True, False)
    ]
    assert own.evaluate(every[None, :])[0] == pytest.approx(expected[0], abs=1e-12)
    assert abs(expected[0][4] - expected[1][4]) > 1e-9


def test_weights_of_the_fitness():
    own = evaluator(0, weights=(1.0, 0.5))
    assert all(found.fitness == found.accuracy for found in own.evaluate(every_set()))
    own = evaluator(0, weights=(0.0, 0.0))
    expected = [1 - members.sum() / 5 for members in every_set()]
    assert [found.fitness for found in own.evaluate(every_set())] == pytest.approx(expected)


def test_what_is_given_up_could_not_have_mattered():
    own = evaluator(1)
    exact = own.evaluate(every_set())
    points = np.array([[e.accuracy, e.nodes, m.sum()] for e, m in zip(exact, every_set(), strict=True)])
    below = float(np.median([e.fitness for e in exact]))
    found = own.evaluate(every_set(), Abandonment(below, points))
    assert any(bound.n_folds < 5 for bound in found)
    for bound, full, members in zip(found, exact, every_set(), strict=True):
        if bound.n_folds == 5:
            assert bound == full
            continue
        assert full.fitness <= bound.fitness < below
        assert full.accuracy <= bound.accuracy
        assert full.nodes >= bound.nodes
        rivals = points[(points[:, 0] >= full.accuracy) & (points[:, 1] <= full.nodes)]
        assert (rivals[:, 2] <= members.sum()).any()


def test_nothing_is_given_up_without_a_rival():
    own = evaluator(1)
    found = own.evaluate(every_set(), Abandonment(2.0, np.empty((0, 3))))
    assert all(evaluation.n_folds == 5 for evaluation in found)


def test_an_evaluator_travels_without_its_kernel():
    own = evaluator(2)
    own.choose_confidence((0.1, 0.4))
    travelled = pickle.loads(pickle.dumps(own))
    own.forget()
    assert travelled.evaluate(every_set()) == own.evaluate(every_set())


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_workers_answer_in_the_order_of_the_sets(n_jobs):
    own = evaluator(0)
    with Workers(own, n_jobs) as workers:
        assert workers.evaluate(every_set(), None) == own.evaluate(every_set())
        assert workers.evaluate(every_set()[:0], None) == []


def test_many_threads_share_a_memory():
    expected = evaluator(4).evaluate(every_set())
    own = evaluator(4)
    own.forget()
    with Workers(own, 4) as workers:
        assert workers.evaluate(np.tile(every_set(), (4, 1)), None) == expected * 4
