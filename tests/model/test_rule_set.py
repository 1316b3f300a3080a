"""Rules and their votes, against the plainest way to count them."""

import itertools
import json
import pickle
import random

import numpy as np
import pytest
from hypothesis import given, settings
from model import rule_oracle
from strategies import GRID, random_rule_set, random_schema, random_table, randoms, rows_of, schema_of

import sightline as sl
from sightline import _core
from sightline.exceptions import ModelFormatError, ParameterError
from sightline.model import RuleSet, Voting
from sightline.model._format import parse_model
from sightline.show._example import credit_rules
from sightline.table import Column, Table

CREDIT = {"age": 25.0, "income": 2500.0, "purpose": "car"}


def one(row):
    return Table.from_any([list(row.values())], feature_names=list(row))


# ---------------------------------------------------------------- drawn by hand


def test_full_and_partial_votes():
    rules = credit_rules()
    # One rule holds; one of two conditions holds of one rule per class: 0.2 * 1/2 each.
    assert rules.votes(one(CREDIT)).tolist() == [[0.1, 1.1]]
    assert rules.with_voting(pc=0.6).votes(one(CREDIT)).tolist() == [[0.0, 1.0]]
    assert rules.with_voting(pc=1.0).votes(one(CREDIT)).tolist() == [[0.0, 1.0]]
    assert rules.predict(one(CREDIT)).tolist() == ["good"]
    assert np.allclose(rules.predict_proba(one(CREDIT)), [[0.1 / 1.2, 1.1 / 1.2]])


def test_missing_value_fails_its_conditions():
    rules = credit_rules()
    # Without an age every rule keeps one condition: bad by income, or good by purpose.
    row = one(CREDIT | {"age": None, "income": 1000.0})
    assert np.allclose(rules.votes(row), [[0.1, 0.1]])
    assert rules.predict(row).tolist() == ["good"]  # equal votes: the larger prior


def test_unseen_category_is_a_missing_value():
    rules = credit_rules()
    seen, unseen = one(CREDIT | {"age": 40.0}), one(CREDIT | {"age": 40.0, "purpose": "boat"})
    missing = one(CREDIT | {"age": 40.0, "purpose": None})
    assert rules.votes(unseen).tolist() == rules.votes(missing).tolist()
    assert rules.votes(unseen).tolist() != rules.votes(seen).tolist()


def test_everything_missing_leaves_the_prior():
    rules = credit_rules()
    nothing = one(dict.fromkeys(CREDIT))
    assert rules.votes(nothing).tolist() == [[0.33, 0.67]]
    assert rules.predict(nothing).tolist() == ["good"]


def test_fallback():
    rules = credit_rules().with_voting(pc=1.0, fallback=0.5)
    row = one(CREDIT | {"age": None, "purpose": None, "income": 1000.0})
    assert rules.votes(row).tolist() == [[0.5, 0.0]]
    assert rules.with_voting(fallback=None).votes(row).tolist() == [[0.33, 0.67]]


def test_reading():
    rules = credit_rules()
    assert (len(rules), rules.n_rules, rules.n_trees) == (4, 4, 1)
    assert repr(rules) == "RuleSet(4 rules, 8 conditions, 3 features, 2 classes)"
    assert rules.size_ == {
        "nodes": 0,
        "leaves": 0,
        "depth": 2,
        "rules": 4,
        "conditions": 8,
        "features": 3,
    }
    rule = rules.rules[2]
    assert (rule.label, rule.weight, rule.trees, rule.coverage) == ("good", 1.0, (0,), 20.0)
    assert [c.feature for c in rule.conditions] == ["age", "purpose"]
    assert (rule.conditions[0].low, rule.conditions[0].high) == (30.0, np.inf)
    assert rule.conditions[1].categories == ("car", "holiday")
    few = rules.selected([3, 0]).rules
    assert [rule.conditions for rule in few] == [rules.rules[3].conditions, rules.rules[0].conditions]
    assert [rule.precision for rule in few] == [0.95, 0.8]


def test_conflicts_stand_together():
    rules = credit_rules()
    stored = json.loads(rules.to_json())
    del stored["checksum"]
    stored["label"][1] = 0
    # Rule 1 now has the conditions of rule 0, and another class.
    begin = stored["condition_begin"]
    stored["condition"][begin[1] : begin[2]] = stored["condition"][begin[0] : begin[1]]
    stored["label"][1] = 1
    assert parse_model(json.dumps(stored), "here").conflicts() == [[0, 1]]
    assert rules.conflicts() == []


