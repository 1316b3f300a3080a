"""The sentences at the top of a report: how far the model can be trusted, and where it is wrong."""

from __future__ import annotations

import math
from collections import Counter

from sightline.judge import Certificate
from sightline.measure import NumberErrors, deviance_name, error_text, error_texts
from sightline.model import BlackBox, RuleSet, Status
from sightline.report._costs import cost_change
from sightline.report._evidence import Evidence
from sightline.report._measure_words import COST, change_text, headline, imbalance_text, measure_lines
from sightline.report._proof_words import covered_rows
from sightline.report._warnings import warning_sentences
from sightline.wording import capitalize, percent, pluralize, printable

_ABOUT_MEANS_OF_RULES = (
    "Nothing is proved: there are no proofs for rules that predict numbers, and rows unlike these may differ."
)
_ABOUT_BLACK_BOXES = "Nothing is proved: a black box can only be queried, and rows unlike these may differ."

_UNWEIGHTED = "Unlike the training rows, the rows of this report all count the same: {why}."

BALANCED = ("balanced accuracy", "average precision")
"""Measures that do not hide a rare class, beside recall and AUC in the first sentence."""


def lead_sentences(evidence: Evidence) -> list[str]:
    """Say how faithful the model is, what is proved, and how accurate each model is.

    Parameters
    ----------
    evidence : Evidence
        The report's findings.

    Returns
    -------
    list of str
        Where classes are imbalanced: recall and AUC with what the model loses, and balanced measures. Then
        fidelity, proof and accuracy, each if it was measured, and what the model and the estimator
        that found it say about themselves.
    """
    warning = warning_sentences(evidence)
    first = "" if evidence.only_label is not None else headline(evidence)
    findings = [
        first,
        *_imbalance(evidence),
        _fidelity(evidence, "It" if first else capitalize(evidence.kind.predictor())),
    ]
    quality = list(_quality(evidence))
    if not any(findings):
        # The page begins with what was found, not with how rows were weighted.
        findings, quality = quality[:1], quality[1:]
    sentences = [
        *warning,
        *findings,
        _weights(evidence),
        _proof(evidence),
        *quality,
        *map(printable, evidence.row_notes),
        *evidence.kind.sentences(),
        *map(printable, evidence.remarks),
    ]
    return [sentence for sentence in sentences if sentence]


def _imbalance(evidence: Evidence) -> list[str]:
    """Say why the page begins with balanced measures, and what they are."""
    text = imbalance_text(evidence)
    if not text:
        return []
    lines = measure_lines(evidence)
    # Where all labels are equal, there is no sentence before this one that tells the AUC.
    measures = BALANCED if evidence.only_label is None else ("AUC", "average precision")
    named = [f"{capitalize(name)}: {lines[name]}." for name in measures if name in lines]
    return [
        capitalize(f"{text}, so balanced measures, which count every class the same, come first."),
        *named,
    ]


def _weights(evidence: Evidence) -> str:
    """Say how rows were weighted; agreement in a node is a share of rows, because it says how many differ."""
    if evidence.drawn_by:
        return evidence.draw_sentence
    if evidence.row_weights is None:
        subject = getattr(getattr(evidence.model, "schema", None), "subject", None)
        if subject is None or not subject.is_weighted:
            return ""
        why = "every weight is 1" if evidence.are_weights_given else "no weights were given"
        return _UNWEIGHTED.format(why=why)
    counts_rows = evidence.task == "classes" and evidence.ensemble is not None
    shown = " Agreement, disagreement and proofs in single nodes count every row once." if counts_rows else ""
    return f"{evidence.row_weights.sentence}{shown}"


def _fidelity(evidence: Evidence, subject: str) -> str:
    found = None if evidence.measures is None else evidence.measures.fidelity
    if found is None:
        return ""
    if isinstance(found, NumberErrors):
        return _fidelity_of_numbers(evidence, found)
    if evidence.only_label is not None:
        ranked = None if found.scores is None else found.scores.spearman
        if ranked is None or math.isnan(ranked.value):
            return ""
        return (
            f"Rank correlation of their probabilities: {ranked.text} (95% interval {ranked.interval_text})."
        )
    share = found.overall
    interval = "" if evidence.is_proved_equal else f"95% interval {share.interval_text}; "
    sentence = (
        f"{subject} gives the same label as {evidence.teacher_name} on {share.text} of "
        f"{evidence.rows_text(share.n_rows)} ({interval}always "
        f"{printable(str(found.majority_label))}: {found.majority.text})"
    )
    if not evidence.is_imbalanced:
        return f"{sentence}."
    balanced = found.balanced
    interval = "" if evidence.is_proved_equal else f", 95% interval {balanced.interval_text}"
    return (
        f"{sentence}, and on {balanced.text} if every label counts the same (balanced fidelity"
        f"{interval}; always {printable(str(found.majority_label))}: "
        f"{percent(found.balanced_majority, 1)})."
    )


