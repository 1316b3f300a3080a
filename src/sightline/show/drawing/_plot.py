"""A layout drawn with matplotlib."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sightline.show.drawing._figure import filling_axes
from sightline.show.drawing._layout import (
    AXIS_HEIGHT,
    BAR_HEIGHT,
    BOX_GAP,
    BOX_LINE,
    BOX_PADDING,
    FONT_SIZE,
    LINE_HEIGHT,
    MARGIN,
    MARK_HEIGHT,
    PADDING,
    SMALL_FONT_SIZE,
    Box,
    Direction,
    DrawnChart,
    Edge,
    Layout,
)
from sightline.show.drawing._palette import MARK_FILL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PIXELS_PER_INCH = 96.0
_POINTS_PER_INCH = 72.0
_NARROWER = 0.88
"""matplotlib's default font is so much wider than those that the layout is made for."""
_MAX_INCHES = 200.0
"""Larger figures are scaled down: at 100 dots per inch they stay within 20,000 pixels."""


def draw(layout: Layout, ax: Axes | None = None) -> Axes:
    """Draw a layout into axes.

    Parameters
    ----------
    layout : Layout
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; text is scaled to their current size. By default the only axes of a
        new figure of the layout's size.

    Returns
    -------
    matplotlib Axes
        The axes, with equal scales and no frame.
    """
    ax = ax or _new_axes(layout)
    ax.set_xlim(0, layout.width)
    ax.set_ylim(layout.height, 0)
    ax.set_aspect("equal")
    ax.set_axis_off()
    painter = _Painter(ax, layout)
    for edge in layout.edges:
        painter.edge(edge, layout.direction)
    for edge in layout.edges:
        painter.edge_label(edge)
    for box in layout.boxes:
        painter.box(box)
    painter.legend(layout)
    for above, line in enumerate(reversed(layout.caption)):
        painter.text(MARGIN, layout.height - MARGIN - LINE_HEIGHT * above, line, SMALL_FONT_SIZE, "#4a515c")
    return ax


def drawable(text: str) -> str:
    """Replace characters that the font lacks: matplotlib warns about them."""
    from matplotlib.font_manager import FontProperties, findfont, get_font  # noqa: PLC0415 - large

    font = get_font(findfont(FontProperties()))
    is_known = (character == "\n" or font.get_char_index(ord(character)) for character in text)
    return "".join(character if known else "□" for character, known in zip(text, is_known, strict=True))


def _new_axes(layout: Layout) -> Axes:
    """Return axes that fill a new figure unknown to pyplot."""
    scale = min(1.0, _MAX_INCHES * _PIXELS_PER_INCH / max(layout.width, layout.height))
    return filling_axes(layout.width * scale / _PIXELS_PER_INCH, layout.height * scale / _PIXELS_PER_INCH)


