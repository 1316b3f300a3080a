"""Pipelines that end in a tree model, read over the columns in front of the first step."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any, ClassVar

from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from sightline.exceptions import UnsupportedModelError
from sightline.load._options import Options
from sightline.load._registry import Importer, find_importer, read_model, register
from sightline.load._sklearn_estimator import feature_names
from sightline.load.pipeline._containers import steps_of
from sightline.load.pipeline._follower import not_fitted
from sightline.load.pipeline._steps_in_front import StepsInFront
from sightline.model import Ensemble


@register
class SklearnPipelineImporter(Importer):
    """Reads pipelines whose steps make each column from one column."""

    library: ClassVar[str] = "sklearn"
    family: ClassVar[str] = "scikit-learn"
    class_names: ClassVar[frozenset[str]] = frozenset({"Pipeline"})
    holds_models: ClassVar[bool] = True

    def read_with(self, model: Any, options: Options) -> Ensemble:
        """Return the last step over the columns in front of the first."""
        steps = list(steps_of(model))
        if not steps or model.steps[-1][1] is not steps[-1][1]:
            raise UnsupportedModelError("Cannot load a Pipeline whose last step is not a model.")
        final = steps.pop()[1]
        if options.in_front is not None:
            return read_model(final, replace(options, in_front=options.in_front.then(*steps)))
        try:
            behind = read_model(final, options)
        except NotFittedError:
            raise not_fitted(model.steps[-1][:1], final) from None
        return _over_columns_in_front(model, steps, final, behind, options) if steps else behind


def _over_columns_in_front(
    model: Any, steps: list[tuple[str, Any]], final: Any, behind: Ensemble, options: Options
) -> Ensemble:
    names, has_names = _columns_in_front(model, steps)
    ignores_extra = has_names and _takes_extra_columns(steps[0][1])
    in_front = StepsInFront(tuple(steps), tuple(names), has_names, ignores_extra)
    importer = find_importer(final)
    preprocessing = in_front.preprocessing(behind.schema)
    if importer.holds_models and preprocessing.makes_sparse_rows:
        # The members may read the same zero differently, and each is followed alone. Otherwise, all at once
        # is faster.
        return importer.read_with(final, replace(options, in_front=in_front))
    return preprocessing.undone(behind, importer.unstored_is_missing)


@register
class ImblearnPipelineImporter(SklearnPipelineImporter):
    """Reads imbalanced-learn's pipelines. Their samplers do nothing to rows that are predicted."""

    library: ClassVar[str] = "imblearn"


def _columns_in_front(model: Any, steps: list[tuple[str, Any]]) -> tuple[list[str], bool]:
    """Return the names of the columns that the pipeline was fitted on, and whether they are given."""
    for _, step in [*steps, model.steps[-1]]:
        if hasattr(step, "n_features_in_"):
            return feature_names(step), hasattr(step, "feature_names_in_")
    raise not_fitted(steps[0][:1], steps[0][1])


def _takes_extra_columns(step: Any) -> bool:
    """Whether a step takes named rows with columns that it was not fitted on: all others refuse them."""
    if isinstance(step, Pipeline):
        return any(_takes_extra_columns(first) for _, first in islice(steps_of(step), 1))
    if isinstance(step, FrozenEstimator):
        return _takes_extra_columns(step.estimator)
    return isinstance(step, ColumnTransformer)
