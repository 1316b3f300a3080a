"""A layout as SVG text."""

from __future__ import annotations

from itertools import pairwise
from xml.sax.saxutils import escape, quoteattr

from sightline.show._layout import (
    BAR_HEIGHT,
    FONT_SIZE,
    LINE_HEIGHT,
    MARGIN,
    PADDING,
    SMALL_FONT_SIZE,
    Box,
    Edge,
    Layout,
    LegendEntry,
)
from sightline.show._palette import DARK_MARK_FILL, MARK_FILL

# Inside an inline drawing a style sheet applies to the whole page: hence the prefix.
_STYLE = f"""<style>
.sl-tree{{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;\
font-size:{SMALL_FONT_SIZE:g}px}}
.sl-page{{fill:#ffffff}}.sl-box{{fill:#f6f7f9;stroke:#b9bfc9}}.sl-leaf{{fill:#ffffff;stroke-width:2}}
.sl-folded{{stroke-dasharray:4 3}}.sl-edge{{fill:none;stroke:#c3c9d2;stroke-linecap:round}}
.sl-title{{fill:#14171c;font-size:{FONT_SIZE:g}px;font-weight:600}}.sl-detail{{fill:#4a515c}}
.sl-label{{fill:#14171c;stroke:#ffffff;stroke-width:5;stroke-linejoin:round;paint-order:stroke}}
@media (prefers-color-scheme:dark){{
.sl-page{{fill:#16191e}}.sl-box{{fill:#22262d;stroke:#4f5763}}.sl-leaf{{fill:#16191e}}
.sl-edge{{stroke:#474f5b}}.sl-title{{fill:#f1f3f6}}.sl-detail{{fill:#b6bdc8}}
.sl-label{{fill:#f1f3f6;stroke:#16191e}}}}
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
    >>> from sightline.show._tree_layout import lay_out
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
        _text(MARGIN, layout.height - MARGIN / 2, layout.caption, "sl-detail") if layout.caption else "",
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
        f"{_text(box.x + PADDING, box.y + PADDING + FONT_SIZE, box.title, 'sl-title')}"
        f"{_text(box.x + PADDING, box.y + PADDING + FONT_SIZE + LINE_HEIGHT, box.detail, 'sl-detail')}"
        f"{_bar(box)}</g>"
    )


def _bar(box: Box) -> str:
    inside = box.width - 2 * PADDING
    top = box.y + box.height - PADDING - BAR_HEIGHT + 3
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
    return (
        f'<text class="sl-label" text-anchor="middle" x="{x:.1f}" y="{y + 4:.1f}">'
        f"<title>{escape(edge.full_text)}</title>{escape(edge.label)}</text>"
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
