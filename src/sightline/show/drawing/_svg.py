"""A layout as SVG text."""

from __future__ import annotations

from itertools import pairwise
from xml.sax.saxutils import escape, quoteattr

from sightline.show.drawing._layout import (
    AXIS_HEIGHT,
    BAR_HEIGHT,
    BOX_GAP,
    BOX_LINE,
    BOX_PADDING,
    FONT_SIZE,
    FONTS,
    LINE_HEIGHT,
    MARGIN,
    MARK_HEIGHT,
    PADDING,
    SMALL_FONT_SIZE,
    Box,
    DrawnChart,
    Edge,
    Layout,
    LegendEntry,
)
from sightline.show.drawing._palette import DARK_MARK_FILL, MARK_FILL

# Inside an inline drawing a style sheet applies to the whole page: hence the prefix.
_STYLE = f"""<style>
.sl-tree{{font-family:{FONTS};\
font-size:{SMALL_FONT_SIZE:g}px}}
.sl-page{{fill:#ffffff}}.sl-box{{fill:#f6f7f9;stroke:#b9bfc9}}.sl-leaf{{fill:#ffffff;stroke-width:2}}
.sl-folded{{stroke-dasharray:4 3}}.sl-edge{{fill:none;stroke:#c3c9d2;stroke-linecap:round}}
.sl-title{{fill:#14171c;font-size:{FONT_SIZE:g}px;font-weight:600}}.sl-detail{{fill:#4a515c}}
.sl-label{{fill:#14171c;stroke:#ffffff;stroke-width:5;stroke-linejoin:round;paint-order:stroke}}
.sl-axis{{stroke:#b9bfc9}}.sl-mark{{stroke:#14171c;fill:#14171c;stroke-width:1.2}}
@media (prefers-color-scheme:dark){{
.sl-page{{fill:#16191e}}.sl-box{{fill:#22262d;stroke:#4f5763}}.sl-leaf{{fill:#16191e}}
.sl-edge{{stroke:#474f5b}}.sl-title{{fill:#f1f3f6}}.sl-detail{{fill:#b6bdc8}}
.sl-label{{fill:#f1f3f6;stroke:#16191e}}.sl-axis{{stroke:#4f5763}}
.sl-mark{{stroke:#f1f3f6;fill:#f1f3f6}}}}
</style>"""


_MARK_STYLE = (
    "<style>\n"
    + "".join(f".sl-{mark}{{fill:{fill}}}" for mark, fill in MARK_FILL.items())
    + "\n@media (prefers-color-scheme:dark){"
    + "".join(f".sl-{mark}{{fill:{fill}}}" for mark, fill in DARK_MARK_FILL.items())
    + "}\n</style>"
)


def render_svg(layout: Layout) -> str:
    """Draw a layout as a stand-alone SVG document.

    Parameters
    ----------
    layout : Layout
        What to draw; all strings are escaped here.

    Returns
    -------
    str
        One ``svg`` element that runs no script and loads nothing.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> from sightline.show.drawing._tree_layout import lay_out
    >>> "<script" in render_svg(lay_out(credit_tree()))
    False
    """
    width, height = f"{layout.width:.0f}", f"{layout.height:.0f}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="sl-tree" role="img" '
        f'aria-label={quoteattr(layout.title)} width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">',
        f"<title>{escape(layout.title)}</title>",
        _STYLE,
        _MARK_STYLE if any(box.mark for box in layout.boxes) else "",
        f'<rect class="sl-page" width="{width}" height="{height}" rx="6"/>',
        *(_edge_line(edge, layout) for edge in layout.edges),
        *(_edge_label(edge) for edge in layout.edges),
        *(_box(box) for box in layout.boxes),
        *(_legend_entry(entry) for entry in layout.legend),
        *(
            _text(MARGIN, layout.height - MARGIN / 2 - LINE_HEIGHT * above, line, "sl-detail")
            for above, line in enumerate(reversed(layout.caption))
        ),
        "</svg>",
    ]
    return "\n".join(filter(None, parts)) + "\n"


