"""How an ensemble is shown: how many trees, how they combine, what they test."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from sightline.model import LEAF, Ensemble
from sightline.show._display import Display, shows, to_html
from sightline.show._model_findings import explained
from sightline.show._response import label_text, response_text
from sightline.show._row import Rows
from sightline.show._stump_table import stump_lines
from sightline.show._tree_text import predicted_text
from sightline.show.drawing import class_color, drawable, new_axes
from sightline.show.ensembles._explain import has_stumps
from sightline.show.ensembles._findings import EnsembleFindings
from sightline.wording import number_text, pluralize, quote_if_odd, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_NAME = 32
_BAR_LENGTH = 24


@dataclass(frozen=True)
class EnsembleSummary:
    """Summary of an ensemble that does not show its trees.

    Attributes
    ----------
    heading, combination, sizes : str
        Sentences: what it predicts, how its trees combine, and how large they are.
    tests : list of (str, int)
        Number of tests per feature, most first, without features that are not tested.
    n_hidden : int
        Tested features that are not listed.
    """

    heading: str
    combination: str
    sizes: str
    tests: list[tuple[str, int]]
    n_hidden: int

    @classmethod
    def of(cls, ensemble: Ensemble, max_features: int = 20) -> EnsembleSummary:
        """Summarize an ensemble."""
        counts = np.zeros(len(ensemble.schema), dtype=np.int64)
        for tree in ensemble.core.trees:
            feature = np.asarray(tree.feature)[np.asarray(tree.test) != LEAF]
            counts += np.bincount(feature, minlength=len(counts))
        order = [i for i in np.argsort(-counts, kind="stable").tolist() if counts[i] > 0]
        names = [quote_if_odd(name) for name in ensemble.feature_names]
        classes = [] if ensemble.classes_ is None else [quote_if_odd(label) for label in ensemble.classes_]
        trees = pluralize(ensemble.n_trees, "tree")
        return cls(
            heading=f"Ensemble of {trees} that predicts {predicted_text(ensemble, classes)}",
            combination=_combination(ensemble),
            sizes=_sizes(ensemble),
            tests=[(names[i], int(counts[i])) for i in order[:max_features]],
            n_hidden=max(len(order) - max_features, 0),
        )

    @property
    def more(self) -> str:
        """How many features are not listed; empty if all are."""
        return f"… and {pluralize(self.n_hidden, 'more feature')}" if self.n_hidden else ""


@shows(Ensemble)
class EnsembleDisplay(Display):
    """A summary; a few small trees that vote with equal weights are shown one by one."""

    model: Ensemble

    def text(self, *, max_features: int = 20, digits: int = 6) -> str:
        """Return the summary with a bar per feature, or the stumps."""
        if has_stumps(self.model):
            return self._stumps(digits)
        summary = EnsembleSummary.of(self.model, max_features)
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

    def _stumps(self, digits: int) -> str:
        lines = [_stumps_heading(self.model)]
        for number, stump in enumerate(self.model.trees, start=1):
            lines += ["", f"({number})", *stump_lines(stump, digits)]
        return "\n".join(lines) + "\n"

    def html(self, *, max_features: int = 10) -> str:
        """Return the summary with a table of features, or the stumps."""
        if has_stumps(self.model):
            stumps = (f"<p>({i})</p>{to_html(stump)}" for i, stump in enumerate(self.model.trees, start=1))
            return f"<div><p><b>{escape(_stumps_heading(self.model))}</b></p>{''.join(stumps)}</div>\n"
        summary = EnsembleSummary.of(self.model, max_features)
        left = 'style="text-align:left"'
        rows = "".join(
            f"<tr><td {left}>{escape(shortened(name, 4 * _MAX_NAME))}</td><td>{count:,}</td></tr>"
            for name, count in summary.tests
        )
        more = f'<tr><td colspan="2" {left}>{escape(summary.more)}</td></tr>' if summary.more else ""
        table = f"<table><tr><th>feature</th><th>tests</th></tr>{rows}{more}</table>" if rows else ""
        sentences = "<br>".join(escape(text) for text in (summary.combination, summary.sizes))
        return f"<div><p><b>{escape(summary.heading)}</b><br>{sentences}</p>{table}</div>\n"

    def plot(self, ax: Axes | None = None, *, max_features: int = 20) -> Axes:
        """Draw the number of tests per feature."""
        summary = EnsembleSummary.of(self.model, max_features)
        names = [drawable(shortened(name, _MAX_NAME)) for name, _ in summary.tests]
        if ax is None:
            ax = new_axes(6.4, 1.2 + 0.26 * len(names))
        positions = range(len(names))
        ax.barh(positions, [count for _, count in summary.tests], color=class_color(0))
        ax.set_yticks(positions, names, parse_math=False)
        ax.invert_yaxis()
        from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 - large

        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        more = f" ({summary.more})" if summary.more else ""
        ax.set_xlabel(f"tests in {pluralize(self.model.n_trees, 'tree')}{more}")
        ax.spines[["top", "right"]].set_visible(False)
        return ax

    def explain(self, rows: Any, *, reasons: bool = True, ids: Any = None) -> Any:
        """Say how the trees vote for rows, and which features matter most."""
        read = Rows.of(rows, self.model.schema, "the ensemble", ids)
        return explained(EnsembleFindings(self.model, read, reasons), read)


def _stumps_heading(ensemble: Ensemble) -> str:
    classes = predicted_text(ensemble, [quote_if_odd(label) for label in np.asarray(ensemble.classes_)])
    if ensemble.n_trees == 1:
        return f"1 stump that predicts {classes}"
    return f"{pluralize(ensemble.n_trees, 'stump')} that vote with equal weights on {classes}"


def _combination(ensemble: Ensemble) -> str:
    is_weighted = len(set(ensemble.core.tree_weight)) > 1
    kind = ensemble.link.kind
    if kind == "mixture":
        return "Several models are combined"
    return "; ".join(filter(None, [_combined_sums(ensemble, is_weighted), label_text(ensemble)]))


def _combined_sums(ensemble: Ensemble, is_weighted: bool) -> str:
    kind = ensemble.link.kind
    if kind == "mean":
        if ensemble.core.votes:
            return f"The trees vote with {'different' if is_weighted else 'equal'} weights"
        return f"Combined by the {'weighted ' if is_weighted else ''}mean of the class probabilities"
    if kind == "median":
        return "Combined by the weighted median of the trees' predictions"
    meaning = {
        "sigmoid": "the sum is the log-odds of the second class",
        "softmax": "the sums, one per class, become probabilities",
        "identity": "the divided sum is the prediction"
        if ensemble.link.divide_by
        else "the sum is the prediction",
    }[kind]
    if ensemble.classes_ is None and ensemble.link.formula is not None:
        meaning = f"the prediction is {response_text(ensemble.link.formula)}"
    base = [number_text(value) for value in ensemble.core.base if value]
    start = f", starting at {base[0]}" if len(base) == 1 else ""
    return f"The trees add up{start}: {meaning}"


def _sizes(ensemble: Ensemble) -> str:
    leaves = [tree.n_leaves for tree in ensemble.core.trees]
    depth = max(tree.depth for tree in ensemble.core.trees)
    span = f"{pluralize(min(leaves), 'leaf', 'leaves')} per tree"
    if min(leaves) < max(leaves):
        span = f"{min(leaves):,} to {max(leaves):,} leaves per tree (median {np.median(leaves):,.0f})"
    return f"{pluralize(ensemble.n_nodes, 'node')} in total; {span}; depth up to {depth:,}"
