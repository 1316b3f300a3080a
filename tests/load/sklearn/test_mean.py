import numpy as np
import pytest
import treelite
from library_versions import since
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)
from source_tests import assert_same_answers, assert_same_answers_on

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load import load

CLASSIFIERS = [
    DecisionTreeClassifier(random_state=0),
    DecisionTreeClassifier(
        max_depth=4, min_samples_leaf=3, criterion="entropy", max_features=2, random_state=0
    ),
    ExtraTreeClassifier(max_depth=5, random_state=0),
    RandomForestClassifier(7, max_depth=5, random_state=0),
    RandomForestClassifier(6, max_leaf_nodes=9, bootstrap=False, max_features=None, random_state=0),
    ExtraTreesClassifier(5, max_depth=5, random_state=0),
    BaggingClassifier(n_estimators=6, max_features=0.6, max_samples=0.5, random_state=0),
    BaggingClassifier(n_estimators=4, bootstrap_features=True, random_state=0),
    BaggingClassifier(ExtraTreeClassifier(max_depth=3), n_estimators=5, random_state=0),
]
REGRESSORS = [
    DecisionTreeRegressor(max_depth=6, random_state=0),
    DecisionTreeRegressor(max_depth=4, criterion="absolute_error", random_state=0),
    ExtraTreeRegressor(max_depth=6, random_state=0),
    RandomForestRegressor(6, max_depth=5, random_state=0),
    ExtraTreesRegressor(5, max_depth=5, random_state=0),
    BaggingRegressor(DecisionTreeRegressor(max_depth=4), n_estimators=5, max_features=0.6, random_state=0),
]
TAKE_MISSING = [
    DecisionTreeClassifier(max_depth=6, random_state=0),
    ExtraTreeClassifier(max_depth=6, random_state=0),
    RandomForestClassifier(5, max_depth=6, random_state=0),
    ExtraTreesClassifier(5, max_depth=6, random_state=0),
    BaggingClassifier(DecisionTreeClassifier(max_depth=5), n_estimators=4, max_features=0.8, random_state=0),
]


def named(model):
    return type(model).__name__


@pytest.mark.parametrize("model", CLASSIFIERS, ids=named)
def test_classifier(model, problem, values):
    model.fit(problem.X, problem.labels(values))
    assert_same_answers(model, problem.rows)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=named)
def test_classifier_with_row_weights(model, problem):
    model.fit(problem.X, problem.labels(["a", "b", "c"]), sample_weight=problem.weight)
    assert_same_answers(model, problem.rows)


@pytest.mark.parametrize("model", REGRESSORS, ids=named)
def test_regressor(model, problem):
    model.fit(problem.X, problem.number, sample_weight=problem.weight)
    ensemble = assert_same_answers(model, problem.rows)
    assert ensemble.classes_ is None


@pytest.mark.parametrize("model", TAKE_MISSING, ids=named)
@pytest.mark.parametrize("in_training", [True, False])
def test_missing_values(model, problem, in_training):
    X = problem.holes(problem.X) if in_training else problem.X
    model.fit(X, problem.labels([0, 1, 2]))
    assert_same_answers(model, problem.holes(problem.rows, seed=1))


@since("scikit-learn", "1.7")
def test_a_test_for_being_missing_sends_every_number_left(problem):
    X = np.zeros((40, 1))
    X[:20] = np.nan
    model = DecisionTreeClassifier().fit(X, [1] * 20 + [0] * 20)
    assert np.isinf(model.tree_.threshold[0])
    ensemble = load(model)
    assert ensemble.core.trees[0].threshold[0] == np.finfo(np.float64).max
    assert_same_answers_on(ensemble, model, np.array([[np.nan], [0.0], [3e38], [-3e38]]))


def test_fitted_on_float32(problem):
    X = problem.X.astype(np.float32)
    model = RandomForestClassifier(5, max_depth=5, random_state=0).fit(X, problem.labels([0, 1]))
    assert_same_answers(model, problem.rows)


def test_adjacent_float32_values():
    """A threshold between adjacent float32 numbers must not be rounded to one of them."""
    low, high = np.float32(1000.0000610351562), np.float32(1000.0001220703125)
    model = DecisionTreeClassifier().fit([[low], [high]], [0, 1])
    assert_same_answers(model, np.array([[low], [high], [1000.00009]], dtype=np.float64))


class TreeWithoutRowWeights(DecisionTreeClassifier):
    """Bagging hands it a sample of the rows, where other trees get weights for all of them."""

    def fit(self, X, y):
        return super().fit(X, y)