class _Painter:
    def __init__(self, ax: Axes, layout: Layout) -> None:
        from matplotlib import patches  # noqa: PLC0415 - large

        self.ax = ax
        self.patches = patches
        extent = ax.get_window_extent()
        pixels_per_unit = min(extent.width / layout.width, extent.height / layout.height)
        self.points = pixels_per_unit * _POINTS_PER_INCH / ax.get_figure(root=True).dpi  # type: ignore[union-attr]

    def text(self, x: float, y: float, text: str, size: float, color: str, **options: Any) -> None:
        if text:
            options = {"ha": "left", "va": "center", **options}
            self.ax.text(
                x,
                y,
                drawable(text),
                fontsize=_NARROWER * size * self.points,
                color=color,
                parse_math=False,
                **options,
            )

    def box(self, box: Box) -> None:
        is_leaf = box.kind == "leaf"
        self.ax.add_patch(
            self.patches.FancyBboxPatch(
                (box.x, box.y),
                box.width,
                box.height,
                boxstyle="round,pad=0,rounding_size=5",
                facecolor=MARK_FILL.get(box.mark, "#ffffff") if is_leaf else "#f6f7f9",
                edgecolor=box.color if is_leaf else "#b9bfc9",
                linewidth=(2.0 if is_leaf else 1.0) * self.points,
                linestyle="--" if box.kind == "folded" else "-",
                zorder=3,
            )
        )
        for i, line in enumerate(box.lines):
            middle = box.y + BOX_PADDING + BOX_LINE * (i + 0.5)
            if line.style == "title":
                self.text(box.x + PADDING, middle, line.text, FONT_SIZE, "#14171c", weight="bold", zorder=4)
            else:
                self.text(box.x + PADDING, middle, line.text, SMALL_FONT_SIZE, "#4a515c", zorder=4)
        self._bar(box)
        if box.chart is not None:
            self._chart(box.chart)

    def _chart(self, chart: DrawnChart) -> None:
        for left, top, width, height, color in chart.rectangles:
            self._rectangle((left, top), width, height, color)
        right, bottom = chart.left + chart.width, chart.bottom
        self._line([chart.left, right], [bottom, bottom], "#b9bfc9")
        for x in chart.marks:
            self._line([x, x], [chart.top - 2, bottom], "#14171c")
            foot = bottom + MARK_HEIGHT
            self.ax.add_patch(
                self.patches.Polygon(
                    [(x, bottom), (x - 4, foot), (x + 4, foot)], color="#14171c", linewidth=0, zorder=5
                )
            )
        below = bottom + AXIS_HEIGHT - 7
        self.text(chart.left, below, chart.low, SMALL_FONT_SIZE, "#4a515c", zorder=4)
        self.text(right, below, chart.high, SMALL_FONT_SIZE, "#4a515c", ha="right", zorder=4)

    def _bar(self, box: Box) -> None:
        inside = box.width - 2 * PADDING
        left, top = box.x + PADDING, box.y + BOX_PADDING + BOX_LINE * len(box.lines) + BOX_GAP
        for share, color in box.bar:
            width = share * inside
            self._rectangle((left, top), width, BAR_HEIGHT, color)
            left += width

    def edge(self, edge: Edge, direction: Direction) -> None:
        points = [edge.start]
        for (x1, y1), (x2, y2) in pairwise(edge.points):
            x, y = (x1 + x2) / 2, (y1 + y2) / 2
            points += [*([(x1, y), (x2, y)] if direction == "down" else [(x, y1), (x, y2)]), (x2, y2)]
        from matplotlib.path import Path  # noqa: PLC0415

        path = Path(points, [Path.MOVETO, *[Path.CURVE4] * (len(points) - 1)])
        width = edge.thickness * self.points
        line = self.patches.PathPatch(path, facecolor="none", edgecolor="#c3c9d2", linewidth=width, zorder=1)
        self.ax.add_patch(line)

    def _rectangle(self, corner: tuple[float, float], width: float, height: float, color: str) -> None:
        filled = self.patches.Rectangle(corner, width, height, facecolor=color, linewidth=0, zorder=4)
        self.ax.add_patch(filled)

    def _line(self, x: list[float], y: list[float], color: str) -> None:
        self.ax.plot(x, y, color=color, linewidth=1.2 * self.points, zorder=5)

    def edge_label(self, edge: Edge) -> None:
        halo = {"facecolor": "#ffffff", "edgecolor": "none", "pad": 1.5 * self.points}
        self.text(
            *edge.label_at,
            "\n".join(edge.label),
            SMALL_FONT_SIZE,
            "#14171c",
            ha="center",
            bbox=halo,
            zorder=2,
        )

    def legend(self, layout: Layout) -> None:
        for entry in layout.legend:
            if entry.color:
                self._rectangle((entry.x, entry.y), 12, 12, entry.color)
            self.text(entry.x + 18, entry.y + 6, entry.name, SMALL_FONT_SIZE, "#4a515c")
