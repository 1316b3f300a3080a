import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier, AdaBoostRegressor, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier
from source_tests import assert_same_answers

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load import load
from sightline.model import Link


@pytest.mark.parametrize(
    "base", [None, DecisionTreeClassifier(max_depth=3), ExtraTreeClassifier(max_depth=2)]
)
def test_classifier(base, problem, values):
    model = AdaBoostClassifier(base, n_estimators=12, learning_rate=0.7, random_state=0)
    model.fit(problem.X, problem.labels(values), sample_weight=problem.weight)
    ensemble = assert_same_answers(model, problem.rows)
    assert ensemble.core.votes


def test_boosting_that_stops_early_keeps_weights_of_trees_only():
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=10, random_state=0)
    X = np.arange(8.0)[:, np.newaxis]
    model.fit(X, [0, 0, 0, 1, 1, 1, 1, 1])
    assert len(model.estimators_) == 1
    assert_same_answers(model, X)


def test_ties_between_equal_votes(problem):
    """Equal weights make votes tie; the rounding of the sums then decides as in the library."""
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=9, random_state=0)
    model.fit(problem.X, problem.labels(list("abcdefg")))
    model.estimator_weights_[:] = 0.1
    assert_same_answers(model, problem.rows)


def test_softening_comes_after_the_label():
    """Two scores that differ by one ulp become equal when divided by three."""
    low, high = next(
        (x, np.nextafter(x, 2)) for x in np.linspace(1, 2, 50) if x / 3 == np.nextafter(x, 2) / 3
    )
    scores = np.array([[low, high, 0.0, 0.0]])
    link = Link("softmax", probability_divisor=3.0)
    assert link.labels(scores).tolist() == [1]
    assert link.probabilities(scores)[0, 0] == link.probabilities(scores)[0, 1]


def test_one_class():
    model = AdaBoostClassifier(n_estimators=3).fit([[0.0], [1.0]], ["only", "only"])
    ensemble = load(model)
    assert ensemble.predict([[5.0]]).tolist() == ["only"]
    assert ensemble.predict_proba([[5.0]]).tolist() == [[1.0]]


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_regressor_is_a_weighted_median(loss, problem):
    model = AdaBoostRegressor(DecisionTreeRegressor(max_depth=3), n_estimators=9, loss=loss, random_state=0)
    model.fit(problem.X, problem.number)
    assert assert_same_answers(model, problem.rows).link.kind == "median"


def test_survives_storage(problem, tmp_path):
    from sightline.model import read_model

    model = AdaBoostClassifier(n_estimators=5, random_state=0).fit(problem.X, problem.labels([1, 2, 3, 4]))
    load(model).to_json(tmp_path / "model.json")
    again = read_model(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict_proba(problem.rows), model.predict_proba(problem.rows))


def test_boosted_forests_are_refused(problem):
    model = AdaBoostClassifier(RandomForestClassifier(2), n_estimators=2).fit(
        problem.X, problem.labels([0, 1])
    )
    with pytest.raises(UnsupportedModelError, match=r"sklearn\.ensemble\._forest\.RandomForestClassifier"):
        load(model)


def test_weights_without_a_sum(problem):
    model = AdaBoostClassifier(n_estimators=3, random_state=0).fit(problem.X, problem.labels([0, 1]))
    model.estimator_weights_[:] = 0
    with pytest.raises(ModelFormatError) as caught:
        load(model)
    assert str(caught.value) == "AdaBoostClassifier: the weights of its trees sum to 0.0."


def test_member_with_other_classes(problem):
    model = AdaBoostClassifier(n_estimators=3, random_state=0).fit(problem.X, problem.labels([0, 1]))
    model.estimators_[1].classes_ = np.array([0, 2])
    with pytest.raises(ModelFormatError) as caught:
        load(model)
    assert str(caught.value) == "AdaBoostClassifier: tree 1: has different classes than the ensemble."
