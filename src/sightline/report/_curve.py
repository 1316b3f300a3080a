"""The curve of fidelity by size."""

from __future__ import annotations

from typing import Any

from sightline.report._evidence import Evidence
from sightline.report._sample import Sample

_OTHER_UNITS = {"tests": ("test", "tests")}
"""Units of curves that are not those of the model's size: a graph has nodes."""


def curve_part(evidence: Evidence, sample: Sample) -> dict[str, Any] | None:  # noqa: ARG001
    """Return the curve, if there are models of several sizes."""
    curve = evidence.curve
    if curve is None or len(curve) < 2:
        return None
    others = [size for size, model in evidence.sizes.items() if model is not evidence.model]
    index = {size: index + 1 for index, size in enumerate(others)}
    return {
        "title": "Size and fidelity",
        "measure": curve.measure,
        "sizes": curve.sizes.tolist(),
        "unit": list(evidence.kind.unit if evidence.kind.unit[1] == curve.unit else _OTHER_UNITS[curve.unit]),
        "fidelity": curve.fidelity.tolist(),
        "accuracy": None if curve.accuracy is None else curve.accuracy.tolist(),
        "ensemble_accuracy": curve.ensemble_accuracy,
        "suggested": curve.knee,
        "n_rows": curve.n_rows,
        # Which of the page's models has this size; 0 is the report's own.
        "model": [index.get(size, 0) for size in curve.sizes.tolist()],
    }
