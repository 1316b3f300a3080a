import itertools
import random

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    AdaBoostRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from small_models import MODELS, assert_same_answers
from xgboost import XGBClassifier, XGBRegressor

import sightline as sl
from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load import UnfittedModelError, load

PAIRS = list(itertools.combinations(MODELS, 2))


def voting(names, **options):
    return VotingClassifier([(name, clone(MODELS[name])) for name in names], **options)


@pytest.mark.parametrize("pair", PAIRS, ids=" and ".join)
def test_pairs_of_models(problem, pair):
    rng = random.Random(PAIRS.index(pair))
    values = rng.choice([["no", "yes"], ["c", "a", "b"]])
    weights = rng.choice([None, [2, 1], [0.3, 0.7]])
    kind = "soft" if "catboost" in pair and len(values) == 3 else rng.choice(["soft", "soft", "hard"])
    model = voting(pair, weights=weights, voting=kind).fit(problem.X, problem.labels(values))
    is_exact = len(values) == 2 or "catboost" not in pair
    assert_same_answers(model, problem.X, exact=is_exact, probabilities=kind == "soft")


@pytest.mark.parametrize("kind", ["soft", "hard"])
def test_ties_of_single_trees(problem, kind):
    """Few leaves and few members give many ties."""
    model = VotingClassifier(
        [(f"tree {i}", clone(MODELS["tree"]).set_params(max_depth=1, random_state=i)) for i in range(4)],
        voting=kind,
    ).fit(np.round(problem.X), problem.labels(["c", "a", "", "b"]))
    assert_same_answers(model, np.round(problem.X), probabilities=kind == "soft")


def test_single_precision_alone_and_in_company(problem):
    labels = problem.labels([0, 1, 2])
    members = [(f"{n} rounds", XGBClassifier(n_estimators=n, max_depth=2)) for n in (2, 3)]
    for weights in (None, [1, 3]):
        model = VotingClassifier(members, voting="soft", weights=weights).fit(problem.X, labels)
        assert_same_answers(model, problem.X)


def test_dropped_members_and_their_weights(problem):
    model = voting(["forest", "tree", "lightgbm"], weights=[1, 5, 2], voting="soft")
    model.set_params(tree="drop").fit(problem.X, problem.labels([False, True]))
    assert load(model).n_trees == 8
    assert_same_answers(model, problem.X)


def test_a_member_that_is_dropped_after_fitting_still_votes(problem):
    model = voting(["forest", "tree", "lightgbm"], voting="soft").fit(problem.X, problem.labels([0, 1]))
    assert_same_answers(model.set_params(tree="drop"), problem.X)
    model.set_params(weights=[1, 5, 2])
    with pytest.raises(ModelFormatError) as caught:
        load(model)
    assert str(caught.value) == "VotingClassifier: has 2 weights for 3 fitted models. Fit it again."


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_classes_that_are_renamed_after_fitting_are_ignored(voting, problem):
    """scikit-learn predicts the labels of its encoder."""
    X, y = problem.X, problem.labels([7, 8, 9])
    model = VotingClassifier([("tree", DecisionTreeClassifier(max_depth=2))], voting=voting).fit(X, y)
    model.classes_ = np.array(["a", "b", "c"])
    np.testing.assert_array_equal(load(model).predict(X), model.predict(X))


def test_wrappers_nest(problem):
    y = problem.labels([0, 1])
    forest = FrozenEstimator(clone(MODELS["forest"]).fit(problem.X, y))
    members = [
        ("calibrated", CalibratedClassifierCV(forest, method="isotonic")),
        ("search", GridSearchCV(clone(MODELS["xgboost"]), {"max_depth": [1, 2]}, cv=2)),
        ("threshold", FixedThresholdClassifier(clone(MODELS["histogram"]), threshold=0.4)),
        ("votes", voting(["tree", "boosting"], voting="soft")),
    ]
    for kind in ("soft", "hard"):
        model = VotingClassifier(members, voting=kind, weights=[1, 2, 1, 0.5]).fit(problem.X, y)
        ensemble = assert_same_answers(model, problem.X, probabilities=kind == "soft")
        assert ensemble.n_trees == 5 + 3 + 3 + 1 + 3
    whole = FixedThresholdClassifier(voting(["forest", "lightgbm"], voting="soft"), threshold=0.3)
    assert_same_answers(whole.fit(problem.X, y), problem.X)
    calibrated = CalibratedClassifierCV(whole, cv=2, method="sigmoid").fit(problem.X, y)
    assert_same_answers(calibrated, problem.X)


def test_names_and_missing_values_of_a_frame(problem):
    frame = pd.DataFrame(problem.holes(problem.X), columns=["age", "net income", "fee", "count", "rate"])
    model = voting(["forest", "lightgbm", "xgboost"], voting="soft")
    model.fit(frame, problem.labels(["no", "yes"]))
    ensemble = load(model)
    assert ensemble.feature_names == list(frame)
    np.testing.assert_array_equal(ensemble.predict_proba(frame), model.predict_proba(frame))
    assert sl.certify(sl.merge(ensemble, max_nodes=200_000), ensemble).equivalent is not False