def test_votes_that_cancel_out_are_no_votes():
    stored = json.loads(credit_rules().to_json())
    del stored["checksum"]
    stored["weight"][1], stored["voting"]["base"] = -1.0, [0.0, 1.0]
    rules = parse_model(json.dumps(stored), "here").with_voting(pc=1.0, fallback=0.5)
    # The rule against good takes the vote that good began with: half matches decide.
    assert rules.votes(one(CREDIT)).tolist() == [[0.5, 0.5]]


# ---------------------------------------------------------------- oracle


@given(randoms())
@settings(max_examples=150)
def test_votes_are_those_of_the_oracle(rng):
    rules = random_rule_set(rng)
    table = random_table(rng, rules.schema, rng.randint(1, 20), missing=rng.choice([0.0, 0.3]))
    found = rules.votes(table)
    for row, votes, label in zip(rows_of(table), found, rules.predict(table), strict=True):
        expected, _ = rule_oracle.votes(rules, row)
        assert np.allclose(votes, expected, rtol=1e-12, atol=1e-12)
        assert label == rules.classes_[rule_oracle.winner(expected, rules.voting.prior)]


@given(randoms())
@settings(max_examples=60)
def test_rows_are_judged_by_trees_that_have_not_seen_them(rng):
    rules = random_rule_set(rng).with_voting(fallback=None, wr=1.0)
    table = random_table(rng, rules.schema, rng.randint(1, 20))
    unseen = np.array(
        [[rng.random() < 0.4 for _ in range(table.n_rows)] for _ in range(rules.n_trees)], dtype=np.uint8
    )
    full, partial = rules.core.count_votes(table.native(), [rules.voting.pc], unseen, 1)
    found = full + partial[0] + rules.voting.base
    sources = [rule.trees for rule in rules.rules]
    for place, row in enumerate(rows_of(table)):
        judged = [any(unseen[tree, place] for tree in trees) for trees in sources]
        expected, is_voted = rule_oracle.votes(rules, row, judged)
        assert np.allclose(found[place], expected if is_voted else 0, atol=1e-12)


def test_levels_are_counted_in_one_pass():
    rng = random.Random(3)
    for _ in range(30):
        rules = random_rule_set(rng)
        rows = random_table(rng, rules.schema, 30).native()
        levels = [0.0, 0.5, 0.5, 0.6, 1.0]
        _, together = rules.core.count_votes(rows, levels, None, 1)
        for level, found in zip(levels, together, strict=True):
            _, alone = rules.core.count_votes(rows, [level], None, 1)
            assert np.allclose(found, alone[0])


@pytest.mark.parametrize(("n_features", "lengths", "n_rules"), [(20, (1, 70), 300), (80, (240, 300), 20)])
def test_many_rows_long_rules_and_threads(n_features, lengths, n_rules):
    """Several blocks of rows, more conditions than one counter of a few bits holds."""
    rng = random.Random(0)
    schema = schema_of([0] * n_features)
    values = np.array([[rng.choice(GRID) for _ in range(n_features)] for _ in range(1000)])
    conditions = [(f, cut) for f in range(n_features) for cut in GRID]
    rules = [rng.sample(range(len(conditions)), rng.randint(*lengths)) for _ in range(n_rules)]
    core = _core.RuleSet(
        n_values=schema.n_values,
        n_classes=2,
        n_trees=1,
        feature=np.array([f for f, _ in conditions], dtype=np.int32),
        low=np.full(len(conditions), -np.inf),
        high=np.array([cut for _, cut in conditions]),
        accepts_missing=np.zeros(len(conditions), dtype=np.uint8),
        category_begin=np.zeros(len(conditions) + 1, dtype=np.int64),
        category=np.zeros(0, dtype=np.int32),
        condition_begin=np.cumsum([0, *map(len, rules)], dtype=np.int64),
        condition=np.concatenate(rules).astype(np.int32),
        label=np.array([rng.randrange(2) for _ in rules], dtype=np.int32),
        weight=np.ones(n_rules),
        source_begin=np.arange(n_rules + 1, dtype=np.int64),
        source=np.zeros(n_rules, dtype=np.int32),
    )
    held = np.array([[row[f] <= cut for f, cut in conditions] for row in values])
    share = np.stack([held[:, rule].mean(axis=1) for rule in rules], axis=1)
    columns = [Column(f, np.ascontiguousarray(values[:, i])) for i, f in enumerate(schema.features)]
    rows = Table(columns).native()
    full, partial = core.count_votes(rows, [0.4], None, 1)
    again = core.count_votes(rows, [0.4], None, 3)
    assert (again[0] == full).all()
    assert (again[1] == partial).all()
    for label in range(2):
        own = share[:, np.asarray(core.label) == label]
        assert np.allclose(full[:, label], (own == 1).sum(axis=1))
        assert np.allclose(partial[0, :, label], (own * ((own >= 0.4) & (own < 1))).sum(axis=1))
    assert (core.holds(rows) == held).all()


