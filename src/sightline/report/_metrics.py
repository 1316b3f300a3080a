"""The findings as numbers for other programs."""

from __future__ import annotations

from collections import Counter
from typing import Any

from sightline.model import BlackBox
from sightline.report._evidence import Evidence
from sightline.report._warnings import warning_sentences


def metrics(evidence: Evidence) -> dict[str, Any]:
    """Return the numbers of a report as plain values that JSON can hold.

    Parameters
    ----------
    evidence : Evidence
        The report's findings.

    Returns
    -------
    dict
        Everything measured comes with its 95% interval and the number of rows; what was not measured is None.
        ``warning`` says so if model and ensemble give every row the same label, if only the ensemble predicts
        some class, or if it is worse than a constant guess; None otherwise.
        ``measures`` holds all measures of a classifier, as :meth:`sightline.measure.Measures.to_dict` gives
        them.
        ``weights`` names the weights of the rows and tells the effective number of rows.
        ``black_box`` names the queried model, if the model replaces or explains one without trees.
    """
    return {
        "warning": " ".join(warning_sentences(evidence)) or None,
        "task": evidence.task,
        "target": evidence.naming.target or None,
        "model": type(evidence.model).__name__,
        "size": dict(evidence.model.size_),
        "rows": evidence.rows.n_rows,
        "weights": None if evidence.row_weights is None else evidence.row_weights.to_json(),
        "black_box": evidence.explained.name if isinstance(evidence.explained, BlackBox) else None,
        **_measures(evidence),
        "proof": _proof(evidence),
        "curve": _curve(evidence),
        "remarks": [*evidence.row_notes, *evidence.remarks],
    }


def _measures(evidence: Evidence) -> dict[str, Any]:
    """Return fidelity and how right everyone is; of classes, everything else under ``measures``."""
    measures = evidence.measures
    found = {} if measures is None else measures.to_dict()
    named = {"": "model", "ensemble_": "ensemble", "baseline_": "baseline"}
    if evidence.task == "numbers":
        errors = {f"{who}errors": found.get(name) for who, name in named.items()}
        return {"fidelity": found.get("fidelity"), **errors, "mean_errors": found.get("mean")}
    named["majority_"] = "majority"
    shares = {f"{who}accuracy": (found.get(name) or {}).get("accuracy") for who, name in named.items()}
    return {"fidelity": found.get("fidelity"), **shares, "measures": found or None}


def _proof(evidence: Evidence) -> dict[str, Any] | None:
    certificate = evidence.certificate
    if certificate is None:
        return None
    if certificate.max_difference is not None:
        document = certificate.to_dict()
        kept = ("equivalent", "max_difference", "max_difference_bound", "missing")
        return {name: document[name] for name in kept}
    counts = Counter(status.name.lower() for status in certificate.leaf_status.values())
    return {
        "equivalent": certificate.equivalent,
        "leaves": {name: counts[name] for name in ("proved", "refuted", "open")},
        "share_of_rows": certificate.proved_share,
        "missing": list(certificate.missing),
    }


def _curve(evidence: Evidence) -> dict[str, Any] | None:
    curve = evidence.curve
    if curve is None:
        return None
    quality = "accuracy" if evidence.task == "classes" else "r2"
    return {
        "unit": curve.unit,
        "sizes": curve.sizes.tolist(),
        "fidelity": curve.fidelity.tolist(),
        quality: None if curve.accuracy is None else curve.accuracy.tolist(),
        "suggested": curve.knee,
    }
