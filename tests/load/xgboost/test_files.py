"""Files of XGBoost that are damaged, unusual, or of another version than the one installed."""

import json
import math
import re

import numpy as np
import pytest
import xgboost as xgb
from library_versions import dart

from fuzz.readers import seed
from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load import ModelFile, load, load_file

SMALL = {"n_estimators": 8, "max_depth": 4, "n_jobs": 1, "random_state": 0}
CODED = {"feature_types": ["q", "q", "q", "c", "q"], "enable_categorical": True, "max_cat_to_onehot": 2}


def saved(model, tmp_path):
    path = tmp_path / "model.json"
    model.save_model(path)
    return path


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