# ---------------------------------------------------------------- simplification


def every_row(rules):
    """All combinations of values that the conditions can tell apart, and missing ones."""
    sides = []
    for feature in rules.schema.features:
        if feature.categories is None:
            around = {nextafter for value in GRID for nextafter in (value, np.nextafter(value, np.inf))}
            sides.append([*sorted(around), -1e300, np.nan])
        else:
            sides.append([*range(feature.n_values), -1])
    cells = list(itertools.product(*sides))
    columns = [
        Column(
            feature,
            np.array([row[i] for row in cells], dtype=np.int32 if feature.is_nominal else np.float64),
        )
        for i, feature in enumerate(rules.schema.features)
    ]
    return Table(columns)


@pytest.mark.parametrize("only_full", [True, False])
def test_simplification_changes_no_label(only_full):
    rng = random.Random(7)
    n_smaller = 0
    for _ in range(150):
        rules = random_rule_set(rng, random_schema(rng, max_features=2))
        if only_full:
            rules = rules.with_voting(pc=1.0, fallback=None)
        simple = rules.simplified()
        table = every_row(rules)
        assert (rules.predict(table) == simple.predict(table)).all()
        n_smaller += simple.size_["conditions"] < rules.size_["conditions"]
    assert n_smaller > (100 if only_full else 2)


def test_simplification_of_learnt_rules():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (120, 3)).astype(float)
    y = X.sum(axis=1) + rng.random(120) > 5
    rules = sl.RuleSetClassifier(pc=1.0, fallback=None, conditions="raw", random_state=0).fit(X, y).rules_
    simple = rules.simplified()
    grid = np.array(list(itertools.product(np.arange(-1, 5, 0.5), repeat=3)))
    assert (simple.predict(grid) == rules.predict(grid)).all()
    assert simple.n_rules < rules.n_rules


def test_subsumed_rule_is_dropped_only_if_outvoted():
    # x > 0 speaks for a with 3 votes, x > 1 for a with one, x > 2 for b with two.
    schema = schema_of([0])
    arrays = {
        "feature": np.zeros(3, dtype=np.int32),
        "low": np.array([0.0, 1.0, 2.0]),
        "high": np.full(3, np.inf),
        "accepts_missing": np.zeros(3, dtype=np.uint8),
        "category_begin": np.zeros(4, dtype=np.int64),
        "category": np.zeros(0, dtype=np.int32),
        "condition_begin": np.arange(4, dtype=np.int64),
        "condition": np.arange(3, dtype=np.int32),
        "label": np.array([0, 0, 1], dtype=np.int32),
        "source_begin": np.zeros(4, dtype=np.int64),
        "source": np.zeros(0, dtype=np.int32),
    }
    voting = Voting(prior=(0.5, 0.5), base=(0.0, 0.0), fallback=None)
    for heavy, expected in ((3.0, [0, 2]), (1.5, [0, 1, 2])):
        core = _core.RuleSet(schema.n_values, 2, 0, weight=np.array([heavy, 1.0, 2.0]), **arrays)
        rules = RuleSet(core, schema, np.array(["a", "b"]), voting)
        assert rules.simplified().core.low.tolist() == [float(place) for place in expected]


# ---------------------------------------------------------------- stored form and errors


@given(randoms())
@settings(max_examples=60)
def test_stored_and_read_again(rng):
    rules = random_rule_set(rng)
    text = rules.to_json()
    again = parse_model(text, "here")
    assert again.to_json() == text
    assert again.voting == rules.voting
    table = random_table(rng, rules.schema, 10)
    assert (again.votes(table) == rules.votes(table)).all()


def test_pickle():
    rules = credit_rules()
    assert pickle.loads(pickle.dumps(rules)).to_json() == rules.to_json()
    odd = RuleSet(rules.core, rules.schema, np.array([(1, 2), None], dtype=object), rules.voting)
    assert pickle.loads(pickle.dumps(odd)).classes_.tolist() == [(1, 2), None]


