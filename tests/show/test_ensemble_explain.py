import numpy as np
import pytest
from show.hand_trees import leaf, number, plant, subset, threshold
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.model_selection import FixedThresholdClassifier

import sightline as sl
from sightline.exceptions import DataError
from sightline.load import load
from sightline.model import Ensemble, Link
from sightline.model._ensemble import combined
from sightline.show import explain
from sightline.table import Feature

FEATURES = [Feature("x")]


def stump(at, low=(3, 1), high=(0, 4)):
    return plant(threshold(0, at, leaf(*low), leaf(*high)), FEATURES, ["no", "yes"])


def numbers(at, low, high):
    return plant(threshold(0, at, number(low), number(high)), FEATURES, None)


def test_averaged_trees_are_counted():
    ensemble = Ensemble.average([stump(1), stump(2), stump(3)])
    assert (
        str(ensemble.explain([1.5], reasons=False))
        == "Predicted no with probability 50%.\nOf 3 trees, 2 say no, 1 says yes."
    )


def test_a_sure_minority_outweighs_the_others():
    unsure = (6, 4)
    ensemble = Ensemble.average([stump(9, low=unsure), stump(9, low=unsure), stump(1)])
    assert str(ensemble.explain([1.5], reasons=False)) == (
        "Predicted yes with probability 60%.\n"
        "Of 3 trees, 2 say no, 1 says yes; the mean of their probabilities decides."
    )


def test_weighted_votes_say_so():
    core = combined([stump(1).core, stump(2).core], votes=True, tree_weight=[3, 1])
    ensemble = Ensemble(core, stump(1).schema, np.array(["no", "yes"]), Link("mean", (4.0,)))
    assert str(ensemble.explain({"x": 1.5}, reasons=False)) == (
        "Predicted yes with 75% of the votes.\nOf 2 trees, 1 says no, 1 says yes; their weights differ."
    )


def test_sums_push():
    trees = [numbers(1, -1.0, 2.0), numbers(2, -0.5, 0.25), numbers(3, -0.25, 1.0)]
    ensemble = Ensemble(
        combined([t.core for t in trees]), trees[0].schema, np.array(["no", "yes"]), Link("sigmoid")
    )
    assert str(ensemble.explain([1.5], reasons=False)) == (
        "Predicted yes with probability 78%.\n1 of 3 trees favors yes and 2 favor no; the sum is 1.25. "
        "A sum above 0 means yes."
    )


@pytest.mark.parametrize(
    ("limit", "meaning"), [(-5e-324, "A sum above 0 means yes."), (2.0, "A sum above 2 means yes.")]
)
def test_the_sum_says_which_class_it_means(limit, meaning):
    core = combined([numbers(1, -1.0, 2.0).core], base=[-0.75])
    link = Link("sigmoid", label_above=limit)
    ensemble = Ensemble(core, numbers(1, 0, 0).schema, np.array(["no", "yes"]), link)
    assert str(ensemble.explain([1.5], reasons=False)).splitlines()[1] == (
        "1 of 1 tree favors yes and 0 favor no; the sum is 1.25, including a base value of -0.75. " + meaning
    )


@pytest.mark.parametrize("base", [0.0, -2.2e-16])
def test_a_base_value_that_is_only_rounding_is_left_out(base):
    core = combined([numbers(1, -1.0, 2.0).core], base=[base])
    ensemble = Ensemble(core, numbers(1, 0, 0).schema, np.array(["no", "yes"]), Link("sigmoid"))
    assert "the sum is 2. A sum above 0" in str(ensemble.explain([1.5], reasons=False))


def test_with_a_threshold_of_its_own_a_sum_only_favors_a_class():
    X = np.arange(40.0)[:, None]
    booster = GradientBoostingClassifier(n_estimators=3)
    fixed = FixedThresholdClassifier(booster, threshold=0.9, pos_label="ja")
    fixed.fit(X, np.where(X[:, 0] < 30, "nein", "ja"))
    said = str(load(fixed).explain([3.0])).splitlines()[1]
    assert " A sum above 0 favors nein. The label is ja if its probability is at least 0.9." in said


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({"threshold": 0.3}, "The label is yes if its probability is at least 0.3."),
        ({"cost_matrix": [[0, 1], [9, 0]]}, "The label is yes if its probability is at least 0.1."),
        ({}, ""),
    ],
)
def test_what_the_caller_passed_decides_not_the_model(rule, sentence):
    X = np.arange(40.0)[:, None]
    booster = GradientBoostingClassifier(n_estimators=3).fit(X, np.where(X[:, 0] < 30, "no", "yes"))
    tree = sl.DistilledTreeClassifier(booster, max_leaves=2, random_state=0, **rule).fit(X)
    said = str(tree.explain([3.0]))
    assert sentence in said
    assert "own threshold" not in said + tree.ensemble_.to_text()
    assert sentence[1:-1] in tree.ensemble_.to_text()


