"""What counterfactuals may change, what they refuse, and what they say."""

from __future__ import annotations

import datetime as dt
import json
import math
import signal
import threading
import time
from dataclasses import replace

import lightgbm
import numpy as np
import pandas as pd
import pytest
from catboost import CatBoostClassifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from strategies import DrawnEnsemble, at_most, leaf, one_of, schema_of, tree_of

import sightline as sl
from sightline.exceptions import DataError, ParameterError, UnsupportedModelError
from sightline.judge._counterfactual import Distance
from sightline.model import Link
from sightline.show._example import credit_tree
from sightline.table import RowForm

YOUNG = {"age": 25, "income": 1800, "purpose": "car"}


@pytest.fixture(scope="module")
def loans():
    table = sl.make_loans(400)
    frame = RowForm.of(table).rows(table)
    return frame.astype({name: object for name in frame if frame[name].dtype.kind not in "if"}), np.asarray(
        table.y
    )


@pytest.fixture(scope="module")
def pipeline(loans):
    X, y = loans
    numeric = [name for name in X if X[name].dtype.kind in "if"]
    nominal = [name for name in X if name not in numeric]
    columns = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), numeric),
            ("categories", OneHotEncoder(handle_unknown="ignore"), nominal),
        ]
    )
    return make_pipeline(columns, RandomForestClassifier(15, random_state=0)).fit(X, y)


def test_a_tree_by_hand():
    found = sl.counterfactuals(credit_tree(), YOUNG)
    assert [c.changes for c in found] == [(("income", 1800, 2001),), (("age", 25, 31),)]
    assert found[1].row == {"age": 31, "income": 1800, "purpose": "car"}
    assert found[1].distance == (1, 6 / 30)
    assert found.prediction == "bad"
    assert found.complete
    assert str(found).splitlines() == [
        "The model predicts bad; the goal is good.",
        "1. Change income from 1800 to 2001: the prediction becomes good. Proved to be the nearest.",
        "2. Change age from 25 to 31: the prediction becomes good. "
        "Proved to be the nearest with other changes.",
    ]


