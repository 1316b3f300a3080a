"""Models and ensembles that never predict a rare class: labels that agree everywhere say nothing."""

import re

import numpy as np
import pytest
from show.hand_trees import leaf, plant, threshold
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor

import sightline as sl
from sightline.table import Feature

N_ROWS = 1200
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(N_ROWS, 3))
Y = np.where(RANDOM.random(N_ROWS) < 0.004 + 0.02 * (X[:, 0] > 0), "Y", "N")


def forest(y):
    return RandomForestClassifier(20, min_samples_leaf=30, random_state=0).fit(X[:800], y[:800])


def report_of(y, X_=X, **options):
    tree = sl.DistilledTreeClassifier(forest(y), 6, random_state=0).fit(X[:800], y[:800])
    return sl.report(tree, X_[800:], y[800:], sizes=(), **options)


@pytest.fixture(scope="module")
def report():
    return report_of(Y, target="defaulted")


def test_the_first_sentences_say_so_and_what_to_do(report):
    """The page began with "finds 0.0% … where the 20 trees find 0.0%", and called agreement perfect."""
    lines = report.to_text().splitlines()
    assert lines[0] == (
        "Neither the 20 trees nor this tree predicts defaulted = Y for any of the 400 rows, "
        "so their labels say nothing."
    )
    number = float(lines[1].split("threshold=")[1].split(",")[0])
    assert lines[1] == (
        f"If that holds for other rows, too, distill again with a threshold (threshold={number:g}, or "
        f"--threshold {number:g} in the command) and balanced class weights (class_weight), "
        "or with costs (cost_matrix, or --cost in the command)."
    )
    assert lines[3].startswith("AUC: the 20 trees 0.")
    assert lines[5].startswith("Rank correlation of their probabilities: 0.")
    assert "100.0%" not in report.to_text()
    assert f'<strong class="headline">{lines[0]}</strong>' in report.to_html()
    assert report.metrics["warning"] == " ".join(lines[:2])


def test_the_suggested_threshold_makes_labels_differ(report):
    number = float(report.to_text().split("threshold=")[1].split(",")[0])
    tree = sl.DistilledTreeClassifier(forest(Y), 6, threshold=number, random_state=0).fit(X[:800], Y[:800])
    again = sl.report(tree, X[800:], Y[800:], sizes=())
    n_found = np.count_nonzero(again.evidence.ensemble_labels == "Y")
    assert 1 <= n_found <= 3 * np.count_nonzero(Y[800:] == "Y")
    assert again.metrics["warning"] is None


def test_a_threshold_about_another_class_names_that_class():
    first = np.where(Y == "Y", "A", "N")
    advice = report_of(first).to_text().splitlines()[1]
    assert "(sl.load(ensemble, positive='A') and threshold=0.0" in advice
    assert "--positive A --threshold 0.0" in advice


def test_several_classes_need_costs():
    three = np.where(Y == "Y", np.where(X[:, 1] > 0, "X", "Y"), "N")
    lines = report_of(three).to_text().splitlines()
    assert lines[0] == "The 20 trees and this tree predict N for all 400 rows, so their labels say nothing."
    assert lines[1] == (
        "If that holds for other rows, too, distill again with costs (cost_matrix, or --cost in the command)."
    )


def test_a_model_alone_and_another_threshold():
    tree = plant(threshold(0, 0.0, leaf(30, 1), leaf(30, 2)), [Feature("x")], ["no", "yes"])
    rows, labels = [[-1.0], [1.0]], ["no", "yes"]
    lines = sl.report(tree, rows, labels).to_text().splitlines()
    assert lines[0] == "This tree predicts no for all 2 rows, so its labels say nothing."
    assert lines[1].startswith(
        "If that holds for other rows, too, distill again with a threshold (threshold, or --threshold in the"
    )
    strict = sl.DistilledTreeClassifier(forest(Y), 6, threshold=0.45, random_state=0).fit(X[:800], Y[:800])
    assert sl.report(strict, X[800:], Y[800:], sizes=()).to_text().splitlines()[:2] == [
        "Neither the 20 trees nor this tree predicts Y for any of the 400 rows, so their labels say nothing.",
        "Choose another threshold, or other costs.",
    ]


def steps(*labels):
    """A tree over x with one leaf per label: up to 1, up to 2, and so on."""
    names = sorted(set(labels))
    leaves = [leaf(*(30 if name == label else 0 for name in names)) for label in labels]
    node = leaves.pop()
    for bound in range(len(leaves), 0, -1):
        node = threshold(0, float(bound), leaves[bound - 1], node)
    return plant(node, [Feature("x")], names)


