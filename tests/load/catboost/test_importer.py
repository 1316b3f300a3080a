import json

import catboost as cb
import numpy as np
import pandas as pd
import pytest
from boosted_tests import assert_same_scores

from sightline.exceptions import DataError, ModelFormatError, UnsupportedModelError
from sightline.load import UnfittedModelError, load
from sightline.table._category_hash import category_hash

SMALL = {
    "iterations": 8,
    "depth": 3,
    "verbose": 0,
    "thread_count": 1,
    "allow_writing_files": False,
    "random_seed": 0,
}
POLICIES = ["SymmetricTree", "Lossguide", "Depthwise"]


def check(model, rows, categories=None, **options):
    ensemble = load(model, categories=categories)
    is_classifier = hasattr(model, "predict_proba")
    assert_same_scores(
        ensemble,
        rows,
        scores=lambda block: model.predict(block, prediction_type="RawFormulaVal"),
        labels=model.predict,
        probabilities=model.predict_proba if is_classifier else None,
        **options,
    )
    return ensemble


def saved(model, tmp_path):
    path = tmp_path / "model"
    model.save_model(str(path), format="json")
    return path


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("nan_mode", ["Min", "Max"])
def test_classifier(problem, values, policy, nan_mode, tmp_path):
    X = problem.holes(problem.X)
    values = ["e" if value == "" else value for value in values]  # the library takes '' for missing
    model = cb.CatBoostClassifier(grow_policy=policy, nan_mode=nan_mode, **SMALL).fit(
        X, problem.labels(values)
    )
    ensemble = check(model, problem.holes(problem.rows))
    assert ensemble.classes_.tolist() == model.classes_.tolist()
    from_file = load(saved(model, tmp_path))
    assert from_file.to_json() == ensemble.to_json()


@pytest.mark.parametrize("policy", POLICIES)
def test_missing_values_that_training_did_not_see(problem, policy):
    model = cb.CatBoostClassifier(grow_policy=policy, **SMALL).fit(problem.X, problem.labels([0, 1]))
    check(model, problem.holes(problem.rows))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("loss", ["RMSE", "MAE", "Quantile:alpha=0.3"])
def test_regressor(problem, policy, loss):
    model = cb.CatBoostRegressor(grow_policy=policy, loss_function=loss, **SMALL).fit(
        problem.X, problem.number
    )
    ensemble = check(model, problem.holes(problem.rows))
    assert ensemble.core.base_last == [True]


@pytest.mark.parametrize("loss", ["CrossEntropy", "Focal:focal_alpha=0.4;focal_gamma=2"])
def test_other_losses_for_two_classes(problem, loss):
    target = problem.labels([0.1, 0.9]) if loss == "CrossEntropy" else problem.labels([0, 1])
    ensemble = check(cb.CatBoostClassifier(loss_function=loss, **SMALL).fit(problem.X, target), problem.rows)
    assert ensemble.classes_.tolist() == [0, 1]


def test_a_border_cuts_the_target_in_two(problem):
    check(cb.CatBoostClassifier(target_border=0.2, **SMALL).fit(problem.X, problem.number), problem.rows)


@pytest.mark.parametrize("threshold", [0.01, 0.123, 0.3, 0.5, 0.7, 0.999])
def test_probability_threshold(problem, threshold):
    model = cb.CatBoostClassifier(**{**SMALL, "iterations": 1}).fit(problem.X, problem.labels(["no", "yes"]))
    model.set_probability_threshold(threshold)
    check(model, problem.rows)
    row, border = problem.rows[:1], -np.log(1 / threshold - 1)
    leaf = model.predict(row, "RawFormulaVal")[0]
    labels = set()
    for ulps in range(-8, 9):
        model.set_scale_and_bias(1.0, border - leaf + ulps * np.spacing(border))
        labels.update(load(model).predict(row))
        assert load(model).predict(row) == model.predict(row)
    assert labels == {"no", "yes"} or threshold == 0.5


@pytest.mark.parametrize("stored", ["much", "1.5", "nan"])
def test_probability_thresholds_that_are_none(problem, stored, tmp_path):
    path = damaged(
        problem,
        tmp_path,
        "SymmetricTree",
        lambda document: document["model_info"].__setitem__("binclass_probability_threshold", stored),
    )
    with pytest.raises(ModelFormatError, match="'binclass_probability_threshold' must be between 0 and 1"):
        load(path)


