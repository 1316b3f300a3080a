import random

import numpy as np
from cases import each
from strategies import random_rule_set, random_table

import sightline as sl
from sightline.show._row import Rows
from sightline.show.rules._effects import RuleEffects
from sightline.show.rules._patterns import RulePatterns


def effects_of(rules, table):
    holds = np.asarray(rules.core.holds(table.native())).astype(bool)
    return RuleEffects(rules, holds, rules.answers(table)[0])


@each(seed=range(30))
def test_strengths_give_the_votes_of_the_kernel(seed):
    rng = random.Random(seed)
    rules = random_rule_set(rng)
    table = random_table(rng, rules.schema, 20, missing=0.2)
    effects, votes = effects_of(rules, table), rules.votes(table)
    has_votes = (np.abs(effects.votes) > 1e-9).any(axis=1)
    assert np.allclose(effects.votes[has_votes], votes[has_votes])
    assert np.allclose(votes[~has_votes], rules.voting.prior)


@each(seed=range(30))
def test_a_change_is_what_the_answer_loses_without_the_rule(seed):
    rng = random.Random(seed)
    rules = random_rule_set(rng).with_voting(fallback=None)
    table = random_table(rng, rules.schema, 10, missing=0.2)
    effects = effects_of(rules, table)
    everyone = np.arange(table.n_rows)
    codes, shares = rules.answers(table)
    for rule in range(rules.n_rules):
        others = rules.selected([r for r in range(rules.n_rules) if r != rule])
        without = others.answers(table)[1][everyone, codes]
        assert np.allclose(effects.changes[:, rule], shares[everyone, codes] - without)


@each(6, seed=range(20))
def test_rows_of_one_pattern_have_the_same_rules_and_reasons(seed):
    rng = random.Random(seed)
    rules = random_rule_set(rng)
    table = random_table(rng, rules.schema, 60, missing=0.2)
    together = rules.explain(table)
    for row in range(table.n_rows):
        alone = rules.explain(table[row : row + 1])[0]
        one = together[row]
        assert one.rules == alone.rules
        assert one.reasons == alone.reasons
        assert one.support == alone.support
    patterns = RulePatterns(rules, Rows.of(table, rules.schema, "rules"), rules.answers(table)[0])
    assert len(patterns) <= table.n_rows


def test_numbers_lose_what_a_rule_adds_to_their_mean():
    x = np.random.default_rng(0).normal(size=(80, 3))
    rules = sl.RuleSetRegressor(random_state=0, max_rules=8).fit(x, x[:, 0] + x[:, 1] ** 2).rules_
    rules = rules.with_voting(fallback=None)
    table = Rows.of(x[:20], rules.schema, "rules").table
    effects, numbers = effects_of(rules, table), rules.predict(table)
    for rule in range(rules.n_rules):
        others = rules.selected([r for r in range(rules.n_rules) if r != rule])
        assert np.allclose(effects.changes[:, rule], numbers - others.predict(table))
