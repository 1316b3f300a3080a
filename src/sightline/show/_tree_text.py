"""A tree as indented text."""

from __future__ import annotations

import numpy as np

from sightline.model import AboutTarget, Tree
from sightline.show._node_wording import NodeWording
from sightline.show._outline import Outline
from sightline.wording import list_choices, pluralize, printable, quote_if_odd

_MAX_GUIDES = 60
"""Deeper levels are written as a number, so that the text grows only with the number of nodes."""

_MAX_CLASSES_NAMED = 8


def tree_text(tree: Tree, digits: int = 6, max_depth: int | None = None) -> str:
    """Write a tree as a heading and one indented line per node.

    Parameters
    ----------
    tree : Tree
        The tree.
    digits : int, default=6
        Significant digits of thresholds.
    max_depth : int, optional
        Deeper nodes are folded into one line with the number of hidden leaves.

    Returns
    -------
    str
        The text, ending with a newline.
    """
    outline = Outline.of(tree)
    wording = NodeWording(tree, digits)
    lines = [*_heading(tree, outline, wording), "", *node_lines(outline, wording, max_depth)]
    return "\n".join([*lines, *missing_lines(wording)]) + "\n"


def node_lines(outline: Outline, wording: NodeWording, max_depth: int | None = None) -> list[str]:
    """Return one indented line per node, with deeper nodes folded."""
    lines = []
    shown = np.flatnonzero(outline.shown(max_depth))
    is_end = outline.is_leaf[shown] | (outline.level[shown] == max_depth)
    guides = [""]
    columns = (outline.parent, outline.branch, outline.level, outline.is_last)
    for node, has_end, parent, branch, level, is_last in zip(
        shown.tolist(), is_end.tolist(), *(array[shown].tolist() for array in columns), strict=True
    ):
        end = _end_text(outline, wording, node) if has_end else ""
        if parent >= 0:
            colon = ": " if has_end else ""
            lines.append(f"{indented(guides, level, is_last)}{wording.way(parent, branch)}{colon}{end}")
        elif has_end:
            lines.append(end)
    return lines


def missing_lines(wording: NodeWording) -> list[str]:
    """End a text with what happens to missing values, unless every test says so."""
    return ["", wording.missing_note] if wording.missing_note else []


def _end_text(outline: Outline, wording: NodeWording, node: int) -> str:
    """Return what a leaf predicts and how certainly, or what a folded node hides."""
    evidence = outline.evidence(node)
    rows = f" ({evidence})" if evidence else ""
    if outline.is_leaf[node]:
        return f"{wording.label(node)}{rows}"
    return f"… {outline.n_leaves[node]:,} more leaves, {wording.summary(node, outline)}{rows}"


def _heading(tree: Tree, outline: Outline, wording: NodeWording) -> list[str]:
    size = tree.size_
    leaves = pluralize(size["leaves"], "leaf", "leaves")
    features = f"{size['features']:,} of {pluralize(tree.schema.n_used, 'feature')}"
    return [
        f"Tree with {leaves} and depth {size['depth']:,}; tests {features}",
        f"Predicts {predicted_text(tree, wording.class_names)}{notes_text(outline, wording)}",
        *label_rule_lines(tree),
    ]


def label_rule_lines(model: AboutTarget) -> list[str]:
    """Say in one line how labels are decided, unless the most probable class always wins."""
    return [printable(model.label_rule)] if model.label_rule else []


def notes_text(outline: Outline, wording: NodeWording) -> str:
    """End the heading with the rows that were counted and how numbers are compared, if that matters."""
    return "".join(f"; {note}" for note in (outline.source(), wording.precision) if note)


def predicted_text(model: AboutTarget, names: list[str]) -> str:
    """Name the target, the classes and the positive one, as in ``default: no or yes (positive: yes)``."""
    target, index = model.target, model.schema.subject.positive
    positive = "" if index is None or not names else f" (positive: {names[index]})"
    named = f"{quote_if_odd(target)}: " if target else ""
    return f"{named}{classes_text(names)}{positive}"


def classes_text(names: list[str]) -> str:
    """Name the classes as in ``a, b or c``; a regression predicts a number."""
    if not names:
        return "a number"
    if len(names) > _MAX_CLASSES_NAMED:
        return f"one of {len(names):,} classes"
    return list_choices(names)


def indented(guides: list[str], level: int, is_last: bool) -> str:
    """Return the guides before a line of a tree, and store those before the lines below it.

    ``guides[k]`` are the guides below the last node seen at level k. Nodes come depth
    first, so those of a node's parent are always up to date.
    """
    if level > _MAX_GUIDES:
        return f"[level {level:,}] "
    before = guides[level - 1]
    guides[level:] = [before + ("   " if is_last else "│  ")]
    return before + ("└─ " if is_last else "├─ ")
