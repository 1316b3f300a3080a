"""Which rules decide, against votes that are counted rule by rule."""

import random

import numpy as np
import pytest
from model.rule_oracle import reaches, share, votes, winner
from strategies import random_rule_set, random_table, rows_of

import sightline as sl


def test_against_votes_counted_rule_by_rule():
    rng = random.Random(6)
    seen = set()
    for _ in range(60):
        rules = random_rule_set(rng)
        voting = rules.voting
        table = random_table(rng, rules.schema, rng.randint(1, 20))
        found = rules.deciding(table)
        for i, row in enumerate(rows_of(table)):
            shares = [share(rules, r, row) for r in range(rules.n_rules)]
            n_full = sum(own == 1 for own in shares)
            n_partial = sum(0 < own < 1 and reaches(own, voting.pc) for own in shares)
            n_partial = n_partial if voting.wr > 0 else 0
            assert (found.n_full[i], found.n_partial[i]) == (n_full, n_partial)
            label = winner(votes(rules, row)[0], voting.prior)
            full_only = rules.with_voting(pc=1.0, wr=0.0, fallback=None)
            by_full = winner(votes(full_only, row)[0], voting.prior)
            if n_full + n_partial == 0:
                expected = "none"
            elif n_full or any(voting.base):
                expected = "full" if by_full == label else "partial"
            else:
                expected = "partial"
            assert found.settled_by[i] == expected
            seen.add(expected)
    assert seen == {"full", "partial", "none"}


def test_how_many_rules_are_enough():
    X, y = [[1.0], [2.0], [3.0], [4.0]] * 5, ["no", "no", "yes", "yes"] * 5
    rules = sl.RuleSetClassifier(random_state=0).fit(X, y).rules_
    found = rules.deciding(X)
    assert (found.n_sufficient == 1).all()
    assert found.is_unanimous.all()
    assert str(found) == (
        "Of 20 rows, full matches settle 100%, partial matches 0%; for 0% no rule votes. All full matches "
        "agree on 100%. On average 1.0 rules match fully and 0.0 in part, and 1.0 of them are enough for the "
        "label."
    )


def test_numbers_have_no_votes():
    X = np.arange(30.0)[:, None]
    rules = sl.RuleSetRegressor(random_state=0, max_rules=3).fit(X, X[:, 0]).rules_
    with pytest.raises(sl.UnsupportedModelError, match="What decides needs rules that vote for classes"):
        rules.deciding(X)
