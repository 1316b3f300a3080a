"""Distillers imitate models that can only be asked about rows."""

import pickle
import warnings

import catboost
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import sightline as sl
from sightline import _core
from sightline.distill import resolve_teacher
from sightline.distill._teacher import is_fitted
from sightline.load import trees_needed
from sightline.table import Table

DISTILLERS = {
    "tree": sl.DistilledTreeClassifier(max_leaves=8, augment=1000, random_state=0),
    "cmm": sl.CMMClassifier(random_state=0),
    "rules": sl.RuleSetClassifier(random_state=0),
    "few rules": sl.RuleSetClassifier(max_rules=10, random_state=0),
    "cases": sl.MetaKNNClassifier(random_state=0),
}


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, y.map({0: "setosa", 1: "versicolor", 2: "virginica"}).to_numpy()


@pytest.fixture(scope="module")
def loans():
    random = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": random.integers(20, 60, 300),
            "town": pd.Series(random.choice(["Ulm", "Köln", "Bonn"], 300), dtype=object),
            "job": pd.Categorical(
                random.choice(["nurse", "clerk"], 300), categories=["pilot", "nurse", "clerk"]
            ),
            "income": np.where(random.random(300) < 0.1, np.nan, random.normal(size=300)),
        }
    )
    return X, np.where((X["age"] > 40) ^ (X["town"] == "Ulm"), "yes", "no")


def stacking():
    members = [("forest", RandomForestClassifier(10, random_state=0)), ("nearest", KNeighborsClassifier())]
    return StackingClassifier(members, LogisticRegression(), cv=3)


MODELS = {
    "stacking": stacking,
    "network": lambda: make_pipeline(
        StandardScaler(), MLPClassifier((8,), max_iter=400, tol=1e-2, random_state=0)
    ),
    "support vectors": SVC,
}


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("distiller", DISTILLERS)
def test_every_distiller_imitates_models_without_trees(iris, distiller, model):
    X, y = iris
    teacher = MODELS[model]().fit(X[::2], y[::2])
    estimator = clone(DISTILLERS[distiller]).set_params(ensemble=FrozenEstimator(teacher))
    estimator.fit(X[::2], y[::2])
    assert isinstance(estimator.ensemble_, sl.BlackBox)
    assert (estimator.predict(X[1::2]) == teacher.predict(X[1::2])).mean() > 0.85
    assert estimator.classes_.tolist() == teacher.classes_.tolist()


@pytest.mark.parametrize("distiller", ["tree", "cmm", "few rules"])
def test_functions_are_imitated_without_labels(iris, distiller):
    X, _ = iris

    def by_width(rows):
        return np.where(rows["petal width (cm)"] > 0.75, "wide", "narrow")

    estimator = clone(DISTILLERS[distiller]).set_params(ensemble=by_width).fit(X)
    assert (estimator.predict(X) == by_width(X)).all()
    assert estimator.classes_.tolist() == ["narrow", "wide"]


def test_thresholds_without_trees_lie_between_observed_values():
    numbers = np.array([4.0, 1.0, 2.0, np.nan, 2.0, -1.0])
    bins = _core.Bins(Table.from_any(numbers[:, None]).native())
    assert bins.cuts(0) == [0.0, 1.5, 3.0]


def test_many_thresholds_without_trees_are_quantiles_of_the_rows():
    random = np.random.default_rng(0)
    numbers = np.exp(3 * random.normal(size=5000))
    cuts = np.array(_core.Bins(Table.from_any(numbers[:, None]).native()).cuts(0))
    assert len(cuts) == 254
    below = np.searchsorted(np.sort(numbers), cuts)
    assert np.abs(np.diff(below) - 5000 / 254).max() < 3


class Recorder:
    """A classifier by age and town that keeps what it is asked."""

    classes_ = np.array(["no", "yes"])

    def __init__(self):
        self.asked = []

    def predict(self, rows):
        self.asked.append(rows)
        return np.where(np.asarray(rows["age"] > 40) ^ np.asarray(rows["town"] == "Ulm"), "yes", "no")


def test_artificial_rows_have_the_types_of_the_training_rows(loans):
    X, y = loans
    recorder = Recorder()
    sl.DistilledTreeClassifier(recorder, augment=2000, random_state=0).fit(X, y)
    asked = pd.concat(recorder.asked[1:])
    assert len(asked) > 2000
    assert (asked.dtypes == X.dtypes).all()
    assert set(asked["age"]) <= set(X["age"])
    assert 0 < asked["income"].isna().mean() < 0.3


def test_artificial_rows_of_polars_stay_polars(loans):
    X, y = pl.from_pandas(loans[0]), loans[1]
    recorder = Recorder()
    sl.DistilledTreeClassifier(recorder, augment=500, random_state=0).fit(X, y)
    assert all(asked.schema == X.schema for asked in recorder.asked)


