import json

import lightgbm as lgb
import numpy as np
import pandas as pd
import pytest
import treelite
from boosted_tests import assert_same_scores, rows_at_tests

from fuzz.readers import seed
from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load import UnfittedModelError, load
from sightline.load.lightgbm import _zero_as_missing

SMALL = {
    "n_estimators": 6,
    "num_leaves": 9,
    "min_child_samples": 4,
    "verbose": -1,
    "n_jobs": 1,
    "random_state": 0,
}
CODED = {"min_data_per_group": 2, "cat_smooth": 1, "max_cat_to_onehot": 1}
# The library names its columns itself, and then warns that rows come without names.
pytestmark = [
    pytest.mark.filterwarnings("ignore:X does not have valid feature names"),
    pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated"),
]


def check(model, rows, **options):
    ensemble = load(model)
    is_classifier = hasattr(model, "predict_proba")
    assert_same_scores(
        ensemble,
        rows,
        scores=lambda block: model.predict(block, raw_score=True),
        labels=model.predict if is_classifier else None,
        probabilities=model.predict_proba if is_classifier else None,
        **options,
    )
    return ensemble


def saved(model, tmp_path):
    """Return the text and the JSON dump of a model."""
    text, dump = tmp_path / "text", tmp_path / "dump"
    model.booster_.save_model(text)
    dump.write_text(json.dumps(model.booster_.dump_model()))
    return text, dump


@pytest.mark.parametrize("holes", [False, True], ids=["whole", "holes"])
@pytest.mark.parametrize(
    "how",
    [
        {},
        {"zero_as_missing": True},
        {"use_missing": False},
        {"boosting_type": "dart"},
        {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.5},
        {"sigmoid": 0.7},
    ],
    ids=lambda how: next(iter(how), "plain"),
)
def test_classifier(problem, values, how, holes, tmp_path):
    X, rows = (problem.holes(t) if holes else t.copy() for t in (problem.X, problem.rows))
    X[::4, 1] = 0
    model = lgb.LGBMClassifier(**SMALL, **how).fit(X, problem.labels(values))
    ensemble = check(model, rows)
    np.testing.assert_array_equal(ensemble.classes_, model.classes_)
    at_tests = rows_at_tests(ensemble, rows)
    for path in saved(model, tmp_path):
        from_file = load(path)
        assert from_file.classes_.tolist() == list(range(len(values)))
        np.testing.assert_array_equal(from_file.scores(at_tests), ensemble.scores(at_tests))


@pytest.mark.parametrize("objective", ["regression", "regression_l1", "huber", "fair", "quantile", "mape"])
def test_regressor(problem, objective):
    model = lgb.LGBMRegressor(objective=objective, **SMALL).fit(problem.X, problem.number)
    ensemble = check(model, problem.holes(problem.rows))
    np.testing.assert_array_equal(ensemble.predict(problem.rows), model.predict(problem.rows))


def test_forests_divide_by_the_number_of_iterations(problem):
    model = lgb.LGBMRegressor(boosting_type="rf", bagging_freq=1, bagging_fraction=0.5, **SMALL)
    model.fit(problem.X, problem.number)
    np.testing.assert_array_equal(load(model).predict(problem.rows), model.predict(problem.rows))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_categories_that_are_codes(problem, n_classes, tmp_path):
    X = problem.X.copy()
    X[:, 3] += 3
    model = lgb.LGBMClassifier(**SMALL, **CODED)
    y = np.isin(X[:, 3], [1, 4]) * (n_classes - 1) + (X[:, 0] > 0)
    model.fit(X, np.minimum(y, n_classes - 1), categorical_feature=[3])
    rows = X.copy()
    rows[::5, 3], rows[1::7, 3], rows[2::7, 3], rows[3::7, 3] = 40, np.nan, 2.75, -2
    ensemble = check(model, rows)
    assert ensemble.schema.features[3].coded == "to zero"
    for path in saved(model, tmp_path):
        assert load(path).schema == ensemble.schema
        np.testing.assert_array_equal(load(path).scores(rows), ensemble.scores(rows))
    rows[::5, 3] = -0.5
    check(model, rows, special=False)


