"""Thresholds, costs and class weights of ensembles, in trees and rules."""

import re
from html import unescape

import numpy as np
import pytest
from matplotlib.text import Text
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.neighbors import KNeighborsClassifier

import sightline as sl
from sightline.exceptions import ParameterError
from sightline.load import decided
from sightline.model import Decision
from sightline.show.drawing._tree_layout import lay_out


@pytest.fixture(scope="module")
def rare():
    """A forest that has to find one row in twenty."""
    X, y = make_classification(1500, 6, weights=[0.95], flip_y=0.02, random_state=0)
    forest = RandomForestClassifier(30, min_samples_leaf=4, random_state=0).fit(X[:900], y[:900])
    return forest, X[:900], y[:900], X[900:]


def test_the_label_of_the_ensemble_follows_the_threshold(rare):
    forest, X, y, unseen = rare
    tree = sl.DistilledTreeClassifier(forest, max_leaves=8, threshold=0.2, random_state=0).fit(X, y)
    wrapped = FixedThresholdClassifier(forest, threshold=0.2).fit(X, y)
    assert (tree.ensemble_.predict(unseen) == wrapped.predict(unseen)).all()
    assert (tree.ensemble_.predict_proba(unseen) == forest.predict_proba(unseen)).all()
    given = sl.DistilledTreeClassifier(wrapped, max_leaves=8, random_state=0).fit(X, y)
    assert (given.ensemble_.predict(unseen) == tree.ensemble_.predict(unseen)).all()
    plain = sl.DistilledTreeClassifier(forest, max_leaves=8, random_state=0).fit(X, y)
    wanted = wrapped.predict(unseen)
    assert (tree.predict(unseen) == wanted).mean() > (plain.predict(unseen) == wanted).mean()


def test_a_threshold_is_the_ensembles_alone(rare):
    """Leaves with a probability above the threshold were labeled 0: most of their rows are."""
    forest, X, y, _ = rare
    options = {"threshold": 0.2, "class_weight": "balanced", "random_state": 0}
    tree = sl.DistilledTreeClassifier(forest, max_leaves=8, **options).fit(X, y)
    is_likely = tree.predict_proba(X)[:, 1] >= 0.2
    assert (is_likely != (tree.predict(X) == 1)).any()
    assert ((tree.ensemble_.predict_proba(X)[:, 1] >= 0.2) == (tree.ensemble_.predict(X) == 1)).all()
    assert tree.remarks_[0] == "The ensemble labels a row '1' if its probability is at least 0.2."


def test_a_proof_says_that_the_ensemble_does_not_follow_the_threshold_of_the_tree(rare):
    forest, X, y, unseen = rare
    tree = sl.DistilledTreeClassifier(forest, max_leaves=6, threshold=0.2, random_state=0).fit(X, y)
    note = (
        "The ensemble compared here predicts its most probable class, but the model imitates other labels: "
        "\"The ensemble labels a row '1' if its probability is at least 0.2.\" To compare it with those, "
        "pass the ensemble_ of the estimator, or the file ensemble.json that sightline distill writes."
    )
    budget = {"max_nodes": 1000}
    for model in (tree, tree.tree_):
        certificate = sl.certify(model, forest, unseen, **budget)
        assert certificate.to_text().splitlines()[-1] == note
        assert unescape(certificate._repr_html_()).endswith(f"<p>{note}</p></div>")
    wrapped = FixedThresholdClassifier(forest, threshold=0.2).fit(X, y)
    plain = sl.DistilledTreeClassifier(forest, max_leaves=6, random_state=0).fit(X, y)
    for model, ensemble in ((tree, tree.ensemble_), (tree, wrapped), (plain, forest)):
        assert "other labels" not in sl.certify(model, ensemble, unseen, **budget).to_text()
    row = X[np.flatnonzero((tree.predict(X) == 0) & (forest.predict(X) == 0))[0]]
    asked = {"to": 1, "n": 1, "max_seconds": 5}
    found = sl.counterfactuals(tree, row, ensemble=forest, **asked)
    assert found.note == note
    assert str(found).endswith(f"\n{note}")
    assert unescape(found._repr_html_()).endswith(f"<p>{note}</p>")
    assert not sl.counterfactuals(tree, row, **asked).note
    assert not sl.counterfactuals(tree, row, ensemble=tree.ensemble_, **asked).note


