"""Ensembles whose probabilities are far from the class frequencies."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import sightline as sl
from sightline.distill._prior_shift import PriorShift


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(2000, 3))
    chance = 1 / (1 + np.exp(5 - 2 * X[:, 0] - X[:, 1]))
    return X, np.where(random.random(2000) < chance, "rare", "usual")


def distilled(model, X, y=None, **options):
    return sl.DistilledTreeClassifier(model, max_leaves=6, random_state=0, **options).fit(X, y)


def test_shifted_probabilities_have_the_class_frequencies(rows):
    X, y = rows
    balanced = RandomForestClassifier(30, min_samples_leaf=20, class_weight="balanced", random_state=0)
    fitted = distilled(balanced.fit(X, y), X, y)
    shift, own = fitted.distillation_set_.shift, balanced.predict_proba(X)
    assert own[:, 0].mean() > 2 * (y == "rare").mean()
    assert shift.shifted(own).mean(axis=0) == pytest.approx(
        [np.mean(y == "rare"), np.mean(y == "usual")], rel=1e-4
    )
    assert shift.odds.min() == 1
    assert shift.odds[0] > 5
    # The labels and the scale are still the ensemble's.
    assert (fitted.predict(X) == balanced.predict(X)).mean() > 0.9
    assert fitted.predict_proba(X)[:, 0].max() > 0.5


LEARNERS = [
    HistGradientBoostingClassifier(max_iter=40, max_leaf_nodes=8, class_weight="balanced", random_state=0),
    RandomForestClassifier(20, max_depth=4, class_weight="balanced", random_state=0),
]


@pytest.mark.parametrize("kind", [sl.DistilledTreeClassifier, sl.DistilledGraphClassifier])
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_leaves_have_the_mean_probabilities_of_a_balanced_ensemble(rows, learner, kind):
    X, y = rows
    model = learner.fit(X, y)
    size = {"max_leaves": 8} if kind is sl.DistilledTreeClassifier else {"max_tests": 7}
    fitted = kind(model, augment=2000, random_state=0, **size).fit(X, y)
    data, nodes = fitted.distillation_set_, fitted.model_
    assert data.shift is not None
    own = np.concatenate([model.predict_proba(X), data.artificial_answers[1]])
    leaves = nodes.apply(data.table)
    means = [
        np.average(own[leaves == leaf], axis=0, weights=data.weights[leaves == leaf])
        for leaf in np.unique(leaves)
    ]
    shown = nodes.node_probabilities[np.unique(leaves)]
    # A leaf whose label has a mean below that of the other class shows both as equal.
    labels = nodes.vote(nodes.core.output)[np.unique(leaves)]
    expected = np.where((np.argmax(means, axis=1) == labels)[:, None], means, 0.5)
    assert shown == pytest.approx(expected, abs=1e-5)
    assert fitted.predict_proba(X).mean(axis=0) == pytest.approx(
        model.predict_proba(X).mean(axis=0), abs=0.03
    )


def test_a_graph_of_a_balanced_ensemble_counts_training_rows(rows):
    X, y = rows
    model = LEARNERS[0].fit(X, y)
    graph = sl.DistilledGraphClassifier(model, max_tests=4, augment=0, random_state=0).fit(X, y)
    assert graph.distillation_set_.shift is not None
    assert graph.graph_.core.counts[0].tolist() == [np.sum(y == "rare"), np.sum(y == "usual")]
    assert "summarizes another model; percentages refer to 2,000 training rows" in graph.to_text()


def test_three_classes_are_shifted_one_by_one():
    random = np.random.default_rng(1)
    probabilities = random.dirichlet([1.0, 1.0, 1.0], 3000)
    codes = (random.random(3000)[:, None] > np.cumsum([0.7, 0.25])).sum(axis=1)
    box = sl.BlackBox(lambda rows: probabilities[rows[:, 0].astype(int)], classes=[0, 1, 2])
    fitted = distilled(box, np.arange(3000.0)[:, None], codes, augment=0)
    shifted = fitted.distillation_set_.shift.shifted(probabilities)
    assert shifted.mean(axis=0) == pytest.approx(np.bincount(codes) / 3000, rel=1e-3)


@pytest.mark.parametrize("case", ["fits", "no labels", "labels only", "objective"])
def test_other_ensembles_stay_as_they_are(rows, case):
    X, y = rows
    balanced = LogisticRegression(class_weight=None if case == "fits" else "balanced").fit(X, y)
    model = sl.BlackBox(balanced.predict) if case == "labels only" else balanced
    options = {"objective": "labels"} if case == "objective" else {}
    fitted = distilled(model, X, None if case == "no labels" else y, augment=256, **options)
    assert fitted.distillation_set_.shift is None


def test_the_shift_of_many_rows_is_found_from_some(rows, monkeypatch):
    X, y = rows
    balanced = RandomForestClassifier(20, max_depth=3, class_weight="balanced", random_state=0).fit(X, y)
    teacher = distilled(balanced, X, y, augment=0).distillation_set_.teacher
    whole = PriorShift.of(teacher)
    monkeypatch.setattr("sightline.distill._prior_shift.MAX_ROWS", 1000)
    assert PriorShift.of(teacher).odds[0] == pytest.approx(whole.odds[0], rel=0.3)
