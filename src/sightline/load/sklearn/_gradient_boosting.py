"""scikit-learn's GradientBoosting: a constant plus learning rate times the trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import UnsupportedModelError
from sightline.load._assembly import build_sum, build_trees
from sightline.load._binary_nodes import BinaryNodes
from sightline.load._registry import Importer, is_class_of, register, type_name
from sightline.load._sklearn_estimator import class_labels, numeric_schema, require_fitted
from sightline.load.sklearn._tree import read_tree_nodes
from sightline.model import Ensemble, Link
from sightline.sklearn_internals import stored

_CONSTANT_STARTS = frozenset({"DummyClassifier", "DummyRegressor"})
# The library predicts class 1 if the score is >= 0, a Link if it is > a bound.
_JUST_BELOW_ZERO = float(np.nextafter(0.0, -1.0))


@register
class SklearnGradientBoostingImporter(Importer):
    """Reads gradient boosting with exact (not histogram-based) trees."""

    library: ClassVar[str] = "sklearn"
    family: ClassVar[str] = "scikit-learn"
    class_names: ClassVar[frozenset[str]] = frozenset(
        {"GradientBoostingClassifier", "GradientBoostingRegressor"}
    )

    def read(self, model: Any) -> Ensemble:
        """Return the additive model."""
        require_fitted(model, "estimators_")
        owner = type(model).__name__
        schema, classes = numeric_schema(model), class_labels(model)
        n_stages, n_scores = model.estimators_.shape
        core = build_sum(
            build_trees(_scaled_nodes(model), schema.n_values, owner),
            owner,
            n_scores=n_scores,
            tree_score=np.tile(np.arange(n_scores), n_stages).tolist(),
            base=_start(model).tolist(),
        )
        return Ensemble(core, schema, classes, _link(model, n_scores))


def _scaled_nodes(model: Any) -> Iterator[BinaryNodes]:
    """Yield the trees stage by stage. The library computes the same product in every prediction."""
    for estimator in model.estimators_.ravel():
        nodes = read_tree_nodes(estimator)
        yield replace(nodes, output=model.learning_rate * nodes.output)


def _start(model: Any) -> NDArray[np.float64]:
    """Return the initial scores, which must be the same for every row."""
    start = model.init_
    if not isinstance(start, str):
        is_random = getattr(start, "strategy", None) == "stratified"
        if is_random or not is_class_of(type(start), "sklearn", _CONSTANT_STARTS):
            what = "a random DummyClassifier" if is_random else type_name(start)
            raise UnsupportedModelError(
                f"{type(model).__name__}: its 'init' is {what}. Supported: constant predictors."
            )
    # The clipping and link of the initial score changed between versions, so the library computes it.
    any_row = np.zeros((1, model.n_features_in_), dtype=np.float32)
    scores: NDArray[np.float64] = stored(model, "_raw_predict_init")(any_row)[0]
    return scores


def _link(model: Any, n_scores: int) -> Link:
    if class_labels(model) is None:
        return Link("identity")
    if n_scores > 1:
        return Link("softmax")
    # Under the exponential loss the score is half the log-odds. The parameter may have changed after fitting.
    divide_by = (0.5,) if type(stored(model, "_loss")).__name__ == "ExponentialLoss" else ()
    return Link("sigmoid", divide_by, label_above=_JUST_BELOW_ZERO)
