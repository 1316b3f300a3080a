"""A graph as indented text: shared nodes are written once and referred to by number."""

from __future__ import annotations

import numpy as np

from sightline.model import Graph
from sightline.show._node_wording import NodeWording
from sightline.show._outline import Outline
from sightline.show._tree_text import indented, label_rule_lines, missing_lines, notes_text, predicted_text
from sightline.wording import pluralize


def graph_text(graph: Graph, digits: int = 6) -> str:
    """Write a graph as a heading and indented lines.

    Parameters
    ----------
    graph : Graph
        The graph.
    digits : int, default=6
        Significant digits of thresholds.

    Returns
    -------
    str
        The text, ending with a newline. A test with several parents has a number such as
        ``[2]`` where it is written; other parents refer to it with ``see [2]``.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> print(graph_text(credit_tree().to_graph()).splitlines()[0])
    Graph with 7 nodes and depth 2; tests 3 of 3 features; as a tree it has 4 leaves
    """
    outline = Outline.of(graph)
    wording = NodeWording(graph, digits)
    if outline.is_leaf[0]:
        return "\n".join([*_heading(graph, outline, wording), "", wording.label(0)]) + "\n"
    n_parents = np.bincount(graph.core.child, minlength=graph.n_nodes)
    is_shared = (n_parents > 1) & ~outline.is_leaf
    numbers: dict[int, int] = {}
    lines = [*_heading(graph, outline, wording), ""]
    guides = [""]
    # Branches still to write: the test above, the number of the branch, and its level.
    waiting = [(0, branch, 1) for branch in reversed(range(len(graph.children(0))))]
    while waiting:
        parent, branch, level = waiting.pop()
        children = graph.children(parent)
        node = int(children[branch])
        line = indented(guides, level, branch == len(children) - 1) + wording.way(parent, branch)
        if outline.is_leaf[node]:
            # Rows are counted at the leaf, not on the edge to it: they would be repeated for every edge.
            lines.append(f"{line}: {wording.label(node)}")
        elif node in numbers:
            lines.append(f"{line}: see [{numbers[node]}]")
        else:
            if is_shared[node]:
                numbers[node] = len(numbers) + 1
                line += f" [{numbers[node]}]"
            lines.append(line)
            waiting += [(node, below, level + 1) for below in reversed(range(len(graph.children(node))))]
    return "\n".join([*lines, *missing_lines(wording)]) + "\n"


def _heading(graph: Graph, outline: Outline, wording: NodeWording) -> list[str]:
    size = graph.size_
    nodes = pluralize(size["nodes"], "node")
    features = f"{size['features']:,} of {pluralize(graph.schema.n_used, 'feature')}"
    leaves = pluralize(size["rules"], "leaf", "leaves")
    return [
        f"Graph with {nodes} and depth {size['depth']:,}; tests {features}; as a tree it has {leaves}",
        f"Predicts {predicted_text(graph, wording.class_names)}{notes_text(outline, wording)}",
        *label_rule_lines(graph),
    ]
