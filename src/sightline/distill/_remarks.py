"""Facts about a distilled model that its tests or rules do not show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sightline.distill._teacher import Teacher
from sightline.distill._tree_limits import TreeLimits
from sightline.model import Decision, Ensemble, NeighbourEnsemble, members_text
from sightline.table import Schema, rare_classes
from sightline.wording import list_names, number_text, option_text

_MAX_LISTED = 10
_LOW = 0.5
"""A threshold up to this is meant to find more rows of its class."""

_SMALL_WEIGHT = 0.1
"""Mean weight below which limits on the rows of a leaf are felt: weights that sum to 1 leave a single one."""

_OWN_LABELS = "Labels follow the ensemble's own rule, which does not always pick its most probable class."


def about_columns(limits: TreeLimits, teacher: Teacher) -> list[str]:
    """Name the columns that the tree must not test although the ensemble uses them."""
    schema = teacher.table.schema
    left_out = sorted(limits.left_out(schema))
    return [*_about_banned(limits, teacher), *(_about_unhelpful(schema, left_out) if left_out else [])]


def _about_unhelpful(schema: Schema, left_out: list[int]) -> list[str]:
    it, does = ("it", "does") if len(left_out) == 1 else ("they", "do")
    name = schema.names[left_out[0]]
    return [
        f"The tree does not test {_named(schema, left_out)}: {it} {does} not help to predict held-out "
        f"training rows. To allow {'it' if len(left_out) == 1 else 'one'}, pass prefer=[{name!r}] "
        f"({option_text('--prefer', name)})."
    ]


def _about_banned(limits: TreeLimits, teacher: Teacher) -> list[str]:
    schema = teacher.table.schema
    banned = np.flatnonzero(replace(limits, unhelpful=()).banned(schema))
    uses = "may use" if teacher.is_black_box else "uses"
    if not teacher.is_black_box:
        banned = banned[teacher.trees.is_tested[banned]]
    if not len(banned):
        return []
    noun = "black box" if teacher.is_black_box else "ensemble"
    return [f"The tree was not allowed to test {_named(schema, banned)}, which the {noun} {uses}."]


def about_decision(decision: Decision | None, costs: Any, teacher: Teacher) -> str:
    """Say which threshold, or which costs, the ensemble's labels follow, if they follow any.

    The label of a leaf is that of most of its rows, whatever the mean of their probabilities. So the
    threshold is the ensemble's alone.

    Parameters
    ----------
    decision : Decision, optional
        The decision, if it is not the ensemble's own.
    costs : array-like, optional
        The costs that it follows from.
    teacher : Teacher
        The ensemble.
    """
    if decision is None:
        return _OWN_LABELS if teacher.has_own_labels else ""
    classes = [str(label) for label in teacher.classes_.tolist()]
    if costs is not None:
        return f"The ensemble's labels minimize the expected cost: {_costs_text(np.asarray(costs), classes)}."
    return _by_threshold(decision, teacher)


def about_own_labels(threshold: Decision | None, teacher: Teacher) -> str:
    """Say which rule the ensemble's labels follow, if they are not always its most probable class.

    Parameters
    ----------
    threshold : Decision, optional
        The ensemble's own threshold.
    teacher : Teacher
        The ensemble.
    """
    if not teacher.has_own_labels:
        return ""
    return _OWN_LABELS if threshold is None else _by_threshold(threshold, teacher)


def _by_threshold(decision: Decision, teacher: Teacher) -> str:
    assert decision.threshold is not None
    positive = str(teacher.classes_[decision.positive])
    at_least = number_text(decision.threshold)
    rule = f"The ensemble labels a row {positive!r} if its probability is at least {at_least}."
    return f"{rule} {_about_frequent_class(decision, teacher)}".rstrip()


def _about_frequent_class(decision: Decision, teacher: Teacher) -> str:
    """Say so if nobody named the positive class, and the last one is taken though the other one is rare.

    Few rows have a low probability of the more frequent class: a low threshold was meant for the other one.
    """
    labels, other = teacher.labels, 1 - decision.positive
    assert decision.threshold is not None
    if labels is None or decision.threshold > _LOW or getattr(teacher.ensemble, "positive", None) is not None:
        return ""
    if not rare_classes(np.bincount(labels.codes, minlength=teacher.n_classes))[other]:
        return ""
    name = teacher.classes_.tolist()[other]
    if teacher.is_black_box:  # which has no positive class to name
        how = f"pass a threshold of {number_text(1 - decision.threshold)}"
    else:
        option = option_text("--positive", str(name))
        how = f"name it as the positive class (sl.load(ensemble, positive={name!r}) or {option})"
    return f"Here that is the more frequent class. If {str(name)!r} is meant, {how}."


def about_weights(class_weight: Mapping[Any, float] | str | None, n_classes: int) -> list[str]:
    """Say how the rows of each class were weighted."""
    if class_weight is None:
        return []
    if isinstance(class_weight, str):
        return ["Every class had the same weight when the tree was learned, however few rows it has."]
    weights = list_names([f"{str(label)!r} {number_text(weight)}" for label, weight in class_weight.items()])
    others = ", others 1" if len(class_weight) < n_classes else ""
    return [f"Rows were weighted by the ensemble's label when the tree was learned: {weights}{others}."]


def about_sample_weights(teacher: Teacher) -> list[str]:
    """Say that numbers of training rows are sums of their weights, which nothing else shows."""
    weights = teacher.weights
    if weights is None or (weights == 1).all():
        return []
    total = number_text(float(weights.sum()), 6)
    by = f" by {teacher.weights_name}" if teacher.weights_name else ""
    rule = f"Training rows are weighted{by} (total {total}). Nodes and rules show sums of weights."
    mean = float(weights[weights > 0].mean())
    if mean >= _SMALL_WEIGHT:
        return [rule]
    return [
        f"{rule} A row counts {number_text(mean, 2)} on average, and a leaf needs the weight of whole rows: "
        "if the model is too small, divide the weights by their mean."
    ]


def about_stand_in(teacher: Teacher, with_trees: Teacher) -> list[str]:
    """Say whose trees the rules come from, if they are not the ensemble's own."""
    if with_trees is teacher:
        return []
    answers, measures = ("numbers", "errors") if not teacher.n_classes else ("labels", "percentages")
    learned = _that_learned(teacher, with_trees.trees)
    return [f"The rules come from {learned}; their {measures} refer to these {answers}."]


