"""A tree as boxes and edges: which nodes are drawn, where they go and what they say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from sightline.exceptions import ParameterError
from sightline.model import NodeModel, Tree
from sightline.show._layout import (
    BOX_HEIGHT,
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
from sightline.show._node_colors import NodeColors
from sightline.show._node_wording import NodeWording
from sightline.show._outline import Outline
from sightline.show._palette import class_color
from sightline.show._tidy import tidy_positions
from sightline.wording import capitalize, percent, pluralize, shortened

MARKS = ("proved", "refuted", "open")
_MIN_BOX_WIDTH = 96.0
_SIBLING_GAP: dict[Direction, float] = {"down": 18.0, "right": 12.0}
_LEVEL_GAP: dict[Direction, float] = {"down": 58.0, "right": 44.0}
_LEGEND_SWATCH = 20.0
_LEGEND_GAP = 18.0
_BOLD = 1.1
_MAX_TITLE = 44
_MAX_ANSWER = 18
_MAX_LEGEND = 12
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
) -> Layout:
    """Arrange a tree for drawing.

    Parameters
    ----------
    tree : Tree
        The tree.
    max_depth : int, optional
        Deeper nodes are folded.
    max_leaves_shown : int or None, default=64
        Most leaves and folded nodes to draw; None draws all. The heaviest nodes open first.
    direction : {"down", "right"}, optional
        Direction of growth; by default down for up to 8 leaves, else right.
    digits : int, default=6
        Significant digits of thresholds.
    marks : mapping of int to str, optional
        Leaves that are "proved", "refuted" or "open".

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
    return Arrangement(tree, digits, max_depth, max_leaves_shown, direction, marks).layout()


