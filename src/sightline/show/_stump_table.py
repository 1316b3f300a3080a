"""How stumps are shown: one below the other as text, side by side as a plot."""

from __future__ import annotations

from html import escape
from itertools import accumulate
from typing import TYPE_CHECKING

from sightline.model import StumpTable, Tree
from sightline.show._display import Display, shows, to_html
from sightline.show._node_wording import NodeWording
from sightline.show._outline import Outline
from sightline.show._tree_text import node_lines
from sightline.show.drawing import FONT_SIZE, MARGIN, draw, drawable, filling_axes, lay_out
from sightline.wording import percent, pluralize, quote_if_odd

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TITLE_HEIGHT = 34.0
_GAP = 24.0
_ROW_WIDTH = 1500.0
"""Approximate width of a row of stumps, in the units of layouts (96 per inch)."""


@shows(StumpTable)
class StumpTableDisplay(Display):
    """The stumps one by one, each with what it is worth."""

    model: StumpTable

    def text(self, *, digits: int = 6) -> str:
        """Return the stumps one below the other."""
        table = self.model
        lines = [] if not table.note else [table.note, ""]
        lines.append(_heading(table))
        for index, stump in enumerate(table.stumps):
            lines += ["", f"({table.number(index)}) {_worth(table, index)}", *stump_lines(stump, digits)]
        return "\n".join(lines) + "\n"

    def html(self) -> str:
        """Return the drawings one below the other."""
        table = self.model
        note = f"<p>{escape(table.note)}</p>" if table.note else ""
        parts = [
            f"<p>({table.number(index)}) {escape(_worth(table, index))}</p>{to_html(stump)}"
            for index, stump in enumerate(table.stumps)
        ]
        return f"<div>{note}<p><b>{escape(_heading(table))}</b></p>{''.join(parts)}</div>\n"

    def plot(self, ax: Axes | None = None, *, digits: int = 6) -> Axes:
        """Draw the stumps side by side, in rows."""
        table = self.model
        layouts = [lay_out(stump, digits=digits) for stump in table.stumps]
        titles = [_short_worth(table, index) for index in range(len(table))]
        widths = [
            max(layout.width, _text_width(title)) for layout, title in zip(layouts, titles, strict=True)
        ]
        rows = _rows(widths)
        heights = [max(layouts[i].height for i in row) + _TITLE_HEIGHT for row in rows]
        note_height = _TITLE_HEIGHT if table.note else 0.0
        width = max(_text_width(table.note), *(sum(widths[i] + _GAP for i in row) - _GAP for row in rows))
        height = sum(heights) + note_height
        if ax is None:
            ax = filling_axes(width / 96, height / 96)
        ax.set_axis_off()
        size = FONT_SIZE * _points_per_unit(ax, width, height)
        if table.note:
            _title(ax, MARGIN / width, 1 - note_height / 2 / height, table.note, size)
        for row, top in zip(rows, accumulate(heights, initial=note_height), strict=False):
            left = 0.0
            for i in row:
                bottom = top + _TITLE_HEIGHT + layouts[i].height
                part = (
                    left / width,
                    1 - bottom / height,
                    layouts[i].width / width,
                    layouts[i].height / height,
                )
                draw(layouts[i], ax.inset_axes(part))
                _title(ax, (left + MARGIN) / width, 1 - (top + _TITLE_HEIGHT / 2) / height, titles[i], size)
                left += widths[i] + _GAP
        return ax


def stump_lines(stump: Tree, digits: int) -> list[str]:
    """Return the lines of a stump, indented, without a heading."""
    wording = NodeWording(stump, digits)
    lines = [*node_lines(Outline.of(stump), wording), *filter(None, [wording.missing_note])]
    return [f"    {line}" for line in lines]


def _title(ax: Axes, x: float, y: float, text: str, size: float) -> None:
    ax.text(
        x, y, drawable(text), transform=ax.transAxes, ha="left", va="center", fontsize=size, parse_math=False
    )


def _points_per_unit(ax: Axes, width: float, height: float) -> float:
    extent = ax.get_window_extent()
    pixels = min(extent.width / width, extent.height / height)
    return pixels * 72 / ax.get_figure(root=True).dpi  # type: ignore[union-attr]


def _text_width(text: str) -> float:
    return len(text) * FONT_SIZE * 0.62 + 2 * MARGIN if text else 0.0


def _rows(widths: list[float]) -> list[list[int]]:
    """Break the stumps into rows that are not too wide."""
    rows: list[list[int]] = [[]]
    taken = 0.0
    for i, width in enumerate(widths):
        if rows[-1] and taken + width > _ROW_WIDTH:
            rows.append([])
            taken = 0.0
        rows[-1].append(i)
        taken += width + _GAP
    return rows


def _heading(table: StumpTable) -> str:
    wrong = f"wrong on {percent(table.error, 1)} of {pluralize(table.n_rows, 'training row')}"
    classes = table.stumps[0].classes_
    topic = ""
    if classes is not None and len(classes) == 2 and str(classes[0]) == f"not {classes[1]}":
        topic = f" for {quote_if_odd(classes[1])}"
    stumps = pluralize(len(table), "stump")
    return (
        f"{stumps}{topic}, {wrong}" if len(table) == 1 else f"{stumps}{topic}, together {wrong}{_tie(table)}"
    )


def _tie(table: StumpTable) -> str:
    """Say who wins a tie, if there can be one."""
    n_classes = len(table.stumps[0].classes_) if table.stumps[0].classes_ is not None else 0
    if n_classes == 2:
        return f"; ties go to {quote_if_odd(table.tie_to)}" if len(table) % 2 == 0 else ""
    return "; ties go to the class with more rows"


def _worth(table: StumpTable, index: int) -> str:
    alone = f"wrong on {percent(float(table.alone[index]), 1)} alone"
    without = percent(float(table.without[index]), 1)
    if table.stumps[index].n_nodes == 1:
        return f"{alone}: no test separates the classes"
    if len(table) == 1:
        return f"{alone}; always predicting {quote_if_odd(table.tie_to)} is wrong on {without}"
    return f"{alone}; without it the others are wrong on {without}"


def _short_worth(table: StumpTable, index: int) -> str:
    alone, without = percent(float(table.alone[index])), percent(float(table.without[index]))
    return f"({table.number(index)})  wrong on {alone} alone; without it {without}"
