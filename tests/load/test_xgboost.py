import json
import math
import re

import numpy as np
import pandas as pd
import pytest
import treelite
import xgboost as xgb
from boosted_tests import assert_same_scores, rows_at_tests
from library_versions import XGBOOST, dart, has
from sklearn.exceptions import NotFittedError
from sklearn.utils.fixes import parse_version

from fuzz.readers import seed
from sightline.exceptions import DataError, ModelFormatError, UnsupportedModelError
from sightline.load import ModelFile, _xgboost_trees, load, load_file

SMALL = {"n_estimators": 8, "max_depth": 4, "n_jobs": 1, "random_state": 0}
CODED = {"feature_types": ["q", "q", "q", "c", "q"], "enable_categorical": True, "max_cat_to_onehot": 2}


def check(model, rows, **options):
    ensemble = load(model)
    is_classifier = hasattr(model, "predict_proba")
    assert_same_scores(
        ensemble,
        rows,
        scores=lambda block: model.predict(block, output_margin=True),
        labels=model.predict,
        probabilities=model.predict_proba if is_classifier else None,
        **options,
    )
    return ensemble


def saved(model, tmp_path, kind="json"):
    path = tmp_path / f"model.{kind}"
    model.save_model(path)
    return path


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "how",
    [
        {},
        dart(rate_drop=0.4),
        {"tree_method": "exact", "gamma": 1.0},
        {"num_parallel_tree": 2, "subsample": 0.7},
        {"grow_policy": "lossguide", "max_leaves": 9, "max_depth": 0},
        {"base_score": 0.3},
    ],
    ids=lambda how: next(iter(how), "plain"),
)
def test_classifier(problem, n_classes, how):
    y = problem.labels(list(range(n_classes)))
    model = xgb.XGBClassifier(**{**SMALL, **how}).fit(problem.holes(problem.X), y)
    ensemble = check(model, problem.holes(problem.rows))
    assert ensemble.n_trees == len(model.get_booster().get_dump())


@pytest.mark.parametrize("objective", ["reg:squarederror", "reg:absoluteerror", "reg:pseudohubererror"])
def test_regressor(problem, objective):
    model = xgb.XGBRegressor(objective=objective, **SMALL).fit(problem.X, problem.number)
    check(model, problem.holes(problem.rows))


@pytest.mark.filterwarnings("ignore:.*is deprecated:FutureWarning")
@pytest.mark.parametrize("kind", [xgb.XGBRFClassifier, xgb.XGBRFRegressor])
def test_forests(problem, kind):
    check(kind(**SMALL).fit(problem.X, problem.labels([0, 1])), problem.rows)


def test_compares_in_single_precision_and_below():
    X = np.repeat([[0.0], [0.1]], 20, axis=0)
    model = xgb.XGBClassifier(n_estimators=1, min_child_weight=0, n_jobs=1).fit(X, [0] * 20 + [1] * 20)
    ensemble = check(model, X)
    condition = ensemble.core.trees[0].threshold[0]
    at = float(np.float32(model.get_booster().trees_to_dataframe()["Split"][0]))
    assert condition < at
    asked = np.array([[np.nextafter(at, -1)], [at], [float(np.nextafter(np.float32(at), np.float32(-1)))]])
    np.testing.assert_array_equal(ensemble.predict(asked), model.predict(asked))