def test_numbers_are_averaged(problem):
    members = [
        ("forest", RandomForestRegressor(3, max_depth=3, random_state=0)),
        ("boosting", GradientBoostingRegressor(n_estimators=3, random_state=0)),
        ("xgboost", XGBRegressor(n_estimators=3, max_depth=2)),
    ]
    for weights in (None, [1, 2, 0.3]):
        model = VotingRegressor(members, weights=weights).fit(problem.X, problem.number)
        np.testing.assert_array_equal(load(model).predict(problem.rows), model.predict(problem.rows))
    alone = VotingRegressor(members[2:] * 1).fit(problem.X, problem.number)
    np.testing.assert_array_equal(load(alone).predict(problem.rows), alone.predict(problem.rows))


@pytest.mark.parametrize("problem", [0], indirect=True)
def test_what_is_made_of_a_vote(problem):
    y = problem.labels(["no", "yes"])
    model = voting(["forest", "histogram", "xgboost"], voting="soft").fit(problem.X, y)
    ensemble = load(model)
    assert "Several models are combined" in ensemble.to_text()
    label = model.predict(problem.X[:1])[0]
    assert str(ensemble.explain(problem.X[0])).startswith(f"Predicted {label} with probability")
    rules = sl.RuleSetClassifier(model, random_state=0).fit(problem.X, y)
    assert (rules.predict(problem.X) == model.predict(problem.X)).mean() > 0.9
    for distiller in (sl.DistilledTreeClassifier, sl.ISMClassifier, sl.CMMClassifier, sl.MetaKNNClassifier):
        copy = distiller(model, random_state=0).fit(problem.X, y)
        assert (copy.predict(problem.X) == model.predict(problem.X)).mean() > 0.8, distiller


def test_refusals(problem):
    y = problem.labels([0, 1])
    with pytest.raises(UnfittedModelError, match="This VotingClassifier is not fitted"):
        load(voting(["tree"]))
    model = VotingClassifier([("nb", GaussianNB()), ("tree", MODELS["tree"])]).fit(problem.X, y)
    with pytest.raises(UnsupportedModelError) as caught:
        load(model)
    assert str(caught.value).startswith("VotingClassifier: 'nb': Cannot load a model of type sklearn.naive_b")
    for kind, weights, sentence in [
        ("soft", [1, -1], "VotingClassifier: cannot average 2 models with the weights [1, -1]."),
        (
            "hard",
            [2, -1],
            "VotingClassifier: voting='hard' with a negative weight. Supported: weights of at least 0.",
        ),
    ]:
        model = voting(["tree", "forest"], voting=kind, weights=weights).fit(problem.X, y)
        with pytest.raises(UnsupportedModelError) as caught:
            load(model)
        assert str(caught.value) == sentence
    model = VotingRegressor([("median", AdaBoostRegressor(n_estimators=3))]).fit(problem.X, problem.number)
    with pytest.raises(UnsupportedModelError) as caught:
        load(model)
    assert str(caught.value) == (
        "VotingRegressor: 'median' predicts the median of its trees, which cannot be combined exactly. "
        "sl.BlackBox takes any model."
    )


def test_columns_that_are_nominal_for_one_member_only(problem):
    table = problem.X.copy()
    table[:, 3] += 3
    histogram = HistGradientBoostingClassifier(max_iter=2, categorical_features=[3])
    model = VotingClassifier([("tree", MODELS["tree"]), ("histogram", histogram)], voting="soft")
    with pytest.raises(UnsupportedModelError) as caught:
        load(model.fit(table, problem.labels([0, 1])))
    assert str(caught.value) == (
        "VotingClassifier: column 'x3' is read differently by 'tree' and 'histogram'. "
        "sl.BlackBox takes any model."
    )


def test_votes_that_missing_values_divide_cannot_be_combined(problem):
    members = [("c45", sl.BoostedTreesClassifier(n_trees=3, random_state=0)), ("tree", MODELS["tree"])]
    model = VotingClassifier(members).fit(problem.X, problem.labels([0, 1]))
    with pytest.raises(UnsupportedModelError) as caught:
        load(model)
    assert str(caught.value) == (
        "Cannot combine votes of trees that spread missing values over several branches with other models. "
        "sl.BlackBox takes any model."
    )


def test_members_of_another_model_are_refused(problem):
    y = problem.labels([0, 1])
    members = [("a", DecisionTreeClassifier(max_depth=2)), ("b", DecisionTreeClassifier(max_depth=3))]
    model = VotingClassifier(members).fit(problem.X, y)
    model.estimators_[1] = DecisionTreeClassifier(max_depth=2).fit(problem.X, problem.labels([0, 1, 2]))
    with pytest.raises(ModelFormatError, match="VotingClassifier: 'b' has 3 classes, not 2"):
        load(model)
    model.estimators_[1] = DecisionTreeClassifier(max_depth=2).fit(problem.X[:, :2], y)
    with pytest.raises(UnsupportedModelError, match="VotingClassifier: 'a' has 5 columns, 'b' has 2"):
        load(model)
