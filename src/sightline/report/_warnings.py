"""What a report says first: predictions that say nothing, or are worse than a constant."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sightline.measure import NumberErrors
from sightline.model import Ensemble
from sightline.report._evidence import Evidence
from sightline.wording import capitalize, number_text


def warning_sentences(evidence: Evidence, in_command: bool = False) -> list[str]:
    """Say that labels say nothing, because all are equal, or that an ensemble is worse than the mean.

    Agreement and proofs of such predictions look perfect, also where no model has learned anything.

    Parameters
    ----------
    evidence : Evidence
        The report's findings.
    in_command : bool, default=False
        Whether to name options of the command only, not parameters.

    Returns
    -------
    list of str
        Empty if there is nothing to warn of. As in
        ``["Neither the 200 trees nor this tree predicts Y for any of the 1,000 rows, so their labels
        say nothing.", "Distill again with --threshold 0.03, or with costs (--cost)."]``.
    """
    label = evidence.only_label
    if label is None:
        return _worse_than_the_mean(evidence)
    naming, rows = evidence.naming, evidence.rows_text(evidence.rows.n_rows)
    this, whose = f"this {evidence.kind.noun}", "their labels"
    others = [one for one in evidence.classes_.tolist() if one != label]
    if evidence.ensemble is None:
        found, whose = f"{capitalize(this)} predicts {naming.answer(label)} for all {rows}", "its labels"
    elif len(others) == 1:
        who = f"Neither {evidence.teacher_name} nor {this}"
        found = f"{who} predicts {naming.answer(others[0])} for any of the {rows}"
    else:
        found = (
            f"{capitalize(evidence.teacher_name)} and {this} predict {naming.answer(label)} for all {rows}"
        )
    return [f"{found}, so {whose} say nothing.", _advice(evidence, others, in_command)]


def _worse_than_the_mean(evidence: Evidence) -> list[str]:
    """Say so if the ensemble's numbers are farther off than the mean: a faithful copy is, too."""
    errors = None if evidence.measures is None else evidence.measures.ensemble
    if not isinstance(errors, NumberErrors) or not errors.r2.value < 0:
        return []
    verb = "predicts" if evidence.teacher_is_one else "predict"
    rows = evidence.rows_text(errors.n_rows)
    who = capitalize(evidence.teacher_name)
    return [f"{who} {verb} the {rows} worse than always the mean does (R² {errors.text})."]


def _advice(evidence: Evidence, others: list[Any], in_command: bool) -> str:
    """Say how to get other labels."""
    if getattr(evidence.model, "label_rule", ""):
        return "Choose another threshold, or other costs."
    # The command holds out rows at random. Other rows may be few, or chosen by what is predicted for them.
    do = "Distill again" if in_command else "If that holds for other rows, too, distill again"
    costs = "costs (--cost)" if in_command else "costs (cost_matrix, or --cost in the command)"
    if len(others) > 1:
        return f"{do} with {costs}."
    parameter, option = _threshold(evidence, others[0])
    how = option if in_command else f"{parameter}, or {option} in the command"
    return f"{do} with a threshold ({how}) or with {costs}."


def _threshold(evidence: Evidence, label: Any) -> tuple[str, str]:
    """Return the parameter and the option that set the lowest probability of a class."""
    number = _suggested(evidence, label)
    if not number:
        return "threshold", "--threshold"
    known = getattr(evidence.ensemble, "positive", None)
    parameter, option = f"threshold={number}", f"--threshold {number}"
    if label == (evidence.classes_.tolist()[-1] if known is None else known):
        return parameter, option
    return f"sl.load(ensemble, positive={label!r}) and {parameter}", f"--positive {label} {option}"


def _suggested(evidence: Evidence, label: Any) -> str:
    """Return the probability that about as many rows reach as have the class; empty if it is not known.

    The share of the class itself would be too low: about half of the rows reach it if little was learned.
    """
    ensemble, balance = evidence.ensemble, None if evidence.measures is None else evidence.measures.balance
    if not isinstance(ensemble, Ensemble) or balance is None:
        return ""
    column = np.asarray(ensemble.classes_).tolist().index(label)
    probabilities = np.asarray(ensemble.predict_proba(evidence.rows))[:, column]
    share = float(balance.shares[balance.classes.tolist().index(label)])
    reached = float(np.quantile(probabilities, 1 - share))
    if not reached > probabilities.min():
        return ""
    # Rounded down, so that some row reaches it.
    step = 10.0 ** (math.floor(math.log10(reached)) - 1)
    return number_text(math.floor(reached / step) * step, 2)