@pytest.mark.parametrize("max_cat_to_onehot", [2, 100], ids=["partitions", "one-hot"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_categories_that_are_codes(problem, n_classes, max_cat_to_onehot):
    X = problem.X.copy()
    X[:, 3] += 3
    how = {**SMALL, **CODED, "max_cat_to_onehot": max_cat_to_onehot}
    model = xgb.XGBClassifier(**how).fit(X, problem.labels(list(range(n_classes))))
    rows = X.copy()
    rows[::5, 3] = 40
    rows[1::7, 3] = np.nan
    rows[2::7, 3] = 2.75
    ensemble = check(model, rows)
    feature = ensemble.schema.features[3]
    assert feature.coded == "down"
    assert feature.categories[-1] == "any other"
    for unseen in (-0.5, -1, -2, 16777215, 16777216, 1e30):
        rows[::5, 3] = unseen
        check(model, rows, special=False)


def test_names_of_categories_that_the_library_has_cut_must_be_given(tmp_path):
    names = ["Köln", "Rom", "Graz, Süd", "äb", "Ulm"]
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"city": pd.Categorical(rng.choice(names, 300), categories=names)})
    frame["n"] = rng.normal(size=300)
    y = (frame["city"].cat.codes % 2 + (frame["n"] > 0) > 1).astype(int)
    model = xgb.XGBClassifier(n_estimators=5, enable_categorical=True, max_cat_to_onehot=2).fit(frame, y)
    path = saved(model, tmp_path)
    sources = [(path, str(path))]
    if has(XGBOOST, "3.3"):
        assert (load(model).predict(frame) == model.predict(frame)).all()
        document = json.loads(path.read_text())
        path.write_text(json.dumps({**document, "version": [3, 2, 0]}))
    else:
        sources.append((model, "XGBClassifier"))
    for source, name in sources:
        with pytest.raises(UnsupportedModelError) as refused:
            load(source)
        assert str(refused.value) == (
            f"{name}: the 5 categories of 'city' are not all ASCII, and XGBoost up to version 3.2 stores "
            "those wrongly. Pass them in the order of the training frame: "
            "sl.load(model, categories={'city': [...]})."
        )
        with pytest.raises(UnsupportedModelError, match="the 5 categories of 'city'"):
            load(source, categories={"city": names[:4]})
        with pytest.raises(
            UnsupportedModelError, match=r"or are in a different order\. Pass those of the training"
        ):
            load(source, categories={"city": sorted(names)})
        for categories in ({"city": names}, frame):
            ensemble = load(source, categories=categories)
            assert (ensemble.predict(frame) == model.predict(frame)).all()


def test_frames_need_the_categories_that_older_versions_do_not_store(problem, tmp_path):
    frame = pd.DataFrame(problem.X, columns=list("pqrst"))
    strings = np.array(["b", "", "a"])[np.abs(problem.X[:, 3]).astype(int) % 3]
    numbers = np.array([5, 70, 10])[np.arange(len(frame)) % 3]
    frame["s"] = pd.Categorical(strings, categories=["b", "a", ""])
    frame["t"] = pd.Categorical(numbers)
    # Both columns matter, by their last codes too: the trees test them.
    y = (problem.X[:, 0] > 0).astype(int) + (strings == "") + (numbers == 70) > 1
    model = xgb.XGBClassifier(enable_categorical=True, **SMALL).fit(frame, y)
    path = saved(model, tmp_path)
    document = json.loads(path.read_text())
    document["learner"]["gradient_booster"]["model"].pop("cats", None)
    document["version"] = [3, 0, 5]
    path.write_text(json.dumps(document))
    expected = model.predict(frame, output_margin=True)
    ensemble = load(path)
    as_codes = frame.assign(s=frame["s"].cat.codes, t=frame["t"].cat.codes)
    np.testing.assert_array_equal(ensemble.scores(as_codes)[:, 0], expected)
    for rows in (frame, as_codes.assign(t=frame["t"]), as_codes.assign(s=frame["s"].astype(str))):
        with pytest.raises(
            DataError, match=r"^Column '[st]' holds categories, but .* knows only codes of them"
        ):
            ensemble.predict(rows)
    for categories in ({"s": ["b", "a", ""], "t": [5, 10, 70]}, frame):
        named = load(path, categories=categories)
        np.testing.assert_array_equal(named.scores(frame)[:, 0], expected)
        assert named.schema.features[3].categories == ("b", "a", "")
    for categories in ({"s": ["b"]}, {"t": [5]}):
        with pytest.raises(ModelFormatError, match=r"category \d does not exist \(there are 1\)"):
            load(path, categories=categories)
    with pytest.raises(UnsupportedModelError, match="the categories given for 's' hold a value twice"):
        load(path, categories={"s": ["b", "a", "b"]})