def test_costs_of_three_classes_decide():
    X = np.arange(60.0)[:, None]
    forest = RandomForestClassifier(5, random_state=0).fit(X, np.repeat(["a", "b", "c"], 20))
    costs = [[0, 1, 1], [5, 0, 5], [1, 1, 0]]
    tree = sl.DistilledTreeClassifier(forest, max_leaves=3, cost_matrix=costs, random_state=0).fit(X)
    assert "The label is the one with the lowest expected cost." in str(tree.explain([3.0]))
    assert "; the label is the one with the lowest expected cost" in tree.ensemble_.to_text()


def test_sums_per_class():
    trees = [numbers(1, -1.0, 2.0), numbers(2, -0.5, 0.25), numbers(3, -0.25, 1.0)]
    core = combined([t.core for t in trees], n_scores=3, tree_score=[0, 1, 2])
    ensemble = Ensemble(core, trees[0].schema, np.array(["a", "b", "c"]), Link("softmax"))
    assert str(ensemble.explain([1.5], reasons=False)).endswith(
        "Sums of 3 trees per class, largest wins: a 2, c -0.25, b -0.5."
    )


def test_sums_of_numbers_are_not_called_predictions():
    trees = [numbers(1, -1.0, 2.0), numbers(2, -0.5, 0.25)]
    ensemble = Ensemble(combined([t.core for t in trees]), trees[0].schema, None, Link("identity"))
    assert (
        str(ensemble.explain([1.5], reasons=False))
        == "Predicted 1.5.\nEach of 2 trees adds between -0.5 and 2."
    )


def test_means_of_numbers_tell_the_range():
    trees = [numbers(1, -1.0, 2.0), numbers(2, -0.5, 0.25)]
    core = combined([t.core for t in trees])
    ensemble = Ensemble(core, trees[0].schema, None, Link("identity", divide_by=(2.0,)))
    assert ensemble.is_mean
    assert str(ensemble.explain([1.5])).splitlines()[1] == "The predictions of 2 trees range from -0.5 to 2."


def test_a_function_of_a_sum_of_numbers_is_named():
    X = np.arange(40.0)[:, None]
    booster = HistGradientBoostingRegressor(loss="poisson", max_iter=5, min_samples_leaf=5).fit(X, X[:, 0])
    said = str(load(booster).explain([3.0])).splitlines()[1]
    total = np.log(booster.predict([[3.0]])[0])
    assert said.startswith("Each of 5 trees adds between -")
    base = float(booster._baseline_prediction[0, 0])
    assert said.endswith(
        f" to a base value of {base:.3g}; the sum is {total:.3g}, "
        "and the prediction is the exponential of the sum."
    )


def test_wrong_rows_are_refused():
    with pytest.raises(DataError, match="X has 2 features, but the ensemble is expecting 1 features"):
        explain(Ensemble.average([stump(1)]), [1, 2])


def test_features_that_spoke_for_and_against_are_named():
    features = [Feature("age"), Feature("purpose", ("car", "house"))]
    root = threshold(0, 30.0, leaf(8, 2), subset(1, [0], leaf(3, 1), leaf(1, 9)))
    ensemble = Ensemble.average([plant(root, features, ["bad", "good"])])
    assert str(explain(ensemble, {"age": 40.0, "purpose": "car"})).splitlines()[2:] == [
        "Main reasons for bad: purpose (yours: car).",
        "Main reasons against it: age (yours: 40).",
    ]
    assert "spoke" not in str(ensemble.explain({"age": 40.0, "purpose": "car"}, reasons=False))


def test_categories_that_the_ensemble_does_not_know_are_named():
    """A postal code 1067 for "01067" went unmentioned unless it was one of three main reasons."""

    def sentences(row):
        return str(ensemble.explain({"age": 40.0, "untested": "b"} | row)).splitlines()

    for unseen in ("missing", "last"):
        categories = ("01067", "04109", "any other")
        features = [
            Feature("age"),
            Feature("postal code", categories, unseen=unseen),
            Feature("untested", ("a",)),
        ]
        root = threshold(0, 30.0, leaf(8, 2), subset(1, [0], leaf(3, 2), leaf(3, 2)))
        ensemble = Ensemble.average([plant(root, features, ["bad", "good"])])
        unknown = "The ensemble does not know the value 1067 of postal code."
        assert sentences({"postal code": "1067"})[2] == unknown
        for known in ("01067", None, "any other"):
            assert unknown[:20] not in str(sentences({"postal code": known}))


def test_a_frame_does_not_say_that_an_ensemble_agrees_with_itself():
    """A file of stumps had a column "agrees" that looked like the agreement with the forest they replace."""
    why = Ensemble.average([stump(1), stump(2)]).explain([[0.5], [2.5]])
    assert list(why.to_columns()) == [
        "row",
        "prediction",
        "probability",
        *(f"reason_{i}" for i in range(1, 5)),
    ]
    assert why[0].ensemble.votes == {"no": 2}
