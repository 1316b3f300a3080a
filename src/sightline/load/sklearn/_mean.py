"""Means of scikit-learn's trees: single trees, forests and bagging.

The library sums the outputs of the trees in double precision, in order, and divides by their number
at the end. The label is the first of the largest probabilities.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ModelFormatError
from sightline.load._assembly import build_sum, build_trees
from sightline.load._binary_nodes import BinaryNodes
from sightline.load._registry import Importer, predicts_as, register
from sightline.load._sklearn_estimator import class_labels, numeric_schema, require_fitted
from sightline.load.sklearn._tree import TREE_CLASSES, read_tree_nodes
from sightline.model import Ensemble, Link

BAGGING_CLASSES = frozenset({"BaggingClassifier", "BaggingRegressor"})


@register
class SklearnTreeImporter(Importer):
    """Reads single trees."""

    library: ClassVar[str] = "sklearn"
    family: ClassVar[str] = "scikit-learn"
    class_names: ClassVar[frozenset[str]] = TREE_CLASSES

    def read(self, model: Any) -> Ensemble:
        """Return the tree as an ensemble of one."""
        return _mean(model, [model], [read_tree_nodes(model)], divisor=1)


@register
class SklearnForestImporter(Importer):
    """Reads random forests and extremely randomized trees."""

    library: ClassVar[str] = "sklearn"
    family: ClassVar[str] = "scikit-learn"
    class_names: ClassVar[frozenset[str]] = frozenset(
        {"RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor"}
    )

    def read(self, model: Any) -> Ensemble:
        """Return the mean of the trees."""
        require_fitted(model, "estimators_")
        trees = model.estimators_
        return _mean(model, trees, map(read_tree_nodes, trees), divisor=len(trees))


@register
class SklearnBaggingImporter(Importer):
    """Reads bagged trees. Each may use only some features and some classes."""

    library: ClassVar[str] = "sklearn"
    family: ClassVar[str] = "scikit-learn"
    class_names: ClassVar[frozenset[str]] = BAGGING_CLASSES

    def accepts(self, model: Any) -> bool:
        """Leave members that are not trees to another importer."""
        return super().accepts(model) and bags_trees(model)

    def read(self, model: Any) -> Ensemble:
        """Return the mean of the trees, over all features and classes."""
        require_fitted(model, "estimators_")
        nodes = _bagged_nodes(model)
        return _mean(model, model.estimators_, nodes, model.n_estimators, rounding="sklearn, converted")


def bags_trees(model: Any) -> bool:
    """Whether all members of a bagging model are single trees; also if it is not fitted."""
    return all(
        predicts_as(type(member), "sklearn", TREE_CLASSES) for member in getattr(model, "estimators_", ())
    )


def _mean(
    model: Any,
    trees: Iterable[Any],
    all_nodes: Iterable[BinaryNodes],
    divisor: int,
    rounding: str = "sklearn",
) -> Ensemble:
    owner = type(model).__name__
    schema, classes = numeric_schema(model, rounding), class_labels(model)
    core = build_sum(
        build_trees(all_nodes, schema.n_values, owner),
        owner,
        n_scores=1 if classes is None else len(classes),
    )
    link = Link("identity" if classes is None else "mean", (float(divisor),))
    # Not the criterion of the forest, which may have changed after fitting.
    power = 1.0 if all(tree.criterion == "poisson" for tree in trees) else None
    return Ensemble(core, schema, classes, link, deviance_power=power)


def check_bagged_columns(model: Any) -> None:
    """Refuse a bagging model whose members were changed after fitting, but not their columns."""
    n_members, n_columns = len(model.estimators_), len(model.estimators_features_)
    if n_members != n_columns:
        raise ModelFormatError(
            f"{type(model).__name__}: has {n_members} members, but the columns of {n_columns}. Fit it again."
        )


def _bagged_nodes(model: Any) -> Iterator[BinaryNodes]:
    check_bagged_columns(model)
    # The library divides by n_estimators, and never uses more trees than that.
    members = zip(model.estimators_, model.estimators_features_, strict=True)
    for estimator, columns in islice(members, model.n_estimators):
        nodes = read_tree_nodes(estimator)
        nodes = replace(nodes, feature=_original_feature(nodes, np.asarray(columns)))
        if class_labels(model) is not None:
            nodes = _over_all_classes(nodes, np.asarray(estimator.classes_), len(model.classes_))
        yield nodes


def _original_feature(nodes: BinaryNodes, columns: NDArray[Any]) -> NDArray[Any]:
    """Translate positions among a member's columns. Those out of range stay out of range."""
    if columns.dtype.kind not in "iu":
        raise ModelFormatError(f"The columns of a member must be positions, not {columns.dtype}.")
    exists = (nodes.feature >= 0) & (nodes.feature < len(columns))
    return np.where(exists, columns[np.where(exists, nodes.feature, 0)], -1)


def _over_all_classes(nodes: BinaryNodes, positions: NDArray[Any], n_classes: int) -> BinaryNodes:
    """Widen the outputs of a member whose sample lacked classes. It stores classes by position."""
    if len(positions) == n_classes:
        return nodes
    if len(positions) != nodes.output.shape[1] or not np.isin(positions, np.arange(n_classes)).all():
        raise ModelFormatError(
            f"BaggingClassifier: a member has the classes {positions.tolist()} of {n_classes}."
        )
    wide = []
    for narrow in (nodes.output, nodes.counts):
        values = np.zeros((len(nodes.is_leaf), n_classes))
        values[:, positions] = narrow
        wide.append(values)
    return replace(nodes, output=wide[0], counts=wide[1])
