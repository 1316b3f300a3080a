"""Curves by size: the picture with which most pages of our own claims begin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sightline.lab._findings import FigureFile, ResultTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = ("#8a8f98", "#0072b2", "#d55e00", "#009e73", "#cc79a7")
"""The first is for what we compare with."""

Curve = Sequence[tuple[float, float]]
Panels = dict[str, dict[str, list[tuple[float, float]]]]


def curves(caption: str, panels: Mapping[str, Mapping[str, Curve]], x_label: str, y_label: str) -> FigureFile:
    """Draw curves over sizes, side by side in one panel per name.

    Parameters
    ----------
    caption : str
        Text below the figure.
    panels : mapping of str to mapping of str to sequence of (size, value)
        Curves by their name, by the title of the panel.
    x_label, y_label : str
        Names of the axes.

    Returns
    -------
    FigureFile
        The figure "curve".

    Examples
    --------
    >>> drawn = curves("More is better.", {"forest": {"ours": [(8, 90.0), (16, 93.0)]}}, "leaves", "fidelity")
    >>> drawn.name, len(drawn.figure.axes)
    ('curve', 1)
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import

    width = 7.2 if len(panels) == 1 else max(7.2, 2.5 * len(panels))
    figure = Figure(figsize=(width, 3.6), layout="constrained")
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for ax, (title, lines) in zip(axes, panels.items(), strict=True):
        _draw(ax, title if len(panels) > 1 else "", lines)
        ax.set_xlabel(x_label)
    axes[0].set_ylabel(y_label)
    axes[0].legend(frameon=False, fontsize="small")
    return FigureFile("curve", caption, figure)


def _draw(ax: Axes, title: str, lines: Mapping[str, Curve]) -> None:
    sizes = sorted({size for line in lines.values() for size, _ in line})
    for color, (label, line) in zip(COLORS, lines.items(), strict=False):
        ax.plot(*zip(*line, strict=True), marker="o", markersize=4, color=color, label=label)
    ax.set_xscale("log", base=2)
    ax.set_xticks(sizes, [f"{size:g}" for size in sizes])
    ax.minorticks_off()
    ax.set_title(title, fontsize="medium")
    ax.grid(color="#e6e8eb", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def columns_by_size(table: ResultTable, columns: Sequence[str]) -> Panels:
    """Return columns of a table as panels: its first column names the panel, its second is the size.

    Examples
    --------
    >>> rows = [("forest", 8, 90.0), ("forest", 16, 93.0)]
    >>> columns_by_size(ResultTable("t", "T", ("model", "leaves", "ours"), rows), ["ours"])
    {'forest': {'ours': [(8.0, 90.0), (16.0, 93.0)]}}
    """
    places = {column: table.columns.index(column) for column in columns}
    panels: Panels = {}
    for row in table.rows:
        panel = panels.setdefault(str(row[0]), {column: [] for column in columns})
        for column, place in places.items():
            panel[column].append((float(str(row[1])), float(str(row[place]))))
    return panels


def gain_range(table: ResultTable, ours: str, other: str) -> tuple[float, float]:
    """Return the smallest and the largest difference between two columns.

    Examples
    --------
    >>> rows = [("a", 3.0, 1.0), ("b", 3.0, 2.5)]
    >>> gain_range(ResultTable("t", "T", ("model", "ours", "other"), rows), "ours", "other")
    (0.5, 2.0)
    """
    first, second = table.columns.index(ours), table.columns.index(other)
    found = [float(str(row[first])) - float(str(row[second])) for row in table.rows]
    return min(found), max(found)
