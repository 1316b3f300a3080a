"""The critical-difference diagram: ranks on a line, bars over learners that do not differ."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sightline.lab._ranking import Ranking

ROW, BAR = 0.26, 0.15
"""Inches between two names, and between two bars."""

INK, GRAY = "#22262c", "#8a8f98"


def draw(ranking: Ranking, ax: Axes | None = None) -> Axes:
    """Draw a ranking as Demšar does: best on the right, names on both sides, bars for groups.

    Parameters
    ----------
    ranking : Ranking
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure of the right size.

    Returns
    -------
    matplotlib Axes
        The axes with the drawing.
    """
    k = len(ranking.names)
    groups = ranking.groups()
    n_left = math.ceil(k / 2)
    depth = 0.35 + BAR * len(groups) + ROW * n_left
    height = 0.75 + depth
    if ax is None:
        ax = Figure(figsize=(7.2, height)).add_axes((0, 0, 1, 1))
    low, high = math.floor(ranking.ranks.min()), math.ceil(ranking.ranks.max())
    high = max(high, low + 1)
    reach = 0.5 * (high - low)
    ax.set_xlim(high + reach, low - reach)
    ax.set_ylim(-depth, 0.75)
    ax.axis("off")
    _axis(ax, low, high)
    _ruler(ax, ranking, high)
    for index, group in enumerate(groups):
        ranks = [ranking.ranks[ranking.names.index(name)] for name in group]
        y = -0.18 - BAR * index
        ax.plot([min(ranks) - 0.03, max(ranks) + 0.03], [y, y], color=INK, linewidth=3, solid_capstyle="butt")
    _names(
        ax, ranking, n_left, below=0.35 + BAR * len(groups), ends=(high + 0.08 * reach, low - 0.08 * reach)
    )
    return ax


def _axis(ax: Axes, low: int, high: int) -> None:
    ax.plot([low, high], [0, 0], color=INK, linewidth=1)
    for tick in range(low, high + 1):
        ax.plot([tick, tick], [0, 0.07], color=INK, linewidth=1)
        ax.text(tick, 0.1, str(tick), ha="center", va="bottom", fontsize=9, color=INK)


def _ruler(ax: Axes, ranking: Ranking, high: int) -> None:
    width = ranking.critical_difference
    y = 0.5
    ax.plot([high, high - width], [y, y], color=GRAY, linewidth=1.5)
    for end in (high, high - width):
        ax.plot([end, end], [y - 0.04, y + 0.04], color=GRAY, linewidth=1.5)
    ax.text(
        high - width / 2,
        y + 0.06,
        f"critical difference {width:.2f} (Nemenyi, level {ranking.level:g})",
        ha="left" if width < 2 else "center",
        va="bottom",
        fontsize=8,
        color=GRAY,
    )


def _names(ax: Axes, ranking: Ranking, n_left: int, below: float, ends: tuple[float, float]) -> None:
    worst_first = np.argsort(-ranking.ranks, kind="stable")
    sides = ((worst_first[:n_left], ends[0], "right"), (worst_first[n_left:][::-1], ends[1], "left"))
    for learners, end, align in sides:
        for row, learner in enumerate(learners):
            y, rank = -below - ROW * row, float(ranking.ranks[learner])
            ax.plot([rank, rank, end], [0, y, y], color=GRAY, linewidth=0.8)
            # The axis runs from high to low, so right-aligned text ends at the left edge.
            name = f" {ranking.names[learner]}  {rank:.2f} "
            ax.text(end, y, name, ha=align, va="center", fontsize=9, color=INK)
