"""How well the probabilities of a method rank the held-out rows of a fold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sightline.measure import ClassBalance, Predicted, ScoreQuality
from sightline.table import Labels

if TYPE_CHECKING:
    from sightline.lab import Trial

SCORES = ("auc", "average_precision")


def method_scores(model: Any, trial: Trial) -> dict[str, float]:
    """Return AUC and average precision on the test rows, as notes of a learner.

    Parameters
    ----------
    model : fitted estimator
        The method's model.
    trial : Trial
        The rows of a fold.

    Returns
    -------
    dict of str to float
        Empty for numbers and for models without probabilities; without what the fold's rows do not define.
    """
    if not isinstance(trial.y_test, Labels) or not isinstance(trial.data.y, Labels):
        return {}
    classes = trial.data.y.classes_
    probabilities = _probabilities(model, trial.X_test, classes)
    if probabilities is None:
        return {}
    # The class in focus is that of all rows: a fold may have few of a rare class.
    balance = ClassBalance.of(trial.data.y.codes.astype(np.intp), classes, trial.data.weights)
    truth = trial.y_test.codes.astype(np.intp)
    scores = ScoreQuality.of(truth, probabilities, balance, weights=trial.test_weights)
    found = {"auc": scores.auc.value, "average_precision": scores.average_precision.value}
    return {name: value for name, value in found.items() if not math.isnan(value)}


def _probabilities(model: Any, rows: Any, classes: NDArray[Any]) -> NDArray[np.float64] | None:
    from sightline.lab import OriginalRows  # noqa: PLC0415 - only a comparison loads the lab

    if isinstance(model, OriginalRows):
        return Predicted.by(model.ensemble_, rows).scores(classes.tolist())
    if not hasattr(model, "predict_proba"):
        return None
    own = np.asarray(model.classes_)
    return Predicted(np.zeros(rows.n_rows), model.predict_proba(rows), own).scores(classes.tolist())