@pytest.mark.parametrize("max_cat_to_onehot", [2, 100], ids=["partitions", "one-hot"])
def test_categories_of_a_frame(problem, tmp_path, max_cat_to_onehot):
    frame = pd.DataFrame(problem.X, columns=list("pqrst"))
    strings = np.array(["a", "", "zz", "b c"])[(np.abs(problem.X[:, 3]).astype(int))]
    frame["s"] = pd.Categorical(strings)
    frame["t"] = pd.Categorical(np.array([5, 70, 10])[problem.X[:, 3].astype(int) % 3])
    model = xgb.XGBClassifier(enable_categorical=True, max_cat_to_onehot=max_cat_to_onehot, **SMALL)
    model.fit(frame, problem.labels([0, 1]))
    frame.loc[::7, "s"] = None
    ensemble = check(model, frame, special=False)
    assert ensemble.feature_names == list("pqrst")
    assert ensemble.schema.features[3].categories == ("", "a", "b c", "zz")
    assert ensemble.schema.features[4].categories == (5, 10, 70)
    for kind in ("json", "ubj"):
        assert load(saved(model, tmp_path, kind)).to_json() == ensemble.to_json()
    # Categories go by their values, in whatever order or number a frame declares them.
    declared = frame.copy()
    declared["s"] = frame["s"].cat.reorder_categories(["zz", "b c", "a", ""])
    check(model, declared, special=False)
    few = frame[frame["s"].isin(["zz", "a"]) | frame["s"].isna()].copy()
    few["s"] = few["s"].cat.remove_unused_categories()
    check(model, few, special=False)
    # The library means to refuse a category that it has not seen, and does so behind the last one it
    # knows (3.2 takes others for the next one in their order); here each counts as missing.
    unseen, missing = frame.copy(), frame.copy()
    unseen["s"] = pd.Categorical(["new"] * len(frame))
    with pytest.raises(xgb.core.XGBoostError, match="not in the training set"):
        model.predict(unseen.assign(s=pd.Categorical(["zzz"] * len(frame))))
    missing["s"] = pd.Categorical([None] * len(frame), categories=["a"])
    np.testing.assert_array_equal(ensemble.scores(unseen), ensemble.scores(missing))


@pytest.mark.parametrize("kind", ["json", "ubj"])
@pytest.mark.parametrize("how", [{}, dart(rate_drop=0.4), CODED], ids=["gbtree", "dart", "codes"])
def test_files_equal_objects(problem, tmp_path, kind, how):
    X = problem.X.copy()
    X[:, 3] += 3
    model = xgb.XGBClassifier(**SMALL, **how).fit(X, problem.labels([0, 1, 2]))
    path = saved(model, tmp_path, kind).rename(tmp_path / "no extension tells")
    from_file = load(path)
    assert from_file.to_json() == load(model).to_json() == load(model.get_booster()).to_json()
    assert load(str(path)).classes_.tolist() == [0, 1, 2]


def test_early_stopping_ends_at_the_best_iteration(problem, tmp_path):
    y = problem.labels([0, 1, 2])
    model = xgb.XGBClassifier(
        n_estimators=60,
        max_depth=3,
        early_stopping_rounds=3,
        learning_rate=0.9,
        num_parallel_tree=2,
        n_jobs=1,
    )
    model.fit(
        problem.X,
        y,
        eval_set=[(problem.X[::3], problem.labels([0, 1, 2])[::-3][: len(y[::3])])],
        verbose=False,
    )
    assert model.best_iteration + 1 < model.get_booster().num_boosted_rounds()
    ensemble = check(model, problem.rows)
    assert ensemble.n_trees == 6 * (model.best_iteration + 1)
    assert load(saved(model, tmp_path)).n_trees == ensemble.n_trees
    model.get_booster().save_model(tmp_path / "booster.json")
    assert load(tmp_path / "booster.json").n_trees == len(model.get_booster().get_dump())


@pytest.mark.parametrize("kind", ["json", "ubj"])
def test_trees_read_a_few_at_a_time_are_the_same(problem, tmp_path, monkeypatch, kind):
    """Large models are read in parts; an error counts the trees of the whole."""
    X = problem.X.copy()
    X[:, 3] += 3
    path = saved(xgb.XGBClassifier(**SMALL, **CODED).fit(X, problem.labels([0, 1])), tmp_path, kind)
    whole = load(path)
    monkeypatch.setattr(_xgboost_trees, "_NODES_AT_ONCE", 1)
    assert load(path).to_json() == whole.to_json()

    def change(document):
        document["learner"]["gradient_booster"]["model"]["trees"][5]["left_children"][0] = 10**6

    if kind == "json":
        document = json.loads(path.read_text())
        change(document)
        path.write_text(json.dumps(document))
        with pytest.raises(ModelFormatError, match="tree 5: node 0: child 1000000 does not exist"):
            load(path)


def test_names_and_coverage_come_along(problem):
    frame = pd.DataFrame(problem.X, columns=['a"b', "c,d", "{e}", "f", "g"])
    model = xgb.XGBClassifier(**SMALL).fit(frame, problem.labels([0, 1]))
    ensemble = check(model, frame, special=False)
    assert ensemble.feature_names == list(frame.columns)
    cover = model.get_booster().trees_to_dataframe().query("Tree == 0")["Cover"]
    np.testing.assert_allclose(sorted(ensemble.core.trees[0].weight), sorted(cover), rtol=1e-6)


