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
    operator = helper.make_node(
        "TreeEnsembleClassifier",
        ["X"],
        ["label", "scores"],
        domain="ai.onnx.ml",
        **nodes,
        **values,
        **attributes,
    )
    label = TensorProto.STRING if "classlabels_strings" in attributes else TensorProto.INT64
    return model_of([operator], [("X", dtype, n_features)], [("label", label), ("scores", TensorProto.FLOAT)])


def regressor(weights, trees, n_features=3, dtype=TensorProto.FLOAT, **attributes):
    """Return a TreeEnsembleRegressor with one target."""
    nodes, leaves = trees
    attributes = {name: value for name, value in attributes.items() if value != []}
    tree, node = zip(*leaves, strict=True)
    operator = helper.make_node(
        "TreeEnsembleRegressor",
        ["X"],
        ["y"],
        domain="ai.onnx.ml",
        n_targets=1,
        target_treeids=tree,
        target_nodeids=node,
        target_ids=[0] * len(leaves),
        target_weights=[float(w) for w in weights],
        **nodes,
        **attributes,
    )
    return model_of([operator], [("X", dtype, n_features)], [("y", TensorProto.FLOAT)])


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
