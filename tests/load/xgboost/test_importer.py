import json

import numpy as np
import pandas as pd
import pytest
import treelite
import xgboost as xgb
from boosted_tests import assert_same_scores, rows_at_tests
from library_versions import XGBOOST, dart, has
from sklearn.utils.fixes import parse_version

from sightline.exceptions import DataError, ModelFormatError, UnsupportedModelError
from sightline.load import ModelFile, UnfittedModelError, load, load_file
from sightline.load.xgboost import _trees as xgboost_trees

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
    monkeypatch.setattr(xgboost_trees, "_NODES_AT_ONCE", 1)
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

    with pytest.raises(UnfittedModelError, match="This XGBClassifier is not fitted"):
        load(xgb.XGBClassifier())
    assert message(xgb.XGBClassifier(missing=0.0, **SMALL).fit(problem.X, y)) == (
        "XGBClassifier: treats 0.0 as missing. Supported: NaN. Replace it with NaN in the rows, "
        "and load the Booster: sl.load(model.get_booster())."
    )
    assert message(xgb.XGBClassifier(missing=None, **SMALL).fit(problem.X, y)).startswith(
        "XGBClassifier: treats None as missing. Supported: NaN."
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


@pytest.mark.parametrize("base", [0.148, 0.491, 0.498, 0.74])
def test_the_base_is_the_logarithm_of_c_in_single_precision(base, problem):
    # Rounding the double logarithm would be off by one unit in the last place.
    check(xgb.XGBClassifier(base_score=base, **SMALL).fit(problem.X, problem.labels([0, 1])), problem.rows)


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


def test_rows_of_one_class(problem):
    # XGBoost 2 would start from the share of the class 1, which is 0, and refuse it.
    model = xgb.XGBClassifier(n_estimators=2, base_score=0.5).fit(problem.X, [0] * len(problem.X))
    with pytest.raises(UnsupportedModelError) as caught:
        load(model)
    assert str(caught.value) == (
        "XGBClassifier: all training rows have the class 0, so there is nothing to explain."
    )
