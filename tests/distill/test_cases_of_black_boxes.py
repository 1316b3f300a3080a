"""Cases explain the black box itself, whatever describes them."""

import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes, make_classification
from sklearn.ensemble import (
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    StackingRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import r2_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR

import sightline as sl
from sightline.model._format import parse_model

CLASSIFIERS = {
    "support vectors": lambda: make_pipeline(StandardScaler(), SVC()),
    "stacking": lambda: StackingClassifier(
        [("forest", RandomForestClassifier(10, random_state=0)), ("nearest", KNeighborsClassifier())],
        LogisticRegression(max_iter=1000),
        cv=3,
    ),
    "neighbors": KNeighborsClassifier,
    "network": lambda: make_pipeline(
        StandardScaler(), MLPClassifier((8,), max_iter=100, tol=1e-2, random_state=0)
    ),
}
REGRESSORS = {
    "support vectors": lambda: make_pipeline(StandardScaler(), SVR(C=100)),
    "stacking": lambda: StackingRegressor(
        [("forest", RandomForestRegressor(10, random_state=0)), ("line", Ridge())], Ridge(), cv=3
    ),
    "neighbors": KNeighborsRegressor,
}
pytestmark = pytest.mark.filterwarnings("ignore:Stochastic Optimizer")


@pytest.fixture(scope="module")
def species():
    X, y = make_classification(
        600, 6, n_informative=5, n_redundant=0, n_classes=5, n_clusters_per_class=1, random_state=1
    )
    X = pd.DataFrame(X, columns=[f"m{i}" for i in range(6)])
    return X, np.array([f"species {letter}" for letter in "ABCDE"])[y]


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True, scaled=False)


@pytest.fixture(scope="module")
def vectors(species):
    X, y = species
    return CLASSIFIERS["support vectors"]().fit(X[:400], y[:400])


@pytest.fixture(scope="module")
def by_cases(species, vectors):
    X, y = species
    return sl.MetaKNNClassifier(vectors, predict_with="meta", random_state=0).fit(X[:400], y[:400])


@pytest.fixture(scope="module")
def by_box(species, vectors):
    X, y = species
    return sl.MetaKNNClassifier(vectors, random_state=0).fit(X[:400], y[:400])


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_the_black_box_itself_predicts_and_is_explained(species, kind):
    X, y = species
    model = CLASSIFIERS[kind]().fit(X[:400], y[:400])
    cases = sl.MetaKNNClassifier(FrozenEstimator(model), random_state=0).fit(X[:400], y[:400])
    expected = model.predict(X[400:])
    np.testing.assert_array_equal(cases.predict(X[400:]), expected)
    np.testing.assert_array_equal(cases.ensemble_.predict(X[400:]), expected)
    told = cases.explain(X[400:])
    assert [one.prediction for one in told] == expected.tolist()
    assert all(
        str(one).startswith(f"Predicted {label} by the black box (")
        for one, label in zip(told, expected, strict=True)
    )
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(cases.predict_proba(X[400:]), model.predict_proba(X[400:]))


@pytest.mark.parametrize("kind", REGRESSORS)
def test_the_black_box_itself_predicts_numbers(diabetes, kind):
    X, y = diabetes
    model = REGRESSORS[kind]().fit(X[::2], y[::2])
    cases = sl.MetaKNNRegressor(FrozenEstimator(model), random_state=0).fit(X[::2], y[::2])
    np.testing.assert_allclose(cases.predict(X[1::2]), model.predict(X[1::2]))
    assert " by the black box." in str(cases.explain(X.iloc[1]))
    assert cases.remarks_ == [
        "The nearest cases are those that look similar to 100 trees that learned the numbers of the black "
        "box for the training rows."
    ]


def test_the_fidelity_is_to_copies_of_the_black_box_without_the_case(species, vectors, by_cases):
    X, y = species
    frozen = sl.MetaKNNClassifier(FrozenEstimator(vectors), predict_with="meta", random_state=0)
    frozen.fit(X[:400], y[:400])
    assert (by_cases.cases_.origin, frozen.cases_.origin) == ("cross-fitted", "seen")
    assert frozen.ensemble_error_ == (vectors.predict(X[:400]) != y[:400]).mean()
    assert by_cases.ensemble_error_ > frozen.ensemble_error_
    assert "predicted by a black box that may have seen them, so this is too optimistic" in frozen.to_text()


def test_the_fidelity_of_numbers_is_to_the_black_box(diabetes):
    X, y = diabetes
    model = KNeighborsRegressor(5).fit(X, y)
    cases = sl.MetaKNNRegressor(FrozenEstimator(model), predict_with="meta", k_meta=3, random_state=0)
    base = cases.fit(X, y).cases_
    found, distances = base.nearest(base.views, 3, itself=np.arange(len(X), dtype=np.int32))
    assert cases.fidelity_ == pytest.approx(r2_score(model.predict(X), base.means(found, distances)[:, -1]))
    assert cases.ensemble_error_ == pytest.approx(np.abs(model.predict(X) - y).mean())


