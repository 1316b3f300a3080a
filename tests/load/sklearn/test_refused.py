import numpy as np
import pytest
from sklearn.ensemble import StackingClassifier, StackingRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OutputCodeClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier, MultiOutputRegressor, RegressorChain
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sightline.exceptions import UnsupportedModelError
from sightline.load import load

pytestmark = pytest.mark.parametrize("problem", [0], indirect=True)

TREE, NUMBERS = DecisionTreeClassifier(max_depth=2), DecisionTreeRegressor(max_depth=2)


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (
            StackingClassifier([("tree", TREE)], LogisticRegression(), cv=2),
            "Cannot load a StackingClassifier: a model learned from its members' predictions decides. "
            "sl.BlackBox takes any model.",
        ),
        (
            OutputCodeClassifier(TREE),
            "Cannot load an OutputCodeClassifier: it compares distances to code words. "
            "sl.BlackBox takes any model.",
        ),
    ],
)
def test_classifiers(problem, model, sentence):
    with pytest.raises(UnsupportedModelError) as caught:
        load(model.fit(problem.X, problem.labels([0, 1, 2])))
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (
            ClassifierChain(TREE),
            "Cannot load a ClassifierChain: each of its models uses the labels of earlier ones. "
            "Load the models one by one.",
        ),
        (
            RegressorChain(NUMBERS),
            "Cannot load a RegressorChain: each of its models uses the predictions of earlier ones. "
            "Load the models one by one.",
        ),
        (
            MultiOutputClassifier(TREE),
            "Cannot load a MultiOutputClassifier: it gives a row several labels. "
            "Load its estimators_ one by one.",
        ),
        (
            MultiOutputRegressor(NUMBERS),
            "Cannot load a MultiOutputRegressor: it gives a row several numbers. "
            "Load its estimators_ one by one.",
        ),
    ],
)
def test_several_outputs(problem, model, sentence):
    both = np.stack([problem.labels([0, 1]), problem.labels([1, 0])], axis=1)
    with pytest.raises(UnsupportedModelError) as caught:
        load(model.fit(problem.X, both))
    assert str(caught.value) == sentence


def test_regressors(problem):
    with pytest.raises(UnsupportedModelError) as caught:
        load(StackingRegressor([("tree", NUMBERS)], cv=2).fit(problem.X, problem.number))
    assert str(caught.value) == (
        "Cannot load a StackingRegressor: a model learned from its members' predictions decides. "
        "sl.BlackBox takes any model."
    )
