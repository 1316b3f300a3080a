"""Where the model and the ensemble say different things."""

from __future__ import annotations

from typing import Any

import numpy as np

from sightline.model import Graph, Tree
from sightline.report._evidence import Evidence
from sightline.report._sample import Sample


def disagreement_part(evidence: Evidence, sample: Sample) -> dict[str, Any] | None:
    """Return the rows on which they differ, by the leaf that each reaches, the worst leaf first."""
    agrees = evidence.agrees
    if agrees is None:
        return None
    differ = np.flatnonzero(~agrees)
    kept = np.flatnonzero(np.isin(sample.chosen, differ))
    groups: dict[int, list[int]] = {}
    for place, leaf in zip(kept.tolist(), _leaf_of(evidence, sample.chosen[kept]), strict=True):
        groups.setdefault(leaf, []).append(place)
    return {
        "title": "Where they disagree",
        "n_rows": len(agrees),
        "n_differ": len(differ),
        "n_shown": len(kept),
        "groups": [
            {"leaf": leaf, "rows": places}
            for leaf, places in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
        ],
        "witness": _witness(evidence),
    }


def _leaf_of(evidence: Evidence, rows: Any) -> list[int]:
    """Return the leaf that each row reaches; -1 for all where the model has none."""
    if not len(rows) or not isinstance(evidence.model, Tree | Graph):
        return [-1] * len(rows)
    return [int(leaf) for leaf in evidence.model.apply(evidence.rows[rows])]


def _witness(evidence: Evidence) -> dict[str, Any] | None:
    """Return how many leaves are refuted by rows that nobody has seen."""
    certificate = evidence.certificate
    if certificate is None or not certificate.witnesses:
        return None
    return {"n_leaves": len([leaf for leaf in certificate.witnesses if leaf >= 0])}