@pytest.mark.parametrize("policy", POLICIES)
def test_one_hot_categories(problem, policy, tmp_path):
    frame = pd.DataFrame(problem.X, columns=list("pqrst"))
    colours = ["red", "", "a name of some thirty letters..", "x" * 40, "y" * 70, "grün", "zinc"]
    frame["s"] = [colours[int(code) + 3] for code in problem.X[:, 3]]
    frame.insert(1, "size", (np.abs(problem.X[:, 3]).astype(int) * 10))
    y = np.isin(frame["s"], [colours[1], colours[3], colours[4]]) ^ (frame["size"] == 10)
    model = cb.CatBoostClassifier(
        grow_policy=policy, cat_features=["s", "size"], one_hot_max_size=20, **{**SMALL, "iterations": 20}
    ).fit(frame, y)
    categories = {"s": colours, "size": [0, 10, 20, 30]}
    ensemble = check(model, frame, categories, special=False)
    assert ensemble.schema.features[1].categories == (0, 10, 20, 30)
    assert ensemble.schema.features[4].categories[: len(colours)] == tuple(colours)
    unseen = frame.copy()
    unseen["s"] = "never seen"
    check(model, unseen, categories, special=False)
    # The library refuses missing categories, and so do its models here.
    missing = frame.copy()
    missing["s"] = None
    with pytest.raises(cb.CatBoostError):
        model.predict(missing.assign(s=np.nan))
    with pytest.raises(DataError, match="Column 's' has no value in row 0, but CatBoost does not accept"):
        ensemble.scores(missing)
    assert load(saved(model, tmp_path), categories=categories).to_json() == ensemble.to_json()
    # Values that were not named are still found in rows, by their hash.
    some = check(model, frame, {**categories, "s": colours[:2]}, special=False)
    assert any(str(value).startswith("hash ") for value in some.schema.features[4].categories)
    check(model, unseen, special=False)


@pytest.mark.parametrize("length", [0, 1, 3, 4, 8, 9, 16, 17, 32, 33, 64, 65, 127, 128, 129, 200])
def test_hashes_are_the_librarys(length, tmp_path):
    one, other = "a" * length, "b" * (length + 1)
    frame = pd.DataFrame({"c": [one, other, "z"] * 20})
    model = cb.CatBoostClassifier(cat_features=["c"], one_hot_max_size=9, **SMALL).fit(frame, [0, 1, 1] * 20)
    stored = json.loads(saved(model, tmp_path).read_text())["features_info"]["categorical_features"][0][
        "values"
    ]
    assert set(stored) <= {category_hash(one), category_hash(other), category_hash("z")}
    assert category_hash(one) in stored


def test_coverage_comes_along(problem):
    for policy in POLICIES:
        model = cb.CatBoostClassifier(grow_policy=policy, **SMALL).fit(problem.X, problem.labels([0, 1]))
        tree = load(model).core.trees[0]
        assert tree.weight[0] == len(problem.X)
        assert tree.weight[tree.test == 0].sum() == len(problem.X)


def test_what_is_refused(problem):
    def message(model):
        with pytest.raises(UnsupportedModelError) as caught:
            load(model)
        return str(caught.value)

    with pytest.raises(UnfittedModelError, match="This CatBoostClassifier is not fitted"):
        load(cb.CatBoostClassifier())
    ranked = cb.CatBoost({"loss_function": "QueryRMSE", **SMALL})
    assert message(ranked.fit(problem.X, problem.number, group_id=np.repeat([0, 1], 80))) == (
        "CatBoost: the loss 'QueryRMSE' is not supported. "
        "Supported: CrossEntropy, Focal, Logloss, MultiClass, MultiClassOneVsAll, Cox, Expectile, Huber, "
        "LogCosh, LogLinQuantile, Lq, MAE, MAPE, Poisson, Quantile, RMSE, RMSPE, SurvivalAft, Tweedie."
    )
    model = cb.CatBoostClassifier(**SMALL).fit(problem.X, problem.labels([0, 1]))
    model.set_scale_and_bias(2.0, 0.5)
    assert message(model) == "CatBoostClassifier: its scale is 2.0. Supported: 1, or any for regressions."
    several = cb.CatBoostClassifier(loss_function="MultiClass", classes_count=5, **SMALL)
    assert message(several.fit(problem.X, problem.labels([0, 1, 2]))) == (
        "CatBoostClassifier: declares 5 classes, but only 3 occurred in training, which is not supported. "
        "Fit it without classes_count."
    )
    assert message(cb.sum_models([model, model])) == (
        "CatBoost: stores no loss function, like the models of sum_models, which are not supported. "
        "Use sl.BlackBox(model)."
    )


