"""The model card: what was learnt from what, how it was judged, and what the page cannot tell."""

from __future__ import annotations

import platform
from collections import Counter
from typing import Any

import sightline
from sightline.report._evidence import Evidence
from sightline.report._naming import described
from sightline.report._sample import Sample
from sightline.report._share import Share
from sightline.wording import printable

Lines = dict[str, str]

LIMITS = (
    "What is measured is measured on rows like these; on rows from elsewhere it may be otherwise.",
    "A path says how the model decides, not what would happen if the world were changed: "
    "correlation is not cause.",
    "Intervals are Wilson's at 95%; they speak of chance in drawing the rows, of nothing else.",
)


OF_COPIES = "The model stands for the ensemble; where the ensemble is wrong, so is a faithful copy of it."


def card_part(evidence: Evidence, sample: Sample) -> dict[str, Any]:
    """Return the card as headings with lines of two columns, and the limits."""
    sections = {
        "Data": _data(evidence),
        "Ensemble": _ensemble(evidence),
        "Model": _model(evidence),
        "Measures": _measures(evidence),
        "Certificate": _certificate(evidence),
        "Made with": _versions(),
    }
    for heading, lines in evidence.notes.items():
        sections[heading] = {**lines, **sections.get(heading, {})}
    return {
        "title": "Model card",
        "sections": [
            {
                "heading": printable(heading),
                "lines": [[printable(key), printable(text)] for key, text in lines.items()],
            }
            for heading, lines in sections.items()
            if lines
        ],
        "limits": [*LIMITS, *_of_copies(evidence), *_left_out(evidence, sample)],
    }


def _data(evidence: Evidence) -> Lines:
    rows = evidence.rows
    n_nominal = sum(column.feature.is_nominal for column in rows.columns)
    n_missing = sum(int(column.is_missing.sum()) for column in rows.columns)
    n_cells = rows.n_rows * len(rows.columns)
    lines = {} if evidence.data_name is None else {"Name": evidence.data_name}
    lines["Rows of this report"] = f"{rows.n_rows:,}"
    lines["Columns"] = f"{len(rows.columns) - n_nominal:,} numeric, {n_nominal:,} nominal"
    lines["Missing cells"] = f"{n_missing:,} of {n_cells:,}"
    lines["Classes"] = ", ".join(map(str, evidence.classes_.tolist()))
    if evidence.labels is not None:
        counts = Counter(evidence.labels.tolist())
        lines["Rows by class"] = ", ".join(
            f"{label}: {counts[label]:,}" for label in evidence.classes_.tolist()
        )
    return lines


def _ensemble(evidence: Evidence) -> Lines:
    ensemble = evidence.ensemble
    if ensemble is None:
        return {}
    combined = {
        "mean": "mean of class probabilities" if not ensemble.core.votes else "weighted votes",
        "sigmoid": "sum of scores, sigmoid",
        "softmax": "sums of scores, softmax",
    }
    return {
        "Trees": f"{ensemble.n_trees:,}",
        "Nodes": f"{ensemble.n_nodes:,}",
        "Combined by": combined.get(ensemble.link.kind, ensemble.link.kind),
    }


def _model(evidence: Evidence) -> Lines:
    size = evidence.model.size_
    lines = {
        "What it is": described(evidence.model),
        "Size": ", ".join(f"{n:,} {key}" for key, n in size.items() if n),
    }
    if evidence.estimator is None:
        return lines
    parameters = {
        name: value for name, value in evidence.estimator.get_params(deep=False).items() if name != "ensemble"
    }
    lines["Method"] = type(evidence.estimator).__name__
    lines["Parameters"] = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
    return lines


def _measures(evidence: Evidence) -> Lines:
    shares: dict[str, Share | None] = {
        "Fidelity": evidence.fidelity,
        "Accuracy of the model": evidence.accuracy,
        "Accuracy of the ensemble": evidence.ensemble_accuracy,
        "Accuracy of an ordinary tree": evidence.baseline_accuracy,
    }
    return {
        name: f"{share.text} of {share.total:,} rows (95%: {share.interval_text})"
        for name, share in shares.items()
        if share is not None
    }


def _certificate(evidence: Evidence) -> Lines:
    certificate = evidence.certificate
    if certificate is None:
        return {}
    answer = {True: "yes, for every row covered", False: "no: a row tells them apart", None: "not known"}
    counts = Counter(status.name.lower() for status in certificate.leaf_status.values())
    lines = {
        "Equal to the ensemble": answer[certificate.equivalent],
        "Parts of the space looked at": f"{certificate.n_boxes:,}",
        "Rows covered": "those in which values are missing only of: " + ", ".join(certificate.missing)
        if certificate.missing
        else "those without missing values",
    }
    if counts:
        lines["Leaves"] = ", ".join(f"{counts[name]:,} {name}" for name in ("proved", "refuted", "open"))
    if certificate.proved_share is not None:
        lines["Rows in proved leaves"] = f"{100 * certificate.proved_share:.1f}%"
    return lines


def _versions() -> Lines:
    return {"sightline": sightline.__version__, "Python": platform.python_version()}


def _of_copies(evidence: Evidence) -> list[str]:
    return [] if evidence.ensemble is None else [OF_COPIES]


def _left_out(evidence: Evidence, sample: Sample) -> list[str]:
    n_kept, n_rows = len(sample.chosen), evidence.rows.n_rows
    if n_kept == n_rows:
        return []
    return [f"This page carries {n_kept:,} of the {n_rows:,} rows; all were counted."]
