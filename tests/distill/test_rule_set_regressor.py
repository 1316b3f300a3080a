"""Rules that predict numbers: how they are averaged, selected and shortened, and what is refused."""

from __future__ import annotations

import pickle
import random

import lightgbm
import numpy as np
import pandas as pd
import pytest
from cases import each
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.ensemble import (
    AdaBoostRegressor,
    BaggingRegressor,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeRegressor
from strategies import random_ensemble, random_table

import sightline as sl
from sightline import _core
from sightline.model import Ensemble, Link, RuleErrors, RuleSet, Voting, combined
from sightline.table import Table


@pytest.fixture(scope="module")
def task():
    X, y = load_diabetes(return_X_y=True)
    return X[::2], y[::2], X[1::2], y[1::2]


@pytest.fixture(scope="module")
def forest(task):
    return RandomForestRegressor(20, min_samples_leaf=3, random_state=0).fit(*task[:2])


@pytest.fixture(scope="module")
def rules(task, forest):
    return sl.RuleSetRegressor(forest, max_rules=20, random_state=0).fit(*task[:2])


def slow_numbers(rules: RuleSet, table: Table) -> np.ndarray:
    """Numbers of rows from the definition, rule by rule."""
    holds, core, voting = rules.core.holds(table.native()).astype(bool), rules.core, rules.voting
    numbers = []
    for row in holds:
        full, partial, near = np.zeros(2), np.zeros(2), np.zeros(2)
        for rule in range(rules.n_rules):
            own = row[core.condition[core.condition_begin[rule] : core.condition_begin[rule + 1]]]
            sums = core.weight[rule] * np.array([rules.values[rule], 1.0])
            share = own.mean() if len(own) else 1.0
            if own.all():
                full += sums
            elif share > 0:
                partial += share * sums * (share >= voting.pc - 1e-9)
                near += share * sums * (voting.fallback is not None and share >= voting.fallback - 1e-9)
        sums = full + voting.wr * partial
        sums = sums if sums[1] > 1e-12 else near
        numbers.append(sums[0] / sums[1] if sums[1] > 1e-12 else voting.prior[0])
    return np.array(numbers)


@each(seed=range(30))
def test_numbers_are_weighted_means_of_the_rules_that_match(seed):
    rng = random.Random(seed)
    drawn = random_ensemble(rng, n_classes=2, kinds=("sums",))
    core, values = _core.number_rules_of_ensemble(drawn.core(), rng.random() < 0.5, 10**6)
    voting = Voting(
        (0.7,), (0.0,), rng.choice([0.5, 0.8, 1.0]), rng.choice([0.0, 0.3, 1.0]), rng.choice([None, 0.5])
    )
    rules = RuleSet(core, drawn.schema, None, voting, values=np.array(values))
    if rng.random() < 0.5:
        rules = rules.selected(rng.sample(range(rules.n_rules), max(1, rules.n_rules // 2)))
    table = random_table(rng, drawn.schema, 30)
    np.testing.assert_allclose(rules.predict(table), slow_numbers(rules, table), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    "teacher",
    [
        RandomForestRegressor(10, random_state=0),
        ExtraTreesRegressor(10, max_depth=6, random_state=0),
        BaggingRegressor(DecisionTreeRegressor(max_depth=5), 8, random_state=0),
        DecisionTreeRegressor(max_depth=4, random_state=0),
    ],
    ids=lambda t: type(t).__name__,
)
def test_all_rules_give_the_numbers_of_the_ensemble(task, teacher):
    X, y, unseen, _ = task
    teacher.fit(X, y)
    rules = sl.RuleSetRegressor(teacher, max_rules=None, pc=1.0, wr=0.0).fit(X, y)
    np.testing.assert_allclose(rules.predict(unseen), teacher.predict(unseen), rtol=1e-9)
    assert rules.choice_ is None


def covered(core: _core.RuleSet, X: np.ndarray) -> np.ndarray:
    holds = core.holds(Table.from_any(X).native()).astype(bool)
    begin = core.condition_begin
    return np.array(
        [holds[:, core.condition[begin[r] : begin[r + 1]]].all(axis=1) for r in range(core.n_rules)]
    )


def test_selection_takes_the_largest_drop_of_the_squared_error():
    X, y = make_friedman1(60, random_state=0)
    forest = RandomForestRegressor(4, max_depth=3, random_state=0).fit(X, y)
    core, values = _core.number_rules_of_ensemble(sl.load(forest).core, False, 10**6)
    # As the estimator does, about their mean: a row that no rule covers gets 0.
    mean = forest.predict(X).mean()
    values, numbers = np.array(values) - mean, forest.predict(X) - mean
    inside, weight = covered(core, X), np.asarray(core.weight)
    chosen = _core.greedy_means(core, values, Table.from_any(X).native(), numbers, None, max_rules=6)

    def error(rules):
        total = sum(
            (weight[r] * inside[r] * np.array([[values[r]], [1.0]]) for r in rules), np.zeros((2, len(X)))
        )
        means = np.divide(total[0], total[1], out=np.zeros(len(X)), where=total[1] > 0)
        return ((means - numbers) ** 2).sum()

    assert len(chosen) == 6
    first = min(range(core.n_rules), key=lambda rule: error([rule]))
    assert error([chosen[0]]) == pytest.approx(error([first]))
    errors = [error(chosen[:n]) for n in range(7)]
    assert errors == sorted(errors, reverse=True)


def test_shortened_rules_have_no_condition_whose_loss_brings_numbers_closer():
    X, y = make_friedman1(80, random_state=1)
    forest = RandomForestRegressor(3, max_depth=5, random_state=0).fit(X, y)
    core, _ = _core.number_rules_of_ensemble(sl.load(forest).core, False, 10**6)
    numbers = forest.predict(X)
    scaled = (numbers - numbers.mean()) / numbers.std()
    holds = core.holds(Table.from_any(X).native()).astype(bool)

    def spread(conditions):
        own = scaled[holds[:, conditions].all(axis=1)]
        return (((own - own.mean()) ** 2).sum() + 1 if len(own) else 1) / (len(own) + 1)

    expected = set()
    for rule in range(core.n_rules):
        conditions = list(core.condition[core.condition_begin[rule] : core.condition_begin[rule + 1]])
        while len(conditions) > 1:
            spreads = [spread(conditions[:i] + conditions[i + 1 :]) for i in range(len(conditions))]
            best = max(i for i in range(len(conditions)) if spreads[i] <= min(spreads))
            if spreads[best] > spread(conditions):
                break
            del conditions[best]
        expected.add(frozenset(conditions))
    short = _core.with_shortened_numbers(core, Table.from_any(X).native(), numbers, None)
    begin = short.condition_begin
    found = {frozenset(short.condition[begin[r] : begin[r + 1]].tolist()) for r in range(short.n_rules)}
    assert expected <= found


def test_shortening_has_a_budget(monkeypatch, task, forest):
    monkeypatch.setattr("sightline.distill._number_rule_pool._MAX_CONDITION_ROWS", 1000)
    with pytest.raises(sl.BudgetExceeded, match=r"Shortening the rules would evaluate [\d,]+ conditions on "):
        sl.RuleSetRegressor(forest, max_rules=10).fit(*task[:2])


def test_a_selected_rule_predicts_the_mean_of_its_rows_and_knows_its_errors(task, forest, rules):
    X, y, *_ = task
    numbers, model = forest.predict(X), rules.rules_
    inside = covered(model.core, X)
    bags = [np.bincount(drawn, minlength=len(X)) == 0 for drawn in forest.estimators_samples_]
    for index, rule in enumerate(model.rules):
        assert rule.label == pytest.approx(numbers[inside[index]].mean())
        assert rule.coverage == inside[index].sum()
        assert rule.error == pytest.approx(np.abs(y[inside[index]] - rule.label).mean())
        unseen = inside[index] & np.any([bags[tree] for tree in rule.trees], axis=0)
        assert rule.oob_coverage == unseen.sum()
        if unseen.any():
            assert rule.oob_error == pytest.approx(np.abs(y[unseen] - rule.label).mean())
        assert np.isnan(rule.precision)


def test_a_few_rules_are_about_as_faithful_as_a_tree_of_as_many_leaves(task, forest, rules):
    X, _, unseen, y_unseen = task
    numbers = forest.predict(unseen)
    tree = DecisionTreeRegressor(max_leaf_nodes=20, random_state=0).fit(X, forest.predict(X))
    assert rules.score(unseen, numbers) > tree.score(unseen, numbers) - 0.02
    curve = rules.fidelity_curve(unseen, y_unseen, sizes=[2, 20])
    assert curve.measure == "R²"
    assert curve.fidelity[0] < curve.fidelity[1] == pytest.approx(rules.score(unseen, numbers))
    assert rules.resized(5).rules_.n_rules == 5


def test_remarks_name_trees_that_are_not_the_ensembles_own_and_weights(task, forest, rules):
    X, y, unseen, y_unseen = task
    booster = GradientBoostingRegressor(n_estimators=5, random_state=0).fit(X, y)
    weights = np.linspace(0.1, 1, len(X))
    few = sl.RuleSetRegressor(booster, max_rules=3, shorten=False, random_state=0).fit(X, y, weights)
    assert few.remarks_ == [
        "The rules come from 100 trees that learned the numbers of the ensemble for the training rows; "
        "their errors refer to these numbers.",
        f"Training rows are weighted (total {weights.sum():.6g}). Nodes and rules show sums of weights.",
    ]
    told = sl.report(few, unseen, y_unseen, sizes=()).to_text()
    assert few.remarks_[1] in told
    assert (
        "Unlike the training rows, the rows of this report all count the same: no weights were given." in told
    )
    assert not rules.remarks_


@pytest.mark.parametrize("how", ["oob", "cv", "train"])
def test_partial_matches_are_chosen_by_the_squared_error(task, forest, how):
    X, y, *_ = task
    rules = sl.RuleSetRegressor(forest, max_rules=10, pc=how, wr=how, n_folds=2, random_state=0).fit(X, y)
    assert rules.choice_.errors.shape == (6, 20)
    assert 0 < rules.choice_.error < 1
    if how == "train":
        error = 1 - rules.score(X, y)
        assert rules.choice_.error == pytest.approx(error)


@pytest.mark.parametrize(
    "booster",
    [
        GradientBoostingRegressor(n_estimators=30, random_state=0),
        lightgbm.LGBMRegressor(n_estimators=30, n_jobs=1, verbose=-1),
        AdaBoostRegressor(n_estimators=10, random_state=0),
    ],
    ids=lambda t: type(t).__name__,
)
def test_trees_that_add_up_are_imitated_by_the_rules_of_a_forest(task, booster):
    X, y = (pd.DataFrame(task[0]).rename(columns=str), task[1])
    booster.fit(X, y)
    rules = sl.RuleSetRegressor(booster, max_rules=30, random_state=0).fit(X, y)
    assert rules.score(X, booster.predict(X)) > 0.75
    assert rules.rules_.n_trees == 100


def test_the_forest_that_learns_numbers_has_small_trees():
    """The rules of full-depth trees took minutes to shorten, and were refused for 15,000 rows."""
    X = np.random.default_rng(0).normal(size=(1500, 4))
    y = X[:, 0] + X[:, 1] * X[:, 2]
    booster = GradientBoostingRegressor(n_estimators=60, random_state=0).fit(X, y)
    rules = sl.RuleSetRegressor(booster, max_rules=5, shorten=False, pc=1.0, wr=1.0, random_state=0).fit(X, y)
    assert max(tree.n_leaves for tree in rules.rule_pool_.teacher.trees.core.trees) == 200


def test_files_and_pickles_hold_everything(task, rules, tmp_path):
    _, _, unseen, _ = task
    rules.to_json(tmp_path / "rules.json")
    again = sl.read_model(tmp_path / "rules.json")
    assert again.to_json() == rules.to_json()
    assert (again.predict(unseen) == rules.predict(unseen)).all()
    assert isinstance(again.statistics, RuleErrors)
    unpickled = pickle.loads(pickle.dumps(rules))
    assert (unpickled.predict(unseen) == rules.predict(unseen)).all()
    with pytest.raises(sl.ParameterError, match="This RuleSetRegressor was unpickled"):
        unpickled.resized(3)


def test_broken_files_are_refused(rules, tmp_path):
    text = rules.to_json()
    for old, new, message in (
        ('"values":[', '"values":[1.5,', "there are 20 rules, but 21 values"),
        ('"weight":[', '"weight":[-', "no negative weights"),
    ):
        (tmp_path / "broken.json").write_text(text.replace(old, new), encoding="utf-8")
        with pytest.raises(sl.ModelFormatError, match=message):
            sl.read_model(tmp_path / "broken.json")


def test_text_and_explanation_give_numbers_and_errors(task, rules):
    X, *_ = task
    lines = rules.to_text().splitlines()
    assert lines[0] == "20 rules from 20 trees; predicts a number"
    assert lines[1].startswith("The prediction is the weighted mean of the rules whose conditions all hold.")
    shown = lines[lines.index("") + 1 :]
    assert " if x" in shown[0]
    assert "off by " in shown[0]
    assert " unseen" in shown[-1]
    values = [float(line.split(" if ")[0]) for line in shown]
    assert values == sorted(values, reverse=True)
    explanation = str(rules.explain(X[0]))
    assert explanation.startswith(f"Predicted {rules.predict(X[:1])[0]:.4g}, the weighted mean of the rules")
    assert "<table>" in rules.rules_._repr_html_()
    assert rules.plot().get_legend() is None
    frame = rules.rules_.to_frame()
    assert frame["label"].tolist() == rules.rules_.values.tolist()
    assert {"error", "oob_error"} <= set(frame.columns)
    assert repr(rules.rules_).endswith("numbers)")


def test_nominal_missing_and_weighted_rows():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 300)
    size = np.where(rng.random(300) < 0.1, np.nan, rng.normal(size=300))
    y = 5.0 * (colour == "red") + np.nan_to_num(size)
    X = pd.DataFrame({"colour": pd.Categorical(colour), "size": size})
    rules = sl.RuleSetRegressor(max_rules=12, random_state=0).fit(X, y, rng.integers(0, 3, 300))
    assert rules.score(X, y) > 0.8
    assert "colour is" in rules.to_text()
    assert np.isfinite(rules.rules_.statistics.oob_error).any()


@pytest.mark.parametrize("value", [0.0, -3.5, 1e200])
def test_a_constant_target_gives_one_rule(value):
    X = np.arange(20.0)[:, None]
    rules = sl.RuleSetRegressor(random_state=0).fit(X, np.full(20, value))
    assert rules.predict([[100.0]]) == pytest.approx([value])
    assert rules.rules_.n_rules == 1


def test_refusals_say_what_is_wrong(task, forest, rules):
    X, y, *_ = task
    with pytest.raises(
        sl.ParameterError, match="The 'pc' and 'wr' parameters of RuleSetRegressor must be chosen"
    ):
        sl.RuleSetRegressor(forest, pc="oob", wr="cv").fit(X, y)
    with pytest.raises(sl.ParameterError, match="The 'weight' parameter of RuleSetRegressor"):
        sl.RuleSetRegressor(forest, weight="precision").fit(X, y)
    classes = (y > 100).astype(int)
    classifier = RandomForestClassifier(3, random_state=0).fit(X, classes)
    with pytest.raises(sl.UnsupportedModelError, match=r"is a classifier.*Use RuleSetClassifier\."):
        sl.RuleSetRegressor(classifier).fit(X, y)
    with pytest.raises(sl.UnsupportedModelError, match=r"is a regressor.*Use RuleSetRegressor\."):
        sl.RuleSetClassifier(forest).fit(X, classes)
    sentence = (
        "{} needs rules that vote for classes, but these predict numbers. "
        "Use the tree of DistilledTreeRegressor instead."
    )
    for what, refused in (
        ("A proof", rules.rules_.boxed),
        ("A vote", lambda: rules.rules_.votes(X)),
        ("A simplified rule set", rules.rules_.simplified),
    ):
        with pytest.raises(sl.UnsupportedModelError) as refusal:
            refused()
        assert str(refusal.value) == sentence.format(what)
    with pytest.raises(sl.UnsupportedModelError, match=r"Cannot load a fitted .*RuleSetRegressor"):
        sl.load(rules)
    several = RandomForestRegressor(3, random_state=0).fit(X, np.column_stack([y, -y]))
    with pytest.raises(sl.DataError, match="returned 2 numbers per row"):
        sl.RuleSetRegressor(several).fit(X)
    for wrong, message in (
        (np.where(np.arange(len(y)) == 3, np.nan, y), "contains NaN, first at row 3"),
        (np.column_stack([y, y]), "y should be a 1d array"),
    ):
        with pytest.raises(sl.DataError, match=message):
            sl.RuleSetRegressor(forest).fit(X, wrong)


def test_bags_of_other_rows_are_not_believed(task, forest):
    X, y, *_ = task
    kept = sl.RuleSetRegressor(forest, max_rules=3, pc=1.0, wr=0.0).fit(X, y)
    assert kept.rule_pool_.out_of_bag is not None
    shuffled = np.random.default_rng(0).permutation(len(X))
    moved = sl.RuleSetRegressor(forest, max_rules=3, pc=1.0, wr=0.0).fit(X[shuffled], y[shuffled])
    assert moved.rule_pool_.out_of_bag is None


def test_the_models_own_link_decides_whether_trees_are_averaged():
    drawn = random_ensemble(random.Random(3), n_classes=2, kinds=("sums",))
    model = Ensemble(drawn.core(), drawn.schema, None, Link("identity"))
    table = random_table(random.Random(4), drawn.schema, 40)
    rules = sl.RuleSetRegressor(model, max_rules=5, random_state=0).fit(table)
    assert rules.rules_.n_trees == 100


@pytest.mark.parametrize(
    ("weights", "is_averaged"), [([1.0, 3.0], True), ([4.0, 0.0], False), ([5.0, -1.0], False)]
)
def test_trees_without_a_positive_weight_are_not_averaged(task, weights, is_averaged):
    X, y, unseen, _ = task
    two = sl.load(RandomForestRegressor(2, max_depth=4, random_state=0).fit(X, y))
    core = combined(two.core.trees, tree_weight=weights)
    model = Ensemble(core, two.schema, None, Link("identity", (4.0,)))
    rules = sl.RuleSetRegressor(model, max_rules=None, pc=1.0, wr=0.0, random_state=0).fit(X)
    assert rules.rules_.n_trees == (2 if is_averaged else 100)
    if is_averaged:
        np.testing.assert_allclose(rules.predict(unseen), model.predict(unseen), rtol=1e-12)
