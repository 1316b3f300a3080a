"""scikit-learn's OneVsRestClassifier and OneVsOneClassifier: several classes by models of two."""

from __future__ import annotations

from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from sightline.exceptions import UnsupportedModelError
from sightline.load._composition import Composition, named_as
from sightline.load._options import Options
from sightline.load._registry import register
from sightline.load._sklearn_estimator import require_fitted
from sightline.load.sklearn._wrapper import WrapperImporter, read_member
from sightline.model import Ensemble, Formula
from sightline.sklearn_internals import one_vs_rest_prefers_last


@register
class SklearnOneVsRestImporter(WrapperImporter):
    """Reads one model per class. The class whose model is surest wins."""

    class_names: ClassVar[frozenset[str]] = frozenset({"OneVsRestClassifier"})

    def read_with(self, model: Any, options: Options) -> Ensemble:
        """Return all models side by side, and how they compare."""
        require_fitted(model, "estimators_")
        owner = type(model).__name__
        if model.multilabel_:
            raise UnsupportedModelError(f"{owner}: gives a row several labels. Supported: one label per row.")
        classes = np.asarray(model.classes_)
        composition = _pairs(model, [repr(value) for value in classes.tolist()], options)
        responses, members = composition.responses, model.estimators_
        positive = [_probability(composition, response) for response in responses]
        sureness = [
            _sureness(composition, response, member)
            for response, member in zip(responses, members, strict=True)
        ]
        single = all(response.is_single for response in responses)
        if len(members) == 1:
            shares = composition.add("complement", positive[0], single=single)
            label = composition.add("above", sureness[0], numbers=[_threshold(members[0])], columns=[0, 1])
            decision = responses[0].decision
        else:
            shares = composition.add("concat", *positive, single=single)
            label = composition.add("concat", *sureness)
            has_decisions = all(response.decision is not None for response in responses)
            decision = label if has_decisions else None
            if one_vs_rest_prefers_last():
                label = _first_from_the_end(composition, sureness)
        probabilities = composition.add("normalize", shares, numbers=[0.0], single=single)
        ensemble = composition.ensemble(classes, probabilities, label, decision)
        return named_as(ensemble, model, options)


@register
class SklearnOneVsOneImporter(WrapperImporter):
    """Reads one model per pair of classes. The class with most votes wins."""

    class_names: ClassVar[frozenset[str]] = frozenset({"OneVsOneClassifier"})

    def read_with(self, model: Any, options: Options) -> Ensemble:
        """Return all models side by side, and how they vote; shares of votes are the probabilities."""
        require_fitted(model, "estimators_")
        owner = type(model).__name__
        if model.pairwise_indices_ is not None:
            raise UnsupportedModelError(f"{owner}: its models take pairwise distances. Supported: columns.")
        classes = np.asarray(model.classes_)
        pairs = list(combinations(range(len(classes)), 2))
        names = [f"{classes.tolist()[i]!r} or {classes.tolist()[j]!r}" for i, j in pairs]
        composition = _pairs(model, names, options)
        inputs, votes = [], []
        for response, member, pair in zip(composition.responses, model.estimators_, pairs, strict=True):
            vote = composition.add("argmax", response.label)
            inputs += [vote, _sureness(composition, response, member)]
            votes.append(composition.add("place", vote, numbers=[len(classes)], columns=pair))
        shares = composition.average(votes, None)
        decision = label = composition.add("one_vs_one", *inputs, numbers=[len(classes)])
        if len(classes) == 2:
            decision = composition.add("select", label, columns=[1])
            threshold = _threshold(model.estimators_[0])
            label = composition.add("above", label, numbers=[threshold], columns=[1, 1])
        ensemble = composition.ensemble(classes, shares, label, decision)
        return named_as(ensemble, model, options)


def _pairs(model: Any, names: list[str], options: Options) -> Composition:
    owner = type(model).__name__
    names = [f"the model for {name}" for name in names[-len(model.estimators_) :]]
    parts = []
    for member, name in zip(model.estimators_, names, strict=True):
        part = read_member(member, name, owner, options)
        if part.n_classes != 2:
            raise UnsupportedModelError(f"{owner}: {name} is not a classifier of two classes.")
        parts.append(part)
    return Composition(parts, names, owner)


def _first_from_the_end(composition: Composition, sureness: list[int]) -> int:
    """Return scores that give a row to the last of the classes with the most sureness."""
    backward = composition.add("argmax", composition.add("concat", *reversed(sureness)))
    indices = range(len(sureness))[::-1]
    return composition.add("place", backward, numbers=[len(sureness)], columns=list(indices))


def _probability(composition: Composition, response: Formula) -> int:
    return composition.add("select", response.probabilities, columns=[1])


def _sureness(composition: Composition, response: Formula, member: Any) -> int:
    """Return what the library compares: the decision function, or else the probability of class 1."""
    if not hasattr(member, "decision_function"):
        return _probability(composition, response)
    assert response.decision is not None
    return response.decision


def _threshold(member: Any) -> float:
    return 0.0 if hasattr(member, "decision_function") else 0.5
