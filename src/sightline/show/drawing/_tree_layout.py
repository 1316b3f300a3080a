"""A tree as boxes and edges: which nodes are drawn, where they go and what they say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from textwrap import wrap

import numpy as np

from sightline.exceptions import ParameterError
from sightline.model import Tree
from sightline.show._tree_text import label_rule_lines
from sightline.show.drawing._boxes import BoxContent, BoxMaker
from sightline.show.drawing._chart_places import placed_chart
from sightline.show.drawing._layout import (
    LINE_HEIGHT,
    MARGIN,
    PADDING,
    SMALL_FONT_SIZE,
    Box,
    BoxKind,
    Direction,
    Edge,
    Layout,
    LegendEntry,
    text_width,
)
from sightline.show.drawing._split_charts import Chart
from sightline.show.drawing._tidy import tidy_positions
from sightline.wording import capitalize, percent, pluralize, shortened

MARKS = ("proved", "refuted", "open")
SIBLING_GAP: dict[Direction, float] = {"down": 14.0, "right": 10.0}
LEVEL_GAP: dict[Direction, float] = {"down": 44.0, "right": 34.0}
_LEGEND_SWATCH = 20.0
_LEGEND_GAP = 18.0
_MAX_NAME = 40
_MAX_LEGEND = 12
_MAX_LINE = 110
_MAX_LEAVES_DOWN = 8
_MAX_BREADTH_DOWN = 1500.0
"""Wider trees grow to the right, where labels stack instead of overlapping."""


def lay_out(
    tree: Tree,
    max_depth: int | None = None,
    max_leaves_shown: int | None = 64,
    direction: Direction | None = None,
    digits: int = 6,
    marks: Mapping[int, str] | None = None,
    charts: Mapping[int, Chart] | None = None,
) -> Layout:
    """Arrange a tree for drawing.

    Parameters
    ----------
    tree : Tree
        The tree.
    max_depth : int, optional
        Deeper nodes are folded.
    max_leaves_shown : int or None, default=64
        Maximum number of leaves and folded nodes to draw; None draws all. The heaviest nodes open first.
    direction : {"down", "right"}, optional
        Direction of growth; by default down for up to 8 leaves, else right.
    digits : int, default=6
        Significant digits of thresholds.
    marks : mapping of int to str, optional
        Leaves that are "proved", "refuted" or "open".
    charts : mapping of int to Chart, optional
        Charts of nodes, as :class:`SplitCharts` makes them.

    Returns
    -------
    Layout
        No two boxes overlap.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> layout = lay_out(credit_tree(), max_depth=1)
    >>> [(box.kind, box.title) for box in layout.boxes]
    [('test', 'age <= 30'), ('folded', '… 2 more leaves'), ('folded', '… 2 more leaves')]
    """
    if direction not in {None, "down", "right"}:
        raise ParameterError(
            f"The 'direction' parameter must be 'down' or 'right'. Got {direction!r} instead."
        )
    maker = BoxMaker(tree, digits, marks, charts)
    layout = Arrangement(maker, max_depth, max_leaves_shown, direction, marks).layout()
    if direction is None and layout.direction == "right" and layout.width > _MAX_BREADTH_DOWN:
        # A deep tree with a leaf beside every test is narrower from top to bottom.
        other = Arrangement(maker, max_depth, max_leaves_shown, "down", marks).layout()
        return other if other.width < min(layout.width, _MAX_BREADTH_DOWN) else layout
    return layout


class Arrangement:
    """The steps from a tree to its layout; boxes are numbered by their position in ``shown``."""

    def __init__(
        self,
        maker: BoxMaker,
        max_depth: int | None,
        max_leaves: int | None,
        direction: Direction | None,
        marks: Mapping[int, str] | None = None,
    ) -> None:
        self.marks = marks or {}
        self.maker = maker
        self.wording, self.outline, self.colors = maker.wording, maker.outline, maker.colors
        self.shown: list[int] = np.flatnonzero(self.outline.shown(max_depth, max_leaves)).tolist()
        self.position = {node: i for i, node in enumerate(self.shown)}
        self.parent = [self.position.get(int(self.outline.parent[node]), -1) for node in self.shown]
        self.level: list[int] = self.outline.level[self.shown].tolist()
        has_children = set(self.parent)
        self.kinds: list[BoxKind] = [
            "leaf" if self.outline.is_leaf[node] else "test" if i in has_children else "folded"
            for i, node in enumerate(self.shown)
        ]
        self.contents = [self._content(i) for i in range(len(self.shown))]
        n_ends = len(self.shown) - self.kinds.count("test")
        is_narrow = n_ends <= _MAX_LEAVES_DOWN and self._breadth_of_ends() <= _MAX_BREADTH_DOWN
        self.direction: Direction = direction or ("down" if is_narrow else "right")
        self.answers = [self._answer(i) for i in range(len(self.shown))]

    def layout(self) -> Layout:
        legend = self._legend()
        top = max((entry.y for entry in legend), default=0.0) + (MARGIN + LINE_HEIGHT if legend else MARGIN)
        boxes = self._boxes(top)
        caption = (*filter(None, [self._caption()]), *self._notes())
        right = max(box.x + box.width for box in boxes)
        legend_right = max((entry.x + self._legend_width(entry.name) for entry in legend), default=0.0)
        caption_right = MARGIN + max((text_width(line, SMALL_FONT_SIZE) for line in caption), default=0.0)
        bottom = max(box.y + box.height for box in boxes)
        return Layout(
            width=max(right, legend_right, caption_right) + MARGIN,
            height=bottom + MARGIN + LINE_HEIGHT * len(caption),
            direction=self.direction,
            title=self._title(),
            caption=caption,
            boxes=boxes,
            edges=self._edges(boxes),
            legend=legend,
        )

    def _breadth_of_ends(self) -> float:
        """Return how much room the leaves need side by side: lines are wide."""
        pairs = zip(self.contents, self.kinds, strict=True)
        return sum(content.width for content, kind in pairs if kind == "leaf")

    def _content(self, i: int) -> BoxContent:
        return self.maker.content(self.shown[i], self.kinds[i])

    def _texts(self, i: int) -> tuple[str, str]:
        return self.maker.texts(self.shown[i], self.kinds[i])

    def _boxes(self, top: float) -> tuple[Box, ...]:
        is_down = self.direction == "down"
        extents = [content.width if is_down else content.height for content in self.contents]
        breadth = [max(extent, self._label_breadth(i)) for i, extent in enumerate(extents)]
        middle = tidy_positions(self.parent, breadth, SIBLING_GAP[self.direction])
        level_start = self._level_starts()
        boxes = []
        for i in range(len(self.shown)):
            across = middle[i] - extents[i] / 2
            along = level_start[self.level[i]]
            x = MARGIN + (across if is_down else along)
            boxes.append(self._box(i, x, top + (along if is_down else across)))
        return tuple(boxes)

    def _box(self, i: int, x: float, y: float) -> Box:
        node, content = self.shown[i], self.contents[i]
        title, detail = self._texts(i)
        return Box(
            node=node,
            kind=self.kinds[i],
            x=x,
            y=y,
            width=content.width,
            height=content.height,
            title=title,
            detail=detail,
            lines=content.lines,
            full_text=self._full_text(i),
            bar=content.bar,
            color=self.colors.color(node),
            mark=self.marks.get(node, "") if self.kinds[i] == "leaf" else "",
            chart=placed_chart(content, x, y, self.colors),
        )

    def _label_breadth(self, i: int) -> float:
        """Return the room that the label of the edge to a box needs beside its neighbors."""
        if self.direction == "down":
            return self._answer_width(i)
        return LINE_HEIGHT * max(1, len(self.answers[i]))

    def _answer_width(self, i: int) -> float:
        return max((text_width(line, SMALL_FONT_SIZE) for line in self.answers[i]), default=0.0)

    def _level_starts(self) -> list[float]:
        """Return where each level starts along the direction of growth: after boxes and labels above."""
        is_down = self.direction == "down"
        n_levels = max(self.level) + 1
        largest, labels = [0.0] * n_levels, [0.0] * n_levels
        for i, (level, content) in enumerate(zip(self.level, self.contents, strict=True)):
            largest[level] = max(largest[level], content.height if is_down else content.width)
            label = LINE_HEIGHT * (len(self.answers[i]) - 1) if is_down else self._answer_width(i)
            labels[level] = max(labels[level], label)
        starts = [0.0]
        for level in range(1, n_levels):
            starts.append(starts[-1] + largest[level - 1] + LEVEL_GAP[self.direction] + labels[level])
        return starts

    def _edges(self, boxes: tuple[Box, ...]) -> tuple[Edge, ...]:
        total = float(self.outline.weight[0])
        edges = []
        for i, box in enumerate(boxes[1:], start=1):
            above = boxes[self.parent[i]]
            if self.direction == "down":
                start = (above.x + above.width / 2, above.y + above.height)
                end = (box.x + box.width / 2, box.y)
                label_at = (end[0], end[1] - LINE_HEIGHT * (len(self.answers[i]) + 1) / 2)
            else:
                start = (above.x + above.width, above.y + above.height / 2)
                end = (box.x, box.y + box.height / 2)
                label_at = (end[0] - PADDING - self._answer_width(i) / 2, end[1])
            node = self.shown[i]
            edges.append(
                Edge(
                    parent=self.parent[i],
                    child=i,
                    start=start,
                    end=end,
                    label=self.answers[i],
                    label_at=label_at,
                    full_text=self.wording.way(
                        int(self.outline.parent[node]), int(self.outline.branch[node])
                    ),
                    share=float(self.outline.weight[node]) / total if total > 0 else 0.0,
                )
            )
        return tuple(edges)

    def _answer(self, i: int) -> tuple[str, ...]:
        """Return the label of the edge to a box; the root has none."""
        node = self.shown[i]
        if node == 0:
            return ()
        return self.maker.answer(int(self.outline.parent[node]), int(self.outline.branch[node]))

    def _full_text(self, i: int) -> str:
        node = self.shown[i]
        what = self.wording.label(node) if self.kinds[i] == "leaf" else self.wording.question(node)
        mix = self.outline.mix[node]
        classes = ", ".join(
            f"{self.wording.class_names[index]} {percent(float(mix[index]))}"
            for index in np.argsort(-mix, kind="stable")[:_MAX_LEGEND].tolist()
            if mix[index] > 0
        )
        rows = self.outline.rows(node)
        return f"{what}{f': {rows}' if rows else ''}{f' ({classes})' if classes else ''}"

    def _title(self) -> str:
        n_leaves = int(self.outline.n_leaves[0])
        names = self.wording.class_names[:_MAX_LEGEND]
        target = self.maker.tree.schema.subject.answer("")
        return f"Decision tree with {pluralize(n_leaves, 'leaf', 'leaves')}" + (
            f" for {target}{', '.join(names)}{', …' if len(self.wording.class_names) > _MAX_LEGEND else ''}"
            if names
            else ""
        )

    def _caption(self) -> str:
        hidden = sum(
            int(self.outline.n_leaves[node])
            for node, kind in zip(self.shown, self.kinds, strict=True)
            if kind == "folded"
        )
        notes = " ".join(filter(None, [self._source(), self._marked()]))
        if not hidden:
            return notes
        n_leaves = int(self.outline.n_leaves[0])
        n_folded = self.kinds.count("folded")
        shown = f"{n_leaves - hidden:,} of {n_leaves:,} leaves shown"
        folded = f"{shown}; {hidden:,} are folded into {pluralize(n_folded, 'part')}."
        return f"{notes} {folded}".strip()

    def _notes(self) -> list[str]:
        """Say in lines of limited length how labels are decided and where missing values go."""
        notes = [*label_rule_lines(self.maker.tree), self.wording.missing_note]
        return [line for note in notes for line in wrap(note, _MAX_LINE)]

    def _source(self) -> str:
        """Say whose labels are counted and how numbers are compared, unless that is obvious."""
        source = self.outline.source() if self.outline.label_source in ("own", "ensemble") else ""
        notes = "; ".join(filter(None, [source, self.wording.precision]))
        return f"{capitalize(notes)}." if notes else ""

    def _marked(self) -> str:
        """Say how many leaves have each mark."""
        counts = Counter(self.marks.values())
        return f"Leaves: {', '.join(f'{counts[mark]:,} {mark}' for mark in MARKS)}." if counts else ""

    def _legend(self) -> tuple[LegendEntry, ...]:
        entries = []
        x, y = MARGIN, MARGIN
        for index, (color, text, name) in enumerate(self._legend_names()):
            entries.append(LegendEntry(color, x, y, text, name))
            x += self._legend_width(text) + _LEGEND_GAP
            if index % 4 == 3:
                x, y = MARGIN, y + LINE_HEIGHT
        return tuple(entries)

    def _legend_names(self) -> list[tuple[str, str, str]]:
        """Return color, text and full text of each entry: the classes, or the ends of a scale of numbers."""
        names = self.wording.class_names
        if not names:
            return [(color, text, text) for color, text in self.colors.scale()]
        listed = [
            (self.colors.of_class[k], shortened(name, _MAX_NAME), name)
            for k, name in enumerate(map(self.maker.tree.schema.subject.answer, names))
        ]
        if len(names) <= _MAX_LEGEND:
            return listed
        n_named = _MAX_LEGEND - 1
        return [*listed[:n_named], ("", f"and {len(names) - n_named:,} more", "")]

    @staticmethod
    def _legend_width(name: str) -> float:
        return _LEGEND_SWATCH + text_width(name, SMALL_FONT_SIZE)