def damaged(problem, tmp_path, policy, change):
    model = cb.CatBoostClassifier(grow_policy=policy, **SMALL).fit(problem.X, problem.labels([0, 1]))
    path = saved(model, tmp_path)
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda d: d["oblivious_trees"][2]["leaf_values"].pop(),
            "tree 2: 7 leaf values do not match 3 splits.",
        ),
        (
            lambda d: d["oblivious_trees"][2]["leaf_weights"].pop(),
            "tree 2: 'leaf_weights' has 7 entries instead of 8",
        ),
        (
            lambda d: d["oblivious_trees"][2].__setitem__("splits", d["oblivious_trees"][2]["splits"] * 30),
            "do not match 90",
        ),
        (
            lambda d: d["oblivious_trees"][2]["splits"][0].__setitem__("float_feature_index", 10**6),
            "feature 1e+06 does not exist (there are 5).",
        ),
        (
            lambda d: d["oblivious_trees"][2]["splits"][0].__setitem__("border", "x"),
            "'border' must be a number.",
        ),
        (
            lambda d: d["oblivious_trees"][2]["leaf_values"].__setitem__(0, "x"),
            "'leaf_values' must be an array of",
        ),
        (
            lambda d: d["features_info"]["float_features"][1].__setitem__("flat_feature_index", 0),
            "every feature must have its own 'flat_feature_index'.",
        ),
        # CatBoost reads a string as 0.
        (
            lambda d: d["features_info"]["float_features"][1].__setitem__("flat_feature_index", "1"),
            "float_features 1: 'flat_feature_index' must be a whole number from 0 to 1048576.",
        ),
        (
            lambda d: d["features_info"]["float_features"][1].__setitem__("feature_index", 7),
            "'feature_index' must be 1.",
        ),
        (lambda d: d["scale_and_bias"].pop(), "'scale_and_bias' must have two entries."),
        (lambda d: d["model_info"]["class_params"]["class_names"].pop(), "'class_to_label'"),
        (lambda d: d["model_info"]["params"].pop("loss_function"), "'loss_function' is missing."),
        (
            lambda d: d["model_info"]["class_params"].update(class_label_type="String"),
            "'class_names' do not match 'class_label_type'.",
        ),
        (
            lambda d: d["oblivious_trees"][2]["splits"][0].update(split_type="Odd"),
            "tree 2: split 0: a split of kind 'Odd' is not supported.",
        ),
        (
            lambda d: d["model_info"]["class_params"].update(class_names=[7, 7]),
            "'class_names' must be different.",
        ),
        (
            lambda d: d["model_info"]["class_params"].update(class_names=[0, 1, 2], class_to_label=[0, 1, 2]),
            "the loss 'Logloss' needs 2 classes, but there are 3.",
        ),
        (
            lambda d: d["scale_and_bias"].__setitem__(1, [0.0] * 3),
            "'scale_and_bias' has 3 biases; expected 1.",
        ),
        (
            lambda d: d["oblivious_trees"][2]["splits"].__setitem__(
                0, {"split_type": "OneHotFeature", "cat_feature_index": 0, "value": 1, "split_index": 0}
            ),
            "feature 0 does not exist (there are 0).",
        ),
        (
            lambda d: d["oblivious_trees"][2]["splits"][0].pop("split_index"),
            "tree 2: split 0: 'split_index' is missing.",
        ),
        # CatBoost ignores the treatment, and a missing number is below all borders.
        (
            lambda d: d["features_info"]["float_features"][0].update(
                nan_value_treatment="AsTrue", has_nans=False
            ),
            "float_features 0: 'has_nans' must be true if 'nan_value_treatment' is AsTrue.",
        ),
    ],
)
def test_damaged_oblivious_trees(problem, tmp_path, change, message):
    path = damaged(problem, tmp_path, "SymmetricTree", change)
    with pytest.raises((ModelFormatError, UnsupportedModelError)) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value) or "classes" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda tree: tree.pop("left"), "tree 2: node 0: it must have two children or a value."),
        (lambda tree: tree.__setitem__("value", 3), "tree 2: node 0: it must have two children or a value."),
        (lambda tree: tree.__setitem__("value", [3, 4]), "tree 2: node 0: 'value' must be 1 numbers."),
        (
            lambda tree: tree["split"].__setitem__("split_type", "New"),
            "tree 2: node 0: its kind of split is missing",
        ),
        (
            lambda tree: tree["split"].__setitem__("float_feature_index", 77),
            "tree 2: node 0: feature 77 does not",
        ),
        (lambda tree: tree["split"].pop("border"), "tree 2: node 0: the threshold is not a finite number."),
        (
            lambda tree: tree["split"].update(split_index=tree["split"]["split_index"] + 0.5),
            "tree 2: node 0: its feature and border do not match its 'split_index'.",
        ),
        (
            lambda tree: tree["split"].pop("split_index"),
            "tree 2: node 0: its feature and border do not match its 'split_index'.",
        ),
        (lambda tree: tree.__setitem__("right", 5), "a node must be an object."),
    ],
)
def test_damaged_nested_trees(problem, tmp_path, change, message):
    path = damaged(problem, tmp_path, "Lossguide", lambda document: change(document["trees"][2]))
    with pytest.raises(ModelFormatError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


def test_a_category_that_no_tree_lists_is_refused(problem, tmp_path):
    frame = pd.DataFrame({"x": problem.X[:, 0], "c": np.where(problem.X[:, 3] > 0, "a", "b")})
    model = cb.CatBoostClassifier(cat_features=["c"], one_hot_max_size=9, **SMALL).fit(
        frame, frame["c"] == "a"
    )
    path = saved(model, tmp_path)
    document = json.loads(path.read_text())
    splits = [split for tree in document["oblivious_trees"] for split in tree["splits"]]
    next(split for split in splits if split["split_type"] == "OneHotFeature")["value"] = 5
    path.write_text(json.dumps(document))
    with pytest.raises(ModelFormatError, match="category 5 does not exist"):
        load(path)


def test_a_category_that_is_listed_twice(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"c": rng.integers(0, 4, 200)})
    model = cb.CatBoostClassifier(**SMALL, one_hot_max_size=9, cat_features=["c"]).fit(
        X, (X.c == 2).astype(int)
    )
    path = tmp_path / "model.json"
    model.save_model(path, format="json", pool=cb.Pool(X, cat_features=["c"]))
    stored = json.loads(path.read_text())
    values = stored["features_info"]["categorical_features"][0]["values"]
    values.append(values[0])
    path.write_text(json.dumps(stored))
    with pytest.raises(ModelFormatError, match="categorical_features 0: 'values' lists a category twice"):
        load(path)


