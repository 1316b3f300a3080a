"""The rows on which the model and the ensemble give different labels, or differ most in their numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.measure import error_text
from sightline.model import Graph, Tree
from sightline.report._evidence import Evidence
from sightline.report._sample import MAX_WORST, Sample
from sightline.wording import pluralize


def disagreement_part(evidence: Evidence, sample: Sample) -> dict[str, Any] | None:
    """Return the rows on which they differ, grouped by leaf, the worst leaf first."""
    if evidence.gaps is not None:
        return _gaps_part(evidence, sample, evidence.gaps)
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


def _gaps_part(evidence: Evidence, sample: Sample, gaps: NDArray[np.float64]) -> dict[str, Any]:
    """Return the rows of the page that differ most, the worst first, grouped by leaf."""
    worst = sorted(range(len(sample.chosen)), key=lambda index: -gaps[sample.chosen[index]])[:MAX_WORST]
    kept = np.array([index for index in worst if gaps[sample.chosen[index]] > 0], dtype=np.int64)
    groups: dict[int, list[int]] = {}
    for index, leaf in zip(kept.tolist(), _leaf_of(evidence, sample.chosen[kept]), strict=True):
        groups.setdefault(leaf, []).append(index)
    return {
        "title": "Where they differ most",
        "n_rows": len(gaps),
        "n_shown": len(kept),
        "mean": float(gaps.mean()),
        "largest": float(gaps.max()),
        "groups": [{"leaf": leaf, "rows": rows} for leaf, rows in groups.items()],
    }


def difference_link(evidence: Evidence) -> str | None:
    """Say on how many rows they differ, or how far at most; None without an ensemble."""
    if evidence.gaps is not None:
        largest = float(evidence.gaps.max())
        text = f"The largest difference here is {error_text(largest)}."
        return text if largest else "They differ on no row."
    if evidence.agrees is None:
        return None
    n_rows = int((~evidence.agrees).sum())
    return f"They differ on {pluralize(n_rows, 'row')}." if n_rows else "They differ on no row."


def _leaf_of(evidence: Evidence, rows: Any) -> list[int]:
    """Return the leaf that each row reaches; -1 if the model has no leaves."""
    if not len(rows) or not isinstance(evidence.model, Tree | Graph):
        return [-1] * len(rows)
    return [int(leaf) for leaf in evidence.model.apply(evidence.rows[rows])]


def _n_refuted(evidence: Evidence) -> int:
    """Count the leaves for which the certificate found a row that the ensemble labels differently."""
    certificate = evidence.certificate
    return 0 if certificate is None else len([leaf for leaf in certificate.witnesses if leaf >= 0])
