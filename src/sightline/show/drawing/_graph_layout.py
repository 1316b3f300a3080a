"""A graph as boxes and edges: every test once, a box of its own for every edge to a leaf."""

from __future__ import annotations

import heapq
from collections.abc import Mapping

from sightline.exceptions import ParameterError
from sightline.model import Graph
from sightline.show._outline import check_limit
from sightline.show.drawing._boxes import BoxContent, BoxMaker
from sightline.show.drawing._layered import layered_positions
from sightline.show.drawing._layout import (
    LINE_HEIGHT,
    MARGIN,
    PADDING,
    SMALL_FONT_SIZE,
    Box,
    Edge,
    Layout,
    text_width,
)
from sightline.show.drawing._split_charts import Chart
from sightline.show.drawing._tree_layout import Arrangement
from sightline.wording import capitalize, shortened

_GAP = 14.0
_LEVEL_GAP = 56.0
_MAX_ANSWER = 18
_LINE_BREADTH = 6.0
_MAX_POINTS = 2_000_000
_EDGE_SHARE = 0.1
"""Rows are counted at nodes, not on edges, so all lines are equally thick."""


def lay_out_graph(
    graph: Graph,
    max_leaves_shown: int | None = 64,
    digits: int = 6,
    marks: Mapping[int, str] | None = None,
    direction: str | None = None,
    charts: Mapping[int, Chart] | None = None,
) -> Layout:
    """Arrange a graph for drawing, growing to the right.

    Parameters
    ----------
    graph : Graph
        The graph.
    max_leaves_shown : int or None, default=64
        Maximum number of edges to leaves and folded nodes to draw; None draws all. The heaviest nodes open
        first.
    digits : int, default=6
        Significant digits of thresholds.
    marks : mapping of int to str, optional
        Leaves that are "proved", "refuted" or "open".
    direction : {"right"}, optional
        Direction of growth.
    charts : mapping of int to Chart, optional
        Charts of nodes, as :class:`SplitCharts` makes them.

    Returns
    -------
    Layout
        Every test is one box; every edge to a leaf ends in a box of its own.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> len(lay_out_graph(credit_tree().to_graph()).boxes)
    7
    """
    if direction not in {None, "right"}:
        raise ParameterError(
            f"The 'direction' parameter of a graph must be 'right'. Got {direction!r} instead."
        )
    maker = BoxMaker(graph, digits, marks, charts)
    return _GraphArrangement(graph, maker, max_leaves_shown, marks).layout()


