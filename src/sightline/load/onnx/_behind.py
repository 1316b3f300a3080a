"""The nodes behind the trees: they select, rename or pass on labels and scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from sightline.load.onnx._node import OnnxNode
from sightline.load.onnx._steps import encoder_table
from sightline.load.onnx._values import DOUBLE, FLOAT, INT32, INT64, STRING, Labels, LeafTable, Scores, Value

_Function = Callable[[OnnxNode, list[Any]], Value]
BEHIND: dict[str, _Function] = {}
"""The functions by the type of their node."""
_MAX_INDEX = 2**53  # up to here, doubles hold all integers


def _behind(*kinds: str) -> Callable[[_Function], _Function]:
    def enter(function: _Function) -> _Function:
        BEHIND.update(dict.fromkeys(kinds, function))
        return function

    return enter


@_behind("Identity", "Reshape", "Squeeze", "Flatten")
def _passed_on(node: OnnxNode, inputs: list[Any]) -> Value:
    value: Value = inputs[0]
    if isinstance(value, Scores) and node.kind == "Squeeze" and len(value.forest.base) > 1:
        raise node.unsupported("it is not supported after the trees")
    return value


@_behind("Mul", "Div")
def _times_one(node: OnnxNode, inputs: list[Any]) -> Value:
    """Pass on scores that are multiplied by 1, as onnxmltools does to name an output."""
    value, factor = node.pair(inputs)
    is_one = isinstance(factor, np.ndarray) and factor.size == 1 and factor.item() == 1
    if not isinstance(value, Scores) or not is_one:
        raise node.unsupported("it changes the scores, which is not supported after the trees")
    return value


@_behind("Sum")
def _sum_of_one(node: OnnxNode, inputs: list[Any]) -> Value:
    if len(inputs) > 1:
        raise node.unsupported("a sum of several outputs is not supported after the trees")
    value: Value = inputs[0]
    return value


@_behind("Cast")
def _cast(node: OnnxNode, inputs: list[Any]) -> Value:
    value, to = inputs[0], node.integer("to", 0)
    if isinstance(value, Scores) and to == INT64 and _is_leaf_index(value):
        return LeafTable(value.forest, value.forest.output[:, 0].astype(np.int64))
    if isinstance(value, LeafTable):
        raise node.unsupported("it is not supported after a table of leaves")
    if isinstance(value, Scores) and to in (FLOAT, DOUBLE):
        return value
    if isinstance(value, Labels):
        is_text = all(isinstance(label, str) for label in value.classes)
        if (to == STRING and is_text) or (to in (INT32, INT64) and not is_text):
            return value
    raise node.unsupported(f"a conversion to type {to} is not supported after the trees")


def _is_leaf_index(scores: Scores) -> bool:
    forest = scores.forest
    leaf = forest.output[forest.trees.is_leaf, 0]
    return (
        forest.trees.n_trees == 1
        and forest.classes is None
        and not forest.base.any()
        and bool(((leaf >= 0) & (leaf <= _MAX_INDEX) & (leaf == np.floor(leaf))).all())
    )


@_behind("Gather")
def _gathered(node: OnnxNode, inputs: list[Any]) -> Value:
    table, index = node.pair(inputs)
    is_lookup = isinstance(table, np.ndarray) and table.ndim > 0 and isinstance(index, LeafTable)
    if not is_lookup or node.integer("axis", 0) != 0:
        raise node.unsupported("it is not supported after the trees")
    entries = index.entries
    is_index = entries.dtype.kind == "i" and entries.ndim == 1
    if not is_index or entries.min() < 0 or entries.max() >= len(table):
        raise node.fault("it selects an entry that does not exist")
    return LeafTable(index.forest, table[entries])


@_behind("ZipMap")
def _zip_map(node: OnnxNode, inputs: list[Any]) -> Value:
    value = inputs[0]
    names = tuple(node.strings("classlabels_strings") or node.ints("classlabels_int64s").tolist())
    classes = value.forest.classes if isinstance(value, Scores) else None
    if classes is None or len(names) != len(classes):
        raise node.unsupported("its labels are not those of the trees")
    result: Value = value
    return result


@_behind("LabelEncoder")
def _renamed(node: OnnxNode, inputs: list[Any]) -> Value:
    labels = inputs[0]
    if not isinstance(labels, Labels):
        raise node.unsupported("it is not supported after the trees")
    keys, values, default, _ = encoder_table(node)
    name_of = dict(zip(keys, values, strict=True))
    return _with_names(node, labels, tuple(name_of.get(label, default) for label in labels.classes))


@_behind("ArrayFeatureExtractor")
def _looked_up(node: OnnxNode, inputs: list[Any]) -> Value:
    table, labels = node.pair(inputs)
    if not isinstance(table, np.ndarray) or not isinstance(labels, Labels):
        raise node.unsupported("it is not supported after the trees")
    names = table.ravel().tolist()
    if not all(isinstance(label, int) and 0 <= label < len(names) for label in labels.classes):
        raise node.fault("a label is not an index of its table")
    return _with_names(node, labels, tuple(names[int(str(label))] for label in labels.classes))


def _with_names(node: OnnxNode, labels: Labels, classes: tuple[object, ...]) -> Labels:
    if len(set(classes)) < len(classes):
        raise node.unsupported("it gives several classes the same label")
    return replace(labels, classes=classes)
