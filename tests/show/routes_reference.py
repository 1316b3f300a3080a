"""Routes through trees in the slowest and plainest way: what the kernel must equal."""

from __future__ import annotations

import math

from sightline.model import LEAF, SUBSET, THRESHOLD, NodeModel


def route(tree: NodeModel, values: list[float]) -> list[tuple[int, int, bool, float]]:
    """Return node, branch, whether the value is missing, and the part of the row, by ascending node."""
    part = {0: 1.0}
    edges = []
    for node in range(tree.n_nodes):
        if not part.get(node) or tree.core.test[node] == LEAF:
            continue
        value = values[tree.core.feature[node]]
        is_missing = math.isnan(value)
        shares = tree.shares(node).tolist()
        if not is_missing:
            shares = [float(branch == branch_of(tree, node, value)) for branch in range(len(shares))]
        for branch, share in enumerate(shares):
            if share:
                child = int(tree.children(node)[branch])
                part[child] = part.get(child, 0.0) + part[node] * share
                edges.append((node, branch, is_missing, part[node] * share))
    return edges


def branch_of(tree: NodeModel, node: int, value: float) -> int:
    kind = tree.core.test[node]
    if kind == THRESHOLD:
        return int(value > tree.core.threshold[node])
    if kind == SUBSET:
        begin, end = tree.core.category_begin[node : node + 2]
        return int(int(value) not in tree.core.category[begin:end])
    return int(value)
