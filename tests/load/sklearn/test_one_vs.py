import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from small_models import MODELS, assert_same_answers

from sightline.exceptions import UnsupportedModelError
from sightline.load import UnfittedModelError, load
from sightline.load.sklearn import _one_vs

pytestmark = pytest.mark.parametrize("problem", [0], indirect=True)


@pytest.mark.parametrize("values", [[False, True], ["c", "a", "", "b"]], ids=["two", "four"])
@pytest.mark.parametrize("name", MODELS)
def test_every_model(problem, name, values):
    labels = problem.labels(values)
    model = OneVsRestClassifier(clone(MODELS[name])).fit(problem.X, labels)
    assert_same_answers(model, problem.X)
    model = OneVsOneClassifier(clone(MODELS[name])).fit(problem.X, labels)
    ensemble = assert_same_answers(model, problem.X, probabilities=False)
    shares = ensemble.predict_proba(problem.X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_many_classes_are_added_up_in_the_librarys_order(problem):
    labels = problem.labels(list(range(12)))
    model = OneVsRestClassifier(clone(MODELS["lightgbm"])).fit(problem.X, labels)
    assert_same_answers(model, problem.X)


@pytest.mark.parametrize("kind", [OneVsRestClassifier, OneVsOneClassifier])
def test_refusals(problem, kind):
    labels = problem.labels(["a", "b", "c"])
    with pytest.raises(UnfittedModelError, match=f"This {kind.__name__} is not fitted"):
        load(kind(MODELS["tree"]))
    first = "'a'" if kind is OneVsRestClassifier else "'a' or 'b'"
    with pytest.raises(UnsupportedModelError) as caught:
        load(kind(LinearSVC()).fit(problem.X, labels))
    assert str(caught.value).startswith(
        f"{kind.__name__}: the model for {first}: Cannot load a model of type"
    )


def test_numbers_instead_of_classes_and_several_labels(problem):
    model = OneVsRestClassifier(GradientBoostingRegressor(n_estimators=2))
    with pytest.raises(UnsupportedModelError) as caught:
        load(model.fit(problem.X, problem.labels(["a", "b", "c"])))
    assert str(caught.value) == "OneVsRestClassifier: the model for 'a' is not a classifier of two classes."
    many = np.stack([problem.labels([0, 1]), problem.labels([1, 0])], axis=1)
    with pytest.raises(UnsupportedModelError) as caught:
        load(OneVsRestClassifier(MODELS["tree"]).fit(problem.X, many))
    assert (
        str(caught.value) == "OneVsRestClassifier: gives a row several labels. Supported: one label per row."
    )


def test_models_of_distances_are_refused(problem):
    model = OneVsOneClassifier(DecisionTreeClassifier(max_depth=2)).fit(problem.X, problem.labels([0, 1, 2]))
    model.pairwise_indices_ = [0, 1, 2]
    with pytest.raises(UnsupportedModelError, match="OneVsOneClassifier: its models take pairwise distances"):
        load(model)


@pytest.mark.parametrize("prefers_last", [False, True])
def test_ties_go_to_the_first_class_or_before_scikit_learn_1_8_to_the_last(
    prefers_last, problem, monkeypatch
):
    monkeypatch.setattr(_one_vs, "one_vs_rest_prefers_last", lambda: prefers_last)
    model = OneVsRestClassifier(MODELS["tree"]).fit(problem.X, problem.labels(["c", "a", "", "b"]))
    rows = np.random.default_rng(0).normal(scale=2, size=problem.X.shape)
    sureness = np.column_stack([member.predict_proba(rows)[:, 1] for member in model.estimators_])
    first, last = sureness.argmax(axis=1), 3 - sureness[:, ::-1].argmax(axis=1)
    assert (first != last).any()
    expected = model.classes_[last if prefers_last else first]
    np.testing.assert_array_equal(load(model).predict(rows), expected)
