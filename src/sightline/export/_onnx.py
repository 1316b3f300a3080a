"""An ONNX graph around one TreeEnsemble in double precision.

A leaf of a TreeEnsemble holds one number: here the index of its outputs in a table. Probabilities
and label are then gathered from tables.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sightline.exceptions import UnsupportedModelError
from sightline.export._node_table import NodeTable
from sightline.export._onnx_lines import line_steps
from sightline.export._plain_nodes import Missing, PlainNodes, listed_values, one_type
from sightline.export._registry import target
from sightline.model import LEAF, MULTIWAY, SUBSET, NodeModel
from sightline.table import Feature, Schema

_LEQ, _EQ, _MEMBER = 0, 4, 6
"""Codes of the test modes in ai.onnx.ml."""


@target("onnx", NodeModel)
def to_onnx(model: NodeModel, *, missing: Missing | None = None) -> bytes:
    """Write a tree or graph as an ONNX model.

    Parameters
    ----------
    model : Tree or Graph
        The model.
    missing : {"exact", "largest"}, optional
        How rows with missing values are treated. ONNX cannot split a row among branches.
        "exact" refuses models that do, "largest" sends such a row down the branch with the
        largest share. By default "largest" where no training row had a missing value in a tested
        column, else "exact". Most models treat a category that they have never seen as missing.

    Returns
    -------
    bytes
        The ONNX file. Numbers alone are one input ``X``; with nominal features, every feature is
        an input of its own. The outputs are ``label`` and ``probabilities``, or ``prediction``.

    Examples
    --------
    >>> from sightline.export import to_onnx
    >>> import sightline as sl
    >>> tree = sl.C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]).tree_
    >>> import onnx
    >>> graph = onnx.load_from_string(to_onnx(tree)).graph
    >>> [output.name for output in graph.output]
    ['label', 'probabilities']
    """
    onnx = _library()
    nodes = PlainNodes.unshared(model, missing, "ONNX")
    table = NodeTable.of(nodes)
    columns, steps = _inputs(onnx, nodes.schema)
    helper = onnx.helper
    steps += [
        helper.make_node(
            "TreeEnsemble", ["matrix"], ["index"], domain="ai.onnx.ml", **_tree(nodes, table).attributes(onnx)
        ),
        helper.make_node("Cast", ["index"], ["row"], to=onnx.TensorProto.INT64),
        helper.make_node("Squeeze", ["row", "second_axis"], ["rows"]),
    ]
    constants = [onnx.numpy_helper.from_array(np.array([1]), "second_axis")]
    outputs = _answers(onnx, nodes, table, steps, constants)
    graph = helper.make_graph(steps, "sightline", columns, outputs, constants)
    file = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 5)],
        producer_name="sightline",
        ir_version=9,
    )
    subject = nodes.schema.subject
    names = {
        "features": nodes.schema.to_json()["features"],
        "classes": nodes.classes_,
        **({"target": subject.target} if subject.target else {}),
        **({} if subject.positive is None else {"positive": subject.positive}),
    }
    helper.set_model_props(file, {"sightline": json.dumps(names)})
    content: bytes = file.SerializeToString()
    return content


def _library() -> Any:
    try:
        import onnx  # noqa: PLC0415 - optional
        import onnx.numpy_helper  # noqa: PLC0415
    except ImportError:
        raise UnsupportedModelError(
            "The export of kind 'onnx' needs the package onnx: pip install 'sightline[onnx]'."
        ) from None
    return onnx


def _inputs(onnx: Any, schema: Schema) -> tuple[list[Any], list[Any]]:
    """Return the inputs of the graph and the steps that join them into one matrix.

    Numbers alone are one matrix ``X``. With nominal features, every feature is an input of one
    column, and categories become codes. An unknown category becomes NaN, or the code of any other value, or
    ends the run if the model refuses it; in the last two cases an empty string, or NaN, is a missing value.
    """
    helper, types = onnx.helper, onnx.TensorProto
    if not any(feature.is_nominal for feature in schema.features):
        matrix = helper.make_tensor_value_info("X", types.DOUBLE, ["rows", len(schema)])
        return [matrix], [helper.make_node("Identity", ["X"], ["matrix"])]
    columns, steps, encoded = [], [], []
    for index, (feature, name) in enumerate(zip(schema.features, input_names(schema), strict=True)):
        input_type, more = _encoder(onnx, feature, name, f"code {index}")
        columns.append(helper.make_tensor_value_info(name, input_type, ["rows", 1]))
        steps += more
        encoded.append(f"code {index}" if more else name)
    return columns, [*steps, helper.make_node("Concat", encoded, ["matrix"], axis=1)]


def input_names(schema: Schema) -> list[str]:
    """Return the input names of a graph with nominal features, one per feature.

    They are the names of the features, with the index in front where the graph uses that name itself.
    """
    return [
        f"column {index}: {feature.name}"
        if not feature.name
        or feature.name in _RESERVED
        or feature.name.startswith(("code ", "column ", "sightline "))
        else feature.name
        for index, feature in enumerate(schema.features)
    ]


_RESERVED = frozenset(
    {
        "matrix",
        "index",
        "row",
        "rows",
        "second_axis",
        "outputs",
        "labels",
        "label",
        "probabilities",
        "prediction",
    }
)


def _encoder(onnx: Any, feature: Feature, name: str, code: str) -> tuple[int, list[Any]]:
    """Return the type of an input and the steps that turn its categories into codes."""
    helper, types = onnx.helper, onnx.TensorProto
    if feature.categories is None:
        return types.DOUBLE, []
    values = listed_values(feature)
    codes = [float(code) for code in range(len(values))]
    if not feature.has_other and feature.unseen != "refuse":
        return _looked_up(onnx, name, code, values, codes, np.nan)
    # What is missing must be told from other values: an empty string, or NaN.
    missing = "" if isinstance(next(iter(values), ""), str) else np.nan
    if missing not in values:
        values, codes = [*values, missing], [*codes, np.nan]
    if feature.has_other:
        return _looked_up(onnx, name, code, values, codes, float(feature.n_values - 1))
    # A lookup beyond the end of a table is the only error that ONNX has for a value.
    index = [float(position) for position in range(len(codes))]
    given, steps = _looked_up(onnx, name, f"{code} position", values, index, float(len(codes)))
    table = onnx.numpy_helper.from_array(np.array(codes), "codes")
    return given, [
        *steps,
        helper.make_node("Constant", [], [f"{code} table"], value=table),
        helper.make_node("Cast", [f"{code} position"], [f"{code} index"], to=types.INT64),
        helper.make_node("Gather", [f"{code} table", f"{code} index"], [code], axis=0),
    ]


def _looked_up(
    onnx: Any, name: str, code: str, values: list[Any], codes: list[float], unknown: float
) -> tuple[int, list[Any]]:
    """Return the type of an input and the steps that look its values up in a table."""
    helper, types = onnx.helper, onnx.TensorProto
    table = {
        "values_tensor": helper.make_tensor("codes", types.DOUBLE, [len(values)], codes),
        "default_tensor": helper.make_tensor("unknown", types.DOUBLE, [1], [unknown]),
        "domain": "ai.onnx.ml",
    }
    if isinstance(values[0], str):
        keys = helper.make_tensor("keys", types.STRING, [len(values)], [utf8(value) for value in values])
        return types.STRING, [helper.make_node("LabelEncoder", [name], [code], keys_tensor=keys, **table)]
    given = types.BOOL if isinstance(values[0], bool) else types.DOUBLE
    keys = helper.make_tensor("keys", types.DOUBLE, [len(values)], [float(value) for value in values])
    return given, [
        helper.make_node("Cast", [name], [f"{code} as number"], to=types.DOUBLE),
        helper.make_node("LabelEncoder", [f"{code} as number"], [code], keys_tensor=keys, **table),
    ]


def utf8(text: str) -> bytes:
    """Encode a string, or raise if it has no UTF-8 form."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise UnsupportedModelError(
            f"{text!r} contains half a surrogate pair, which has no UTF-8 form. Rename it."
        ) from None


