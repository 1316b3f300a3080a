import numpy as np
import pytest
from cases import each
from grid import cell_table
from scipy.stats import rankdata
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sightline import C45Classifier, certify, merge, read_model
from sightline.exceptions import UnsupportedModelError
from sightline.load import UnfittedModelError, load


@pytest.fixture
def ensemble(problem):
    return load(
        RandomForestClassifier(3, max_depth=3, random_state=0).fit(problem.X, problem.labels(["no", "yes"]))
    )


class Estimator(BaseEstimator):
    def fit(self, X, y):
        return self


Estimator.__module__ = "sightline.learn._estimator"


def test_ensemble_is_returned_as_it_is(ensemble):
    assert load(ensemble) is ensemble


def test_tree_is_an_ensemble_of_one(ensemble, problem):
    tree = ensemble.trees[1]
    loaded = load(tree)
    assert (loaded.n_trees, loaded.link.kind, loaded.link.divide_by) == (1, "mean", (1.0,))
    np.testing.assert_array_equal(loaded.predict(problem.rows), tree.predict(problem.rows))
    np.testing.assert_array_equal(loaded.predict_proba(problem.rows), tree.predict_proba(problem.rows))


@each(10, seed=range(60))
def test_a_c45_tree_is_an_ensemble_that_ties_as_the_tree_does(seed, tmp_path):
    """Shares of branches add up to almost equal probabilities of several classes, which are equal to C4.5."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(60, 2)), 1)
    n_classes = 2 + seed % 3
    y = np.floor(n_classes * rankdata(X.sum(axis=1) + rng.normal(size=60) / 2, "ordinal") / 61)
    tree = C45Classifier().fit(X, y).tree_
    assert tree.tie_tolerance > 0
    loaded = load(tree)
    cells = cell_table(tree)
    np.testing.assert_array_equal(loaded.predict(cells), tree.predict(cells))
    np.testing.assert_array_equal(loaded.predict_proba(cells), tree.predict_proba(cells))
    assert certify(loaded, tree).equivalent
    for to in ("tree", "graph"):
        np.testing.assert_array_equal(merge(tree, to=to).predict(cells), tree.predict(cells))
    loaded.to_json(tmp_path / "loaded.json")
    rebuilt = read_model(tmp_path / "loaded.json")
    np.testing.assert_array_equal(rebuilt.predict(cells), tree.predict(cells))


def test_regression_tree(problem):
    tree = load(DecisionTreeRegressor(max_depth=3).fit(problem.X, problem.number)).trees[0]
    loaded = load(tree)
    assert loaded.link.kind == "identity"
    np.testing.assert_array_equal(loaded.predict(problem.rows), tree.predict(problem.rows))


def test_estimator_with_an_ensemble_answers_with_its_tree_once_it_has_one(ensemble):
    estimator = Estimator()
    estimator.ensemble_ = ensemble
    assert load(estimator) is ensemble
    estimator.tree_ = ensemble.trees[0]
    assert load(estimator).n_trees == 1


def test_unfitted_estimator():
    with pytest.raises(
        UnfittedModelError, match=r"^This Estimator is not fitted\. Call 'fit' before you load it\.$"
    ):
        load(Estimator())


def test_estimator_that_found_something_else():
    estimator = Estimator()
    estimator.n_features_in_ = 2
    with pytest.raises(UnsupportedModelError) as caught:
        load(estimator)
    assert str(caught.value) == (
        "Cannot load a fitted sightline.learn._estimator.Estimator: it holds neither an ensemble nor a tree."
    )


def test_foreign_tree_attribute_is_not_taken_for_ours():
    model = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    assert load(model).predict([[1.0]]).tolist() == [1]


def test_estimator_that_answers_with_something_else(ensemble):
    estimator = Estimator()
    estimator.n_features_in_ = 2
    estimator.ensemble_ = ensemble
    estimator._model = object()
    with pytest.raises(UnsupportedModelError, match="it holds neither an ensemble nor a tree"):
        load(estimator)


def test_a_fitted_regressor_without_trees_is_not_called_unfitted():
    regressor = Estimator()
    regressor.n_features_in_ = 2
    with pytest.raises(UnsupportedModelError, match="it holds neither an ensemble nor a tree"):
        load(regressor)
