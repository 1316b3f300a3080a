"""Rules of trees: a rule per leaf, and the votes of the trees."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from model.rule_oracle import conditions_of, is_any, leaf_reached, winner
from show.hand_trees import chain
from strategies import (
    at_most,
    leaf,
    one_of,
    random_ensemble,
    random_table,
    randoms,
    rows_of,
    schema_of,
    tree_of,
)

from sightline import _core
from sightline.model import Ensemble, RuleSet, Voting


def rules_of(ensemble, raw=False, adds_scores=False):
    core = _core.rules_of_ensemble(
        ensemble.core, ensemble.n_classes, adds_scores=adds_scores, raw=raw, max_conditions=10**6
    )
    base = tuple(ensemble.core.base) if ensemble.core.n_scores == ensemble.n_classes else (0.0, 0.0)
    voting = Voting((1.0,) * ensemble.n_classes, base, fallback=None)
    return RuleSet(core, ensemble.schema, ensemble.classes_, voting)


# x <= 2 and x <= 1 and c in {v0}: one interval, two tests of x.
DRAWN = at_most(0, 2.0, at_most(0, 1.0, one_of(1, [0], leaf(1, 0), leaf(0, 1)), leaf(0, 1)), leaf(1, 0))
SCHEMA = schema_of([0, 3])


def drawn_ensemble(*roots):
    return Ensemble.average([tree_of(root, SCHEMA) for root in roots])


def test_intervals():
    rules = rules_of(drawn_ensemble(DRAWN))
    found = [
        [(c.feature, c.low, c.high, c.categories) for c in rule.conditions] + [rule.label]
        for rule in rules.rules
    ]
    assert found == [
        [("f0", -np.inf, 1.0, None), ("f1", -np.inf, np.inf, ("v0",)), "class 0"],
        [("f0", -np.inf, 1.0, None), ("f1", -np.inf, np.inf, ("v1", "v2")), "class 1"],
        [("f0", 1.0, 2.0, None), "class 1"],
        [("f0", 2.0, np.inf, None), "class 0"],
    ]


def test_raw_tests():
    rules = rules_of(drawn_ensemble(DRAWN), raw=True)
    assert rules.lengths.tolist() == [3, 3, 2, 1]
    assert [c.high for c in rules.rules[0].conditions[:2]] == [2.0, 1.0]


def test_repeated_test_is_one_condition():
    twice = at_most(0, 1.0, at_most(0, 1.0, leaf(1, 0), leaf(0, 1)), leaf(0, 1))
    assert rules_of(drawn_ensemble(twice), raw=True).lengths.tolist() == [1, 2, 1]


def test_equal_rules_are_merged():
    other = at_most(0, 2.0, leaf(0, 1), leaf(1, 0))
    rules = rules_of(drawn_ensemble(DRAWN, other, DRAWN))
    assert rules.multiplicity.tolist() == [2, 2, 2, 3, 1]
    assert rules.core.weight.tolist() == [2, 2, 2, 3, 1]
    assert rules.rules[3].trees == (0, 1, 2)


def test_lone_leaf_always_votes():
    rules = rules_of(drawn_ensemble(leaf(0, 1)))
    assert rules.lengths.tolist() == [0]
    assert rules.predict([[None, None]]).tolist() == ["class 1"]


def test_missing_direction_is_kept():
    one_way = at_most(0, 2.0, leaf(1, 0), leaf(0, 1), shares=[0.0, 1.0])
    rules = rules_of(drawn_ensemble(one_way))
    assert rules.core.accepts_missing.tolist() == [0, 1]
    shared = rules_of(drawn_ensemble(at_most(0, 2.0, leaf(1, 0), leaf(0, 1))))
    assert shared.core.accepts_missing.tolist() == [0, 0]


@pytest.mark.thorough
@given(randoms())
@settings(max_examples=200)
def test_full_matches_are_the_vote_of_the_trees(rng):
    """On every row of which no tree shares out a missing value."""
    drawn = random_ensemble(rng)
    ensemble = drawn.model()
    if ensemble.link.kind != "mean":
        return
    raw = rng.random() < 0.5
    rules = rules_of(ensemble, raw)
    table = random_table(rng, drawn.schema, 15, missing=rng.choice([0.0, 0.2]))
    found = rules.predict(table)
    for row, label in zip(rows_of(table), found, strict=True):
        leaves = [leaf_reached(root, row) for root in drawn.roots]
        if None in leaves:
            continue
        votes = list(drawn.base)
        for t, reached in enumerate(leaves):
            best = 0
            for k, value in enumerate(reached.output):
                if value - reached.output[best] > drawn.tie_tolerance:
                    best = k
            against = drawn.vote_against[t] if drawn.votes else 0.0
            votes[best] += drawn.tree_weight[t] - against
        if is_any(votes):
            assert label == rules.classes_[winner(votes, rules.voting.prior)]


def test_each_leaf_is_a_rule():
    rng = random.Random(2)
    for _ in range(50):
        drawn = random_ensemble(rng)
        rules = rules_of(drawn.model(), adds_scores=any(s >= 0 for s in drawn.tree_score))
        table = random_table(rng, drawn.schema, 10, missing=0.0)
        holds = rules.core.holds(table.native())
        for index, row in enumerate(rows_of(table)):
            full = [r for r in range(rules.n_rules) if holds[index, conditions_of(rules, r)].all()]
            trees = sorted({tree for r in full for tree in rules.rules[r].trees})
            silent = [t for t, root in enumerate(drawn.roots) if not any(leaf_reached(root, row).output)]
            assert trees == [t for t in range(len(drawn.roots)) if t not in silent or t in trees]


def test_scores_become_votes_for_or_against():
    """The difference of the votes is the score that the trees add up to."""
    rng = random.Random(5)
    n_checked = 0
    for _ in range(80):
        drawn = random_ensemble(rng)
        if not any(score >= 0 for score in drawn.tree_score):
            continue
        ensemble = drawn.model()
        if ensemble.n_classes < 2:
            continue
        n_checked += 1
        rules = rules_of(ensemble, adds_scores=True).with_voting(base=(0.0,) * ensemble.n_classes)
        table = random_table(rng, drawn.schema, 10, missing=0.0)
        full, _ = rules.core.count_votes(table.native(), [], None, 1)
        scores = ensemble.scores(table) - np.array(ensemble.core.base)
        expected = full[:, 1:] - full[:, :1] if ensemble.core.n_scores == 1 else full
        assert np.allclose(scores, expected, atol=1e-6)
    assert n_checked > 5


def test_deep_tree_without_recursion():
    tree = chain(20_000)
    rules = rules_of(Ensemble.average([tree]))
    assert rules.n_rules == 20_001
    assert rules.lengths.max() == 1


def test_too_many_conditions():
    ensemble = Ensemble.average([chain(2_000)])
    with pytest.raises(OverflowError):
        _core.rules_of_ensemble(ensemble.core, 2, adds_scores=False, raw=True, max_conditions=10_000)
