"""Cost of the labels per row, for models learned with a cost matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.measure import ClassQuality, Estimate, error_texts, mean_interval
from sightline.report._evidence import Evidence
from sightline.wording import printable


def cost_line(evidence: Evidence) -> str:
    """Return the mean cost per row for each model; empty without costs or true labels."""
    costs = _cost_matrix(evidence)
    if costs is None:
        return ""
    found = {
        who: float((one.confusion * costs).sum() / one.confusion.sum())
        for who, one in evidence.qualities.items()
        if isinstance(one, ClassQuality)
    }
    texts = error_texts(list(found.values()))
    return ", ".join(f"{printable(who)} {text}" for who, text in zip(found, texts, strict=True))


def cost_change(evidence: Evidence) -> Estimate | None:
    """Return how much more a row costs with the model than with its ensemble, row by row."""
    costs = _cost_matrix(evidence)
    if costs is None or evidence.ensemble_labels is None:
        return None
    truth, ours, theirs = (
        _codes(evidence, labels)
        for labels in (evidence.labels, evidence.model_labels, evidence.ensemble_labels)
    )
    return mean_interval(costs[truth, ours] - costs[truth, theirs], "change", weights=evidence.weights)


def _cost_matrix(evidence: Evidence) -> NDArray[np.float64] | None:
    given = getattr(evidence.estimator, "cost_matrix", None)
    measures = evidence.measures
    if given is None or measures is None or measures.balance is None or evidence.labels is None:
        return None
    # Rows may have labels that the model does not know: nobody said what these cost.
    is_known = measures.balance.classes.tolist() == evidence.classes_.tolist()
    return np.asarray(given, dtype=np.float64) if is_known else None


def _codes(evidence: Evidence, labels: Any) -> NDArray[np.intp]:
    index = {label: code for code, label in enumerate(evidence.classes_.tolist())}
    return np.array([index[label] for label in np.asarray(labels).tolist()], dtype=np.intp)
