"""ONNX graphs around random trees, and what onnxruntime says about rows."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT")


def random_trees(rng, n_trees, n_features, depth, modes=MODES, missing=True):
    """Return the node attributes of random trees, and the tree and number of each leaf."""
    names = ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids")
    columns = {name: [] for name in (*names, "missing_value_tracks_true")}
    leaves = []
    for tree in range(n_trees):
        level, number = [(0, 0)], 1
        while level:
            node, at = level.pop(0)
            is_leaf = at >= depth or (at and rng.random() < 0.2)
            children = (0, 0) if is_leaf else (number, number + 1)
            if is_leaf:
                leaves.append((tree, node))
            else:
                level += [(child, at + 1) for child in children]
                number += 2
            row = (
                tree,
                node,
                int(rng.integers(n_features)),
                "LEAF" if is_leaf else str(rng.choice(modes)),
                float(np.float32(rng.choice([0.0, 0.5, rng.normal()]))),
                *children,
                int(missing and rng.random() < 0.5),
            )
            for name, value in zip(columns, row, strict=True):
                columns[name].append(value)
    order = np.lexsort((columns["nodeids"], columns["treeids"]))
    attributes = {f"nodes_{name}": [values[k] for k in order] for name, values in columns.items()}
    return attributes, leaves


def model_of(nodes, inputs, outputs, version=3, constants=()):
    """Return the bytes of a model; inputs and outputs are (name, type, number of columns)."""
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info(name, kind, [None, n]) for name, kind, n in inputs],
        [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs],
        [onnx.numpy_helper.from_array(np.asarray(value), name) for name, value in constants],
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", version)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()


def ml(kind, inputs, outputs, **attributes):
    return helper.make_node(kind, inputs, outputs, domain="ai.onnx.ml", **attributes)


STUMP = {
    "nodes_treeids": [0, 0, 0],
    "nodes_nodeids": [0, 1, 2],
    "nodes_featureids": [0, 0, 0],
    "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
    "nodes_values": [0.5, 0.0, 0.0],
    "nodes_truenodeids": [1, 0, 0],
    "nodes_falsenodeids": [2, 0, 0],
}


def stump(source="X", **changes):
    """Return a node: a regressor of one test, with some attributes changed, or left out if None."""
    leaves = {
        "target_treeids": [0, 0],
        "target_nodeids": [1, 2],
        "target_ids": [0, 0],
        "target_weights": [1.0, 2.0],
        "n_targets": 1,
    }
    attributes = {name: value for name, value in (STUMP | leaves | changes).items() if value is not None}
    return ml("TreeEnsembleRegressor", [source], ["y"], name="trees", **attributes)


def class_stump(n_classes=2, **changes):
    """Return a node: a classifier of one test, whose leaves have one weight per class."""
    entries = [(leaf, k) for leaf in (1, 2) for k in range(n_classes)]
    leaves = {
        "class_treeids": [0] * len(entries),
        "class_nodeids": [leaf for leaf, _ in entries],
        "class_ids": [k for _, k in entries],
        "class_weights": [float((-1) ** (leaf + k)) for leaf, k in entries],
        "classlabels_int64s": list(range(n_classes)),
    }
    attributes = {name: value for name, value in (STUMP | leaves | changes).items() if value is not None}
    return ml("TreeEnsembleClassifier", ["X"], ["label", "scores"], name="trees", **attributes)


def classifier(weights, trees, n_features=3, dtype=TensorProto.FLOAT, **attributes):
    """Return a TreeEnsembleClassifier; `weights` has one row per leaf and one column per score."""
    nodes, leaves = trees
    attributes = {name: value for name, value in attributes.items() if value != []}
    ids = attributes.pop("ids", range(weights.shape[1]))
    entries = [
        (*leaf, k, float(w))
        for leaf, row in zip(leaves, weights, strict=True)
        for k, w in zip(ids, row, strict=True)
    ]
    tree, node, score, weight = zip(*entries, strict=True)
    values = {"class_treeids": tree, "class_nodeids": node, "class_ids": score}
    if dtype == TensorProto.DOUBLE:
        nodes = dict(nodes)
        attributes["nodes_values_as_tensor"] = as_tensor(nodes.pop("nodes_values"))
        attributes["class_weights_as_tensor"] = as_tensor(weight)
    else:
        values["class_weights"] = weight
    operator = ml("TreeEnsembleClassifier", ["X"], ["label", "scores"], **nodes, **values, **attributes)
    label = TensorProto.STRING if "classlabels_strings" in attributes else TensorProto.INT64
    return model_of([operator], [("X", dtype, n_features)], [("label", label), ("scores", TensorProto.FLOAT)])


def regressor(weights, trees, n_features=3, dtype=TensorProto.FLOAT, **attributes):
    """Return a TreeEnsembleRegressor with one target."""
    nodes, leaves = trees
    attributes = {name: value for name, value in attributes.items() if value != []}
    tree, node = zip(*leaves, strict=True)
    operator = ml(
        "TreeEnsembleRegressor",
        ["X"],
        ["y"],
        n_targets=1,
        target_treeids=tree,
        target_nodeids=node,
        target_ids=[0] * len(leaves),
        target_weights=[float(w) for w in weights],
        **nodes,
        **attributes,
    )
    return model_of([operator], [("X", dtype, n_features)], [("y", TensorProto.FLOAT)])


def version_5(modes, splits, members=(), dtype=np.float32, **changes):
    """Return a chain of tests of column 0, each with a leaf on its true branch."""
    n = len(modes)
    attributes = {
        "n_targets": 1,
        "aggregate_function": 1,
        "tree_roots": [0],
        "nodes_featureids": [0] * n,
        "nodes_modes": as_tensor(modes, np.uint8),
        "nodes_splits": as_tensor(splits, dtype),
        "nodes_truenodeids": list(range(n)),
        "nodes_trueleafs": [1] * n,
        "nodes_falsenodeids": [*range(1, n), n],
        "nodes_falseleafs": [*([0] * (n - 1)), 1],
        "nodes_missing_value_tracks_true": [0] * n,
        "leaf_targetids": [0] * (n + 1),
        "leaf_weights": as_tensor(np.arange(n + 1.0), dtype),
    }
    if members:
        attributes["membership_values"] = as_tensor(members, dtype)
    attributes = {name: value for name, value in (attributes | changes).items() if value is not None}
    operator = ml("TreeEnsemble", ["X"], ["y"], name="trees", **attributes)
    kind = TensorProto.FLOAT if dtype == np.float32 else TensorProto.DOUBLE
    return model_of([operator], [("X", kind, 2)], [("y", kind)], version=5)


def as_tensor(values, dtype=np.float64):
    return onnx.numpy_helper.from_array(np.array(values, dtype=dtype))


def answers(content, **inputs):
    """Return the outputs of onnxruntime with a single thread, which adds up in the order of the trees."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def rows_around(thresholds, n_features, rng, holes=0.05):
    """Return float32 rows at thresholds and one ulp beside them, some with missing values."""
    values = np.unique(np.float32(np.append(thresholds, [0.0, 1.0])))
    beside = [np.nextafter(values, np.float32(side)) for side in (-np.inf, np.inf)]
    rows = rng.choice(np.concatenate([values, *beside]), size=(12 * len(values), n_features))
    rows[rng.random(rows.shape) < holes] = np.nan
    return rows.astype(np.float32)