def test_a_proof_says_that_the_ensemble_does_not_follow_the_costs_of_the_tree(rare):
    forest, X, y, unseen = rare
    costs = [[0, 1], [10, 0]]
    tree = sl.DistilledTreeClassifier(forest, max_leaves=6, cost_matrix=costs, random_state=0).fit(X, y)
    texts = [str(sl.certify(tree, one, unseen, max_nodes=1000)) for one in (forest, tree.ensemble_)]
    assert "\"The ensemble's labels minimize the expected cost: " in texts[0]
    assert "other labels" not in texts[1]


@pytest.mark.parametrize("distiller", [sl.DistilledTreeClassifier, sl.RuleSetClassifier])
def test_a_threshold_of_the_frequent_class_asks_which_class_is_meant(rare, distiller):
    """The last class is the positive one: with "ja" and "nein", a threshold of 0.1 labels no row "ja"."""
    _, X, y, _ = rare
    named = np.where(y == 1, "ja", "nein")
    german = RandomForestClassifier(5, min_samples_leaf=4, random_state=0).fit(X, named)
    sizes = {"max_leaves": 4} if distiller is sl.DistilledTreeClassifier else {"max_rules": 4}
    model = distiller(german, threshold=0.1, random_state=0, **sizes).fit(X, named)
    assert model.remarks_[0] == (
        "The ensemble labels a row 'nein' if its probability is at least 0.1. Here that is the more frequent "
        "class. If 'ja' is meant, name it as the positive class "
        "(sl.load(ensemble, positive='ja') or --positive ja)."
    )
    for positive in ("ja", "nein"):
        meant = distiller(sl.load(german, positive=positive), threshold=0.1, random_state=0, **sizes)
        assert meant.fit(X, named).remarks_[0] == (
            f"The ensemble labels a row '{positive}' if its probability is at least 0.1."
        )


def test_a_black_box_has_no_positive_class_to_name(rare):
    """The advice named ``--positive``, which is refused for black boxes."""
    _, X, y, unseen = rare
    named = np.where(y == 1, "ja", "nein")
    box = KNeighborsClassifier(25).fit(X, named)
    tree = sl.DistilledTreeClassifier(box, max_leaves=4, threshold=0.1, random_state=0).fit(X, named)
    assert tree.remarks_[0].endswith(
        "Here that is the more frequent class. If 'ja' is meant, pass a threshold of 0.9."
    )
    meant = sl.DistilledTreeClassifier(box, max_leaves=4, threshold=0.9, random_state=0).fit(X, named)
    assert meant.remarks_[0] == "The ensemble labels a row 'nein' if its probability is at least 0.9."
    assert ((meant.ensemble_.predict(unseen) == "ja") == (box.predict_proba(unseen)[:, 0] > 0.1)).all()


@pytest.mark.parametrize("positive", [0, 1])
def test_a_threshold_classifier_is_followed_as_a_threshold_is(rare, positive):
    """Leaves that a threshold labels claimed a probability of 50%, and nothing named the threshold."""
    forest, X, y, unseen = rare
    wrapped = FixedThresholdClassifier(forest, threshold=0.2, pos_label=positive).fit(X, y)
    given = sl.DistilledTreeClassifier(wrapped, max_leaves=8, random_state=0).fit(X, y)
    named = sl.load(wrapped.estimator_, positive=positive)
    tree = sl.DistilledTreeClassifier(named, max_leaves=8, threshold=0.2, random_state=0).fit(X, y)
    assert (given.predict_proba(unseen) == tree.predict_proba(unseen)).all()
    assert (given.predict(unseen) == tree.predict(unseen)).all()
    assert given.tree_.positive == positive
    expected = f"The ensemble labels a row '{positive}' if its probability is at least 0.2."
    assert given.remarks_ == tree.remarks_ == [expected]


