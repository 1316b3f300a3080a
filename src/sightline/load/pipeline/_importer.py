"""Pipelines that end in a tree model, read over the columns in front of the first step."""

from __future__ import annotations

from itertools import islice
from typing import Any, ClassVar

from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from sightline.exceptions import UnsupportedModelError
from sightline.load._options import Options
from sightline.load._registry import Importer, find_importer, register
from sightline.load._sklearn_estimator import feature_names
from sightline.load.pipeline._composition import steps_of
from sightline.load.pipeline._follower import not_fitted
from sightline.load.pipeline._preprocessing import Preprocessing
from sightline.model import Ensemble


@register
class SklearnPipelineImporter(Importer):
    """Reads pipelines whose steps make each column from one column."""

    library: ClassVar[str] = "sklearn"
    family: ClassVar[str] = "scikit-learn"
    class_names: ClassVar[frozenset[str]] = frozenset({"Pipeline"})

    def read_with(self, model: Any, options: Options) -> Ensemble:
        """Return the last step over the columns in front of the first."""
        steps = list(steps_of(model))
        if not steps or model.steps[-1][1] is not steps[-1][1]:
            raise UnsupportedModelError("Cannot load a Pipeline whose last step is not a model.")
        final = steps.pop()[1]
        try:
            behind = find_importer(final).read_with(final, options)
        except NotFittedError:
            raise not_fitted(model.steps[-1][:1], final) from None
        if not steps:
            return behind
        names, has_names = _columns_in_front(model, steps)
        ignores_extra = has_names and _takes_extra_columns(steps[0][1])
        preprocessing = Preprocessing(steps, names, has_names, behind.schema, ignores_extra)
        if _reads_zeros_as_missing(final):
            preprocessing.take_zeros_for_missing()
        return preprocessing.undone(behind)


@register
class ImblearnPipelineImporter(SklearnPipelineImporter):
    """Reads imbalanced-learn's pipelines. Their samplers do nothing to rows that are predicted."""

    library: ClassVar[str] = "imblearn"


def _reads_zeros_as_missing(final: Any) -> bool:
    """Whether a model takes what a sparse matrix does not store for missing values."""
    return type(final).__module__.partition(".")[0] == "xgboost"


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
