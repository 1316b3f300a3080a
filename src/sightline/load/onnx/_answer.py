"""From the scores of ONNX trees to labels and probabilities, as onnxruntime computes them.

The runtime adds the weights of the leaves tree by tree, in single precision unless the input is
double, and adds the base values last. How a label follows depends on more than the specification
says: in a classifier of two classes with weights for one of them, the label is decided at 0.5 if no
weight is negative, and at 0 otherwise, whatever the transformation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.load._compared_nodes import LEAF, ComparedNodes
from sightline.load._forest import Column, Forest
from sightline.load.onnx._node import OnnxNode
from sightline.load.onnx._trees import read_trees, read_version_5
from sightline.model import Formula, FormulaBuilder, Link

_TRANSFORMS = ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO")
_OTHER_ATTRIBUTES = (
    "aggregate_function",
    "base_values",
    "base_values_as_tensor",
    "n_targets",
    "post_transform",
)


def read_regressor(node: OnnxNode, columns: Sequence[Column], is_single: bool) -> Forest:
    """Read a TreeEnsembleRegressor."""
    node.text("post_transform", "NONE", ("NONE",))
    n_scores = node.integer("n_targets", 1)
    if n_scores != 1:
        raise node.unsupported(f"it has {n_scores} targets. Supported: 1")
    trees = read_trees(node, "target", n_scores, *_OTHER_ATTRIBUTES)
    base = node.floats("base_values")
    if len(base) > 1 or not np.isfinite(base).all():
        raise node.fault("'base_values' must be one finite number")
    is_average = node.text("aggregate_function", "SUM", ("SUM", "AVERAGE")) == "AVERAGE"
    if is_average and base.any():
        raise node.unsupported("aggregate_function 'AVERAGE' together with 'base_values' is not supported")
    return _numbers(node, trees, columns, base, is_single, is_average)


def read_ensemble(node: OnnxNode, columns: Sequence[Column], is_single: bool) -> Forest:
    """Read a TreeEnsemble of version 5."""
    if node.integer("post_transform", 0) != 0:
        raise node.unsupported(f"post_transform {node.integer('post_transform', 0)} is not supported")
    functions = {0: "AVERAGE", 1: "SUM", 2: "MIN", 3: "MAX"}
    code = node.integer("aggregate_function", 1)
    if code not in (0, 1):
        raise node.unsupported(f"aggregate_function {functions.get(code, code)!r} is not supported")
    trees = read_version_5(node)
    if trees.output.shape[1] != 1:
        raise node.unsupported(f"it has {trees.output.shape[1]} targets. Supported: 1")
    return _numbers(node, trees, columns, np.empty(0), is_single, code == 0)


def _numbers(
    node: OnnxNode,
    trees: ComparedNodes,
    columns: Sequence[Column],
    base: NDArray[np.float64],
    is_single: bool,
    is_average: bool,
) -> Forest:
    _require_weights(node, trees)
    divisors = (float(trees.n_trees),) if is_average else ()
    start = base if len(base) else np.zeros(1)
    return Forest(node, trees, columns, trees.output, start, is_single, Link("identity", divisors))


def read_classifier(node: OnnxNode, columns: Sequence[Column], is_single: bool) -> Forest:
    """Read a TreeEnsembleClassifier."""
    classes = _classes(node)
    trees = read_trees(
        node, "class", len(classes), *_OTHER_ATTRIBUTES, "classlabels_int64s", "classlabels_strings"
    )
    post = node.text("post_transform", "NONE", _TRANSFORMS)
    base = node.floats("base_values")
    if not np.isfinite(base).all():
        raise node.fault("'base_values' are not all finite")
    decide = _two_classes if len(classes) == 2 else _many_classes
    output, base, link = decide(node, trees, base, post, classes)
    return Forest(node, trees, columns, output, base, is_single, link, classes)


_Decision = tuple[NDArray[np.float64], NDArray[np.float64], Link]


def _many_classes(
    node: OnnxNode, trees: ComparedNodes, base: NDArray[np.float64], post: str, classes: tuple[object, ...]
) -> _Decision:
    if len(base) not in (0, len(classes)):
        raise node.fault(f"'base_values' has {len(base)} entries for {len(classes)} classes")
    if post == "SOFTMAX_ZERO":
        raise node.unsupported(f"post_transform {post!r} of {len(classes)} classes is not supported")
    if not len(base):
        _require_scores(node, trees)
        base = np.zeros(len(classes))
    if post == "LOGISTIC":
        return trees.output, base, Link("mixture", formula=_logistic(len(classes)))
    return trees.output, base, Link("mean" if post == "NONE" else "softmax")


def _two_classes(
    node: OnnxNode, trees: ComparedNodes, base: NDArray[np.float64], post: str, classes: tuple[object, ...]
) -> _Decision:
    if len(base) > 1:
        raise node.unsupported("two 'base_values' for two classes are not supported")
    used = trees.has_output.any(axis=0).tolist()
    if used == [True, True]:
        return _mirrored(node, trees, base, post, classes)
    if used != [True, False]:
        raise node.unsupported("weights for the second of two classes alone are not supported")
    _require_weights(node, trees)
    weight = trees.output[:, :1]
    start = base if len(base) else np.zeros(1)
    is_positive = bool((weight >= 0).all())
    if post == "LOGISTIC":
        return weight, start, Link("sigmoid", label_above=0.5 if is_positive else 0.0)
    if not is_positive:
        # The runtime gives -s and s as scores. Their label is the larger one, too.
        return np.hstack([-weight, weight]), np.concatenate([-start, start]), Link("mean")
    return weight, start, Link("mixture", formula=_decided_at_one_half())


def _decided_at_one_half() -> Formula:
    """One score, the probability of the second class."""
    builder = FormulaBuilder(1)
    score = builder.add("scores", columns=[0])
    shares = builder.add("complement", score, single=True)
    return builder.formula(shares, builder.add("above", score, numbers=[0.5], columns=[0, 1]))


def _logistic(n_classes: int) -> Formula:
    """One score per class. The largest decides; its logistic function is written as its probability."""
    builder = FormulaBuilder(n_classes)
    scores = builder.add("scores", columns=range(n_classes))
    return builder.formula(builder.add("sigmoid", scores, single=True), scores)


def _mirrored(
    node: OnnxNode, trees: ComparedNodes, base: NDArray[np.float64], post: str, classes: tuple[object, ...]
) -> _Decision:
    """Two weights per leaf. The runtime only asks whether the second score is positive."""
    first, second = trees.output.T
    if (first != -second).any() or len(base) or classes not in ((0, 1), tuple(map(str, classes))):
        raise node.unsupported(
            "weights for both of two classes are only supported if one is minus the other, without "
            "base values, and with the labels 0 and 1 or strings, because onnxruntime ignores the rest"
        )
    if post == "LOGISTIC":
        return trees.output[:, 1:], np.zeros(1), Link("sigmoid")
    return trees.output, np.zeros(2), Link("softmax" if post.startswith("SOFTMAX") else "mean")


def _classes(node: OnnxNode) -> tuple[object, ...]:
    strings, numbers = node.strings("classlabels_strings"), node.ints("classlabels_int64s").tolist()
    if bool(strings) == bool(numbers):
        raise node.fault("must have either 'classlabels_strings' or 'classlabels_int64s'")
    classes: tuple[Any, ...] = tuple(strings or numbers)
    if len(classes) < 2:
        raise node.unsupported("it has a single class. Supported: at least two")
    if len(set(classes)) < len(classes):
        raise node.fault("a class label occurs twice")
    return classes


def _require_weights(node: OnnxNode, trees: ComparedNodes) -> None:
    is_silent = (trees.mode == LEAF) & ~trees.has_output[:, 0]
    if is_silent.any():
        raise node.fault("a leaf has no weight")


def _require_scores(node: OnnxNode, trees: ComparedNodes) -> None:
    """Raise unless every class has a score for every row: the runtime leaves out those without."""
    leaf = np.flatnonzero(trees.mode == LEAF)
    tree = np.searchsorted(trees.begin, leaf, side="right") - 1
    first = np.flatnonzero(np.diff(tree, prepend=-1))
    is_sure = np.logical_and.reduceat(trees.has_output[leaf], first, axis=0).any(axis=0)
    if is_sure.all():
        return
    # Without negative weights, a class without a score cannot beat one that surely has a positive score.
    best = np.minimum.reduceat(trees.output[leaf].max(axis=1), first)
    if (trees.output >= 0).all() and (best > 0).any():
        return
    raise node.unsupported(
        f"class {int(np.flatnonzero(~is_sure)[0])} has no weight in some leaves and there are no base values"
    )
