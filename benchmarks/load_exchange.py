"""Loading exchange formats: ONNX against onnxruntime, PMML against the JSON of the same XGBoost model."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from sklearn.datasets import make_classification

import sightline as sl
from benchmarks._ratio import Ratio, cpu_seconds
from benchmarks.load import N_GROWN, N_LEAVES, xgboost_files

TARGET = '<MiningSchema><MiningField name="y" usageType="target"/>'


def ratios(large: bool) -> Iterator[Ratio]:
    n_trees = 1_000 if large else 100
    X, y = make_classification(20_000, 20, n_informative=15, flip_y=0.3, random_state=0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        json = next(path for _, path, _ in xgboost_files(folder, X, y, n_trees // N_GROWN))
        ensemble = sl.load(json)
        size = f"{n_trees:,} trees x {N_LEAVES:,} leaves"
        path = folder / "model.onnx"
        path.write_bytes(onnx_content(ensemble))
        yield Ratio(
            f"load ONNX, {size}, {path.stat().st_size / 1e6:.0f} MB",
            cpu_seconds(lambda: sl.load(path)),
            cpu_seconds(lambda: session(path)),
            "onnxruntime",
            bound=3,
        )
        document = folder / "model.pmml"
        document.write_text(pmml_content(ensemble))
        yield Ratio(
            f"load PMML, {size}, {document.stat().st_size / 1e6:.0f} MB",
            cpu_seconds(lambda: sl.load(document)),
            cpu_seconds(lambda: sl.load(json)),
            "our JSON of XGBoost",
            bound=3,
        )


def session(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def onnx_content(ensemble: sl.Ensemble) -> bytes:
    """Write an ensemble of two classes with one score as a TreeEnsembleClassifier."""
    trees = ensemble.core.trees
    size = [tree.n_nodes for tree in trees]
    is_leaf = np.concatenate([tree.test == 0 for tree in trees])
    branches = [_branches(tree) for tree in trees]
    tree_id = np.repeat(np.arange(len(trees)), size)
    node_id = np.concatenate([np.arange(n) for n in size])
    helper, types = onnx.helper, onnx.TensorProto
    node = helper.make_node(
        "TreeEnsembleClassifier",
        ["X"],
        ["label", "probabilities"],
        domain="ai.onnx.ml",
        nodes_treeids=tree_id.tolist(),
        nodes_nodeids=node_id.tolist(),
        nodes_featureids=np.concatenate([np.maximum(tree.feature, 0) for tree in trees]).tolist(),
        nodes_modes=np.where(is_leaf, "LEAF", "BRANCH_LEQ").tolist(),
        nodes_values=np.where(is_leaf, 0, np.concatenate([tree.threshold for tree in trees]))
        .astype(np.float32)
        .tolist(),
        nodes_truenodeids=np.concatenate([left for left, _ in branches]).tolist(),
        nodes_falsenodeids=np.concatenate([right for _, right in branches]).tolist(),
        nodes_missing_value_tracks_true=[0] * len(is_leaf),
        class_treeids=tree_id[is_leaf].tolist(),
        class_nodeids=node_id[is_leaf].tolist(),
        class_ids=[0] * int(is_leaf.sum()),
        class_weights=np.concatenate([tree.output.ravel() for tree in trees])[is_leaf].tolist(),
        classlabels_int64s=[0, 1],
        base_values=ensemble.core.base,
        post_transform="LOGISTIC",
    )
    graph = helper.make_graph(
        [node],
        "benchmark",
        [helper.make_tensor_value_info("X", types.FLOAT, ["rows", len(ensemble.schema)])],
        [
            helper.make_tensor_value_info("label", types.INT64, ["rows"]),
            helper.make_tensor_value_info("probabilities", types.FLOAT, ["rows", 2]),
        ],
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 3)]
    content: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()
    return content


def _branches(tree: sl.Tree) -> tuple[np.ndarray, np.ndarray]:
    """Return the two children of each node, 0 for leaves."""
    children = np.zeros((2, tree.n_nodes), dtype=np.int64)
    inner = np.flatnonzero(tree.test)
    first = tree.branch_begin[inner]
    children[:, inner] = tree.child[first], tree.child[first + 1]
    return children[0], children[1]


def pmml_content(ensemble: sl.Ensemble) -> str:
    """Write an ensemble of two classes with one score as sums of TreeModels behind a logit."""
    fields = "".join(
        f'<DataField name="{name}" optype="continuous" dataType="float"/>' for name in ensemble.feature_names
    )
    schema = "".join(f'<MiningField name="{name}"/>' for name in ensemble.feature_names)
    schema = f"<MiningSchema>{schema}</MiningSchema>"
    trees = "".join(
        f"<Segment><True/>{_tree_model(tree, ensemble.feature_names, schema)}</Segment>"
        for tree in ensemble.core.trees
    )
    return (
        '<PMML version="4.4" xmlns="http://www.dmg.org/PMML-4_4"><Header/><DataDictionary>'
        f'<DataField name="y" optype="categorical" dataType="integer"><Value value="0"/><Value value="1"/>'
        f'</DataField>{fields}</DataDictionary><MiningModel functionName="classification">'
        f"{schema.replace('<MiningSchema>', TARGET)}"
        '<Segmentation multipleModelMethod="modelChain"><Segment><True/>'
        f'<MiningModel functionName="regression" x-mathContext="float">{schema}<Output>'
        '<OutputField name="value" optype="continuous" dataType="float"/></Output>'
        f'<Targets><Target rescaleConstant="{ensemble.core.base[0]!r}"/></Targets>'
        f'<Segmentation multipleModelMethod="sum">{trees}</Segmentation></MiningModel></Segment>'
        '<Segment><True/><RegressionModel functionName="classification" normalizationMethod="logit" '
        'x-mathContext="float"><MiningSchema><MiningField name="value"/></MiningSchema>'
        '<RegressionTable intercept="0" targetCategory="1"><NumericPredictor name="value" coefficient="1"/>'
        '</RegressionTable><RegressionTable intercept="0" targetCategory="0"/></RegressionModel></Segment>'
        "</Segmentation></MiningModel></PMML>"
    )


def _tree_model(tree: sl.Tree, names: list[str], schema: str) -> str:
    left, right = (children.tolist() for children in _branches(tree))
    test, feature = tree.test.tolist(), tree.feature.tolist()
    threshold, value = np.float32(tree.threshold).astype(str).tolist(), tree.output.ravel().tolist()
    lines, stack = [], [(0, "<True/>")]
    while stack:
        node, predicate = stack.pop()
        if node < 0:
            lines.append("</Node>")
            continue
        if test[node] == 0:
            lines.append(f'<Node id="{node}" score="{value[node]!r}">{predicate}</Node>\n')
            continue
        lines.append(f'<Node id="{node}" defaultChild="{left[node]}">{predicate}\n')
        about = f'<SimplePredicate field="{names[feature[node]]}" value="{threshold[node]}"'
        stack += [
            (-1, ""),
            (right[node], f'{about} operator="greaterThan"/>'),
            (left[node], f'{about} operator="lessOrEqual"/>'),
        ]
    model = '<TreeModel functionName="regression" missingValueStrategy="defaultChild" x-mathContext="float">'
    return f"{model}{schema}{''.join(lines)}</TreeModel>"
