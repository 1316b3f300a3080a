"""An ensemble whose labels follow a threshold or costs instead of the most probable class."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sightline.load._composition import Composition
from sightline.model import Decision, Ensemble

_LARGEST = np.finfo(np.float64).max


def decided(ensemble: Ensemble, decision: Decision, owner: str = "The ensemble") -> Ensemble:
    """Return the ensemble with other labels.

    Parameters
    ----------
    ensemble : Ensemble
        An ensemble with as many classes as the decision is about.
    decision : Decision
        How its probabilities become a label.
    owner : str, default="The ensemble"
        What error messages call it.

    Returns
    -------
    Ensemble
        It has the same probabilities.
    """
    composition = Composition.of_one(ensemble, owner)
    response = composition.response
    if decision.costs is not None:
        label = composition.add("mix", response.probabilities, numbers=decision.worth().ravel().tolist())
    else:
        bound = just_below(_compared(decision.threshold, response.is_single))
        columns = [decision.positive] * 2
        label = composition.add("above", response.probabilities, numbers=[bound], columns=columns)
    made = composition.ensemble(ensemble.classes_, response.probabilities, label, response.decision)
    return made.replaced(schema=replace(made.schema, subject=ensemble.schema.subject))


def _compared(threshold: float | None, is_single: bool) -> float:
    """Return the threshold as numpy compares it: a Python number takes the type of the scores."""
    assert threshold is not None
    return float(np.float32(threshold)) if is_single and type(threshold) in (int, float) else float(threshold)


def just_below(bound: float) -> float:
    """Return the bound that a score exceeds exactly where it is at least the given one."""
    return finite(float(np.nextafter(bound, -np.inf)))


def finite(bound: float) -> float:
    """Return the bound, or the largest number in place of infinity."""
    return float(np.clip(bound, -_LARGEST, _LARGEST))
