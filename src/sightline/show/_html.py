"""A tree as a piece of HTML for a notebook."""

from __future__ import annotations

from typing import Any

from sightline.model import Graph, NodeModel, Tree
from sightline.show._verbs import to_html, to_svg


@to_html.register(Tree)
@to_html.register(Graph)
def _(tree: NodeModel, **options: Any) -> str:
    svg = to_svg(tree, **options)
    return f'<div style="overflow:auto;max-height:800px">\n{svg}</div>\n'