def test_a_class_that_only_the_ensemble_predicts_comes_first():
    """The ensemble finds the rare class and the tree never does: fidelity of 94% hides it."""
    ensemble = steps("no", "yes")
    tree = plant(threshold(0, 0.5, leaf(30, 1), leaf(30, 10)), [Feature("x")], ["no", "yes"])
    rows = np.concatenate([np.linspace(0, 1, 94), np.full(6, 2.0)])[:, None]
    labels = ensemble.predict(rows)
    report = sl.report(tree, rows, labels, ensemble=ensemble, target="default")
    assert report.to_text().splitlines()[:2] == [
        "This tree predicts default = yes for none of the 100 rows; the other tree does for 6.",
        "Distill again with another threshold or costs.",
    ]
    assert report.metrics["warning"].startswith("This tree predicts default = yes for none")
    few = sl.report(tree, rows[:98], labels[:98], ensemble=ensemble)
    assert few.metrics["warning"] is None


def test_several_missed_classes_are_named_by_their_rows():
    ensemble, tree = steps(*"abcdefgh"), plant(leaf(1, *[0] * 7), [Feature("x")], list("abcdefgh"))
    rows = np.repeat(np.arange(8) + 0.5, [50, 5, 6, 7, 4, 9, 10, 11])[:, None]
    first = sl.report(tree, rows, ensemble.predict(rows), ensemble=ensemble).to_text().splitlines()[0]
    assert first == (
        "This tree predicts h, g, f, d, c and 1 more for none of the 102 rows; the other tree does for 48."
    )


def test_advice_names_what_the_distiller_can_change():
    often = np.where(X[:, 0] > 1.8, "Y", "N")
    sure = RandomForestClassifier(20, random_state=0).fit(X[:800], often[:800])
    tree = sl.DistilledTreeClassifier(sure, 1, random_state=0).fit(X[:800], often[:800])
    lines = sl.report(tree, X[800:], often[800:], sizes=()).to_text().splitlines()
    assert lines[0].startswith("This tree predicts Y for none of the 400 rows; the 20 trees do for ")
    assert lines[1] == (
        "Distill again with more leaves, balanced class weights (class_weight), another threshold or costs."
    )


def test_rows_of_one_class_are_no_reason_to_warn():
    tree = plant(threshold(0, 0.0, leaf(30, 1), leaf(1, 30)), [Feature("x")], ["no", "yes"])
    assert sl.report(tree, [[-1.0], [-2.0]], ["no", "no"]).metrics["warning"] is None
    assert sl.report(tree, [[-1.0], [1.0]], ["no", "yes"]).metrics["warning"] is None


def test_an_ensemble_worse_than_the_mean_is_called_so():
    numbers = X[:, 0] + 0.1
    booster = RandomForestRegressor(5, random_state=0).fit(X[:800], -numbers[:800])
    tree = sl.DistilledTreeRegressor(booster, max_leaves=4, random_state=0).fit(X[:800])
    report = sl.report(tree, X[800:], numbers[800:], sizes=(), max_seconds=1)
    first = report.to_text().splitlines()[0]
    assert re.fullmatch(
        r"The 5 trees predict the 400 rows worse than always predicting the mean \(R² -\d\.\d+\)\.", first
    )
    assert report.metrics["warning"] == first


HALF = np.where(X[:, 0] > 0, "sick", "well")


def of_labels(model, classes):
    return sl.BlackBox(lambda rows: np.array(classes)[model.predict(rows)])


@pytest.mark.parametrize(
    ("as_ensemble", "measure"), [(sl.load, r"AUC 0[.\d]*"), (of_labels, r"balanced accuracy \d\.\d%")]
)
def test_classes_named_in_the_wrong_order_are_hinted_at(as_ensemble, measure):
    """An accuracy of 2% had no remark, although numbers predicted as badly had one."""
    model = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X[:800], (HALF[:800] == "sick") * 1)
    for classes, is_wrong in ((["sick", "well"], True), (["well", "sick"], False)):
        ensemble = as_ensemble(model, classes=classes)
        tree = sl.DistilledTreeClassifier(ensemble, max_leaves=3, random_state=0).fit(X[:800], HALF[:800])
        report = sl.report(tree, X[800:], HALF[800:], sizes=(), max_seconds=1)
        assert (report.metrics["warning"] is not None) == is_wrong
        if is_wrong:
            first, second = report.to_text().splitlines()[:2]
            assert re.search(rf" the 400 rows worse than chance \({measure}\)\.$", first)
            assert second == (
                "Are its classes named in the wrong order? Name them with classes=[…], or --classes in the "
                "command."
            )


