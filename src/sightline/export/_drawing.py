"""Drawings: SVG as it is shown, and the same boxes and edges for Graphviz."""

from __future__ import annotations

from typing import Any

from sightline.export._registry import kind
from sightline.model import Graph, NodeModel, Tree

to_dot = kind("dot")
to_svg = kind("svg")


@to_dot.register(Tree)
@to_dot.register(Graph)
def _(model: NodeModel, max_leaves_shown: int | None = None, **options: Any) -> str:
    from sightline import show  # noqa: PLC0415 - it loads matplotlib

    return show.to_dot(model, max_leaves_shown=max_leaves_shown, **options)


@to_svg.register(Tree)
@to_svg.register(Graph)
def _(model: NodeModel, max_leaves_shown: int | None = None, **options: Any) -> str:
    from sightline import show  # noqa: PLC0415

    return show.to_svg(model, max_leaves_shown=max_leaves_shown, **options)