class Arrangement:
    """The steps from a tree to its layout; boxes are numbered by their position in ``shown``."""

    def __init__(
        self,
        tree: NodeModel,
        digits: int,
        max_depth: int | None,
        max_leaves: int | None,
        direction: Direction | None,
        marks: Mapping[int, str] | None = None,
    ) -> None:
        self.marks = marks or {}
        self.wording = NodeWording(tree, digits)
        self.brief = self.wording.brief()
        self.outline = Outline.of(tree)
        self.colors = NodeColors(tree, self.outline)
        self.shown: list[int] = np.flatnonzero(self.outline.shown(max_depth, max_leaves)).tolist()
        self.position = {node: i for i, node in enumerate(self.shown)}
        self.parent = [self.position.get(int(self.outline.parent[node]), -1) for node in self.shown]
        self.level: list[int] = self.outline.level[self.shown].tolist()
        has_children = set(self.parent)
        self.kinds: list[BoxKind] = [
            "leaf" if self.outline.is_leaf[node] else "test" if i in has_children else "folded"
            for i, node in enumerate(self.shown)
        ]
        n_ends = len(self.shown) - self.kinds.count("test")
        is_narrow = n_ends <= _MAX_LEAVES_DOWN and self._breadth_of_ends() <= _MAX_BREADTH_DOWN
        self.direction: Direction = direction or ("down" if is_narrow else "right")
        self.answers = [self._answer(i) for i in range(len(self.shown))]

    def layout(self) -> Layout:
        legend = self._legend()
        top = max((entry.y for entry in legend), default=0.0) + (MARGIN + LINE_HEIGHT if legend else MARGIN)
        boxes = self._boxes(top)
        caption = self._caption()
        right = max(box.x + box.width for box in boxes)
        legend_right = max((entry.x + self._legend_width(entry.name) for entry in legend), default=0.0)
        caption_right = MARGIN + text_width(caption, SMALL_FONT_SIZE)
        bottom = max(box.y + box.height for box in boxes)
        return Layout(
            width=max(right, legend_right, caption_right) + MARGIN,
            height=bottom + MARGIN + (LINE_HEIGHT if caption else 0.0),
            direction=self.direction,
            title=self._title(),
            caption=caption,
            boxes=boxes,
            edges=self._edges(boxes),
            legend=legend,
        )

    def _breadth_of_ends(self) -> float:
        """Return how much room the leaves need side by side: lines are wide."""
        ends = (node for node, kind in zip(self.shown, self.kinds, strict=True) if kind == "leaf")
        return sum(_BOLD * text_width(self.brief.label(node)) for node in ends)

    def _boxes(self, top: float) -> tuple[Box, ...]:
        lines, widths = self._lines_and_widths()
        is_down = self.direction == "down"
        extents = widths if is_down else [BOX_HEIGHT] * len(widths)
        breadth = [max(extent, self._label_breadth(i)) for i, extent in enumerate(extents)]
        middle = tidy_positions(self.parent, breadth, _SIBLING_GAP[self.direction])
        level_start = self._level_starts(widths)
        boxes = []
        for i in range(len(self.shown)):
            across = middle[i] - extents[i] / 2
            along = level_start[self.level[i]]
            x = MARGIN + (across if is_down else along)
            boxes.append(self._box(i, lines[i], x, top + (along if is_down else across), widths[i]))
        return tuple(boxes)

    def _lines_and_widths(self) -> tuple[list[tuple[str, str]], list[float]]:
        lines = [self._lines(i) for i in range(len(self.shown))]
        return lines, [
            max(_MIN_BOX_WIDTH, _BOLD * text_width(title), text_width(detail, SMALL_FONT_SIZE)) + 2 * PADDING
            for title, detail in lines
        ]

    def _box(self, i: int, lines: tuple[str, str], x: float, y: float, width: float) -> Box:
        node = self.shown[i]
        return Box(
            node=node,
            kind=self.kinds[i],
            x=x,
            y=y,
            width=width,
            height=BOX_HEIGHT,
            title=lines[0],
            detail=lines[1],
            full_text=self._full_text(i),
            bar=self.colors.bar(node),
            color=self.colors.color(node),
            mark=self.marks.get(node, "") if self.kinds[i] == "leaf" else "",
        )

    def _label_breadth(self, i: int) -> float:
        """Return the room that the label of the edge to a box needs beside its neighbors."""
        return text_width(self.answers[i], SMALL_FONT_SIZE) if self.direction == "down" else LINE_HEIGHT

    def _level_starts(self, widths: list[float]) -> list[float]:
        """Return where each level starts along the direction of growth."""
        gap = _LEVEL_GAP[self.direction]
        n_levels = max(self.level) + 1
        if self.direction == "down":
            return [level * (BOX_HEIGHT + gap) for level in range(n_levels)]
        widest = [0.0] * n_levels
        widest_answer = [0.0] * n_levels
        for level, width, answer in zip(self.level, widths, self.answers, strict=True):
            widest[level] = max(widest[level], width)
            widest_answer[level] = max(widest_answer[level], text_width(answer, SMALL_FONT_SIZE))
        starts = [0.0]
        for level in range(1, n_levels):
            starts.append(starts[-1] + widest[level - 1] + gap + widest_answer[level])
        return starts

    def _edges(self, boxes: tuple[Box, ...]) -> tuple[Edge, ...]:
        total = float(self.outline.weight[0])
        edges = []
        for i, box in enumerate(boxes[1:], start=1):
            above = boxes[self.parent[i]]
            label_width = text_width(self.answers[i], SMALL_FONT_SIZE)
            if self.direction == "down":
                start = (above.x + above.width / 2, above.y + above.height)
                end = (box.x + box.width / 2, box.y)
                label_at = (end[0], end[1] - LINE_HEIGHT)
            else:
                start = (above.x + above.width, above.y + above.height / 2)
                end = (box.x, box.y + box.height / 2)
                label_at = (end[0] - PADDING - label_width / 2, end[1])
            node = self.shown[i]
            edges.append(
                Edge(
                    parent=self.parent[i],
                    child=i,
                    start=start,
                    end=end,
                    label=self.answers[i],
                    label_at=label_at,
                    full_text=self.wording.branch(
                        int(self.outline.parent[node]), int(self.outline.branch[node])
                    ),
                    share=float(self.outline.weight[node]) / total if total > 0 else 0.0,
                )
            )
        return tuple(edges)

    def _answer(self, i: int) -> str:
        """Return the label of the edge to a box; the root has none."""
        node = self.shown[i]
        if node == 0:
            return ""
        parent, branch = int(self.outline.parent[node]), int(self.outline.branch[node])
        return shortened(self.brief.answer(parent, branch), _MAX_ANSWER)

    def _lines(self, i: int) -> tuple[str, str]:
        node = self.shown[i]
        if self.kinds[i] == "test":
            return shortened(self.brief.question(node), _MAX_TITLE), self.outline.rows(node)
        evidence = self.outline.evidence(node)
        if self.kinds[i] == "leaf":
            notes = [self.marks.get(node), self.brief.mean_of_line(node), evidence]
            return self.brief.label(node), ", ".join(filter(None, notes))
        has_classes = self.brief.class_names
        below = self.brief.label(node) if has_classes else self.brief.summary(node, self.outline)
        return (
            f"… {self.outline.n_leaves[node]:,} more leaves",
            ", ".join(filter(None, [shortened(below, _MAX_ANSWER if has_classes else _MAX_TITLE), evidence])),
        )

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
        names = self.brief.class_names[:_MAX_LEGEND]
        return f"Decision tree with {pluralize(n_leaves, 'leaf', 'leaves')}" + (
            f" for {', '.join(names)}{', …' if len(self.wording.class_names) > _MAX_LEGEND else ''}"
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
        listed = [(class_color(k), shortened(name, _MAX_ANSWER), name) for k, name in enumerate(names)]
        if len(names) <= _MAX_LEGEND:
            return listed
        n_named = _MAX_LEGEND - 1
        return [*listed[:n_named], ("", f"and {len(names) - n_named:,} more", "")]

    @staticmethod
    def _legend_width(name: str) -> float:
        return _LEGEND_SWATCH + text_width(name, SMALL_FONT_SIZE)
