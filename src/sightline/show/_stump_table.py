"""Stumps one below the other as text, side by side as a drawing."""

from __future__ import annotations

import math
from html import escape
from itertools import accumulate

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sightline.model import StumpTable, Tree
from sightline.show._layout import Layout, lay_out
from sightline.show._number import percent_text
from sightline.show._plot import draw, drawable
from sightline.show._printable import printable
from sightline.show._text import tree_text
from sightline.show._verbs import plot, to_html, to_text

_HEADING_LINES = 3
"""Lines of a tree's text before its nodes."""

_TITLE_HEIGHT = 34.0
_GAP = 24.0
_ROW_WIDTH = 1500.0
"""Stumps are drawn in rows of about this width, in the units of layouts (96 per inch)."""


@to_text.register
def _(table: StumpTable, *, digits: int = 6) -> str:
    lines = [] if not table.note else [table.note, ""]
    lines.append(_heading(table))
    for place, stump in enumerate(table.stumps):
        body = tree_text(stump, digits).splitlines()[_HEADING_LINES:]
        lines += ["", f"({place + 1}) {_worth(table, place)}", *(f"    {line}" for line in body)]
    return "\n".join(lines) + "\n"


@to_html.register
def _(table: StumpTable) -> str:
    note = f"<p>{escape(table.note)}</p>" if table.note else ""
    parts = [
        f"<p>({place + 1}) {escape(_worth(table, place))}</p>{to_html(stump)}"
        for place, stump in enumerate(table.stumps)
    ]
    return f"<div>{note}<p><b>{escape(_heading(table))}</b></p>{''.join(parts)}</div>\n"


@plot.register
def _(table: StumpTable, ax: Axes | None = None, *, digits: int = 6) -> Axes:
    layouts = [lay_out(stump, digits=digits) for stump in table.stumps]
    rows = _rows(layouts)
    heights = [max(layouts[i].height for i in row) + _TITLE_HEIGHT for row in rows]
    note_height = _TITLE_HEIGHT if table.note else 0.0
    width = max(sum(layouts[i].width for i in row) + _GAP * (len(row) - 1) for row in rows)
    height = sum(heights) + note_height
    if ax is None:
        ax = Figure(figsize=(width / 96, height / 96)).add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set_axis_off()
    tops = [note_height, *accumulate(heights, initial=note_height)][1:]
    scale = _points_per_unit(ax, width, height)
    if table.note:
        _title(ax, 0.0, 1 - note_height / 2 / height, table.note, 12 * scale)
    for row, top, row_height in zip(rows, tops, heights, strict=False):
        left = 0.0
        for i in row:
            inside = layouts[i]
            bottom = top + _TITLE_HEIGHT + inside.height
            part = (left / width, 1 - bottom / height, inside.width / width, inside.height / height)
            draw(inside, ax.inset_axes(part))
            middle = 1 - (top + _TITLE_HEIGHT / 2) / height
            title = f"({i + 1})  alone wrong on {percent_text(float(table.alone[i]))}"
            _title(ax, (left + 16) / width, middle, title, 12 * scale)
            left += inside.width + _GAP
    return ax


def _title(ax: Axes, x: float, y: float, text: str, size: float) -> None:
    ax.text(
        x, y, drawable(text), transform=ax.transAxes, ha="left", va="center", fontsize=size, parse_math=False
    )


def _points_per_unit(ax: Axes, width: float, height: float) -> float:
    extent = ax.get_window_extent()
    pixels = min(extent.width / width, extent.height / height)
    return pixels * 72 / ax.get_figure(root=True).dpi  # type: ignore[union-attr]


def _rows(layouts: list[Layout]) -> list[list[int]]:
    """Break the stumps into rows that are not too wide."""
    rows: list[list[int]] = [[]]
    width = 0.0
    for i, layout in enumerate(layouts):
        if rows[-1] and width + layout.width > _ROW_WIDTH:
            rows.append([])
            width = 0.0
        rows[-1].append(i)
        width += layout.width + _GAP
    return rows


def _heading(table: StumpTable) -> str:
    n = len(table)
    wrong = f"wrong on {_percent(table.error)} of {table.n_rows:,} training row{'s' * (table.n_rows != 1)}"
    classes = table.stumps[0].classes
    what = ""
    if classes is not None and len(classes) == 2 and str(classes[0]) == f"not {classes[1]}":
        what = f" about {printable(classes[1])}"
    if n == 1:
        return f"1 stump{what}, {wrong}"
    tie = f"; a tie goes to the more frequent class, {printable(table.tie_to)} first" if n % 2 == 0 else ""
    return f"{n} stumps{what} that vote, together {wrong}{tie}"


def _worth(table: StumpTable, place: int) -> str:
    alone = f"wrong on {_percent(float(table.alone[place]))} alone"
    without = _percent(float(table.without[place]))
    if _has_no_test(table.stumps[place]):
        return f"{alone}: no test tells the classes apart"
    if len(table) == 1:
        return f"{alone}; without it the most frequent class, {printable(table.tie_to)}, is wrong on {without}"
    return f"{alone}; the others without it on {without}"


def _has_no_test(stump: Tree) -> bool:
    return stump.n_nodes == 1


def _percent(share: float) -> str:
    return "unknown" if math.isnan(share) else f"{100 * share:.1f} %"
