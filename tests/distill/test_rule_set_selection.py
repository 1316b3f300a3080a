"""A few rules that vote like an ensemble: against a slow reference, and of real boosters."""

import catboost
import lightgbm
import numpy as np
import pytest
import xgboost
from distill.rule_selection_reference import SlowVotes, slow_selection
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from strategies import at_most, core_tree, leaf, schema_of

import sightline as sl
from sightline import _core
from sightline.model import combined
from sightline.table import Table


def slices(begin, values):
    return [list(values[begin[i] : begin[i + 1]]) for i in range(len(begin) - 1)]


def small_case(seed):
    X, y = make_classification(
        90, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, flip_y=0.1, random_state=seed
    )
    X = X.round(1)
    forest = RandomForestClassifier(4, max_depth=4, random_state=seed).fit(X, y)
    return X, forest


def conditions_of_nodes(tree):
    """The (feature, sign, threshold) of the path to each node but the root."""
    paths, open_nodes = [], [(0, [])]
    while open_nodes:
        node, path = open_nodes.pop()
        if path:
            paths.append(path)
        if tree.children_left[node] >= 0:
            test = (tree.feature[node], tree.threshold[node])
            open_nodes.append((tree.children_left[node], [*path, (*test, True)]))
            open_nodes.append((tree.children_right[node], [*path, (*test, False)]))
    return paths


def test_candidates_are_the_nodes_that_enough_rows_reach():
    X, forest = small_case(0)
    weights = np.arange(90) % 3 + 0.5
    found = _core.RuleCandidates(
        sl.load(forest).core, Table.from_any(X).native(), weights, 3, False, 6.0, 10**6
    )
    expected = {}
    for number, estimator in enumerate(forest.estimators_):
        for path in conditions_of_nodes(estimator.tree_):
            sides = [(X[:, f].astype(np.float32) <= t) == below for f, t, below in path]
            covered = np.logical_and.reduce(sides)
            if weights[covered].sum() < 6 or covered.all():
                continue
            n_features = len({f for f, _, _ in path})
            shortest, trees = expected.get(covered.tobytes(), (9, set()))
            expected[covered.tobytes()] = (min(shortest, n_features), trees | {number})
    core = found.rules
    holds = core.holds(Table.from_any(X).native()).astype(bool)
    trees = slices(core.source_begin, core.source)
    for rule, conditions in enumerate(slices(core.condition_begin, core.condition)):
        length, sources = expected.pop(holds[:, conditions].all(axis=1).tobytes())
        assert len(conditions) == length
        assert trees[rule] == sorted(sources)
    assert not expected


@pytest.mark.parametrize("shorten", [True, False])
def test_selection(shorten):
    n_merged = 0
    for seed in range(3):
        X, forest = small_case(seed)
        rows = Table.from_any(X).native()
        q = forest.predict_proba(X)
        q = np.where(q < 0.01, 0, q) / np.where(q < 0.01, 0, q).sum(axis=1, keepdims=True)
        row_weights = np.where(np.arange(90) % 5 == 0, 0.0, 1.0)
        base = q.mean(axis=0).tolist()
        candidates = _core.RuleCandidates(sl.load(forest).core, rows, None, 3, False, 5.0, 10**6)
        found = candidates.select(rows, q, row_weights, base, 0.01, 8, shorten, 1.0, 0.9)
        core = candidates.rules
        fit = SlowVotes(q, row_weights, base, 1.0)
        rules = [
            (conditions, len(sources))
            for conditions, sources in zip(
                slices(core.condition_begin, core.condition),
                slices(core.source_begin, core.source),
                strict=True,
            )
        ]
        holds = core.holds(rows).astype(bool)
        expected = slow_selection(holds, rules, core.feature, fit, 8, shorten, 0.9)
        assert found.label.tolist() == [label for _, label, _ in expected]
        np.testing.assert_allclose(found.weight, [weight for *_, weight in expected], rtol=1e-3)
        found_holds = found.holds(rows).astype(bool)
        for own, (conditions, _, _) in zip(
            slices(found.condition_begin, found.condition), expected, strict=True
        ):
            assert len(own) == len(conditions)
            assert (found_holds[:, own].all(axis=1) == holds[:, conditions].all(axis=1)).all()
        least = fit.loss()
        fit.weights = _core.vote_weights(found, rows, q, row_weights, base, 0.01, 1.0)
        assert np.isclose(fit.loss(), least, rtol=1e-3)
        n_merged += sum(len(sources) > 1 for sources in slices(found.source_begin, found.source))
    assert n_merged > 0


