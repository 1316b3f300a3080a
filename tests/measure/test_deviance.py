"""Mean deviance and D²: those of scikit-learn, wherever an ensemble learned to minimize a deviance."""

import json

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.metrics import d2_tweedie_score, mean_tweedie_deviance
from sklearn.tree import DecisionTreeRegressor
from xgboost import XGBRegressor

import sightline as sl
from sightline.cli._app import run
from sightline.measure import NumberErrors

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(900, 3))
RATE = 0.3 * np.exp(0.8 * X[:, 0])
EXPOSURE = RANDOM.uniform(0.2, 1, 900)
CLAIMS = RANDOM.poisson(RATE * EXPOSURE) / EXPOSURE
TRAIN, TEST = slice(600), slice(600, None)
POISSON = HistGradientBoostingRegressor(loss="poisson", max_iter=20, random_state=0).fit(
    X[TRAIN], CLAIMS[TRAIN], sample_weight=EXPOSURE[TRAIN]
)


@pytest.fixture(scope="module")
def tree():
    return sl.DistilledTreeRegressor(POISSON, max_leaves=5, random_state=0).fit(X[TRAIN], CLAIMS[TRAIN])


@pytest.mark.parametrize("power", [1, 1.01, 1.5, 1.9, 2])
@pytest.mark.parametrize("weights", [None, RANDOM.uniform(0.1, 3, 200)])
def test_they_are_those_of_scikit_learn(power, weights):
    predicted = RANDOM.gamma(2, 1, 200)
    truth = RANDOM.gamma(predicted, 1) if power == 2 else RANDOM.poisson(predicted).astype(float)
    errors = NumberErrors.of(truth, predicted, weights=weights, deviance_power=power)
    deviance = mean_tweedie_deviance(truth, predicted, sample_weight=weights, power=power)
    assert errors.deviance.value == pytest.approx(deviance)
    d2 = d2_tweedie_score(truth, predicted, sample_weight=weights, power=power)
    assert errors.d2.value == pytest.approx(d2)
    for found in (errors.deviance, errors.d2):
        assert found.low < found.value < found.high
        assert found.n_rows == 200
    mean = NumberErrors.of_mean(truth, weights=weights, deviance_power=power)
    assert mean.d2.value == 0
    assert mean.deviance.value == pytest.approx(deviance / (1 - d2))


@pytest.mark.parametrize("scale", [1e-200, 1e150])
def test_very_small_and_very_large_numbers(scale):
    truth, predicted = RANDOM.poisson(2, 50).astype(float), RANDOM.uniform(1, 3, 50)
    errors = NumberErrors.of(scale * truth, scale * predicted, deviance_power=1)
    assert errors.deviance.value == pytest.approx(scale * mean_tweedie_deviance(truth, predicted, power=1))
    assert errors.d2.value == pytest.approx(d2_tweedie_score(truth, predicted, power=1))


def test_intervals_cover_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(1)
    rate = rng.uniform(0.5, 4, 200_000)
    truth = rng.poisson(rate)
    expected = (mean_tweedie_deviance(truth, rate, power=1), d2_tweedie_score(truth, rate, power=1))
    hits = np.zeros(2)
    for rows in np.split(np.arange(200_000), 500):
        errors = NumberErrors.of(truth[rows], rate[rows], deviance_power=1)
        found = (errors.deviance, errors.d2)
        hits += [one.low <= value <= one.high for one, value in zip(found, expected, strict=True)]
    assert (abs(hits / 500 - 0.95) < 0.03).all()


@pytest.mark.parametrize(
    ("truth", "predicted", "power"),
    [
        ([0.0, 1.0], [0.0, 1.0], 1),
        ([0.0, 1.0], [-0.1, 1.0], 1.5),
        ([-1.0, 1.0], [0.5, 1.0], 1),
        ([0.0, 1.0], [0.5, 1.0], 2),
        ([1.0, 1e300], [1.0, 1e-300], 2),
    ],
)
def test_numbers_that_have_no_deviance(truth, predicted, power):
    errors = NumberErrors.of(truth, predicted, deviance_power=power)
    assert (errors.deviance, errors.d2, errors.deviance_power) == (None, None, None)
    assert errors == NumberErrors.of(truth, predicted)
    assert [name for name, *_ in errors.lines()] == ["R²", "MAE", "RMSE"]
    assert set(errors.to_json()) == {"r2", "mae", "rmse", "rows"}


@pytest.mark.parametrize("truth", [[0.0, 0.0], [3.0, 3.0], [3.0], [0.1] * 6])
def test_d2_is_undefined_where_nothing_varies(truth):
    errors = NumberErrors.of(truth, [2.0] * len(truth), deviance_power=1.5)
    assert errors.d2.text == "undefined"
    assert errors.deviance.value == pytest.approx(mean_tweedie_deviance(truth, [2.0] * len(truth), power=1.5))


