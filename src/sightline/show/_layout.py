"""Boxes, edges and legend of a drawing, with positions and strings: all that renderers read.

Units are CSS pixels; the origin is at the top left.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Literal

Direction = Literal["down", "right"]
BoxKind = Literal["test", "leaf", "folded"]

FONT_SIZE = 13.0
SMALL_FONT_SIZE = 12.0
MARGIN = 16.0
PADDING = 10.0
LINE_HEIGHT = 18.0
BAR_HEIGHT = 6.0
BOX_HEIGHT = 2 * LINE_HEIGHT + BAR_HEIGHT + 2 * PADDING
_MIN_EDGE_WIDTH, _MAX_EDGE_WIDTH = 1.0, 9.0


@dataclass(frozen=True, slots=True)
class Box:
    """A node: its position, its two lines, its color, and a bar of colors below the lines.

    Parts of the bar are shares of its width. ``mark`` is its status in a certificate: "proved", "refuted",
    "open" or empty.
    """

    node: int
    kind: BoxKind
    x: float
    y: float
    width: float
    height: float
    title: str
    detail: str
    full_text: str
    bar: tuple[tuple[float, str], ...]
    color: str
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """A branch from one box to another. ``label_at`` is the middle of its label.

    ``share`` is the part of all rows that take it; ``via`` are points that the line passes.
    """

    parent: int
    child: int
    start: tuple[float, float]
    end: tuple[float, float]
    label: str
    label_at: tuple[float, float]
    full_text: str
    share: float
    via: tuple[tuple[float, float], ...] = ()

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
    """Everything in a drawing of a tree or graph."""

    width: float
    height: float
    direction: Direction
    title: str
    caption: str
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    legend: tuple[LegendEntry, ...]


def text_width(text: str, font_size: float = FONT_SIZE) -> float:
    """Estimate the width of a text in a common sans-serif font, erring on the wide side."""
    return font_size * sum(map(_character_width, text))


@cache
def _character_width(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.1
    if character in "mwMW@%…—<>=":
        return 0.9
    return 0.68 if character.isupper() or character.isdigit() else 0.6
