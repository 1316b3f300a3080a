import json

import numpy as np
import onnx
import onnx_graphs as graphs
import pandas as pd
import pytest
from onnx import TensorProto, helper
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import sightline as sl
from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._file import ModelFile, load_file

FLOAT, DOUBLE, INT64, STRING = TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT64, TensorProto.STRING


def read(content):
    return load_file(ModelFile("m.onnx", content))


def check_classes(content, trees, seed=0, dtype=np.float32, tolerance=2e-7):
    rng = np.random.default_rng(seed)
    rows = graphs.rows_around(trees[0]["nodes_values"], 3, rng).astype(dtype)
    ensemble = read(content)
    label, scores = graphs.answers(content, X=rows)
    np.testing.assert_array_equal(ensemble.predict(rows), label)
    np.testing.assert_allclose(ensemble.predict_proba(rows), scores, atol=tolerance, rtol=tolerance)
    return ensemble


@pytest.mark.parametrize("post", ["NONE", "SOFTMAX"])
@pytest.mark.parametrize("dtype", [FLOAT, DOUBLE])
@pytest.mark.parametrize("base", [[], [0.25, -0.5, 0.125]])
def test_three_classes(post, dtype, base):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        trees = graphs.random_trees(rng, 7, 3, depth=4)
        # Few different weights, so that scores are often equal.
        weights = rng.choice([-0.5, 0.0, 0.25, 1 / 3], size=(len(trees[1]), 3))
        content = graphs.classifier(
            weights, trees, dtype=dtype, classlabels_int64s=[7, 3, 5], post_transform=post, base_values=base
        )
        ensemble = check_classes(content, trees, seed, np.float64 if dtype == DOUBLE else np.float32)
    assert ensemble.classes_.tolist() == [7, 3, 5]


@pytest.mark.parametrize("base", [[], [0.25]])
@pytest.mark.parametrize("post", ["NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"])
@pytest.mark.parametrize("signs", ["mixed", "positive"])
def test_two_classes_with_one_score(base, post, signs):
    choices = [-0.5, 0.25, 1 / 3] if signs == "mixed" else [0.0, 0.1, 0.25, 1 / 3]
    for seed in range(3):
        rng = np.random.default_rng(seed)
        trees = graphs.random_trees(rng, 4, 3, depth=3)
        weights = rng.choice(choices, size=(len(trees[1]), 1))
        weights[0] = choices[0]
        content = graphs.classifier(
            weights, trees, classlabels_strings=["no", "yes"], post_transform=post, base_values=base
        )
        check_classes(content, trees, seed)


def test_probabilities_of_a_forest_of_two_classes_are_decided_at_one_half():
    trees = graphs.random_trees(np.random.default_rng(0), 2, 3, depth=2, missing=False)
    weights = np.random.default_rng(1).choice([0.0, 0.25, 0.5], size=(len(trees[1]), 1))
    content = graphs.classifier(weights, trees, classlabels_int64s=[0, 1])
    ensemble = check_classes(content, trees)
    assert (ensemble.predict_proba(np.zeros((1, 3))).sum(axis=1) == 1).all()


@pytest.mark.parametrize("post", ["NONE", "LOGISTIC", "SOFTMAX"])
def test_two_classes_with_mirrored_weights(post):
    """As CatBoost writes them."""
    rng = np.random.default_rng(0)
    trees = graphs.random_trees(rng, 5, 3, depth=3)
    weight = rng.choice([-0.5, 0.25, 0.125], size=(len(trees[1]), 1))
    content = graphs.classifier(
        np.hstack([-weight, weight]), trees, classlabels_int64s=[0, 1], post_transform=post
    )
    check_classes(content, trees)


