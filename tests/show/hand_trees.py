"""Trees written down by hand, or read from Weka's text, for the tests of this stage."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sightline import _core
from sightline.model import Tree
from sightline.table import Feature, Schema


@dataclass
class Node:
    """A node of a tree that is being written down; leaves give their class counts."""

    counts: list[float] | None = None
    test: int = 0
    feature: int = -1
    threshold: float = 0.0
    categories: list[int] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)
    shares: list[float] | None = None
    output: list[float] | None = None


def leaf(*counts: float, output: list[float] | None = None) -> Node:
    return Node(counts=list(counts), output=output)


def number(value: float, rows: float = 1.0) -> Node:
    return Node(counts=[rows], output=[value])


def threshold(feature: int, at: float, yes: Node, no: Node, shares: list[float] | None = None) -> Node:
    return Node(test=1, feature=feature, threshold=at, children=[yes, no], shares=shares)


def subset(feature: int, codes: list[int], yes: Node, no: Node, shares: list[float] | None = None) -> Node:
    return Node(test=2, feature=feature, categories=codes, children=[yes, no], shares=shares)


def multiway(feature: int, *children: Node, shares: list[float] | None = None) -> Node:
    return Node(test=3, feature=feature, children=list(children), shares=shares)


def plant(root: Node, features: list[Feature], classes: list[Any] | None, with_counts: bool = True) -> Tree:
    """Turn nodes into a tree; counts of inner nodes are the sums of their leaves'."""
    order, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(reversed(node.children))
    for node in reversed(order):
        if node.counts is None:
            node.counts = np.sum([child.counts for child in node.children], axis=0).tolist()
    index = {id(node): i for i, node in enumerate(order)}
    counts = np.array([node.counts for node in order], dtype=float)
    weight = counts.sum(axis=1)
    outputs = [node.output or _shares(node.counts) for node in order]
    core = _core.Tree(
        n_values=[len(feature.categories or ()) for feature in features],
        n_outputs=len(outputs[0]),
        test=np.array([node.test for node in order], dtype=np.uint8),
        feature=np.array([node.feature for node in order], dtype=np.int32),
        threshold=np.array([node.threshold for node in order]),
        branch_begin=np.cumsum([0, *(len(node.children) for node in order)]).astype(np.int64),
        child=np.array([index[id(child)] for node in order for child in node.children], dtype=np.int32),
        share=np.array(
            [
                share
                for node in order
                for share in node.shares or _shares([sum(c.counts) for c in node.children])
            ]
        ),
        category_begin=np.cumsum([0, *(len(node.categories) for node in order)]).astype(np.int64),
        category=np.array([code for node in order for code in node.categories], dtype=np.int32),
        weight=weight,
        output=np.array(outputs, dtype=float).ravel(),
        counts=counts.ravel() if with_counts and classes is not None else np.zeros(0),
    )
    return Tree(core, Schema(tuple(features)), None if classes is None else np.array(classes))


def _shares(amounts: list[float]) -> list[float]:
    total = sum(amounts)
    return [amount / total if total else 1.0 / len(amounts) for amount in amounts]


def chain(depth: int) -> Tree:
    """A tree in which every test has a leaf on the yes side and the rest on the no side."""
    n_nodes = 2 * depth + 1
    is_inner = np.zeros(n_nodes, dtype=bool)
    is_inner[0:-1:2] = True
    inner = np.arange(0, n_nodes - 1, 2)
    counts = np.ones((n_nodes, 2))
    counts[inner] = (np.arange(depth, 0, -1) + 1.0)[:, None]
    core = _core.Tree(
        n_values=[0],
        n_outputs=2,
        test=is_inner.astype(np.uint8),
        feature=np.where(is_inner, 0, -1).astype(np.int32),
        threshold=np.where(is_inner, np.arange(n_nodes, dtype=float), 0.0),
        branch_begin=np.concatenate([[0], np.cumsum(np.where(is_inner, 2, 0))]).astype(np.int64),
        child=np.column_stack([inner + 1, inner + 2]).ravel().astype(np.int32),
        share=np.full(2 * depth, 0.5),
        category_begin=np.zeros(n_nodes + 1, dtype=np.int64),
        category=np.zeros(0, dtype=np.int32),
        weight=counts.sum(axis=1),
        output=(counts / counts.sum(axis=1, keepdims=True)).ravel(),
        counts=counts.ravel(),
    )
    return Tree(core, Schema((Feature("x", None),)), np.array(["no", "yes"]))