def _fidelity_of_numbers(evidence: Evidence, fidelity: NumberErrors) -> str:
    interval = "" if math.isnan(fidelity.value) else f" (95% interval {fidelity.interval_text})"
    return (
        f"{capitalize(evidence.kind.predictor())} follows {evidence.teacher_name} with R² {fidelity.text} on "
        f"{evidence.rows_text(fidelity.n_rows)}{interval}: its number is {error_text(fidelity.mae.value)} "
        "away on average."
    )


def _proof(evidence: Evidence) -> str:
    certificate = evidence.certificate
    if certificate is None:
        return _unproved(evidence)
    if certificate.max_difference is not None:
        return _largest_difference(certificate, certificate.max_difference)
    return _proof_of_labels(certificate, "" if evidence.row_weights is None else ", not weighted")


def _unproved(evidence: Evidence) -> str:
    """Say why nothing is proved, where a proof could be expected."""
    if isinstance(evidence.ensemble, BlackBox):
        return _ABOUT_BLACK_BOXES
    is_mean = isinstance(evidence.model, RuleSet) and evidence.task == "numbers"
    return _ABOUT_MEANS_OF_RULES if is_mean and evidence.ensemble is not None else ""


def _proof_of_labels(certificate: Certificate, how_counted: str) -> str:
    if certificate.equivalent:
        return f"Proved: it gives the same label to {covered_rows(certificate)}."
    if not certificate.leaf_status:
        if certificate.equivalent is None:
            return "It is not known whether it gives the same label to every possible row."
        return "On some possible row, it gives another label."
    counts = Counter(certificate.leaf_status.values())
    n_proved = counts[Status.PROVED]
    if not n_proved:
        return "No leaf is proved: rows unlike these may get a different label."
    share = certificate.proved_share or 0.0
    leaves = pluralize(n_proved, "leaf", "leaves")
    return (
        f"Proved in {leaves} ({percent(share, 1 if share < 0.01 else 0)} of the rows{how_counted}): "
        f"it gives the same label to {covered_rows(certificate, ' there')}."
    )


def _largest_difference(certificate: Certificate, largest: float) -> str:
    """Say how far the numbers can be apart on any row."""
    rows = f"on {covered_rows(certificate)}"
    if certificate.equivalent:
        return f"Proved: it gives the same number {rows}."
    bound = certificate.max_difference_bound
    if bound is None or not math.isfinite(bound):
        return f"On one possible row, they differ by {error_text(largest)}."
    known = "" if bound == largest else f", and on one possible row by {error_text(largest)}"
    return f"Proved: {rows}, they differ by at most {error_text(bound)}{known}."


def _quality(evidence: Evidence) -> list[str]:
    """Say how accurate each model is, without repeating the sentences about rare classes."""
    qualities = evidence.qualities
    if not qualities:
        return []
    # The sentence about fidelity, if there is one, has named the rows.
    n_rows = next(iter(qualities.values())).n_rows
    rows = f" on {evidence.rows_text(n_rows)}" if evidence.fidelity is None else ""
    errors = {who: one for who, one in qualities.items() if isinstance(one, NumberErrors)}
    if errors:
        means = error_texts([one.mae.value for one in errors.values()])
        named = [f"{who} {one.text} ({mae})" for (who, one), mae in zip(errors.items(), means, strict=True)]
        return [
            f"R² to the true numbers, and mean absolute error{rows}: {', '.join(named)}.",
            *_deviance(evidence),
            *_loss(evidence),
        ]
    lines = measure_lines(evidence)
    shown = [COST, "accuracy"] if evidence.is_imbalanced else [COST, "accuracy", "AUC"]
    named = [f"{capitalize(name)}{rows}: {lines[name]}." for name in shown if name in lines]
    return [*named, *_loss(evidence)]


def _deviance(evidence: Evidence) -> list[str]:
    """Say how much of its deviance is explained, if the ensemble learned to minimize one."""
    lines, power = measure_lines(evidence), evidence.measures and evidence.measures.deviance_power
    if not power:
        return []
    return [
        f"D², the explained share of the {deviance_name(power)}: {lines['D²']}.",
        f"Mean deviance: {lines['mean deviance']}.",
    ]


def _loss(evidence: Evidence) -> list[str]:
    """Say what the model loses against the ensemble, unless the sentences about rare classes did."""
    measures = evidence.measures
    if measures is None or measures.differences is None or evidence.is_proved_equal:
        return []
    changes = {COST: cost_change(evidence)}
    if not measures.is_imbalanced:
        by_measure = measures.differences.by_measure
        changes |= {name: by_measure.get(name) for name in ("accuracy", "AUC", "R²", "MAE")}
    named = [f"{name} {change_text(one)}" for name, one in changes.items() if one is not None]
    return [f"Compared with {evidence.teacher_name}: {'; '.join(named)}."] if named else []
