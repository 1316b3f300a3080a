"""The picture of size against accuracy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from sightline.judge._methods import KINDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sightline.judge._comparison import MethodComparison

# Okabe and Ito's colours, and a shape each, so that colour alone says nothing.
LOOKS = {
    "tree": ("#0072b2", "o"),
    "rules": ("#e69f00", "s"),
    "ensemble": ("#d55e00", "^"),
    "other": ("#009e73", "D"),
}
FONT_SIZE = 9
# Where a name may stand beside its point, the best place first: x, y in points, alignment.
SPOTS = (
    (7, -3, "left"),
    (-7, -3, "right"),
    (0, 8, "center"),
    (0, -14, "center"),
    (7, 8, "left"),
    (7, -14, "left"),
    (-7, 8, "right"),
    (-7, -14, "right"),
)
SHARE_OF_LINE = {"left": 0.0, "center": 0.5, "right": 1.0}
Box = tuple[float, float, float, float]


def draw(comparison: MethodComparison, ax: Axes | None = None) -> Axes:
    """Draw methods as points: tests to read to the right, accuracy upwards.

    Parameters
    ----------
    comparison : MethodComparison
        What to draw; methods whose size is not known are left out.
    ax : matplotlib Axes, optional
        Where; a new figure by default.

    Returns
    -------
    matplotlib Axes
        The axes that hold the drawing.
    """
    if ax is None:
        ax = Figure(figsize=(8.4, 5.0), layout="constrained").add_subplot()
    sized = [result for result in comparison.results if np.isfinite(result.tests)]
    # A model without any test is drawn where one test would be: the axis is logarithmic.
    places = {result.name: (max(result.tests, 1.0), result.accuracy) for result in sized}
    for kind, (colour, shape) in LOOKS.items():
        own = [places[result.name] for result in sized if result.kind == kind]
        if own:
            x, y = zip(*own, strict=True)
            ax.scatter(x, y, s=46, color=colour, marker=shape, label=KINDS[kind], zorder=3)
    front = [places[result.name] for result in comparison.front()]
    ax.plot(*zip(*front, strict=True), color="#8a8f98", linewidth=1.2, linestyle="--", zorder=1)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    ax.margins(0.16, 0.12)
    ax.set_xlabel("tests to read (logarithmic)")
    ax.set_ylabel("accuracy on unseen rows")
    ax.grid(color="#e6e8eb", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="lower right", fontsize=FONT_SIZE, framealpha=0.9)
    _write_names(ax, places)
    return ax


def _write_names(ax: Axes, places: dict[str, tuple[float, float]]) -> None:
    """Write each name beside its point where it covers least of what is there already."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    points = {name: ax.transData.transform(place) for name, place in places.items()}
    scale = figure.dpi / 72
    taken = [(x - 5 * scale, y - 5 * scale, x + 5 * scale, y + 5 * scale) for x, y in points.values()]
    for name, (x, y) in points.items():
        boxes = [_box(spot, x, y, len(name), scale) for spot in SPOTS]
        best = min(range(len(SPOTS)), key=lambda k: sum(_overlap(boxes[k], other) for other in taken))
        taken.append(boxes[best])
        shift, align = SPOTS[best][:2], SPOTS[best][2]
        ax.annotate(
            name,
            places[name],
            xytext=shift,
            textcoords="offset points",
            ha=align,
            fontsize=FONT_SIZE,
            parse_math=False,
        )


def _box(spot: tuple[int, int, str], x: float, y: float, n_letters: int, scale: float) -> Box:
    width, height = 0.56 * FONT_SIZE * n_letters * scale, 1.3 * FONT_SIZE * scale
    left = x + spot[0] * scale - width * SHARE_OF_LINE[spot[2]]
    bottom = y + spot[1] * scale
    return left, bottom, left + width, bottom + height


def _overlap(one: Box, other: Box) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0.0) * max(height, 0.0)
