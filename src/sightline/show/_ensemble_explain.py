"""How the trees of an ensemble stand about a row, in sentences."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.model import Ensemble, first_largest
from sightline.show._ensemble_summary import has_stumps
from sightline.show._explain import path_text
from sightline.show._row import Row
from sightline.show._verbs import explain
from sightline.table import Table
from sightline.wording import number_text, percent, pluralize, printable

_MAX_CLASSES = 5
_MAX_FEATURES = 3

_MIN_CONTRIBUTION = 0.02
"""Of all that the features say: what says less is not worth a word."""


@explain.register
def _(ensemble: Ensemble, row: object, *, reasons: bool = True) -> str:
    read = Row.of(row, ensemble.schema, "the ensemble")
    table = read.table
    if ensemble.classes_ is None:
        return "\n".join(
            [f"Predicted {number_text(float(ensemble.predict(table)[0]))}.", _span(ensemble, table)]
        )
    if has_stumps(ensemble):
        return _stump_votes(ensemble, read)
    label = ensemble.predict(table)[0]
    probability = float(ensemble.predict_proba(table)[0][ensemble.classes_ == label][0])
    opinions = {"mean": _votes, "sigmoid": _pushes}.get(ensemble.link.kind, _sums)
    share = "score share" if ensemble.core.votes else "probability"
    return "\n".join(
        [
            f"Predicted {printable(label)} with {share} {percent(probability)}.",
            opinions(ensemble, table),
            *(_reasons(ensemble, read, label) if reasons else ()),
        ]
    )


def _stump_votes(ensemble: Ensemble, row: Row) -> str:
    """Tell which stumps speak for the label and which against it, each with its reason."""
    label = ensemble.predict(row.table)[0]
    stumps = ensemble.trees
    said = [stump.predict(row.table)[0] for stump in stumps]
    reasons = [path_text(stump, row) for stump in stumps]
    pro = [i for i, vote in enumerate(said) if vote == label]
    con = [i for i, vote in enumerate(said) if vote != label]
    counts = Counter(said)
    lines = [
        f"Predicted {printable(label)}: {len(pro)} of {pluralize(len(stumps), 'stump')} {_say(len(pro))} so"
    ]
    if any(counts[other] == len(pro) for other in counts if other != label):
        lines[0] += ", a tie, which goes to the class with more training rows"
    lines[0] += ":" if pro else "."
    lines += [_reason(i, reasons[i]) for i in pro]
    if con:
        lines.append(f"The {'one' if len(con) == 1 else len(con)} against:")
        lines += [_reason(i, reasons[i], f": {printable(said[i])}") for i in con]
    return "\n".join(lines)


def _reason(place: int, reason: str, ending: str = "") -> str:
    return f"({place + 1}) {reason or 'whatever the row is'}{ending}"


def _say(n: int) -> str:
    return "says" if n == 1 else "say"


def _reasons(ensemble: Ensemble, row: Row, label: object) -> list[str]:
    """Name the features that spoke most for the label and against it."""
    spoken = _contributions(ensemble, row, int(np.flatnonzero(ensemble.classes_ == label)[0]))
    order = np.argsort(-np.abs(spoken), kind="stable")
    least = _MIN_CONTRIBUTION * np.abs(spoken).sum()
    told = []
    for is_for, words in ((True, f"For {printable(label)} spoke most"), (False, "Against it spoke most")):
        best = [i for i in order.tolist() if (spoken[i] > 0) == is_for and abs(spoken[i]) > least]
        if best:
            told.append(f"{words}: {', '.join(_value(ensemble, row, i) for i in best[:_MAX_FEATURES])}.")
    return told


def _contributions(ensemble: Ensemble, row: Row, label: int) -> NDArray[np.float64]:
    """Add up what each test on the row's paths adds to the score of a class.

    A step from a node to its child changes what the tree would say; the change is put down to
    the feature that was tested. Trees whose inner nodes say nothing of their own are left out.
    """
    spoken = np.zeros(len(ensemble.schema))
    core = ensemble.core
    leaves = ensemble.apply(row.table)[0].tolist()
    for tree, leaf, weight, place in zip(core.trees, leaves, core.tree_weight, core.tree_score, strict=True):
        if place >= 0 and ensemble.link.kind == "softmax" and place != label:
            continue
        said = _said_of(ensemble, tree, label, place)
        parent = np.full(tree.n_nodes, -1)
        parent[tree.child] = np.repeat(np.arange(tree.n_nodes), np.diff(tree.branch_begin))
        node = leaf
        while node > 0:
            above = int(parent[node])
            spoken[tree.feature[above]] += weight * (said[node] - said[above])
            node = above
    return spoken


def _said_of(ensemble: Ensemble, tree: _core.Tree, label: int, place: int) -> NDArray[np.float64]:
    """Return what each node of a tree says for a class."""
    output: NDArray[np.float64] = np.asarray(tree.output)
    if ensemble.link.kind == "sigmoid":
        return output[:, 0] if label == 1 else -output[:, 0]
    return output[:, 0] if place >= 0 else output[:, label]


def _value(ensemble: Ensemble, row: Row, feature: int) -> str:
    name = printable(ensemble.feature_names[feature])
    given = row.given[feature]
    if math.isnan(row.values[feature]):
        return f"{name} (missing or unknown)"
    return f"{name} (yours: {number_text(given) if isinstance(given, float) else printable(given)})"


def _votes(ensemble: Ensemble, table: Table) -> str:
    """Count what each tree alone would say."""
    best = first_largest(_outputs(ensemble, table), ensemble.core.tie_tolerance)
    said = np.bincount(best, minlength=ensemble.n_classes)
    order = [i for i in np.argsort(-said, kind="stable").tolist() if said[i] > 0]
    parts = [
        f"{said[i]:,} {'say' if said[i] != 1 else 'says'} {_class(ensemble, i)}" for i in order[:_MAX_CLASSES]
    ]
    more = (
        f", and {len(order) - _MAX_CLASSES:,} other classes have fewer" if len(order) > _MAX_CLASSES else ""
    )
    weighted = "; their weights differ" if len(set(ensemble.core.tree_weight)) > 1 else ""
    label = int(ensemble.answers(table)[0][0])
    is_outvoted = not weighted and said[label] < said.max()
    surer = "; but what counts is the mean of their probabilities" if is_outvoted else ""
    return f"Of {pluralize(ensemble.n_trees, 'tree')}, {', '.join(parts)}{more}{weighted}{surer}."


def _pushes(ensemble: Ensemble, table: Table) -> str:
    """Count the trees that raise and that lower the log-odds."""
    added = _outputs(ensemble, table)[:, 0] * np.asarray(ensemble.core.tree_weight)
    up, down = int((added > 0).sum()), int((added < 0).sum())
    score = float(ensemble.link.divided(ensemble.scores(table))[0, 0])
    sides = f"{up:,} for {_class(ensemble, 1)} and {down:,} for {_class(ensemble, 0)}"
    return f"Of {pluralize(ensemble.n_trees, 'tree')}, {sides}; the sum is {number_text(score, 3)}."


def _sums(ensemble: Ensemble, table: Table) -> str:
    """Compare the classes' sums: a tree that adds to one class only says nothing alone."""
    scores = ensemble.link.divided(ensemble.scores(table))[0]
    order = np.argsort(-scores, kind="stable").tolist()
    sums = [f"{_class(ensemble, i)} {number_text(float(scores[i]), 3)}" for i in order[:_MAX_CLASSES]]
    more = ", …" if len(order) > _MAX_CLASSES else ""
    trees = pluralize(ensemble.n_trees, "tree")
    return f"Sums of {trees} per class, largest wins: {', '.join(sums)}{more}."


def _span(ensemble: Ensemble, table: Table) -> str:
    answers = _outputs(ensemble, table)[:, 0]
    ends = f"{number_text(float(answers.min()))} to {number_text(float(answers.max()))}"
    return f"The answers of {pluralize(ensemble.n_trees, 'tree')} range from {ends}."


def _outputs(ensemble: Ensemble, table: Table) -> NDArray[np.float64]:
    """Return what each tree says, of shape (n_trees, n_outputs)."""
    outputs: NDArray[np.float64] = ensemble.core.tree_outputs(table.native(), 1)[0]
    return outputs


def _class(ensemble: Ensemble, index: int) -> str:
    classes: Any = ensemble.classes_
    return printable(classes[index])
