"""Cases that explain numbers: how they are described, averaged and shown, and what is refused."""

from __future__ import annotations

import pickle

import lightgbm
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.metrics import r2_score
from sklearn.neighbors import KNeighborsRegressor

import sightline as sl


@pytest.fixture(scope="module")
def task():
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    return X[::2], y[::2], X[1::2], y[1::2]


@pytest.fixture(scope="module")
def forest(task):
    return RandomForestRegressor(30, random_state=0).fit(*task[:2])


@pytest.fixture(scope="module")
def meta(task, forest):
    return sl.MetaKNNRegressor(forest).fit(*task[:2])


def slow_views(forest, X, y):
    """Out-of-bag numbers of the trees, the mean of these elsewhere."""
    answers = np.array([tree.predict(X.to_numpy()) for tree in forest.estimators_]).T
    unseen = np.array([np.bincount(drawn, minlength=len(X)) == 0 for drawn in forest.estimators_samples_]).T
    mean = np.where(unseen, answers, 0).sum(axis=1) / unseen.sum(axis=1)
    return np.where(unseen, answers, mean[:, None]), mean


def slow_mean(distances, y, k):
    order = np.argsort(distances, kind="stable")[:k]
    weights = 1 / np.maximum(distances[order], 1e-9)
    return (weights * y[order]).sum() / weights.sum()


def test_the_nearest_cases_are_averaged_by_the_definition(task, forest):
    X, y, unseen, _ = task
    meta = sl.MetaKNNRegressor(forest, k_meta=7, predict_with="meta").fit(X, y)
    views, _ = slow_views(forest, X, y)
    rows = np.array([tree.predict(unseen.to_numpy()) for tree in forest.estimators_]).T
    distances = [np.linalg.norm(views - row, axis=1) / y.std(ddof=0) for row in rows]
    expected = [slow_mean(own, y.to_numpy(), 7) for own in distances]
    np.testing.assert_allclose(meta.predict(unseen), expected, rtol=1e-4)


def test_fidelity_and_errors_leave_each_case_out(task, forest, meta):
    X, y, *_ = task
    views, mean = slow_views(forest, X, y)
    nearest = []
    for case, view in enumerate(views):
        distances = np.linalg.norm(views - view, axis=1) / y.std(ddof=0)
        distances[case] = np.inf
        nearest.append(slow_mean(distances, y.to_numpy(), meta.k_meta_))
    assert meta.cases_.origin == "out-of-bag"
    assert meta.fidelity_ == pytest.approx(r2_score(mean, nearest), rel=1e-3)
    assert meta.meta_error_ == pytest.approx(np.abs(np.array(nearest) - y).mean(), rel=1e-3)
    assert meta.ensemble_error_ == pytest.approx(np.abs(mean - y).mean())
    assert 1 <= meta.k_meta_ <= 25


def test_the_ensemble_predicts_unless_cases_shall(task, forest, meta):
    unseen, y_unseen = task[2:]
    np.testing.assert_allclose(meta.predict(unseen), forest.predict(unseen))
    cases = sl.MetaKNNRegressor(forest, predict_with="meta").fit(*task[:2])
    assert r2_score(forest.predict(unseen), cases.predict(unseen)) > 0.85
    plain = KNeighborsRegressor(5).fit(*task[:2])
    assert cases.score(unseen, y_unseen) > plain.score(unseen, y_unseen)


def test_cases_support_or_contradict_the_number(task, meta):
    unseen, y = task[2], meta.cases_.outcomes
    for explanation in meta.explanations(unseen[:40], n=3):
        assert explanation.supporting
        for match in explanation.supporting:
            assert abs(y[match.case] - explanation.label) <= y.std()
        distances = [match.distance for match in explanation.supporting]
        assert distances == sorted(distances)
        assert abs(y[explanation.contrast.case] - explanation.label) > y.std()


