"""The sentences at the head of a report: can this model be trusted, and where is it wrong."""

from __future__ import annotations

from collections import Counter
from functools import singledispatch
from typing import Any

from sightline.judge import Certificate
from sightline.model import Status
from sightline.report._evidence import Evidence
from sightline.report._naming import described, noun_of
from sightline.wording import pluralize


def lead_sentences(evidence: Evidence) -> list[str]:
    """Say what the model is, how faithful, what is proved, and how accurate everybody is.

    Parameters
    ----------
    evidence : Evidence
        What was found.

    Returns
    -------
    list of str
        Fidelity, proof and accuracy, each where there is something to say.
    """
    sentences = [_fidelity(evidence), _proof(evidence), _accuracy(evidence), *own_sentences(evidence.model)]
    return [sentence for sentence in sentences if sentence]


@singledispatch
def own_sentences(model: Any) -> list[str]:  # noqa: ARG001
    """Return what a model itself knows of how far it can be trusted."""
    return []


def ensemble_name(evidence: Evidence) -> str:
    """Name the ensemble by its size."""
    assert evidence.ensemble is not None
    n_trees = evidence.ensemble.n_trees
    return "the other tree" if n_trees == 1 else f"the {n_trees:,} trees"


def _fidelity(evidence: Evidence) -> str:
    fidelity = evidence.fidelity
    if fidelity is None:
        return ""
    return (
        f"This {described(evidence.model)} gives the answer of {ensemble_name(evidence)} on {fidelity.text} "
        f"of {fidelity.total:,} rows ({fidelity.interval_text})."
    )


def _proof(evidence: Evidence) -> str:
    certificate = evidence.certificate
    if certificate is None:
        return ""
    if certificate.equivalent:
        return f"Proved: it gives that answer for every possible row{_exception(certificate)}."
    if not certificate.leaf_status:
        known = "not known" if certificate.equivalent is None else "not so"
        return f"Whether it does so for every possible row: {known}."
    counts = Counter(certificate.leaf_status.values())
    proved = counts[Status.PROVED]
    if not proved:
        return "No leaf is proved: rows unlike these may be answered differently."
    share = 100 * (certificate.proved_share or 0.0)
    holds, digits = "holds" if proved == 1 else "hold", 1 if share < 1 else 0
    return (
        f"In {pluralize(proved, 'leaf', 'leaves')} that {holds} {share:.{digits}f}% of the rows it provably "
        f"always gives that answer{_exception(certificate)}."
    )


def _exception(certificate: Certificate) -> str:
    """Say of which rows a proof does not speak."""
    if len(certificate.missing) == len(certificate.model.schema):
        return ", whatever is missing"
    if not certificate.missing:
        return " without missing values"
    return ", also with values missing where they are here"


def _accuracy(evidence: Evidence) -> str:
    own = evidence.accuracy
    if own is None:
        return ""
    parts = []
    if evidence.ensemble_accuracy is not None:
        parts.append(f"{ensemble_name(evidence)} {evidence.ensemble_accuracy.text}")
    name = described(evidence.model) if evidence.fidelity is None else noun_of(evidence.model)
    parts.append(f"this {name} {own.text}")
    if evidence.baseline_accuracy is not None:
        parts.append(f"an ordinary tree {evidence.baseline_accuracy.text}")
    # Those of the sentence about fidelity, where there is one.
    rows = f" on {own.total:,} rows" if evidence.fidelity is None else ""
    return f"Accuracy{rows}: {', '.join(parts)}."
