"""scikit-learn's ``tree_``: the nodes of every tree that is not histogram-based.

Its tests are ``float32(x) <= threshold`` with thresholds in double precision. A missing value follows
``missing_go_to_left``, which is also set if no training value was missing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.base import is_classifier

from sightline.exceptions import UnsupportedModelError
from sightline.load._binary_nodes import BinaryNodes
from sightline.load._registry import predicts_as, type_name
from sightline.load._sklearn_estimator import refuse_many_outputs, refuse_unknown_fields, require_fitted
from sightline.load._thresholds import float32_at_most

TREE_CLASSES = frozenset(
    {"DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor"}
)

_STATE_FIELDS = ("max_depth", "node_count", "nodes", "values")
NODE_FIELDS = (
    "left_child",
    "right_child",
    "feature",
    "threshold",
    "impurity",
    "n_node_samples",
    "weighted_n_node_samples",
    "missing_go_to_left",
)
_NO_CHILD = -1
_ROUNDING = 1e-6


def read_tree_nodes(estimator: Any) -> BinaryNodes:
    """Return the nodes of a fitted tree with canonical tests.

    Parameters
    ----------
    estimator : tree estimator of scikit-learn
        On its own, or part of an ensemble.

    Returns
    -------
    BinaryNodes
        Outputs are class probabilities (with counts), or one number.

    Raises
    ------
    UnsupportedModelError
        If it is not a tree, has several outputs, or has unknown fields.
    """
    require_tree(estimator)
    require_fitted(estimator, "tree_")
    tree = estimator.tree_
    refuse_many_outputs(estimator, tree.n_outputs)
    state = tree.__getstate__()
    refuse_unknown_fields(state, _STATE_FIELDS, f"{type(estimator).__name__}.tree_")
    nodes = state["nodes"]
    refuse_unknown_fields(nodes.dtype.names, NODE_FIELDS, f"{type(estimator).__name__}.tree_")
    weight = nodes["weighted_n_node_samples"]
    output = state["values"][:, 0, :]
    if is_classifier(estimator):
        _refuse_counts(estimator, output)
    return BinaryNodes(
        is_leaf=nodes["left_child"] == _NO_CHILD,
        feature=nodes["feature"],
        threshold=float32_at_most(nodes["threshold"]),
        left=nodes["left_child"],
        right=nodes["right_child"],
        missing_goes_left=nodes["missing_go_to_left"].astype(np.bool_),
        weight=weight,
        output=output,
        counts=output * weight[:, np.newaxis] if is_classifier(estimator) else None,
    )


def _refuse_counts(estimator: Any, output: NDArray[np.float64]) -> None:
    """Raise if the leaves hold numbers of rows, which scikit-learn 1.3 divided when it predicted."""
    if (output.sum(axis=1) > 1 + _ROUNDING).any():
        raise UnsupportedModelError(
            f"Cannot load this {type(estimator).__name__}: its leaves hold numbers of rows, as "
            f"scikit-learn before 1.4 stored them, and scikit-learn {sklearn.__version__} takes them for "
            "probabilities. Load it with the version that stored it, or fit it again."
        )


def require_tree(estimator: Any) -> None:
    """Raise UnsupportedModelError if a member of an ensemble is not a tree."""
    if not predicts_as(type(estimator), "sklearn", TREE_CLASSES):
        raise UnsupportedModelError(
            f"Cannot load an ensemble with members of type {type_name(estimator)}. "
            f"Supported: {', '.join(sorted(TREE_CLASSES))}."
        )
