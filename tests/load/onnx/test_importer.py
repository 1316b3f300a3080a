import builtins

import numpy as np
import onnx_graphs as graphs
import pandas as pd
import pytest
from onnx import TensorProto, helper
from onnx_graphs import ml

from sightline.exceptions import DataError, SightlineError, UnsupportedModelError
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


@pytest.mark.parametrize("post", ["NONE", "LOGISTIC", "SOFTMAX"])
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


@pytest.mark.parametrize("n_trees", [1, 3])
def test_trees_without_a_test_are_constant(n_trees):
    rng = np.random.default_rng(0)
    trees = graphs.random_trees(rng, n_trees, 3, depth=0)
    weights = rng.normal(size=(n_trees, 3))
    content = graphs.classifier(weights, trees, classlabels_strings=["a", "b", "c"], post_transform="NONE")
    check_classes(content, trees)
    content = graphs.regressor(weights[:, 0], trees)
    expected = graphs.answers(content, X=np.zeros((1, 3), np.float32))[0].ravel()
    assert read(content).predict(np.zeros((1, 3))).tolist() == expected.tolist()


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


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("missing", [[0, 0, 0, 0], [1, 0, 1, 1]])
def test_version_5(dtype, missing):
    content = graphs.version_5(
        [1, 3, 2, 0], [-1.0, 5.0, 2.0, 0.1], dtype=dtype, nodes_missing_value_tracks_true=missing
    )
    rows = graphs.rows_around([-1.0, 5.0, 2.0, 0.1], 2, np.random.default_rng(0)).astype(dtype)
    np.testing.assert_array_equal(read(content).predict(rows), graphs.answers(content, X=rows)[0].ravel())


@pytest.mark.parametrize("modes", [["BRANCH_EQ"], ["BRANCH_NEQ"], ["BRANCH_EQ", "BRANCH_NEQ", "BRANCH_LEQ"]])
def test_equalities(modes):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        trees = graphs.random_trees(rng, 3, 3, depth=3, modes=modes)
        content = graphs.regressor(rng.normal(size=len(trees[1])), trees)
        rows = graphs.rows_around(trees[0]["nodes_values"], 3, rng)
        expected = graphs.answers(content, X=rows)[0].ravel()
        np.testing.assert_array_equal(read(content).predict(rows).astype(np.float32), expected)


@pytest.mark.parametrize("missing", [[0, 0, 0], [1, 0, 1]])
def test_sets_of_version_5(missing):
    nan = np.nan
    content = graphs.version_5(
        [6, 0, 6],
        [0.0, 1.0, 0.0],
        members=[1, 4, 7, nan, 0, 9, nan],
        nodes_missing_value_tracks_true=missing,
        nodes_featureids=[0, 1, 0],
    )
    rows = graphs.rows_around([0, 1, 4, 7, 9, 10], 2, np.random.default_rng(0))
    np.testing.assert_array_equal(read(content).predict(rows), graphs.answers(content, X=rows)[0].ravel())


def pipeline(tree_inputs=5, zeros=1):
    """Return what skl2onnx writes for a scaler, an imputer, encoders and a forest, in one graph."""
    rng = np.random.default_rng(0)
    trees, leaves = graphs.random_trees(rng, 6, tree_inputs, depth=4, missing=False)
    tree, node = zip(*leaves, strict=True)
    steps = [
        helper.make_node("Concat", ["age", "income"], ["numbers"], axis=1),
        ml("Imputer", ["numbers"], ["full"], imputed_value_floats=[0.5, 0.0], replaced_value_float=np.nan),
        ml("Scaler", ["full"], ["scaled"], offset=[0.25, 0.1], scale=[1.7, -0.3]),
        ml("OneHotEncoder", ["color"], ["three_axes"], cats_strings=["red", "green"], zeros=zeros),
        helper.make_node("Reshape", ["three_axes", "shape"], ["dummies"]),
        ml("LabelEncoder", ["size"], ["code"], keys_strings=["s", "m", "l"], values_int64s=[0, 1, 2]),
        helper.make_node("Cast", ["code"], ["code_as_float"], to=FLOAT),
        helper.make_node("Mul", ["code_as_float", "half"], ["halves"]),
        helper.make_node("Concat", ["scaled", "dummies", "halves"], ["X"], axis=1),
        ml(
            "TreeEnsembleClassifier",
            ["X"],
            ["number", "scores"],
            class_treeids=tree,
            class_nodeids=node,
            class_ids=rng.integers(3, size=len(leaves)).tolist(),
            class_weights=rng.normal(size=len(leaves)).tolist(),
            base_values=[0.0, 0.1, 0.2],
            classlabels_int64s=[0, 1, 2],
            post_transform="SOFTMAX",
            **trees,
        ),
        ml("LabelEncoder", ["number"], ["label"], keys_int64s=[0, 1, 2], values_strings=["a", "b", "c"]),
        helper.make_node("Identity", ["scores"], ["probabilities"]),
    ]
    inputs = [("age", FLOAT, 1), ("income", FLOAT, 1), ("color", STRING, 1), ("size", STRING, 1)]
    constants = [("shape", np.array([-1, 2])), ("half", np.float32([0.5]))]
    outputs = [("label", STRING), ("probabilities", FLOAT)]
    return graphs.model_of(steps, inputs, outputs, constants=constants)


