"""Names beside points: where they cover least of each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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


def write_names(
    ax: Axes, places: Mapping[str, tuple[float, float]], colours: Mapping[str, str] | None = None
) -> None:
    """Write each name beside its point where it covers least of what is there already.

    Parameters
    ----------
    ax : matplotlib Axes
        Where the points are; its limits and scales must be set.
    places : dict of name to (x, y)
        In the units of the axes.
    colours : dict of name to colour, optional
        Of the names; black by default.
    """
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    points = {name: ax.transData.transform(place) for name, place in places.items()}
    scale = figure.dpi / 72
    taken = [(x - 5 * scale, y - 5 * scale, x + 5 * scale, y + 5 * scale) for x, y in points.values()]
    inside = (ax.bbox.x0, ax.bbox.y0, ax.bbox.x1, ax.bbox.y1)

    def covered(box: Box) -> float:
        outside = (box[2] - box[0]) * (box[3] - box[1]) - _overlap(box, inside)
        return outside + sum(_overlap(box, other) for other in taken)

    for name, (x, y) in points.items():
        boxes = [_box(spot, x, y, len(name), scale) for spot in SPOTS]
        best = min(range(len(SPOTS)), key=lambda place: covered(boxes[place]))
        taken.append(boxes[best])
        shift, align = SPOTS[best][:2], SPOTS[best][2]
        ax.annotate(
            name,
            places[name],
            xytext=shift,
            textcoords="offset points",
            ha=align,
            fontsize=FONT_SIZE,
            color=(colours or {}).get(name, "black"),
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
