"""Text in lines that fit a box: names wrap and are not cut."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from sightline.show.drawing._layout import FONT_SIZE, SMALL_FONT_SIZE, text_width

LineStyle = Literal["title", "detail"]

BOLD = 1.08
"""Bold text is this much wider."""

MAX_LINES = 8
"""A name of hundreds of characters ends in an ellipsis; its full text is in the tooltip."""

_PIECES = re.compile(r"\S*?[_/\-.,:;)](?=[^\W\d_])|\S+?(?<=[a-z])(?=[A-Z])|\S+|\s+")
"""Lines may break at blanks, after punctuation inside of words, and before capitals."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a box and how it looks."""

    text: str
    style: LineStyle

    @property
    def width(self) -> float:
        """Estimated width."""
        return line_width(self.text, self.style)


def line_width(text: str, style: LineStyle) -> float:
    """Estimate the width of a line."""
    return BOLD * text_width(text, FONT_SIZE) if style == "title" else text_width(text, SMALL_FONT_SIZE)


@lru_cache(maxsize=1 << 12)
def lines_of(text: str, style: LineStyle, max_width: float, max_lines: int = MAX_LINES) -> tuple[Line, ...]:
    """Break a text into lines.

    Examples
    --------
    >>> [line.text for line in lines_of("other_installment_plans", "title", 110)]
    ['other_', 'installment_', 'plans']
    """
    return tuple(Line(part, style) for part in _wrapped(text, style, max_width, max_lines))


def _wrapped(text: str, style: LineStyle, max_width: float, max_lines: int) -> list[str]:
    lines, current = [], ""
    for piece in _pieces(text, style, max_width):
        if current and line_width((current + piece).rstrip(), style) > max_width:
            lines.append(current.rstrip())
            current = piece.lstrip()
        else:
            current += piece
    lines.append(current.rstrip())
    lines = [line for line in lines if line]
    if len(lines) <= max_lines:
        return lines
    return [*lines[: max_lines - 1], f"{lines[max_lines - 1]}…"]


def _pieces(text: str, style: LineStyle, max_width: float) -> list[str]:
    """Split a text where lines may break, and long words wherever they must."""
    pieces = []
    for piece in _PIECES.findall(text):
        rest = piece
        while line_width(rest, style) > max_width and len(rest) > 1:
            n_fitting = max(1, int(len(rest) * max_width / line_width(rest, style)))
            pieces.append(rest[:n_fitting])
            rest = rest[n_fitting:]
        pieces.append(rest)
    return pieces
