import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.semi_supervised import SelfTrainingClassifier
from source_tests import assert_same_answers_on

from sightline.exceptions import UnsupportedModelError
from sightline.load import UnfittedModelError, load


@pytest.fixture
def forest():
    return RandomForestClassifier(4, max_depth=4, random_state=0)


def test_frozen(forest, problem):
    forest.fit(problem.X, problem.labels(["no", "yes"]))
    assert_same_answers_on(load(FrozenEstimator(forest)), forest, problem.rows)


def test_search(forest, problem):
    search = GridSearchCV(forest, {"max_depth": [2, 3]}, cv=2).fit(problem.X, problem.labels(["no", "yes"]))
    assert_same_answers_on(load(search), search, problem.rows)


def test_a_search_without_refit_holds_no_model(forest, problem):
    search = GridSearchCV(forest, {"max_depth": [2, 3]}, cv=2, refit=False)
    with pytest.raises(UnfittedModelError, match="This GridSearchCV is not fitted"):
        load(search)
    with pytest.raises(UnsupportedModelError) as caught:
        load(search.fit(problem.X, problem.labels(["no", "yes"])))
    assert str(caught.value) == (
        "GridSearchCV: was fitted with refit=False, so it holds no fitted model. Fit it with refit=True."
    )


def test_self_training(forest, problem):
    labels = problem.labels([0, 1])
    labels[::3] = -1
    model = SelfTrainingClassifier(forest).fit(problem.X, labels)
    assert_same_answers_on(load(model), model, problem.rows)


def test_a_search_that_decides_by_itself_is_refused(forest, problem):
    class Stubborn(GridSearchCV):
        def predict(self, X):
            return super().predict(X)[::-1]

    model = Stubborn(forest, {"max_depth": [2]}, cv=2).fit(problem.X, problem.labels([0, 1]))
    with pytest.raises(UnsupportedModelError, match="Stubborn"):
        load(model)
