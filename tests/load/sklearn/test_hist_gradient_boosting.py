import numpy as np
import pandas as pd
import pytest
import treelite
from sklearn._loss.link import LogitLink
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from source_tests import assert_same_answers, assert_same_answers_on

from sightline.exceptions import DataWarning, ModelFormatError, UnsupportedModelError
from sightline.load import load

SMALL = {"max_iter": 6, "min_samples_leaf": 4, "max_leaf_nodes": 12, "random_state": 0}


def with_categories(problem, seed=0):
    """Return a frame of numbers, strings and a category whose values are numbers; some are missing."""
    rng = np.random.default_rng(seed)
    n_rows = len(problem.rows)
    frame = pd.DataFrame(problem.holes(problem.rows, seed=seed), columns=list("pqrst"))
    colours = np.array(["red", "green", "blue", "", "zinc"], dtype=object)[rng.integers(5, size=n_rows)]
    sizes = np.array([10, 2, 33])[rng.integers(3, size=n_rows)]
    frame.insert(1, "colour", pd.Categorical(np.where(rng.random(n_rows) < 0.1, None, colours)))
    frame.insert(4, "size", pd.Categorical(sizes))
    depends = np.isin(colours, ["red", "zinc"]) ^ (sizes == 10)
    return frame, depends


@pytest.mark.parametrize("holes", [False, True])
def test_classifier(problem, values, holes):
    X, rows = (problem.holes(t) if holes else t for t in (problem.X, problem.rows))
    model = HistGradientBoostingClassifier(**SMALL).fit(
        X, problem.labels(values), sample_weight=problem.weight
    )
    assert_same_answers(model, rows)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "quantile"])
def test_regressor(problem, loss):
    model = HistGradientBoostingRegressor(loss=loss, quantile=0.3, **SMALL).fit(problem.X, problem.number)
    assert_same_answers(model, problem.rows)


def test_compares_doubles():
    X = np.repeat([[0.1], [0.10000000000000002]], 30, axis=0)
    model = HistGradientBoostingClassifier(max_iter=3).fit(X, [0] * 30 + [1] * 30)
    ensemble = assert_same_answers(model, X)
    assert ensemble.predict([[0.1], [0.10000000000000002]]).tolist() == [0, 1]


def test_a_test_for_being_missing_sends_every_number_left():
    X = np.concatenate([np.full((30, 1), np.nan), np.arange(30.0)[:, np.newaxis]])
    model = HistGradientBoostingClassifier(max_iter=2).fit(X, [0] * 30 + [1] * 30)
    ensemble = load(model)
    assert np.isinf(model._predictors[0][0].nodes["num_threshold"]).any()
    assert_same_answers_on(ensemble, model, np.array([[np.nan], [0.0], [1e308], [-1e308]]))


def test_categories_of_a_frame(problem):
    frame, depends = with_categories(problem)
    model = HistGradientBoostingClassifier(**SMALL).fit(frame, np.where(depends, "yes", "no"))
    ensemble = load(model)
    assert ensemble.feature_names == list(frame.columns)
    by_name = {feature.name: feature.categories for feature in ensemble.schema.features}
    assert by_name["colour"] == ("", "blue", "green", "red", "zinc")
    assert by_name["size"] == (2, 10, 33)
    assert by_name["p"] is None
    assert any((tree.test == 2).any() for tree in ensemble.core.trees)
    assert_same_answers_on(ensemble, model, frame)


def test_unseen_categories_count_as_missing(problem):
    frame, depends = with_categories(problem)
    model = HistGradientBoostingClassifier(**SMALL).fit(frame, depends)
    asked = frame.copy()
    asked["colour"] = pd.Categorical(np.where(np.arange(len(frame)) % 2 == 0, "mauve", "red"))
    asked["size"] = pd.Categorical(np.where(np.arange(len(frame)) % 3 == 0, 5, 10))
    assert_same_answers_on(load(model), model, asked)


def test_categories_of_an_array(problem):
    """Categorical columns given by position, with codes that are not 0, 1, 2, ..."""
    X = problem.rows.copy()
    X[:, 3] = np.round(X[:, 3]) * 2 + 100
    y = np.isin(X[:, 3] % 3, [1]) ^ (X[:, 0] > 0)
    model = HistGradientBoostingClassifier(categorical_features=[3], **SMALL).fit(X, y)
    ensemble = load(model)
    assert ensemble.schema.n_values == [0, 0, 0, len(np.unique(X[:, 3])), 0]
    unseen = X.copy()
    unseen[::2, 3] = 101.5
    unseen[1::4, 3] = np.nan
    for asked in (X, unseen):
        assert_same_answers_on(ensemble, model, asked)


def test_texts_that_are_declared_categorical(problem):
    frame, depends = with_categories(problem)
    frame["colour"] = frame["colour"].astype(object).fillna("none")
    frame["size"] = frame["size"].astype(int)
    model = HistGradientBoostingClassifier(categorical_features=["colour"], **SMALL).fit(frame, depends)
    assert_same_answers_on(load(model), model, frame)


