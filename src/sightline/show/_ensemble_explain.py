"""How the trees of an ensemble stand about a row, in sentences."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.model import Ensemble, first_largest
from sightline.show._explain import path_text
from sightline.show._number import number_text, percent_text
from sightline.show._printable import printable
from sightline.show._row import Row
from sightline.show._verbs import explain
from sightline.table import Table

_MAX_CLASSES = 5

_MAX_STUMPS = 30
_MAX_STUMP_DEPTH = 3
"""Up to so many trees of so many levels that vote alike are told one by one."""


@explain.register
def _(ensemble: Ensemble, row: object) -> str:
    table = Row.of(row, ensemble.schema, "the ensemble").table
    if ensemble.classes_ is None:
        return "\n".join(
            [f"Predicted {number_text(float(ensemble.predict(table)[0]))}.", _span(ensemble, table)]
        )
    if _has_stumps(ensemble):
        return _stump_votes(ensemble, Row.of(row, ensemble.schema, "the ensemble"))
    label = ensemble.predict(table)[0]
    probability = float(ensemble.predict_proba(table)[0][ensemble.classes_ == label][0])
    opinions = {"mean": _votes, "sigmoid": _pushes}.get(ensemble.link.kind, _sums)
    share = "score share" if ensemble.core.votes else "probability"
    return "\n".join(
        [
            f"Predicted {printable(label)} with {share} {percent_text(probability)}.",
            opinions(ensemble, table),
        ]
    )


def _has_stumps(ensemble: Ensemble) -> bool:
    """Whether the trees vote alike and are small and few enough to be told one by one."""
    core = ensemble.core
    is_small = ensemble.n_trees <= _MAX_STUMPS and max(tree.depth for tree in core.trees) <= _MAX_STUMP_DEPTH
    return core.votes and is_small and len(set(core.tree_weight)) == 1


def _stump_votes(ensemble: Ensemble, row: Row) -> str:
    """Tell which stumps speak for the label and which against it, each with its reason."""
    label = ensemble.predict(row.table)[0]
    stumps = ensemble.trees
    said = [stump.predict(row.table)[0] for stump in stumps]
    reasons = [path_text(stump, row) for stump in stumps]
    pro = [i for i, vote in enumerate(said) if vote == label]
    con = [i for i, vote in enumerate(said) if vote != label]
    counts = Counter(said)
    lines = [f"Predicted {printable(label)}: {len(pro)} of {_stumps(len(stumps))} {_say(len(pro))} so"]
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


def _stumps(n: int) -> str:
    return "1 stump" if n == 1 else f"{n} stumps"


def _say(n: int) -> str:
    return "says" if n == 1 else "say"


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
    return f"Of {_trees(ensemble)}, {', '.join(parts)}{more}{weighted}."


def _pushes(ensemble: Ensemble, table: Table) -> str:
    """Count the trees that raise and that lower the log-odds."""
    added = _outputs(ensemble, table)[:, 0] * np.asarray(ensemble.core.tree_weight)
    up, down = int((added > 0).sum()), int((added < 0).sum())
    score = float(ensemble.link.divided(ensemble.scores(table))[0, 0])
    sides = f"{up:,} for {_class(ensemble, 1)} and {down:,} for {_class(ensemble, 0)}"
    return f"Of {_trees(ensemble)}, {sides}; the sum is {number_text(score, 3)}."


def _sums(ensemble: Ensemble, table: Table) -> str:
    """Compare the classes' sums: a tree that adds to one class only says nothing alone."""
    scores = ensemble.link.divided(ensemble.scores(table))[0]
    order = np.argsort(-scores, kind="stable").tolist()
    sums = [f"{_class(ensemble, i)} {number_text(float(scores[i]), 3)}" for i in order[:_MAX_CLASSES]]
    more = ", …" if len(order) > _MAX_CLASSES else ""
    return f"The sums of {_trees(ensemble)} per class, of which the largest wins: {', '.join(sums)}{more}."


def _span(ensemble: Ensemble, table: Table) -> str:
    answers = _outputs(ensemble, table)[:, 0]
    ends = f"{number_text(float(answers.min()))} to {number_text(float(answers.max()))}"
    return f"The answers of {_trees(ensemble)} range from {ends}."


def _outputs(ensemble: Ensemble, table: Table) -> NDArray[np.float64]:
    """Return what each tree says, of shape (n_trees, n_outputs)."""
    outputs: NDArray[np.float64] = ensemble.core.tree_outputs(table.native(), 1)[0]
    return outputs


def _trees(ensemble: Ensemble) -> str:
    return "1 tree" if ensemble.n_trees == 1 else f"{ensemble.n_trees:,} trees"


def _class(ensemble: Ensemble, index: int) -> str:
    classes: Any = ensemble.classes_
    return printable(classes[index])
