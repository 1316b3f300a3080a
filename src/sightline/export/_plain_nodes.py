"""The nodes of a tree or graph as exporters read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ParameterError, UnsupportedModelError
from sightline.model import LEAF, NodeModel
from sightline.table import Schema

Missing = Literal["exact", "largest"]
SHARED = -1
"""Missing branch of a test that shares rows without a value out among its branches."""

MAX_UNFOLDED = 1_000_000
"""Leaves of a graph that is written out as a tree where the target has no shared nodes."""


@dataclass(frozen=True)
class PlainNodes:
    """Parallel arrays, children behind parents.

    Attributes
    ----------
    schema : Schema
        Names and categories of the features.
    classes_ : list or None
        The labels as plain Python values, or None if outputs are numbers.
    tie_tolerance : float
        As in :class:`sightline.Tree`.
    test, feature, threshold, begin, child, share, category_begin, category, weight, output : ndarray
        As in ``Tree.core``; branches of node v are ``begin[v]`` to ``begin[v + 1]``.
    missing : ndarray of int
        Per node the branch of rows without a value, or SHARED; 0 at leaves.
    """

    schema: Schema
    classes_: list[Any] | None
    tie_tolerance: float
    test: NDArray[np.uint8]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    begin: NDArray[np.int64]
    child: NDArray[np.int32]
    share: NDArray[np.float64]
    category_begin: NDArray[np.int64]
    category: NDArray[np.int32]
    weight: NDArray[np.float64]
    output: NDArray[np.float64]
    missing: NDArray[np.int64]
    vote: Any

    @classmethod
    def of(cls, model: NodeModel, missing: Missing = "exact") -> PlainNodes:
        """Read a model; rows without a value are treated as the export's option says."""
        core = model.core
        if missing not in ("exact", "largest"):
            raise ParameterError(
                f"The 'missing' parameter of export must be 'exact' or 'largest'. Got {missing!r} instead."
            )
        nodes = cls(
            schema=model.schema,
            classes_=None
            if model.classes_ is None
            else [plain_label(label) for label in model.classes_.tolist()],
            tie_tolerance=model.tie_tolerance,
            test=core.test,
            feature=core.feature,
            threshold=core.threshold,
            begin=core.branch_begin,
            child=core.child,
            share=core.share,
            category_begin=core.category_begin,
            category=core.category,
            weight=core.weight,
            output=core.output,
            missing=_missing_branches(core.branch_begin, core.share),
            vote=model.vote,
        )
        if missing == "exact":
            return nodes
        largest = _first_largest_branch(core.branch_begin, core.share)
        return replace(nodes, missing=np.where(nodes.missing == SHARED, largest, nodes.missing))

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.test)

    @property
    def shares_out(self) -> bool:
        """Whether some test shares rows without a value out among its branches."""
        return bool((self.missing == SHARED).any())

    @property
    def depth(self) -> int:
        """Number of tests on the longest path."""
        level = [0] * self.n_nodes
        for node, children in enumerate(self.children):
            for child in children:
                level[child] = max(level[child], level[node] + 1)
        return max(level)

    @cached_property
    def winner(self) -> list[int]:
        """Per node the place of its label among the classes."""
        return list(self.vote(self.output).tolist())

    @cached_property
    def children(self) -> list[list[int]]:
        """Per node the nodes that its branches lead to."""
        child, begin = self.child.tolist(), self.begin.tolist()
        return [child[begin[v] : begin[v + 1]] for v in range(self.n_nodes)]

    @cached_property
    def categories(self) -> list[list[int]]:
        """Per node the codes that take branch 0 of a subset test."""
        code, begin = self.category.tolist(), self.category_begin.tolist()
        return [code[begin[v] : begin[v + 1]] for v in range(self.n_nodes)]

    @cached_property
    def used(self) -> list[int]:
        """Features that are tested, ascending."""
        return list(np.unique(self.feature[self.test != LEAF]).tolist())

    def scores(self) -> NDArray[np.float64]:
        """Return the outputs such that the largest, the first of equal ones, is always the label.

        Targets know no tolerance of ties: within it, the label's output is raised to the largest.
        """
        scores = np.array(self.output)
        if self.classes_ is not None and self.tie_tolerance > 0:
            every = np.arange(self.n_nodes)
            scores[every, self.winner] = scores.max(axis=1)
        return scores

    def require_whole_rows(self, target: str) -> None:
        """Raise if rows are shared out, which the target cannot do."""
        if not self.shares_out:
            return
        node = int((self.missing == SHARED).argmax())
        name = self.schema.names[self.feature[node]]
        raise UnsupportedModelError(
            f"{target} cannot share a row out among branches, as this model does where {name!r} is missing. "
            "Export with missing='largest': then such rows follow the branch with the largest share, and "
            "only rows with missing values may get another label."
        )

    def unfolded(self, target: str) -> PlainNodes:
        """Return the tree that a graph stands for, in which every node is reached once.

        Parameters
        ----------
        target : str
            What has no shared nodes, for the message.

        Raises
        ------
        UnsupportedModelError
            If the tree would have more than a million leaves.
        """
        if len(self.child) == self.n_nodes - 1:
            return self
        self._check_paths(target)
        # Depth first: the order of a tree's nodes. A slot is the branch that leads to a copy.
        order, slots, begins = [], [], [0]
        stack = [(0, 0)]
        while stack:
            node, slot = stack.pop()
            order.append(node)
            slots.append(slot)
            children = self.children[node]
            stack.extend(zip(reversed(children), range(begins[-1] + len(children) - 1, -1, -1), strict=False))
            begins.append(begins[-1] + len(children))
        child = np.zeros(begins[-1], dtype=np.int32)
        child[slots[1:]] = np.arange(1, len(order))
        return self._copied(np.array(order), np.array(begins), child)

    def _check_paths(self, target: str) -> None:
        paths = np.zeros(self.n_nodes)
        for node in range(self.n_nodes - 1, -1, -1):
            paths[node] = sum(paths[child] for child in self.children[node]) if self.children[node] else 1.0
        if paths[0] > MAX_UNFOLDED:
            raise UnsupportedModelError(
                f"{target} has no shared nodes: this graph would become a tree of {paths[0]:,.0f} leaves, "
                f"more than {MAX_UNFOLDED:,}. Export it as python, c or javascript."
            )

    def _copied(
        self, order: NDArray[np.int64], begin: NDArray[np.int64], child: NDArray[np.int32]
    ) -> PlainNodes:
        n_categories = np.diff(self.category_begin)[order]
        n_branches = np.diff(self.begin)[order]
        branch = np.repeat(self.begin[order] - begin[:-1], n_branches) + np.arange(len(child))
        category_begin = np.append(0, n_categories.cumsum())
        category = np.repeat(self.category_begin[order] - category_begin[:-1], n_categories)
        return replace(
            self,
            test=self.test[order],
            feature=self.feature[order],
            threshold=self.threshold[order],
            begin=begin,
            child=child,
            share=self.share[branch],
            category_begin=category_begin,
            category=self.category[category + np.arange(len(category))],
            weight=self.weight[order],
            output=self.output[order],
            missing=self.missing[order],
        )


