"""Drawings: the SVG that notebooks show, and the same boxes and edges for Graphviz."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from sightline.export._registry import target
from sightline.model import NodeModel


@target("dot", NodeModel)
def to_dot(
    model: NodeModel,
    *,
    max_leaves_shown: int | None = None,
    max_depth: int | None = None,
    direction: Literal["down", "right"] | None = None,
    digits: int = 6,
    marks: Mapping[int, str] | None = None,
) -> str:
    """Write the drawing of a tree or graph for Graphviz.

    Parameters
    ----------
    model : Tree or Graph
        The model.
    max_leaves_shown : int, optional
        Limit of the drawing; the heaviest nodes are opened first. By default all leaves are drawn.
    max_depth : int, optional
        Limit of the depth, for trees only.
    direction : {"down", "right"}, optional
        Where the drawing grows; by default what suits its size.
    digits : int, default=6
        Significant digits of thresholds.
    marks : mapping of int to str, optional
        Per leaf "proved", "refuted" or "open".

    Returns
    -------
    str
        A directed graph in the DOT language.

    Examples
    --------
    >>> from sightline.export import to_dot
    >>> import sightline as sl
    >>> tree = sl.C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]).tree_
    >>> print(to_dot(tree).splitlines()[-2])
    b0 -> b2 [label="false", tooltip="x0 > 2", penwidth=5.00];
    """
    from sightline import show  # noqa: PLC0415 - it loads matplotlib

    return show.to_dot(model, **_given(max_leaves_shown, max_depth, direction, digits, marks))


@target("svg", NodeModel)
def to_svg(
    model: NodeModel,
    *,
    max_leaves_shown: int | None = None,
    max_depth: int | None = None,
    direction: Literal["down", "right"] | None = None,
    digits: int = 6,
    marks: Mapping[int, str] | None = None,
    X: Any = None,
    y: Any = None,
) -> str:
    """Draw a tree or graph as a stand-alone SVG document.

    The options are those of :func:`to_dot`. With rows `X`, and `y` for their labels or numbers, every test
    shows how the values of its column are distributed.

    Examples
    --------
    >>> from sightline.export import to_svg
    >>> import sightline as sl
    >>> tree = sl.C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]).tree_
    >>> to_svg(tree)[:4]
    '<svg'
    """
    from sightline import show  # noqa: PLC0415

    options = _given(max_leaves_shown, max_depth, direction, digits, marks)
    return show.to_svg(model, **options, X=X, y=y)


def _given(
    max_leaves_shown: int | None, max_depth: int | None, direction: str | None, digits: int, marks: Any
) -> dict[str, Any]:
    options = {
        "max_leaves_shown": max_leaves_shown,
        "direction": direction,
        "digits": digits,
        "marks": marks,
    }
    return options if max_depth is None else {**options, "max_depth": max_depth}
