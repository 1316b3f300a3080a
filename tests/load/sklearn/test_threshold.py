import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from small_models import TWO_CLASS_MODELS, assert_same_answers

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load import UnfittedModelError, load

pytestmark = pytest.mark.parametrize("problem", [0], indirect=True)

FITTED = {}


@pytest.fixture
def fitted(problem):
    """Every model on the same rows; each is fitted once."""
    y = problem.labels([0, 1])
    if not FITTED:
        FITTED.update({name: clone(model).fit(problem.X, y) for name, model in TWO_CLASS_MODELS.items()})
    return problem, y, FITTED


@pytest.mark.parametrize("positive", [None, 0, 1])
@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
@pytest.mark.parametrize("name", TWO_CLASS_MODELS)
def test_labels_follow_the_threshold(fitted, name, method, positive):
    problem, y, models = fitted
    if not hasattr(models[name], method):
        return
    scores = getattr(models[name], method)(problem.X)
    scores = scores if scores.ndim == 1 else scores[:, 1 if positive is None else positive]
    # Thresholds that rows lie on, and their neighbors: ties must fall as they do in the library.
    on_a_row = [np.quantile(scores, q, method="nearest") for q in (0.2, 0.6)]
    for threshold in ["auto", 0.3, *on_a_row, *(float(t) for t in on_a_row), np.nextafter(on_a_row[0], 9)]:
        model = FixedThresholdClassifier(
            FrozenEstimator(models[name]), threshold=threshold, response_method=method, pos_label=positive
        ).fit(problem.X, y)
        assert_same_answers(model, problem.X)


@pytest.mark.parametrize("name", ["forest", "boosting", "xgboost"])
def test_tuned_thresholds(problem, name):
    labels = problem.labels(["no", "yes"]) if name != "xgboost" else problem.labels([0, 1])
    model = TunedThresholdClassifierCV(clone(TWO_CLASS_MODELS[name]), cv=2, scoring="balanced_accuracy")
    assert_same_answers(model.fit(problem.X, labels), problem.X)


def test_auto_prefers_probabilities(fitted):
    problem, y, models = fitted
    model = FixedThresholdClassifier(FrozenEstimator(models["boosting"]), threshold=0.25).fit(problem.X, y)
    assert_same_answers(model, problem.X)


@pytest.mark.parametrize("threshold", [-np.inf, np.inf, -5.0, 5.0])
def test_thresholds_that_nothing_or_everything_reaches(fitted, threshold):
    problem, y, models = fitted
    for positive in (0, 1):
        for method in ("predict_proba", "decision_function"):
            model = FixedThresholdClassifier(
                FrozenEstimator(models["boosting"]), threshold=0.5, response_method=method, pos_label=positive
            ).fit(problem.X, y)
            model.threshold = threshold
            assert_same_answers(model, problem.X)


def test_a_prefitted_model_needs_no_fit(fitted):
    problem, _, models = fitted
    model = FixedThresholdClassifier(FrozenEstimator(models["forest"]), threshold=0.2)
    np.testing.assert_array_equal(load(model).predict(problem.X), model.predict(problem.X))


def test_refusals(problem):
    y = problem.labels([0, 1])
    with pytest.raises(UnfittedModelError, match="This FixedThresholdClassifier is not fitted"):
        load(FixedThresholdClassifier(RandomForestClassifier()))
    with pytest.raises(UnfittedModelError, match="This TunedThresholdClassifierCV is not fitted"):
        load(TunedThresholdClassifierCV(RandomForestClassifier()))
    with pytest.raises(UnsupportedModelError) as caught:
        load(FixedThresholdClassifier(LinearSVC(), response_method="decision_function").fit(problem.X, y))
    assert str(caught.value).startswith(
        "FixedThresholdClassifier: LinearSVC: Cannot load a model of type sklearn.svm._classes.LinearSVC."
    )
    model = FixedThresholdClassifier(RandomForestClassifier(2, random_state=0)).fit(problem.X, y)
    model.threshold = np.nan
    with pytest.raises(ModelFormatError, match=r"^FixedThresholdClassifier: the threshold is not a number"):
        load(model)


def test_a_model_of_three_classes_is_refused(problem):
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    model = FixedThresholdClassifier(tree).fit(problem.X, problem.labels([0, 1]))
    model.estimator_ = tree.fit(problem.X, problem.labels([0, 1, 2]))
    with pytest.raises(
        ModelFormatError, match=r"FixedThresholdClassifier: needs two classes\. Its model has 3"
    ):
        load(model)


def test_a_model_without_a_decision_function(problem):
    y = problem.labels([0, 1])
    boosted = GradientBoostingClassifier(n_estimators=2, random_state=0)
    model = FixedThresholdClassifier(boosted, response_method="decision_function").fit(problem.X, y)
    model.estimator_ = DecisionTreeClassifier(max_depth=2, random_state=0).fit(problem.X, y)
    with pytest.raises(ModelFormatError) as caught:
        load(model)
    assert str(caught.value) == "FixedThresholdClassifier: its model has no decision function."


def for_no(**how):
    return FixedThresholdClassifier(
        RandomForestClassifier(3, random_state=0), pos_label="no", threshold=0.4, **how
    )


def test_members_that_learn_codes_of_the_classes(problem):
    """Votes and bags train their members on 0 and 1, among which no "no" is found."""
    labels = problem.labels(["no", "yes"])
    for model in (
        VotingClassifier([("a", for_no())], voting="soft"),
        BaggingClassifier(for_no(), 2, random_state=0),
    ):
        assert_same_answers(model.fit(problem.X, labels), problem.X)
    vote = VotingClassifier([("a", for_no())], voting="hard").fit(problem.X, labels)
    with pytest.raises(UnsupportedModelError) as caught:
        load(vote)
    assert str(caught.value) == (
        "VotingClassifier: 'a': FixedThresholdClassifier: the positive class 'no' is none of its classes "
        "[0, 1], so it predicts probabilities but no labels. Fit it with pos_label=None, or with one of "
        "them: models that hold others may train them on the codes 0 and 1."
    )
