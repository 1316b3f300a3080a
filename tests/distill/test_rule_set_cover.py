"""Coverage of rules, against a simple reference."""

import random

import numpy as np
from model.rule_oracle import share
from strategies import random_rule_set, random_table, rows_of

from sightline import _core


def random_case(rng):
    rules = random_rule_set(rng)
    table = random_table(rng, rules.schema, rng.randint(1, 40))
    labels = np.array([rng.randrange(len(rules.classes_)) for _ in range(table.n_rows)], dtype=np.int32)
    weights = None if rng.random() < 0.5 else np.array([rng.choice([0.5, 1.0, 2.0]) for _ in labels])
    holds = np.array([[share(rules, r, row) == 1 for r in range(rules.n_rules)] for row in rows_of(table)])
    return rules, table, labels, weights, holds


def test_cover_counts():
    rng = random.Random(1)
    for _ in range(60):
        rules, table, labels, weights, holds = random_case(rng)
        unseen = np.array(
            [[rng.random() < 0.5 for _ in labels] for _ in range(rules.n_trees)], dtype=np.uint8
        )
        judged = np.array([unseen[list(rule.trees)].any(axis=0) for rule in rules.rules]).T
        weight = np.ones(len(labels)) if weights is None else weights
        for mask, given in ((None, holds), (unseen, holds & judged)):
            found = _core.cover_counts(rules.core, table.native(), labels, weights, mask)
            for k in range(len(rules.classes_)):
                expected = (given * ((labels == k) * weight)[:, None]).sum(axis=0)
                assert np.allclose(found[:, k], expected)
