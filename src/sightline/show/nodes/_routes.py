"""The routes that rows take through a tree or graph: what is said about one holds for all its rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.model import LEAF, NodeModel, Tree
from sightline.show._conditions import Conditions
from sightline.show._node_wording import NodeWording
from sightline.table import Table


@dataclass(frozen=True)
class Step:
    """A test that a row passes.

    Attributes
    ----------
    node, branch, child, feature : int
        The test, the branch taken, the node below, and the tested feature.
    is_missing : bool
        Whether the tested value is missing.
    is_last : bool
        Whether the node below is a leaf.
    part : float
        How much of the row goes this way.
    """

    node: int
    branch: int
    child: int
    feature: int
    is_missing: bool
    is_last: bool
    part: float


def label_merits(tree: NodeModel) -> NDArray[np.float64]:
    """Return per node how much speaks for each label: what reasons raise.

    It is the probability of the label. Where costs decide among more than two classes, a label of small
    probability may be the cheapest one: there it is by how much its expected cost is below that of the
    cheapest other label.

    Parameters
    ----------
    tree : Tree or Graph
        A model of classes.

    Returns
    -------
    ndarray of shape (n_nodes, n_classes)
        The merits.
    """
    probabilities: NDArray[np.float64] = np.asarray(tree.node_probabilities)
    costs = tree.label_costs if isinstance(tree, Tree) else None
    if costs is None:
        return probabilities
    expected: NDArray[np.float64] = probabilities @ costs
    lowest, next_lowest = np.partition(expected, 1, axis=1)[:, :2].T
    is_cheapest = np.arange(expected.shape[1]) == expected.argmin(axis=1)[:, None]
    return np.asarray(np.where(is_cheapest, next_lowest[:, None], lowest[:, None]) - expected)


class Routes:
    """The different routes of some rows.

    Parameters
    ----------
    tree : Tree or Graph
        The model.
    rows : Table
        Rows in its columns.

    Attributes
    ----------
    of_row : ndarray of shape (n_rows,)
        The route of each row.
    """

    def __init__(self, tree: NodeModel, rows: Table) -> None:
        self.tree = tree
        core, nodes = tree.core.find_routes(rows.native()), tree.core
        self.of_row: NDArray[np.int64] = np.asarray(core.route_of)
        self.begin: NDArray[np.int64] = np.asarray(core.begin)
        self._node, self._part = np.asarray(core.node), np.asarray(core.part)
        self._child = np.asarray(nodes.child)[np.asarray(nodes.branch_begin)[core.node] + core.branch]
        self._columns: tuple[NDArray[Any], ...] = (
            self._node,
            np.asarray(core.branch),
            self._child,
            np.asarray(nodes.feature)[core.node],
            np.asarray(core.missing).astype(bool),
            np.asarray(nodes.test)[self._child] == LEAF,
            self._part,
        )
        self._known: dict[int, Route] = {}

    def __len__(self) -> int:
        return len(self.begin) - 1

    def __getitem__(self, index: int) -> Route:
        if index not in self._known:
            begin, end = self.begin[index : index + 2]
            steps = zip(*(column[begin:end].tolist() for column in self._columns), strict=True)
            self._known[index] = Route([Step(*step) for step in steps])
        return self._known[index]

    def changes(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return how much each step of each route raised the merit of a class, or the number.

        Parameters
        ----------
        codes : ndarray of shape (n_routes,)
            The class of each route; ignored if numbers are predicted.
        """
        tree = self.tree
        answers = np.asarray(tree.core.output) if tree.classes_ is None else label_merits(tree)
        column: Any = 0 if tree.classes_ is None else np.repeat(codes.astype(np.int64), np.diff(self.begin))
        moved: NDArray[np.float64] = answers[self._child, column] - answers[self._node, column]
        return self._part * moved


class Route:
    """One route: a path, or several where a missing value spreads a row.

    Parameters
    ----------
    steps : list of Step
        The tests that are passed, by ascending node.
    """

    def __init__(self, steps: list[Step]) -> None:
        self.steps = steps

    @cached_property
    def leaves(self) -> dict[int, float]:
        """The leaves that the row reaches, and how much of it each receives."""
        parts: dict[int, float] = {} if self.steps else {0: 1.0}
        for step in self.steps:
            if step.is_last:
                parts[step.child] = parts.get(step.child, 0.0) + step.part
        return dict(sorted(parts.items()))

    @property
    def leaf(self) -> int | None:
        """The one leaf that the row reaches; None if there are several."""
        return next(iter(self.leaves)) if len(self.leaves) == 1 else None

    @cached_property
    def came_from(self) -> dict[int, tuple[int, int]]:
        """The first step to each node passed: the test above and its branch."""
        above: dict[int, tuple[int, int]] = {}
        for step in self.steps:
            above.setdefault(step.child, (step.node, step.branch))
        return above

    def path(self, node: int) -> list[tuple[int, int]]:
        """Return the tests above a node with the branches that lead to it, from the root."""
        steps = []
        while node != 0:
            steps.append(self.came_from[node])
            node = steps[-1][0]
        return steps[::-1]

    @cached_property
    def mixed(self) -> list[int]:
        """The tests of a missing value that spread the row."""
        return list(dict.fromkeys(one.node for one, other in pairwise(self.steps) if one.node == other.node))

    def defaulted(self, wording: NodeWording) -> list[int]:
        """Return the tests that send a missing value one way, but do not ask whether it is missing."""
        mixed = set(self.mixed)
        return [
            step.node
            for step in self.steps
            if step.is_missing and step.node not in mixed and not wording.tests_presence(step.node)
        ]

    def known(self, wording: NodeWording) -> Conditions:
        """Return the conditions that the row's own values meet."""
        return Conditions(
            wording,
            [(s.node, s.branch) for s in self.steps if not s.is_missing or wording.tests_presence(s.node)],
        )

    def features(self) -> list[int]:
        """Return the tested features in the order of their first test."""
        return list(dict.fromkeys(step.feature for step in self.steps))
