"""Measures in words, for page and command: model, ensemble, an ordinary tree and a constant guess."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from sightline.measure import (
    ClassBalance,
    ClassQuality,
    Estimate,
    Fidelity,
    NumberErrors,
    error_text,
    error_texts,
)
from sightline.report._costs import cost_line
from sightline.report._evidence import Evidence
from sightline.wording import Share, capitalize, percent, pluralize, printable

COST = "cost per row"

Found = Share | Estimate | None


def measure_lines(evidence: Evidence) -> dict[str, str]:
    """Return the results of all models by measure, the most important measure first.

    Parameters
    ----------
    evidence : Evidence
        The report's findings.

    Returns
    -------
    dict of str to str
        As in ``{"accuracy": "the 25 trees 84.0%, this tree 85.2%, always no 70.0%"}``.
    """
    if evidence.task == "numbers":
        return _number_lines(evidence)
    measures = evidence.measures
    if measures is None or measures.model is None or measures.balance is None:
        return {}
    lines = {"accuracy": _beside(evidence, lambda one: one.accuracy)}
    if measures.is_imbalanced:
        rare = _rare_lines(evidence, measures.balance)
        lines = {**rare, "balanced accuracy": _beside(evidence, lambda one: one.balanced_accuracy), **lines}
    else:
        lines["AUC"] = _beside(evidence, lambda one: one.auc)
    lines = {COST: cost_line(evidence), **lines}
    return {name: text for name, text in lines.items() if text}


def _rare_lines(evidence: Evidence, balance: ClassBalance) -> dict[str, str]:
    """Return recall, AUC and average precision: what accuracy hides if a class is rare."""
    label = balance.rarest_label
    named = printable(str(label))
    # Of several classes, the rarest alone says little: the balanced accuracy is the mean of all.
    recall = (
        {}
        if balance.n_classes > 2
        else {f"recall of {named}": _beside(evidence, lambda one: one.recall[label])}
    )
    return {
        **recall,
        "AUC": _beside(evidence, lambda one: one.auc),
        "average precision": _beside(evidence, lambda one: one.average_precision),
    }


def _number_lines(evidence: Evidence) -> dict[str, str]:
    errors = {who: one for who, one in evidence.qualities.items() if isinstance(one, NumberErrors)}
    by_name: dict[str, dict[str, Estimate]] = {}
    for who, one in errors.items():
        for name, _, found in one.lines():
            by_name.setdefault(name, {})[who] = found
    return {name: ", ".join(_listed(found)) for name, found in by_name.items()}


def _listed(found: Mapping[str, Estimate]) -> list[str]:
    """Write a measure for each model."""
    if any(one.style != "error" or math.isnan(one.value) for one in found.values()):
        return [f"{who} {one.text}" for who, one in found.items()]
    texts = error_texts([one.value for one in found.values()])
    return [f"{who} {text}" for who, text in zip(found, texts, strict=True)]


def _beside(evidence: Evidence, chosen: Callable[[ClassQuality], Found]) -> str:
    """Write a measure for each model that has it; empty if the reported one has none."""
    own = None if evidence.measures is None else evidence.measures.model
    if isinstance(own, ClassQuality) and chosen(own) is None:
        return ""
    found = {who: chosen(one) for who, one in evidence.qualities.items() if isinstance(one, ClassQuality)}
    return ", ".join(f"{printable(who)} {one.text}" for who, one in found.items() if one is not None)


def imbalance_text(evidence: Evidence) -> str:
    """Say which class is how rare, and whose labels were counted; empty if none is.

    Returns
    -------
    str
        As in ``1.0% of 8,141 rows are yes``.
    """
    measures = evidence.measures
    if measures is None or not measures.is_imbalanced or measures.balance is None:
        return ""
    balance = measures.balance
    label, share = evidence.naming.answer(balance.rarest_label), float(balance.shares[balance.rarest])
    rows = evidence.rows_text(measures.n_rows)
    own_verb = "have" if evidence.naming.target else "are"
    verb = own_verb if measures.model is not None else f"are labeled by {evidence.teacher_name} as"
    return f"{percent(share, 1)} of {rows} {verb} {label}"


def headline(evidence: Evidence) -> str:
    """Return the first sentence where classes are imbalanced: recall and AUC, and what the model loses.

    With more than two classes, balanced accuracy replaces the recall of one class.

    Without labels of the rows, how often it gives the ensemble's rarest label. Empty if classes are
    balanced.
    """
    measures = evidence.measures
    if measures is None or not measures.is_imbalanced or measures.balance is None:
        return ""
    name, teacher = capitalize(evidence.kind.predictor()), measures.ensemble
    own, label = measures.model, measures.balance.rarest_label
    if not isinstance(own, ClassQuality):
        return _rare_fidelity(evidence, name)
    chosen: Callable[[ClassQuality], Share | Estimate]
    if measures.balance.n_classes == 2:
        chosen, noun, verb = (lambda one: one.recall[label]), "recall", "find"
        rows = f"the {pluralize(own.recall[label].n_rows, 'row')} with {evidence.naming.answer(label)}"
    else:
        chosen, noun, verb = (lambda one: one.balanced_accuracy), "balanced accuracy", "label"
        rows = f"the rows correctly if all {measures.balance.n_classes} classes count the same"
    found = chosen(own)
    amount, weighed = _amount(found)
    called = noun if evidence.row_weights is None else f"{noun} {evidence.row_weights.text}"
    if not isinstance(teacher, ClassQuality):
        auc = "" if own.auc is None else f"; its AUC is {own.auc.text}"
        measured = "; ".join([*weighed, f"{called}, 95% interval {found.interval_text}"])
        return f"{name} {verb}s {amount} of {rows} ({measured}){auc}."
    assert measures.differences is not None
    lost = measures.differences.recall.get(label) if noun == "recall" else None
    lost = measures.differences.by_measure["balanced accuracy"] if lost is None else lost
    theirs = chosen(teacher)
    their_amount, their_weighed = _amount(theirs)
    their_share = f"{theirs.text}; " if their_weighed else ""
    sentence = (
        f"{name} {verb}s {amount} of {rows}{''.join(f' ({one})' for one in weighed)}, "
        f"where {evidence.teacher_name} {verb}{'s' if evidence.teacher_is_one else ''} {their_amount} "
        f"({their_share}{called}: {change_text(lost, is_nested=True)})"
    )
    return f"{sentence}{_auc_beside(evidence, own, teacher)}."


def _amount(found: Share | Estimate) -> tuple[str, list[str]]:
    """Return a share; of weighted rows, their number instead, and which share of the weight they have."""
    if isinstance(found, Share) and found.n_holding is not None:
        return f"{found.n_holding:,}", [f"{found.text} of their weight"]
    return found.text, []


def _auc_beside(evidence: Evidence, own: ClassQuality, teacher: ClassQuality) -> str:
    """Tell the AUC and, if the ensemble has one, what the model loses; empty without probabilities."""
    assert evidence.measures is not None
    assert evidence.measures.differences is not None
    if own.auc is None:
        return ""
    lost = evidence.measures.differences.by_measure.get("AUC")
    if teacher.auc is None or lost is None:
        return f"; its AUC is {own.auc.text}"
    change = change_text(lost, is_nested=True)
    return f"; its AUC is {own.auc.text} instead of {teacher.auc.text} ({change})"


def _rare_fidelity(evidence: Evidence, name: str) -> str:
    found = evidence.measures.fidelity if evidence.measures is not None else None
    assert isinstance(found, Fidelity)
    label, share = min(found.by_class.items(), key=lambda item: item[1].n_rows)
    amount, weighed = _amount(share)
    measured = "; ".join([*weighed, f"95% interval {share.interval_text}"])
    return (
        f"{name} gives the same label to {amount} of the {pluralize(share.n_rows, 'row')} that "
        f"{evidence.teacher_name} {'labels' if evidence.teacher_is_one else 'label'} {printable(str(label))} "
        f"({measured})."
    )


def change_text(difference: Estimate, is_nested: bool = False) -> str:
    """Say how a measure changes and how sure that is; ``is_nested`` writes it for the inside of parentheses.

    Examples
    --------
    >>> change_text(Estimate(-0.0404, -0.0665, -0.0144, 500, "change"))
    '0.040 lower (95% interval 0.014 to 0.067 lower)'
    >>> change_text(Estimate(-0.014, -0.047, 0.019, 500, "points"))
    'no clear difference (between 4.7 points lower and 1.9 points higher)'
    """
    value, low, high = difference.value, difference.low, difference.high
    if math.isnan(value):
        return "undefined"
    size = _sizes(difference)
    way = "lower" if value < 0 else "higher"
    if not value and not low < 0 < high:
        return "no difference"
    if math.isnan(low):
        return f"{size(value)} {way}"
    before, after = (", ", "") if is_nested else (" (", ")")
    if low <= 0 <= high:
        return f"no clear difference{before}between {size(low)} lower and {size(high)} higher{after}"
    least, most = sorted((abs(low), abs(high)))
    bounds = f"{size(least).removesuffix(' points').removesuffix(' point')} to {size(most)}"
    return f"{size(value)} {way}{before}95% interval {bounds} {way}{after}"


def _sizes(difference: Estimate) -> Callable[[float], str]:
    """Return how changes are written: in points, with three decimals, or as errors in a unit of their own."""
    if difference.style == "points":
        return _points
    parts = [abs(part) for part in (difference.value, difference.low, difference.high) if part]
    has_unit = max(parts, default=0.0) >= _LARGEST_SCORE or min(parts, default=1.0) < _SMALLEST_CHANGE
    return lambda change: error_text(abs(change)) if has_unit else f"{abs(change):.3f}"


def _points(change: float) -> str:
    size = f"{abs(100 * change):.1f}"
    return f"{size} {'point' if size == '1.0' else 'points'}"


_LARGEST_SCORE, _SMALLEST_CHANGE = 10.0, 0.0005
"""Differences beyond these are those of errors in some unit, or vanish with three decimals."""