def test_categories_of_a_frame(problem, tmp_path):
    frame = pd.DataFrame(problem.X, columns=list("pqrst"))
    strings = np.array(["a", "", "zz", "é", "b", "c", "d"])[(problem.X[:, 3] + 3).astype(int)]
    frame["s"] = pd.Categorical(strings)
    frame["t"] = pd.Categorical(np.array([5, 70, 10])[problem.X[:, 3].astype(int) % 3])
    model = lgb.LGBMClassifier(**SMALL, **CODED).fit(frame, problem.labels(["no", "yes"]))
    frame.loc[::7, "s"] = None
    ensemble = check(model, frame, special=False)
    assert ensemble.schema.features[3].categories == ("", "a", "b", "c", "d", "zz", "é")
    assert ensemble.schema.features[4].categories == (5, 10, 70)
    for path in saved(model, tmp_path):
        assert load(path).schema == ensemble.schema
    unseen = frame.copy()
    unseen["s"] = pd.Categorical(["new"] * len(frame))
    check(model, unseen, special=False)
    declared = frame.copy()
    declared["s"] = frame["s"].cat.reorder_categories(["zz", "é", "d", "c", "b", "a", ""])
    check(model, declared, special=False)


def test_names_and_coverage_come_along(problem):
    frame = pd.DataFrame(problem.X, columns=["a<b", "c'd", "e", "f", "g"])
    model = lgb.LGBMClassifier(**SMALL).fit(frame, problem.labels([0, 1]))
    ensemble = check(model, frame, special=False)
    assert ensemble.feature_names == list(frame.columns)
    assert ensemble.core.trees[0].weight[0] == len(frame)


def test_early_stopping_ends_at_the_best_iteration(problem):
    y = problem.labels([0, 1, 2])
    model = lgb.LGBMClassifier(**{**SMALL, "n_estimators": 80, "learning_rate": 0.9})
    model.fit(problem.X, y, eval_set=[(problem.X, y[::-1])], callbacks=[lgb.early_stopping(3, verbose=False)])
    assert model.best_iteration_ < 80
    assert check(model, problem.rows).n_trees == 3 * model.best_iteration_
    assert load(model.booster_).n_trees == 3 * model.best_iteration_


def test_a_tree_of_one_leaf(tmp_path):
    X = np.arange(20.0)[:, np.newaxis]
    model = lgb.LGBMRegressor(**{**SMALL, "min_child_samples": 30}).fit(X, np.arange(20.0))
    ensemble = load(model)
    assert ensemble.n_nodes == ensemble.n_trees
    np.testing.assert_array_equal(ensemble.predict(X), model.predict(X))
    for path in saved(model, tmp_path):
        np.testing.assert_array_equal(load(path).predict(X), model.predict(X))


def test_treelite_agrees(problem, tmp_path):
    model = lgb.LGBMClassifier(**SMALL).fit(problem.X, problem.labels([0, 1, 2]))
    ensemble = load(model)
    rows = rows_at_tests(ensemble, problem.holes(problem.rows))
    oracle = treelite.gtil.predict(treelite.frontend.load_lightgbm_model(saved(model, tmp_path)[0]), rows)
    near_zero = (np.abs(rows) < 1e-34).any(axis=1)  # treelite takes these as they are
    np.testing.assert_allclose(
        ensemble.predict_proba(rows)[~near_zero], oracle.reshape(len(rows), 3)[~near_zero], atol=1e-6
    )


def test_what_is_refused(problem):
    def message(model):
        with pytest.raises(UnsupportedModelError) as caught:
            load(model)
        return str(caught.value)

    with pytest.raises(UnfittedModelError, match="This LGBMClassifier is not fitted"):
        load(lgb.LGBMClassifier())
    positive = np.exp(problem.number)
    assert message(lgb.LGBMRegressor(linear_tree=True, **SMALL).fit(problem.X, positive)) == (
        "LGBMRegressor: tree 0: has linear functions in its leaves, which are not supported. "
        "sl.BlackBox takes any model."
    )

    def custom(y, score):
        return score - y, np.ones_like(y)

    assert message(lgb.LGBMRegressor(objective=custom, **SMALL).fit(problem.X, positive)) == (
        "LGBMRegressor: stores no objective. Custom objectives are not supported."
    )


