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
from treelite import model_builder

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


def built(nodes, n_features=2, n_classes=1, average=False, function=None, base=0.0, class_id=0):
    """Return a model of one tree. Each node is a test and two children, or the value of a leaf."""
    task = "kMultiClf" if n_classes > 1 else "kBinaryClf"
    name = "softmax" if n_classes > 1 else "sigmoid"
    builder = model_builder.ModelBuilder(
        threshold_type="float32",
        leaf_output_type="float32",
        metadata=model_builder.Metadata(n_features, task, average, 1, [n_classes], (1, 1)),
        tree_annotation=model_builder.TreeAnnotation(1, [0], [class_id]),
        postprocessor=function or model_builder.PostProcessorFunc(name),
        base_scores=[base] * n_classes,
    )
    builder.start_tree()
    for key, (test, *children) in enumerate(nodes):
        builder.start_node(key)
        if not children:
            builder.leaf(test)
        else:
            kind = builder.categorical_test if "category_list" in test else builder.numerical_test
            kind(default_left=True, left_child_key=children[0], right_child_key=children[1], **test)
        builder.end_node()
    builder.end_tree()
    return builder.commit()


def number(feature, opname="<"):
    return {"feature_id": feature, "threshold": 0.5, "opname": opname}


def category(feature):
    return {"feature_id": feature, "category_list": [1], "category_list_right_child": False}


STUMP = [(number(0), 1, 2), (-0.5,), (0.25,)]


def test_a_slope_of_the_sigmoid():
    sigmoid = model_builder.PostProcessorFunc("sigmoid", sigmoid_alpha=2.0)
    check(built(STUMP, function=sigmoid), np.array([[0.0, 0.0], [1.0, 0.0]]))


@pytest.mark.parametrize(
    ("model", "kind", "message"),
    [
        (
            built([(number(0, "=="), 1, 2), (0.0,), (1.0,)]),
            UnsupportedModelError,
            "tree 0: node 0: its comparison is not supported.",
        ),
        (
            built([(number(0), 1, 2), (0.0,), (category(0), 3, 4), (1.0,), (2.0,)]),
            UnsupportedModelError,
            "feature 0 is tested as a number and as a category.",
        ),
        (built(STUMP, n_classes=3, average=True), UnsupportedModelError, "averages trees of single classes."),
    ],
    ids=range(3),
)
def test_models_that_are_refused(model, kind, message):
    with pytest.raises(kind) as caught:
        read(model)
    assert str(caught.value) == f"m.treelite: {message}"


@pytest.mark.parametrize(
    ("old", "new", "kind", "message"),
    [
        (np.float64(123.5), np.float64(np.inf), ModelFormatError, "m: must have 1 finite base scores."),
        (np.int32(777), np.int32(9999), ModelFormatError, "m: tree 0: node 0: feature 9999 does not exist."),
        (
            np.uint64([33] * 3),
            np.uint64([99, 33, 33]),
            ModelFormatError,
            "m: tree 0: node 0: its categories do not exist.",
        ),
        (
            np.uint8([2, 2, 1, 0, 0]),
            np.uint8([2, 3, 1, 0, 0]),
            UnsupportedModelError,
            "m: thresholds and leaves have different types.",
        ),
        # The shape of leaves, then the output of each tree, behind their lengths.
        (
            np.uint32([2, 0, 1, 1, 1, 0, 0]),
            np.uint32([2, 0, 1, 1, 1, 0, 7]),
            ModelFormatError,
            "m: tree 0: output 7 does not exist.",
        ),
    ],
    ids=["base", "feature", "categories", "types", "output"],
)
def test_damaged_checkpoints(old, new, kind, message):
    test = {"feature_id": 777, "category_list": list(range(100, 133)), "category_list_right_child": False}
    whole = built([(test, 1, 2), (0.0,), (1.0,)], n_features=800, base=123.5).serialize_bytes()
    at = whole.rindex(old.tobytes())
    with pytest.raises(kind) as caught:
        load_file(ModelFile("m", whole[:at] + new.tobytes() + whole[at + new.nbytes :]))
    assert str(caught.value) == message
