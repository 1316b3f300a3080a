"""A fitted DecisionTreeClassifier or DecisionTreeRegressor, for tools that take those."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sightline.exceptions import UnsupportedModelError
from sightline.export._plain_nodes import Missing, PlainNodes
from sightline.export._registry import target
from sightline.load import SKLEARN_NODE_FIELDS, refuse_unknown_fields
from sightline.model import LEAF, NodeModel, Tree
from sightline.sklearn_internals import native_tree

_NO_CHILD, _NO_FEATURE = -1, -2
_OTHER_KINDS = "sql, python, c, javascript, onnx or pmml"


@target("sklearn", NodeModel, to_bytes=pickle.dumps)
def to_sklearn(
    model: NodeModel, *, missing: Missing | None = None
) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """Turn a tree or graph into a fitted tree of scikit-learn.

    scikit-learn rounds rows to float32 first. So a value above a threshold that rounds to the same
    float32 as the threshold takes the lower branch.

    Parameters
    ----------
    model : Tree or Graph
        The model. It may only test numbers.
    missing : {"exact", "largest"}, optional
        How rows with missing values are treated, as in :func:`to_onnx`.

    Returns
    -------
    DecisionTreeClassifier or DecisionTreeRegressor
        The estimator; in a file, a pickle of it.

    Examples
    --------
    >>> from sightline.export import to_sklearn
    >>> import sightline as sl
    >>> tree = sl.C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]).tree_
    >>> to_sklearn(tree).predict([[3.5]])
    array(['yes'], dtype='<U3')
    """
    _require_numeric(PlainNodes.of(model))
    if isinstance(model, Tree):
        model.require_constant_leaves("The export of kind 'sklearn'", "export it as " + _OTHER_KINDS)
    nodes = PlainNodes.unshared(model, missing, "scikit-learn")
    estimator = _estimator(model, nodes)
    estimator.n_features_in_ = len(nodes.schema)
    if nodes.schema.has_given_names:
        estimator.feature_names_in_ = np.array(nodes.schema.names, dtype=object)
    estimator.n_outputs_ = 1
    estimator.max_features_ = len(nodes.schema)
    estimator.tree_ = _native_tree(nodes)
    return estimator


def sklearn_thresholds(thresholds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the thresholds for rows that are rounded to float32 first, as in scikit-learn.

    A threshold becomes its nearest float32, so that values up to the threshold stay below it. Values
    above it that round to the same float32 change sides. No other value does. None does if the
    threshold is the largest double of its float32, as in trees loaded from scikit-learn.

    Examples
    --------
    >>> sklearn_thresholds(np.array([4.9])).item()
    4.900000095367432
    """
    with np.errstate(over="ignore"):
        rounded = thresholds.astype(np.float32)
    largest = np.finfo(np.float32).max
    return np.clip(rounded, -largest, largest).astype(np.float64)


def _require_numeric(nodes: PlainNodes) -> None:
    for feature in nodes.used:
        if nodes.schema.features[feature].is_nominal:
            raise UnsupportedModelError(
                "scikit-learn's trees test only numbers, but this one tests the categories of "
                f"{nodes.schema.names[feature]!r}. Export it as python, sql, onnx or pmml."
            )


def _estimator(model: NodeModel, nodes: PlainNodes) -> DecisionTreeClassifier | DecisionTreeRegressor:
    if model.classes_ is None:
        return DecisionTreeRegressor()
    estimator = DecisionTreeClassifier()
    estimator.classes_ = model.classes_
    estimator.n_classes_ = np.intp(len(model.classes_))
    if nodes.has_own_labels:
        raise UnsupportedModelError(
            "scikit-learn's trees predict the most probable class, but the labels of this one follow a "
            "threshold, costs or class weights. Export it as python, sql, onnx or pmml."
        )
    if nodes.output.shape[1] != len(model.classes_):
        raise UnsupportedModelError("The model does not have one output per class.")
    return estimator


def _native_tree(nodes: PlainNodes) -> Any:
    n_classes = 1 if nodes.classes_ is None else len(nodes.classes_)
    tree = native_tree()(len(nodes.schema), np.array([n_classes], dtype=np.intp), 1)
    records = np.zeros(nodes.n_nodes, dtype=tree.__getstate__()["nodes"].dtype)
    refuse_unknown_fields(records.dtype.names, SKLEARN_NODE_FIELDS, "sklearn.tree.Tree")
    is_inner = nodes.test != LEAF
    pairs = nodes.child.reshape(-1, 2)
    for name, side in (("left_child", 0), ("right_child", 1)):
        records[name] = _NO_CHILD
        records[name][is_inner] = pairs[:, side]
    records["feature"] = np.where(is_inner, nodes.feature, _NO_FEATURE)
    records["threshold"] = np.where(is_inner, sklearn_thresholds(nodes.threshold), _NO_FEATURE)
    records["missing_go_to_left"] = is_inner & (nodes.missing == 0)
    records["weighted_n_node_samples"] = nodes.weight
    # At least one row each, because readers divide by it.
    records["n_node_samples"] = np.maximum(np.rint(nodes.weight), 1)
    scores = nodes.scores()
    records["impurity"] = 0.0 if nodes.classes_ is None else 1.0 - (scores**2).sum(axis=1)
    values = np.ascontiguousarray(scores[:, None, :n_classes])
    state: dict[str, Any] = {
        "max_depth": nodes.depth,
        "node_count": nodes.n_nodes,
        "nodes": records,
        "values": values,
    }
    tree.__setstate__(state)
    return tree
