"""The picture of a Pareto front."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib import pyplot as plt
from matplotlib.ticker import PercentFormatter

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sightline.learn.setgen._front import ParetoFront

BLUE, ORANGE, GREY = "#3b6ea8", "#d9822b", "#8a8f98"


def plot_front(front: ParetoFront, ax: Axes | None = None) -> Axes:
    """Draw a front: nodes to the right, accuracy upwards, the number of features beside each point.

    Parameters
    ----------
    front : ParetoFront
        What to draw.
    ax : matplotlib Axes, optional
        Where; a new figure by default.

    Returns
    -------
    matplotlib Axes
        The axes that hold the drawing.
    """
    if ax is None:
        _, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    others = [point for point in front if point is not front.chosen]
    ax.scatter(
        [point.nodes for point in others], [point.accuracy for point in others], s=28, color=BLUE, zorder=3
    )
    ax.scatter(front.chosen.nodes, front.chosen.accuracy, s=90, marker="*", color=ORANGE, zorder=4)
    ax.scatter(
        front.plain.nodes, front.plain.accuracy, s=40, facecolor="none", edgecolor=GREY, marker="s", zorder=2
    )
    # Of points that would be written over each other, the best speaks.
    shown: list[tuple[float, float]] = []
    x_span = max(point.nodes for point in (*front, front.plain)) or 1.0
    y_span = max(point.accuracy for point in front) - min(point.accuracy for point in front) or 1.0
    for point in sorted(front, key=lambda point: (point is not front.chosen, -point.accuracy)):
        place = (point.nodes / x_span, point.accuracy / y_span)
        if any(abs(place[0] - x) < 0.05 and abs(place[1] - y) < 0.05 for x, y in shown):
            continue
        shown.append(place)
        n = len(point.features)
        is_chosen = point is front.chosen
        text = f"{n} feature{'s' * (n != 1)}, best fitness" if is_chosen else str(n)
        ax.annotate(
            text,
            (point.nodes, point.accuracy),
            xytext=(6, -11),
            textcoords="offset points",
            fontsize=8,
            color=ORANGE if is_chosen else BLUE,
        )
    ax.annotate(
        f"all {len(front.plain.features)} features",
        (front.plain.nodes, front.plain.accuracy),
        xytext=(-7, 6),
        textcoords="offset points",
        ha="right",
        fontsize=8,
        color=GREY,
    )
    ax.set_xlabel("nodes (mean of the inner trees)")
    ax.set_ylabel("accuracy (inner cross-validation)")
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    ax.margins(0.08)
    ax.grid(color="#e6e8eb", linewidth=0.8)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax
