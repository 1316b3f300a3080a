"""The decision rule that a distilled model imitates: a threshold, costs, or the ensemble's own."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from sightline.exceptions import ParameterError
from sightline.load import decided as decided_ensemble
from sightline.model import BlackBox, Decision, Ensemble
from sightline.sklearn_internals import Interval

DECISION_CONSTRAINTS: dict[str, Any] = {
    "threshold": [Interval(Real, 0, 1, closed="neither"), None],
    "cost_matrix": ["array-like", None],
}
"""Valid parameters of the estimators that let the user decide."""


def decision_of(threshold: float | None, cost_matrix: Any, ensemble: Ensemble | BlackBox) -> Decision | None:
    """Check the parameters of an estimator, and return the decision rule that they define.

    Parameters
    ----------
    threshold : float or None
        Smallest probability of the positive class at which it is the label.
    cost_matrix : array-like of shape (n_classes, n_classes) or None
        Cost of each label, by true class.
    ensemble : Ensemble or BlackBox
        The ensemble, for its classes.

    Returns
    -------
    Decision or None
        None if the ensemble's own rule applies.
    """
    n_classes = len(np.asarray(ensemble.classes_))
    if threshold is not None and cost_matrix is not None:
        raise ParameterError("Pass either threshold or cost_matrix, not both: each determines the labels.")
    if threshold is not None:
        if n_classes != 2:
            raise ParameterError(
                f"threshold needs two classes, but there are {n_classes}. Pass a cost_matrix instead."
            )
        return Decision(float(threshold), positive_index(ensemble))
    return None if cost_matrix is None else Decision.by_costs(_checked_costs(cost_matrix, n_classes))


def own_threshold(ensemble: Ensemble | BlackBox) -> Decision | None:
    """Return the threshold that an ensemble itself decides by, as a wrapped threshold classifier does.

    Returns
    -------
    Decision or None
        None if its label is the most probable class, or follows a different rule.
    """
    formula = ensemble.link.formula if isinstance(ensemble, Ensemble) else None
    decision = None if formula is None else Decision.of_formula(formula)
    return None if decision is None or decision.threshold is None else decision


def positive_index(ensemble: Ensemble | BlackBox) -> int:
    """Return the index of the positive class: the one the caller named, or the last."""
    classes = np.asarray(ensemble.classes_).tolist()
    positive = getattr(ensemble, "positive", None)
    return len(classes) - 1 if positive is None else classes.index(positive)


def decided(ensemble: Ensemble | BlackBox, decision: Decision) -> Ensemble | BlackBox:
    """Return the ensemble with the labels of a decision."""
    if isinstance(ensemble, BlackBox):
        return ensemble.decided(decision)
    return decided_ensemble(ensemble, decision)


def _checked_costs(cost_matrix: Any, n_classes: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    try:
        costs = np.asarray(cost_matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError("cost_matrix must hold numbers.") from None
    if costs.shape != (n_classes, n_classes):
        raise ParameterError(
            f"cost_matrix must have a row and a column for each of the {n_classes} classes, but its shape is "
            f"{costs.shape}."
        )
    if not np.isfinite(costs).all() or (costs < 0).any():
        raise ParameterError("cost_matrix must hold finite numbers that are not negative.")
    right = np.diag(costs)[:, None]
    if (costs < right).any() or not (costs > right).any(axis=1).all():
        raise ParameterError(
            "cost_matrix must charge more for wrong labels than for right ones, which are on the diagonal."
        )
    return costs