def _answers(
    onnx: Any, nodes: PlainNodes, table: NodeTable, steps: list[Any], constants: list[Any]
) -> list[Any]:
    """Add the tables of outputs and labels, and return the outputs of the graph."""
    helper, types = onnx.helper, onnx.TensorProto
    n_outputs = table.outputs.shape[1]
    constants.append(onnx.numpy_helper.from_array(table.outputs, "outputs"))
    name = "prediction" if nodes.classes_ is None else "probabilities"
    gathered = name if table.lines is None else "sightline constant"
    steps.append(helper.make_node("Gather", ["outputs", "rows"], [gathered], axis=0))
    if table.lines is not None:
        more_steps, more_constants = line_steps(onnx, table.lines, "rows", gathered, name)
        steps += more_steps
        constants += more_constants
    answer = helper.make_tensor_value_info(name, types.DOUBLE, ["rows", n_outputs])
    if nodes.classes_ is None:
        return [answer]
    labels = one_type(nodes.classes_)
    chosen = [labels[index] for index in table.winner]
    if isinstance(labels[0], str):
        type_of_label = types.STRING
        tensor = helper.make_tensor("labels", types.STRING, [len(chosen)], [utf8(label) for label in chosen])
    else:
        numbers = np.array(chosen)
        type_of_label = helper.np_dtype_to_tensor_dtype(numbers.dtype)
        tensor = onnx.numpy_helper.from_array(numbers, "labels")
    constants.append(tensor)
    steps.append(helper.make_node("Gather", ["labels", "rows"], ["label"], axis=0))
    return [helper.make_tensor_value_info("label", type_of_label, ["rows"]), answer]


