"""The estimator: what it takes, what it chooses, what it refuses."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import cross_val_score
from unweighted import documented, unweighted

import sightline as sl
from sightline.exceptions import BudgetExceeded, ParameterError, UnsupportedModelError

X, Y = load_iris(return_X_y=True)
RNG = np.random.default_rng(0)
NOISY = RNG.integers(0, 5, (200, 4)).astype(float)
NOISY_Y = np.where(NOISY.sum(axis=1) + RNG.normal(0, 1.5, 200) > 8, "yes", "no")


def mixed_frame(n=150, missing=True):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "age": rng.integers(0, 9, n),
        }
    )
    y = np.where((frame["size"] > 0) & (frame["colour"] != "red"), "big", "small")
    if missing:
        frame.loc[rng.random(n) < 0.15, "size"] = np.nan
        frame.loc[rng.random(n) < 0.15, "colour"] = None
    return frame, y


def majority(ensemble, rows, prior):
    """The trees' majority vote, ties to the larger class, then the first."""
    votes = np.zeros((len(rows), ensemble.n_classes))
    for tree in ensemble.trees:
        votes[np.arange(len(rows)), tree.vote(tree.predict_proba(rows))] += 1
    keys = votes + np.asarray(prior)[None, :] * 1e-3
    return ensemble.classes_[keys.argmax(axis=1)]


# ---------------------------------------------------------------- the vote of the trees


@pytest.mark.parametrize("conditions", ["interval", "raw"])
@pytest.mark.parametrize("seed", range(3))
def test_full_matches_are_the_majority_vote(conditions, seed):
    model = sl.RuleSetClassifier(pc=1.0, wr=0.5, conditions=conditions, random_state=seed).fit(NOISY, NOISY_Y)
    grid = np.array(list(itertools.product(np.arange(-1, 6), repeat=4)), dtype=float)
    assert (model.predict(grid) == majority(model.ensemble_, grid, model.rules_.voting.prior)).all()


def test_full_matches_of_nominal_columns():
    frame, y = mixed_frame(missing=False)
    bagged = sl.BaggedTreesClassifier(sl.C45Classifier(), random_state=0).fit(frame, y)
    model = sl.RuleSetClassifier(bagged, pc=1.0, wr=0.5).fit(frame, y)
    assert (model.predict(frame) == majority(model.ensemble_, frame, model.rules_.voting.prior)).all()


def test_missing_values_that_go_one_way():
    """scikit-learn's trees send missing values one way: the rules equal their vote on every row."""
    rows = NOISY.copy()
    rows[RNG.random(rows.shape) < 0.2] = np.nan
    forest = RandomForestClassifier(9, random_state=0).fit(rows, NOISY_Y)
    model = sl.RuleSetClassifier(forest, pc=1.0, wr=0.5).fit(rows, NOISY_Y)
    assert (model.predict(rows) == majority(model.ensemble_, rows, model.rules_.voting.prior)).all()
    nothing = np.full((1, 4), np.nan)
    assert (model.predict(nothing) == majority(model.ensemble_, nothing, model.rules_.voting.prior)).all()


def test_missing_values_that_are_shared_out():
    """C4.5 mixes branches; a rule cannot, so its conditions fail and partial matches decide."""
    frame, y = mixed_frame()
    model = sl.RuleSetClassifier(pc=1.0, wr=0.5, random_state=0).fit(frame, y)
    complete = frame.dropna()
    prior = model.rules_.voting.prior
    assert (model.predict(complete) == majority(model.ensemble_, complete, prior)).all()
    assert not model.rules_.core.accepts_missing.any()
    assert model.score(frame, y) > 0.8


def test_unseen_category_counts_as_missing():
    frame, y = mixed_frame(missing=False)
    model = sl.RuleSetClassifier(random_state=0).fit(frame, y)
    unseen = frame.assign(colour="purple")
    absent = frame.assign(colour=pd.Series([None] * len(frame), dtype=object))
    assert (model.predict(unseen) == model.predict(absent)).all()


def test_all_values_missing_is_the_most_frequent_class():
    model = sl.RuleSetClassifier(random_state=0).fit(NOISY, NOISY_Y)
    frequent = max(set(NOISY_Y), key=NOISY_Y.tolist().count)
    assert model.predict(np.full((1, 4), np.nan)).tolist() == [frequent]


# ---------------------------------------------------------------- ensembles


