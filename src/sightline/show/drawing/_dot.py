"""A layout as text for Graphviz."""

from __future__ import annotations

from sightline.show.drawing._layout import Box, Layout
from sightline.show.drawing._palette import MARK_FILL

_MAX_BYTES = 8_000
"""Of one line. Graphviz refuses strings above 16,384 bytes, and a label has two lines."""


def render_dot(layout: Layout) -> str:
    r"""Write boxes and edges for Graphviz, which places them itself.

    Parameters
    ----------
    layout : Layout
        What to draw; all strings are quoted here.

    Returns
    -------
    str
        One directed graph. Its labels are plain quoted strings, never HTML-like ones.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> from sightline.show.drawing._tree_layout import lay_out
    >>> print(render_dot(lay_out(credit_tree())).splitlines()[4])
    b0 [label="age <= 30\n100 rows", tooltip="age <= 30: 100 rows (good 67%, bad 33%)"];
    """
    label = ". ".join(filter(None, [layout.title, " ".join(layout.caption)]))
    lines = [
        "digraph sightline {",
        f"label={_quoted(label)}; tooltip={_quoted(layout.title)};",
        f"rankdir={'TB' if layout.direction == 'down' else 'LR'};",
        'node [shape=box, style="rounded,filled", fillcolor="#ffffff", fontname="Helvetica"]; '
        'edge [fontname="Helvetica"];',
        *(_box(number, box) for number, box in enumerate(layout.boxes)),
        *(
            f"b{edge.parent} -> b{edge.child} [label={_quoted(edge.text)}, "
            f"tooltip={_quoted(edge.full_text)}, penwidth={edge.thickness:.2f}];"
            for edge in layout.edges
        ),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _box(number: int, box: Box) -> str:
    lines = "\\n".join(_escaped(line) for line in (box.title, box.detail) if line)
    attributes = [f'label="{lines}"', f"tooltip={_quoted(box.full_text)}"]
    if box.kind == "leaf":
        attributes += [f'color="{box.color}"', "penwidth=2"]
    elif box.kind == "folded":
        attributes.append('style="rounded,filled,dashed"')
    if box.mark:
        attributes.append(f'fillcolor="{MARK_FILL[box.mark]}"')
    return f"b{number} [{', '.join(attributes)}];"


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    """Double backslashes, which Graphviz reads as escapes, and escape quotes and entities.

    A text that is too long for Graphviz ends in an ellipsis.
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    if len(escaped.encode("utf-8", "replace")) <= _MAX_BYTES:
        return escaped
    return _escaped(text[: _MAX_BYTES // len("&amp;") - 1] + "…")
