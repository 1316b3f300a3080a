"""The plot of a Pareto front."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib import pyplot as plt
from matplotlib.ticker import PercentFormatter

from sightline.wording import pluralize

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sightline.learn.setgen._front import ParetoFront

BLUE, ORANGE, GRAY = "#3b6ea8", "#d9822b", "#8a8f98"


def plot_front(front: ParetoFront, ax: Axes | None = None) -> Axes:
    """Plot a front; see :meth:`ParetoFront.plot`."""
    if ax is None:
        _, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    kinds = (
        (
            [point for point in front if point is not front.chosen],
            "feature set, with its number of features",
            "o",
            BLUE,
        ),
        ([front.chosen], f"best fitness, {pluralize(len(front.chosen.features), 'feature')}", "*", ORANGE),
        ([front.plain], f"all {pluralize(len(front.plain.features), 'feature')}", "s", GRAY),
    )
    for points, label, marker, color in kinds:
        ax.scatter(
            [point.nodes for point in points],
            [point.accuracy for point in points],
            s=90 if marker == "*" else 28,
            marker=marker,
            facecolor="none" if marker == "s" else color,
            edgecolor=color,
            zorder=3,
            label=label,
        )
    _write_numbers(front, ax)
    ax.legend(loc="lower right", fontsize=8, frameon=False)
    ax.set_xlabel("nodes (mean of the inner trees)")
    ax.set_ylabel("accuracy (inner cross-validation)")
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    ax.margins(0.08)
    ax.grid(color="#e6e8eb", linewidth=0.8)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def _write_numbers(front: ParetoFront, ax: Axes) -> None:
    """Write the number of features beside each point; where labels would overlap, only the best."""
    shown: list[tuple[float, float]] = []
    x_span = max(point.nodes for point in (*front, front.plain)) or 1.0
    y_span = max(point.accuracy for point in front) - min(point.accuracy for point in front) or 1.0
    for point in sorted(front, key=lambda point: (point is not front.chosen, -point.accuracy)):
        position = (point.nodes / x_span, point.accuracy / y_span)
        if any(abs(position[0] - x) < 0.05 and abs(position[1] - y) < 0.05 for x, y in shown):
            continue
        shown.append(position)
        ax.annotate(
            str(len(point.features)),
            (point.nodes, point.accuracy),
            xytext=(6, -11),
            textcoords="offset points",
            fontsize=8,
            color=ORANGE if point is front.chosen else BLUE,
        )
