"""Boxes, edges and legend of a drawing, with positions and strings: all that renderers read.

Units are CSS pixels; the origin is at the top left.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from sightline.show.drawing._text_lines import Line

Direction = Literal["down", "right"]
BoxKind = Literal["test", "leaf", "folded"]

FONT_SIZE = 13.0
SMALL_FONT_SIZE = 12.0
MARGIN = 16.0
PADDING = 10.0
LINE_HEIGHT = 18.0
BAR_HEIGHT = 5.0
BOX_PADDING = 7.0
BOX_LINE = 16.0
BOX_GAP = 4.0
CHART_HEIGHT = 32.0
SMALL_CHART_HEIGHT = 20.0
AXIS_HEIGHT = 19.0
MARK_HEIGHT = 5.0
MIN_BOX_WIDTH = 76.0
MIN_CHART_WIDTH = 112.0
_MIN_EDGE_WIDTH, _MAX_EDGE_WIDTH = 1.0, 9.0

SIZES = {
    "padding": PADDING,
    "line_height": LINE_HEIGHT,
    "bar_height": BAR_HEIGHT,
    "box_padding": BOX_PADDING,
    "box_line": BOX_LINE,
    "box_gap": BOX_GAP,
    "axis_height": AXIS_HEIGHT,
    "mark_height": MARK_HEIGHT,
    "min_edge": _MIN_EDGE_WIDTH,
    "max_edge": _MAX_EDGE_WIDTH,
}
"""What a script needs to draw the same boxes and edges."""


@dataclass(frozen=True, slots=True)
class Box:
    """A node: its position, its text, its color, a bar of colors below the text, and a chart below that.

    ``title`` and ``detail`` are the text in two strings, ``lines`` is the same as it is drawn. Parts of the
    bar are shares of its width. ``mark`` is its status in a certificate: "proved", "refuted", "open" or
    empty.
    """

    node: int
    kind: BoxKind
    x: float
    y: float
    width: float
    height: float
    title: str
    detail: str
    lines: tuple[Line, ...]
    full_text: str
    bar: tuple[tuple[float, str], ...]
    color: str
    mark: str = ""
    chart: DrawnChart | None = None


@dataclass(frozen=True, slots=True)
class DrawnChart:
    """A positioned chart: rectangles with their colors, marks, and the strings at the ends of its axis.

    Rectangles are left, top, width, height and color.
    """

    left: float
    top: float
    width: float
    height: float
    rectangles: tuple[tuple[float, float, float, float, str], ...]
    marks: tuple[float, ...]
    low: str
    high: str

    @property
    def bottom(self) -> float:
        """Vertical position of the baseline of the bars."""
        return self.top + self.height


@dataclass(frozen=True, slots=True)
class Edge:
    """A branch from one box to another. ``label_at`` is the middle of its label.

    ``share`` is the part of all rows that take it; ``via`` are points that the line passes.
    """

    parent: int
    child: int
    start: tuple[float, float]
    end: tuple[float, float]
    label: tuple[str, ...]
    label_at: tuple[float, float]
    full_text: str
    share: float
    via: tuple[tuple[float, float], ...] = ()

    @property
    def text(self) -> str:
        """The label in one line."""
        return " ".join(self.label)

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        """Start, intermediate points and end of the line."""
        return (self.start, *self.via, self.end)

    @property
    def thickness(self) -> float:
        """Width of the line."""
        return _MIN_EDGE_WIDTH + (_MAX_EDGE_WIDTH - _MIN_EDGE_WIDTH) * self.share


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A class, or an end of the scale of numbers, beside a swatch of its color, if it has one."""

    color: str
    x: float
    y: float
    name: str
    full_text: str


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything in a drawing of a tree or graph; the caption is the lines below it."""

    width: float
    height: float
    direction: Direction
    title: str
    caption: tuple[str, ...]
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    legend: tuple[LegendEntry, ...]


def text_width(text: str, font_size: float = FONT_SIZE) -> float:
    """Estimate the width of a text in Arial or Helvetica, erring on the wide side."""
    return font_size * _width_of_size_one(text)


@lru_cache(maxsize=1 << 14)
def _width_of_size_one(text: str) -> float:
    """Return the width in a font of size 1: the boxes of a large tree ask for the same few words again."""
    return sum(map(_character_width, text))


@cache
def _character_width(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.1
    if character in "mwMW@%…—":
        return 0.93
    if character in "iljtfI.,:;'|!()[]/\\- ":
        return 0.35
    if character in "<>=+·":
        return 0.62
    return 0.73 if character.isupper() else 0.58


FONTS = '"Segoe UI", "Helvetica Neue", Helvetica, Arial, "Liberation Sans", Roboto, system-ui, sans-serif'
"""Fonts of about the same width, which each system has one of."""
