"""One decision graph: a tree that stores equal subtrees once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.model._nodes import NodeModel
from sightline.wording import pluralize

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Graph(NodeModel):
    """A decision graph: like a tree, but nodes may have several parents.

    Parameters
    ----------
    core : _core.Graph
        The node arrays, valid by construction, children after all their parents.
    %(node_model)s

    Attributes
    ----------
    core : _core.Graph
        The node arrays, children after all their parents.
    %(node_model_attributes)s

    Examples
    --------
    >>> import sightline as sl
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 4
    >>> y = ["no", "no", "no", "yes"] * 4
    >>> tree = sl.C45Classifier().fit(X, y).tree_
    >>> graph = tree.to_graph()
    >>> graph.size_["nodes"] <= tree.size_["nodes"]
    True
    >>> graph.predict([[1.0, 1.0]])
    array(['yes'], dtype='<U3')
    """

    core: _core.Graph

    @property
    def n_paths(self) -> float:
        """Number of paths to leaves: the leaves that the graph would have as a tree."""
        return self.core.n_paths

    @property
    def n_tests(self) -> int:
        """Number of tests: nodes that are not leaves."""
        return self.n_nodes - self.n_leaves

    @property
    def size_(self) -> dict[str, int]:
        """Size of the graph by several counts; rules are the paths to the leaves."""
        return {
            "nodes": self.core.n_nodes,
            "leaves": self.core.n_leaves,
            "depth": self.core.depth,
            "rules": int(min(self.core.n_paths, _LARGEST_COUNT)),
            "conditions": int(min(self.core.n_conditions, _LARGEST_COUNT)),
            "features": len(self.core.used_features),
        }

    def to_text(self, *, digits: int = 6) -> str:
        """Write the graph as indented text; shared nodes are written once and referred to by number.

        Parameters
        ----------
        %(digits)s

        %(returns_text)s
        """
        text: str = self._display().text(digits=digits)
        return text

    def plot(
        self,
        ax: Axes | None = None,
        *,
        max_leaves_shown: int | None = 64,
        direction: Literal["right"] | None = None,
        digits: int = 6,
        marks: Mapping[int, str] | None = None,
        X: Any = None,
        y: Any = None,
    ) -> Axes:
        """Draw the graph with matplotlib.

        Parameters
        ----------
        %(ax)s
        max_leaves_shown : int or None, default=64
            Maximum number of edges to leaves and folded nodes to draw; None draws all. The heaviest nodes
            open first.
        direction : {"right"}, optional
            Direction of growth.
        %(digits)s
        marks : mapping of int to str, optional
            Leaves that are "proved", "refuted" or "open".
        %(rows_of_charts)s

        %(returns_axes)s
        """
        axes: Axes = self._display().plot(
            ax,
            max_leaves_shown=max_leaves_shown,
            direction=direction,
            digits=digits,
            marks=marks,
            X=X,
            y=y,
        )
        return axes

    def boxed(self) -> _core.BoxedModel:
        """Return the graph in the form that proofs take."""
        return _core.BoxedModel.of_graph(self.core, self.tie_tolerance)

    def _outputs(self, rows: _core.Columns, n_threads: int) -> NDArray[np.float64]:
        return self.core.outputs(rows, n_threads)

    def __repr__(self) -> str:
        nodes = pluralize(self.n_nodes, "node")
        features = pluralize(len(self.schema), "feature")
        about = f", predicts {self.subject}" if self.subject else ""
        return f"Graph({nodes}, depth {self.depth}, {features}{about})"


_LARGEST_COUNT = 2.0**63
"""Graphs may have more paths than an integer can count."""
