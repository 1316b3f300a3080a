"""The tables of everything that was measured."""

from __future__ import annotations

from typing import Any

from sightline.measure import (
    calibration_table,
    confusion_caption,
    confusion_table,
    measure_notes,
    measure_table,
)
from sightline.report._evidence import Evidence
from sightline.report._sample import Sample
from sightline.wording import capitalize


def measures_part(evidence: Evidence, sample: Sample) -> dict[str, Any] | None:  # noqa: ARG001
    """Return the measures of all models; None if nothing was measured."""
    if evidence.measures is None:
        return None
    head, *lines = measure_table(evidence.measures)
    names = {"model": evidence.kind.predictor_noun}
    return {
        "title": "Accuracy and fidelity" if evidence.task == "classes" else "Errors and fidelity",
        "notes": measure_notes(evidence.measures),
        "head": [capitalize(names.get(name, name)) for name in head],
        "lines": [[capitalize(name), *cells] for name, *cells in lines],
        "confusion": _confusion(evidence),
        "calibration": _calibration(evidence),
    }


def _confusion(evidence: Evidence) -> dict[str, Any] | None:
    """Return the confusion matrix of the model; None for numbers, without labels, and for many classes."""
    assert evidence.measures is not None
    table = confusion_table(evidence.measures)
    if not table:
        return None
    caption = confusion_caption(evidence.measures, evidence.kind.predictor_noun)
    return {"caption": caption, "head": table[0], "lines": table[1:]}


def _calibration(evidence: Evidence) -> dict[str, Any] | None:
    """Return the calibration curve of the model; None for numbers, without labels, and for many classes."""
    assert evidence.measures is not None
    table = calibration_table(evidence.measures)
    if not table:
        return None
    noun = evidence.kind.predictor_noun
    caption = f"Calibration: rows grouped by the probability that the {noun} predicts"
    head, *lines = table
    return {"caption": caption, "head": [capitalize(name) for name in head], "lines": lines}