class _GraphArrangement(Arrangement):
    """Like that of a tree, but boxes are placed by levels, and a leaf is drawn once per edge to it."""

    def __init__(
        self, graph: Graph, maker: BoxMaker, max_leaves: int | None, marks: Mapping[int, str] | None
    ) -> None:
        super().__init__(maker, 0, 1, "right", marks)
        self.graph = graph
        self._choose_boxes(self._opened(max_leaves))
        self.contents = [self._content(i) for i in range(len(self.shown))]

    def _opened(self, max_leaves: int | None) -> set[int]:
        """Choose the tests whose branches are drawn: the heaviest first, up to the limit."""
        check_limit("max_leaves_shown", max_leaves, 1)
        is_leaf = self.outline.is_leaf
        opened: set[int] = set()
        reached, n_ends = {0}, 1
        waiting = [] if is_leaf[0] else [(0.0, 0, 0)]
        while waiting:
            node = heapq.heappop(waiting)[-1]
            children = self.graph.children(node).tolist()
            new = set(children) - reached
            n_new = sum(bool(is_leaf[child]) or child in new for child in children)
            if max_leaves is not None and opened and n_ends + n_new - 1 > max_leaves:
                continue
            n_ends += n_new - 1
            opened.add(node)
            reached |= {child for child in new if not is_leaf[child]}
            for child in sorted(new):
                if not is_leaf[child]:
                    weight, level = float(self.outline.weight[child]), int(self.outline.level[child])
                    heapq.heappush(waiting, (-weight, level, child))
        return opened

    def _choose_boxes(self, opened: set[int]) -> None:
        """List the boxes and the edges between them, with a box of its own for every edge to a leaf."""
        is_leaf = self.outline.is_leaf
        nodes, ways, index = [0], [], {0: 0}
        for node in sorted(opened):
            for branch, child in enumerate(self.graph.children(node).tolist()):
                if is_leaf[child] or child not in index:
                    index[child] = len(nodes)
                    nodes.append(child)
                ways.append((index[node], branch, index[child]))
        self.shown = nodes
        self.ways = ways
        self.n_branches = [0] * len(nodes)
        for upper, _, _ in ways:
            self.n_branches[upper] += 1
        self.kinds = ["leaf" if is_leaf[node] else "test" if node in opened else "folded" for node in nodes]
        # Parents have lower numbers than children, so the level above is final when it is needed.
        self.level = [0] * len(nodes)
        for upper, _, lower in sorted(ways, key=lambda way: nodes[way[0]]):
            self.level[lower] = max(self.level[lower], self.level[upper] + 1)

    def _boxes(self, top: float) -> tuple[Box, ...]:
        heights = [content.height for content in self.contents]
        breadth = [max(height, n * LINE_HEIGHT) for height, n in zip(heights, self.n_branches, strict=True)]
        middle = self._middles(breadth)
        starts = self._starts()
        return tuple(
            self._box(i, MARGIN + starts[self.level[i]], top + middle[i] - height / 2)
            for i, height in enumerate(heights)
        )

    def _middles(self, breadth: list[float]) -> list[float]:
        """Place boxes, and the points where long edges cross a level, across the levels."""
        self._check_size()
        level, extent, edges = list(self.level), list(breadth), []
        self.passing: dict[int, list[int]] = {}
        for way, (upper, _, lower) in enumerate(self.ways):
            before = upper
            for between in range(self.level[upper] + 1, self.level[lower]):
                self.passing.setdefault(way, []).append(len(level))
                edges.append((before, len(level)))
                before = len(level)
                level.append(between)
                extent.append(_LINE_BREADTH)
            edges.append((before, lower))
        self.middle = layered_positions(level, extent, edges, _GAP)
        self.point_level = level
        return self.middle[: len(breadth)]

    def _check_size(self) -> None:
        """Raise if edges across many levels would take too much memory and time."""
        n_points = sum(self.level[lower] - self.level[upper] for upper, _, lower in self.ways)
        if n_points > _MAX_POINTS:
            raise ParameterError(
                f"The edges of this graph would cross {n_points:,} levels, more than {_MAX_POINTS:,}. "
                "Draw a part of it with max_leaves_shown, such as 1000."
            )

    def _starts(self) -> list[float]:
        """Return the start of each level: after the boxes and labels of the previous one."""
        n_levels = max(self.level) + 1
        widest, answers = [0.0] * n_levels, [0.0] * n_levels
        for level, content in zip(self.level, self.contents, strict=True):
            widest[level] = max(widest[level], content.width)
        for upper, branch, _ in self.ways:
            answer = text_width(self._way_answer(upper, branch), SMALL_FONT_SIZE)
            answers[self.level[upper]] = max(answers[self.level[upper]], answer)
        starts = [0.0]
        for level in range(1, n_levels):
            starts.append(starts[-1] + widest[level - 1] + answers[level - 1] + _LEVEL_GAP)
        self.level_start, self.level_width = starts, widest
        return starts

    def _edges(self, boxes: tuple[Box, ...]) -> tuple[Edge, ...]:
        shift = boxes[0].y + boxes[0].height / 2 - self.middle[0]
        edges = []
        for way, (upper, branch, lower) in enumerate(self.ways):
            above, below = boxes[upper], boxes[lower]
            label = self._way_answer(upper, branch)
            step = max(LINE_HEIGHT, above.height / (self.n_branches[upper] + 1))
            y = above.y + above.height / 2 + step * (branch - (self.n_branches[upper] - 1) / 2)
            right = above.x + above.width
            label_width = text_width(label, SMALL_FONT_SIZE)
            edges.append(
                Edge(
                    parent=upper,
                    child=lower,
                    start=(right, y),
                    end=(below.x, below.y + below.height / 2),
                    label=(label,),
                    label_at=(right + PADDING + label_width / 2, y),
                    full_text=self.wording.way(self.shown[upper], branch),
                    share=_EDGE_SHARE,
                    via=tuple(self._passed(way, shift, right + PADDING + label_width)),
                )
            )
        return tuple(edges)

    def _passed(self, way: int, shift: float, after_label: float) -> list[tuple[float, float]]:
        """Return the points where an edge crosses the levels between its boxes, straight on each level."""
        points: list[tuple[float, float]] = []
        for point in self.passing.get(way, []):
            y = self.middle[point] + shift
            left = MARGIN + self.level_start[self.point_level[point]]
            points += [(max(left, after_label), y), (left + self.level_width[self.point_level[point]], y)]
        return points

    def _content(self, i: int) -> BoxContent:
        """Leave out the rows of a leaf: they took all edges to it together."""
        return self.maker.content(self.shown[i], self.kinds[i], self.kinds[i] != "leaf")

    def _texts(self, i: int) -> tuple[str, str]:
        return self.maker.texts(self.shown[i], self.kinds[i], self.kinds[i] != "leaf")

    def _way_answer(self, upper: int, branch: int) -> str:
        return shortened(self.maker.brief.answer(self.shown[upper], branch), _MAX_ANSWER)

    def _title(self) -> str:
        return (
            super()
            ._title()
            .replace("Decision tree", "Decision graph")
            .replace(f"{int(self.outline.n_leaves[0]):,} leaves", f"{self.graph.n_nodes:,} nodes")
        )

    def _caption(self) -> str:
        n_folded = self.kinds.count("folded")
        precision = self.wording.precision
        notes = [f"{capitalize(precision)}." if precision else "", self._marked()]
        if n_folded:
            n_tests = self.kinds.count("test")
            n_all = self.graph.n_nodes - self.graph.n_leaves
            notes.append(f"{n_tests:,} of {n_all:,} tests shown; the others are folded.")
        return " ".join(filter(None, notes))