def balanced(levels: int) -> Tree:
    """A complete binary tree: node i has the children 2i + 1 and 2i + 2."""
    n_inner = 2**levels - 1
    node = np.arange(2 * n_inner + 1)
    is_inner = node < n_inner
    counts = np.column_stack([1.0 + node % 3, node % 2])
    for level in reversed(range(levels)):
        above = node[2**level - 1 : 2 ** (level + 1) - 1]
        counts[above] = counts[2 * above + 1] + counts[2 * above + 2]
    core = _core.Tree(
        n_values=[0, 0, 0],
        n_outputs=2,
        test=is_inner.astype(np.uint8),
        feature=np.where(is_inner, node % 3, -1).astype(np.int32),
        threshold=np.where(is_inner, node, 0.0).astype(float),
        branch_begin=np.append(2 * np.minimum(node, n_inner), 2 * n_inner).astype(np.int64),
        child=node[1:].astype(np.int32),
        share=np.full(2 * n_inner, 0.5),
        category_begin=np.zeros(len(node) + 1, dtype=np.int64),
        category=np.zeros(0, dtype=np.int32),
        weight=counts.sum(axis=1),
        output=(counts / counts.sum(axis=1, keepdims=True)).ravel(),
        counts=counts.ravel(),
    )
    return Tree(core, Schema(tuple(Feature(name, None) for name in "abc")), np.array(["no", "yes"]))


_OTHERS = [f"?{i}" for i in range(40)]

_LINE = re.compile(r"((?:\|   )*)(.+?) (<=|>|=|!=) (.*?)(?:: (.*) \(([^/()]+)(?:/([^/()]+))?\))?$")


def parse_weka(text: str) -> Tree:
    """Read the tree that Weka printed; values are declared in the order of appearance."""
    lines = text.split("\n\nNumber of Leaves", maxsplit=1)[0].split("\n")[2:]
    if len(lines) == 1 and lines[0].startswith(": "):
        label, weight, errors = re.match(r": (.*) \(([^/]+)(?:/(.*))?\)", lines[0]).groups()
        return plant(
            _weka_leaf(label, weight, errors, [label, *_OTHERS]), [Feature("x", None)], [label, *_OTHERS]
        )
    rows = [
        (len(guides) // 4, *rest) for guides, *rest in (_LINE.match(line).groups() for line in lines if line)
    ]
    classes = list(dict.fromkeys(row[4] for row in rows if row[4] is not None)) + _OTHERS
    values: dict[str, list[str]] = {}
    for _, name, sign, value, *_ in rows:
        known = values.setdefault(name, [])
        if sign in {"=", "!="} and value not in known:
            known.append(value)
    is_binary = any(row[2] == "!=" for row in rows)
    for known in values.values():
        known.extend(["(other)"] if is_binary and known else [])
    features = [Feature(name, tuple(known) or None) for name, known in values.items()]
    position = {name: i for i, name in enumerate(values)}
    return plant(_weka_node(rows, values, position, classes, is_binary), features, classes)


def _weka_node(rows, values, position, classes, is_binary) -> Node:
    open_nodes: list[Node] = []
    root = None
    for level, name, sign, value, label, weight, errors in rows:
        if level == len(open_nodes):
            node = Node(feature=position[name])
            if sign in {"<=", ">"}:
                node.test, node.threshold = 1, float(value)
            elif is_binary:
                node.test, node.categories = 2, [values[name].index(value)]
            else:
                node.test = 3
                node.children = [leaf(*[0.0] * len(classes)) for _ in values[name]]
            root = root or node
            if open_nodes:
                _append(open_nodes[-1], node)
            open_nodes.append(node)
            node.next = 0
        del open_nodes[level + 1 :]
        parent = open_nodes[level]
        if label is not None:
            _append(parent, _weka_leaf(label, weight, errors, classes))
            while open_nodes and open_nodes[-1].next == _n_branches(open_nodes[-1], values):
                open_nodes.pop()
    return root


def _n_branches(node: Node, values) -> int:
    return len(node.children) if node.test == 3 else 2


def _append(parent: Node, node: Node) -> None:
    if parent.test == 3:
        parent.children[parent.next] = node
    else:
        parent.children.append(node)
    parent.next += 1


def _weka_leaf(label, weight, errors, classes) -> Node:
    """Errors go to classes of their own, few each: the majority is the label's."""
    wrong = max(float(errors), 0.001) if errors else 0.0
    counts = [0.0] * (len(classes) - len(_OTHERS)) + [wrong / len(_OTHERS)] * len(_OTHERS)
    counts[classes.index(label)] = float(weight) - wrong
    return leaf(*counts, output=[float(name == label) for name in classes])
