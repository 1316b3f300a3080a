"""The shape of a tree or graph, and which of its nodes are shown."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ParameterError
from sightline.model import LEAF, LabelSource, NodeModel, Tree, first_largest
from sightline.wording import percent, pluralize_rows

_MAX_ROOT_BRANCHES = 1000
"""The root opens up to this many branches even if that exceeds the requested leaves."""


_SOURCES: dict[LabelSource, str] = {
    "learnt": "trained on {rows}",
    "own": "summarizes another model; percentages refer to {training_rows}",
    "ensemble": "summarizes another model; percentages refer to its labels for {training_rows}",
    "passed": "counts {rows}",
}
_SUMMARY_OF_NUMBERS = "summarizes another model; counts {training_rows}"


@dataclass(frozen=True)
class Outline:
    """The shape of a tree or graph as arrays with one entry per node, nodes depth first.

    Attributes
    ----------
    is_leaf : ndarray of bool
        Whether the node has no test.
    level : ndarray of int
        Tests between the root and the node.
    parent : ndarray of int
        The node above, -1 for the root; in a graph the first of several.
    branch : ndarray of int
        The branch of the parent that leads here, -1 for the root.
    is_last : ndarray of bool
        Whether that is the parent's last branch.
    n_leaves : ndarray of int
        Leaves at and below the node; in a graph, those that are first reached through it.
    weight : ndarray of float
        Training weight.
    best : ndarray of int
        Index of the predicted class, -1 if outputs are numbers.
    mix : ndarray of shape (n_nodes, n_classes)
        Share of each class among the training rows; zeros if there were none.
    has_rows : bool
        Whether rows were counted at all: a merged model may not have seen any.
    label_source : {"learnt", "own", "ensemble", "passed"}
        Which rows were counted, and by whose labels, as in :class:`sightline.Tree`.
    low, high : ndarray of float or None
        Of numbers, the lowest and highest answer of the leaves at and below the node.
    is_weighted : bool
        Whether training rows had weights, so that ``weight`` is no number of rows.
    """

    is_leaf: NDArray[np.bool_]
    level: NDArray[np.int32]
    parent: NDArray[np.int64]
    branch: NDArray[np.int64]
    is_last: NDArray[np.bool_]
    n_leaves: NDArray[np.int64]
    weight: NDArray[np.float64]
    best: NDArray[np.int64]
    mix: NDArray[np.float64]
    has_rows: bool
    label_source: LabelSource = "learnt"
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    is_weighted: bool = False

    @classmethod
    def of(cls, tree: NodeModel) -> Outline:
        """Return the outline of a tree or graph."""
        core = tree.core
        is_leaf = np.asarray(core.test) == LEAF
        n_branches = np.diff(core.branch_begin)
        parent = np.full(core.n_nodes, -1, dtype=np.int64)
        branch = np.full(core.n_nodes, -1, dtype=np.int64)
        # Backwards, so that the first of several parents wins.
        child = core.child[::-1]
        parent[child] = np.repeat(np.arange(core.n_nodes), n_branches)[::-1]
        branch[child] = (np.arange(len(child)) - np.repeat(core.branch_begin[:-1], n_branches))[::-1]
        is_last = branch == np.append(n_branches, 0)[parent] - 1
        has_rows = bool(core.weight[0] > 0 or len(core.counts))
        return cls(
            is_leaf=is_leaf,
            level=np.asarray(core.level),
            parent=parent,
            branch=branch,
            is_last=is_last,
            n_leaves=_leaves_below(is_leaf, parent),
            weight=np.asarray(core.weight),
            best=_best_classes(tree),
            mix=_class_mix(tree),
            has_rows=has_rows,
            label_source=tree.label_source,
            is_weighted=has_rows and tree.label_source != "passed" and tree.schema.subject.is_weighted,
            **_answers_below(tree, is_leaf, parent),
        )

    def share_of_best(self, node: int) -> float:
        """Return the share of the predicted class among the training rows of a node."""
        return self.shares_of_best[node]

    @cached_property
    def shares_of_best(self) -> list[float]:
        """Per node the share of the predicted class among its training rows."""
        shares: list[float] = self.mix[np.arange(len(self.best)), self.best].tolist()
        return shares

    @cached_property
    def usual(self) -> int | None:
        """Index of the class that more than half of the rows get; None if there is none, or no rows."""
        if not self.has_rows or self.best[0] < 0:
            return None
        given = np.bincount(self.best[self.is_leaf], self.weight[self.is_leaf])
        return int(given.argmax()) if 2 * given.max() > given.sum() else None

    @cached_property
    def _weights(self) -> list[float]:
        weights: list[float] = self.weight.tolist()
        return weights

    @cached_property
    def has_mix(self) -> list[bool]:
        """Per node, whether the classes of its training rows are known."""
        has_mix: list[bool] = np.any(self.mix, axis=1).tolist()
        return has_mix

    def span(self, node: int) -> tuple[float, float]:
        """Return the lowest and the highest number that leaves at and below a node answer with."""
        assert self.low is not None
        assert self.high is not None
        return float(self.low[node]), float(self.high[node])

    def path(self, node: int) -> list[tuple[int, int]]:
        """Return the tests above a node and the branches that lead to it, from the root."""
        steps = []
        while node != 0:
            steps.append((int(self.parent[node]), int(self.branch[node])))
            node = steps[-1][0]
        return steps[::-1]

    def rows(self, node: int) -> str:
        """Return how many rows passed a node; empty if none were counted."""
        return self.rows_of(self._weights[node]) if self.has_rows else ""

    def rows_of(self, weight: float, noun: str = "row") -> str:
        """Write a sum of weights as a number of rows, unless rows had weights."""
        return pluralize_rows(weight, noun, self.is_weighted)

    def source(self) -> str:
        """Return which rows were counted, as in ``trained on 112 rows``; empty if none were."""
        if not self.has_rows:
            return ""
        weight = float(self.weight[0])
        is_summary = self.label_source in ("own", "ensemble")
        predicts_numbers = self.best[0] < 0
        template = _SUMMARY_OF_NUMBERS if is_summary and predicts_numbers else _SOURCES[self.label_source]
        rows = f"rows of {self.rows_of(weight)}" if self.is_weighted else self.rows_of(weight)
        return template.format(rows=rows, training_rows=self.rows_of(weight, "training row"))

    def evidence(self, node: int) -> str:
        """Return how certain a prediction is, as in ``87% of 112 rows``."""
        if not self.has_rows:
            return ""
        rows = self.rows(node)
        if self.low is not None or self.label_source == "passed":
            return rows
        if not self.has_mix[node]:
            return "no training rows"
        return f"{percent(self.share_of_best(node))} of {rows}"

    def shown(self, max_depth: int | None = None, max_leaves: int | None = None) -> NDArray[np.bool_]:
        """Choose the nodes to show: all down to a depth, opening the heaviest first.

        Parameters
        ----------
        max_depth : int, optional
            Nodes deeper than this are hidden.
        max_leaves : int, optional
            Maximum number of leaves and folded nodes to show.

        Returns
        -------
        ndarray of bool
            A node is shown only if its parent and all its siblings are shown.
        """
        check_limit("max_depth", max_depth, 0)
        check_limit("max_leaves_shown", max_leaves, 1)
        is_shown = np.ones(len(self.level), dtype=bool)
        if max_leaves is not None and self.n_leaves[0] > max_leaves:
            is_shown = self._heaviest(max_leaves)
        if max_depth is not None:
            is_shown &= self.level <= max_depth
        return is_shown

    def _heaviest(self, max_leaves: int) -> NDArray[np.bool_]:
        children: dict[int, list[int]] = {}
        for node, parent in enumerate(self.parent.tolist()):
            children.setdefault(parent, []).append(node)
        is_shown = np.zeros(len(self.level), dtype=bool)
        is_shown[0] = True
        n_ends = 1
        waiting = [(0.0, 0, 0)]
        while waiting:
            node = heapq.heappop(waiting)[-1]
            below = children.get(node, [])
            allowed = max(max_leaves, _MAX_ROOT_BRANCHES) if node == 0 else max_leaves
            if not below or n_ends + len(below) - 1 > allowed:
                continue
            n_ends += len(below) - 1
            is_shown[below] = True
            for child in below:
                heapq.heappush(waiting, (-float(self.weight[child]), int(self.level[child]), child))
        return is_shown


def _leaves_below(is_leaf: NDArray[np.bool_], parent: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count leaves per subtree in one backward pass: children come after parents."""
    n_leaves = is_leaf.astype(np.int64).tolist()
    above = parent.tolist()
    for node in range(len(above) - 1, 0, -1):
        n_leaves[above[node]] += n_leaves[node]
    return np.array(n_leaves, dtype=np.int64)


