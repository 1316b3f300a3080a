import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from source_tests import assert_same_answers_on

from sightline.exceptions import UnsupportedModelError
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


def test_pipeline_of_one_step(forest, problem):
    pipeline = make_pipeline("passthrough", forest).fit(problem.X, problem.labels(["no", "yes"]))
    assert_same_answers_on(load(pipeline), pipeline, problem.rows)


def test_pipeline_that_changes_the_rows_is_refused(forest, problem):
    pipeline = make_pipeline(StandardScaler(), forest).fit(problem.X, problem.labels(["no", "yes"]))
    with pytest.raises(UnsupportedModelError) as caught:
        load(pipeline)
    assert str(caught.value) == (
        "Cannot load a Pipeline with the steps 'standardscaler' and 'randomforestclassifier' as a whole. "
        "Load its last step, pipeline[-1], and pass it the rows that pipeline[:-1].transform returns."
    )


def test_the_advice_for_pipelines_works(forest, problem):
    pipeline = make_pipeline(StandardScaler(), forest).fit(problem.X, problem.labels(["no", "yes"]))
    scaled = pipeline[:-1].transform(problem.rows)
    assert_same_answers_on(load(pipeline[-1]), forest, scaled)