@pytest.mark.parametrize("max_rules", [12, None])
def test_rules_follow_the_labels_of_a_threshold(rare, max_rules):
    """Rules voted as leaves do at a probability of 0.5, so that hardly any row got the rare label."""
    forest, X, y, unseen = rare
    wrapped = FixedThresholdClassifier(forest, threshold=0.1).fit(X, y)
    rules = sl.RuleSetClassifier(wrapped, max_rules=max_rules, random_state=0).fit(X, y)
    wanted, found = wrapped.predict(unseen), rules.predict(unseen)
    assert min(np.mean(found[wanted == label] == label) for label in (0, 1)) > 0.75
    assert (rules.ensemble_.predict(unseen) == wanted).all()
    assert rules.remarks_ == [
        "The ensemble labels a row '1' if its probability is at least 0.1.",
        "The rules come from 25 trees that learned the labels of the ensemble for the training rows; "
        "their percentages refer to these labels.",
    ]


def test_every_form_of_a_model_says_how_labels_are_decided(rare, tmp_path):
    """A leaf "1 (20% of 199 rows)" puzzled readers: only ``remarks_`` and the command named the threshold."""
    forest, X, y, _ = rare
    options = {"threshold": 0.2, "random_state": 0}
    tree = sl.DistilledTreeClassifier(forest, max_leaves=4, **options).fit(X, y)
    wrapped = FixedThresholdClassifier(forest, threshold=0.2).fit(X, y)
    graph = sl.DistilledGraphClassifier(wrapped, max_tests=3, random_state=0).fit(X, y)
    rules = sl.RuleSetClassifier(forest, max_rules=4, **options).fit(X, y)
    for model in (tree, graph, rules):
        rule = model.remarks_[0]
        assert rule.endswith("a row '1' if its probability is at least 0.2.")
        assert model.model_.label_rule == model.model_.about(target="risk").label_rule == rule
        assert rule in model.to_text()
        assert rule in str(model.explain(X[0]))
        assert rule in unescape(unescape(model._repr_html_()))  # a frame holds a document
        texts = model.plot().figure.findobj(Text)
        assert any(rule in text.get_text() for text in texts)
        model.to_json(tmp_path / "model.json")
        assert sl.read_model(tmp_path / "model.json").to_text() == model.to_text()
    for kind in ("svg", "dot"):
        assert rule.removeprefix("The ensemble labels ") in unescape(tree.export(kind))
    plain = sl.DistilledTreeClassifier(forest, max_leaves=4, random_state=0).fit(X, y)
    assert plain.tree_.label_rule == ""
    assert "label_rule" not in plain.to_json()


def test_weights_are_not_called_rows(rare, tmp_path):
    """Trees of weighted rows said "99% of 11,920 rows" of 7,400 rows, and so did letters to customers."""
    forest, X, y, _ = rare
    weights = np.linspace(0.5, 3, len(X))
    tree = sl.DistilledTreeClassifier(forest, max_leaves=3, random_state=0).fit(X, y, weights)
    total = f"{weights.sum():,.0f}"
    assert f"percentages refer to training rows of weight {total}\n" in tree.to_text()
    assert "% of weight " in tree.to_text()
    assert " rows" not in tree.to_text().split("\n\n")[1]
    why = tree.explain(X[0])
    assert "Training rows of weight " in str(why)
    assert re.search(r"\nIn (over )?\d+% of earlier cases like this one, the outcome was ", why.to_letter())
    tree.to_json(tmp_path / "tree.json")
    again = sl.read_model(tmp_path / "tree.json")
    assert again.to_text() == tree.to_text()
    page = sl.report(again, X, y, sizes=()).to_html()
    assert '"rows_head":"Training weight"' in page.replace(": ", ":")
    assert '"is_weighted":true' in page.replace(": ", ":")
    rules = sl.RuleSetClassifier(forest, max_rules=3, random_state=0).fit(X, y, weights)
    assert re.search(r"\(.*% of weight [\d,.]+(, .*% of weight [\d,.]+ unseen)?; in ", rules.to_text())
    numbers = sl.DistilledTreeRegressor(max_leaves=2, random_state=0).fit(X, X[:, 0], weights)
    assert "\nThis number is based on earlier cases like this one.\n" in numbers.explain(X[0]).to_letter()
    assert "trained on rows of weight" in sl.C45Classifier().fit(X, y, weights).to_text()
    plain = sl.DistilledTreeClassifier(forest, max_leaves=3, random_state=0).fit(X, y, np.ones(len(X)))
    assert "weight" not in plain.to_text()


