import numpy as np
import pytest
import treelite
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.linear_model import LogisticRegression
from source_tests import assert_same_answers

from sightline.exceptions import UnsupportedModelError
from sightline.load import load


@pytest.mark.parametrize("learning_rate", [0.1, 1.0])
def test_classifier(problem, values, learning_rate):
    model = GradientBoostingClassifier(
        n_estimators=6, learning_rate=learning_rate, subsample=0.8, random_state=0
    )
    model.fit(problem.X, problem.labels(values), sample_weight=problem.weight)
    assert_same_answers(model, problem.rows)


@pytest.mark.parametrize(
    "start", ["zero", DummyClassifier(strategy="uniform"), DummyClassifier(strategy="most_frequent")]
)
@pytest.mark.parametrize("values", [[0, 1], [0, 1, 2]], ids=["two", "three"])
def test_start(problem, values, start):
    model = GradientBoostingClassifier(n_estimators=4, init=start, random_state=0)
    model.fit(problem.X, problem.labels(values))
    assert_same_answers(model, problem.rows)


def test_exponential_loss(problem):
    model = GradientBoostingClassifier(n_estimators=6, loss="exponential", random_state=0)
    model.fit(problem.X, problem.labels(["no", "yes"]))
    assert_same_answers(model, problem.rows)


@pytest.mark.parametrize(("fitted", "set_later"), [("log_loss", "exponential"), ("exponential", "log_loss")])
def test_a_loss_that_is_set_after_fitting_changes_nothing(problem, fitted, set_later):
    model = GradientBoostingClassifier(n_estimators=6, loss=fitted, random_state=0)
    model.fit(problem.X, problem.labels(["no", "yes"])).set_params(loss=set_later)
    assert_same_answers(model, problem.rows)


def test_a_score_of_zero_is_class_one():
    model = GradientBoostingClassifier(n_estimators=1, init="zero", max_depth=1)
    model.fit([[0.0], [0.0], [1.0], [1.0]], [0, 1, 0, 1])
    assert model.decision_function([[0.0]])[0] == 0
    ensemble = load(model)
    assert ensemble.predict([[0.0]]).tolist() == model.predict([[0.0]]).tolist() == [1]
    assert ensemble.predict_proba([[0.0]]).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "quantile"])
@pytest.mark.parametrize("start", [None, "zero", DummyRegressor(strategy="median")])
def test_regressor(problem, loss, start):
    model = GradientBoostingRegressor(n_estimators=6, loss=loss, init=start, random_state=0)
    model.fit(problem.X, problem.number)
    assert_same_answers(model, problem.rows)


def test_treelite_agrees(problem):
    for values in ([0, 1], [0, 1, 2]):
        model = GradientBoostingClassifier(n_estimators=6, random_state=0).fit(
            problem.X, problem.labels(values)
        )
        rows = problem.rows.astype(np.float32)
        oracle = treelite.gtil.predict(treelite.sklearn.import_model(model), rows)
        found = load(model).predict_proba(rows)
        np.testing.assert_allclose(found[:, -1], oracle.reshape(len(rows), -1)[:, -1], atol=1e-6)


@pytest.mark.parametrize(
    ("start", "what"),
    [
        (LogisticRegression(), "sklearn.linear_model._logistic.LogisticRegression"),
        (DummyClassifier(strategy="stratified", random_state=0), "a random DummyClassifier"),
    ],
)
def test_start_that_differs_between_rows_is_refused(problem, start, what):
    model = GradientBoostingClassifier(n_estimators=2, init=start).fit(problem.X, problem.labels([0, 1]))
    with pytest.raises(UnsupportedModelError) as caught:
        load(model)
    assert str(caught.value) == (
        f"GradientBoostingClassifier: its 'init' is {what}. Supported: constant predictors."
    )