@pytest.mark.parametrize(
    "booster",
    [
        AdaBoostClassifier(n_estimators=8, random_state=0),
        GradientBoostingClassifier(n_estimators=5, random_state=0),
        HistGradientBoostingClassifier(max_iter=5, random_state=0),
    ],
    ids=lambda booster: type(booster).__name__,
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_boosted_trees_vote_by_what_they_add(booster, n_classes):
    rows, y = X[n_classes > Y] + 0.01, Y[n_classes > Y]
    booster = clone(booster).fit(rows, y)
    model = sl.RuleSetClassifier(booster, pc=1.0, wr=0.5).fit(rows, y)
    assert (model.predict(rows) == booster.predict(rows)).all()


def test_own_boosting():
    boosted = sl.BoostedTreesClassifier(n_trees=6, random_state=0).fit(NOISY, NOISY_Y)
    model = sl.RuleSetClassifier(boosted, pc=1.0, wr=0.5).fit(NOISY, NOISY_Y)
    assert (model.predict(NOISY) == boosted.predict(NOISY)).mean() > 0.98


def test_labels_may_be_left_out():
    forest = RandomForestClassifier(5, random_state=0).fit(X, Y)
    model = sl.RuleSetClassifier(forest).fit(X)
    assert (model.predict(X) == forest.predict(X)).mean() > 0.95


def test_unfitted_and_frozen_ensembles():
    unfitted = sl.RuleSetClassifier(RandomForestClassifier(5, random_state=0)).fit(X, Y)
    assert unfitted.choice_ is not None
    frozen = FrozenEstimator(RandomForestClassifier(5, random_state=0).fit(X, Y))
    assert cross_val_score(sl.RuleSetClassifier(frozen, pc=0.9, wr=0.1), X, Y, cv=3).min() > 0.8


# ---------------------------------------------------------------- choosing


def test_out_of_bag_is_the_default():
    model = sl.RuleSetClassifier(random_state=0).fit(NOISY, NOISY_Y)
    choice = model.choice_
    assert choice.errors.shape == (6, 20)
    assert (model.pc_, model.wr_) == (choice.pc, choice.wr)
    assert (model.rules_.voting.pc, model.rules_.voting.wr) == (choice.pc, choice.wr)
    judged = ~(model.rule_pool_.out_of_bag == 0).all(axis=0)
    assert choice.weight == judged.sum() > 150
    assert model.rules_.statistics.oob_precision.shape == (model.rules_.n_rules,)


def test_one_given_the_other_chosen():
    model = sl.RuleSetClassifier(pc=0.7, wr="train", random_state=0).fit(NOISY, NOISY_Y)
    assert model.pc_ == 0.7
    assert model.choice_.errors.shape == (1, 20)
    given = sl.RuleSetClassifier(pc=0.7, wr=0.2, random_state=0).fit(NOISY, NOISY_Y)
    assert given.choice_ is None
    assert (given.pc_, given.wr_) == (0.7, 0.2)


def test_training_error_is_that_of_predicting():
    model = sl.RuleSetClassifier(pc="train", wr="train", random_state=0).fit(NOISY, NOISY_Y)
    assert np.isclose(model.choice_.error, 1 - model.score(NOISY, NOISY_Y))


def test_inner_cross_validation():
    model = sl.RuleSetClassifier(pc="cv", wr="cv", n_folds=3, random_state=0).fit(NOISY, NOISY_Y)
    assert model.choice_.weight == 200
    assert model.choice_.error > 0.5 * (1 - model.score(NOISY, NOISY_Y))
    given = sl.load(RandomForestClassifier(5, random_state=0).fit(X, Y))
    rows = sl.RuleSetClassifier(given, random_state=0).fit(X, Y)
    assert rows.choice_.weight == 150


def test_inner_folds_with_a_class_of_one_row():
    y = NOISY_Y.astype(object)
    y[0] = "odd"
    model = sl.RuleSetClassifier(pc="cv", wr="cv", n_folds=3, random_state=0).fit(NOISY, y)
    assert model.choice_.weight == 200


def test_same_seed_same_bytes_whatever_the_threads():
    models = [
        sl.RuleSetClassifier(max_rules=10, random_state=3, n_jobs=n_jobs).fit(NOISY, NOISY_Y)
        for n_jobs in (1, 2)
    ]
    assert models[0].to_json() == models[1].to_json()


# ---------------------------------------------------------------- weights


def test_multiplicity():
    counted = sl.RuleSetClassifier(random_state=0).fit(X, Y).rules_
    once = sl.RuleSetClassifier(random_state=0, multiplicity=0.0).fit(X, Y).rules_
    root = sl.RuleSetClassifier(random_state=0, multiplicity=0.5).fit(X, Y).rules_
    assert counted.multiplicity.max() > 1
    assert (counted.core.weight == counted.multiplicity).all()
    assert (once.core.weight == 1).all()
    assert np.allclose(root.core.weight, np.sqrt(counted.multiplicity))


def test_precision_weights():
    rules = sl.RuleSetClassifier(random_state=0, multiplicity=0.0, weight="precision").fit(X, Y).rules_
    right = rules.statistics.coverage * rules.statistics.precision
    assert np.allclose(rules.core.weight, (right + 1) / (rules.statistics.coverage + 3))


def test_statistics():
    rules = sl.RuleSetClassifier(random_state=0).fit(X, Y).rules_
    holds = rules.core.holds(sl.Table.from_any(X).native()).astype(bool)
    begin = rules.core.condition_begin
    for r in range(0, rules.n_rules, 7):
        covered = holds[:, rules.core.condition[begin[r] : begin[r + 1]]].all(axis=1)
        assert rules.statistics.coverage[r] == covered.sum()
        assert np.isclose(rules.statistics.precision[r], (Y[covered] == rules.core.label[r]).mean())


def test_row_weights_count_as_rows():
    weights = np.where(np.arange(150) % 3 == 0, 2.0, 1.0)
    forest = RandomForestClassifier(5, bootstrap=False, random_state=0).fit(X, Y)
    once = sl.RuleSetClassifier(forest, pc="train", wr="train", max_rules=6).fit(X, Y, sample_weight=weights)
    rows = np.repeat(np.arange(150), weights.astype(int))
    twice = sl.RuleSetClassifier(forest, pc="train", wr="train", max_rules=6).fit(X[rows], Y[rows])
    assert unweighted(once) == documented(twice)


def test_duplicates():
    model = sl.RuleSetClassifier(random_state=0).fit(X, Y)
    n_leaves = model.ensemble_.size_["leaves"]
    assert np.isclose(model.duplicate_share_, 1 - model.rules_.n_rules / n_leaves)
    assert model.duplicate_share_ > 0.1


# ---------------------------------------------------------------- selection


def test_selection_and_resizing():
    whole = sl.RuleSetClassifier(random_state=0).fit(NOISY, NOISY_Y)
    small = sl.RuleSetClassifier(max_rules=8, random_state=0).fit(NOISY, NOISY_Y)
    assert small.rules_.n_rules == 8
    again = whole.resized(8)
    assert again.to_json() == small.to_json()
    assert again.max_rules == 8
    assert whole.rules_.n_rules > 100  # untouched
    assert again.resized(4).rules_.n_rules == 4


def test_selected_rules_are_nodes_or_shorter():
    whole = sl.RuleSetClassifier(random_state=0).fit(NOISY, NOISY_Y)
    small = whole.resized(10).rules_
    plain = sl.RuleSetClassifier(max_rules=10, shorten=False, random_state=0).fit(NOISY, NOISY_Y).rules_
    assert small.multiplicity.max() > 1
    assert (small.core.weight > 0).all()
    leaves = [{c.feature: c for c in rule.conditions} for rule in whole.rules_.rules]
    for rule in plain.rules:  # every leaf below a node satisfies its conditions
        assert any(
            all(
                c.feature in leaf and leaf[c.feature].low >= c.low and leaf[c.feature].high <= c.high
                for c in rule.conditions
            )
            for leaf in leaves
        )


def test_candidates_have_a_budget(monkeypatch):
    monkeypatch.setattr("sightline.distill._vote_selection._MAX_ENTRIES", 1000)
    with pytest.raises(BudgetExceeded) as caught:
        sl.RuleSetClassifier(max_rules=10, random_state=0).fit(NOISY, NOISY_Y)
    assert str(caught.value) == (
        "The ensemble's trees are too deep to select rules from. Use shallower trees or fewer rows."
    )


def test_conditions_have_a_budget(monkeypatch):
    monkeypatch.setattr("sightline.distill._rule_pool.MAX_CONDITIONS", 10)
    with pytest.raises(BudgetExceeded) as caught:
        sl.RuleSetClassifier(random_state=0).fit(NOISY, NOISY_Y)
    assert str(caught.value) == (
        "The rules of the ensemble would have more than 10 conditions. "
        "Use fewer or shallower trees, or conditions='interval'."
    )


def test_few_rules_reach_every_class():
    small = sl.RuleSetClassifier(max_rules=3, random_state=0).fit(X, Y)
    assert set(small.rules_.core.label.tolist()) == {0, 1, 2}
    assert small.score(X, Y) > 0.9


def test_curve():
    whole = sl.RuleSetClassifier(random_state=0).fit(NOISY[::2], NOISY_Y[::2])
    curve = whole.fidelity_curve(NOISY[1::2], NOISY_Y[1::2], sizes=[3, 10, 10_000])
    assert curve.sizes.tolist() == [3, whole.resized(10).rules_.n_rules, whole.rules_.n_rules]
    assert curve.unit == "rules"
    assert np.isclose(curve.accuracy[-1], whole.score(NOISY[1::2], NOISY_Y[1::2]))
    small = whole.resized(10)
    assert np.isclose(
        curve.fidelity[1], (small.predict(NOISY[1::2]) == whole.ensemble_.predict(NOISY[1::2])).mean()
    )


def test_pickle_forgets_the_training_rows():
    model = sl.RuleSetClassifier(random_state=0).fit(X, Y)
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(X) == model.predict(X)).all()
    with pytest.raises(ParameterError) as caught:
        again.resized(5)
    assert str(caught.value) == (
        "This RuleSetClassifier was unpickled, and pickles do not hold the training rows. "
        "Call resized before pickling, or fit again with max_rules."
    )


