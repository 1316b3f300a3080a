"""The loss of a distilled tree: wrong labels, distant probabilities, distant numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.distill._prior_shift import PriorShift
from sightline.distill._teacher import Teacher
from sightline.exceptions import ParameterError
from sightline.model import Decision
from sightline.passes import NodeLoss
from sightline.table import center_and_scale
from sightline.wording import list_names

OBJECTIVES = {"labels": (1.0, 0.0), "both": (1.0, 0.3), "probabilities": (0.0, 1.0)}
"""Cost of a wrong label, and of the squared distance from the ensemble's probabilities. "both" keeps the
fidelity of "labels"; a larger distance gains a little more AUC and loses labels."""

WEIGHTED = {**OBJECTIVES, "both": (1.0, 1.0)}
"""The same with class weights. Labels then follow the weights and separate rows of low probability. The
most probable rows of a rare class are separated by the distance alone, so it counts more."""

_BINARY = 2

_GRAIN = 2.0**10
"""Class weights are multiples of its inverse, so that sums of them are exact."""


@dataclass(frozen=True, eq=False)
class Charges:
    """The loss of a row in a leaf.

    Attributes
    ----------
    label, target : float
        Cost of a wrong label, and of the distance from the ensemble's probabilities or number.
    absolute : bool
        Whether a number is charged for the distance itself instead of its square.
    class_weight : mapping of label to float, "balanced" or None
        Row weights by the ensemble's label.
    decision : Decision, optional
        How the ensemble's probabilities become its labels, if not the most probable class.
    by_cost : bool
        Whether a wrong label is charged for its expected cost instead of for being wrong.
    """

    label: float = 1.0
    target: float = 0.0
    absolute: bool = False
    class_weight: Mapping[Any, float] | str | None = None
    decision: Decision | None = None
    by_cost: bool = False

    @property
    def separates_labels(self) -> bool:
        """Whether a leaf can have a label that is not its most probable class."""
        return self.class_weight is not None or self.decision is not None

    def label_costs(self, teacher: Teacher) -> NDArray[np.float64] | None:
        """Return the cost of each label (second index) by true class.

        None if the most probable class is the label, or if there are two classes: their label follows a
        threshold.
        """
        if teacher.n_classes <= _BINARY or not self.separates_labels:
            return None
        given = None if self.decision is None else self.decision.costs
        costs = 1 - np.eye(teacher.n_classes) if given is None else np.asarray(given)
        weights = self._class_weights(teacher)
        return costs * np.array(weights)[:, None] if weights else costs

    def objective(self, teacher: Teacher, shift: PriorShift | None = None) -> _core.Objective:
        """Return the charges for the kernels, for probabilities that may be shifted."""
        if not teacher.n_classes:
            return self._of_numbers(teacher)
        return _core.Objective(
            self.label,
            self.target * (1.0 if shift is None else shift.spread),
            class_weight=self._class_weights(teacher),
            worth=self._worth(teacher, shift).ravel().tolist(),
        )

    def node_loss(self, teacher: Teacher, shift: PriorShift | None = None) -> NodeLoss:
        """Return the charges for passes over rows in parts, without the costs of single labels."""
        if not teacher.n_classes:
            _, scale = center_and_scale(teacher.ensemble_numbers, teacher.weights)
            return NodeLoss(0.0, 1.0, self.absolute, scale)
        weights = self._class_weights(teacher)
        return NodeLoss(
            self.label,
            self.target * (1.0 if shift is None else shift.spread),
            class_weight=np.array(weights) if weights else None,
            shifted=None if shift is None else shift.shifted,
        )

    def _worth(self, teacher: Teacher, shift: PriorShift | None) -> NDArray[np.float64]:
        """Return what a unit of a class's probability is worth to each label; empty for 0/1 loss."""
        if self.decision is None and shift is None:
            return np.empty((0, 0))
        worth = np.eye(teacher.n_classes) if self.decision is None else self.decision.worth()
        return worth if shift is None else worth * (shift.odds / shift.odds.max())[:, None]

    def of_labels(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Return the cost of each label for each row, from 0 to 1; None if all wrong labels cost 1."""
        if self.decision is None or not self.by_cost:
            return None
        worth = probabilities @ self.decision.worth()
        return np.ascontiguousarray(worth.max(axis=1, keepdims=True) - worth).ravel()

    def _of_numbers(self, teacher: Teacher) -> _core.Objective:
        """Measure distances in units of the numbers' deviation."""
        center, scale = center_and_scale(teacher.ensemble_numbers, teacher.weights)
        return _core.Objective(label=0.0, target=1.0, absolute=self.absolute, center=center, scale=scale)

    def _class_weights(self, teacher: Teacher) -> list[float]:
        if self.class_weight is None:
            return []
        labels = teacher.classes_.tolist()
        if self.class_weight == "balanced":
            found = np.bincount(teacher.ensemble_labels, teacher.row_weights, minlength=len(labels))
            weights = found.sum() / (np.count_nonzero(found) * np.maximum(found, 1e-300))
            weights[found == 0] = 1.0
        else:
            weights = _given_weights(dict(self.class_weight), labels)  # type: ignore[arg-type]
        rounded: list[float] = (np.maximum(np.round(weights * _GRAIN), 1.0) / _GRAIN).tolist()
        return rounded


def _given_weights(given: dict[Any, float], labels: list[Any]) -> NDArray[np.float64]:
    unknown = [repr(label) for label in given if label not in labels]
    if unknown:
        raise ParameterError(
            f"class_weight names {list_names(unknown)}, but the classes are "
            f"{list_names([repr(label) for label in labels])}."
        )
    weights = np.array([float(given.get(label, 1.0)) for label in labels])
    if not np.isfinite(weights).all() or weights.min() < 0 or weights.max() == 0:
        raise ParameterError(
            "class_weight must hold finite numbers that are not negative, and one that is not 0. "
            f"Got {given!r} instead."
        )
    return weights