def test_inner_nodes_say_what_their_leaves_say_on_average(problem):
    tree = load(xgb.XGBClassifier(**SMALL).fit(problem.X, problem.labels([0, 1]))).core.trees[0]
    for node in np.flatnonzero(tree.test):
        one, other = tree.child[tree.branch_begin[node] : tree.branch_begin[node] + 2]
        weights = tree.weight[[one, other]]
        mean = np.average(tree.output[[one, other], 0], weights=weights)
        assert tree.output[node, 0] == pytest.approx(mean)


def test_treelite_agrees(problem, tmp_path):
    model = xgb.XGBClassifier(**SMALL).fit(problem.X, problem.labels([0, 1, 2]))
    ensemble = load(model)
    rows = rows_at_tests(ensemble, problem.rows).astype(np.float32)
    oracle = treelite.gtil.predict(treelite.frontend.load_xgboost_model(saved(model, tmp_path)), rows)
    np.testing.assert_allclose(ensemble.predict_proba(rows), oracle.reshape(len(rows), 3), atol=1e-6)


@pytest.mark.filterwarnings("ignore:.*gblinear.* is deprecated")
def test_what_is_refused(problem):
    y = problem.labels([0, 1])

    def message(model):
        with pytest.raises(UnsupportedModelError) as caught:
            load(model)
        return str(caught.value)

    with pytest.raises(NotFittedError, match="This XGBClassifier is not fitted"):
        load(xgb.XGBClassifier())
    assert message(xgb.XGBClassifier(missing=0.0, **SMALL).fit(problem.X, y)) == (
        "XGBClassifier: treats 0.0 as missing. Supported: NaN. Replace it with NaN in the rows, "
        "and load the Booster: sl.load(model.get_booster())."
    )
    assert message(xgb.XGBRegressor(booster="gblinear", n_estimators=2, n_jobs=1).fit(problem.X, y)) == (
        "XGBRegressor: a 'gblinear' booster has no trees. sl.BlackBox takes any model."
    )
    model = xgb.XGBRegressor(objective="count:poisson", **SMALL).fit(problem.X, y)
    stored = json.loads(bytes(model.get_booster().save_raw("json")))
    stored["learner"]["objective"]["name"] = "reg:new"
    with pytest.raises(UnsupportedModelError) as caught:
        load_file(ModelFile("m", json.dumps(stored).encode()))
    assert str(caught.value) == (
        "m: the objective 'reg:new' is not supported. Supported: binary:hinge, binary:logistic, "
        "binary:logitraw, count:poisson, multi:softmax, multi:softprob, reg:absoluteerror, reg:gamma, "
        "reg:linear, reg:logistic, reg:pseudohubererror, reg:quantileerror, reg:squarederror, "
        "reg:squaredlogerror, reg:tweedie, survival:aft, survival:cox."
    )
    own = xgb.XGBRegressor(objective=lambda y, found: (found - y, np.ones_like(y)), **SMALL)
    assert message(own.fit(problem.X, y)).startswith("XGBRegressor: has the custom objective <function ")
    two = np.column_stack([problem.number, problem.number])
    assert message(xgb.XGBRegressor(**SMALL).fit(problem.X, two)) == (
        "XGBRegressor: has 2 outputs per row. Supported: 1."
    )


