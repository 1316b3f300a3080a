"""The nodes of a tree or graph as exporters read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ParameterError, UnsupportedModelError
from sightline.model import ANY_NUMBER, LEAF, LeafLines, NodeModel, Tree
from sightline.table import Feature, Schema

Missing = Literal["exact", "largest"]
SHARED = -1
"""Marks a test that splits a row with a missing value among its branches."""

MAX_UNFOLDED = 1_000_000
"""Maximum number of leaves when a graph is unfolded into a tree, for targets that have only trees."""


@dataclass(frozen=True)
class PlainNodes:
    """The nodes as parallel arrays, children after parents.

    Attributes
    ----------
    schema : Schema
        Names and categories of the features.
    classes_ : list or None
        The labels as plain Python values, or None if outputs are numbers.
    tie_tolerance : float
        As in :class:`sightline.Tree`.
    test, feature, threshold, begin, child, share, category_begin, category, weight, output : ndarray
        As in ``Tree.core``; branches of node v are ``begin[v]`` to ``begin[v + 1]``. The threshold of a
        test that every number passes is infinite.
    deciding : ndarray
        Outputs whose first largest is the label: those of ``output``, unless the nodes have their own labels.
    missing : ndarray of int
        Per node the branch that rows with a missing value take, or SHARED; 0 at leaves.
    lines : LeafLines or None
        Lines in the leaves of a tree of numbers, at least one term.
    has_own_labels : bool
        Whether the label of a leaf may be another class than its most probable one, as of trees that
        follow a threshold or costs. Those send missing values one way.
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
    deciding: NDArray[np.float64]
    missing: NDArray[np.int64]
    vote: Any
    lines: LeafLines | None = None
    has_own_labels: bool = False

    @classmethod
    def of(cls, model: NodeModel, missing: Missing | None = None) -> PlainNodes:
        """Read a model; ``missing`` is the option of the export."""
        core = model.core
        if missing not in (None, "exact", "largest"):
            raise ParameterError(
                f"The 'missing' parameter of export must be 'exact' or 'largest'. Got {missing!r} instead."
            )
        model.schema.check_named(core.used_features)
        nodes = cls(
            schema=model.schema,
            classes_=None
            if model.classes_ is None
            else [plain_label(label) for label in model.classes_.tolist()],
            tie_tolerance=model.tie_tolerance,
            test=core.test,
            feature=core.feature,
            # Tables hold infinity as the largest number; programs do not.
            threshold=np.where(core.threshold == ANY_NUMBER, np.inf, core.threshold),
            begin=core.branch_begin,
            child=core.child,
            share=core.share,
            category_begin=core.category_begin,
            category=core.category,
            weight=core.weight,
            output=model.node_probabilities,
            deciding=core.output,
            missing=_missing_branches(core.branch_begin, core.share),
            vote=model.vote,
            lines=_lines_of(model),
            has_own_labels=isinstance(model, Tree) and model.probabilities is not None,
        )
        return nodes._following_largest() if missing == "largest" else nodes

    @classmethod
    def unshared(cls, model: NodeModel, missing: Missing | None, target: str) -> PlainNodes:
        """Read a model for a target that has only trees and cannot split a row among branches.

        Parameters
        ----------
        model : Tree or Graph
            The model.
        missing : {"exact", "largest"} or None
            The option of the export. With None, rows with a missing value follow the branch with
            the largest share, provided that the training rows had no such row.
        target : str
            Name of the target, for the message.

        Raises
        ------
        UnsupportedModelError
            If rows with missing values would have to be split, or if the tree would have more than a
            million leaves.
        """
        nodes = cls.of(model, missing).unfolded(target)
        if not nodes.shares_out:
            return nodes
        tested = np.unique(nodes.feature[nodes.missing == SHARED]).tolist()
        incomplete = [f for f in tested if missing == "exact" or not nodes.schema.features[f].complete]
        if not incomplete:
            return nodes._following_largest()
        raise UnsupportedModelError(
            f"{target} cannot split a row among branches, but this model does so when "
            f"{nodes.schema.names[incomplete[0]]!r} is missing. Export with missing='largest': such rows "
            "then follow the branch with the largest share, and only rows with missing values may get a "
            "different label."
        )

    def _following_largest(self) -> PlainNodes:
        """Return the nodes with one branch for missing values at every test."""
        largest = _first_largest_branch(self.begin, self.share)
        return replace(self, missing=np.where(self.missing == SHARED, largest, self.missing))

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.test)

    @property
    def shares_out(self) -> bool:
        """Whether some test splits rows with a missing value among its branches."""
        return bool((self.missing == SHARED).any())

    @property
    def depth(self) -> int:
        """Number of tests on the longest path."""
        level = [0] * self.n_nodes
        parent = np.repeat(np.arange(self.n_nodes), np.diff(self.begin))
        for node, child in zip(parent.tolist(), self.child.tolist(), strict=True):
            if level[child] <= level[node]:
                level[child] = level[node] + 1
        return max(level)

    @cached_property
    def winner(self) -> list[int]:
        """Per node the index of its label among the classes."""
        return list(self.vote(self.deciding).tolist())

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
    def tested(self) -> list[int]:
        """Features that are tested, ascending."""
        return list(np.unique(self.feature[self.test != LEAF]).tolist())

    @cached_property
    def used(self) -> list[int]:
        """Features that are tested or are part of a line, ascending."""
        in_lines = [] if self.lines is None else self.lines.feature.tolist()
        return sorted({*self.tested, *in_lines})

    def scores(self) -> NDArray[np.float64]:
        """Return outputs whose first maximum is always the label.

        Targets have no tie tolerance: within it, the label's output is raised to the maximum.
        """
        scores = np.array(self.output)
        if self.classes_ is not None and self.tie_tolerance > 0:
            every = np.arange(self.n_nodes)
            scores[every, self.winner] = scores.max(axis=1)
        return scores

    def unfolded(self, target: str) -> PlainNodes:
        """Return the tree that a graph unfolds into: every node has one parent.

        Parameters
        ----------
        target : str
            Name of the target, for the message.

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
                f"{target} has only trees, but this graph unfolds into {paths[0]:,.0f} leaves, "
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
            deciding=self.deciding[order],
            missing=self.missing[order],
        )


def refuse_missing_option(missing: Missing | None) -> None:
    """Raise if a rule set is exported with a treatment of missing values other than its own."""
    if missing not in (None, "exact"):
        raise ParameterError(
            f"The 'missing' parameter of export must be 'exact' for rule sets. Got {missing!r} instead."
        )


def plain_label(label: Any) -> Any:
    """Return a label as str, int, float or bool, anything else as its string."""
    if isinstance(label, bytes):
        return label.decode("utf-8", "backslashreplace")
    return label if isinstance(label, str | int | float | bool) else str(label)


def one_type(values: Sequence[Any]) -> list[Any]:
    """Return values unchanged if one column can hold them all, else as strings.

    Examples
    --------
    >>> one_type([1, 2.5]), one_type([1, "a"])
    ([1, 2.5], ['1', 'a'])
    """
    kinds = {"number" if type(value) in (int, float) else type(value) for value in values}
    return list(values) if len(kinds) == 1 else [str(value) for value in values]


def free_stem(names: Iterable[str]) -> str:
    """Return a prefix for names of our own that none of these names begins with."""
    stem = "sl_"
    while any(name.casefold().startswith(stem) for name in names):
        stem += "_"
    return stem


def listed_values(feature: Feature) -> list[Any]:
    """Return the values that a nominal feature names, without the category of all others."""
    values = feature.categories or ()
    return one_type([plain_label(value) for value in (values[:-1] if feature.has_other else values)])


def other_codes(schema: Schema) -> dict[int, int]:
    """Return the code of all values that are not listed, by index of the features that have one."""
    return {index: feature.n_values - 1 for index, feature in enumerate(schema.features) if feature.has_other}


def refused_features(schema: Schema, used: Sequence[int]) -> list[int]:
    """Return the features whose unknown categories the model refuses."""
    return [index for index in used if schema.features[index].unseen == "refuse"]


def _lines_of(model: NodeModel) -> LeafLines | None:
    lines = model.lines if isinstance(model, Tree) else None
    return lines if lines is not None and len(lines.feature) else None


def _missing_branches(begin: NDArray[np.int64], share: NDArray[np.float64]) -> NDArray[np.int64]:
    """Per node the only branch with a share, or SHARED; the same decision as in the kernels."""
    n_nodes = len(begin) - 1
    result = np.full(n_nodes, SHARED, dtype=np.int64)
    owner = np.repeat(np.arange(n_nodes), np.diff(begin))
    branch = np.arange(len(share)) - begin[owner]
    n_sharing = np.bincount(owner[share > 0], minlength=n_nodes)
    # Backwards, so that the first of several matches is written last.
    whole = np.flatnonzero((share == 1.0) | ((share > 0) & (n_sharing[owner] == 1)))[::-1]
    result[owner[whole]] = branch[whole]
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