def test_sentences_give_numbers(task, meta):
    row = task[2].iloc[0]
    lines = str(meta.explain(row, n=2)).splitlines()
    explanation = meta.explanation(row, n=2)
    first = explanation.supporting[0].case
    assert lines[0] == f"Predicted {explanation.label:.6g}."
    assert lines[1].startswith(
        f"Case {meta.cases_.name_of(first)} had {meta.cases_.outcomes[first]:g} and differs"
    )
    assert lines[3].startswith("Counterexample: case ")
    assert ", the nearest case more than a standard deviation away, had " in lines[3]
    assert "give the ensemble's number with an R² of " in lines[-2]
    assert meta.to_text().splitlines()[0].endswith(" described by 30 trees; numbers from 25 to 346")
    assert " off by " in meta.to_text()
    assert "%" not in meta.to_text().replace("100%", "")
    frame = explanation.to_frame()
    cases = [match.case for match in explanation.matches]
    assert frame["outcome"].tolist() == [explanation.label, *meta.cases_.outcomes[cases]]
    assert explanation.to_table().y.tolist() == frame["outcome"].tolist()
    assert "(predicted)" in explanation.to_text(style="table")
    assert explanation.plot() is not None
    assert repr(meta.cases_).endswith("10 features, numbers)")


def test_files_and_pickles_hold_everything(task, meta, tmp_path):
    unseen = task[2]
    meta.to_json(tmp_path / "cases.json")
    again = sl.read_model(tmp_path / "cases.json")
    assert again.to_json() == meta.to_json()
    assert (again.predict(unseen) == meta.predict(unseen)).all()
    row = unseen.iloc[3]
    assert str(again.explain(row)) == str(meta.explain(row))
    assert str(pickle.loads(pickle.dumps(meta)).explain(row)) == str(meta.explain(row))


@pytest.mark.parametrize(
    ("teacher", "origin"),
    [
        (None, "out-of-bag"),
        (GradientBoostingRegressor(n_estimators=20, random_state=0), "cross-fitted"),
        (lightgbm.LGBMRegressor(n_estimators=20, n_jobs=1, verbose=-1), "cross-fitted"),
    ],
    ids=["forest", "gradient boosting", "lightgbm"],
)
def test_any_regression_describes_cases(task, teacher, origin):
    X, y, unseen, _ = task
    meta = sl.MetaKNNRegressor(teacher, random_state=0).fit(X, y)
    assert meta.cases_.origin == origin
    assert meta.fidelity_ > 0.7
    assert str(meta.explain(unseen.iloc[0])).startswith("Predicted ")


def test_a_model_that_cannot_be_fitted_again_may_have_seen_the_cases(task, forest):
    X, y, *_ = task
    assert sl.MetaKNNRegressor(sl.load(forest)).fit(X, y).cases_.origin == "seen"


def test_a_black_box_is_imitated_by_a_forest(task):
    X, y, unseen, _ = task
    box = KNeighborsRegressor(5).fit(X, y)
    meta = sl.MetaKNNRegressor(box, predict_with="meta", random_state=0).fit(X, y)
    assert isinstance(meta.ensemble_, sl.BlackBox)
    assert r2_score(box.predict(unseen), meta.predict(unseen)) > 0.5


def test_nominal_and_missing_values():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 120)
    size = np.where(rng.random(120) < 0.1, np.nan, rng.normal(size=120))
    y = 5.0 * (colour == "red") + np.nan_to_num(size)
    X = pd.DataFrame({"colour": pd.Categorical(colour), "size": size})
    meta = sl.MetaKNNRegressor(random_state=0).fit(X, y)
    assert meta.fidelity_ > 0.8
    assert "yours missing" in str(meta.explain({"colour": "red", "size": None}))


@pytest.mark.parametrize("value", [0.0, -3.5, 1e200])
def test_a_constant_target_is_predicted(value):
    X = np.arange(20.0)[:, None]
    for who in ("ensemble", "meta"):
        meta = sl.MetaKNNRegressor(predict_with=who, random_state=0).fit(X, np.full(20, value))
        assert meta.predict([[100.0]]) == pytest.approx([value])
    assert meta.explanation([3.0]).contrast is None


