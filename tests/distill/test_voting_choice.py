"""The grid of errors against predicting each point of it, and the choice among them."""

import random

import numpy as np
from model.rule_oracle import votes, winner
from strategies import random_rule_set, random_table, rows_of

from sightline.distill._voting_choice import FACTORS, SHARES, choose_voting, voting_errors


def test_errors_are_those_of_predicting():
    rng = random.Random(4)
    for _ in range(40):
        rules = random_rule_set(rng)
        table = random_table(rng, rules.schema, rng.randint(1, 30))
        labels = np.array(
            [rng.randrange(-1, len(rules.classes_)) for _ in range(table.n_rows)], dtype=np.int32
        )
        weights = None if rng.random() < 0.5 else np.array([rng.choice([0.5, 2.0]) for _ in labels])
        weight = np.ones(len(labels)) if weights is None else weights
        shares, factors = (0.5, 0.75, 1.0), (0.05, 1.0)
        found = voting_errors(rules, table, labels, weights, shares, factors)
        for i, pc in enumerate(shares):
            for j, wr in enumerate(factors):
                predicted = rules.winners(rules.with_voting(pc=pc, wr=wr).votes(table))
                expected = weight[(labels >= 0) & (predicted != labels)].sum()
                assert np.isclose(found[i, j], expected)


def test_out_of_bag_errors():
    rng = random.Random(5)
    for _ in range(30):
        rules = random_rule_set(rng)
        table = random_table(rng, rules.schema, 20)
        labels = np.array([rng.randrange(len(rules.classes_)) for _ in range(20)], dtype=np.int32)
        out_of_bag = np.array(
            [[rng.random() < 0.4 for _ in range(20)] for _ in range(rules.n_trees)], dtype=np.uint8
        )
        found = voting_errors(rules, table, labels, None, (0.6,), (0.5,), out_of_bag)
        rules = rules.with_voting(pc=0.6, wr=0.5)
        wrong = 0
        for index, row in enumerate(rows_of(table)):
            judged = [bool(out_of_bag[list(rule.trees), index].any()) for rule in rules.rules]
            wrong += winner(votes(rules, row, judged)[0], rules.voting.prior) != labels[index]
        assert found[0, 0] == wrong


def test_the_paper_s_grid():
    assert SHARES == (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    assert len(FACTORS) == 20
    assert (FACTORS[0], FACTORS[-1]) == (0.05, 1.0)


def test_lone_luck_is_averaged_away():
    errors = np.full((2, 20), 10.0)
    errors[0, 10] = 6.0  # alone
    errors[1, 3:8] = 8.0
    choice = choose_voting(errors, 100.0, (0.5, 0.6), FACTORS)
    assert (choice.pc, choice.wr) == (0.6, FACTORS[5])
    assert choice.error == 0.08


def test_ties_go_to_the_larger_pc_and_the_smaller_wr():
    choice = choose_voting(np.full((3, 20), 5.0), 10.0, (0.5, 0.6, 0.7), FACTORS)
    assert (choice.pc, choice.wr) == (0.7, 0.05)


def test_ties_towards_the_smallest_are_exact():
    errors = np.full((2, 20), 10.0)
    errors[0, 10] = errors[1, 3] = 6.0
    choice = choose_voting(errors, 100.0, (0.5, 0.6), FACTORS, "smallest")
    assert (choice.pc, choice.wr) == (0.5, FACTORS[10])