def test_no_skill_one_class_and_a_rare_class_are_no_reason_to_warn():
    """A threshold for a rare class may label most rows wrong, and rank them well."""
    random = np.random.default_rng(1)
    noise = np.where(random.random(N_ROWS) < 0.5, "sick", "well")
    rare = np.where(X[:, 0] + random.normal(size=N_ROWS) > 2.5, "sick", "well")
    cases = [
        (forest(noise), noise[800:], {}),
        (forest(HALF), np.full(400, "sick"), {}),
        (sl.BlackBox(forest(HALF).predict), np.full(400, "sick"), {}),
        (sl.load(forest(rare), positive="sick"), rare[800:], {"threshold": 0.01}),
    ]
    for ensemble, y, options in cases:
        tree = sl.DistilledTreeClassifier(ensemble, 6, random_state=0, **options).fit(X[:800])
        report = sl.report(tree, X[800:], y, sizes=(), max_seconds=1)
        assert "worse than chance" not in report.to_text()
    assert report.evidence.measures.ensemble.accuracy.value < report.evidence.measures.guess.accuracy.value


def test_an_r2_just_below_0_is_no_reason_to_warn():
    """Models of rare claims were called worse than the mean for an R² of -0.002."""
    claims = RANDOM.poisson(0.05, size=N_ROWS).astype(float)
    forest = RandomForestRegressor(5, min_samples_leaf=100, random_state=0).fit(X[:800], claims[:800])
    tree = sl.DistilledTreeRegressor(forest, max_leaves=3, random_state=0).fit(X[:800])
    report = sl.report(tree, X[800:], claims[800:], sizes=(), max_seconds=1)
    assert report.evidence.measures.ensemble.r2.value < 0
    assert report.metrics["warning"] is None


def test_a_d2_clearly_below_0_is_warned_of_although_the_r2_is_not():
    """The R² of rare counts is close to 0 also where the deviance is far worse than that of the mean."""
    number = np.arange(2000)
    is_quiet, claims = number // 20 % 10 == 0, (number % 20 == 0).astype(float)
    rows = is_quiet[:, None].astype(float)
    # In training, quiet rows have no claims at all.
    booster = HistGradientBoostingRegressor(loss="poisson", max_iter=100).fit(rows, claims * ~is_quiet)
    tree = sl.DistilledTreeRegressor(booster, max_leaves=2, random_state=0).fit(rows)
    report = sl.report(tree, rows, claims, sizes=(), max_seconds=1)
    errors = report.evidence.measures.ensemble
    assert errors.r2.high > 0 > errors.d2.high
    assert report.metrics["warning"].endswith(
        f" the 2,000 rows worse than always predicting the mean (D² {errors.d2.text})."
    )


@pytest.mark.parametrize(("loss", "warns"), [("poisson", False), ("squared_error", True)])
def test_a_positive_d2_is_no_reason_to_warn(loss, warns):
    """R² weighs the few large numbers most, even if the deviance says that they are predicted well."""
    is_large = np.arange(800) % 10 == 0
    rows = is_large[:, None].astype(float)
    booster = HistGradientBoostingRegressor(loss=loss, max_iter=100).fit(rows, np.where(is_large, 30.0, 0.1))
    tree = sl.DistilledTreeRegressor(booster, max_leaves=2, random_state=0).fit(rows)
    report = sl.report(tree, rows, np.where(is_large, 10.0, 0.1), sizes=(), max_seconds=1)
    errors = report.evidence.measures.ensemble
    assert errors.r2.high < 0
    assert (errors.d2 is None) == warns
    assert (report.metrics["warning"] is not None) == warns


def test_what_is_proved_needs_no_interval():
    """Labels that provably never differ were "between 25.2 points lower and 25.2 points higher"."""
    tree = plant(threshold(0, 2.0, leaf(95, 0), leaf(0, 5)), [Feature("x"), Feature("z")], ["N", "Y"])
    rows = np.column_stack([np.linspace(0, 2.1, 100), np.where(np.arange(100) % 7, 1.0, np.nan)])
    labels = np.where(np.arange(100) < 90, "N", "Y")
    report = sl.report(tree, rows, labels, ensemble=tree)
    first, *others = report.to_text().splitlines()
    assert "(recall: no difference)" in first
    assert "on 100.0% of 100 rows (always N: 95.0%), and on 100.0% if every label" in " ".join(others)
    assert "Proved: it gives the same label to every possible row with values missing only in z." in others
    difference = report.metrics["measures"]["difference"]
    assert difference["recall"]["Y"] == {"value": 0.0, "low": 0.0, "high": 0.0}
    assert difference["accuracy"] == {"value": 0.0, "low": 0.0, "high": 0.0}