def test_pipelines_over_named_columns_read_the_original_ones(loans):
    X, y = loans
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["town", "job"]), ("passthrough", ["age"])
    )
    model = make_pipeline(encode, StandardScaler(), SVC()).fit(X, y)
    for rows in (X, Table.from_any(X)):
        tree = sl.DistilledTreeClassifier(model, max_leaves=6, random_state=0).fit(rows, y).tree_
        assert (tree.predict(X) == model.predict(X)).mean() > 0.95
        assert "town = Ulm" in tree.to_text() or "town is one of" in tree.to_text()


def test_catboost_with_combinations_of_categories(loans):
    X, y = loans
    model = catboost.CatBoostClassifier(
        iterations=20, depth=3, verbose=0, thread_count=1, allow_writing_files=False, random_seed=0
    )
    model.fit(X, y, cat_features=["town", "job"])
    tree = sl.DistilledTreeClassifier(sl.BlackBox(model), max_leaves=8, random_state=0).fit(X, y)
    assert (tree.predict(X) == model.predict(X)).mean() > 0.9


def test_an_explicit_box_is_asked_even_if_it_could_be_read(iris):
    X, y = iris
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    tree = sl.DistilledTreeClassifier(sl.BlackBox(forest), random_state=0).fit(X)
    assert isinstance(tree.ensemble_, sl.BlackBox)
    assert (tree.predict(X) == forest.predict(X)).mean() > 0.95


def test_unfitted_models_and_boxes_are_fitted_first_and_refitted_in_cross_validation(iris):
    X, y = iris
    for model in (SVC(), sl.BlackBox(SVC()), sl.BlackBox(SVC().fit(X, y))):
        tree = sl.DistilledTreeClassifier(model, max_leaves=4, augment=500, random_state=0)
        assert cross_val_score(tree, X, y, cv=3).mean() > 0.9
        assert not is_fitted(clone(tree).ensemble)
    unfitted = sl.DistilledTreeClassifier(sl.BlackBox(SVC(C=2)), augment=500, random_state=0).fit(X, y)
    assert unfitted.ensemble_.model.C == 2
    assert not hasattr(unfitted.ensemble.model, "classes_")


def test_weights_of_zero_drop_rows_and_others_count(iris):
    X, y = iris
    weights = np.arange(150) % 3
    for name in ("tree", "cmm", "few rules"):
        estimator = clone(DISTILLERS[name]).set_params(ensemble=FrozenEstimator(SVC().fit(X, y)))
        assert estimator.fit(X, y, weights).score(X, y) > 0.9


def test_rules_may_choose_their_votes_by_cross_validation(iris):
    X, y = iris
    rules = sl.RuleSetClassifier(SVC().fit(X, y), pc="cv", wr="cv", max_rules=10, random_state=0).fit(X, y)
    assert (rules.predict(X) == rules.ensemble_.predict(X)).mean() > 0.9
    assert rules.resized(5).rules_.n_rules == 5


def test_cases_are_judged_by_models_that_have_not_seen_them(iris):
    X, y = iris
    memory = KNeighborsClassifier(1).fit(X, y)
    refitted = sl.MetaKNNClassifier(memory, random_state=0).fit(X, y)
    frozen = sl.MetaKNNClassifier(FrozenEstimator(memory), random_state=0).fit(X, y)
    assert frozen.ensemble_error_ == 0
    assert refitted.ensemble_error_ > 0
    assert (refitted.cases_.origin, frozen.cases_.origin) == ("cross-fitted", "seen")
    assert sl.MetaKNNClassifier(random_state=0).fit(X, y).ensemble_ is None


def test_labels_that_change_are_told(iris):
    X, _ = iris
    random = np.random.default_rng(0)

    def tosses(rows):
        return random.choice(["heads", "tails"], len(rows))

    with pytest.warns(
        sl.DataWarning, match=r"tosses gave \d+ of 100 rows a different label when queried again"
    ):
        sl.DistilledTreeClassifier(tosses, max_leaves=2, augment=100, random_state=0).fit(X)


def test_labels_that_depend_on_the_batch_are_told(iris):
    X, _ = iris

    def above_average(rows):
        return rows["petal length (cm)"] > rows["petal length (cm)"].mean()

    with pytest.warns(sl.DataWarning, match="or depend on the other rows of a batch"):
        sl.DistilledTreeClassifier(above_average, max_leaves=2, augment=100, random_state=0).fit(X)