def _box(box: Box) -> str:
    """Draw title, detail and bar; a leaf has a border in the color of its answer."""
    style = "sl-box" + {"test": "", "leaf": " sl-leaf", "folded": " sl-folded"}[box.kind]
    style += f" sl-{box.mark}" if box.mark else ""
    # The style sheet would override an attribute.
    border = f' style="stroke:{box.color}"' if box.kind == "leaf" else ""
    return (
        f"<g><title>{escape(box.full_text)}</title>"
        f'<rect class="{style}"{border} x="{box.x:.1f}" y="{box.y:.1f}" '
        f'width="{box.width:.1f}" height="{box.height:.1f}" rx="5"/>'
        f"{_lines(box)}{_bar(box)}{_chart(box.chart) if box.chart else ''}</g>"
    )


def _lines(box: Box) -> str:
    return "".join(
        _text(box.x + PADDING, box.y + BOX_PADDING + 12 + BOX_LINE * i, line.text, f"sl-{line.style}")
        for i, line in enumerate(box.lines)
    )


def _chart(chart: DrawnChart) -> str:
    """Draw bars, the axis, and a line with a foot at every threshold."""
    bars = "".join(
        f'<rect x="{left:.2f}" y="{top:.2f}" width="{width:.2f}" height="{height:.2f}" fill="{color}"/>'
        for left, top, width, height, color in chart.rectangles
    )
    right, bottom = chart.left + chart.width, chart.bottom
    axis = f'<path class="sl-axis" d="M{chart.left:.1f} {bottom:.1f}H{right:.1f}"/>'
    marks = "".join(
        f'<path class="sl-mark" d="M{x:.1f} {chart.top - 2:.1f}V{bottom:.1f}'
        f'l-4 {MARK_HEIGHT:g}h8l-4 -{MARK_HEIGHT:g}"/>'
        for x in chart.marks
    )
    if not chart.low:
        return f"{bars}{axis}{marks}"
    ends = _text(chart.left, bottom + AXIS_HEIGHT - 3, chart.low, "sl-detail") + (
        f'<text class="sl-detail" text-anchor="end" x="{right:.1f}" y="{bottom + AXIS_HEIGHT - 3:.1f}">'
        f"{escape(chart.high)}</text>"
    )
    return f"{bars}{axis}{ends}{marks}"


def _bar(box: Box) -> str:
    inside = box.width - 2 * PADDING
    top = box.y + BOX_PADDING + BOX_LINE * len(box.lines) + BOX_GAP
    left = box.x + PADDING
    pieces = []
    for share, color in box.bar:
        pieces.append(
            f'<rect x="{left:.2f}" y="{top:.1f}" width="{share * inside:.2f}" height="{BAR_HEIGHT:g}" '
            f'fill="{color}"/>'
        )
        left += share * inside
    return "".join(pieces)


def _edge_line(edge: Edge, layout: Layout) -> str:
    path = f"M{edge.start[0]:.1f} {edge.start[1]:.1f}"
    for (x1, y1), (x2, y2) in pairwise(edge.points):
        if layout.direction == "down":
            bend = f"{x1:.1f} {(y1 + y2) / 2:.1f} {x2:.1f} {(y1 + y2) / 2:.1f}"
        else:
            bend = f"{(x1 + x2) / 2:.1f} {y1:.1f} {(x1 + x2) / 2:.1f} {y2:.1f}"
        path += f"C{bend} {x2:.1f} {y2:.1f}"
    return f'<path class="sl-edge" stroke-width="{edge.thickness:.2f}" d="{path}"/>'


def _edge_label(edge: Edge) -> str:
    x, y = edge.label_at
    first = y + 4 - LINE_HEIGHT * (len(edge.label) - 1) / 2
    lines = "".join(
        f'<tspan x="{x:.1f}" y="{first + LINE_HEIGHT * i:.1f}">{escape(line)}</tspan>'
        for i, line in enumerate(edge.label)
    )
    return (
        f'<text class="sl-label" text-anchor="middle"><title>{escape(edge.full_text)}</title>{lines}</text>'
    )


def _legend_entry(entry: LegendEntry) -> str:
    swatch = (
        f'<rect x="{entry.x:.1f}" y="{entry.y:.1f}" width="12" height="12" rx="2" fill="{entry.color}"/>'
        if entry.color
        else ""
    )
    name = _text(entry.x + 18, entry.y + 10.5, entry.name, "sl-detail")
    return f"<g><title>{escape(entry.full_text)}</title>{swatch}{name}</g>"


def _text(x: float, y: float, text: str, style: str) -> str:
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'