def test_tests_for_missing_values_do_not_count_as_thresholds():
    """They compare with the largest number, which is far from every income."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"income": np.round(rng.lognormal(8, 0.5, 300)), "age": rng.integers(18, 80, 300) * 1.0})
    X.loc[rng.random(300) < 0.3, "income"] = np.nan
    y = np.where(X.income.isna() & (X.age < 50) | (X.income < 2000), "bad", "good")
    imputed = make_pipeline(SimpleImputer(add_indicator=True), RandomForestClassifier(5, random_state=0))
    models = [
        imputed.fit(X, y),
        sl.RuleSetClassifier(imputed, random_state=0).fit(X, y).rules_,
        RandomForestClassifier(5, random_state=0).fit(X, y),
        CatBoostClassifier(iterations=10, nan_mode="Max", verbose=0, allow_writing_files=False).fit(X, y),
    ]
    row = X[(X.income < 1500) & (X.age < 50)].iloc[0]
    for model in models:
        nearest = sl.counterfactuals(model, row)[0]
        assert [change.column for change in nearest.changes] == ["income"]
        assert 1900 <= nearest.row["income"] <= 2200
        assert 0.1 < nearest.distance.total < 100


def test_a_number_for_a_missing_one_is_near_the_thresholds():
    largest = float(np.finfo(float).max)
    presence = at_most(0, largest, at_most(0, 30, leaf(1, 0), leaf(0, 1)), leaf(1, 0), shares=(0, 1))
    found = sl.counterfactuals(tree_of(presence, schema_of([0])), {"f0": None})
    assert found[0].changes[0].after == 31


def test_what_must_not_change_does_not():
    def changed(**limits):
        found = sl.counterfactuals(credit_tree(), YOUNG, **limits)
        return [[c.row["age"], c.row["income"]] for c in found]

    assert changed(fixed=["income"]) == [[31, 1800]]
    assert changed(fixed=["age"], monotone={"income": -1}) == []
    assert changed(monotone={"age": 1, "income": -1}) == [[31, 1800]]
    assert changed(ranges={"age": (40, None), "income": (0, 2000)}) == [[40, 1800]]
    assert changed(ranges={"age": (None, 30)}) == [[25, 2001]]


@pytest.mark.parametrize("direction", [1, -1])
def test_the_value_of_a_monotone_column_is_not_removed(direction):
    largest = float(np.finfo(float).max)
    tree = tree_of(at_most(0, largest, leaf(1, 0), leaf(0, 1), shares=(0, 1)), schema_of([0]))
    assert sl.counterfactuals(tree, {"f0": 3.0}, missing=True)[0].row == {"f0": None}
    assert sl.counterfactuals(tree, {"f0": 3.0}, missing=True, monotone={"f0": direction}).impossible


def test_categories_stay_within_those_allowed():
    root = one_of(0, [0, 1], leaf(1.0, 0.0), leaf(0.0, 1.0))
    tree = tree_of(root, schema_of([4]))
    assert sl.counterfactuals(tree, ["v0"])[0].row == {"f0": "v2"}
    assert sl.counterfactuals(tree, ["v0"], ranges={"f0": ["v1", "v3"]})[0].row == {"f0": "v3"}
    seen = [["v0"], ["v3"], ["v3"], ["v2"]]
    assert sl.counterfactuals(tree, ["v0"], within=seen)[0].row == {"f0": "v3"}
    assert sl.counterfactuals(tree, ["v0"], within=seen[:1]).impossible


def test_ranges_of_dates_are_dates():
    days = pd.date_range("2020-01-01", periods=200, freq="D")
    frame = pd.DataFrame({"opened": days, "size": np.arange(200.0) % 7})
    y = np.where((days < "2020-03-01") | (frame["size"] > 5), "new", "old")
    tree = sl.C45Classifier(binary_splits=True).fit(frame, y)
    row = {"opened": pd.Timestamp("2020-05-01"), "size": 1.0}
    (earlier,) = sl.counterfactuals(tree, row, within=frame, fixed=["size"])
    assert earlier.changes[0].after == "2020-02-29"
    for first in ("2020-03-01", dt.date(2020, 3, 1), pd.Timestamp("2020-03-01"), np.datetime64("2020-03-01")):
        assert sl.counterfactuals(tree, row, ranges={"opened": (first, None)}, fixed=["size"]).impossible
    found = sl.counterfactuals(tree, row, ranges={"opened": ("2020-01-01", "2020-02-01")}, fixed=["size"])
    assert found[0].changes[0].after == "2020-02-01"
    for wrong in (("soon", None), 7, ("2020-01-01",)):
        with pytest.raises(ParameterError, match="ranges must give the date column 'opened' a pair"):
            sl.counterfactuals(tree, row, ranges={"opened": wrong})


@pytest.mark.parametrize("readable", [True, False])
def test_a_changed_date_is_a_whole_day(readable):
    """Lines in leaves test dates without a threshold: the proved answer was a fraction of a day."""
    random = np.random.default_rng(0)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 30, 100), "D")
    frame = pd.DataFrame({"opened": days, "a": random.integers(0, 6, 100)})
    y = 0.87 * days.day + random.normal(size=100) * 0.01
    tree = sl.DistilledTreeRegressor(max_leaves=1, leaf="linear", random_state=0).fit(frame, y)
    options = {"to": (24.0, None), "n": 1, "readable": readable}
    for within in (None, frame):
        (found,) = sl.counterfactuals(tree, frame.iloc[[0]], within=within, **options)
        assert found.changes[0].after == "2020-01-28"
        assert found.proved
        row = pd.DataFrame([found.row]).assign(opened=lambda changed: pd.to_datetime(changed["opened"]))
        assert tree.predict(row)[0] == found.prediction >= 24


def test_values_become_missing_only_where_allowed():
    root = at_most(0, 2.0, leaf(1.0, 0.0), leaf(1.0, 0.0), shares=(0.5, 0.5))
    tree = tree_of(root, schema_of([0]))
    assert sl.counterfactuals(tree, [1.0]).impossible
    missing_is_second = at_most(0, 1e9, leaf(1.0, 0.0), leaf(0.0, 1.0), shares=(0.0, 1.0))
    tree = tree_of(missing_is_second, schema_of([0]))
    assert sl.counterfactuals(tree, [1.0], ranges={"f0": (0, 10)}).impossible
    found = sl.counterfactuals(tree, [1.0], ranges={"f0": (0, 10)}, missing=["f0"])
    assert found[0].row == {"f0": None}
    assert found[0].text.startswith("Change f0 from 1 to missing:")
    back = sl.counterfactuals(tree, [None])
    assert back[0].distance == (1, 1.0)
    assert back[0].text.startswith("Change f0 from missing to 1000000000:")


def test_a_row_with_the_wanted_label_stays_as_it_is():
    found = sl.counterfactuals(credit_tree(), YOUNG, to="bad")
    assert found[0].changes == ()
    assert found[0].distance == (0, 0.0)
    assert str(found) == "The row already gets bad: nothing has to change."


def test_an_impossible_wish_is_proved_impossible():
    found = sl.counterfactuals(credit_tree(), YOUNG, fixed=["age", "income", "purpose"])
    assert len(found) == 0
    assert found.impossible
    assert str(found) == "Proved impossible: no row with the allowed changes gets good."


def test_few_columns_may_not_be_enough():
    both = at_most(0, 1.0, leaf(1.0, 0.0), at_most(1, 1.0, leaf(1.0, 0.0), leaf(0.0, 1.0)))
    tree = tree_of(both, schema_of([0, 0]))
    assert sl.counterfactuals(tree, [0, 0], max_changes=1).impossible
    assert sl.counterfactuals(tree, [0, 0], max_changes=2)[0].row == {"f0": 2, "f1": 2}


def test_numbers_are_round_and_farther_off():
    X, y = load_iris(return_X_y=True, as_frame=True)
    forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    for row in (0, 60, 120):
        exact = sl.counterfactuals(forest, X.iloc[[row]], within=X, readable=False)
        for near, round_ in zip(exact, sl.counterfactuals(forest, X.iloc[[row]], within=X), strict=True):
            assert round_.distance.columns == near.distance.columns
            assert round_.distance.total >= near.distance.total
            assert all(len(repr(change.after)) <= 6 for change in round_.changes)
            assert forest.predict(pd.DataFrame([round_.row]))[0] == round_.prediction


def test_amounts_in_tens_stay_in_tens():
    tree = tree_of(at_most(0, 1234.0, leaf(1.0, 0.0), leaf(0.0, 1.0)), schema_of([0]))
    assert sl.counterfactuals(tree, [100], within=[[100], [9990]])[0].row == {"f0": 1240}
    assert sl.counterfactuals(tree, [9990], within=[[100], [9990]])[0].row == {"f0": 1230}


def test_a_counterfactual_may_have_to_be_near_to_a_row():
    above = one_of(1, [0], leaf(0.0, 1.0), leaf(0.0, 1.0))
    tree = tree_of(at_most(0, 5.0, leaf(1.0, 0.0), above), schema_of([0, 2]))
    within = [[0.0, "v0"], [5.25, "v1"], [20.0, "v0"]]
    anywhere = sl.counterfactuals(tree, [0.0, "v0"], within=within, n=1)
    assert anywhere[0].row["f0"] < 5.25
    near = sl.counterfactuals(tree, [0.0, "v0"], within=within, near=0.1, n=1)
    assert near[0].row["f0"] == pytest.approx(20 - 0.1 * np.std([0, 5.25, 20]), abs=0.1)


def test_tree_and_ensemble_together(loans, pipeline):
    X, _ = loans
    tree = sl.DistilledTreeClassifier(pipeline, max_leaves=6, random_state=0).fit(X)
    for row in range(4):
        alone = sl.counterfactuals(tree, X.iloc[[row]], within=X, n=1)
        both = sl.counterfactuals(tree, X.iloc[[row]], within=X, n=1, ensemble=pipeline)
        assert both[0].distance >= alone[0].distance
        made = pd.DataFrame([both[0].row]).astype(X.dtypes)
        assert tree.predict(made)[0] == pipeline.predict(made)[0] == both[0].prediction
        assert "and so does the ensemble's" in both[0].text


def test_an_ensemble_that_disagrees_already_has_the_wanted_label():
    yes, no = leaf(0.0, 1.0), leaf(1.0, 0.0)
    tree = tree_of(at_most(0, 2.0, yes, no), schema_of([0]))
    other = tree_of(at_most(0, 0.0, yes, no), schema_of([0]))
    found = sl.counterfactuals(tree, [1.0], ensemble=other)
    assert (found.prediction, found[0].row, found[0].ensemble_prediction) == ("class 1", {"f0": 3}, "class 0")


def test_pipelines_are_searched_in_their_own_columns(loans, pipeline):
    X, _ = loans
    for row in (0, 2, 9):
        start = X.iloc[[row]]
        for found in sl.counterfactuals(pipeline, start, within=X):
            made = pd.DataFrame([found.row])[X.columns].astype(X.dtypes)
            assert pipeline.predict(made)[0] == found.prediction != pipeline.predict(start)[0]


def test_lightgbm_itself_gives_the_wanted_label(loans):
    X, y = loans
    X = X.astype({name: "category" for name in X if X[name].dtype == object})
    booster = lightgbm.LGBMClassifier(n_estimators=30, min_child_samples=5, n_jobs=1, verbose=-1).fit(X, y)
    for row in range(6):
        found = sl.counterfactuals(booster, X.iloc[[row]], within=X, fixed=["age"])
        made = pd.DataFrame([c.row for c in found])[X.columns].astype(X.dtypes)
        assert (booster.predict(made) != booster.predict(X.iloc[[row]])[0]).all()
        assert (made["age"] == X["age"].iloc[row]).all()


def test_calibrated_probabilities_and_thresholds():
    X, y = load_wine(return_X_y=True, as_frame=True)
    forest = RandomForestClassifier(5, max_depth=4, random_state=0)
    calibrated = CalibratedClassifierCV(forest, method="isotonic", cv=2).fit(X, y)
    found = sl.counterfactuals(calibrated, X.iloc[[0]], to=2, within=X, n=2)
    assert [c.prediction for c in found] == [2, 2]
    assert (calibrated.predict(pd.DataFrame([c.row for c in found])) == 2).all()


def test_numbers_within_a_range():
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    booster = GradientBoostingRegressor(n_estimators=30, random_state=0).fit(X, y)
    constant = sl.DistilledTreeRegressor(booster, max_leaves=8, random_state=0).fit(X)
    lines = sl.DistilledTreeRegressor(booster, max_leaves=8, leaf="linear", random_state=0).fit(X)
    for model in (booster, constant, lines):
        found = sl.counterfactuals(model, X.iloc[[0]], to=(None, 120), within=X)
        assert found[0].prediction <= 120 < found.prediction
        assert found[0].proved
        assert found.wanted == "120 or less"
    line = sl.counterfactuals(lines, X.iloc[[0]], to=(150, 151), within=X, readable=False, n=1)
    assert line[0].prediction == pytest.approx(151, abs=1e-6)


def hard_ensemble(n_columns=30):
    """A vote of pairs of columns that hardly any change flips."""
    rng = np.random.default_rng(0)
    roots = []
    for _ in range(200):
        first, second = rng.choice(n_columns, 2, replace=False).tolist()
        low, high = (float(x) for x in rng.normal(size=2))
        roots.append(
            at_most(first, low, leaf(-1.0), at_most(second, high, leaf(-0.5), leaf(float(rng.uniform(0, 1)))))
        )
    parts = {"tree_weight": [1.0] * 200, "tree_score": [0] * 200, "base": [90.0]}
    return DrawnEnsemble(schema_of([0] * n_columns), roots, 1, **parts).model()


def test_the_time_limit_holds_and_the_gap_is_told():
    ensemble = hard_ensemble()
    begin = time.perf_counter()
    found = sl.counterfactuals(ensemble, [-3.0] * 30, max_seconds=0.3)
    assert time.perf_counter() - begin < 3
    assert not found.complete
    assert len(found) == 0
    assert str(found).startswith("No row that gets class 1 was found in 0.")
    assert "max_seconds" in str(found)
    within = np.random.default_rng(1).normal(scale=3, size=(200, 30))
    found = sl.counterfactuals(ensemble, [-3.0] * 30, within=within, max_seconds=0.3)
    assert len(found) == 1
    assert not found[0].proved
    assert 0 < found[0].gap < 1
    assert found[0].bound < found[0].distance
    assert "fewer columns may be enough" in found[0].text
    assert ensemble.predict([list(found[0].row.values())])[0] == "class 1"


@pytest.mark.usefixtures("at_a_terminal")
def test_ctrl_c_ends_the_search():
    threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
    begin = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        sl.counterfactuals(hard_ensemble(), [-3.0] * 30, max_seconds=60)
    assert time.perf_counter() - begin < 10


def test_results_as_data():
    found = sl.counterfactuals(credit_tree(), YOUNG)
    assert json.loads(found.to_json())["counterfactuals"][0]["changes"] == [
        {"column": "income", "before": 1800, "after": 2001}
    ]
    frame = found.to_frame()
    assert frame["after"].tolist() == ["2001", "31"]
    assert found.to_frame("polars").shape == (2, 6)
    assert "<td>31</td>" in found._repr_html_()
    assert repr(found) == "Counterfactuals(2 found, complete)"
    assert found[:1] == (found[0],)


def test_what_json_cannot_hold_is_null():
    dates = pd.to_datetime(["2020-01-01", "2020-02-01", "2021-01-01", None])
    rows = pd.DataFrame({"amount": [1.0, 2.0, 3.0, 4.0], "since": dates})
    tree = sl.C45Classifier(min_leaf=1).fit(rows, ["no", "no", "yes", "yes"])
    found = sl.counterfactuals(tree, rows.iloc[[3]])
    assert json.loads(found.to_json())["row"] == {"amount": 4.0, "since": None}
    far = replace(found[0], distance=Distance(1, math.inf), gap=math.nan)
    document = json.loads(json.dumps(far.to_dict(), allow_nan=False))
    assert (document["distance"], document["gap"]) == ({"columns": 1, "total": None}, None)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        (
            {"fixed": ["agee"]},
            ParameterError,
            "fixed names 'agee', but the columns are 'age', 'income' and 'purpose'.",
        ),
        ({"fixed": "age"}, ParameterError, "fixed must be a list of columns: ['age'], not 'age'."),
        ({"monotone": {"size": 1}}, ParameterError, "monotone names 'size', but the columns are"),
        ({"monotone": {"purpose": 1}}, ParameterError, "monotone names 'purpose', which is nominal"),
        ({"ranges": {"size": (0, 1)}}, ParameterError, "ranges names 'size', but the columns are"),
        (
            {"ranges": {"age": 7}},
            ParameterError,
            "ranges must give the numeric column 'age' a pair (low, high)",
        ),
        ({"ranges": {"age": (9, 7)}}, ParameterError, "ranges gives 'age' the range (9, 7), which is empty."),
        ({"ranges": {"purpose": ["boat"]}}, ParameterError, "ranges gives 'purpose' the value 'boat'"),
        (
            {"to": "so-so"},
            ParameterError,
            "must be a label of the model: 'bad' and 'good'. Got 'so-so' instead.",
        ),
        (
            {"n": 0},
            ParameterError,
            "The 'n' parameter of counterfactuals must be a whole number from 1. Got 0",
        ),
        (
            {"max_seconds": 0},
            ParameterError,
            "The 'max_seconds' parameter of counterfactuals must be positive.",
        ),
        (
            {"max_changes": 0},
            ParameterError,
            "The 'max_changes' parameter of counterfactuals must be a whole number from 1. Got 0 instead.",
        ),
        ({"distance": "far"}, ParameterError, "must be 'columns' or 'total'. Got 'far' instead."),
        ({"distance": "total", "max_changes": 1}, ParameterError, "max_changes needs distance='columns'."),
        ({"near": 1.0}, ParameterError, "near needs rows to be near to. Pass them as within."),
        (
            {"missing": ["size"]},
            ParameterError,
            "The 'missing' parameter names 'size', which is not a feature.",
        ),
        ({"within": [[1.0]]}, DataError, "X has 1 features, but counterfactuals is expecting 3"),
    ],
)
def test_wrong_parameters_are_named(parameters, error, message):
    with pytest.raises(error) as caught:
        sl.counterfactuals(credit_tree(), YOUNG, **parameters)
    assert message in str(caught.value)


def test_regressors_need_a_range():
    ensemble = DrawnEnsemble(
        schema_of([0]), [leaf(1.0)], 1, tree_weight=[1.0], tree_score=[0], base=[0.0]
    ).model()
    regressor = ensemble.replaced(classes=None, link=Link("identity"))
    for to in (None, 5, "much"):
        with pytest.raises(ParameterError, match="must be a pair"):
            sl.counterfactuals(regressor, [1.0], to=to)
    with pytest.raises(ParameterError, match="No number lies between the ends"):
        sl.counterfactuals(regressor, [1.0], to=(5, 1))


def test_models_without_trees_are_refused_by_name(loans, pipeline):
    X, y = load_wine(return_X_y=True)
    network = MLPClassifier(max_iter=400, random_state=0).fit(StandardScaler().fit_transform(X), y)
    with pytest.raises(UnsupportedModelError, match="MLPClassifier"):
        sl.counterfactuals(network, X[0])
    with pytest.raises(UnsupportedModelError, match="cannot search a BlackBox"):
        sl.counterfactuals(sl.BlackBox(network), X[0])
    cases = sl.MetaKNNClassifier(pipeline, random_state=0).fit(*loans)
    with pytest.raises(UnsupportedModelError, match="cannot search a CaseBase"):
        sl.counterfactuals(cases, loans[0].iloc[[0]])


def test_rules_and_stumps(loans, pipeline):
    X, y = loans
    rules = sl.RuleSetClassifier(pipeline, max_rules=6, random_state=0).fit(X, y)
    stumps = sl.StumpEnsembleClassifier(random_state=0).fit(X, y)
    for model in (rules, stumps):
        found = sl.counterfactuals(model, X.iloc[[0]], within=X)
        made = pd.DataFrame([c.row for c in found])[X.columns].astype(X.dtypes)
        assert (model.predict(made) != model.predict(X.iloc[[0]])[0]).all()
        assert all(math.isfinite(c.distance.total) for c in found)
