"""An ensemble of nearest neighbours: which features its members use, and how they stand about a row."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sightline.model import CaseBase, Ensemble, NeighbourEnsemble, feature_use
from sightline.show._palette import class_color
from sightline.show._plot import drawable
from sightline.show._row import Row
from sightline.show._text import classes_text
from sightline.show._verbs import explain, plot, to_html, to_text
from sightline.wording import percent, pluralize, printable, shortened

_MAX_NAME = 32
_BAR_LENGTH = 24

_SEARCH_TEXT = {
    "ambhc": "found by hill-climbing on error and ambiguity",
    "hc": "found by hill-climbing on error",
    "random": "drawn at random",
}


def _sentences(ensemble: NeighbourEnsemble) -> list[str]:
    classes = [printable(label) for label in ensemble.classes_]
    members = pluralize(ensemble.n_members, "member")
    n_cases, n_searched = ensemble.cases.n_rows, ensemble.n_search_rows
    sample = f" on a sample of {n_searched:,} cases; they predict from all" if n_searched < n_cases else ""
    found = _SEARCH_TEXT.get(ensemble.search, printable(ensemble.search))
    return [
        f"{members} of {ensemble.k:,} nearest neighbours among {n_cases:,} cases, "
        f"predicting {classes_text(classes)}",
        f"Each uses {ensemble.masks.sum(axis=1).mean():.1f} of {len(ensemble.schema):,} features on average, "
        f"{found}{sample}.",
    ]


def used_features(ensemble: NeighbourEnsemble | Ensemble, max_features: int) -> list[tuple[str, float]]:
    """Return names and shares of the features that most members use."""
    use = feature_use(ensemble)
    order = [int(place) for place in np.argsort(-use, kind="stable") if use[place] > 0][:max_features]
    return [
        (shortened(printable(ensemble.schema.names[place]), _MAX_NAME), float(use[place])) for place in order
    ]


@to_text.register
def _(ensemble: NeighbourEnsemble, *, max_features: int = 20) -> str:
    used = used_features(ensemble, max_features)
    width = max(len(name) for name, _ in used)
    lines = [*_sentences(ensemble), "", "Members that use a feature:"]
    for name, share in used:
        bar = "█" * max(1, round(_BAR_LENGTH * share))
        lines.append(f"  {name:<{width}}  {percent(share):>6}  {bar}")
    n_hidden = int((feature_use(ensemble) > 0).sum()) - len(used)
    if n_hidden > 0:
        lines.append(f"  … and {n_hidden:,} more features")
    return "\n".join(lines) + "\n"


@to_html.register
def _(ensemble: NeighbourEnsemble, *, max_features: int = 10) -> str:
    heading, sentence = _sentences(ensemble)
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>{escape(percent(share))}</td></tr>"
        for name, share in used_features(ensemble, max_features)
    )
    head = "<tr><th>feature</th><th>members</th></tr>"
    return f"<div><p><b>{escape(heading)}</b><br>{escape(sentence)}</p><table>{head}{rows}</table></div>\n"


@plot.register(NeighbourEnsemble)
@plot.register(CaseBase)
def _(model: NeighbourEnsemble | CaseBase, ax: Axes | None = None, *, max_features: int = 20) -> Axes:
    ensemble: Any = model.ensemble if isinstance(model, CaseBase) else model
    used = used_features(ensemble, max_features)
    if ax is None:
        ax = Figure(figsize=(6.4, 1.2 + 0.26 * len(used)), layout="constrained").add_subplot()
    ax.barh(range(len(used)), [100 * share for _, share in used], color=class_color(0))
    ax.set_yticks(range(len(used)), [drawable(name).replace("$", r"\$") for name, _ in used])
    ax.invert_yaxis()
    ax.set_xlim(0, 100)
    ax.set_xlabel("members that use the feature, %")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


@explain.register
def _(ensemble: NeighbourEnsemble, row: object) -> str:
    table = Row.of(row, ensemble.schema, "the ensemble").table
    shares = ensemble.member_shares(table)[0]
    codes, probabilities = ensemble.answers(table)
    sides = np.bincount(ensemble.winners(shares), minlength=len(ensemble.classes_))
    order = [int(code) for code in np.argsort(-sides, kind="stable") if sides[code] > 0]
    said = ", ".join(f"{sides[code]:,} for {printable(ensemble.classes_[code])}" for code in order)
    label = printable(ensemble.classes_[codes[0]])
    return (
        f"Predicted {label} with probability {percent(float(probabilities[0, codes[0]]))}.\n"
        f"Of {ensemble.n_members:,} members, {said}."
    )