def test_rule_sets_are_no_ensembles():
    model = sl.RuleSetClassifier(random_state=0).fit(X, Y)
    with pytest.raises(UnsupportedModelError) as caught:
        sl.load(model)
    assert "it holds neither an ensemble nor a tree" in str(caught.value)


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"pc": 50},
            "The 'pc' parameter of RuleSetClassifier must be a float in the range [0.0, 1.0], a str among "
            "{'cv', 'oob', 'train'} or None. Got 50 instead.",
        ),
        (
            {"wr": -0.1},
            "The 'wr' parameter of RuleSetClassifier must be a float in the range [0.0, 1.0], a str among "
            "{'cv', 'oob', 'train'} or None. Got -0.1 instead.",
        ),
        (
            {"pc": "cv", "wr": "train"},
            "The 'pc' and 'wr' parameters of RuleSetClassifier must be chosen the same way, or given. "
            "Got 'cv' and 'train' instead.",
        ),
        (
            {"max_rules": 0},
            "The 'max_rules' parameter of RuleSetClassifier must be an int in the range [1, inf) or None. "
            "Got 0 instead.",
        ),
    ],
    ids=["pc", "wr", "mixed", "max_rules"],
)
def test_parameters_out_of_range(options, sentence):
    with pytest.raises(ParameterError) as caught:
        sl.RuleSetClassifier(**options).fit(X, Y)
    message = str(caught.value)
    for order in itertools.permutations(("'cv'", "'oob'", "'train'")):
        message = message.replace("{" + ", ".join(order) + "}", "{'cv', 'oob', 'train'}")
    assert message == sentence


