"""An ensemble in short: how many trees, how they speak together, what they ask about."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from sightline.model import LEAF, Ensemble
from sightline.show._palette import class_color
from sightline.show._plot import drawable
from sightline.show._stump_table import stump_lines
from sightline.show._text import classes_text
from sightline.show._verbs import plot, to_html, to_text
from sightline.wording import number_text, pluralize, printable, shortened

_MAX_STUMPS = 30
_MAX_STUMP_DEPTH = 3
"""Up to so many trees of so many levels that vote alike are told one by one."""

_MAX_NAME = 32
_BAR_LENGTH = 24


@dataclass(frozen=True)
class EnsembleSummary:
    """What there is to say about an ensemble without showing its trees.

    Attributes
    ----------
    heading, combination, sizes : str
        Sentences: what it predicts, how its trees combine, and how large they are.
    tests : list of (str, int)
        Number of tests per feature, most first, features without tests left out.
    n_hidden : int
        Tested features beyond those listed.
    """

    heading: str
    combination: str
    sizes: str
    tests: list[tuple[str, int]]
    n_hidden: int

    @classmethod
    def of(cls, ensemble: Ensemble, max_features: int = 20) -> EnsembleSummary:
        """Count and word the ensemble."""
        counts = np.zeros(len(ensemble.schema), dtype=np.int64)
        for tree in ensemble.core.trees:
            feature = np.asarray(tree.feature)[np.asarray(tree.test) != LEAF]
            counts += np.bincount(feature, minlength=len(counts))
        order = [i for i in np.argsort(-counts, kind="stable").tolist() if counts[i] > 0]
        names = [printable(name) for name in ensemble.feature_names]
        classes = [] if ensemble.classes_ is None else [printable(label) for label in ensemble.classes_]
        trees = pluralize(ensemble.n_trees, "tree")
        return cls(
            heading=f"Ensemble of {trees} that predicts {classes_text(classes)}",
            combination=_combination(ensemble),
            sizes=_sizes(ensemble),
            tests=[(names[i], int(counts[i])) for i in order[:max_features]],
            n_hidden=max(len(order) - max_features, 0),
        )

    @property
    def more(self) -> str:
        """Say how many features are left out; empty if none is."""
        return f"… and {pluralize(self.n_hidden, 'more feature')}" if self.n_hidden else ""


def has_stumps(ensemble: Ensemble) -> bool:
    """Whether the trees vote alike and are small and few enough to be told one by one."""
    core = ensemble.core
    is_small = ensemble.n_trees <= _MAX_STUMPS and max(tree.depth for tree in core.trees) <= _MAX_STUMP_DEPTH
    return core.votes and ensemble.classes_ is not None and is_small and len(set(core.tree_weight)) == 1


@to_text.register
def _(ensemble: Ensemble, *, max_features: int = 20, digits: int = 6) -> str:
    if has_stumps(ensemble):
        return _stumps_text(ensemble, digits)
    summary = EnsembleSummary.of(ensemble, max_features)
    lines = [summary.heading, summary.combination, summary.sizes]
    if summary.tests:
        width = min(max(len(name) for name, _ in summary.tests), _MAX_NAME)
        most = summary.tests[0][1]
        count_width = len(f"{most:,}")
        lines += ["", "Tests per feature:"]
        for name, count in summary.tests:
            bar = "█" * max(1, round(_BAR_LENGTH * count / most))
            lines.append(f"  {shortened(name, _MAX_NAME):<{width}}  {count:>{count_width},}  {bar}")
        lines += [f"  {summary.more}"] if summary.more else []
    return "\n".join(lines) + "\n"


def _stumps_text(ensemble: Ensemble, digits: int) -> str:
    """Show small trees that vote alike one below the other: they are the model, not its parts."""
    lines = [_stumps_heading(ensemble)]
    for place, stump in enumerate(ensemble.trees):
        lines += ["", f"({place + 1})", *stump_lines(stump, digits)]
    return "\n".join(lines) + "\n"


def _stumps_heading(ensemble: Ensemble) -> str:
    classes = classes_text([printable(label) for label in np.asarray(ensemble.classes_)])
    if ensemble.n_trees == 1:
        return f"1 stump that predicts {classes}"
    return f"{ensemble.n_trees} stumps that vote, all alike, on {classes}"


@to_html.register
def _(ensemble: Ensemble, *, max_features: int = 10) -> str:
    if has_stumps(ensemble):
        stumps = (f"<p>({place + 1})</p>{to_html(stump)}" for place, stump in enumerate(ensemble.trees))
        return f"<div><p><b>{escape(_stumps_heading(ensemble))}</b></p>{''.join(stumps)}</div>\n"
    summary = EnsembleSummary.of(ensemble, max_features)
    left = 'style="text-align:left"'
    rows = "".join(
        f"<tr><td {left}>{escape(shortened(name, 4 * _MAX_NAME))}</td><td>{count:,}</td></tr>"
        for name, count in summary.tests
    )
    more = f'<tr><td colspan="2" {left}>{escape(summary.more)}</td></tr>' if summary.more else ""
    table = f"<table><tr><th>feature</th><th>tests</th></tr>{rows}{more}</table>" if rows else ""
    sentences = "<br>".join(escape(text) for text in (summary.combination, summary.sizes))
    return f"<div><p><b>{escape(summary.heading)}</b><br>{sentences}</p>{table}</div>\n"


@plot.register
def _(ensemble: Ensemble, ax: Axes | None = None, *, max_features: int = 20) -> Axes:
    summary = EnsembleSummary.of(ensemble, max_features)
    names = [drawable(shortened(name, _MAX_NAME)) for name, _ in summary.tests]
    if ax is None:
        figure = Figure(figsize=(6.4, 1.2 + 0.26 * len(names)), layout="constrained")
        ax = figure.add_subplot()
    places = range(len(names))
    ax.barh(places, [count for _, count in summary.tests], color=class_color(0))
    ax.set_yticks(places, names, parse_math=False)
    ax.invert_yaxis()
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel(f"tests in {ensemble.n_trees:,} trees{f' ({summary.more})' if summary.more else ''}")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _combination(ensemble: Ensemble) -> str:
    is_weighted = len(set(ensemble.core.tree_weight)) > 1
    kind = ensemble.link.kind
    if kind == "mean":
        if ensemble.core.votes:
            return "The trees vote, each with its own weight" if is_weighted else "The trees vote, all alike"
        return f"Combined by the {'weighted ' if is_weighted else ''}mean of the class probabilities"
    if kind == "median":
        return "Combined by the weighted median of the trees' answers"
    what = {
        "sigmoid": "the sum is the log-odds of the second class",
        "softmax": "the sums, one per class, become probabilities",
        "identity": "the divided sum is the answer" if ensemble.link.divide_by else "the sum is the answer",
    }[kind]
    base = [number_text(value) for value in ensemble.core.base if value]
    start = f" to {base[0]}" if len(base) == 1 else ""
    return f"Combined by adding up{start}: {what}"


def _sizes(ensemble: Ensemble) -> str:
    leaves = [tree.n_leaves for tree in ensemble.core.trees]
    depth = max(tree.depth for tree in ensemble.core.trees)
    span = f"{pluralize(min(leaves), 'leaf', 'leaves')} per tree"
    if min(leaves) < max(leaves):
        span = f"{min(leaves):,} to {max(leaves):,} leaves per tree, {np.median(leaves):,.0f} in the middle"
    nodes = pluralize(ensemble.n_nodes, "node")
    return f"{nodes} in all; {span}; depth up to {depth:,}"