DAMAGES = [
    ({"label": [0, 1, 2, 1]}, "rule 2: class 2 does not exist (there are 2)"),
    ({"weight": [1.0]}, "'weight' has length 1; expected 4"),
    ({"condition": [0, 1, 0, 99, 3, 4, 3, 5]}, "rule 1: condition 99 does not exist (there are 6)"),
    ({"condition": [0, 0, 0, 2, 3, 4, 3, 5]}, "rule 0: condition 0 occurs twice"),
    ({"condition_begin": [0, 9, 4, 6, 8]}, "'condition_begin' must rise from 0 to 8"),
    ({"feature": [0, 1, 1, 0, 2, 7]}, "condition 5: feature 7 does not exist (there are 3)"),
    ({"category": [0, 2, 3]}, "condition 5: the categories must be declared values, ascending"),
    ({"category_begin": [0, 1, 1, 1, 1, 2, 3]}, "condition 0: a numeric feature has no categories"),
    ({"accepts_missing": [0, 0, 0, 0, 0, 2]}, "condition 5: 'accepts_missing' must be 0 or 1"),
    (
        {"high": [30, 2000, None, 2000, None, None], "low": [None] * 6, "feature": [0, 1, 0, 1, 2, 2]},
        "condition 3: is the same as condition 1",
    ),
    ({"source": [0, 0, 0, 1]}, "rule 3: the source trees must exist and be ascending"),
    ({"coverage": [1.0]}, "there are 4 rules, but not as many statistics"),
    ({"classes": None}, "a rule set needs classes, or the values that its rules predict"),
    ({"n_trees": -1}, "'n_trees' must be at least 0 and less than 2147483648"),
    (
        {"voting": {"pc": 2, "wr": 0.1, "fallback": None, "base": [0, 0], "prior": [1, 0]}},
        "The 'pc' parameter of Voting must lie in [0, 1]. Got 2.0 instead",
    ),
    (
        {"voting": {"pc": 1, "wr": 0.1, "fallback": None, "base": [0], "prior": [1, 0]}},
        "'base' and 'prior' need one number per class, 'prior' none below 0",
    ),
]


@pytest.mark.parametrize(("damage", "sentence"), DAMAGES, ids=[str(next(iter(d))) for d, _ in DAMAGES])
def test_damaged_files(damage, sentence):
    stored = json.loads(credit_rules().to_json()) | damage
    with pytest.raises(ModelFormatError) as caught:
        parse_model(json.dumps(stored), "rules.json")
    assert str(caught.value) == f"rules.json: {sentence}."


def test_voting_outside_its_range():
    with pytest.raises(ParameterError) as caught:
        credit_rules().with_voting(wr=1.5)
    assert str(caught.value) == "The 'wr' parameter of Voting must lie in [0, 1]. Got 1.5 instead."


ARRAYS = (
    "feature", "low", "high", "accepts_missing", "category_begin", "category",
    "condition_begin", "condition", "label", "weight", "source_begin", "source",
)  # fmt: skip


def rebuilt(n_classes=2, **changes):
    """Build the rules about credit again, with other entries in some arrays."""
    core = credit_rules().core
    arrays = {name: np.array(getattr(core, name)) for name in ARRAYS}
    for name, (place, value) in changes.items():
        arrays[name][place] = value
    return _core.RuleSet(n_values=[0, 0, 3], n_classes=n_classes, n_trees=1, **arrays)


def test_every_wrong_entry_is_named():
    assert rebuilt().n_rules == 4
    declared = "the categories must be declared values, ascending"
    n_categories, n_conditions = len(credit_rules().core.category), len(credit_rules().core.condition)
    for change, sentence in [
        ({"feature": (0, -1)}, "condition 0: feature -1 does not exist (there are 3)"),
        ({"low": (0, np.nan)}, "condition 0: a bound is not a number"),
        ({"high": (1, np.nan)}, "condition 1: a bound is not a number"),
        ({"category": (0, -1)}, f"condition 4: {declared}"),
        ({"category": (1, 0)}, f"condition 4: {declared}"),
        ({"category_begin": (0, 1)}, f"'category_begin' must rise from 0 to {n_categories}"),
        ({"category_begin": (-1, 1)}, f"'category_begin' must rise from 0 to {n_categories}"),
        ({"condition_begin": (1, 5)}, f"'condition_begin' must rise from 0 to {n_conditions}"),
        ({"condition": (0, -1)}, "rule 0: condition -1 does not exist (there are 6)"),
        ({"label": (3, -1)}, "rule 3: class -1 does not exist (there are 2)"),
        ({"weight": (2, np.inf)}, "rule 2: the weight is not finite"),
        ({"source": (1, -1)}, "rule 1: the source trees must exist and be ascending"),
        ({"n_classes": 0}, "a rule set needs at least one class"),
    ]:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole sentence is compared
            rebuilt(**change)
        assert str(caught.value) == sentence


@pytest.mark.parametrize("rule", [-1, 4])
def test_rules_that_do_not_exist_cannot_be_selected(rule):
    with pytest.raises(ValueError, match=f"^rule {rule}: does not exist$"):
        credit_rules().core.selected(np.array([0, rule]))
