"""Prediction as slowly and plainly as possible: the oracle of the kernel."""

from __future__ import annotations

import math

import numpy as np
from strategies import DrawnEnsemble, Node

from sightline.model import LEAF, SUBSET, THRESHOLD


def branch_of(node: Node, value: float) -> int:
    """The branch that a known value takes."""
    if node.test == THRESHOLD:
        return 0 if value <= node.threshold else 1
    if node.test == SUBSET:
        return 0 if int(value) in node.categories else 1
    return int(value)


def leaves_reached(node: Node, row: list[float], share: float = 1.0) -> list[tuple[float, Node]]:
    """Leaves among which a row is divided, with its share in each, depth first."""
    if node.test == LEAF:
        return [(share, node)]
    value = row[node.feature]
    if not math.isnan(value):
        return leaves_reached(node.children[branch_of(node, value)], row, share)
    return [
        reached
        for child, part in zip(node.children, node.shares, strict=True)
        if part > 0
        for reached in leaves_reached(child, row, share * part)
    ]


def tree_output(root: Node, row: list[float]) -> list[float]:
    total = [0.0] * len(root.output)
    for share, leaf in leaves_reached(root, row):
        for k, value in enumerate(leaf.output):
            total[k] += share * value
    return total


def only_leaf(node: Node, row: list[float]) -> Node:
    """The leaf on the way where a missing value follows the largest share."""
    while node.test != LEAF:
        value = row[node.feature]
        branch = node.shares.index(max(node.shares)) if math.isnan(value) else branch_of(node, value)
        node = node.children[branch]
    return node


def first_best(values: list[float], tolerance: float) -> int:
    best = 0
    for k, value in enumerate(values):
        if value - values[best] > tolerance:
            best = k
    return best


def scores(drawn: DrawnEnsemble, row: list[float]) -> list[float]:
    total = list(drawn.base)

    def add(k: int, value: float) -> None:
        total[k] += value
        if drawn.single_precision:
            total[k] = float(np.float32(total[k]))

    for t, root in enumerate(drawn.roots):
        output = tree_output(root, row)
        weight = drawn.tree_weight[t]
        if drawn.votes:
            vote = first_best(output, drawn.tie_tolerance)
            for k in range(drawn.n_scores):
                add(k, weight if k == vote else drawn.vote_against[t])
        elif drawn.tree_score[t] >= 0:
            add(drawn.tree_score[t], weight * output[0])
        else:
            for k in range(drawn.n_scores):
                add(k, weight * output[k])
    return total