@pytest.mark.parametrize("aggregate", ["SUM", "AVERAGE"])
@pytest.mark.parametrize("dtype", [FLOAT, DOUBLE])
def test_numbers_are_added_in_the_precision_of_the_input(aggregate, dtype):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        trees = graphs.random_trees(rng, 9, 3, depth=4)
        weights = rng.normal(size=len(trees[1])) * 10.0 ** rng.integers(-6, 6, size=len(trees[1]))
        base = [] if aggregate == "AVERAGE" else [1e5]
        content = graphs.regressor(
            weights, trees, dtype=dtype, aggregate_function=aggregate, base_values=base
        )
        rows = graphs.rows_around(trees[0]["nodes_values"], 3, rng)
        rows = rows.astype(np.float64 if dtype == DOUBLE else np.float32)
        expected = graphs.answers(content, X=rows)[0].ravel()
        np.testing.assert_array_equal(read(content).predict(rows).astype(np.float32), expected)


def test_a_double_input_is_not_rounded():
    trees = graphs.random_trees(np.random.default_rng(0), 3, 3, depth=3, missing=False)
    weights = np.random.default_rng(1).normal(size=len(trees[1]))
    content = graphs.regressor(weights, trees, dtype=DOUBLE)
    values = np.unique(trees[0]["nodes_values"])
    rows = np.random.default_rng(2).choice(
        np.concatenate([values, np.nextafter(values, -9), np.nextafter(values, 9)]), size=(400, 3)
    )
    expected = graphs.answers(content, X=rows)[0].ravel()
    np.testing.assert_array_equal(read(content).predict(rows).astype(np.float32), expected)


def test_nodes_in_any_order_and_with_any_numbers():
    trees = graphs.random_trees(np.random.default_rng(3), 4, 3, depth=3)
    nodes, leaves = trees
    rename = {number: int(name) for number, name in enumerate(np.random.default_rng(0).permutation(40) + 5)}
    odd = dict(nodes)
    for key in ("nodes_nodeids", "nodes_truenodeids", "nodes_falsenodeids"):
        odd[key] = [rename[number] for number in nodes[key]]
    odd["nodes_treeids"] = [9 - tree for tree in nodes["nodes_treeids"]]
    weights = np.random.default_rng(1).normal(size=len(leaves))
    content = graphs.regressor(weights, (odd, [(9 - tree, rename[node]) for tree, node in leaves]))
    same = graphs.regressor(weights, trees)
    rows = graphs.rows_around(nodes["nodes_values"], 3, np.random.default_rng(2))
    np.testing.assert_array_equal(read(content).predict(rows), read(same).predict(rows))
    expected = graphs.answers(content, X=rows)[0].ravel()
    np.testing.assert_array_equal(read(content).predict(rows).astype(np.float32), expected)


def version_5(modes, splits, members=(), dtype=np.float32, **changes):
    """Return a chain of tests of column 0, each with a leaf on its true branch."""
    n = len(modes)
    attributes = {
        "n_targets": 1,
        "aggregate_function": 1,
        "tree_roots": [0],
        "nodes_featureids": [0] * n,
        "nodes_modes": graphs.as_tensor(modes, np.uint8),
        "nodes_splits": graphs.as_tensor(splits, dtype),
        "nodes_truenodeids": list(range(n)),
        "nodes_trueleafs": [1] * n,
        "nodes_falsenodeids": [*range(1, n), n],
        "nodes_falseleafs": [*([0] * (n - 1)), 1],
        "nodes_missing_value_tracks_true": [0] * n,
        "leaf_targetids": [0] * (n + 1),
        "leaf_weights": graphs.as_tensor(np.arange(n + 1.0), dtype),
    }
    if members:
        attributes["membership_values"] = graphs.as_tensor(members, dtype)
    operator = helper.make_node("TreeEnsemble", ["X"], ["y"], domain="ai.onnx.ml", **(attributes | changes))
    kind = FLOAT if dtype == np.float32 else DOUBLE
    return graphs.model_of([operator], [("X", kind, 2)], [("y", kind)], version=5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("missing", [[0, 0, 0, 0], [1, 0, 1, 1]])
def test_version_5(dtype, missing):
    content = version_5(
        [1, 3, 2, 0], [-1.0, 5.0, 2.0, 0.1], dtype=dtype, nodes_missing_value_tracks_true=missing
    )
    rows = graphs.rows_around([-1.0, 5.0, 2.0, 0.1], 2, np.random.default_rng(0)).astype(dtype)
    np.testing.assert_array_equal(read(content).predict(rows), graphs.answers(content, X=rows)[0].ravel())
