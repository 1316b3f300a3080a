"""Labels beside points, placed where they overlap least."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FONT_SIZE = 9
# Positions of a name relative to its point, best first: x, y in points, alignment.
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


def write_names(
    ax: Axes, points: Mapping[str, tuple[float, float]], colors: Mapping[str, str] | None = None
) -> None:
    """Write each name beside its point, where it overlaps least with what is already there.

    Parameters
    ----------
    ax : matplotlib Axes
        The axes with the points; limits and scales must be set.
    points : dict of name to (x, y)
        Points in data coordinates.
    colors : dict of name to color, optional
        Colors of the names; black by default.
    """
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    pixels = {name: ax.transData.transform(point) for name, point in points.items()}
    scale = figure.dpi / 72
    taken = [(x - 5 * scale, y - 5 * scale, x + 5 * scale, y + 5 * scale) for x, y in pixels.values()]
    inside = (ax.bbox.x0, ax.bbox.y0, ax.bbox.x1, ax.bbox.y1)

    def covered(box: Box) -> float:
        outside = (box[2] - box[0]) * (box[3] - box[1]) - _overlap(box, inside)
        return outside + sum(_overlap(box, other) for other in taken)

    for name, (x, y) in pixels.items():
        boxes = [_box(spot, x, y, len(name), scale) for spot in SPOTS]
        best = min(range(len(SPOTS)), key=lambda spot: covered(boxes[spot]))
        taken.append(boxes[best])
        shift, align = SPOTS[best][:2], SPOTS[best][2]
        ax.annotate(
            name,
            points[name],
            xytext=shift,
            textcoords="offset points",
            ha=align,
            fontsize=FONT_SIZE,
            color=(colors or {}).get(name, "black"),
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