def test_weights_that_sum_to_1_are_said_to_limit_the_leaves(rare):
    """Leaves need a weight of 2 by default, so that weights of 1/n gave a single leaf without a word."""
    forest, X, y, _ = rare
    small = sl.DistilledTreeClassifier(forest, max_leaves=4, min_leaf=5, random_state=0)
    small.fit(X, y, np.linspace(0.5, 1.5, len(X)) / len(X))
    assert small.size_["leaves"] == 1
    assert small.remarks_[-1] == (
        "Training rows are weighted (total 1). Nodes and rules show sums of weights. A row counts 0.0011 on "
        "average, and a leaf needs the weight of whole rows: if the model is too small, divide the weights "
        "by their mean."
    )


def test_a_rule_of_many_costs_is_wrapped_in_drawings():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X, y)
    costs = 10.0 * (1 - np.eye(3))
    tree = sl.DistilledTreeClassifier(forest, max_leaves=3, cost_matrix=costs, random_state=0).fit(X, y)
    *_, first, second = lay_out(tree.tree_).caption
    assert f"{first} {second}" == tree.tree_.label_rule
    assert len(first) <= 110


def test_a_black_box_is_not_queried_again_to_say_how_labels_are_decided(rare):
    forest, X, y, _ = rare
    queried = []

    def answers(rows):
        queried.append(len(rows))
        return forest.predict_proba(rows)

    rules = sl.RuleSetClassifier(sl.BlackBox(answers, classes=[0, 1]), max_rules=3, random_state=0)
    rules.fit(X, y)
    assert queried.count(len(X)) == 1


@pytest.mark.parametrize("threshold", [0.5, 0.3])
def test_rules_of_a_booster_follow_a_threshold(rare, threshold):
    _, X, y, unseen = rare
    booster = GradientBoostingClassifier(n_estimators=20, max_depth=2, random_state=0).fit(X, y)
    rules = sl.RuleSetClassifier(booster, max_rules=8, threshold=threshold, random_state=0).fit(X, y)
    assert rules.remarks_[0] == f"The ensemble labels a row '1' if its probability is at least {threshold}."
    wanted = booster.predict_proba(unseen)[:, 1] >= threshold
    assert (rules.ensemble_.predict(unseen) == wanted).all()
    assert np.mean(rules.predict(unseen) == wanted) > 0.9


def test_rules_refuse_a_threshold_and_costs_at_once(rare):
    forest, X, y, _ = rare
    with pytest.raises(ParameterError, match="either threshold or cost_matrix, not both"):
        sl.RuleSetClassifier(forest, threshold=0.2, cost_matrix=np.eye(2)).fit(X, y)
    with pytest.raises(ParameterError, match="'threshold' parameter of RuleSetClassifier must be a float"):
        sl.RuleSetClassifier(forest, threshold=1.5).fit(X, y)


def test_rules_follow_the_labels_of_costs():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(20, max_depth=2, random_state=0).fit(X, y)
    costly = decided(sl.load(forest), Decision.by_costs(np.array([[0, 1, 1], [1, 0, 1], [1, 50, 0.0]])))
    rules = sl.RuleSetClassifier(costly, max_rules=8, random_state=0).fit(X, y)
    assert (costly.predict(X) != forest.predict(X)).mean() > 0.05
    assert (rules.predict(X) == costly.predict(X)).mean() > 0.95
    assert "does not always pick its most probable class" in rules.remarks_[0]


