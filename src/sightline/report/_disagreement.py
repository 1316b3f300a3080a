"""The rows on which the model and the ensemble give different labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from sightline.model import Graph, Tree
from sightline.report._evidence import Evidence
from sightline.report._sample import Sample


def disagreement_part(evidence: Evidence, sample: Sample) -> dict[str, Any] | None:
    """Return the rows on which they differ, grouped by leaf, the worst leaf first."""
    agrees = evidence.agrees
    if agrees is None:
        return None
    differ = np.flatnonzero(~agrees)
    kept = np.flatnonzero(np.isin(sample.chosen, differ))
    groups: dict[int, list[int]] = {}
    for index, leaf in zip(kept.tolist(), _leaf_of(evidence, sample.chosen[kept]), strict=True):
        groups.setdefault(leaf, []).append(index)
    return {
        "title": "Where they disagree",
        "n_rows": len(agrees),
        "n_differ": len(differ),
        "n_shown": len(kept),
        "groups": [
            {"leaf": leaf, "rows": rows}
            for leaf, rows in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
        ],
        "n_refuted": _n_refuted(evidence),
    }


def _leaf_of(evidence: Evidence, rows: Any) -> list[int]:
    """Return the leaf that each row reaches; -1 if the model has no leaves."""
    if not len(rows) or not isinstance(evidence.model, Tree | Graph):
        return [-1] * len(rows)
    return [int(leaf) for leaf in evidence.model.apply(evidence.rows[rows])]


def _n_refuted(evidence: Evidence) -> int:
    """Count the leaves for which the certificate found a row that the ensemble labels differently."""
    certificate = evidence.certificate
    return 0 if certificate is None else len([leaf for leaf in certificate.witnesses if leaf >= 0])
