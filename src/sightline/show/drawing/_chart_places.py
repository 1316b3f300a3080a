"""Charts as positioned rectangles in a drawing."""

from __future__ import annotations

from sightline.show.drawing._boxes import BoxContent
from sightline.show.drawing._layout import (
    AXIS_HEIGHT,
    BOX_PADDING,
    PADDING,
    DrawnChart,
)
from sightline.show.drawing._node_colors import NodeColors


def placed_chart(content: BoxContent, x: float, y: float, colors: NodeColors) -> DrawnChart | None:
    """Return the chart of a box whose left upper corner is given; None if it has none."""
    chart = content.chart
    if chart is None:
        return None
    left, width = x + PADDING, content.width - 2 * PADDING
    axis = AXIS_HEIGHT if chart.low else 0.0
    top = y + content.height - BOX_PADDING - axis - chart.height
    rectangles = []
    for bar in chart.bars:
        bottom = top + chart.height
        for share, key in bar.parts:
            height = share * chart.height
            bottom -= height
            rectangles.append(
                (left + bar.left * width, bottom, bar.width * width, height, colors.of_key(key))
            )
    marks = tuple(left + mark * width for mark in chart.marks)
    return DrawnChart(left, top, width, chart.height, tuple(rectangles), marks, chart.low, chart.high)
