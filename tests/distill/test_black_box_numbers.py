"""Trees of numbers from models that can only be asked."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_friedman1
from sklearn.ensemble import AdaBoostRegressor, RandomForestRegressor, StackingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor

import sightline as sl

X, Y = make_friedman1(300, 5, noise=0.3, random_state=0)
UNSEEN, _ = make_friedman1(200, 5, random_state=1)
OPTIONS = {"max_leaves": 12, "augment": 2000, "random_state": 0}

MODELS = {
    "stacking": StackingRegressor(
        [("tree", DecisionTreeRegressor(max_depth=4)), ("line", LinearRegression())]
    ),
    "network": make_pipeline(
        StandardScaler(), MLPRegressor(hidden_layer_sizes=(20,), max_iter=400, random_state=0, tol=0.1)
    ),
    "vectors": SVR(C=10),
    "neighbors": KNeighborsRegressor(5),
    "boosted stumps": AdaBoostRegressor(LinearRegression(), n_estimators=3, random_state=0),
}


@pytest.mark.parametrize("name", MODELS)
def test_models_that_cannot_be_read_are_asked(name):
    model = clone(MODELS[name])
    with np.errstate(all="ignore"):
        model.fit(X, Y)
    tree = sl.DistilledTreeRegressor(model, **OPTIONS).fit(X, Y)
    assert isinstance(tree.ensemble_, sl.BlackBox)
    assert tree.ensemble_.refusal
    numbers = model.predict(UNSEEN)
    usual = DecisionTreeRegressor(max_leaf_nodes=12, random_state=0).fit(X, model.predict(X))
    assert tree.score(UNSEEN, numbers) > usual.score(UNSEEN, numbers)
    lined = sl.DistilledTreeRegressor(model, leaf="linear", **OPTIONS).fit(X, Y)
    assert lined.score(UNSEEN, numbers) > tree.score(UNSEEN, numbers)
    assert "The black box predicted" in str(tree.explain(UNSEEN[0]))


def test_functions_and_explicit_boxes_work_and_trees_in_a_box_are_only_asked():
    tree = sl.DistilledTreeRegressor(lambda rows: 3.0 * (rows[:, 0] > 0.5), max_leaves=4, random_state=0).fit(
        X
    )
    assert tree.size_["leaves"] == 2
    assert tree.predict(UNSEEN) == pytest.approx(3.0 * (UNSEEN[:, 0] > 0.5), abs=0.2)
    forest = RandomForestRegressor(5, random_state=0).fit(X, Y)
    boxed = sl.DistilledTreeRegressor(sl.BlackBox(forest), **OPTIONS).fit(X, Y)
    assert repr(boxed.ensemble_) == "BlackBox(RandomForestRegressor, numbers)"
    assert boxed.fidelity_curve(UNSEEN, sizes=[2, 8]).fidelity[1] > 0.6


def test_an_unfitted_regressor_is_fitted_first():
    tree = sl.DistilledTreeRegressor(sl.BlackBox(KNeighborsRegressor(3)), **OPTIONS).fit(X, Y)
    assert tree.score(X, KNeighborsRegressor(3).fit(X, Y).predict(X)) > 0.7


def test_the_wrong_task_is_refused_by_name():
    classes = (np.median(Y) < Y).astype(int)
    with pytest.raises(sl.UnsupportedModelError, match=r"is a classifier, .* Use DistilledTreeClassifier\."):
        sl.DistilledTreeRegressor(LogisticRegression().fit(X, classes)).fit(X, Y)
    with pytest.raises(sl.UnsupportedModelError, match=r"is a regressor, .* Use DistilledTreeRegressor\."):
        sl.DistilledTreeClassifier(SVR().fit(X, Y)).fit(X, classes)
    with pytest.raises(
        sl.DataError, match=r"not a label\. .* use a regressor, such as DistilledTreeRegressor\."
    ):
        sl.DistilledTreeClassifier(lambda rows: rows[:, 0]).fit(X)
    with pytest.raises(sl.DataError, match="returned 'low' for row 0, which is not a number"):
        sl.DistilledTreeRegressor(lambda rows: ["low"] * len(rows)).fit(X)


def test_a_model_that_changes_its_numbers_is_noticed():
    random = np.random.default_rng(0)
    with pytest.warns(
        sl.DataWarning, match=r"gave 100 of 100 rows a different number when queried again\. Its numbers"
    ):
        sl.DistilledTreeRegressor(lambda rows: random.normal(size=len(rows)), **OPTIONS).fit(X)
