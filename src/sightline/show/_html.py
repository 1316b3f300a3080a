"""A tree as a piece of HTML for a notebook."""

from __future__ import annotations

from typing import Any

from sightline.model import Tree
from sightline.show._layout import lay_out
from sightline.show._svg import render_svg
from sightline.show._verbs import to_html


@to_html.register
def _(tree: Tree, **options: Any) -> str:
    svg = render_svg(lay_out(tree, **options))
    return f'<div style="overflow:auto;max-height:800px">\n{svg}</div>\n'
