"""An explanation by cases as a plot: a line per case through the values of all features."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sightline.model import CaseBase, CaseExplanation, CaseMatch
from sightline.show.cases._wording import MAX_CELL, CaseWording
from sightline.show.drawing import class_color, drawable, new_axes
from sightline.wording import pluralize, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_PLOTTED = 40
_ROW_COLOR = "#14171c"


def plot_cases(explanation: CaseExplanation, ax: Axes | None = None) -> Axes:
    """Draw the row and its cases, each feature on a line of its own."""
    wording = CaseWording(explanation)
    features = list(range(len(explanation.base.schema)))[:_MAX_PLOTTED]
    if ax is None:
        ax = new_axes(9.0, 1.9 + 0.42 * len(features))
    for line in range(len(features)):
        ax.plot([0, 1], [line, line], color="#e9ecf1", lw=14, solid_capstyle="round", zorder=0)
    for number, match in enumerate(explanation.matches):
        is_contrast = match is explanation.contrast
        xs = [_position(explanation, feature, match) for feature in features]
        word = "counterexample: " if is_contrast else ""
        # Side by side, so that equal values do not hide each other.
        shift = 0.2 * ((number + 1) / (len(explanation.matches) + 1) - 0.5)
        ax.plot(
            xs,
            [line + shift for line in range(len(features))],
            marker="s" if is_contrast else "o",
            ms=6,
            lw=1.0,
            ls="--" if is_contrast else "-",
            alpha=1.0 if is_contrast else max(0.35, 1.0 - 0.3 * number),
            color=class_color(match.code),
            mfc="white" if is_contrast else class_color(match.code),
            zorder=2 + 1 / (1 + number),
            label=_plain(f"{word}case {match.case:,}, {wording.outcome(match)}"),
        )
    xs = [_position(explanation, feature, None) for feature in features]
    ax.plot(xs, range(len(features)), "D-", ms=6, lw=2.2, color=_ROW_COLOR, zorder=1.5,
            label=_plain(f"yours, predicted {wording.outcome(None)}"))  # fmt: skip
    _decorate(ax, explanation, wording, features)
    return ax


def _position(explanation: CaseExplanation, feature: int, match: CaseMatch | None) -> float:
    """Return where a value lies in the range of its feature; a category has its middle."""
    column = explanation.base.cases.columns[feature]
    source = explanation.row.columns[feature] if match is None else column
    row = 0 if match is None else match.case
    if source.is_missing[row]:
        return math.nan
    value = float(source.values[row])
    if column.feature.is_nominal:
        return (value + 0.5) / column.feature.n_values
    low, high = _ends(explanation.base, feature)
    return min(max((value - low) / (high - low), -0.02), 1.02) if high > low else 0.5


def _ends(base: CaseBase, feature: int) -> tuple[float, float]:
    known = base.cases.columns[feature].values[~base.cases.columns[feature].is_missing]
    return (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)


def _decorate(ax: Axes, explanation: CaseExplanation, wording: CaseWording, features: list[int]) -> None:
    names = [_plain(shortened(wording.features.name(feature), MAX_CELL)) for feature in features]
    ax.set_yticks(range(len(features)), names)
    ax.set_xlim(-0.2, 1.5)
    ax.set_ylim(len(features) - 0.3, -1.1)
    ax.set_xticks([])
    ax.spines[:].set_visible(False)
    ax.tick_params(axis="y", length=0)
    small: dict[str, Any] = {"fontsize": 8, "va": "center", "color": "#4a515c"}
    ax.text(1.24, -0.75, "yours", ha="left", fontweight="bold", **{**small, "color": _ROW_COLOR})
    for line, feature in enumerate(features):
        ends = _end_texts(explanation.base, feature, wording)
        ax.text(-0.035, line, _plain(ends[0]), ha="right", **small)
        ax.text(1.035, line, _plain(ends[1]), ha="left", **small)
        yours = shortened(wording.value(feature, None), MAX_CELL)
        ax.text(1.24, line, _plain(yours), ha="left", **{**small, "color": _ROW_COLOR})
    hidden = len(explanation.base.schema) - len(features)
    if hidden:
        ax.text(0, len(features) - 0.4, f"… and {pluralize(hidden, 'more feature')}", ha="left", **small)
    ax.legend(loc="upper center", bbox_to_anchor=(0.45, 0.0), ncols=2, frameon=False, fontsize=9)


def _end_texts(base: CaseBase, feature: int, wording: CaseWording) -> tuple[str, str]:
    column = base.cases.columns[feature]
    if column.feature.is_nominal:
        first = shortened(wording.features.value(feature, 0), 10)
        return first, shortened(wording.features.value(feature, column.feature.n_values - 1), 10)
    low, high = _ends(base, feature)
    return wording.features.number(feature, low), wording.features.number(feature, high)


def _plain(text: str) -> str:
    """Return a text that matplotlib draws verbatim."""
    return drawable(text).replace("$", r"\$")
