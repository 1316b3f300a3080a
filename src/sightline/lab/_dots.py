"""Dots by name: the picture of a page whose numbers belong to data sets or methods, not to sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sightline.lab._curves import COLORS
from sightline.lab._findings import FigureFile

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OFFSET = 0.18
"""Between the dots of one name, in rows."""


@dataclass(frozen=True)
class Dots:
    """One panel.

    Attributes
    ----------
    label : str
        Name of the axis.
    series : mapping of str to mapping of str to float
        By the name in the legend: the numbers by the name of their row.
    errors : mapping of str to float
        Standard errors of the first series, by the name of the row.
    line : float or None
        Where a vertical line says "no difference".
    logarithmic : bool
        Whether the axis is.
    """

    label: str
    series: Mapping[str, Mapping[str, float]]
    errors: Mapping[str, float] | None = None
    line: float | None = None
    logarithmic: bool = False


def dots(caption: str, panels: Sequence[Dots], names: Sequence[str] = ()) -> FigureFile:
    """Draw panels side by side whose rows have the same names, the first name on top.

    Parameters
    ----------
    caption : str
        Text below the figure.
    panels : sequence of Dots
        The panels.
    names : sequence of str
        Names of the rows; without them, those of the first series.

    Returns
    -------
    FigureFile
        The figure "dots".

    Examples
    --------
    >>> panel = Dots("leaves", {"quick": {"iris": 24, "car": 78}, "smallest": {"iris": 18, "car": 60}})
    >>> drawn = dots("Fewer is better.", [panel])
    >>> drawn.name, [text.get_text() for text in drawn.figure.axes[0].get_yticklabels()]
    ('dots', ['iris', 'car'])
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import

    names = names or list(next(iter(panels[0].series.values())))
    figure = Figure(figsize=(7.2, 0.9 + 0.3 * len(names)), layout="constrained")
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for ax, panel in zip(axes, panels, strict=True):
        _draw(ax, panel, names)
    axes[0].set_yticks(range(len(names)), names)
    axes[0].set_ylim(len(names) - 0.5, -0.5)
    if len(panels[0].series) > 1:
        figure.legend(
            *axes[0].get_legend_handles_labels(),
            loc="outside upper center",
            ncols=len(panels[0].series),
            frameon=False,
            fontsize="small",
        )
    return FigureFile("dots", caption, figure)


def _draw(ax: Axes, panel: Dots, names: Sequence[str]) -> None:
    from matplotlib.ticker import LogLocator  # noqa: PLC0415 - slow to import

    middle = (len(panel.series) - 1) / 2
    colors = COLORS if len(panel.series) > 1 else COLORS[1:]
    for place, (color, (label, numbers)) in enumerate(zip(colors, panel.series.items(), strict=False)):
        rows = [row + OFFSET * (place - middle) for row, name in enumerate(names) if name in numbers]
        shown = [numbers[name] for name in names if name in numbers]
        errors = panel.errors if place == 0 else None
        widths = [errors.get(name, 0.0) for name in names if name in numbers] if errors else None
        ax.errorbar(shown, rows, xerr=widths, fmt="o", markersize=5, color=color, label=label)
    if panel.line is not None:
        ax.axvline(panel.line, color="#8a8f98", linewidth=1)
    if panel.logarithmic:
        ax.set_xscale("log", subs=[])
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.xaxis.set_major_formatter("{x:,g}")
        ax.xaxis.set_minor_formatter("")
    ax.set_xlabel(panel.label)
    ax.grid(color="#e6e8eb", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