def test_large_numbers_with_small_differences_are_told_apart(task):
    X, y, *_ = task
    # The same trees: those that scikit-learn grows from the moved target are others in every version.
    forest = RandomForestRegressor(10, random_state=0).fit(X, y)
    plain = sl.MetaKNNRegressor(forest, k_meta=5).fit(X, y)
    for tree in forest.estimators_:
        tree.tree_.value[:] += 1e9
    moved = sl.MetaKNNRegressor(forest, k_meta=5).fit(X, y + 1e9)
    assert moved.fidelity_ == pytest.approx(plain.fidelity_, abs=0.02)


@pytest.mark.parametrize(("unit", "shift"), [(1.0, 1e9), (1e9, 1e18), (1e9, 0.0), (1e-9, 0.0)])
@pytest.mark.parametrize(
    "ensemble",
    [
        RandomForestRegressor(20, min_samples_leaf=5, random_state=0),  # smaller leaves have more ties
        HistGradientBoostingRegressor(max_iter=20),
    ],
)
def test_neither_unit_nor_zero_of_the_target_matters(task, tmp_path, ensemble, unit, shift):
    X, y, unseen, _ = task
    meta = sl.MetaKNNRegressor(ensemble, k_meta=5, predict_with="meta", random_state=0)
    plain, moved = clone(meta).fit(X, y), clone(meta).fit(X, unit * y + shift)
    assert moved.cases_.origin == plain.cases_.origin
    assert moved.fidelity_ == pytest.approx(plain.fidelity_, abs=0.02)
    numbers = moved.predict(unseen)
    assert r2_score(plain.predict(unseen), (numbers - shift) / unit) > 0.95
    moved.cases_.to_json(tmp_path / "cases.json")
    np.testing.assert_array_equal(sl.read_model(tmp_path / "cases.json").predict(unseen), numbers)


def test_bags_of_other_rows_are_not_out_of_bag_wherever_the_target_begins(task):
    X, y, *_ = task
    for unit, shift in ((1.0, 1e9), (1e-9, 0.0)):
        target = unit * y + shift
        forest = RandomForestRegressor(5, random_state=0).fit(X, target)
        assert sl.MetaKNNRegressor(forest).fit(X, target).cases_.origin == "out-of-bag"
        assert sl.MetaKNNRegressor(forest).fit(X[::-1], target[::-1]).cases_.origin != "out-of-bag"


def test_refusals_say_what_is_wrong(task, forest):
    X, y, *_ = task
    classes = (y > 100).astype(int)
    classifier = RandomForestClassifier(3, random_state=0).fit(X, classes)
    with pytest.raises(sl.UnsupportedModelError, match=r"is a classifier.*Use MetaKNNClassifier\."):
        sl.MetaKNNRegressor(classifier).fit(X, y)
    with pytest.raises(sl.UnsupportedModelError, match=r"is a regressor.*Use MetaKNNRegressor\."):
        sl.MetaKNNClassifier(forest).fit(X, classes)
    with pytest.raises(sl.DataError, match="cases without numbers cannot explain anything"):
        sl.MetaKNNRegressor(forest).fit(X, None)
    with pytest.raises(sl.ParameterError, match="The 'meta_weights' parameter of MetaKNNRegressor"):
        sl.MetaKNNRegressor(forest, meta_weights="auto").fit(X, y)
    with pytest.raises(sl.DataError, match="contains NaN, first at row 3"):
        sl.MetaKNNRegressor(forest).fit(X, np.where(np.arange(len(y)) == 3, np.nan, y))
    several = RandomForestRegressor(3, random_state=0).fit(X, np.column_stack([y, -y]))
    with pytest.raises(sl.DataError, match="returned 2 numbers per row"):
        sl.MetaKNNRegressor(several).fit(X, y)
    with pytest.raises(AttributeError, match="This CaseBase predicts numbers"):
        sl.MetaKNNRegressor(forest).fit(X, y).cases_.predict_proba(X)
