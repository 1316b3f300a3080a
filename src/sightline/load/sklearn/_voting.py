"""scikit-learn's VotingClassifier and VotingRegressor."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._composition import Composition, named_as
from sightline.load._options import Options
from sightline.load._registry import register
from sightline.load._sklearn_estimator import require_fitted
from sightline.load.sklearn._wrapper import WrapperImporter, read_member
from sightline.model import Ensemble
from sightline.sklearn_internals import stored


@register
class SklearnVotingImporter(WrapperImporter):
    """Reads the mean of several models, or the majority of their labels."""

    class_names: ClassVar[frozenset[str]] = frozenset({"VotingClassifier", "VotingRegressor"})

    def read_with(self, model: Any, options: Options) -> Ensemble:
        """Return all models side by side, and how they vote."""
        require_fitted(model, "estimators_")
        composition = _members(model, options)
        if not hasattr(model, "classes_"):
            mean = _mean(composition, stored(model, "_weights_not_none"))
            ensemble = composition.ensemble(None, mean, deviance_power=composition.deviance_power)
        elif model.voting == "soft":
            ensemble = composition.ensemble(
                _labels(model), _mean(composition, stored(model, "_weights_not_none"))
            )
        else:
            ensemble = _majority(model, composition)
        return named_as(ensemble, model, options)


def _labels(model: Any) -> NDArray[Any]:
    """Return the labels that the library predicts, even if ``classes_`` was changed after fitting."""
    return np.asarray(model.le_.classes_)


def _members(model: Any, options: Options) -> Composition:
    owner = type(model).__name__
    # Not model.estimators, which may have changed after fitting.
    names = [repr(name) for name, member in model.named_estimators_.items() if not isinstance(member, str)]
    weights = stored(model, "_weights_not_none")
    if weights is not None and len(weights) != len(model.estimators_):
        raise ModelFormatError(
            f"{owner}: has {len(weights)} weights for {len(model.estimators_)} fitted models. Fit it again."
        )
    options = replace(options, needs_label=getattr(model, "voting", "") == "hard")
    parts = [
        read_member(member, name, owner, options)
        for member, name in zip(model.estimators_, names, strict=True)
    ]
    n_classes = len(model.classes_) if hasattr(model, "classes_") else 0
    for part, name in zip(parts, names, strict=True):
        # Members learn codes, which are the indices of the classes.
        if part.n_classes != n_classes:
            raise ModelFormatError(f"{owner}: {name} has {part.n_classes} classes, not {n_classes}.")
    return Composition(parts, names, owner)


def _mean(composition: Composition, weights: Any) -> int:
    responses = composition.responses
    # An array of nothing but single-precision numbers is averaged in single precision, unless by weights.
    single = weights is None and all(response.is_single for response in responses)
    return composition.average([response.probabilities for response in responses], weights, single)


def _majority(model: Any, composition: Composition) -> Ensemble:
    """Every model votes for its label. The shares of the votes are the probabilities."""
    votes = [composition.add("argmax", response.label) for response in composition.responses]
    weights = stored(model, "_weights_not_none")
    weights = [1.0] * len(votes) if weights is None else [float(weight) for weight in weights]
    if min(weights) < 0:
        raise UnsupportedModelError(
            f"{composition.owner}: voting='hard' with a negative weight. Supported: weights of at least 0."
        )
    shares = composition.average(votes, weights)
    count = composition.add("average", *votes, numbers=[*weights, 1.0])
    return composition.ensemble(_labels(model), shares, count)