@dataclass
class _TreeAttributes:
    """The attributes of a TreeEnsemble while they are filled: tests, then leaves."""

    leaf: list[float]
    mode: list[int] = field(default_factory=list)
    feature: list[int] = field(default_factory=list)
    split: list[float] = field(default_factory=list)
    missing_is_true: list[int] = field(default_factory=list)
    true: list[int] = field(default_factory=list)
    false: list[int] = field(default_factory=list)
    true_is_leaf: list[int] = field(default_factory=list)
    false_is_leaf: list[int] = field(default_factory=list)
    members: list[float] = field(default_factory=list)

    def add(
        self, mode: int, feature: int, split: float, missing_is_true: bool, members: Sequence[int] = ()
    ) -> None:
        """Add a test. Its branches are filled in later."""
        self.mode.append(mode)
        self.feature.append(feature)
        self.split.append(split)
        self.missing_is_true.append(int(missing_is_true))
        if mode == _MEMBER:
            self.members += [*map(float, members), np.nan]
        for entries in (self.true, self.false, self.true_is_leaf, self.false_is_leaf):
            entries.append(0)

    def attributes(self, onnx: Any) -> dict[str, Any]:
        """Return the attributes as the operator takes them."""
        array = onnx.numpy_helper.from_array
        result = {
            "n_targets": 1,
            "aggregate_function": 1,
            "tree_roots": [0],
            "nodes_featureids": self.feature,
            "nodes_modes": array(np.array(self.mode, dtype=np.uint8), "modes"),
            "nodes_splits": array(np.array(self.split, dtype=np.float64), "splits"),
            "nodes_missing_value_tracks_true": self.missing_is_true,
            "nodes_truenodeids": self.true,
            "nodes_trueleafs": self.true_is_leaf,
            "nodes_falsenodeids": self.false,
            "nodes_falseleafs": self.false_is_leaf,
            "leaf_targetids": [0] * len(self.leaf),
            "leaf_weights": array(np.array(self.leaf, dtype=np.float64), "leaves"),
        }
        if self.members:
            result["membership_values"] = array(np.array(self.members), "members")
        return result


def _tree(nodes: PlainNodes, table: NodeTable) -> _TreeAttributes:
    """Write the tests in the order of the nodes, a multiway test as a chain of equalities."""
    is_leaf = nodes.test == LEAF
    tree = _TreeAttributes(leaf=table.first[is_leaf].astype(float).tolist())
    index, leaf = _indices(nodes)
    if leaf[0]:
        tree.add(_LEQ, 0, 0.0, missing_is_true=True)
        tree.true[0], tree.false[0] = index[0], index[0]
        tree.true_is_leaf[0] = tree.false_is_leaf[0] = 1
        return tree
    for node in np.flatnonzero(_n_tests(nodes)).tolist():
        children, missing = nodes.children[node], int(nodes.missing[node])
        feature = int(nodes.feature[node])
        first = len(tree.mode)
        if nodes.test[node] == MULTIWAY:
            for code in range(len(children) - 1):
                tree.add(_EQ, feature, float(code), missing_is_true=missing == code)
        elif nodes.test[node] == SUBSET:
            codes = nodes.categories[node]
            # A set must not be empty; no category has the code -1.
            tree.add(_MEMBER if codes else _EQ, feature, -1.0, missing == 0, codes)
        else:
            tree.add(_LEQ, feature, float(nodes.threshold[node]), missing == 0)
        last = len(tree.mode) - 1
        for test in range(first, last + 1):
            child = children[test - first]
            tree.true[test], tree.true_is_leaf[test] = index[child], int(leaf[child])
            tree.false[test], tree.false_is_leaf[test] = test + 1, 0
        tree.false[last], tree.false_is_leaf[last] = index[children[-1]], int(leaf[children[-1]])
    return tree


def _indices(nodes: PlainNodes) -> tuple[list[int], list[bool]]:
    """Return per node the index of its first test or leaf, and whether it is a leaf.

    A node with a single branch has no test: it is replaced with its child.
    """
    is_leaf = nodes.test == LEAF
    n_tests = _n_tests(nodes)
    index = np.where(is_leaf, is_leaf.cumsum() - 1, n_tests.cumsum() - n_tests).tolist()
    leaf = is_leaf.tolist()
    for node in np.flatnonzero(~is_leaf & (n_tests == 0))[::-1].tolist():
        child = nodes.children[node][0]
        index[node], leaf[node] = index[child], leaf[child]
    return index, leaf


def _n_tests(nodes: PlainNodes) -> Any:
    """Return per node the number of binary tests that it becomes."""
    return np.where(nodes.test == LEAF, 0, np.diff(nodes.begin) - 1)
