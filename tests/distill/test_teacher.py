import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import (
    AdaBoostClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.neighbors import KNeighborsClassifier

import sightline as sl
from sightline.distill import resolve_teacher


@pytest.fixture
def rows():
    X = np.random.default_rng(0).normal(size=(60, 3))
    return X, np.where(X[:, 0] + X[:, 1] > 0, "up", "down")


def distiller(ensemble=None, **options):
    return sl.DistilledTreeClassifier(ensemble, random_state=3, **options)


def test_none_learns_the_bagged_trees_that_the_seed_gives(rows):
    teacher = resolve_teacher(distiller(), *rows)
    bagged = sl.BaggedTreesClassifier(n_trees=200, random_state=3).fit(*rows)
    assert teacher.ensemble.to_json() == bagged.ensemble_.to_json()


def test_a_fitted_model_is_used_as_it_is_and_needs_no_labels(rows):
    X, y = rows
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    teacher = resolve_teacher(distiller(forest), X, None)
    assert teacher.ensemble.to_json() == sl.load(forest).to_json()
    assert teacher.labels is None
    assert (teacher.classes_[teacher.ensemble_labels] == forest.predict(X)).all()
    assert (teacher.ensemble_probabilities == forest.predict_proba(X)).all()


@pytest.mark.parametrize("make", [sl.load, lambda model: model, FrozenEstimator])
def test_ensembles_models_and_frozen_models_are_the_same_teacher(rows, make):
    X, y = rows
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    teacher = resolve_teacher(distiller(make(forest)), X, y)
    assert teacher.ensemble.to_json() == sl.load(forest).to_json()


def test_an_unfitted_estimator_is_cloned_and_takes_the_seed_that_it_lacks(rows):
    X, y = rows
    unfitted = RandomForestClassifier(5)
    teacher = resolve_teacher(distiller(unfitted), X, y)
    assert not hasattr(unfitted, "estimators_")
    expected = RandomForestClassifier(5, random_state=3).fit(X, y)
    assert teacher.ensemble.to_json() == sl.load(expected).to_json()


def test_clone_forgets_a_fit_unless_it_is_frozen(rows):
    X, y = rows
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    assert not hasattr(clone(distiller(forest)).ensemble, "estimators_")
    frozen = clone(distiller(FrozenEstimator(forest)))
    assert resolve_teacher(frozen, X, None).ensemble.to_json() == sl.load(forest).to_json()


def test_names_of_the_rows_serve_an_ensemble_without_any(rows):
    X, y = rows
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    estimator = distiller(forest)
    teacher = resolve_teacher(estimator, frame, y)
    assert teacher.ensemble.feature_names == teacher.table.names == ["a", "b", "c"]
    assert estimator.feature_names_in_.tolist() == ["a", "b", "c"]
    assert (teacher.classes_[teacher.ensemble_labels] == forest.predict(X)).all()


def test_labels_take_the_codes_of_the_ensemble(rows):
    X, y = rows
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    teacher = resolve_teacher(distiller(forest), X[:2], np.array(["up", "up"]))
    assert teacher.labels.codes.tolist() == [1, 1]


def test_rows_without_weight_are_left_out(rows):
    X, y = rows
    weights = np.arange(60) % 3
    teacher = resolve_teacher(distiller(), X, y, weights)
    assert teacher.table.n_rows == len(teacher.weights) == len(teacher.labels) == 40


def no_trees(X, y):
    forest = RandomForestClassifier(2, random_state=0).fit(X, y)
    ensemble = sl.load(forest)
    ensemble.core = type("NoTrees", (), {"tree_weight": []})()
    return ensemble


MISFITS = {
    "columns": (
        lambda X, y: (RandomForestClassifier(2).fit(X[:, :2], y), X, y),
        sl.DataError,
        "X has 3 features, but the ensemble is expecting 2 features as input.",
    ),
    "names": (
        lambda X, y: (
            RandomForestClassifier(2).fit(pd.DataFrame(X, columns=list("abc")), y),
            pd.DataFrame(X, columns=list("abx")),
            y,
        ),
        sl.DataError,
        "X has no column 'c', which the ensemble expects.",
    ),
    "classes": (
        lambda X, y: (RandomForestClassifier(2).fit(X, y), X, np.where(y == "up", "up", "sideways")),
        sl.DataError,
        "y has the label 'sideways' (first at row {row}), which the ensemble does not know. "
        "Its classes are 'down' and 'up'.",
    ),
    "regression": (
        lambda X, y: (RandomForestRegressor(2).fit(X, X[:, 0]), X, None),
        sl.UnsupportedModelError,
        "The ensemble is a regressor, but DistilledTreeClassifier requires a classifier. "
        "Use DistilledTreeRegressor.",
    ),
    "no trees": (
        lambda X, y: (no_trees(X, y), X, None),
        sl.UnsupportedModelError,
        "The ensemble has no trees, so DistilledTreeClassifier has nothing to summarize.",
    ),
    "no labels": (
        lambda X, y: (RandomForestClassifier(2), X, None),
        sl.DataError,
        "DistilledTreeClassifier requires y to be passed, but the target y is None: "
        "pass one label per row, or a fitted ensemble.",
    ),
    "lengths": (
        lambda X, y: (RandomForestClassifier(2).fit(X, y), X, y[:-1]),
        sl.DataError,
        "Found input variables with inconsistent numbers of samples: X has 60 rows, y has 59 labels.",
    ),
}


@pytest.mark.parametrize("case", MISFITS)
def test_what_does_not_fit_together_is_refused_in_a_sentence(rows, case):
    make, error, text = MISFITS[case]
    ensemble, X, y = make(*rows)
    with pytest.raises(error) as caught:
        distiller(ensemble).fit(X, y)
    assert str(caught.value) == text.format(row=int((rows[1] == "down").argmax()))


def test_an_ensemble_that_cannot_weigh_rows_is_refused_with_weights(rows):
    X, y = rows
    with pytest.raises(sl.DataError) as caught:
        distiller(KNeighborsClassifier()).fit(X, y, sample_weight=np.full(60, 2.0))
    assert str(caught.value) == (
        "The ensemble KNeighborsClassifier does not accept sample_weight. "
        "Fit without weights, or pass another ensemble."
    )


def test_models_of_other_kinds_are_asked_if_they_predict_and_refused_if_not(rows):
    X, y = rows
    neighbors = KNeighborsClassifier().fit(X, y)
    teacher = resolve_teacher(distiller(neighbors), X, y)
    assert teacher.is_black_box
    assert teacher.ensemble.refusal.startswith("Cannot load a model of type sklearn.neighbors")
    assert (teacher.classes_[teacher.ensemble_labels] == neighbors.predict(X)).all()
    with pytest.raises(sl.UnsupportedModelError, match=r"Cannot load a model of type builtins.object"):
        distiller(object()).fit(X)


def test_weighted_votes_teach_their_own_labels(rows):
    X, y = rows
    boosted = AdaBoostClassifier(n_estimators=5, random_state=0).fit(X, y)
    teacher = resolve_teacher(distiller(boosted), X, y)
    assert (teacher.classes_[teacher.ensemble_labels] == boosted.predict(X)).all()


@pytest.mark.parametrize(
    ("method", "n_artificial"),
    [
        (sl.DistilledTreeClassifier, {"augment": 100}),
        (sl.CMMClassifier, {"n_artificial": 100}),
        (sl.ISMClassifier, {}),
        (sl.RuleSetClassifier, {}),
    ],
)
def test_the_ensemble_predicts_each_row_once(rows, method, n_artificial, monkeypatch):
    """Also for trees of other sizes."""
    X, y = rows
    n_predicted = []
    answers = sl.Ensemble.answers

    def counting(ensemble, table, n_jobs=None):
        n_predicted.append(table.n_rows)
        return answers(ensemble, table, n_jobs)

    monkeypatch.setattr(sl.Ensemble, "answers", counting)
    model = method(RandomForestClassifier(5, random_state=0), random_state=0, **n_artificial).fit(X, y)
    for size in (3, 2):  # The first size may be the first to ask.
        model.resized(size)
    assert sum(n_predicted) <= 60 + sum(n_artificial.values())


def test_answers_are_not_pickled(rows):
    X, y = rows
    teacher = resolve_teacher(distiller(), X, y)
    labels = teacher.ensemble_labels
    again = pickle.loads(pickle.dumps(teacher))
    assert "_training_answers" in vars(teacher)
    assert "_training_answers" not in vars(again)
    np.testing.assert_array_equal(again.ensemble_labels, labels)