class TreeOfItsOwnMind(DecisionTreeClassifier):
    def predict_proba(self, X, check_input=True):
        return 1 - super().predict_proba(X, check_input)


def test_bagging_whose_members_miss_classes():
    X = np.arange(30.0)[:, np.newaxis]
    y = np.array(["a"] * 14 + ["b"] * 14 + ["z"] * 2)
    model = BaggingClassifier(TreeWithoutRowWeights(), n_estimators=12, max_samples=5, random_state=0).fit(
        X, y
    )
    assert min(len(member.classes_) for member in model.estimators_) < 3
    ensemble = assert_same_answers(model, X)
    assert {tree.core.n_outputs for tree in ensemble.trees} == {3}


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(),
        RandomForestClassifier(3),
        ExtraTreesClassifier(3),
        BaggingClassifier(n_estimators=3),
    ],
    ids=named,
)
def test_one_class(model):
    model.fit([[0.0], [1.0], [2.0]], ["only"] * 3)
    ensemble = load(model)
    assert ensemble.predict([[5.0]]).tolist() == ["only"]
    assert ensemble.predict_proba([[5.0]]).tolist() == [[1.0]]


def test_nodes_keep_weight_and_counts(problem):
    y = problem.labels([0, 1, 2])
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(
        problem.X, y, sample_weight=problem.weight
    )
    core = load(model).core.trees[0]
    np.testing.assert_array_equal(core.weight, model.tree_.weighted_n_node_samples)
    np.testing.assert_array_equal(core.output, model.tree_.value[:, 0])
    per_class = [problem.weight[y == c].sum() for c in (0, 1, 2)]
    np.testing.assert_allclose(core.counts[0], per_class, rtol=1e-12)
    np.testing.assert_allclose(core.counts.sum(axis=1), core.weight, rtol=1e-12)


def test_treelite_agrees(problem):
    y = problem.labels([0, 1, 2])
    for model in (RandomForestClassifier(7, random_state=0), ExtraTreesClassifier(7, random_state=0)):
        model.fit(problem.X, y)
        rows = problem.rows.astype(np.float32)
        oracle = treelite.gtil.predict(treelite.sklearn.import_model(model), rows)
        np.testing.assert_allclose(load(model).predict_proba(rows), oracle.reshape(len(rows), 3), atol=1e-6)


def test_members_that_are_no_trees_are_refused():
    model = BaggingClassifier(LogisticRegression(), n_estimators=2).fit([[0.0], [1.0]] * 9, [0, 1] * 9)
    with pytest.raises(UnsupportedModelError) as caught:
        load(model)
    assert str(caught.value).startswith(
        "BaggingClassifier: model 0: Cannot load a model of type sklearn.linear_model._logistic."
    )


def test_members_that_change_predictions_are_refused(problem):
    model = BaggingClassifier(TreeOfItsOwnMind(), n_estimators=2).fit(problem.X, problem.labels([0, 1]))
    with pytest.raises(UnsupportedModelError, match="TreeOfItsOwnMind"):
        load(model)


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, RandomForestClassifier, RandomForestRegressor])
def test_several_outputs_are_refused(kind, problem):
    model = kind().fit(problem.X, np.column_stack([problem.labels([0, 1])] * 2))
    with pytest.raises(UnsupportedModelError) as caught:
        load(model)
    assert str(caught.value) == (f"{kind.__name__}: has 2 outputs per row. Supported: 1.")


def test_columns_that_are_no_positions(problem):
    model = BaggingClassifier(n_estimators=2, random_state=0).fit(problem.X, problem.labels([0, 1, 2]))
    model.estimators_features_ = [np.ones(5, dtype=bool)] * 2
    with pytest.raises(ModelFormatError) as caught:
        load(model)
    assert str(caught.value) == "The columns of a member must be positions, not bool."


@pytest.mark.parametrize(
    "member", [DecisionTreeClassifier(max_depth=2), GradientBoostingClassifier(n_estimators=2)]
)
def test_members_without_their_columns(member, problem):
    model = BaggingClassifier(member, n_estimators=3).fit(problem.X, problem.labels([0, 1]))
    model.estimators_.pop()
    with pytest.raises(ModelFormatError) as caught:
        load(model)
    assert str(caught.value) == "BaggingClassifier: has 2 members, but the columns of 3. Fit it again."


def test_member_with_strange_classes(problem):
    model = BaggingClassifier(n_estimators=2, random_state=0).fit(problem.X, problem.labels([0, 1, 2]))
    model.estimators_[0].classes_ = np.array([0, 5])
    with pytest.raises(
        ModelFormatError, match=r"^BaggingClassifier: a member has the classes \[0, 5\] of 3\.$"
    ):
        load(model)
