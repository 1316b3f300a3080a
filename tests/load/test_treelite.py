import lightgbm
import numpy as np
import pytest
import treelite
import xgboost
from boosted_tests import rows_at_tests
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
)

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._file import ModelFile, load_file

of_sklearn = treelite.sklearn.import_model
of_xgboost = treelite.frontend.from_xgboost
of_lightgbm = treelite.frontend.from_lightgbm
FEW = {"n_estimators": 4, "max_depth": 3, "random_state": 0}


def read(model):
    return load_file(ModelFile("m.treelite", model.serialize_bytes()))


def check(model, rows):
    """Compare with treelite's own prediction, in the precision that it asks for."""
    ensemble = read(model)
    rows = rows_at_tests(ensemble, rows)
    rows = rows[np.isfinite(rows).all(axis=1) | np.isnan(rows).any(axis=1)]
    given = np.array(rows, dtype=model.input_type)
    expected = treelite.gtil.predict(model, given).reshape(len(rows), -1)
    if ensemble.classes_ is None:
        np.testing.assert_array_equal(ensemble.predict(rows), expected[:, 0])
        return ensemble
    shares = ensemble.predict_proba(rows)
    if expected.shape[1] == 1:
        np.testing.assert_array_equal(ensemble.predict(rows), (expected[:, 0] > 0.5).astype(int))
        shares = shares[:, 1:]
    else:
        np.testing.assert_array_equal(ensemble.predict(rows), expected.argmax(axis=1))
    np.testing.assert_allclose(shares, expected, atol=2e-7)
    return ensemble


@pytest.mark.parametrize("n_classes", [2, 3])
def test_forests_and_boosters(problem, n_classes):
    X, y = problem.X, problem.labels(list(range(n_classes)))
    rows = problem.holes(problem.rows)
    models = [
        of_sklearn(RandomForestClassifier(**FEW).fit(X, y)),
        of_sklearn(GradientBoostingClassifier(**FEW).fit(X, y)),
        of_sklearn(HistGradientBoostingClassifier(max_iter=4, random_state=0).fit(X, y)),
        of_xgboost(xgboost.XGBClassifier(n_jobs=1, **FEW).fit(X, y).get_booster()),
        of_lightgbm(lightgbm.LGBMClassifier(n_jobs=1, verbose=-1, **FEW).fit(X, y).booster_),
    ]
    for model in models:
        assert check(model, rows).n_classes == n_classes


def test_regressions(problem):
    X, y = problem.X, problem.X[:, 0] * 3.7
    check(of_sklearn(RandomForestRegressor(**FEW).fit(X, y)), problem.rows)
    check(of_xgboost(xgboost.XGBRegressor(n_jobs=1, **FEW).fit(X, y).get_booster()), problem.rows)


@pytest.mark.parametrize("objective", ["count:poisson", "reg:gamma", "reg:tweedie"])
def test_exponentials_of_xgboost(problem, objective):
    model = xgboost.XGBRegressor(objective=objective, n_jobs=1, **FEW).fit(problem.X, np.exp(problem.number))
    check(of_xgboost(model.get_booster()), problem.rows)


@pytest.mark.parametrize("options", [{"objective": "poisson"}, {"reg_sqrt": True}])
def test_functions_of_lightgbm(problem, options):
    model = lightgbm.LGBMRegressor(n_jobs=1, verbose=-1, **options, **FEW).fit(
        problem.X, np.exp(problem.number)
    )
    check(of_lightgbm(model.booster_), problem.rows)


def test_categories():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=300), rng.integers(0, 12, size=300)])
    y = np.isin(X[:, 1], [1, 4, 6]) ^ (X[:, 0] > 0.3)
    booster = lightgbm.train(
        {
            "objective": "binary",
            "min_data_per_group": 1,
            "cat_smooth": 0,
            "max_cat_to_onehot": 1,
            "verbose": -1,
            "num_threads": 1,
        },
        lightgbm.Dataset(X, y, categorical_feature=[1]),
        num_boost_round=4,
    )
    model = of_lightgbm(booster)
    ensemble = read(model)
    assert ensemble.schema.features[1].is_nominal
    rows = np.column_stack(
        [rng.normal(size=200), rng.choice([*range(15), 40, np.nan, -3, -0.5, 4.5], size=200)]
    )
    expected = treelite.gtil.predict(model, rows).ravel()
    np.testing.assert_array_equal(ensemble.predict(rows), (expected > 0.5).astype(int))


@pytest.mark.parametrize(
    ("content", "kind", "message"),
    [
        (
            lambda content: b"\x03" + content[1:],
            UnsupportedModelError,
            "m: is a treelite checkpoint of version 3. Supported: version 4.",
        ),
        (lambda content: content[:-9], ModelFormatError, "the file ends in the middle of an array."),
        (lambda content: content + b"x", ModelFormatError, "unexpected data after the last tree."),
    ],
)
def test_sentences_of_refusals(problem, content, kind, message):
    whole = of_sklearn(RandomForestRegressor(**FEW).fit(problem.X, problem.X[:, 0])).serialize_bytes()
    with pytest.raises(kind) as caught:
        load_file(ModelFile("m", content(whole)))
    assert str(caught.value).startswith("m: ")
    assert str(caught.value).endswith(message)


def test_an_isolation_forest_is_refused(problem):
    model = of_sklearn(IsolationForest(n_estimators=2, random_state=0).fit(problem.X))
    with pytest.raises(UnsupportedModelError) as caught:
        read(model)
    assert str(caught.value) == (
        "m.treelite: is an isolation forest. Supported: classification and regression."
    )