def test_regressors():
    forest = RandomForestRegressor(3, random_state=0).fit(X, Y.astype(float))
    with pytest.raises(UnsupportedModelError) as caught:
        sl.RuleSetClassifier(forest).fit(X, Y)
    assert str(caught.value) == (
        "The ensemble is a regressor, but RuleSetClassifier requires a classifier. Use RuleSetRegressor."
    )


def test_no_rules():
    flat = GradientBoostingClassifier(n_estimators=1, learning_rate=0.0, random_state=0).fit(X[:100], Y[:100])
    with pytest.raises(UnsupportedModelError) as caught:
        sl.RuleSetClassifier(flat).fit(X[:100], Y[:100])
    assert str(caught.value) == (
        "The ensemble has no rules, because every leaf of its trees adds zero. There is nothing to summarize."
    )


def test_where_no_rule_helps_the_widest_one_stays():
    forest = RandomForestClassifier(3, random_state=0).fit(X[:100], Y[:100])
    of_one_class = X[:100][forest.predict(X[:100]) == 1]
    of_one_class = of_one_class[forest.predict_proba(of_one_class)[:, 1] == 1]
    rules = sl.RuleSetClassifier(forest, max_rules=3).fit(of_one_class)
    assert rules.rules_.n_rules == 1
    assert rules.rules_.statistics.coverage[0] == len(of_one_class)
    assert (rules.predict(of_one_class) == 1).all()


def test_one_row_is_judged_by_itself():
    assert sl.RuleSetClassifier(random_state=0).fit(X[:1], Y[:1]).predict(X[:1]).tolist() == [0]
