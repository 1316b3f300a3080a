"""Where the model and the ensemble give different labels, or differ most in their numbers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.measure import error_text
from sightline.model import Graph, Tree
from sightline.report._evidence import Evidence
from sightline.report._sample import MAX_WORST, Sample
from sightline.wording import pluralize

MAX_LEAVES_OF_NUMBERS = 12
"""Numbers nearly always differ, so that a page lists only the leaves in which they differ most."""


def disagreement_part(evidence: Evidence, sample: Sample) -> dict[str, Any] | None:
    """Return the leaves in which they differ, the worst first, with the rows that the page carries."""
    if evidence.gaps is not None:
        return _gaps_part(evidence, sample, evidence.gaps)
    agrees = evidence.agrees
    if agrees is None:
        return None
    differ = np.flatnonzero(~agrees)
    shown = np.intersect1d(sample.chosen, differ)
    return {
        "title": "Where they disagree",
        "n_rows": len(agrees),
        "n_differ": len(differ),
        "n_shown": len(shown),
        "groups": [
            {
                "leaf": leaf,
                "n_rows": len(rows),
                "labels": _label_pairs(evidence, rows),
                "rows": np.flatnonzero(np.isin(sample.chosen, rows)).tolist(),
            }
            for leaf, rows in sorted(
                _by_leaf(evidence, differ).items(), key=lambda item: (-len(item[1]), item[0])
            )
        ],
        "n_refuted": _n_refuted(evidence),
    }


def _gaps_part(evidence: Evidence, sample: Sample, gaps: NDArray[np.float64]) -> dict[str, Any]:
    """Return the leaves in which the numbers differ most on average, each with its worst rows first."""
    shown = _worst_shown(sample, gaps)

    def mean(rows: NDArray[np.int64] | slice) -> float:
        weights = None if evidence.weights is None else evidence.weights[rows]
        # Rows of weight 0 have no weighted mean.
        return float(np.average(gaps[rows], weights=weights if weights is None or weights.any() else None))

    by_leaf = _by_leaf(evidence, np.flatnonzero(gaps > 0))
    worst = sorted(by_leaf.items(), key=lambda item: (-mean(item[1]), item[0]))
    groups = [
        {
            "leaf": leaf,
            "n_rows": len(rows),
            "mean": mean(rows),
            "largest": float(gaps[rows].max()),
            "rows": shown[np.isin(sample.chosen[shown], rows)].tolist(),
        }
        for leaf, rows in worst
    ]
    if len(shown):
        groups = sorted(
            (group for group in groups if group["rows"]),
            key=lambda group: -float(gaps[sample.chosen[group["rows"][0]]]),
        )
    return {
        "title": "Where they differ most",
        "n_rows": len(gaps),
        "n_shown": sum(len(group["rows"]) for group in groups),
        "mean": mean(slice(None)),
        "largest": float(gaps.max()),
        "groups": groups if len(shown) else groups[:MAX_LEAVES_OF_NUMBERS],
    }


def difference_link(evidence: Evidence) -> str | None:
    """Say on how many rows they differ, or how far at most; None without an ensemble."""
    if evidence.gaps is not None:
        largest = float(evidence.gaps.max())
        text = f"The largest difference here is {error_text(largest)}."
        return text if largest else _agreement_text(len(evidence.gaps))
    if evidence.agrees is None:
        return None
    n_rows = int((~evidence.agrees).sum())
    return f"They differ on {pluralize(n_rows, 'row')}." if n_rows else _agreement_text(len(evidence.agrees))


def _agreement_text(n_rows: int) -> str:
    return f"They agree on all {n_rows:,} rows." if n_rows > 1 else "They agree on the only row."


def _by_leaf(evidence: Evidence, rows: NDArray[np.int64]) -> dict[int, NDArray[np.int64]]:
    """Return the rows that reach each leaf; all of them under -1 if the model has no leaves."""
    if not len(rows):
        return {}
    if not isinstance(evidence.model, Tree | Graph):
        return {-1: rows}
    leaves = np.asarray(evidence.model.apply(evidence.rows[rows]))
    return {int(leaf): rows[leaves == leaf] for leaf in np.unique(leaves)}


def _label_pairs(evidence: Evidence, rows: NDArray[np.int64]) -> list[list[int]]:
    """Count what the model and the ensemble predict: indices of both classes, the most frequent first."""
    assert evidence.ensemble_labels is not None
    code = {label: code for code, label in enumerate(evidence.classes_.tolist())}
    own, other = evidence.model_labels[rows].tolist(), evidence.ensemble_labels[rows].tolist()
    pairs = Counter((code.get(a, -1), code.get(b, -1)) for a, b in zip(own, other, strict=True))
    return [[*pair, n] for pair, n in pairs.most_common()]


def _worst_shown(sample: Sample, gaps: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the indices, among the page's rows, of those that differ most, the worst first."""
    worst = np.argsort(-gaps[sample.chosen], kind="stable")[:MAX_WORST]
    return np.asarray(worst[gaps[sample.chosen[worst]] > 0])


def _n_refuted(evidence: Evidence) -> int:
    """Count the leaves for which the certificate found a row that the ensemble labels differently."""
    certificate = evidence.certificate
    return 0 if certificate is None else len([leaf for leaf in certificate.witnesses if leaf >= 0])