def test_steps_in_front_and_behind_are_pulled_back():
    content = pipeline()
    ensemble = read(content)
    assert ensemble.feature_names == ["age", "income", "color", "size"]
    assert ensemble.schema.features[2].categories == ("red", "green")
    rng = np.random.default_rng(1)
    bounds = [tree.threshold[tree.test == 1] for tree in ensemble.core.trees]
    rows = graphs.rows_around(np.concatenate(bounds), 2, rng, holes=0.1)
    color, size = rng.choice(["red", "green", "blue"], len(rows)), rng.choice(list("smlx"), len(rows))
    frame = pd.DataFrame(rows, columns=["age", "income"]).assign(color=color, size=size)
    expected = graphs.answers(
        content,
        age=rows[:, :1],
        income=rows[:, 1:],
        color=color.astype(object)[:, np.newaxis],
        size=size.astype(object)[:, np.newaxis],
    )
    assert ensemble.predict(frame).tolist() == expected[0].tolist()
    np.testing.assert_allclose(ensemble.predict_proba(frame), expected[1], atol=2e-7)


def test_an_encoder_without_zeros_refuses_unknown_categories():
    content = pipeline(zeros=0)
    ensemble = read(content)
    frame = pd.DataFrame({"age": [0.1, 0.9], "income": [0.3, -2.0], "color": ["red", "green"], "size": "s"})
    expected = graphs.answers(content, **{name: as_input(frame[[name]]) for name in frame})
    assert ensemble.predict(frame).tolist() == expected[0].tolist()
    unknown = frame.assign(color=["red", "blue"])
    with pytest.raises(Exception, match="Unknown Category and zeros = 0"):
        graphs.answers(content, **{name: as_input(unknown[[name]]) for name in unknown})
    with pytest.raises(DataError, match="blue"):
        ensemble.predict(unknown)


def as_input(column):
    return column.to_numpy(np.float32 if column.dtypes.iloc[0] == np.float64 else object)


def test_operators_that_are_not_understood_are_named():
    step = helper.make_node("Tanh", ["X"], ["Z"], name="squash")
    trees = ml("TreeEnsembleRegressor", ["Z"], ["y"], n_targets=1)
    content = graphs.model_of([step, trees], [("X", FLOAT, 2)], [("y", FLOAT)])
    with pytest.raises(UnsupportedModelError) as caught:
        read(content)
    assert str(caught.value) == (
        "m.onnx: node 'squash' (Tanh): the operator is not supported before the trees."
    )


def test_operators_that_the_answer_does_not_need_are_ignored():
    stump = graphs.model_of([graphs.stump()], [("X", FLOAT, 2)], [("y", FLOAT)])
    assert read(stump).predict([[0.5, 0.0], [0.6, 0.0]]).tolist() == [1.0, 2.0]


def test_without_the_library(monkeypatch):
    original = builtins.__import__

    def without_onnx(name, *rest):
        if name.split(".")[0] == "onnx":
            raise ImportError(name)
        return original(name, *rest)

    content = graphs.model_of([graphs.stump()], [("X", FLOAT, 2)], [("y", FLOAT)])
    monkeypatch.setattr(builtins, "__import__", without_onnx)
    with pytest.raises(UnsupportedModelError) as caught:
        read(content)
    assert str(caught.value) == (
        "m.onnx: is an ONNX file, and onnx is not installed: pip install 'sightline[onnx]'."
    )


def test_accepted_mutants_say_what_the_runtime_says():
    rng = np.random.default_rng(0)
    trees = graphs.random_trees(rng, 2, 3, depth=2)
    content = graphs.regressor(rng.normal(size=len(trees[1])), trees)
    rows = graphs.rows_around(trees[0]["nodes_values"], 3, rng)
    original = np.frombuffer(content, dtype=np.uint8)
    n_compared = 0
    for _ in range(400):
        mutant = original.copy()
        at = rng.integers(len(mutant), size=rng.integers(1, 3))
        mutant[at] = rng.integers(256, size=len(at))
        try:
            ensemble = read(mutant.tobytes())
        except SightlineError:
            continue
        try:
            expected = graphs.answers(mutant.tobytes(), X=rows)[0].ravel()
        except Exception:
            continue
        np.testing.assert_array_equal(ensemble.predict(rows).astype(np.float32), expected)
        n_compared += 1
    assert n_compared > 20


def test_a_column_that_is_scaled_to_nothing():
    """Every number passes the same tests, also those that none passes."""
    steps = [
        ml("Scaler", ["X"], ["Z"], offset=[0.0, 1.0], scale=[0.0, -2.0]),
        ml(
            "TreeEnsembleRegressor",
            ["Z"],
            ["y"],
            n_targets=1,
            nodes_treeids=[0] * 5,
            nodes_nodeids=range(5),
            nodes_featureids=[0, 0, 1, 0, 0],
            nodes_modes=["BRANCH_LT", "LEAF", "BRANCH_GT", "LEAF", "LEAF"],
            nodes_values=[-0.5, 0.0, 3.0, 0.0, 0.0],
            nodes_truenodeids=[1, 0, 3, 0, 0],
            nodes_falsenodeids=[2, 0, 4, 0, 0],
            target_treeids=[0] * 3,
            target_nodeids=[1, 3, 4],
            target_ids=[0] * 3,
            target_weights=[1.0, 2.0, 3.0],
        ),
    ]
    content = graphs.model_of(steps, [("X", FLOAT, 2)], [("y", FLOAT)])
    rows = graphs.rows_around([-0.5, 0.0, 1.0], 2, np.random.default_rng(0))
    np.testing.assert_array_equal(read(content).predict(rows), graphs.answers(content, X=rows)[0].ravel())
