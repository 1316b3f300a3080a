"""What the boxes of a drawing hold and how large they are: the same in SVG, matplotlib and the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sightline.model import NodeModel
from sightline.show._node_wording import NodeWording
from sightline.show._outline import Outline
from sightline.show.drawing._layout import (
    AXIS_HEIGHT,
    BAR_HEIGHT,
    BOX_GAP,
    BOX_LINE,
    BOX_PADDING,
    MIN_BOX_WIDTH,
    MIN_CHART_WIDTH,
    PADDING,
    BoxKind,
)
from sightline.show.drawing._node_colors import Bar, NodeColors
from sightline.show.drawing._split_charts import Chart
from sightline.show.drawing._text_lines import Line, line_width, lines_of

MAX_TEXT_WIDTH = 150.0
MAX_ANSWER_WIDTH = 96.0
MAX_ANSWER_LINES = 3
_GAP_OF_ENDS = 8.0


@dataclass(frozen=True, slots=True)
class BoxContent:
    """The lines, bar and chart of a box, and its size."""

    lines: tuple[Line, ...]
    bar: Bar
    chart: Chart | None
    width: float
    height: float


class BoxMaker:
    """Makes the boxes of one tree or graph.

    Parameters
    ----------
    tree : Tree or Graph
        The model.
    digits : int, default=6
        Significant digits of thresholds.
    notes : mapping of int to str, optional
        What nodes say besides their rows and evidence, such as "proved".
    charts : mapping of int to Chart, optional
        Charts of nodes.
    wording : NodeWording, optional
        How the tests read, if that is known already; it is used if it has the same digits.
    """

    def __init__(
        self,
        tree: NodeModel,
        digits: int = 6,
        notes: Mapping[int, str] | None = None,
        charts: Mapping[int, Chart] | None = None,
        wording: NodeWording | None = None,
    ) -> None:
        self.tree = tree
        self.notes = notes or {}
        self.charts = charts or {}
        self.wording = NodeWording(tree, digits) if wording is None or wording.digits != digits else wording
        self.brief = self.wording.brief()
        self.outline = Outline.of(tree)
        self._feature: list[int] = tree.core.feature.tolist()
        self.colors = NodeColors(tree, self.outline)

    def content(self, node: int, kind: BoxKind, has_evidence: bool = True) -> BoxContent:
        """Return what the box of a node holds. A leaf without evidence shows only its answer."""
        lines = lines_in_box(*self.strings(node, kind, has_evidence))
        chart = self.charts.get(node) if kind != "folded" else None
        # The chart of a leaf shows more than a bar of one number.
        bar = () if chart and kind == "leaf" else self.colors.bar(node)
        return BoxContent(lines, bar, chart, *box_size(lines, bool(bar), chart))

    def texts(self, node: int, kind: BoxKind, has_evidence: bool = True) -> tuple[str, str]:
        """Return what a box says in two strings: the test or the answer, and the evidence."""
        if kind == "test":
            return self.brief.question(node), self.outline.rows(node)
        title, *details = self.strings(node, kind, has_evidence)
        return title, ", ".join(details)

    def strings(self, node: int, kind: BoxKind, has_evidence: bool = True) -> list[str]:
        """Return what a box says: the feature, its test and rows, or an answer, its evidence and notes."""
        if kind == "test":
            predicate, rows = self.brief.predicate(node), self.outline.rows(node)
            question = f"{predicate}?" if predicate else ""
            details = [question, rows, self.notes.get(node, "")]
            return [self.brief.name(self._feature[node]), *filter(None, details)]
        evidence = self.outline.evidence(node) if has_evidence else ""
        if kind == "leaf":
            details = [self.brief.mean_of_line(node), evidence, self.notes.get(node, "")]
            return [self.brief.label(node), *filter(None, details)]
        below = self.brief.label(node) if self.brief.class_names else self.brief.summary(node, self.outline)
        return [f"… {self.outline.n_leaves[node]:,} more leaves", *filter(None, [below, evidence])]

    def answer(self, node: int, branch: int) -> tuple[str, ...]:
        """Return the lines beside the edge of a branch."""
        return answer_lines(self.brief.answer(node, branch))


def box_size(lines: tuple[Line, ...], has_bar: bool, chart: Chart | None = None) -> tuple[float, float]:
    """Return the width and the height of a box."""
    chart_width = max(MIN_CHART_WIDTH, _axis_width(chart)) if chart else 0.0
    width = max(MIN_BOX_WIDTH, chart_width, *[line.width for line in lines])
    height = 2 * BOX_PADDING + BOX_LINE * len(lines)
    height += BOX_GAP + BAR_HEIGHT if has_bar else 0.0
    height += BOX_GAP + chart.height + (AXIS_HEIGHT if chart.low else 0.0) if chart else 0.0
    return width + 2 * PADDING, height


def _axis_width(chart: Chart) -> float:
    """Return the width in which the strings at both ends of an axis stay apart."""
    return line_width(chart.low, "detail") + _GAP_OF_ENDS + line_width(chart.high, "detail")


def lines_in_box(title: str, *details: str) -> tuple[Line, ...]:
    """Return a title and, in one line if they fit, else each in lines of its own, the details below it."""
    heading, joined = lines_of(title, "title", MAX_TEXT_WIDTH), " · ".join(details)
    if not joined:
        return heading
    if line_width(joined, "detail") <= MAX_TEXT_WIDTH:
        return (*heading, Line(joined, "detail"))
    return (*heading, *(line for text in details for line in lines_of(text, "detail", MAX_TEXT_WIDTH)))


def answer_lines(answer: str) -> tuple[str, ...]:
    """Return the lines of the label of an edge."""
    lines = lines_of(answer, "detail", MAX_ANSWER_WIDTH, MAX_ANSWER_LINES)
    return tuple(line.text for line in lines)