def rules_of_one_test(labels, weights=None):
    """Select rules from a tree of one test, for rows of ten classes that are ten on each side of it."""
    schema = schema_of([0])
    outputs = np.eye(10)
    tree = core_tree(at_most(0, 0.5, leaf(*outputs[0]), leaf(*outputs[9])), schema)
    table = Table.from_any(np.repeat([0.0, 1.0], 10)[:, None])
    found = _core.RuleCandidates(combined([tree]), table.native(), None, 10, False, 1.0, 100).select(
        table.native(), outputs[labels], weights, [0.1] * 10, 0.01, 1, False, 0.0, 0.9
    )
    return found, found.holds(table.native())


@pytest.mark.parametrize("first", [0, 1])
def test_a_rule_votes_for_the_first_of_classes_that_gain_as_much(first):
    found, holds = rules_of_one_test([first, 1 - first] * 5 + list(range(10)))
    assert holds[:, 0].tolist() == [1] * 10 + [0] * 10
    assert found.label.tolist() == [0]


def test_a_rule_for_rows_of_weight_zero_gains_nothing():
    weights = np.repeat([0.0, 1.0], 10)
    assert rules_of_one_test([0] * 10 + list(range(10)), weights)[0].n_rules == 0


def test_weights_settle_where_the_loss_is_smallest():
    X, forest = small_case(1)
    rows, q = Table.from_any(X).native(), forest.predict_proba(X)
    base = q.mean(axis=0).tolist()
    found = _core.RuleCandidates(sl.load(forest).core, rows, None, 3, False, 5.0, 10**6).select(
        rows, q, None, base, 0.0, 5, True, 1.0, 0.9
    )
    holds = found.holds(rows).astype(bool)
    fit = SlowVotes(q, np.ones(90), base, 1.0)
    for conditions, label, weight in zip(
        slices(found.condition_begin, found.condition), found.label, found.weight, strict=True
    ):
        fit.add(holds[:, conditions].all(axis=1), label, weight)
    least = fit.loss()
    for i in range(found.n_rules):
        for factor in (0.8, 1.25):
            fit.weights[i] *= factor
            assert fit.loss() > least
            fit.weights[i] /= factor


def vowels(n_rows=990, seed=0):
    """Eleven classes in ten columns, like the vowels that speakers utter."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(11, 10)) * 1.2
    y = np.arange(n_rows) % 11
    return centers[y] + rng.normal(size=(n_rows, 10)), np.array([f"v{code:02d}" for code in y])


def boosters():
    yield lightgbm.LGBMClassifier(n_estimators=20, num_leaves=8, n_jobs=1, verbose=-1)
    yield xgboost.XGBClassifier(n_estimators=20, max_depth=3, n_jobs=1)
    yield catboost.CatBoostClassifier(
        iterations=30, depth=4, learning_rate=0.3, thread_count=1, verbose=0, allow_writing_files=False
    )


@pytest.mark.thorough
def test_few_rules_of_boosters_with_eleven_classes():
    X, y = vowels()
    codes = np.unique(y, return_inverse=True)[1]
    train, test = np.arange(660), np.arange(660, 990)
    for booster in boosters():
        booster.fit(X[train], codes[train])
        answers = np.ravel(booster.predict(X[test]))
        small = sl.RuleSetClassifier(booster, max_rules=22).fit(X[train], codes[train])
        fidelity = (small.predict(X[test]) == answers).mean()
        assert set(small.rules_.core.label.tolist()) == set(range(11)), type(booster)
        assert fidelity > 0.55, (type(booster), fidelity)
        more = small.resized(60)
        assert (more.predict(X[test]) == answers).mean() > fidelity - 0.02


def test_more_rules_than_help_are_left_out():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    y = np.where(X[:, 0] > 0, "yes", "no")
    y[rng.random(300) < 0.3] = "no"
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    small = sl.RuleSetClassifier(forest, max_rules=300).fit(X, y)
    assert small.rules_.n_rules < 60
    unseen = rng.normal(size=(2000, 8))
    tiny = small.resized(5)
    same = [(model.predict(unseen) == forest.predict(unseen)).mean() for model in (tiny, small)]
    assert same[1] > same[0] - 0.02


def test_probabilities_come_close_to_those_of_the_ensemble():
    X, y = make_classification(600, 8, n_informative=5, random_state=3)
    forest = RandomForestClassifier(50, min_samples_leaf=5, random_state=0).fit(X[:400], y[:400])
    small = sl.RuleSetClassifier(forest, max_rules=20).fit(X[:400], y[:400])
    gap = np.abs(small.predict_proba(X[400:]) - forest.predict_proba(X[400:]))[:, 1].mean()
    assert gap < 0.12
    assert np.isclose(sum(small.rules_.voting.base), 1)