@pytest.mark.parametrize(("kind", "what"), [("text_features", "text"), ("embedding_features", "embeddings")])
def test_features_that_are_no_columns_are_refused(problem, tmp_path, kind, what):
    feature = {"feature_index": 0, "flat_feature_index": 9, "feature_id": "story"}
    path = damaged(problem, tmp_path, "SymmetricTree", lambda d: d["features_info"].update({kind: [feature]}))
    with pytest.raises(UnsupportedModelError) as caught:
        load(path)
    assert f"uses {what} ('story'), which does not become a test on a single column." in str(caught.value)


@pytest.mark.parametrize("grow_policy", ["SymmetricTree", "Lossguide"])
def test_a_category_must_be_that_of_its_split(grow_policy, tmp_path):
    """CatBoost finds the split by its number alone, whatever the test says about feature and category."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=200), "c": rng.integers(0, 5, 200), "d": rng.integers(0, 3, 200)})
    y = (X.c == 2) ^ (X.d == 1) ^ (X.x > 1)
    options = {**SMALL, "one_hot_max_size": 9, "cat_features": ["c", "d"]}
    model = cb.CatBoostClassifier(grow_policy=grow_policy, **options).fit(X, y.astype(int))
    path = tmp_path / "model.json"
    model.save_model(path, format="json", pool=cb.Pool(X, cat_features=["c", "d"]))
    raw = model.predict(X, prediction_type="RawFormulaVal")
    np.testing.assert_allclose(load(path).scores(X)[:, 0], raw, rtol=1e-12)
    stored = json.loads(path.read_text())
    tests = [s for tree in stored.get("oblivious_trees", []) for s in tree["splits"]]
    nodes = list(stored.get("trees", []))
    for node in nodes:
        nodes += [node[side] for side in ("left", "right") if side in node]
    tests += [node["split"] for node in nodes if "split" in node]
    test = next(test for test in tests if test["split_type"] == "OneHotFeature")
    test["split_index"] += 1
    path.write_text(json.dumps(stored))
    with pytest.raises(ModelFormatError, match="its feature and category do not match its 'split_index'"):
        load(path)


def test_trees_without_the_weights_of_their_leaves(problem, tmp_path):
    path = damaged(problem, tmp_path, "SymmetricTree", lambda document: None)
    expected = load(path).predict(problem.X)
    document = json.loads(path.read_text())
    for tree in document["oblivious_trees"]:
        tree["leaf_weights"] = []
    path.write_text(json.dumps(document))
    np.testing.assert_array_equal(load(path).predict(problem.X), expected)
