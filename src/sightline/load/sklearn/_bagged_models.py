"""scikit-learn's bagging of models that are not trees: boosters, pipelines, calibrated forests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sightline.load._assembly import default_names
from sightline.load._composition import Composition, named_as
from sightline.load._options import Options
from sightline.load._registry import register
from sightline.load._sklearn_estimator import class_labels
from sightline.load.pipeline import ChosenColumns, Derived, FromCategories, Unchanged, pull_back
from sightline.load.sklearn._mean import BAGGING_CLASSES, bags_trees, check_bagged_columns
from sightline.load.sklearn._wrapper import WrapperImporter, read_member
from sightline.model import Ensemble, Formula
from sightline.table import Feature, Schema


@register
class SklearnBaggedModelsImporter(WrapperImporter):
    """Reads bagged models. Each may use only some features and some classes."""

    class_names: ClassVar[frozenset[str]] = BAGGING_CLASSES

    def accepts(self, model: Any) -> bool:
        """Leave trees to the importer of means."""
        return super().accepts(model) and not bags_trees(model)

    def read_with(self, model: Any, options: Options) -> Ensemble:
        """Return all models side by side, and their mean."""
        check_bagged_columns(model)
        owner = type(model).__name__
        # The library divides by n_estimators, and never uses more models than that.
        members = model.estimators_[: model.n_estimators]
        names = [f"model {number}" for number in range(len(members))]
        parts = [
            _member(member, name, np.asarray(columns), model, _options_for(member, options))
            for member, name, columns in zip(members, names, model.estimators_features_, strict=False)
        ]
        composition = Composition(parts, names, owner)
        classes = class_labels(model)
        if classes is None:
            single = all(response.is_single for response in composition.responses)
            steps = [response.probabilities for response in composition.responses]
            mean = composition.average(steps, None, single)
            ensemble = composition.ensemble(None, mean, deviance_power=composition.deviance_power)
        else:
            answers = [
                _shares(composition, response, member, len(classes))
                for response, member in zip(composition.responses, members, strict=True)
            ]
            mean = composition.average(answers, None)
            ensemble = composition.ensemble(classes, mean, None, _decision(composition, model, members))
        return named_as(ensemble, model, options)


def _options_for(member: Any, options: Options) -> Options:
    """Return the options for a member, whose labels are not used if it has probabilities."""
    return replace(options, needs_label=not hasattr(member, "predict_proba"))


def _shares(composition: Composition, response: Formula, member: Any, n_classes: int) -> int:
    """Return the class probabilities of a member, or its vote if it has none."""
    has_probabilities = hasattr(member, "predict_proba")
    answer = response.probabilities if has_probabilities else composition.add("argmax", response.label)
    # Members learn codes, which are the indices of the classes.
    indices = np.asarray(member.classes_).tolist()
    if len(indices) == n_classes:
        return answer
    return composition.add("place", answer, numbers=[n_classes], columns=indices)


def _decision(composition: Composition, model: Any, members: list[Any]) -> int | None:
    """Return the mean of the decision functions, which the library has only where all classes are known."""
    decisions = [response.decision for response in composition.responses]
    knows_all = all(len(member.classes_) == len(model.classes_) for member in members)
    if not knows_all or not hasattr(model, "decision_function"):
        return None
    return composition.average([step for step in decisions if step is not None], None)


def _member(member: Any, name: str, columns: NDArray[Any], model: Any, options: Options) -> Ensemble:
    """Read a member over all columns of the rows, not only over those that it was given."""
    owner = type(model).__name__
    if options.in_front is None:
        return _over_all_columns(read_member(member, name, owner, options), columns, model)
    chosen = options.in_front.then((name, ChosenColumns(columns.tolist())))
    return read_member(member, name, owner, replace(options, in_front=chosen))


def _over_all_columns(part: Ensemble, columns: NDArray[Any], model: Any) -> Ensemble:
    n_columns = model.n_features_in_
    if np.array_equal(columns, np.arange(n_columns)):
        return part
    features = [Feature(name, ignored=True) for name in default_names(n_columns, type(model).__name__)]
    derived: list[Derived] = []
    for feature, column in zip(part.schema.features, columns.tolist(), strict=True):
        features[column] = replace(feature, name=features[column].name)
        codes = np.append(np.arange(feature.n_values, dtype=np.float64), -1)
        derived.append(FromCategories(column, codes) if feature.is_nominal else Unchanged(column))
    return pull_back(part, Schema(tuple(features)), derived)
