"""What a report says first: predictions that say nothing, miss a class, or are worse than a constant."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np

from sightline.measure import ClassQuality, NumberErrors
from sightline.model import Ensemble
from sightline.report._evidence import Evidence
from sightline.wording import capitalize, list_choices, list_names, number_text, pluralize

MIN_MISSED = 5
"""Rows that an ensemble gives a label before a model that never gives it is warned of."""

CLEARLY = 0.9
"""Part of what chance reaches. Half of all ensembles without skill are below chance, but not below this."""

_MAX_LISTED = 5


def warning_sentences(evidence: Evidence, in_command: bool = False) -> list[str]:
    """Say that labels say nothing, that the model misses a class, or that an ensemble is worse than a guess.

    Agreement and proofs of such predictions look good, also where no model has learned anything, or
    where the model leaves out the class that matters.

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
        return _worse_than_a_constant(evidence, in_command) or _never_predicted(evidence, in_command)
    naming, rows = evidence.naming, pluralize(evidence.rows.n_rows, "row")
    this, whose = evidence.kind.predictor(with_size=False), "their labels"
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


def _worse_than_a_constant(evidence: Evidence, in_command: bool) -> list[str]:
    """Say so if the ensemble is clearly worse than a constant guess: a faithful copy is, too."""
    measures = evidence.measures
    found = None if measures is None else measures.ensemble
    if isinstance(found, NumberErrors):
        worse = _worse_than_the_mean(found)
    else:
        worse = "" if found is None else _worse_than_chance(found)
    if not worse:
        return []
    assert found is not None
    verb = "predicts" if evidence.teacher_is_one else "predict"
    rows = evidence.rows_text(found.n_rows)
    sentence = f"{capitalize(evidence.teacher_name)} {verb} the {rows} worse than {worse}."
    how = "--classes" if in_command else "classes=[…], or --classes in the command"
    hint = f"Are its classes named in the wrong order? Name them with {how}."
    return [sentence] if evidence.task == "numbers" else [sentence, hint]


def _worse_than_the_mean(errors: NumberErrors) -> str:
    """Name the measure by which numbers are clearly farther off than the mean; empty if they are not.

    The R² of rare counts, such as claims per policy, is close to 0 also for a good model, so chance alone
    makes it negative. Such a model is judged by what it learned to minimize: its D².
    """
    name, found = ("R²", errors.r2) if errors.d2 is None else ("D²", errors.d2)
    return f"always predicting the mean ({name} {found.text})" if found.high < 0 else ""


def _worse_than_chance(quality: ClassQuality) -> str:
    """Name the measure by which classes are clearly predicted worse than at random; empty if they are not.

    Accuracy is not asked: a threshold may give it up to find more rows of a rare class.
    """
    if quality.auc is not None:
        chance, name, found = 0.5, "AUC", quality.auc
    else:
        n_classes = int(np.count_nonzero(quality.balance.shares))
        chance = 1 / n_classes if n_classes > 1 else 0.0
        name, found = "balanced accuracy", quality.balanced_accuracy
    return f"chance ({name} {found.text})" if found.high < CLEARLY * chance else ""


def _never_predicted(evidence: Evidence, in_command: bool) -> list[str]:
    """Name the classes that the ensemble predicts for several rows, and the model for none."""
    if evidence.task == "numbers" or evidence.ensemble_labels is None:
        return []
    found = Counter(evidence.ensemble_labels.tolist())
    known = set(evidence.model_labels.tolist())
    missed = [label for label, n_rows in found.items() if label not in known and n_rows >= MIN_MISSED]
    if not missed:
        return []
    names = [str(label) for label in sorted(missed, key=found.__getitem__, reverse=True)]
    few = list_choices(names) if len(names) <= _MAX_LISTED else list_names(names, _MAX_LISTED)
    do = "does" if evidence.teacher_is_one else "do"
    n_found = sum(found[label] for label in missed)
    rows = pluralize(evidence.rows.n_rows, "row")
    return [
        f"This {evidence.kind.noun} predicts {evidence.naming.answer(few)} for none of the {rows}; "
        f"{evidence.teacher_name} {do} for {n_found:,}.",
        _advice_on_missed(evidence, in_command),
    ]


def _advice_on_missed(evidence: Evidence, in_command: bool) -> str:
    """Say how to get a model that predicts every class."""
    unit = getattr(evidence.estimator, "size_unit", None)
    ways = [] if unit is None else [f"more {unit}"]
    if _can_weight_classes(evidence):
        ways.append(_class_weights(in_command))
    if len(evidence.classes_) == 2:
        ways.append("another threshold (--threshold)" if in_command else "another threshold")
    ways.append("costs (--cost)" if in_command else "costs")
    return f"Distill again with {list_choices(ways)}."


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
    weights = f" and {_class_weights(in_command)}" if _can_weight_classes(evidence) else ""
    return f"{do} with a threshold ({how}){weights}, or with {costs}."


def _can_weight_classes(evidence: Evidence) -> bool:
    """Whether the distiller could let a rare class count as much as the others, and did not."""
    return getattr(evidence.estimator, "class_weight", "balanced") is None


def _class_weights(in_command: bool) -> str:
    return f"balanced class weights ({'--class-weight balanced' if in_command else 'class_weight'})"


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
