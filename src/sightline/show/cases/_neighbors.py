"""How an ensemble of nearest neighbors is shown: which features its members use, and how they vote."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from sightline.model import Ensemble, NeighbourEnsemble, feature_use
from sightline.show._display import Display, shows
from sightline.show._model_findings import ModelFindings, explained
from sightline.show._row import Rows
from sightline.show._tree_text import classes_text
from sightline.show.drawing import class_color, drawable, new_axes
from sightline.wording import percent, pluralize, printable, quote_if_odd, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_NAME = 32
_BAR_LENGTH = 24

_SEARCH_TEXT = {
    "ambhc": "found by hill climbing on error and ambiguity",
    "hc": "found by hill climbing on error",
    "random": "drawn at random",
}


def _sentences(ensemble: NeighbourEnsemble) -> list[str]:
    classes = [quote_if_odd(label) for label in ensemble.classes_]
    members = pluralize(ensemble.n_members, "member")
    n_cases, n_searched = ensemble.cases.n_rows, ensemble.n_search_rows
    sample = (
        f" on a sample of {n_searched:,} cases; predictions use all cases" if n_searched < n_cases else ""
    )
    found = _SEARCH_TEXT.get(ensemble.search, printable(ensemble.search))
    return [
        f"{members} that each use the {ensemble.k:,} nearest neighbors among {pluralize(n_cases, 'case')}; "
        f"predicts {classes_text(classes)}",
        f"Each uses {ensemble.masks.sum(axis=1).mean():.1f} of {len(ensemble.schema):,} features on average, "
        f"{found}{sample}.",
    ]


def used_features(ensemble: NeighbourEnsemble | Ensemble, max_features: int) -> list[tuple[str, float]]:
    """Return names and shares of the features that most members use, most used first."""
    use = feature_use(ensemble)
    order = [int(i) for i in np.argsort(-use, kind="stable") if use[i] > 0][:max_features]
    return [(shortened(quote_if_odd(ensemble.schema.names[i]), _MAX_NAME), float(use[i])) for i in order]


@shows(NeighbourEnsemble)
class NeighborsDisplay(Display):
    """How many members, which features they use, and how they vote."""

    model: NeighbourEnsemble

    def text(self, *, max_features: int = 20) -> str:
        """Return a summary with a bar per feature."""
        used = used_features(self.model, max_features)
        width = max(len(name) for name, _ in used)
        lines = [*_sentences(self.model), "", "Members that use each feature:"]
        for name, share in used:
            bar = "█" * max(1, round(_BAR_LENGTH * share))
            lines.append(f"  {name:<{width}}  {percent(share):>8}  {bar}")
        n_hidden = int((feature_use(self.model) > 0).sum()) - len(used)
        if n_hidden > 0:
            lines.append(f"  … and {pluralize(n_hidden, 'more feature')}")
        return "\n".join(lines) + "\n"

    def html(self, *, max_features: int = 10) -> str:
        """Return a summary with a table of features."""
        heading, sentence = _sentences(self.model)
        rows = "".join(
            f"<tr><td>{escape(name)}</td><td>{escape(percent(share))}</td></tr>"
            for name, share in used_features(self.model, max_features)
        )
        head = "<tr><th>feature</th><th>members</th></tr>"
        return (
            f"<div><p><b>{escape(heading)}</b><br>{escape(sentence)}</p><table>{head}{rows}</table></div>\n"
        )

    def plot(self, ax: Axes | None = None, *, max_features: int = 20) -> Axes:
        """Draw the share of members that use each feature."""
        return plot_use(self.model, ax, max_features)

    def explain(self, rows: Any, *, ids: Any = None) -> Any:
        """Say how the members vote for rows."""
        read = Rows.of(rows, self.model.schema, "the ensemble", ids)
        return explained(NeighborFindings(self.model, read), read)


class NeighborFindings(ModelFindings):
    """The predictions of an ensemble of nearest neighbors.

    Parameters
    ----------
    model : NeighbourEnsemble
        The ensemble.
    rows : Rows
        The rows.
    """

    gives_reasons = False
    is_ensemble = True

    def __init__(self, model: NeighbourEnsemble, rows: Rows) -> None:
        super().__init__(rows, model.classes_, *model.answers(rows.table), model, mentions_ensemble=False)
        self.model = model

    def sentences(self, row: int) -> str:
        """Say how the members vote."""
        ensemble = self.model
        shares = ensemble.member_shares(self.rows.table[row : row + 1])[0]
        sides = np.bincount(ensemble.winners(shares), minlength=len(ensemble.classes_))
        order = [int(code) for code in np.argsort(-sides, kind="stable") if sides[code] > 0]
        votes = ", ".join(f"{sides[code]:,} for {quote_if_odd(ensemble.classes_[code])}" for code in order)
        assert self.probabilities is not None
        label, probability = quote_if_odd(self.predictions[row]), percent(float(self.probabilities[row]))
        return (
            f"Predicted {label} with probability {probability}.\n"
            f"Of {pluralize(ensemble.n_members, 'member')}, {votes}."
        )


def plot_use(ensemble: NeighbourEnsemble | Ensemble, ax: Axes | None, max_features: int) -> Axes:
    """Draw the share of members that use each feature."""
    used = used_features(ensemble, max_features)
    if ax is None:
        ax = new_axes(6.4, 1.2 + 0.26 * len(used))
    ax.barh(range(len(used)), [100 * share for _, share in used], color=class_color(0))
    ax.set_yticks(range(len(used)), [drawable(name).replace("$", r"\$") for name, _ in used])
    ax.invert_yaxis()
    ax.set_xlim(0, 100)
    ax.set_xlabel("members that use the feature, %")
    ax.spines[["top", "right"]].set_visible(False)
    return ax
