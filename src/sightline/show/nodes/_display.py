"""How trees and graphs are shown: both are drawn from a layout and explained path by path."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sightline.exceptions import ParameterError
from sightline.model import BlackBox, Ensemble, Graph, NodeModel, Tree
from sightline.show._conditions import Conditions
from sightline.show._display import Display, shows
from sightline.show._frame import data_frame
from sightline.show._model_findings import explained
from sightline.show._node_wording import NodeWording
from sightline.show._outline import Outline
from sightline.show._row import Rows
from sightline.show._tree_text import tree_text
from sightline.show.drawing import (
    Chart,
    Direction,
    Layout,
    SplitCharts,
    draw,
    lay_out,
    lay_out_graph,
    render_dot,
    render_svg,
)
from sightline.show.nodes._findings import NodeFindings
from sightline.show.nodes._graph_text import graph_text
from sightline.show.nodes._weka import weka_text
from sightline.wording import all_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class _NodeDisplay(Display):
    """What displays of trees and graphs share."""

    model: NodeModel

    def _layout(
        self,
        max_depth: int | None,
        max_leaves_shown: int | None,
        direction: Direction | None,
        digits: int,
        marks: Mapping[int, str] | None,
        charts: Mapping[int, Chart] | None = None,
    ) -> Layout:
        raise NotImplementedError

    def svg(
        self,
        *,
        max_depth: int | None = None,
        max_leaves_shown: int | None = 64,
        direction: Direction | None = None,
        digits: int = 6,
        marks: Mapping[int, str] | None = None,
        X: Any = None,
        y: Any = None,
    ) -> str:
        """Return a stand-alone SVG document."""
        charts = self._charts(X, y)
        return render_svg(self._layout(max_depth, max_leaves_shown, direction, digits, marks, charts))

    def dot(
        self,
        *,
        max_depth: int | None = None,
        max_leaves_shown: int | None = 64,
        direction: Direction | None = None,
        digits: int = 6,
        marks: Mapping[int, str] | None = None,
    ) -> str:
        """Return the drawing for Graphviz."""
        return render_dot(self._layout(max_depth, max_leaves_shown, direction, digits, marks))

    def plot(
        self,
        ax: Axes | None = None,
        *,
        max_depth: int | None = None,
        max_leaves_shown: int | None = 64,
        direction: Direction | None = None,
        digits: int = 6,
        marks: Mapping[int, str] | None = None,
        X: Any = None,
        y: Any = None,
    ) -> Axes:
        """Draw the model with matplotlib."""
        charts = self._charts(X, y)
        return draw(self._layout(max_depth, max_leaves_shown, direction, digits, marks, charts), ax)

    def _charts(self, X: Any, y: Any) -> dict[int, Chart] | None:
        return None if X is None else SplitCharts.of(self.model, X, y).charts()

    def html(self) -> str:
        """Return the drawing as one element that scrolls."""
        return f'<div style="overflow:auto;max-height:800px">\n{self.svg()}</div>\n'

    def explain(self, rows: Any, *, ensemble: Ensemble | BlackBox | None = None, ids: Any = None) -> Any:
        """Explain the prediction for one row or many, and say what the ensemble predicts."""
        read = Rows.of(rows, self.model.schema, "the tree", ids)
        return explained(NodeFindings(self.model, read, ensemble), read)


@shows(Tree)
class TreeDisplay(_NodeDisplay):
    """A tree as text, drawing, sentences, and a frame with one row per leaf."""

    model: Tree

    def text(
        self,
        *,
        style: str = "sightline",
        digits: int = 6,
        max_depth: int | None = None,
        title: str = "J48 pruned tree",
        binary_thresholds: bool | None = None,
    ) -> str:
        """Return the tree as indented lines, in sightline's style or in that of Weka."""
        if style == "sightline":
            return tree_text(self.model, digits, max_depth)
        if style != "weka":
            raise ParameterError(
                f"The 'style' parameter must be 'sightline' or 'weka'. Got {style!r} instead."
            )
        if max_depth is not None:
            raise ParameterError(
                "The 'max_depth' parameter must be None for style='weka', which cannot fold nodes."
            )
        return weka_text(self.model, title, binary_thresholds)

    def _layout(
        self,
        max_depth: int | None,
        max_leaves_shown: int | None,
        direction: Direction | None,
        digits: int,
        marks: Mapping[int, str] | None,
        charts: Mapping[int, Chart] | None = None,
    ) -> Layout:
        return lay_out(self.model, max_depth, max_leaves_shown, direction, digits, marks, charts)

    def frame(self, library: str = "pandas", *, digits: int = 6) -> Any:
        """Return a frame with one row per leaf."""
        tree, outline = self.model, Outline.of(self.model)
        wording = NodeWording(tree, digits)
        leaves = np.flatnonzero(outline.is_leaf).tolist()
        paths = [Conditions(wording, outline.path(leaf)).premise() for leaf in leaves]
        has_mix = outline.has_rows and tree.classes_ is not None
        labels = tree.core.output[leaves, 0] if tree.classes_ is None else tree.classes_[outline.best[leaves]]
        return data_frame(
            {
                "leaf": leaves,
                "rule": [all_of(path) for path in paths],
                "label": labels,
                "n_conditions": [len(path) for path in paths],
                "coverage": outline.weight[leaves] if outline.has_rows else np.full(len(leaves), np.nan),
                "precision": [
                    outline.share_of_best(leaf) if has_mix and outline.mix[leaf].any() else math.nan
                    for leaf in leaves
                ],
            },
            library,
        )


@shows(Graph)
class GraphDisplay(_NodeDisplay):
    """A graph as text, drawing and sentences."""

    model: Graph

    def text(self, *, digits: int = 6) -> str:
        """Return the graph as indented lines; shared nodes are written once and referred to by number."""
        return graph_text(self.model, digits)

    def _layout(
        self,
        max_depth: int | None,
        max_leaves_shown: int | None,
        direction: Direction | None,
        digits: int,
        marks: Mapping[int, str] | None,
        charts: Mapping[int, Chart] | None = None,
    ) -> Layout:
        if max_depth is not None:
            raise ParameterError(
                f"The 'max_depth' parameter must be None for a graph. Got {max_depth!r} instead: "
                "limit its drawing with max_leaves_shown."
            )
        return lay_out_graph(self.model, max_leaves_shown, digits, marks, direction, charts)
