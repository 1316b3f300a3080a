import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, BaggingRegressor, VotingClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from small_models import MODELS, assert_same_answers
from xgboost import XGBRegressor

from sightline.exceptions import UnsupportedModelError
from sightline.load import load

pytestmark = pytest.mark.parametrize("problem", [0], indirect=True)


@pytest.mark.parametrize("name", ["forest", "boosting", "histogram", "xgboost", "lightgbm"])
def test_bags_of_models(problem, name):
    for values in (["no", "yes"], [7, 1, 4]):
        model = BaggingClassifier(clone(MODELS[name]), n_estimators=3, max_features=0.7, random_state=0)
        assert_same_answers(model.fit(problem.X, problem.labels(values)), problem.X)


def test_members_that_lack_classes_and_probabilities(problem):
    labels = problem.labels(["a", "b", "c"])
    labels[:3] = "d"
    # A pipeline takes no weights, so that its members see only the rows that were drawn.
    scaled = make_pipeline(StandardScaler(), clone(MODELS["boosting"]))
    few = BaggingClassifier(scaled, n_estimators=4, max_samples=30, random_state=1)
    model = few.fit(problem.X, labels)
    assert min(len(member.classes_) for member in model.estimators_) < 4
    assert_same_answers(model, problem.X)
    votes = VotingClassifier([("tree", MODELS["tree"]), ("forest", MODELS["forest"])], voting="hard")
    model = BaggingClassifier(votes, n_estimators=3, random_state=0).fit(problem.X, labels)
    assert_same_answers(model, problem.X)


def test_numbers_and_names(problem):
    frame = pd.DataFrame(problem.X, columns=list("abcde"))
    model = BaggingRegressor(XGBRegressor(n_estimators=2, max_depth=2), n_estimators=3, random_state=0)
    model.fit(frame, problem.number)
    ensemble = load(model)
    assert ensemble.feature_names == list("abcde")
    np.testing.assert_array_equal(ensemble.predict(frame), model.predict(frame))


def test_refusals(problem):
    y = problem.labels([0, 1])
    with pytest.raises(UnsupportedModelError) as caught:
        load(BaggingClassifier(GaussianNB(), n_estimators=2).fit(problem.X, y))
    assert str(caught.value).startswith(
        "BaggingClassifier: model 0: Cannot load a model of type sklearn.naive"
    )
    with pytest.raises(UnsupportedModelError, match="RandomForestClassifier"):
        load(AdaBoostClassifier(MODELS["forest"], n_estimators=2).fit(problem.X, y))
