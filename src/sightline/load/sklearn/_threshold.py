"""scikit-learn's classifiers with a decision threshold of their own."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._composition import Composition
from sightline.load._decided import decided, finite, just_below
from sightline.load._options import Options
from sightline.load._registry import register
from sightline.load._sklearn_estimator import require_fitted
from sightline.load._unfitted import UnfittedModelError
from sightline.load.sklearn._wrapper import WrapperImporter, read_member
from sightline.model import Decision, Ensemble
from sightline.sklearn_internals import stored


@register
class SklearnFixedThresholdImporter(WrapperImporter):
    """Reads two classes with a given threshold."""

    class_names: ClassVar[frozenset[str]] = frozenset({"FixedThresholdClassifier"})

    def read_with(self, model: Any, options: Options) -> Ensemble:
        """Return the wrapped model with another label."""
        inner = getattr(model, "estimator_", model.estimator)
        try:
            check_is_fitted(inner)
        except NotFittedError:
            raise UnfittedModelError.of(model) from None
        by_probability = _by_probability(model, inner)
        threshold = model.threshold
        if isinstance(threshold, str):
            threshold = 0.5 if by_probability else 0.0
        return _with_threshold(model, inner, threshold, model.pos_label, by_probability, options)


@register
class SklearnTunedThresholdImporter(WrapperImporter):
    """Reads two classes with a threshold that was found by cross-validation."""

    class_names: ClassVar[frozenset[str]] = frozenset({"TunedThresholdClassifierCV"})

    def read_with(self, model: Any, options: Options) -> Ensemble:
        """Return the wrapped model with another label."""
        require_fitted(model, "best_threshold_")
        inner = model.estimator_
        positive = stored(stored(model, "_curve_scorer"), "_get_pos_label")()
        by_probability = _by_probability(model, inner)
        return _with_threshold(model, inner, model.best_threshold_, positive, by_probability, options)


def _by_probability(model: Any, inner: Any) -> bool:
    """Whether the threshold is one of probabilities, not of the decision function."""
    if model.response_method == "auto":
        return hasattr(inner, "predict_proba")
    return bool(model.response_method == "predict_proba")


def _index_of(positive: Any, classes: NDArray[Any]) -> int | None:
    """Return the index of the positive class, by default the second; None if there is no such class."""
    labels = classes.tolist()
    return 1 if positive is None else labels.index(positive) if positive in labels else None


def _with_threshold(
    model: Any, inner: Any, threshold: Any, positive: Any, by_probability: bool, options: Options
) -> Ensemble:
    owner = type(model).__name__
    part = read_member(inner, type(inner).__name__, owner, options)
    classes = np.asarray(model.classes_)
    if part.n_classes != 2 or len(classes) != 2:
        raise ModelFormatError(f"{owner}: needs two classes. Its model has {part.n_classes}.")
    index = _index_of(positive, classes)
    if index is None:
        if options.needs_label:
            raise UnsupportedModelError(
                f"{owner}: the positive class {positive!r} is none of its classes {classes.tolist()}, so it "
                "predicts probabilities but no labels. Fit it with pos_label=None, or with one of them: "
                "models that hold others may train them on the codes 0 and 1."
            )
        return part.replaced(classes=classes)
    if math.isnan(threshold):
        raise ModelFormatError(f"{owner}: the threshold is not a number.")
    if by_probability:
        part = part.replaced(classes=classes)
        return decided(part.about(positive=classes[index]), Decision(threshold, index), owner)
    composition = Composition.of_one(part, owner)
    response = composition.response
    if response.decision is None:
        raise ModelFormatError(f"{owner}: its model has no decision function.")
    # The library turns the sign of the score where class 0 is the positive one.
    bound = just_below(threshold) if index == 1 else finite(-threshold)
    label = composition.add("above", response.decision, numbers=[bound], columns=[0, 1])
    made = composition.ensemble(classes, response.probabilities, label, response.decision)
    return made.about(positive=classes[index])