def test_ism_merge_certify_and_load_say_why_they_cannot(iris):
    X, y = iris
    model = SVC().fit(X, y)
    tree = sl.DistilledTreeClassifier(model, max_leaves=3, random_state=0).fit(X)
    with pytest.raises(
        sl.UnsupportedModelError, match="ISMClassifier computes its tree from the trees of an ensemble"
    ):
        sl.ISMClassifier(model).fit(X, y)
    for box in (model, sl.BlackBox(model), tree.ensemble_):
        with pytest.raises(
            sl.UnsupportedModelError,
            match="merge needs trees, because it proves what holds for every possible row",
        ):
            sl.merge(box)
        with pytest.raises(
            sl.UnsupportedModelError,
            match="certify needs trees, because it proves what holds for every possible row",
        ):
            sl.certify(tree, box)
    with pytest.raises(sl.UnsupportedModelError, match=r"sl.BlackBox\(model\) can still be distilled"):
        sl.load(model)
    with pytest.raises(
        sl.UnsupportedModelError, match="Cannot load SVC: a black box can be queried, not read"
    ):
        sl.load(sl.BlackBox(model))


def test_what_needs_trees_does_not_advise_a_black_box():
    reason, needed = "It sorts.", "merge needs trees, because it proves what holds for every possible row."
    refusal = sl.UnsupportedModelError(reason, "sl.BlackBox takes any model.")
    assert str(refusal) == f"{reason} sl.BlackBox takes any model."
    for one in (refusal, pickle.loads(pickle.dumps(refusal)), sl.UnsupportedModelError(reason)):
        with pytest.raises(sl.UnsupportedModelError) as error, trees_needed("merge"):
            raise one
        assert str(error.value) == f"{reason} {needed}"


def test_nothing_that_needs_trees_advises_a_black_box_for_a_stack(iris):
    X, y = iris
    stack = StackingClassifier([("tree", DecisionTreeClassifier(max_depth=1))], cv=2).fit(X, y)
    tree = sl.DistilledTreeClassifier(stack, max_leaves=3, random_state=0).fit(X)
    for call in (
        lambda: sl.merge(stack),
        lambda: sl.certify(tree, stack),
        lambda: sl.counterfactuals(tree, X.iloc[0], ensemble=stack),
    ):
        with pytest.raises(sl.UnsupportedModelError, match=r"predictions decides\. [a-z]+ needs trees"):
            call()


def test_a_model_that_can_neither_be_read_nor_asked_keeps_both_reasons(iris):
    X, _ = iris

    class Broken:
        classes_ = np.array([0, 1])

        def predict(self, rows):
            raise RuntimeError("no connection")

    with pytest.raises(sl.DataError) as caught:
        sl.DistilledTreeClassifier(Broken(), random_state=0).fit(X)
    assert str(caught.value).startswith("Broken failed on rows 0 to 149: RuntimeError: no connection.")
    assert "It was queried because it cannot be read. Cannot load a model of type" in str(caught.value)


def test_columns_are_given_in_the_order_that_the_model_knows(iris):
    X, y = iris
    model = SVC().fit(X, y)
    tree = sl.DistilledTreeClassifier(model, max_leaves=4, augment=500, random_state=0).fit(X.iloc[:, ::-1])
    assert (tree.predict(X) == model.predict(X)).mean() > 0.9
    with pytest.raises(sl.DataError, match=r"X has no column 'petal width .*', which SVC expects"):
        sl.DistilledTreeClassifier(model).fit(X.iloc[:, :3])


def test_explanations_name_the_black_box_and_prove_nothing(iris):
    X, y = iris
    tree = sl.DistilledTreeClassifier(SVC().fit(X, y), max_leaves=3, random_state=0).fit(X, y)
    text = str(tree.explain(X.iloc[0]))
    assert "The black box agrees: it predicts setosa" in text
    assert "provably" not in text
    assert "proof" not in text
    assert tree.fidelity_curve(X, y).fidelity.max() > 0.9


def test_fitted_estimators_are_pickled_with_the_model_and_stored_without(iris):
    X, y = iris
    tree = sl.DistilledTreeClassifier(SVC().fit(X, y), max_leaves=3, augment=500, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(tree))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (again.resized(2).predict(X) == tree.resized(2).predict(X)).all()
    assert "SVC" not in tree.to_json()


def test_the_teacher_of_a_box_keeps_the_columns_of_the_rows(iris):
    X, y = iris
    teacher = resolve_teacher(sl.DistilledTreeClassifier(SVC().fit(X, y)), X, y)
    assert teacher.ensemble.schema.names == X.columns.tolist()
    with pytest.raises(sl.DataError, match="y has the label 'rose'"):
        resolve_teacher(sl.DistilledTreeClassifier(SVC().fit(X, y)), X, np.full(150, "rose"))