def damaged(problem, tmp_path, old, new, which=0):
    X = np.abs(problem.X)
    model = lgb.LGBMClassifier(**SMALL, **CODED).fit(X, X[:, 3] % 2 == 1, categorical_feature=[3])
    path = saved(model, tmp_path)[which]
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return path


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("left_child=", "left_child=77 ", "tree 0: 'left_child' has "),
        ("num_leaves=", "num_leaves=9", "tree 0: 'decision_type' has "),
        ("end of trees", "end of tree", "the line 'end of trees' is missing. The file is truncated."),
        ("Tree=1\n", "Tree=5\n", "expected tree 1, but found 'Tree=5'."),
        ("leaf_value=", "leaf_value=1\nleaf_value=", "tree 0: the line 'leaf_value' occurs twice."),
        ("leaf_value=", "leaf_value=x", "tree 0: 'leaf_value': entry 0 is not a number."),
        ("decision_type=", "decision_type=9", "tree 0: 'decision_type' must be from 0 to 11."),
        ("cat_boundaries=0", "cat_boundaries=1", "tree 0: 'cat_threshold' does not match 'cat_boundaries'."),
        ("pandas_categorical:null", "", "no line 'pandas_categorical:' at its end. The file is truncated."),
        ("pandas_categorical:null", "pandas_categorical:nul", "'pandas_categorical' is not valid JSON"),
        ("tree_sizes=", "tree_sizes=1 ", "'tree_sizes' has 7 entries for 6 trees."),
        ("max_feature_idx=4", "max_feature_idx=3", "'feature_names' has 5 entries, which does not match"),
        (
            "num_tree_per_iteration=1",
            "num_tree_per_iteration=3",
            "3 trees per iteration do not match 'binary'.",
        ),
        ("num_class=1", "num_class=8", "'num_class' is 8 for 1 trees per iteration."),
        ("objective=binary sigmoid:1\n", "hello\n", "the line b'hello' is not supported."),
        # The library drops the trees after such a line.
        ("shrinkage=1\n", "average_output\n", "tree 0: the line b'average_output' is not supported."),
        ("sigmoid:1\n", "sigmoid:inf\n", "'sigmoid:inf' of the objective must be a positive number."),
        ("sigmoid:1\n", "sigmoid:x\n", "'sigmoid:x' of the objective must be a positive number."),
        ("num_leaves=", "num_leaves=-", "tree 0: 'num_leaves' must be at least 1."),
        ("num_cat=", "num_cat=7", "tree 0: 'num_cat' is 7"),
        ("shrinkage=", "\nshrinkage=", "tree 0: the line 'shrinkage="),
        (
            "pandas_categorical:null",
            "pandas_categorical:[[1, 1]]",
            "list 0 of 'pandas_categorical' must hold",
        ),
        (
            "pandas_categorical:null",
            "pandas_categorical:[[]]",
            "'pandas_categorical' must be lists of categories.",
        ),
        (
            "pandas_categorical:null",
            'pandas_categorical:{"a": [1]}',
            "'pandas_categorical' must be lists of categories.",
        ),
    ],
)
def test_damaged_texts(problem, tmp_path, old, new, message):
    path = damaged(problem, tmp_path, old, new)
    with pytest.raises(ModelFormatError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


def test_a_number_of_classes_that_does_not_match_the_trees_is_refused(problem, tmp_path):
    path = saved(lgb.LGBMClassifier(**SMALL).fit(problem.X, problem.labels([0, 1, 2])), tmp_path)[0]
    path.write_text(path.read_text().replace("num_class:3", "num_class:2"))
    with pytest.raises(ModelFormatError, match="'num_class:2' of the objective does not match 3 trees per"):
        load(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"num_leaves": ', '"num_leaves": 1', "tree 0: 1"),
        ('"decision_type": "=="', '"decision_type": "<"', "'decision_type' is missing or unknown."),
        ('"missing_type": "None"', '"missing_type": "Some"', "'missing_type' is missing or unknown."),
        ('"leaf_value": ', '"leaf_velue": ', "'leaf_velue' is unknown."),
        ('"split_feature": ', '"split_feature": 9', "does not exist"),
        (
            '"tree_structure": {',
            '"tree_structure": 3, "other": {',
            "tree 0: node 0: a node must be an object.",
        ),
        ('"left_child": {', '"left_child": [], "other": {', "tree 0: node 1: a node must be an object."),
        ('"left_child": {', '"other": {"a": 1}, "left_child": {', "tree 0: node 0: 'other' is unknown."),
        ('"split_gain": ', '"split_gain": "much", "other": ', "node 0: 'split_gain' must be a number."),
        ('"split_gain": ', '"split_gain": 01, "other": ', ": a number begins with 0."),
        ('"default_left": ', '"default_left": yes, "other": ', ": expected a value."),
        ('"decision_type": ', '"decision_type": 3, "other": ', "node 0: 'decision_type' must be a string."),
        ('"split_gain": ', '"leaf_index": 3, "leaf_index": ', "node 0: 'leaf_index' occurs twice."),
        ('"left_child": {', '"left_child": {,', ": expected a string."),
        ('"tree_info": [{', '"tree_info": [3, {', "tree 0: must be an object."),
        ('"tree_info": [{', '"tree_info": [], "other": [{', ": contains no tree."),
        ("||", "|| ", "is not a list of categories."),
        (
            '"max_feature_idx": 4',
            '"max_feature_idx": 3',
            "'feature_names' has 5 entries, which does not match",
        ),
    ],
)
def test_damaged_dumps(problem, tmp_path, old, new, message):
    path = damaged(problem, tmp_path, old, new, which=1)
    with pytest.raises(ModelFormatError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


def test_trees_that_do_not_fill_an_iteration_are_refused(problem, tmp_path):
    model = lgb.LGBMClassifier(**SMALL).fit(problem.X, problem.labels([0, 1, 2]))
    path = saved(model, tmp_path)[1]
    document = json.loads(path.read_text())
    document["tree_info"].pop()
    path.write_text(json.dumps(document))
    with pytest.raises(ModelFormatError, match="17 trees are not a multiple of 3 per iteration"):
        load(path)


def test_a_child_that_does_not_exist_among_missing_zeros(problem, tmp_path):
    model = lgb.LGBMClassifier(**SMALL, zero_as_missing=True).fit(problem.X, problem.labels([0, 1]))
    path = saved(model, tmp_path)[0]
    lines = [line for line in path.read_text().splitlines() if not line.startswith("tree_sizes")]
    at = next(number for number, line in enumerate(lines) if line.startswith("left_child="))
    lines[at] = " ".join(["left_child=77", *lines[at].split(" ")[1:]])
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(ModelFormatError, match=r"tree 0: child -1 does not exist \(the tree has \d+ nodes\)"):
        load(path)


def test_labels_that_do_not_match_the_classes(problem):
    model = lgb.LGBMClassifier(**SMALL).fit(problem.X, problem.labels([0, 1]))
    model._le.classes_ = np.arange(3)
    model._classes = np.arange(3)
    with pytest.raises(ModelFormatError, match="LGBMClassifier: has 3 labels for 2 classes"):
        load(model)


def test_rows_of_one_class(problem):
    model = lgb.LGBMClassifier(**SMALL).fit(problem.X, ["only"] * len(problem.X))
    with pytest.raises(UnsupportedModelError) as caught:
        load(model)
    assert str(caught.value) == (
        "LGBMClassifier: all training rows have the class 'only', so there is nothing to explain."
    )


def test_a_set_of_categories_that_does_not_exist(problem, tmp_path):
    path = damaged(problem, tmp_path, "num_cat=", "num_cat=")
    lines = path.read_text().split("\n")
    at = lines.index("Tree=0")
    kinds = next(line for line in lines[at:] if line.startswith("decision_type=")).partition("=")[2].split()
    place = next(k for k, line in enumerate(lines) if k > at and line.startswith("threshold="))
    numbers = lines[place].partition("=")[2].split()
    numbers[[int(kind) & 1 for kind in kinds].index(1)] = "99"
    lines[place] = "threshold=" + " ".join(numbers)
    lines = [line for line in lines if not line.startswith("tree_sizes=")]
    path.write_text("\n".join(lines))
    with pytest.raises(ModelFormatError) as caught:
        load(path)
    assert str(caught.value) == f"{path}: tree 0: there is no set 99 of categories."


def test_a_text_without_categories_may_lack_its_last_line(problem, tmp_path):
    model = lgb.LGBMClassifier(**SMALL).fit(problem.X, problem.labels([0, 1]))
    path = saved(model, tmp_path)[0]
    whole = load(path).to_json()
    path.write_text(path.read_text().partition("pandas_categorical:")[0])
    assert load(path).to_json() == whole


def test_trees_that_grow_too_large_without_zero_as_missing(monkeypatch):
    monkeypatch.setattr(_zero_as_missing, "_MAX_NODES", 3)
    path = seed("lightgbm_zero.txt")
    with pytest.raises(UnsupportedModelError) as caught:
        load(path)
    assert str(caught.value) == f"{path}: tree 0: needs more than 3 nodes without zero_as_missing."


def test_thresholds_that_are_all_far_from_zero(problem, tmp_path):
    X = np.abs(problem.X) + 1
    model = lgb.LGBMRegressor(**SMALL).fit(X, problem.number)
    np.testing.assert_array_equal(load(model).predict(X), model.predict(X))
