import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble, tree
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV

from sightline.exceptions import SightlineError
from sightline.load import UnfittedModelError, load

UNFITTED = [
    tree.DecisionTreeClassifier(),
    tree.ExtraTreeRegressor(),
    ensemble.RandomForestClassifier(),
    ensemble.ExtraTreesRegressor(),
    ensemble.BaggingClassifier(),
    ensemble.AdaBoostClassifier(),
    ensemble.GradientBoostingRegressor(),
    ensemble.HistGradientBoostingClassifier(),
    GridSearchCV(tree.DecisionTreeClassifier(), {"max_depth": [1]}),
]


@pytest.mark.parametrize("model", UNFITTED, ids=lambda model: type(model).__name__)
def test_unfitted(model):
    with pytest.raises(UnfittedModelError) as caught:
        load(model)
    assert str(caught.value) == f"This {type(model).__name__} is not fitted. Call 'fit' before you load it."
    assert isinstance(caught.value, SightlineError)
    assert isinstance(caught.value, NotFittedError)


def test_unfitted_but_frozen():
    with pytest.raises(UnfittedModelError, match=r"^This RandomForestClassifier is not fitted"):
        load(FrozenEstimator(ensemble.RandomForestClassifier()))


def test_names_of_a_frame_are_kept(problem):
    frame = pd.DataFrame(problem.X, columns=["a b", "</script>", 'q"', "x0", "é"])
    model = ensemble.RandomForestClassifier(3, random_state=0).fit(frame, problem.labels([0, 1]))
    loaded = load(model)
    assert loaded.feature_names == list(frame.columns)
    np.testing.assert_array_equal(loaded.predict_proba(frame), model.predict_proba(frame))


def test_columns_of_an_array_are_numbered(problem):
    model = tree.DecisionTreeClassifier().fit(problem.X, problem.labels([0, 1]))
    assert load(model).feature_names == ["x0", "x1", "x2", "x3", "x4"]


@pytest.mark.parametrize(
    "labels",
    [
        np.array([b"no", b"yes"]),
        np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"),
        np.array([1, 2], dtype=np.uint8),
        np.array(["no", "yes"], dtype=object),
        np.array([1.0, 2.0], dtype=np.float32),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_labels_keep_their_type(labels):
    X = [[0.0], [1.0], [2.0], [3.0]]
    model = tree.DecisionTreeClassifier().fit(X, labels[[0, 0, 1, 1]])
    found = load(model).predict(X)
    assert found.dtype == model.predict(X).dtype == model.classes_.dtype
    np.testing.assert_array_equal(found, labels[[0, 0, 1, 1]])
