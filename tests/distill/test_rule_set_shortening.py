"""Shortened rules against dropping conditions one by one."""

import random

import numpy as np
from model.rule_oracle import conditions_of, holds
from strategies import random_rule_set, random_table, rows_of

from sightline import _core


def slow_shortened(rules, rule, answers, labels, weight, judged):
    """The conditions that stay."""
    is_named = labels == rules.core.label[rule]
    right = ~is_named if rules.core.weight[rule] < 0 else is_named
    n_classes = len(rules.classes_)

    def precision(conditions):
        covered = answers[:, conditions].all(axis=1) & judged
        return ((covered & right) @ weight + 1) / (covered @ weight + n_classes)

    left = conditions_of(rules, rule)
    while len(left) > 1:
        without = [left[:i] + left[i + 1 :] for i in range(len(left))]
        best = max(range(len(left)), key=lambda i: (precision(without[i]), i))
        if precision(without[best]) < precision(left):
            break
        left = without[best]
    return left


def slow_pool(rules, answers, labels, weight, unseen):
    pool = {}

    def take(rule, conditions):
        core = rules.core
        key = (frozenset(conditions), int(core.label[rule]), bool(core.weight[rule] < 0))
        entry = pool.setdefault(key, [0.0, set(), list(conditions)])
        trees = set(rules.rules[rule].trees)
        entry[0] += float(core.weight[rule]) * len(trees - entry[1]) / len(trees)
        entry[1] |= trees

    for rule in range(rules.n_rules):
        take(rule, conditions_of(rules, rule))
    for rule in range(rules.n_rules):
        trees = list(rules.rules[rule].trees)
        judged = np.ones(len(labels), dtype=bool) if unseen is None else unseen[trees].any(axis=0)
        left = slow_shortened(rules, rule, answers, labels, weight, judged)
        if len(left) < rules.lengths[rule]:
            take(rule, left)
    return [(key[1], conditions, w, sorted(trees)) for key, (w, trees, conditions) in pool.items()]


def test_shortened_rules():
    rng = random.Random(8)
    n_new = 0
    for _ in range(120):
        rules = random_rule_set(rng)
        table = random_table(rng, rules.schema, rng.randint(1, 40))
        labels = np.array([rng.randrange(len(rules.classes_)) for _ in range(table.n_rows)], dtype=np.int32)
        weights = None if rng.random() < 0.5 else np.array([rng.choice([0.5, 1.0, 2.0]) for _ in labels])
        weight = np.ones(len(labels)) if weights is None else weights
        unseen = None
        if rng.random() < 0.7:
            drawn = [[rng.random() < 0.6 for _ in labels] for _ in range(rules.n_trees)]
            unseen = np.array(drawn, dtype=np.uint8)
        answers = np.array(
            [[holds(rules, c, row) for c in range(rules.core.n_conditions)] for row in rows_of(table)]
        )
        found = _core.with_shortened(rules.core, table.native(), labels, weights, unseen)
        expected = slow_pool(rules, answers, labels, weight, unseen)
        assert found.label.tolist() == [label for label, *_ in expected]
        for r, (_, conditions, total, trees) in enumerate(expected):
            begin, end = found.condition_begin[r : r + 2]
            assert found.condition[begin:end].tolist() == conditions
            assert np.isclose(found.weight[r], total)
            assert found.source[found.source_begin[r] : found.source_begin[r + 1]].tolist() == trees
        n_new += found.n_rules - rules.n_rules
    assert n_new > 100


def test_several_blocks_of_rows():
    rng = random.Random(9)
    rules = random_rule_set(rng)
    table = random_table(rng, rules.schema, 700)
    labels = np.array([rng.randrange(len(rules.classes_)) for _ in range(700)], dtype=np.int32)
    answers = rules.core.holds(table.native()).astype(bool)
    found = _core.with_shortened(rules.core, table.native(), labels, None, None)
    expected = slow_pool(rules, answers, labels, np.ones(700), None)
    assert [conditions for _, conditions, *_ in expected] == [
        found.condition[begin:end].tolist()
        for begin, end in zip(found.condition_begin[:-1], found.condition_begin[1:], strict=True)
    ]
