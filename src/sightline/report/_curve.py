"""The curve of sizes and fidelity."""

from __future__ import annotations

from typing import Any

from sightline.report._evidence import Evidence
from sightline.report._sample import Sample


def curve_part(evidence: Evidence, sample: Sample) -> dict[str, Any] | None:  # noqa: ARG001
    """Return the curve, where there are trees of several sizes."""
    curve = evidence.curve
    if curve is None or len(curve) < 2:
        return None
    others = [leaves for leaves, tree in evidence.sizes.items() if tree is not evidence.model]
    place = {leaves: place + 1 for place, leaves in enumerate(others)}
    return {
        "title": "Size and fidelity",
        "leaves": curve.leaves.tolist(),
        "fidelity": curve.fidelity.tolist(),
        "accuracy": None if curve.accuracy is None else curve.accuracy.tolist(),
        "ensemble_accuracy": curve.ensemble_accuracy,
        "suggested": curve.knee,
        "n_rows": curve.n_rows,
        # Which of the page's models has so many leaves; the first is the report's own.
        "model": [place.get(leaves, 0) for leaves in curve.leaves.tolist()],
    }
