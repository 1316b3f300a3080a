"""What model and ensemble answer as one column changes: equal to asking them about every row again."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from catboost import CatBoostClassifier
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier

import sightline as sl
from sightline.exceptions import DataError, ParameterError, UnsupportedModelError
from sightline.inspection import ColumnEffectDisplay, FidelityCurveDisplay, Inspected, column_effects


@pytest.fixture(scope="module")
def loans():
    return sl.make_loans(500)


@pytest.fixture(scope="module")
def tree(loans):
    return sl.DistilledTreeClassifier(max_leaves=8, random_state=0).fit(loans[:300].X, loans[:300].y)


@pytest.mark.parametrize("name", ["amount", "checking account"])
def test_effects_are_means_over_all_rows(loans, tree, name):
    unseen = loans[300:].X
    effect = ColumnEffectDisplay.from_estimator(tree, unseen, name, label="yes").effect
    rows = pd.DataFrame([unseen[row] for row in range(200)])
    values = effect.values
    if effect.feature.is_nominal:
        values = [effect.feature.categories[int(code)] for code in effect.values]
    for value, own, theirs in zip(values, effect.model, effect.ensemble, strict=True):
        changed = rows.assign(**{name: value})
        assert own == pytest.approx(tree.predict_proba(changed)[:, 1].mean())
        assert theirs == pytest.approx(tree.ensemble_.predict_proba(changed)[:, 1].mean())


def test_steps_of_the_model_are_where_its_thresholds_are(loans, tree):
    inspected = Inspected.of(tree, loans[300:].X, None, None, 1000)
    effects = column_effects(inspected, sorted({int(f) for f in tree.tree_.core.used_features}))
    stepped = [effect for effect in effects if len(effect.cuts)]
    assert stepped
    for effect in stepped:
        moves = effect.values[:-1][np.diff(effect.model) != 0]
        assert set(moves) <= set(effect.cuts)


def test_rules_that_only_ask_for_a_known_number_do_not_widen_the_range():
    random = np.random.default_rng(0)
    X = np.where(random.uniform(size=(300, 2)) < 0.2, np.nan, random.uniform(size=(300, 2)))
    y = np.nan_to_num(X[:, 0], nan=2.0) + np.nan_to_num(X[:, 1], nan=-1.0)
    rules = sl.RuleSetRegressor(max_rules=12, random_state=0).fit(X, y)
    assert np.isin(np.abs(rules.rules_.core.high), np.finfo(float).max).any()
    for column in (0, 1):
        values = ColumnEffectDisplay.from_estimator(rules, X, column).effect.values
        assert [values.min(), values.max()] == pytest.approx([0, 1], abs=0.1)


@pytest.mark.parametrize("nan_mode", ["Min", "Max"])
def test_tests_of_catboost_for_missing_values_do_not_widen_the_range(nan_mode):
    """They compare with the largest number of single precision."""
    X = pd.DataFrame({"x": np.arange(60.0)}).mask(lambda frame: frame["x"] % 3 == 0)
    y = X["x"].isna() | X["x"].between(20, 40)
    booster = CatBoostClassifier(
        iterations=3, depth=2, nan_mode=nan_mode, verbose=0, allow_writing_files=False
    ).fit(X, y.astype(int))
    merged = sl.merge(booster)
    assert np.abs(merged.core.threshold).max() > 1e38
    for model in (merged, sl.RuleSetClassifier(booster, random_state=0).fit(X, y.astype(int)).rules_):
        values = ColumnEffectDisplay.from_estimator(model, X, "x").effect.values
        assert -10 <= values.min() <= values.max() <= 70
    rounded = sl.round_thresholds(merged, X).model
    np.testing.assert_array_equal(np.abs(rounded.core.threshold) > 1e38, np.abs(merged.core.threshold) > 1e38)


def test_large_models_have_no_more_points_than_can_be_seen():
    X = np.random.default_rng(0).uniform(size=(2000, 1))
    tree = DecisionTreeClassifier(random_state=0).fit(X, (X[:, 0] * 200).astype(int) % 2)
    effect = ColumnEffectDisplay.from_estimator(tree, X, 0).effect
    assert len(effect.cuts) > 100
    assert len(effect.values) < 90


def test_numbers_dates_and_missing_values():
    random = np.random.default_rng(0)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 900, 300), "D")
    frame = pd.DataFrame({"opened": days, "size": np.where(random.uniform(size=300) < 0.1, np.nan, 1.0)})
    frame["size"] *= random.uniform(size=300)
    y = frame["size"].fillna(0.5) * 10 + (days > "2021-01-01") * 3.0
    tree = sl.DistilledTreeRegressor(max_leaves=5, random_state=0).fit(frame[:200], y[:200])
    display = ColumnEffectDisplay.from_estimator(tree, frame[200:], "opened")
    display.figure_.canvas.draw()
    assert re.match(r"20\d\d-\d\d-\d\d", display.ax_.get_xticklabels()[1].get_text())
    assert display.ax_.get_ylabel() == "mean prediction"
    assert ColumnEffectDisplay.from_estimator(tree, frame[200:], "size").effect.range[0] > 0


def test_displays_draw_into_given_axes(loans, tree):
    from matplotlib.figure import Figure

    figure = Figure()
    left, right = figure.subplots(1, 2)
    effect = ColumnEffectDisplay.from_estimator(tree, loans[300:].X, "duration", ax=left)
    curve = FidelityCurveDisplay.from_estimator(tree, loans[300:].X, loans[300:].y, sizes=(2, 8), ax=right)
    assert (effect.ax_, curve.ax_) == (left, right)
    assert effect.figure_ is curve.figure_ is figure
    assert effect.plot(right) is effect
    assert effect.ax_ is right


def test_curve_of_predictions_is_that_of_the_estimator(loans, tree):
    unseen, y = loans[300:].X, loans[300:].y
    expected = FidelityCurveDisplay.from_estimator(tree, unseen, y, sizes=(2, 4, 8)).curve
    predictions = {size: model.predict(unseen) for size, model in tree.summaries_by_size((2, 4, 8)).items()}
    curve = FidelityCurveDisplay.from_predictions(predictions, tree.ensemble_.predict(unseen), y).curve
    assert curve.sizes.tolist() == expected.sizes.tolist()
    np.testing.assert_array_equal(curve.fidelity, expected.fidelity)
    np.testing.assert_array_equal(curve.accuracy, expected.accuracy)


def test_black_boxes_and_several_classes():
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    box = sl.BlackBox(forest.predict)
    tree = sl.DistilledTreeClassifier(box, max_leaves=4, random_state=0).fit(X)
    effect = ColumnEffectDisplay.from_estimator(tree, X, 0, label=2).effect
    assert effect.ensemble[0] == 0
    assert effect.ensemble[-1] == 1
    assert ColumnEffectDisplay.from_estimator(tree, X, 0).effect.label in (0, 1, 2)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda tree, X: ColumnEffectDisplay.from_estimator(tree, X, "wage"),
            ParameterError,
            "The model has no column 'wage'. Choose from: age, income,",
        ),
        (
            lambda tree, X: ColumnEffectDisplay.from_estimator(tree, X, "age", label="maybe"),
            ParameterError,
            "The model has no class 'maybe'. Choose from: no, yes.",
        ),
        (
            lambda tree, X: ColumnEffectDisplay.from_estimator(tree, X[:3], "housing"),
            ParameterError,
            "Column 'housing' has no two values that enough rows have. Choose another column.",
        ),
        (
            lambda tree, X: FidelityCurveDisplay.from_estimator(tree.tree_, X),
            UnsupportedModelError,
            "Tree has one size only. Pass a fitted DistilledTreeClassifier, RuleSetClassifier or another "
            "estimator with fidelity_curve().",
        ),
        (
            lambda *_: FidelityCurveDisplay.from_predictions({}, [1]),
            DataError,
            "There are no predictions to draw. Pass those of at least one size.",
        ),
        (
            lambda *_: FidelityCurveDisplay.from_predictions({2: [1, 1]}, [1]),
            DataError,
            "All predictions must be for the same rows. Got [1, 2] rows.",
        ),
    ],
)
def test_errors(loans, tree, call, error, message):
    with pytest.raises(error, match=re.escape(message)):
        call(tree, loans[300:].X)


def test_label_is_for_classes():
    X = np.random.default_rng(0).uniform(size=(60, 1))
    forest = RandomForestRegressor(3, random_state=0).fit(X, X[:, 0])
    with pytest.raises(ParameterError, match=r"label is for classes, but the model predicts numbers\."):
        ColumnEffectDisplay.from_estimator(forest, X, 0, label=1)


def test_page_draws_the_columns_of_its_model(loans, tree):
    page = sl.report(tree, loans[300:].X, loans[300:].y, sizes=(), target="default").to_html()
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
    part = next(part for part in data["parts"] if part["kind"] == "effects")
    assert {chart["name"] for chart in part["charts"]} == {
        tree.tree_.feature_names[feature] for feature in tree.tree_.core.used_features
    }
    assert part["note"].startswith("The mean probability of default = yes over 200 rows, with one column ")
    for chart in part["charts"]:
        shares = chart["model"] + chart["ensemble"]
        assert all(0 <= share <= 1 for share in shares)