def damaged(problem, tmp_path, change):
    model = xgb.XGBClassifier(**SMALL, **CODED).fit(np.abs(problem.X), np.abs(problem.X[:, 3]) % 2)
    path = saved(model, tmp_path)
    document = json.loads(path.read_text())
    learner = document["learner"]
    change(learner, learner["gradient_booster"]["model"]["trees"][2])
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda _, tree: tree["left_children"].__setitem__(0, 10**6),
            "tree 2: node 0: child 1000000 does not exist",
        ),
        (
            lambda _, tree: tree["left_children"].__setitem__(0, 2**40),
            "tree 2: node 0: child 2147483647 does not",
        ),
        (
            lambda _, tree: tree["right_children"].__setitem__(0, -7),
            "tree 2: node 0: child -7 does not exist",
        ),
        (
            lambda _, tree: tree["left_children"].__setitem__(0, 0),
            "tree 2: node 0: child 0 is reached a second time",
        ),
        (
            lambda _, tree: tree["split_indices"].__setitem__(0, 99),
            "tree 2: node 0: its set of categories does not exist",
        ),
        (lambda _, tree: tree["split_conditions"].pop(), "tree 2: 'split_conditions' has "),
        (lambda _, tree: tree["split_conditions"].__setitem__(-1, 1e39), "the output is not finite."),
        (lambda _, tree: tree["sum_hessian"].__setitem__(0, -1), "tree 2: node 0: the weight must be finite"),
        (
            lambda _, tree: tree["default_left"].__setitem__(0, 2),
            "tree 2: 'default_left' must only hold 0 and 1.",
        ),
        (
            lambda _, tree: tree["split_type"].__setitem__(0, 5),
            "tree 2: 'split_type' must only hold 0 and 1.",
        ),
        (
            lambda _, tree: tree["tree_param"].__setitem__("num_nodes", "x"),
            "'num_nodes' must be a whole number",
        ),
        (
            lambda _, tree: tree["categories_sizes"].__setitem__(0, 9999),
            "'categories_segments' point outside",
        ),
        (lambda _, tree: tree.pop("right_children"), "tree 2: 'right_children' is missing."),
        (lambda _, tree: tree.__setitem__("id", 3), "tree 2: 'id' must be 2."),
        (
            lambda learner, _: learner["gradient_booster"]["model"]["trees"].pop(),
            "8 trees are declared, but 7 are stored.",
        ),
        (
            lambda learner, _: learner["gradient_booster"]["model"]["tree_info"].__setitem__(0, 4),
            "'tree_info' must",
        ),
        (
            lambda learner, _: learner["gradient_booster"]["model"]["iteration_indptr"].__setitem__(0, 2),
            "'iteration_indptr' must ascend from 0 to 8",
        ),
        (
            lambda learner, _: learner["learner_model_param"].__setitem__("base_score", "[2]"),
            "between 0 and 1.",
        ),
        (
            lambda learner, _: learner["learner_model_param"].__setitem__("base_score", "x"),
            "'base_score' must be numb",
        ),
        (
            lambda learner, _: learner.__setitem__("feature_types", ["q"]),
            "'feature_types' has 1 entries for 5",
        ),
        (lambda learner, _: learner.__setitem__("feature_names", ["a"] * 5), "Two columns have the name 'a'"),
        (lambda learner, _: learner.__setitem__("objective", 3), "learner: objective: must be an object."),
        (
            lambda learner, _: learner.__setitem__("feature_names", ["a"]),
            "'feature_names' has 1 entries for 5",
        ),
        (lambda learner, _: learner.__setitem__("feature_names", 3), "'feature_names' must be an array."),
        (lambda learner, _: learner.__setitem__("feature_names", [3]), "must be an array of strings."),
        (
            lambda learner, _: learner["learner_model_param"].__setitem__("base_score", "[0.5,0.5]"),
            "'base_score' has 2 entries instead of 1.",
        ),
        (
            lambda learner, _: learner["attributes"].__setitem__("best_iteration", "99"),
            "'best_iteration' does not exist.",
        ),
        (
            lambda _, tree: tree["categories"].__setitem__(0, 2**24),
            "tree 2: 'categories' must be from 0 to 16777215.",
        ),
    ],
)
def test_damaged_documents(problem, tmp_path, change, message):
    path = damaged(problem, tmp_path, change)
    with pytest.raises(ModelFormatError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


def test_nan_is_refused_unless_a_test_lists_categories(problem, tmp_path):
    path = saved(xgb.XGBClassifier(**SMALL).fit(problem.X, problem.labels([0, 1])), tmp_path)
    document = json.loads(path.read_text())
    tree = document["learner"]["gradient_booster"]["model"]["trees"][2]
    stored = tree["split_conditions"]
    for node, message in (0, "the threshold is not a finite number"), (-1, "the output is not finite"):
        tree["split_conditions"] = [*stored]
        tree["split_conditions"][node] = np.nan
        path.write_text(json.dumps(document))
        with pytest.raises(ModelFormatError, match=rf"tree 2: node \d+: {message}"):
            load(path)


def test_flags_may_be_true_and_false(problem, tmp_path):
    plain = damaged(problem, tmp_path, lambda *_: None)
    expected = load(plain).to_json()

    def as_booleans(_, tree):
        tree["default_left"] = [flag == 1 for flag in tree["default_left"]]

    assert load(damaged(problem, tmp_path, as_booleans)).to_json() == expected


def test_leaves_with_several_numbers_are_refused(problem, tmp_path):
    path = damaged(problem, tmp_path, lambda _, tree: tree["tree_param"].update(size_leaf_vector="3"))
    with pytest.raises(UnsupportedModelError, match="tree 2: has leaves with several numbers"):
        load(path)


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        ([{}], "'enc' has 1 entries for 5 features."),
        ([{"offsets": [0, 9], "values": [97]}], "feature 0: the strings do not match their 'offsets'."),
        ([{"offsets": [0, 1], "values": [255]}], "feature 0: a category is not UTF-8."),
        ([{"offsets": [0, 1, 2], "values": [97, 97]}], "feature 0: a category occurs twice."),
        ([{"values": [[97], [97]]}], "feature 0: 'values' must be numbers, or have 'offsets'."),
    ],
    ids=range(5),
)
def test_damaged_categories(problem, tmp_path, stored, message):
    path = saved(xgb.XGBClassifier(**SMALL).fit(problem.X, problem.labels([0, 1])), tmp_path)
    document = json.loads(path.read_text())
    rest = [{}] * 4 if len(stored[0]) else []
    document["learner"]["gradient_booster"]["model"]["cats"] = {"enc": stored + rest}
    document["version"] = [3, 3, 0]
    path.write_text(json.dumps(document))
    with pytest.raises(ModelFormatError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


def test_a_base_of_counts_must_be_positive(problem, tmp_path):
    model = xgb.XGBRegressor(**SMALL, objective="count:poisson").fit(problem.X, np.abs(problem.X[:, 0]))
    path = saved(model, tmp_path)
    document = json.loads(path.read_text())
    document["learner"]["learner_model_param"]["base_score"] = "0"
    path.write_text(json.dumps(document))
    with pytest.raises(ModelFormatError, match="'base_score' must be positive"):
        load(path)


def test_weights_of_trees_are_read_where_newer_versions_store_them(problem, tmp_path):
    model = xgb.XGBRegressor(**SMALL, base_score=0.5).fit(problem.X, problem.number)
    path = saved(model, tmp_path)
    document = json.loads(path.read_text())
    stored = document["learner"]["gradient_booster"]["model"]
    stored["weight_drop"] = [1.0, 0.5, 0.25, *[0.7] * (len(stored["trees"]) - 3)]
    path.write_text(json.dumps(document))
    leaves = model.get_booster().predict(xgb.DMatrix(problem.rows), pred_leaf=True).astype(int)
    expected = np.full(len(problem.rows), 0.5, np.float32)
    for tree, weight, leaf in zip(stored["trees"], stored["weight_drop"], leaves.T, strict=True):
        expected += np.array(tree["split_conditions"], np.float32)[leaf] * np.float32(weight)
    np.testing.assert_array_equal(load(path).scores(problem.rows)[:, 0], expected)


@pytest.mark.parametrize("missing_goes_left", [True, False])
def test_tests_for_a_missing_value(problem, tmp_path, missing_goes_left):
    model = xgb.XGBRegressor(**SMALL).fit(problem.holes(problem.X), problem.number)
    path = saved(model, tmp_path)
    document = json.loads(path.read_text())
    for tree in document["learner"]["gradient_booster"]["model"]["trees"]:
        tree["split_conditions"][0] = -math.inf
        tree["default_left"][0] = int(missing_goes_left)
    path.write_text(json.dumps(document))
    expected = xgb.Booster(model_file=path)
    expected.save_model(path.with_suffix(".ubj"))
    rows = problem.holes(problem.rows)
    rows[:3] = [[-math.inf], [math.inf], [-np.finfo(np.float64).max]]
    scores = expected.inplace_predict(rows, predict_type="margin")
    for file in (path, path.with_suffix(".ubj")):
        np.testing.assert_array_equal(load(file).scores(rows)[:, 0], scores)


def test_thresholds_of_categories_do_not_matter(problem, tmp_path):
    X = problem.X.copy()
    X[:, 3] += 3
    model = xgb.XGBClassifier(**SMALL, **CODED).fit(X, problem.labels([0, 1]))
    path = saved(model, tmp_path)
    expected = load(path).scores(X)
    document = json.loads(path.read_text())
    trees = document["learner"]["gradient_booster"]["model"]["trees"]
    assert any(any(tree["split_type"]) for tree in trees)
    for tree in trees:
        for node, (is_subset, left) in enumerate(zip(tree["split_type"], tree["left_children"], strict=True)):
            if is_subset and left >= 0:
                tree["split_conditions"][node] = -math.inf
    path.write_text(json.dumps(document))
    np.testing.assert_array_equal(load(path).scores(X), expected)


def test_infinite_thresholds_are_refused(problem, tmp_path):
    path = saved(xgb.XGBRegressor(**SMALL).fit(problem.X, problem.number), tmp_path)
    document = json.loads(path.read_text())
    document["learner"]["gradient_booster"]["model"]["trees"][0]["split_conditions"][0] = math.inf
    path.write_text(json.dumps(document))
    with pytest.raises(ModelFormatError, match="is not valid JSON"):
        load(path)


def test_members_of_newer_versions_are_refused_by_name(problem, tmp_path):
    path = saved(xgb.XGBRegressor(**SMALL).fit(problem.X, problem.number), tmp_path)
    document = json.loads(path.read_text())
    document["version"] = [3, 9, 0]
    document["learner"]["gradient_booster"]["model"]["tree_bias"] = [0.0]
    path.write_text(json.dumps(document))
    with pytest.raises(UnsupportedModelError) as refused:
        load(path)
    assert str(refused.value) == (
        f"{path}: was written by XGBoost 3.9.0, and its model has 'tree_bias', which this version of "
        "Sightline does not know. Install a newer Sightline."
    )


def test_weights_of_dropped_trees_must_be_complete(problem, tmp_path):
    model = xgb.XGBRegressor(**SMALL, **dart(rate_drop=0.4)).fit(problem.X, problem.X[:, 0])
    path = saved(model, tmp_path)
    document = json.loads(path.read_text())
    booster = document["learner"]["gradient_booster"]
    (booster if booster["name"] == "dart" else booster["model"])["weight_drop"].pop()
    path.write_text(json.dumps(document))
    with pytest.raises(ModelFormatError, match="'weight_drop' has 7 entries for 8 trees"):
        load(path)


def test_unknown_versions_are_refused(problem, tmp_path):
    path = saved(xgb.XGBClassifier(**SMALL).fit(problem.X, problem.labels([0, 1])), tmp_path)
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": [99, 0, 0]}))
    with pytest.raises(UnsupportedModelError) as caught:
        load(path)
    assert str(caught.value) == f"{path}: was written by XGBoost 99.0.0. Supported: versions 1 to 3."


@pytest.mark.parametrize("base", [0.148, 0.491, 0.498, 0.74])
def test_the_base_is_the_logarithm_of_c_in_single_precision(base, problem):
    # Rounding the double logarithm would be off by one unit in the last place.
    check(xgb.XGBClassifier(base_score=base, **SMALL).fit(problem.X, problem.labels([0, 1])), problem.rows)


def test_a_base_beyond_single_precision_is_refused(problem, tmp_path):
    def change(learner, tree):
        learner["learner_model_param"]["base_score"] = "1E60"

    with pytest.raises(ModelFormatError, match="'base_score' must be finite in single precision"):
        load(damaged(problem, tmp_path, change))


def of_version_3_1(problem, tmp_path, base):
    def change(learner, tree):
        learner["learner_model_param"]["base_score"] = base

    path = damaged(problem, tmp_path, change)
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": [3, 1, 0]}))
    return path


@pytest.mark.parametrize("base", ["1E-39", "1E-45", "2.9387359E-39"])
def test_a_base_whose_margin_is_infinite_is_refused(base, problem, tmp_path):
    with pytest.raises(ModelFormatError, match="'base_score' is so close to 0 that XGBoost's margin before"):
        load(of_version_3_1(problem, tmp_path, base))


def test_the_smallest_base_with_a_finite_margin_is_read(problem, tmp_path):
    path = of_version_3_1(problem, tmp_path, "2.938737E-39")
    assert np.isfinite(load(path).core.base).all()


@pytest.mark.parametrize("base", [1e-30, 1e-7, 1e-6, 1 - 1e-7, None], ids=str)
@pytest.mark.parametrize("objective", ["binary:logistic", "reg:logistic"])
def test_a_base_close_to_0_or_1_is_limited(objective, base, problem):
    """Without a base, it is the mean of the labels, which are all the same here."""
    for labels in (problem.labels([0, 1]),) if base else (np.zeros(160), np.ones(160)):
        options = {"objective": objective, "nthread": 1, "base_score": base}
        rows = xgb.DMatrix(problem.X, labels)
        if base is None and parse_version(xgb.__version__) < parse_version("3.2"):
            with pytest.raises(xgb.core.XGBoostError, match=r"base_score must be in \(0,1\)"):
                xgb.train(options, rows, 2)
            continue
        model = xgb.train(options, rows, 2)
        expected = model.predict(xgb.DMatrix(problem.rows), output_margin=True)
        np.testing.assert_array_equal(load(model).scores(problem.rows)[:, 0], expected)


@pytest.mark.parametrize(
    ("kind", "objective", "predicted"),
    [(xgb.XGBClassifier, "reg:squarederror", "classes"), (xgb.XGBRegressor, "binary:logistic", "numbers")],
)
def test_an_objective_of_another_kind_is_refused(problem, kind, objective, predicted, tmp_path):
    model = kind(objective=objective, **SMALL).fit(problem.X, problem.labels([0, 1]))
    path = tmp_path / "model.json"
    model.save_model(path)
    boosters = {"model.get_booster()": model, f"xgboost.Booster(model_file={str(path)!r})": path}
    for booster, source in boosters.items():
        with pytest.raises(UnsupportedModelError) as caught:
            load(source)
        assert f"but the estimator predicts {predicted}, which is not supported." in str(caught.value)
        assert str(caught.value).endswith(f"Load its Booster instead: sl.load({booster}).")
    assert load(model.get_booster()).n_trees == SMALL["n_estimators"]
    assert load(xgb.Booster(model_file=path)).n_trees == SMALL["n_estimators"]


@pytest.mark.parametrize("stored", ["no JSON", "[]", "{}", '{"_estimator_type": "ranker"}'])
def test_what_an_estimator_stores_about_itself_may_be_anything(problem, stored, tmp_path):
    model = xgb.XGBClassifier(**SMALL).fit(problem.X, problem.labels([0, 1]))
    model.get_booster().set_attr(scikit_learn=stored)
    path = tmp_path / "model.ubj"
    model.get_booster().save_model(path)
    np.testing.assert_array_equal(load(path).predict(problem.X), model.predict(problem.X))


def test_categories_of_one_node_twice(problem, tmp_path):
    def change(_, tree):
        tree["categories_nodes"] = [0, 0]
        tree["categories_segments"] = tree["categories_sizes"] = [0, 0]

    path = damaged(problem, tmp_path, change)
    with pytest.raises(ModelFormatError) as caught:
        load(path)
    assert str(caught.value) == f"{path}: tree 2: 'categories_nodes' must be different nodes."


def test_parameters_that_contradict_the_trees_are_refused(problem):
    X, y = problem.X, problem.labels([0, 1, 2])
    model = xgb.XGBClassifier(n_estimators=2, n_jobs=1).fit(X, y)
    model.set_params(objective="binary:logistic", base_score=2.0)
    with pytest.raises(
        ModelFormatError, match=r"^XGBClassifier: XGBoost itself cannot save it \(base_score "
    ):
        load(model)


def test_classes_of_the_booster_that_differ_from_those_of_the_estimator_are_refused(problem):
    """XGBoost changes the objective along with the number of classes, but its estimator does not."""
    X, y = problem.X, problem.labels([0, 1])
    model = xgb.XGBClassifier(n_estimators=2, n_jobs=1).fit(X, y)
    model.get_booster().set_param({"num_class": 3})
    with pytest.raises(ModelFormatError) as caught:
        load(model)
    assert str(caught.value) == (
        "XGBClassifier: was fitted to 2 classes, but its Booster has 3. Fit it again."
    )
    assert load(model.get_booster()).n_classes == 3


WIDTHS = {"U": ">u1", "i": ">i1", "I": ">i2", "l": ">i4", "L": ">i8", "d": ">f4", "D": ">f8"}


def with_arrays_of(content, new):
    """Return a UBJSON file whose arrays have another type, where it holds all of their numbers."""
    result, at = b"", 0
    for found in re.finditer(rb"\[\$([UiIlLdD])#L(.{8})", content, re.DOTALL):
        dtype = np.dtype(WIDTHS[found[1].decode()])
        numbers = np.frombuffer(content, dtype, int.from_bytes(found[2]), found.end())
        converted = numbers.astype(WIDTHS[new])
        if found.start() >= at and (converted == numbers).all():
            result += (
                content[at : found.start()] + b"[$" + new.encode() + b"#L" + found[2] + converted.tobytes()
            )
            at = found.end() + numbers.nbytes
    return result + content[at:]


@pytest.mark.parametrize("new", WIDTHS)
def test_arrays_of_every_type_of_ubjson(new):
    """The library itself writes bytes, whole numbers of 4 and 8 bytes, and single precision."""
    content = seed("xgboost.ubj").read_bytes()
    changed = with_arrays_of(content, new)
    assert b"[$" + new.encode() + b"#L" in changed
    expected = load_file(ModelFile("m", content)).to_json()
    if new in "dD":
        # Whole numbers stay whole.
        with pytest.raises(ModelFormatError, match="must be an array of whole numbers"):
            load_file(ModelFile("m", changed))
    else:
        assert load_file(ModelFile("m", changed)).to_json() == expected