def test_rules_are_the_ensembles_own_if_its_labels_are_the_most_probable_classes(rare):
    forest, X, y, _ = rare
    rules = sl.RuleSetClassifier(FixedThresholdClassifier(forest, threshold=0.5).fit(X, y), max_rules=5)
    assert rules.fit(X, y).remarks_ == []
    assert rules.rules_.n_trees == forest.n_estimators


def test_labels_by_another_rule_leave_the_probabilities_alone(rare):
    forest, X, y, _ = rare
    box = sl.BlackBox(forest.predict_proba, classes=[0, 1]).decided(Decision(0.1))
    tree = sl.DistilledTreeClassifier(box, max_leaves=6, augment=0, random_state=0).fit(X, y)
    leaves, answers = tree.tree_.apply(X), forest.predict_proba(X)
    means = np.array([answers[leaves == leaf, 1].mean() for leaf in leaves])
    assert tree.predict_proba(X)[:, 1] == pytest.approx(means, abs=2**-20)
    assert "does not always pick its most probable class" in tree.remarks_[0]


def test_probabilities_stay_those_of_the_ensemble(rare):
    forest, X, y, unseen = rare
    tree = sl.DistilledTreeClassifier(
        forest, max_leaves=8, threshold=0.1, augment=0, objective="both", random_state=0
    ).fit(X, y)
    answers = forest.predict_proba(X)
    leaves = tree.tree_.apply(X)
    for leaf in np.unique(leaves):
        mean = answers[leaves == leaf].mean(axis=0)
        # Probabilities are kept as multiples of 2^-20.
        assert tree.predict_proba(X)[leaves == leaf][0] == pytest.approx(mean, abs=2**-20)
    is_positive = tree.predict_proba(unseen)[:, 1] >= 0.5
    assert (tree.predict(unseen) == 1).sum() > is_positive.sum()


def test_a_tree_with_a_threshold_survives_its_file(rare, tmp_path):
    forest, X, y, unseen = rare
    tree = sl.DistilledTreeClassifier(forest, max_leaves=8, threshold=0.1, random_state=0).fit(X, y)
    tree.to_json(tmp_path / "tree.json")
    stored = sl.read_model(tmp_path / "tree.json")
    assert (stored.predict(unseen) == tree.predict(unseen)).all()
    assert (stored.predict_proba(unseen) == tree.predict_proba(unseen)).all()


def test_costs_of_two_classes_are_a_threshold(rare):
    forest, X, y, unseen = rare
    by_cost = sl.DistilledTreeClassifier(forest, 8, cost_matrix=[[0, 1], [4, 0]], random_state=0).fit(X, y)
    by_threshold = sl.DistilledTreeClassifier(forest, 8, threshold=0.2, random_state=0).fit(X, y)
    assert (by_cost.ensemble_.predict(unseen) == by_threshold.ensemble_.predict(unseen)).all()


def test_the_ensemble_predicts_the_label_of_least_expected_cost():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(10, max_depth=2, random_state=0).fit(X, y)
    costs = np.array([[0, 1, 5], [2, 0, 1], [9, 3, 0]], dtype=float)
    tree = sl.DistilledTreeClassifier(forest, 6, cost_matrix=costs, random_state=0).fit(X, y)
    expected = forest.predict_proba(X) @ costs
    cost = expected[np.arange(len(X)), tree.ensemble_.predict(X)]
    assert cost == pytest.approx(expected.min(axis=1))
    plain = sl.DistilledTreeClassifier(forest, 6, random_state=0).fit(X, y)
    rows = np.arange(len(X))
    assert expected[rows, tree.predict(X)].mean() <= expected[rows, plain.predict(X)].mean()


