"""Explain in sentences how the trees of an ensemble vote for a row."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.model import Ensemble, first_largest, member_views
from sightline.show._response import label_text, response_text
from sightline.show._row import Row
from sightline.show.ensembles._effects import contributions_of
from sightline.show.nodes import path_text
from sightline.table import Feature, Table
from sightline.wording import (
    answer_text,
    capitalize,
    list_names,
    number_text,
    percent,
    pluralize,
    quote_if_odd,
    with_unit,
)

_MAX_CLASSES = 5
_MAX_FEATURES = 3

_MIN_CONTRIBUTION = 0.02
"""Features with a smaller share of all contributions are not mentioned."""

_MIN_LIMIT = 1e-6
"""Smaller limits of a sum are 0, up to the rounding of the source."""

_ROUNDING = 1e-12
"""What a base value must exceed, as a share of what trees add: balanced classes give one of about 1e-16."""

_MAX_STUMPS = 30
_MAX_STUMP_DEPTH = 3


def has_stumps(ensemble: Ensemble) -> bool:
    """Return whether a few small trees vote with equal weights, so that they can be shown one by one."""
    core = ensemble.core
    is_small = ensemble.n_trees <= _MAX_STUMPS and max(tree.depth for tree in core.trees) <= _MAX_STUMP_DEPTH
    is_plain = ensemble.classes_ is not None and ensemble.link.formula is None
    return core.votes and is_plain and is_small and len(set(core.tree_weight)) == 1


def ensemble_sentences(ensemble: Ensemble, row: Row, reasons: bool = True) -> str:
    """Explain the prediction for one row; ``reasons`` adds the features that matter most."""
    table, named = row.table, ensemble.schema.subject.answer
    if ensemble.classes_ is None:
        return "\n".join(
            [
                f"Predicted {named(answer_text(float(ensemble.predict(table)[0])))}.",
                _numbers(ensemble, table),
                *_unknown_values(ensemble, row),
            ]
        )
    if has_stumps(ensemble):
        return _stump_votes(ensemble, row)
    label = ensemble.predict(table)[0]
    probability = float(ensemble.predict_proba(table)[0][ensemble.classes_ == label][0])
    opinions = {"mean": _votes, "sigmoid": _pushes, "mixture": _models}.get(ensemble.link.kind, _sums)
    share = percent(probability)
    certainty = f"{share} of the votes" if ensemble.core.votes else f"probability {share}"
    return "\n".join(
        [
            f"Predicted {named(quote_if_odd(label))} with {certainty}{_of_positive(ensemble, table, label)}.",
            " ".join(filter(None, [opinions(ensemble, table), _own_rule(ensemble)])),
            *_unknown_values(ensemble, row),
            *(_reasons(ensemble, row, label) if reasons else ()),
        ]
    )


def _stump_votes(ensemble: Ensemble, row: Row) -> str:
    """List the stumps that vote for the label and those that vote against it, each with its reason."""
    label = ensemble.predict(row.table)[0]
    stumps = ensemble.trees
    votes = [stump.predict(row.table)[0] for stump in stumps]
    reasons = [path_text(stump, row) for stump in stumps]
    pro = [i for i, vote in enumerate(votes) if vote == label]
    con = [i for i, vote in enumerate(votes) if vote != label]
    counts = Counter(votes)
    verb = "votes" if len(pro) == 1 else "vote"
    predicted = ensemble.schema.subject.answer(quote_if_odd(label))
    lines = [f"Predicted {predicted}. {len(pro)} of {pluralize(len(stumps), 'stump')} {verb} for it"]
    if any(counts[other] == len(pro) for other in counts if other != label):
        lines[0] += "; the tie goes to the class with more training rows"
    lines[0] += ":" if pro else "."
    lines += [_reason(i, reasons[i]) for i in pro]
    if con:
        lines.append(f"{pluralize(len(con), 'vote')} against it:")
        lines += [_reason(i, reasons[i], f": {quote_if_odd(votes[i])}") for i in con]
    return "\n".join(lines)


def _reason(index: int, reason: str, ending: str = "") -> str:
    return f"({index + 1}) {reason or 'for every row'}{ending}"


def _reasons(ensemble: Ensemble, row: Row, label: object) -> list[str]:
    """Name the features that contribute most for the label and against it."""
    code = np.flatnonzero(ensemble.classes_ == label).astype(np.int32)
    contributions = contributions_of(ensemble, row.table, code)[0]
    if ensemble.link.kind == "sigmoid" and code[0] == 0:
        contributions = -contributions
    order = np.argsort(-np.abs(contributions), kind="stable").tolist()
    least = _MIN_CONTRIBUTION * np.abs(contributions).sum()
    sentences = []
    for sign, heading in ((1, f"Main reasons for {quote_if_odd(label)}"), (-1, "Main reasons against it")):
        best = [i for i in order if sign * contributions[i] > least][:_MAX_FEATURES]
        if best:
            sentences.append(f"{heading}: {', '.join(_value(ensemble, row, i) for i in best)}.")
    return sentences


def _unknown_values(ensemble: Ensemble, row: Row) -> list[str]:
    """Name the categories that no training row had, in columns that some tree tests."""
    unknown = []
    for i in np.flatnonzero(ensemble.is_tested).tolist():
        column, value = ensemble.schema.features[i], row.given[i]
        if not column.categories or value is None or value in column.categories:
            continue
        is_other = column.unseen == "last" and row.values[i] == column.n_values - 1
        if math.isnan(row.values[i]) or is_other:
            unknown.append(f"the value {quote_if_odd(value)} of {quote_if_odd(column.name)}")
    return [f"The ensemble does not know {list_names(unknown, _MAX_FEATURES)}."] if unknown else []


def _value(ensemble: Ensemble, row: Row, feature: int) -> str:
    name = quote_if_odd(ensemble.feature_names[feature])
    given = row.given[feature]
    if math.isnan(row.values[feature]):
        return f"{name} (missing or unknown)"
    return f"{name} (yours: {value_text(ensemble.schema.features[feature], given)})"


def value_text(column: Feature, value: object) -> str:
    """Write a value of a column: a number with its unit; dates and durations are text already."""
    return with_unit(number_text(value), column.unit) if isinstance(value, float) else quote_if_odd(value)


def _votes(ensemble: Ensemble, table: Table) -> str:
    """Count what each tree alone predicts."""
    best = first_largest(_outputs(ensemble, table), ensemble.core.tie_tolerance)
    votes = np.bincount(best, minlength=ensemble.n_classes)
    order = [i for i in np.argsort(-votes, kind="stable").tolist() if votes[i] > 0]
    parts = [
        f"{votes[i]:,} {'say' if votes[i] != 1 else 'says'} {_class(ensemble, i)}"
        for i in order[:_MAX_CLASSES]
    ]
    more = (
        f", and {len(order) - _MAX_CLASSES:,} other classes have fewer" if len(order) > _MAX_CLASSES else ""
    )
    weighted = "; their weights differ" if len(set(ensemble.core.tree_weight)) > 1 else ""
    label = int(ensemble.answers(table)[0][0])
    is_outvoted = not weighted and ensemble.link.formula is None and votes[label] < votes.max()
    mean = "; the mean of their probabilities decides" if is_outvoted else ""
    return f"Of {pluralize(ensemble.n_trees, 'tree')}, {', '.join(parts)}{more}{weighted}{mean}."


def _pushes(ensemble: Ensemble, table: Table) -> str:
    """Count the trees that raise and those that lower the log-odds."""
    added = _outputs(ensemble, table)[:, 0] * np.asarray(ensemble.core.tree_weight)
    up, down = int((added > 0).sum()), int((added < 0).sum())
    score = float(ensemble.link.divided(ensemble.scores(table))[0, 0])
    trees = pluralize(ensemble.n_trees, "tree")
    raising = f"{up:,} of {trees} {'favors' if up == 1 else 'favor'} {_class(ensemble, 1)}"
    lowering = f"{down:,} {'favors' if down == 1 else 'favor'} {_class(ensemble, 0)}"
    base = f", including a base value of {start}" if (start := _base_text(ensemble, added)) else ""
    return f"{raising} and {lowering}; the sum is {number_text(score, 3)}{base}. {_meaning(ensemble)}"


def _meaning(ensemble: Ensemble) -> str:
    """Say which class a large sum means, or favors if a formula decides: the order of classes is not seen."""
    link = ensemble.link
    if link.formula is not None:
        return f"A sum above 0 favors {_class(ensemble, 1)}."
    # Sources that say "at least 0" have the double just below it.
    limit = 0.0 if abs(link.label_above) < _MIN_LIMIT else link.label_above
    return f"A sum above {number_text(limit, 3)} means {_class(ensemble, 1)}."


def _base_text(ensemble: Ensemble, added: NDArray[np.float64]) -> str:
    """Return where the sum starts; empty if at 0, as good as beside what the trees add."""
    base = float(ensemble.link.divided(np.asarray([ensemble.core.base[0]]))[0])
    return number_text(base, 3) if abs(base) > _ROUNDING * float(np.abs(added).max()) else ""


def _sums(ensemble: Ensemble, table: Table) -> str:
    """Compare the sums of the classes: a tree that adds to one class has no vote of its own."""
    scores = ensemble.link.divided(ensemble.scores(table))[0]
    order = np.argsort(-scores, kind="stable").tolist()
    sums = [f"{_class(ensemble, i)} {number_text(float(scores[i]), 3)}" for i in order[:_MAX_CLASSES]]
    more = ", …" if len(order) > _MAX_CLASSES else ""
    trees = pluralize(ensemble.n_trees, "tree")
    wins = "" if ensemble.link.formula is not None else ", largest wins"
    return f"Sums of {trees} per class{wins}: {', '.join(sums)}{more}."


def _of_positive(ensemble: Ensemble, table: Table, label: object) -> str:
    """Return the probability of the positive class if a different one is predicted."""
    if ensemble.positive is None or ensemble.positive == label:
        return ""
    index = np.asarray(ensemble.classes_).tolist().index(ensemble.positive)
    return f" ({quote_if_odd(ensemble.positive)}: {percent(float(ensemble.predict_proba(table)[0, index]))})"


def _models(ensemble: Ensemble, table: Table) -> str:
    """Say which classes the trees of combined models favor."""
    sides = member_views(ensemble, table).sides[0]
    favored = np.bincount(sides[sides >= 0], minlength=ensemble.n_classes)
    order = [i for i in np.argsort(-favored, kind="stable").tolist() if favored[i] > 0]
    parts = [
        f"{favored[i]:,} {'favors' if favored[i] == 1 else 'favor'} {_class(ensemble, i)}"
        for i in order[:_MAX_CLASSES]
    ]
    return f"Several models are combined. Of their {pluralize(ensemble.n_trees, 'tree')}, {', '.join(parts)}."


def _own_rule(ensemble: Ensemble) -> str:
    """Say that the trees alone do not decide the label."""
    rule = "" if ensemble.link.kind == "mixture" else label_text(ensemble)
    return f"{capitalize(rule)}." if rule else ""


def _numbers(ensemble: Ensemble, table: Table) -> str:
    """Say how the numbers of the trees make the prediction: each predicts it, or adds to it."""
    trees = pluralize(ensemble.n_trees, "tree")
    if ensemble.link.kind == "mixture":
        return f"Several models with {trees} answer together."
    outputs = _outputs(ensemble, table)[:, 0]
    if ensemble.is_mean or ensemble.link.kind == "median":
        low, high = answer_text(float(outputs.min())), answer_text(float(outputs.max()))
        return f"The predictions of {trees} range from {low} to {high}."
    added = ensemble.link.divided(outputs * np.asarray(ensemble.core.tree_weight))
    total = float(ensemble.link.divided(ensemble.scores(table))[0, 0])
    low, high = number_text(float(added.min()), 3), number_text(float(added.max()), 3)
    base = f" to a base value of {start}" if (start := _base_text(ensemble, added)) else ""
    sentence = f"Each of {trees} adds between {low} and {high}{base}"
    if ensemble.link.formula is None:
        return f"{sentence}."
    response = response_text(ensemble.link.formula)
    return f"{sentence}; the sum is {number_text(total, 3)}, and the prediction is {response}."


def _outputs(ensemble: Ensemble, table: Table) -> NDArray[np.float64]:
    """Return the outputs of each tree, of shape (n_trees, n_outputs)."""
    outputs: NDArray[np.float64] = ensemble.core.tree_outputs(table.native(), 1)[0]
    return outputs


def _class(ensemble: Ensemble, index: int) -> str:
    classes: Any = ensemble.classes_
    return quote_if_odd(classes[index])