def _answers_below(
    tree: NodeModel, is_leaf: NDArray[np.bool_], parent: NDArray[np.int64]
) -> dict[str, NDArray[np.float64]]:
    """Return the range of numbers per subtree in one backward pass; nothing if there are classes."""
    if tree.classes_ is not None:
        return {}
    output = np.asarray(tree.core.output)[:, 0]
    lines = tree.lines if isinstance(tree, Tree) else None
    has_line = np.zeros(tree.n_nodes, dtype=bool) if lines is None else np.diff(lines.term_begin) > 0
    spans = {}
    for name, end in (("low", np.fmin), ("high", np.fmax)):
        known = output if lines is None else np.where(has_line, getattr(lines, name), output)
        # fmin and fmax ignore the NaN of tests.
        ends = np.where(is_leaf, known, np.nan)
        for node in range(tree.n_nodes - 1, 0, -1):
            ends[parent[node]] = end(ends[parent[node]], ends[node])
        spans[name] = ends
    return spans


def _best_classes(tree: NodeModel) -> NDArray[np.int64]:
    if tree.classes_ is None:
        return np.full(tree.n_nodes, -1, dtype=np.int64)
    return first_largest(np.asarray(tree.core.output), tree.tie_tolerance).astype(np.int64)


def _class_mix(tree: NodeModel) -> NDArray[np.float64]:
    """Return shares by training counts, or by the outputs if counts are unknown."""
    if tree.classes_ is None:
        return np.zeros((tree.n_nodes, 0))
    counts = np.asarray(tree.core.counts)
    amounts = np.clip(counts if len(counts) else np.asarray(tree.node_probabilities), 0.0, None)
    totals = amounts.sum(axis=1, keepdims=True)
    shares: NDArray[np.float64] = np.divide(amounts, totals, out=np.zeros_like(amounts), where=totals > 0)
    return shares


def check_limit(name: str, value: int | None, least: int) -> None:
    """Raise unless a limit is None or at least the given minimum."""
    if value is not None and value < least:
        raise ParameterError(
            f"The {name!r} parameter must be None or at least {least}. Got {value!r} instead."
        )