def test_a_merge_follows_costs_and_thresholds():
    X, y = load_iris(return_X_y=True)
    for n_classes, decision in (
        (2, Decision(0.3)),
        (2, Decision(0.3, positive=0)),
        (3, Decision.by_costs(np.array([[0, 1, 5], [2, 0, 1], [9, 3, 0.0]]))),
    ):
        keep = y < n_classes
        forest = RandomForestClassifier(5, max_depth=2, random_state=1).fit(X[keep][:, :2], y[keep])
        ensemble = decided(sl.load(forest), decision)
        merged = sl.merge(ensemble)
        grid = np.stack(np.meshgrid(np.linspace(4, 8, 60), np.linspace(2, 5, 60)), axis=-1).reshape(-1, 2)
        assert merged.complete
        assert (merged.predict(grid) == ensemble.predict(grid)).all()
        assert (ensemble.predict(grid) == decision.labels(forest.predict_proba(grid))).mean() > 0.999
        assert sl.certify(merged, ensemble).equivalent


def test_a_black_box_follows_the_threshold(rare):
    _, X, y, unseen = rare
    neighbors = KNeighborsClassifier(9).fit(X, y)
    tree = sl.DistilledTreeClassifier(neighbors, max_leaves=8, threshold=0.2, random_state=0).fit(X, y)
    assert (tree.ensemble_.predict(unseen) == (neighbors.predict_proba(unseen)[:, 1] >= 0.2)).all()


def test_balanced_weights_find_more_of_the_rare_class(rare):
    forest, X, y, unseen = rare
    wanted = forest.predict(unseen) == 1
    found = [
        sl.DistilledTreeClassifier(forest, max_leaves=6, class_weight=weight, random_state=0)
        .fit(X, y)
        .predict(unseen)[wanted]
        .mean()
        for weight in (None, "balanced", {1: 20.0})
    ]
    assert found[0] <= found[1]
    assert found[0] <= found[2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"threshold": 0.2, "cost_matrix": [[0, 1], [1, 0]]},
            "Pass either threshold or cost_matrix, not both",
        ),
        ({"cost_matrix": [[0, 1]]}, r"for each of the 2 classes, but its shape is \(1, 2\)"),
        ({"cost_matrix": [[0, -1], [1, 0]]}, "not negative"),
        ({"cost_matrix": [[0, np.nan], [1, 0]]}, "finite"),
        ({"cost_matrix": [[1, 0], [0, 1]]}, "on the diagonal"),
        ({"cost_matrix": [["a", "b"], ["c", "d"]]}, "must hold numbers"),
        ({"class_weight": {"yes": 2.0}}, r"class_weight names 'yes', but the classes are 0 and 1"),
        ({"class_weight": {0: -1.0}}, r"class_weight must hold finite numbers that are not negative"),
        ({"class_weight": {0: np.nan}}, r"class_weight must hold finite numbers"),
        ({"class_weight": {0: 0, 1: 0}}, r"and one that is not 0\. Got \{0: 0, 1: 0\} instead"),
        ({"exclude": "x0"}, "exclude"),
        ({"group": ["x0", "x1"]}, r"group must be a list of columns: \['x0'\]"),
        ({"exclude": [9]}, "exclude names 9"),
        ({"only": []}, "leave no column"),
        ({"group": [[0, 1], [1, 2]]}, "in more than one group"),
        ({"min_leaf": -1}, "min_leaf"),
        ({"threshold": 1.5}, "threshold"),
    ],
)
def test_wrong_decisions_and_limits_are_named(rare, options, message):
    forest, X, y, _ = rare
    with pytest.raises(ParameterError, match=message):
        sl.DistilledTreeClassifier(forest, 4, **options).fit(X, y)


def test_limits_hold_in_the_tree(rare):
    forest, X, y, _ = rare
    fit = {"max_leaves": 12, "random_state": 0}
    tree = sl.DistilledTreeClassifier(forest, max_features=2, max_depth=3, min_leaf=20, **fit).fit(X, y).tree_
    assert tree.size_["features"] <= 2
    assert tree.depth <= 3
    assert tree.core.weight[tree.core.test == 0].min() >= 20
    names = (
        sl.DistilledTreeClassifier(forest, only=[2, 3], exclude=[3], objective="both", **fit).fit(X, y).tree_
    )
    assert names.core.used_features == [2]
    share = sl.DistilledTreeClassifier(forest, min_leaf=0.1, **fit).fit(X, y).tree_
    assert share.core.weight[share.core.test == 0].min() >= 90