def test_cases_say_when_the_black_box_disagrees(species, vectors, by_cases):
    X, _ = species
    expected, own = vectors.predict(X[400:]), by_cases.predict(X[400:])
    differs = expected != own
    assert differs.any()
    for told, label, is_other in zip(by_cases.explain(X[400:]), expected, differs, strict=True):
        sentence = f"For this row, the black box disagrees: it predicts {label}."
        assert (sentence in str(told)) == is_other
        assert ("disagrees" in str(told)) == is_other


def test_cases_say_when_an_ensemble_disagrees(species):
    X, y = species
    forest = RandomForestClassifier(30, random_state=0).fit(X[:400], y[:400])
    cases = sl.MetaKNNClassifier(forest, predict_with="meta").fit(X[:400], y[:400])
    differs = forest.predict(X[400:]) != cases.predict(X[400:])
    assert differs.any()
    told = ["For this row, the ensemble disagrees: " in str(one) for one in cases.explain(X[400:])]
    assert told == differs.tolist()


@pytest.mark.parametrize("fixture", ["by_box", "by_cases"])
def test_what_describes_the_cases_is_said_once(species, fixture, request):
    X, y = species
    cases = request.getfixturevalue(fixture)
    (remark,) = cases.remarks_
    assert remark == (
        "The nearest cases are those that look similar to 25 nearest-neighbor classifiers that learned the "
        "labels of the black box for the training rows."
    )
    report = sl.report(cases, X[400:], y[400:])
    for text in (cases.to_text(), str(cases.explain(X.iloc[0])), report.to_text()):
        assert text.count(remark) == 1
        assert "the ensemble" not in text.lower()


def test_a_black_box_sees_categories_that_no_case_has():
    random = np.random.default_rng(0)
    X = pd.DataFrame({"town": random.choice(["Ulm", "Bonn"], 200), "age": random.normal(size=200)})
    y = np.where((X["town"] == "Ulm") | (X["age"] > 1), "yes", "no")
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["town"]), remainder="passthrough"
    )
    model = make_pipeline(encode, SVC()).fit(X, y)
    cases = sl.MetaKNNClassifier(FrozenEstimator(model), random_state=0).fit(X, y)
    unknown = X.assign(town="Köln")
    np.testing.assert_array_equal(cases.predict(unknown), model.predict(unknown))
    assert [one.prediction for one in cases.explain(unknown)] == model.predict(unknown).tolist()


def test_rows_without_names_are_taken_by_position(species, vectors, by_box):
    X, _ = species
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        np.testing.assert_array_equal(by_box.predict(X.to_numpy()), vectors.predict(X))
    np.testing.assert_array_equal(by_box.predict(X[X.columns[::-1]]), vectors.predict(X))


def test_labels_without_probabilities_are_shown_without(species, by_box):
    X, y = species
    explanation = by_box.explanation(X.iloc[500])
    assert explanation.probability is None
    assert "probability" not in by_box.explain(X[400:]).to_frame().columns
    assert "AUC" not in sl.report(by_box, X[400:], y[400:]).to_text()


def test_files_hold_cases_but_no_black_box(species, by_box, by_cases):
    X, y = species
    with pytest.raises(
        sl.UnsupportedModelError,
        match=r"A file cannot hold the black box \(Pipeline ending in SVC\) that gives the labels",
    ):
        by_box.cases_.to_json()
    read = parse_model(by_cases.cases_.to_json(), "here")
    np.testing.assert_array_equal(read.predict(X), by_cases.predict(X))
    np.testing.assert_array_equal(read.outcomes, y[:400])
    assert read.to_text() == by_cases.to_text()
    assert read.to_json() == by_cases.cases_.to_json()
    assert read.explained is None
    assert "disagrees" not in str(read.explain(X))
    pickled = pickle.loads(pickle.dumps(by_box))
    np.testing.assert_array_equal(pickled.predict(X), by_box.predict(X))


def test_a_file_that_needs_the_black_box_is_refused(by_cases):
    damaged = by_cases.cases_.to_json().replace('"predict_with":"meta"', '"predict_with":"ensemble"')
    assert damaged != by_cases.cases_.to_json()
    with pytest.raises(
        sl.ModelFormatError, match="Without the black box, only the nearest cases can predict"
    ):
        parse_model(damaged, "here")


def test_progress_is_shown_while_copies_are_fitted(species, vectors, monkeypatch, capsys):
    X, y = species
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    sl.MetaKNNClassifier(vectors, random_state=0).fit(X[:400], y[:400])
    shown = capsys.readouterr().err
    assert "Imitating Pipeline ending in SVC" in shown
    assert "Refitting Pipeline ending in SVC" in shown
    silent = sl.BlackBox(vectors, show_progress=False)
    sl.MetaKNNClassifier(silent, random_state=0).fit(X[:400], y[:400])
    assert capsys.readouterr().err == ""
