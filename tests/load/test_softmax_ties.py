"""Scores that differ, but whose probabilities the library rounds to the same number."""

import json

import lightgbm as lgb
import numpy as np
import pytest
import xgboost as xgb

import sightline as sl
from sightline.load import load

N_CASES = 400
RNG = np.random.default_rng(0)


def near_ties(n_classes, dtype):
    """Return small scores of which two lie within a few units in the last place."""
    scores = RNG.normal(scale=0.1, size=(N_CASES, n_classes)).astype(dtype)
    top = scores.max(axis=1, keepdims=True)
    for k in range(N_CASES):
        for j in RNG.choice(n_classes, size=2, replace=False):
            scores[k, j] = top[k, 0]
            for _ in range(RNG.integers(0, 5)):
                scores[k, j] = np.nextafter(scores[k, j], dtype(-np.inf))
    return scores


def as_lightgbm(scores, folder):
    """Return a file whose tree of class k sends row i to a leaf with the score of i and k."""
    n, n_classes = scores.shape
    X, y = np.arange(n, dtype=float)[:, np.newaxis], np.arange(n) % n_classes
    small = {
        "num_leaves": n,
        "min_child_samples": 1,
        "min_data_in_bin": 1,
        "max_bin": 5 * n,
        "min_child_weight": 0,
    }
    model = lgb.LGBMClassifier(n_estimators=1, verbose=-1, n_jobs=1, **small).fit(X, y)
    leaves = model.predict(X, pred_leaf=True)
    text = model.booster_.model_to_string().split("\n")
    trees = [k for k, line in enumerate(text) if line.startswith("leaf_value=")]
    for tree, line in enumerate(trees):
        values = np.zeros(len(text[line].split()))
        values[leaves[:, tree]] = scores[:, tree]
        text[line] = "leaf_value=" + " ".join(map(repr, values.tolist()))
    path = folder / "model.txt"
    path.write_text("\n".join(line for line in text if not line.startswith("tree_sizes=")))
    return path, X


def as_xgboost(scores, folder, objective):
    n, n_classes = scores.shape
    X = np.arange(n, dtype=float)[:, np.newaxis]
    small = {"n_estimators": 1, "max_depth": 12, "min_child_weight": 0, "max_bin": 4 * n, "n_jobs": 1}
    # A tree with a leaf per row, which every class gets.
    tree = xgb.XGBRegressor(reg_lambda=0, **small).fit(X, X[:, 0])
    leaves = tree.apply(X).astype(int).ravel()
    assert len(set(leaves)) == n
    model = xgb.XGBClassifier(objective=objective, **small).fit(X, np.arange(n) % n_classes)
    documents = [json.loads(one.get_booster().save_raw("json")) for one in (model, tree)]
    stored, source = (document["learner"]["gradient_booster"]["model"]["trees"] for document in documents)
    documents[0]["learner"]["learner_model_param"]["base_score"] = str([0.0] * n_classes)
    for k in range(n_classes):
        values = np.array(source[0]["split_conditions"])
        values[leaves] = scores[:, k]
        stored[k] = {**source[0], "id": k, "split_conditions": values.tolist()}
    (folder / "model.json").write_text(json.dumps(documents[0]))
    return folder / "model.json", X


@pytest.mark.parametrize("n_classes", [3, 4, 9])
def test_lightgbm(n_classes, tmp_path):
    path, X = as_lightgbm(near_ties(n_classes, np.float64), tmp_path)
    shares = lgb.Booster(model_file=path).predict(X)
    ensemble = load(path)
    assert (ensemble.scores(X).argmax(axis=1) != shares.argmax(axis=1)).any()
    np.testing.assert_array_equal(ensemble.predict(X), shares.argmax(axis=1))


@pytest.mark.parametrize("objective", ["multi:softprob", "multi:softmax"])
@pytest.mark.parametrize("n_classes", [3, 4, 9])
def test_xgboost(n_classes, objective, tmp_path):
    path, X = as_xgboost(near_ties(n_classes, np.float32), tmp_path, objective)
    model = xgb.XGBClassifier()
    model.load_model(path)
    ensemble = load(path)
    np.testing.assert_array_equal(ensemble.predict(X), model.predict(X))
    differ = (ensemble.scores(X).argmax(axis=1) != model.predict(X)).any()
    assert differ == (objective == "multi:softprob")


def test_proofs_and_trees_see_the_same_ties(tmp_path):
    path, X = as_lightgbm(near_ties(3, np.float64)[:40], tmp_path)
    ensemble = load(path)
    stored = sl.read_model(_written(ensemble, tmp_path))
    assert stored.link == ensemble.link
    merged = sl.merge(ensemble, missing=False)
    assert sl.certify(merged, stored, missing=False)
    for tree in (merged, stored, sl.ISMClassifier(ensemble=ensemble).fit(X)):
        np.testing.assert_array_equal(tree.predict(X), ensemble.predict(X))


def _written(ensemble, tmp_path):
    ensemble.to_json(tmp_path / "ensemble.json")
    return tmp_path / "ensemble.json"