def test_a_category_column_without_any_value():
    frame = pd.DataFrame({"empty": pd.Categorical([None] * 60, categories=["a"]), "x": np.arange(60.0)})
    model = HistGradientBoostingRegressor(**SMALL).fit(frame, np.arange(60) % 7)
    ensemble = load(model)
    assert ensemble.schema.n_values == [0, 0]
    assert_same_answers_on(ensemble, model, frame)


def test_one_class_is_certain_and_the_second_column_of_scikit_learn_is_told():
    model = HistGradientBoostingClassifier(max_iter=2).fit([[0.0], [1.0]] * 30, ["only"] * 60)
    with pytest.warns(DataWarning) as caught:
        ensemble = load(model)
    assert [str(warning.message) for warning in caught] == [
        "HistGradientBoostingClassifier: the model has one class, 'only'. predict_proba has one column here. "
        "scikit-learn returns a second one, for a class that does not exist."
    ]
    assert model.predict_proba([[0.0]]).shape == (1, 2)
    assert ensemble.predict([[0.5]]).tolist() == ["only"]
    assert ensemble.predict_proba([[0.5]]).tolist() == [[1.0]]


def test_nodes_keep_their_count(problem):
    model = HistGradientBoostingClassifier(**SMALL).fit(problem.X, problem.labels([0, 1]))
    assert load(model).core.trees[0].weight[0] == len(problem.X)


def test_treelite_agrees(problem):
    model = HistGradientBoostingClassifier(**SMALL).fit(problem.X, problem.labels([0, 1]))
    oracle = treelite.gtil.predict(treelite.sklearn.import_model(model), problem.rows)
    np.testing.assert_allclose(load(model).predict_proba(problem.rows)[:, 1], oracle.ravel(), atol=1e-6)


def test_unknown_links_are_refused(problem):
    model = HistGradientBoostingRegressor(loss="gamma", **SMALL).fit(problem.X, np.exp(problem.number))
    model._loss.link = LogitLink()
    with pytest.raises(UnsupportedModelError) as caught:
        load(model)
    assert str(caught.value) == (
        "HistGradientBoostingRegressor: the loss 'gamma' has the link LogitLink, which is not supported. "
        "Supported: IdentityLink, LogLink."
    )


def test_none_as_a_category_is_refused(problem):
    frame, depends = with_categories(problem)
    frame["colour"] = frame["colour"].astype(object).where(frame["colour"].notna(), None)
    model = HistGradientBoostingClassifier(categorical_features=["colour"], **SMALL)
    frame["size"] = frame["size"].astype(int)
    model.fit(frame, depends)
    model._preprocessor.named_transformers_["encoder"].categories_[0] = np.array(["a", None], dtype=object)
    with pytest.raises(UnsupportedModelError) as caught:
        load(model)
    assert str(caught.value) == (
        "HistGradientBoostingClassifier: column 'colour' held None, which scikit-learn takes as a category "
        "and not as a missing value. Replace it in training: X['colour'].where(X['colour'].notna(), np.nan)."
    )


def damaged(problem, field, node, value):
    model = HistGradientBoostingClassifier(**SMALL).fit(problem.X, problem.labels([0, 1]))
    model._predictors[2][0].nodes[field][node] = value
    return model


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("left", 10**6, "child 1000000 does not exist (the tree has "),
        ("left", 2**32 - 1, "child 2147483647 does not exist (the tree has "),
        ("left", 0, "child 0 is reached a second time (two parents, or a cycle)."),
        ("feature_idx", 10**6, "feature -1 does not exist (there are 5)."),
        ("num_threshold", np.nan, "the threshold is not a finite number."),
        ("value", np.inf, "the output is not finite."),
        ("is_categorical", 1, "its set of categories does not exist."),
    ],
)
def test_damaged_nodes(problem, field, value, message):
    with pytest.raises(ModelFormatError) as caught:
        load(damaged(problem, field, 0, value))
    assert str(caught.value).startswith(f"HistGradientBoostingClassifier: tree 2: node 0: {message}")


def test_unknown_node_field(problem):
    model = damaged(problem, "value", 0, 0.0)
    predictor = model._predictors[1][0]
    predictor.nodes = np.zeros(3, dtype=[*predictor.nodes.dtype.descr, ("is_oblique", "u1")])
    with pytest.raises(UnsupportedModelError) as caught:
        load(model)
    assert str(caught.value) == (
        "HistGradientBoostingClassifier: tree 1: the trees of this version of scikit-learn are "
        "not supported ('is_oblique' is unknown)."
    )


def test_a_scikit_learn_that_moved_a_private_attribute_is_named(problem):
    model = HistGradientBoostingRegressor(**SMALL).fit(problem.X, problem.number)
    del model._baseline_prediction
    sentence = r"^scikit-learn [\d.]+ no longer has .*'_baseline_prediction'.*'scikit-learn=="
    with pytest.raises(AttributeError, match=sentence):
        load(model)
