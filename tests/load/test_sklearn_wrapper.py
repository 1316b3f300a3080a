import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from source_tests import assert_same_answers_on

from sightline.load import load


@pytest.fixture
def forest():
    return RandomForestClassifier(4, max_depth=4, random_state=0)


def test_frozen(forest, problem):
    forest.fit(problem.X, problem.labels(["no", "yes"]))
    assert_same_answers_on(load(FrozenEstimator(forest)), forest, problem.rows)


def test_search(forest, problem):
    search = GridSearchCV(forest, {"max_depth": [2, 3]}, cv=2).fit(problem.X, problem.labels(["no", "yes"]))
    assert_same_answers_on(load(search), search, problem.rows)