def about_descriptions(teacher: Teacher, members: Ensemble | NeighbourEnsemble) -> str:
    """Say which substitutes for the members of a black box choose the nearest cases."""
    return f"The nearest cases are those that look similar to {_that_learned(teacher, members)}."


def _that_learned(teacher: Teacher, members: Ensemble | NeighbourEnsemble) -> str:
    noun = "black box" if teacher.is_black_box else "ensemble"
    answers = "labels" if teacher.n_classes else "numbers"
    return f"{members_text(members)} that learned the {answers} of the {noun} for the training rows"


def about_directions(directions: Mapping[int, int], schema: Schema, what: str) -> list[str]:
    """Say with which columns the prediction provably only rises or falls."""
    sentences = []
    for verb, sign in (("falls", 1), ("rises", -1)):
        columns = [column for column, direction in directions.items() if direction == sign]
        if columns:
            sentences.append(f"Proved: {what} never {verb} with {_named(schema, columns)}.")
    return sentences


def _costs_text(costs: np.ndarray[Any, np.dtype[np.float64]], classes: list[str]) -> str:
    pairs = [(i, j) for i in range(len(classes)) for j in range(len(classes)) if i != j]
    texts = [f"{classes[j]!r} for {classes[i]!r} costs {number_text(float(costs[i, j]))}" for i, j in pairs]
    return f"predicting {list_names(texts, _MAX_LISTED)}"


def _named(schema: Schema, columns: Sequence[int] | np.ndarray[Any, Any]) -> str:
    return list_names([repr(schema.names[int(column)]) for column in columns], _MAX_LISTED)