def test_all_models_are_measured_by_the_deviance_of_the_ensemble(tree):
    ordinary = DecisionTreeRegressor(max_leaf_nodes=5, random_state=0).fit(X[TRAIN], CLAIMS[TRAIN])
    weights = EXPOSURE[TEST]
    found = sl.measure(tree, X[TEST], CLAIMS[TEST], baseline=ordinary, sample_weight=weights)
    for errors, model in ((found.model, tree), (found.ensemble, POISSON), (found.baseline, ordinary)):
        numbers = model.predict(X[TEST])
        d2 = d2_tweedie_score(CLAIMS[TEST], numbers, sample_weight=weights, power=1)
        assert errors.d2.value == pytest.approx(d2)
        assert errors.deviance_power == 1
    assert found.guess.d2.value == 0
    # Fidelity is not about counts.
    assert found.fidelity.d2 is None
    assert "d2" not in found.to_dict()["fidelity"]
    assert found.to_dict()["ensemble"]["d2"]["value"] == found.ensemble.d2.value
    frame = found.to_frame().set_index(["of", "measure"])
    assert frame.loc[("model", "mean deviance"), "value"] == found.model.deviance.value
    text = str(found)
    assert "D² and mean deviance refer to the Poisson deviance." in text
    assert f"D²                    {found.model.d2!r}" in text
    assert f"mean deviance         {found.model.deviance!r}" in text


def test_a_model_that_predicts_0_has_none(tree):
    """An ordinary tree has a leaf without claims: its deviance is infinite."""
    zero = DecisionTreeRegressor(max_depth=12, random_state=0).fit(X[TRAIN], CLAIMS[TRAIN])
    found = sl.measure(tree, X[TEST], CLAIMS[TEST], baseline=zero)
    assert found.baseline.d2 is None
    assert found.model.d2 is not None
    own = sl.measure(zero, X[TEST], CLAIMS[TEST], POISSON)
    assert own.model.d2 is None
    assert own.ensemble.d2.value == pytest.approx(
        d2_tweedie_score(CLAIMS[TEST], POISSON.predict(X[TEST]), power=1)
    )
    assert own.deviance_power == 1


def test_other_objectives_have_none():
    forest = RandomForestRegressor(5, min_samples_leaf=50, random_state=0).fit(X[TRAIN], CLAIMS[TRAIN])
    found = sl.measure(forest, X[TEST], CLAIMS[TEST])
    assert found.deviance_power is None
    assert "deviance" not in str(found)


def test_reports_name_them(tree):
    report = sl.report(tree, X[TEST], CLAIMS[TEST], sizes=(), max_seconds=1)
    measures = report.evidence.measures
    text = report.to_text()
    assert (
        f"D², the explained share of the Poisson deviance: the 20 trees {measures.ensemble.d2.text}, "
        f"this tree {measures.model.d2.text}" in text
    )
    assert f"Mean deviance: the 20 trees {measures.ensemble.deviance.text}, " in text
    assert "D² and mean deviance refer to the Poisson deviance." in report.to_html()
    assert report.metrics["errors"]["d2"] == measures.model.d2.to_json()
    assert report.metrics["ensemble_errors"]["deviance_power"] == 1
    assert report.metrics["mean_errors"]["d2"]["value"] == 0
    assert "d2" not in report.metrics["fidelity"]


def test_so_does_the_command(tmp_path, capsys):
    model = XGBRegressor(objective="reg:tweedie", tweedie_variance_power=1.3, n_estimators=10, max_depth=2)
    model.fit(X[TRAIN], CLAIMS[TRAIN])
    model.save_model(tmp_path / "model.json")
    rows = np.column_stack([X, CLAIMS])
    np.savetxt(tmp_path / "rows.csv", rows, delimiter=",", header="x0,x1,x2,claims", comments="")
    options = ["-t", "claims", "--model", str(tmp_path / "model.json"), "--out", str(tmp_path / "out")]
    assert run(["distill", "-d", str(tmp_path / "rows.csv"), *options]) == 0
    printed = capsys.readouterr().out.splitlines()
    (line,) = [line for line in printed if line.startswith("D² ")]
    assert line.split(None, 1)[1].startswith("the 10 trees 0.")
    assert line.endswith("always the mean 0")
    assert any(line.startswith("mean deviance ") for line in printed)
    metrics = json.loads((tmp_path / "out" / "metrics.json").read_text())
    assert metrics["errors"]["deviance_power"] == 1.3
