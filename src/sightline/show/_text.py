"""A tree as indented text."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sightline.exceptions import ParameterError
from sightline.model import Tree
from sightline.show._node_wording import NodeWording
from sightline.show._outline import Outline
from sightline.show._verbs import to_text
from sightline.show._weka import weka_text
from sightline.wording import list_choices, pluralize

_MAX_GUIDES = 60
"""Levels drawn as guides; deeper ones are a number, so that the text grows with the nodes only."""

_MAX_CLASSES_NAMED = 8


@to_text.register
def _(
    tree: Tree,
    *,
    style: Literal["sightline", "weka"] = "sightline",
    digits: int = 6,
    max_depth: int | None = None,
    title: str = "J48 pruned tree",
    binary_thresholds: bool | None = None,
) -> str:
    if style == "sightline":
        return tree_text(tree, digits, max_depth)
    if style == "weka" and max_depth is not None:
        raise ParameterError(
            "The 'max_depth' parameter must be None for style='weka', which has no folded nodes."
        )
    if style == "weka":
        return weka_text(tree, title, binary_thresholds)
    raise ParameterError(f"The 'style' parameter must be 'sightline' or 'weka'. Got {style!r} instead.")


def tree_text(tree: Tree, digits: int = 6, max_depth: int | None = None) -> str:
    """Write a tree as indented lines, one per node, below a heading.

    Parameters
    ----------
    tree : Tree
        The tree.
    digits : int, default=6
        Significant digits of thresholds.
    max_depth : int, optional
        Deeper nodes are folded into one line that says how many leaves it hides.

    Returns
    -------
    str
        The text, ending with a newline.
    """
    outline = Outline.of(tree)
    wording = NodeWording(tree, digits)
    lines = [*_heading(tree, outline, wording), ""]
    shown = np.flatnonzero(outline.shown(max_depth))
    is_end = outline.is_leaf[shown] | (outline.level[shown] == max_depth)
    guides = [""]
    places = (outline.parent, outline.branch, outline.level, outline.is_last)
    for node, has_end, parent, branch, level, is_last in zip(
        shown.tolist(), is_end.tolist(), *(array[shown].tolist() for array in places), strict=True
    ):
        end = _end_text(outline, wording, node) if has_end else ""
        if parent >= 0:
            colon = ": " if has_end else ""
            lines.append(f"{indented(guides, level, is_last)}{wording.branch(parent, branch)}{colon}{end}")
        elif has_end:
            lines.append(end)
    return "\n".join(lines) + "\n"


def _end_text(outline: Outline, wording: NodeWording, node: int) -> str:
    """Say what a leaf predicts and how surely, or what a folded node hides."""
    evidence = outline.evidence(node)
    prediction = f"{wording.label(node)} ({evidence})" if evidence else wording.label(node)
    if outline.is_leaf[node]:
        return prediction
    return f"… {outline.n_leaves[node]:,} more leaves, mostly {prediction}"


def _heading(tree: Tree, outline: Outline, wording: NodeWording) -> list[str]:
    size = tree.size_
    leaves = pluralize(size["leaves"], "leaf", "leaves")
    features = f"{size['features']:,} of {pluralize(len(tree.schema), 'feature')}"
    return [
        f"Tree with {leaves} and depth {size['depth']:,}, testing {features}",
        f"Predicts {classes_text(wording.class_names)}{notes_text(outline, wording)}",
    ]


def notes_text(outline: Outline, wording: NodeWording) -> str:
    """End the heading with the rows that were counted, if any were, and how numbers are compared."""
    return "".join(f"; {note}" for note in (outline.source(), wording.precision) if note)


def classes_text(names: list[str]) -> str:
    """Name the classes as in ``a, b or c``; those of a regression are a number."""
    if not names:
        return "a number"
    if len(names) > _MAX_CLASSES_NAMED:
        return f"one of {len(names):,} classes"
    return list_choices(names)


def indented(guides: list[str], level: int, is_last: bool) -> str:
    """Return the guides before a line of a tree, and keep those before the lines below it.

    ``guides[k]`` are the guides below the last node seen at level k. Nodes come depth
    first, so those of a node's parent are always there.
    """
    if level > _MAX_GUIDES:
        return f"[level {level:,}] "
    before = guides[level - 1]
    guides[level:] = [before + ("   " if is_last else "│  ")]
    return before + ("└─ " if is_last else "├─ ")
