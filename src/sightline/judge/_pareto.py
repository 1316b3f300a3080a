"""The plot of size against accuracy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from sightline.judge._methods import KINDS
from sightline.lab import FONT_SIZE, write_names
from sightline.table import Labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sightline.judge._comparison import MethodComparison

# Okabe and Ito's colors, each with its own shape, so that no color carries meaning alone.
LOOKS = {
    "tree": ("#0072b2", "o"),
    "rules": ("#e69f00", "s"),
    "stumps": ("#cc79a7", "P"),
    "ensemble": ("#d55e00", "^"),
    "other": ("#009e73", "D"),
}


def draw(comparison: MethodComparison, ax: Axes | None = None) -> Axes:
    """Plot methods as points: tests to read on the x-axis, accuracy on the y-axis.

    Parameters
    ----------
    comparison : MethodComparison
        What to plot; methods of unknown size are left out.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        The axes with the drawing.
    """
    if ax is None:
        ax = Figure(figsize=(8.4, 5.0), layout="constrained").add_subplot()
    sized = [result for result in comparison.results if np.isfinite(result.tests)]
    # The axis is logarithmic: a model without tests is drawn at one test.
    points = {result.name: (max(result.tests, 1.0), result.score) for result in sized}
    for kind, (color, shape) in LOOKS.items():
        own = [points[result.name] for result in sized if result.kind == kind]
        if own:
            x, y = zip(*own, strict=True)
            ax.scatter(x, y, s=46, color=color, marker=shape, label=KINDS[kind], zorder=3)
    front = [points[result.name] for result in comparison.front()]
    ax.plot(*zip(*front, strict=True), color="#8a8f98", linewidth=1.2, linestyle="--", zorder=1)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:,.0f}")
    # Always the mean has an R² of 0 on any rows: a line there would only push all points together.
    if isinstance(comparison.y, Labels):
        label, share = comparison.guess
        ax.axhline(share, color="#8a8f98", linewidth=1.2, linestyle=":", zorder=1, label=f"always {label}")
        ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    ax.margins(0.16, 0.12)
    ax.set_xlabel("tests to read (logarithmic)")
    ax.set_ylabel(comparison.words.axis)
    ax.grid(color="#e6e8eb", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="lower right", fontsize=FONT_SIZE, framealpha=0.9)
    write_names(ax, points)
    return ax
