"""scikit-learn's AdaBoost: weighted votes (SAMME) and the weighted median (R2)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from sightline import _core
from sightline.exceptions import ModelFormatError
from sightline.load._assembly import build_sum, build_trees
from sightline.load._registry import Importer, register
from sightline.load._sklearn_estimator import class_labels, numeric_schema, require_fitted
from sightline.load.sklearn._tree import read_tree_nodes
from sightline.model import Ensemble, Link
from sightline.table import Schema


@register
class SklearnAdaBoostImporter(Importer):
    """Reads boosted trees with one weight per tree."""

    library: ClassVar[str] = "sklearn"
    family: ClassVar[str] = "scikit-learn"
    class_names: ClassVar[frozenset[str]] = frozenset({"AdaBoostClassifier", "AdaBoostRegressor"})

    def read(self, model: Any) -> Ensemble:
        """Return the weighted votes of a classifier, or the weighted median of a regressor."""
        require_fitted(model, "estimators_")
        schema, classes = numeric_schema(model, rounding="sklearn, converted"), class_labels(model)
        if classes is None:
            return Ensemble(_weighted_sum(model, schema), schema, None, Link("median"))
        total = float(np.sum(model.estimator_weights_))
        if not total > 0:
            raise ModelFormatError(f"{type(model).__name__}: the weights of its trees sum to {total}.")
        # The library divides by the number of other classes after it has chosen the label.
        link = Link("softmax", (total,), probability_divisor=float(max(len(classes) - 1, 1)))
        return Ensemble(_votes(model, schema), schema, classes, link)


def _weights(model: Any) -> list[float]:
    # If boosting stops early, the weights are padded with zeros for trees that do not exist.
    return [float(weight) for weight in model.estimator_weights_[: len(model.estimators_)]]


def _weighted_sum(model: Any, schema: Schema) -> _core.Ensemble:
    owner = type(model).__name__
    trees = build_trees(map(read_tree_nodes, model.estimators_), schema.n_values, owner)
    return build_sum(trees, owner, tree_weight=_weights(model))


def _votes(model: Any, schema: Schema) -> _core.Ensemble:
    owner = type(model).__name__
    n_classes = len(model.classes_)
    all_nodes = []
    for number, estimator in enumerate(model.estimators_):
        nodes = read_tree_nodes(estimator)
        if not np.array_equal(estimator.classes_, model.classes_):
            raise ModelFormatError(f"{owner}: tree {number}: has different classes than the ensemble.")
        all_nodes.append(nodes)
    weights = _weights(model)
    return build_sum(
        build_trees(all_nodes, schema.n_values, owner),
        owner,
        n_scores=n_classes,
        votes=True,
        tree_weight=weights,
        vote_against=[-1 / (n_classes - 1) * weight if n_classes > 1 else 0.0 for weight in weights],
    )