def plain_label(label: Any) -> Any:
    """Return a label as str, int, float or bool; anything else as its text."""
    if isinstance(label, bytes):
        return label.decode("utf-8", "backslashreplace")
    return label if isinstance(label, str | int | float | bool) else str(label)


def one_type(values: Sequence[Any]) -> list[Any]:
    """Return values as they are if one column can hold them all, else as texts.

    Examples
    --------
    >>> one_type([1, 2.5]), one_type([1, "a"])
    ([1, 2.5], ['1', 'a'])
    """
    kinds = {"number" if type(value) in (int, float) else type(value) for value in values}
    return list(values) if len(kinds) == 1 else [str(value) for value in values]


def _missing_branches(begin: NDArray[np.int64], share: NDArray[np.float64]) -> NDArray[np.int64]:
    """Per node the only branch that has a share, or SHARED, as the kernels decide it."""
    n_nodes = len(begin) - 1
    result = np.full(n_nodes, SHARED, dtype=np.int64)
    owner = np.repeat(np.arange(n_nodes), np.diff(begin))
    place = np.arange(len(share)) - begin[owner]
    n_sharing = np.bincount(owner[share > 0], minlength=n_nodes)
    # Backwards: of several that fit, the first is written last.
    whole = np.flatnonzero((share == 1.0) | ((share > 0) & (n_sharing[owner] == 1)))[::-1]
    result[owner[whole]] = place[whole]
    result[np.diff(begin) == 0] = 0
    return result


def _first_largest_branch(begin: NDArray[np.int64], share: NDArray[np.float64]) -> NDArray[np.int64]:
    result = np.zeros(len(begin) - 1, dtype=np.int64)
    inner = np.flatnonzero(np.diff(begin))
    if len(inner):
        owner = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
        largest = np.zeros(len(begin) - 1)
        largest[inner] = np.maximum.reduceat(share, begin[inner])
        is_largest = np.flatnonzero(share == largest[owner])[::-1]
        result[owner[is_largest]] = is_largest - begin[owner[is_largest]]
    return result
