"""How the page draws a tree or graph: the boxes, charts and labels of the other drawings, as plain data."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from sightline.model import NodeModel
from sightline.report._words import FEW_ROWS, NUMBER_SENTENCES, SENTENCES
from sightline.show import (
    LEVEL_GAP,
    SIBLING_GAP,
    SIZES,
    BoxMaker,
    Chart,
    Line,
    NodeWording,
    SplitCharts,
    answer_lines,
    box_size,
    lines_in_box,
    text_width,
)
from sightline.wording import answer_text, number_text, percent, pluralize_rows

if TYPE_CHECKING:
    from sightline.report._evidence import Evidence

Json = dict[str, Any]

DRAWING = {"sizes": SIZES, "sibling_gap": SIBLING_GAP, "level_gap": LEVEL_GAP}
"""Sizes and gaps, so that the page places boxes as :func:`sightline.show.lay_out` does."""

UNSEEN = "no row of this report"

_ANSWER_FONT = 12.0
_DIGITS, _NUMBER_DIGITS = 6, 4


def drawing_json(model: NodeModel, evidence: Evidence, notes: dict[int, str], wording: NodeWording) -> Json:
    """Return the boxes of all nodes with and without charts, and the labels of all edges."""
    digits = _NUMBER_DIGITS if model.classes_ is None else _DIGITS
    maker = BoxMaker(model, digits, notes, _charts(model, evidence), wording)
    n_branches = np.diff(model.core.branch_begin).tolist()
    answer = cache(_answer)  # nearly all are "yes" and "no"
    answers = [
        [answer(maker.brief.answer(node, branch)) for branch in range(n)] for node, n in enumerate(n_branches)
    ]
    # The charts of a column have one axis, whose ends the page needs once.
    axes = list(dict.fromkeys((chart.low, chart.high) for chart in maker.charts.values() if chart.low))
    return {"boxes": _boxes(maker, axes), "axes": axes, "answers": answers}


def _boxes(maker: BoxMaker, axes: list[tuple[str, str]]) -> list[Json]:
    plain_box = cache(_plain_box)  # many leaves say the same
    axis_of = {ends: axis for axis, ends in enumerate(axes)}
    boxes = []
    for node, is_leaf in enumerate(maker.outline.is_leaf.tolist()):
        strings, has_bar = maker.strings(node, "leaf" if is_leaf else "test"), maker.colors.has_bar(node)
        if (chart := maker.charts.get(node)) is None:
            boxes.append(plain_box(has_bar, *strings))
        else:
            axis = axis_of.get((chart.low, chart.high))
            boxes.append(_chart_box(chart, axis, is_leaf, has_bar, strings))
    return boxes


def node_notes(model: NodeModel, nodes: Json) -> dict[int, str]:
    """Say in every leaf that it is proved, or how well it agrees with the ensemble on these rows.

    Nodes whose chart is left out because no row of the report reaches them say so.
    """
    is_leaf = [not branches for branches in nodes["branch_text"]]
    has_numbers = model.classes_ is None
    marks = (_number_mark if has_numbers else _class_mark)(nodes)
    unseen = UNSEEN if nodes["seen"][0] else ""
    notes = [
        (mark if leaf else "") or (unseen if not rows and (has_numbers or not leaf) else "")
        for mark, leaf, rows in zip(marks, is_leaf, nodes["seen"], strict=True)
    ]
    return {node: note for node, note in enumerate(notes) if note}


def _class_mark(nodes: Json) -> list[str]:
    proof, agreed, seen = nodes["proof"], nodes["agreed"], nodes["seen"]
    marks = []
    for node in range(len(seen)):
        if proof is not None and proof[node] == "proved":
            marks.append(SENTENCES["proved"])
        elif agreed is None:
            marks.append("")
        elif not seen[node]:
            marks.append(UNSEEN)
        else:
            marks.append(f"{_share_text(agreed[node], seen[node])} agree")
    return marks


def _share_text(n_agree: float, n_rows: float) -> str:
    """Write a share of few rows with both counts, which are as short as a percentage."""
    if n_rows < FEW_ROWS:
        return f"{number_text(n_agree, 2)} of {number_text(n_rows, 2)}"
    return percent(n_agree / n_rows)


def _number_mark(nodes: Json) -> list[str]:
    if nodes["gap"] is None:
        return [""] * len(nodes["seen"])
    # Rows of weight 0 have no mean.
    return [
        "" if gap is None else _gap_text(gap, n_rows)
        for gap, n_rows in zip(nodes["gap"], nodes["seen"], strict=True)
    ]


def _gap_text(gap: float, n_rows: float) -> str:
    text = f"off by {answer_text(gap, 2)}" if gap else "equal"
    return (
        NUMBER_SENTENCES["few"].format(text=text, rows=pluralize_rows(n_rows)) if n_rows < FEW_ROWS else text
    )


def _charts(model: NodeModel, evidence: Evidence) -> dict[int, Chart]:
    """Return the charts for the rows of the report, by their labels or else by the ensemble's."""
    if not evidence.rows.n_rows:
        return {}
    known = (evidence.labels, evidence.ensemble_labels, evidence.model_labels)
    target = next(labels for labels in known if labels is not None)
    return SplitCharts.of(model, evidence.rows, target).charts()


def _plain_box(has_bar: bool, *strings: str) -> Json:
    lines = lines_in_box(*strings)
    size = _size(box_size(lines, has_bar))
    return {"lines": _lines(lines), "size": size, "compact": size, "chart": None}


def _chart_box(chart: Chart, axis: int | None, is_leaf: bool, has_bar: bool, strings: list[str]) -> Json:
    lines = lines_in_box(*strings)
    # Tuples: the garbage collector soon ignores those of strings and numbers, and there are thousands.
    return {
        "lines": _lines(lines),
        "size": _size(box_size(lines, has_bar and not is_leaf, chart)),
        "compact": _size(box_size(lines, has_bar)),
        "chart": {
            "bars": [(_pixels(bar.left), _pixels(bar.width), bar.parts) for bar in chart.bars],
            "marks": chart.marks,
            "axis": axis,
            "height": chart.height,
        },
    }


def _lines(lines: tuple[Line, ...]) -> list[tuple[str, str]]:
    return [(line.text, line.style) for line in lines]


def _size(size: tuple[float, float]) -> tuple[float, float]:
    width, height = size
    return _pixels(width), _pixels(height)


def _answer(text: str) -> Json:
    lines = answer_lines(text)
    return {
        "lines": list(lines),
        "width": _pixels(max((text_width(line, _ANSWER_FONT) for line in lines), default=0.0)),
    }


@lru_cache(maxsize=1 << 12)
def _pixels(size: float) -> float:
    """Round a size to visible precision: in a large tree the other digits are a twentieth of the page."""
    rounded = round(size, 4)
    return int(rounded) if rounded == int(rounded) else rounded
