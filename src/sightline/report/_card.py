"""The model card: what was learned from what, how it was measured, and what the page cannot tell."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from sightline.judge import Certificate
from sightline.measure import error_text
from sightline.model import BlackBox, Ensemble
from sightline.report._audit import audit_lines
from sightline.report._evidence import Evidence
from sightline.report._proof_words import covered_rows, missing_names
from sightline.report._sample import Sample
from sightline.show import MIN_ROWS_BEYOND, quantile_range, response_text
from sightline.wording import answer_text, percent, printable

Lines = dict[str, str]

LIMITS = (
    "All numbers hold for rows like these. On rows from elsewhere they may differ.",
    "A path shows how the model decides. It does not show what would happen if a value were changed "
    "in reality: correlation is not causation.",
    "Intervals are 95% {kind}. They account only for chance in sampling the rows.",
)
INTERVALS = {
    "classes": "intervals: Wilson's for shares, DeLong's for AUC, normal ones for means",
    "numbers": "normal intervals, of R² by the delta method",
}

NO_ROWS = (
    "This page carries no rows of the data. Ranges are rounded quantiles, and no category is named that "
    f"fewer than {MIN_ROWS_BEYOND} rows have, unless the model does."
)
LIMIT_OF_COPIES = "The model imitates the {noun}. A faithful copy repeats the {noun}'s errors."


def card_part(evidence: Evidence, sample: Sample) -> dict[str, Any]:
    """Return the card: headings with lines of two columns, and the limits."""
    sections = {
        "Data": _data(evidence),
        _heading_of_ensemble(evidence): _ensemble(evidence),
        "Model": _model(evidence),
        "Certificate": _certificate(evidence),
        "Audit trail": audit_lines(evidence),
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
        "limits": [
            *(limit.format(kind=INTERVALS[evidence.task]) for limit in LIMITS),
            *_of_copies(evidence),
            *_left_out(evidence, sample),
        ],
    }


def _data(evidence: Evidence) -> Lines:
    rows = evidence.rows
    columns = [column for column in rows.columns if not column.feature.ignored]
    n_nominal = sum(column.feature.is_nominal for column in columns)
    n_missing = sum(int(column.is_missing.sum()) for column in columns)
    n_cells = rows.n_rows * len(columns)
    lines = {} if evidence.data_name is None else {"Name": evidence.data_name}
    lines["Rows in this report"] = f"{rows.n_rows:,}"
    if evidence.row_weights is not None:
        lines["Weights"] = evidence.row_weights.sentence
    elif evidence.drawn_by:
        lines["Weights"] = evidence.draw_sentence
    lines["Columns"] = f"{len(columns) - n_nominal:,} numeric, {n_nominal:,} nominal"
    lines["Missing cells"] = f"{n_missing:,} of {n_cells:,}"
    return {**lines, **(_classes(evidence) if evidence.task == "classes" else _numbers(evidence))}


def _classes(evidence: Evidence) -> Lines:
    naming = evidence.naming
    lines = {
        **({"Target": naming.target} if naming.target else {}),
        "Classes": ", ".join(map(str, evidence.classes_.tolist())),
        **({} if naming.positive is None else {"Positive class": str(naming.positive)}),
    }
    if evidence.labels is not None:
        counts = Counter(evidence.labels.tolist())
        labels = dict.fromkeys([*evidence.classes_.tolist(), *counts])
        lines["Rows by class"] = ", ".join(f"{label}: {counts[label]:,}" for label in labels)
    return lines


def _numbers(evidence: Evidence) -> Lines:
    if evidence.labels is None:
        return {}
    numbers = evidence.labels
    low, high = quantile_range(numbers)
    mean = answer_text(float(np.average(numbers, weights=evidence.weights)), 4)
    return {"Target": f"mostly from {answer_text(low)} to {answer_text(high)}, mean {mean}"}


def _heading_of_ensemble(evidence: Evidence) -> str:
    return "Black box" if isinstance(evidence.explained, BlackBox) else "Ensemble"


def _ensemble(evidence: Evidence) -> Lines:
    ensemble = evidence.explained
    if not isinstance(ensemble, Ensemble | BlackBox):
        return {}
    if isinstance(ensemble, BlackBox):
        why = {"Why it was not read": ensemble.refusal} if ensemble.refusal else {}
        answers = "labels" if evidence.task == "classes" else "numbers"
        return {"Model": ensemble.name, "What is known": f"only its {answers} for rows", **why}
    combined = {
        "mean": "mean of class probabilities" if not ensemble.core.votes else "weighted votes",
        "sigmoid": "sum of scores, sigmoid",
        "softmax": "sums of scores, softmax",
        "identity": _sum_text(ensemble),
        "median": "weighted median of the trees' numbers",
        "mixture": "several models, combined",
    }
    return {
        "Trees": f"{ensemble.n_trees:,}",
        "Nodes": f"{ensemble.n_nodes:,}",
        "Combined by": combined.get(ensemble.link.kind, ensemble.link.kind),
    }


def _sum_text(ensemble: Ensemble) -> str:
    if ensemble.link.formula is not None:
        return response_text(ensemble.link.formula, "sum of the trees' numbers")
    return f"{'mean' if ensemble.is_mean else 'sum'} of the trees' numbers"


def _model(evidence: Evidence) -> Lines:
    lines = {"Kind": evidence.kind.description, "Size": evidence.kind.size_text}
    if evidence.estimator is None:
        return lines
    parameters = {
        name: value for name, value in evidence.estimator.get_params(deep=False).items() if name != "ensemble"
    }
    lines["Method"] = type(evidence.estimator).__name__
    lines["Parameters"] = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
    return lines


def _certificate(evidence: Evidence) -> Lines:
    certificate = evidence.certificate
    if certificate is None:
        return {}
    answer = {
        True: f"yes, on {covered_rows(certificate)}",
        False: "no: there is a row on which they differ",
        None: "not known",
    }
    if certificate.max_difference is not None:
        return _differences(certificate)
    counts = Counter(status.name.lower() for status in certificate.leaf_status.values())
    lines = {
        "Equal to the ensemble": answer[certificate.equivalent],
        **_search(certificate),
    }
    if counts:
        lines["Leaves"] = ", ".join(f"{counts[name]:,} {name}" for name in ("proved", "refuted", "open"))
    if certificate.proved_share is not None:
        unweighted = "" if evidence.row_weights is None else ", not weighted"
        lines["Rows in proved leaves"] = f"{percent(certificate.proved_share, 1)}{unweighted}"
    return lines


def _differences(certificate: Certificate) -> Lines:
    low, high = certificate.max_difference, certificate.max_difference_bound
    assert low is not None
    assert high is not None
    return {
        "Largest difference": error_text(low) if low == high else f"{error_text(low)} to {error_text(high)}",
        **_search(certificate),
    }


def _search(certificate: Certificate) -> Lines:
    return {
        "Boxes searched": f"{certificate.n_boxes:,}",
        "Rows covered": f"those with values missing only in {missing_names(certificate)}"
        if certificate.missing
        else "those without missing values",
    }


def _of_copies(evidence: Evidence) -> list[str]:
    return [] if evidence.ensemble is None else [LIMIT_OF_COPIES.format(noun=evidence.teacher_noun)]


def _left_out(evidence: Evidence, sample: Sample) -> list[str]:
    n_kept, n_rows = len(sample.chosen), evidence.rows.n_rows
    if n_kept == n_rows:
        return []
    if not n_kept:
        return [NO_ROWS]
    return [f"This page carries {n_kept:,} of the {n_rows:,} rows. All of them were measured."]
