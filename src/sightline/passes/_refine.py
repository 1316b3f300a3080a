"""Further passes: move the thresholds of a tree, and prune it, on the losses of most rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.model import LEAF, THRESHOLD, BlackBox, Ensemble, Tree
from sightline.passes._exact_sums import exact_sums, rounded
from sightline.passes._node_loss import NodeLoss, sides, undivided
from sightline.table import Table
from sightline.table.rows import Arrays, Draw, Judges, Part, PartReader

__all__ = ["Refinement", "RefiningPass"]

_BLOCK_ROWS = 16_384
"""Rows whose losses in all nodes are in memory at a time."""

_GRAIN = 2.0**16
"""Weights are counted in whole multiples of its inverse, so that their sums are exact."""


@dataclass(frozen=True, eq=False)
class Refinement:
    """A tree of two-way tests, and what may change about it.

    A pass finds for every node what its subtree would lose with each other threshold, and as a leaf. All
    other nodes stay as they are meanwhile. Changes of nodes of which none is below another concern different
    rows. So the best set of such changes lowers the loss by exactly the sum of their gains.

    Attributes
    ----------
    tree : Tree
        The tree.
    cuts : sequence of ndarray
        Per feature: the thresholds to choose from, ascending.
    loss : NodeLoss
        What is to be lowered.
    min_leaf : float
        Minimum weight of the refining rows in a leaf, as a share of all of them.
    """

    tree: Tree
    cuts: Sequence[NDArray[np.float64]]
    loss: NodeLoss
    min_leaf: float = 0.0

    @property
    def options(self) -> tuple[NodeLoss, float]:
        """What the counts depend on besides the tree, the ensemble and the sample."""
        return self.loss, self.min_leaf

    @cached_property
    def candidates(self) -> dict[int, NDArray[np.float64]]:
        """Per node with a threshold: those to choose from, its own included."""
        core = self.tree.core
        return {
            int(node): np.union1d(self.cuts[core.feature[node]], core.threshold[node])
            for node in np.flatnonzero(core.test == THRESHOLD)
        }

    @cached_property
    def below(self) -> list[list[int]]:
        """Per node: the leaves below it; of a leaf itself."""
        leaves: list[list[int]] = [[node] for node in range(self.tree.n_nodes)]
        for node in self._inner[::-1]:
            leaves[node] = [leaf for child in self.tree.children(node).tolist() for leaf in leaves[child]]
        return leaves

    @property
    def _inner(self) -> list[int]:
        """The nodes with a test, parents before children."""
        return np.flatnonzero(self.tree.core.test != LEAF).tolist()

    def counts(self, rows: Table, answers: Any, weights: NDArray[np.float64] | None) -> Arrays:
        """Return what some rows lose and where they end; counts are added.

        Parameters
        ----------
        rows : Table
            The rows, in the columns of the tree.
        answers : tuple of ndarray
            The ensemble's.
        weights : ndarray of shape (n_rows,) or None
            Weights of the rows.
        """
        tree, n_rows = self.tree, rows.n_rows
        loss = self.loss.of(tree, answers, weights)
        end = np.repeat(np.arange(tree.n_nodes)[:, None], n_rows, axis=1)
        went, missing = {}, {}
        for node in self._inner[::-1]:
            went[node], missing[node] = sides(tree, node, rows)
            first, second = tree.children(node)
            end[node] = np.where(went[node], end[first], end[second])
        here = {0: np.arange(n_rows)}
        amount = np.ones(n_rows) if weights is None else weights
        found: dict[str, list[NDArray[np.int64]]] = {"as nodes": [], "moved": [], "ends": []}
        for node in range(tree.n_nodes):
            at = here[node]
            found["as nodes"].append(_sums([loss[node, at], loss[end[node, at], at]]))
            if node not in went:
                continue
            first, second = tree.children(node)
            here[first], here[second] = at[went[node][at]], at[~went[node][at]]
            if node in self.candidates:
                moved, ends = self._moves(node, rows, at, loss, end, missing[node], amount)
                found["moved"].append(moved)
                found["ends"].append(ends)
        arrays = {name: np.concatenate(parts) for name, parts in found.items() if parts}
        return {**arrays, "rows": np.array([n_rows, np.rint(amount * _GRAIN).sum()], dtype=np.int64)}

    def _moves(
        self,
        node: int,
        rows: Table,
        at: NDArray[np.intp],
        loss: NDArray[np.float64],
        end: NDArray[np.intp],
        missing: NDArray[np.bool_],
        amount: NDArray[np.float64],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return, by bin of the tested value, what branch 0 costs more than branch 1, and where each ends.

        A row is in bin b if it takes branch 0 with the thresholds from candidate b on.
        """
        cuts, leaves = self.candidates[node], self.below[node]
        first, second = self.tree.children(node)
        n_bins = len(cuts) + 1
        moving = at[~missing[at]]
        values = rows.columns[self.tree.core.feature[node]].values[moving]
        bins = np.searchsorted(cuts, values)
        more = loss[end[first, moving], moving] - loss[end[second, moving], moving]
        rank = np.zeros(self.tree.n_nodes, dtype=np.int64)
        rank[leaves] = np.arange(len(leaves))
        ends = np.zeros(len(leaves) * (n_bins + 1), dtype=np.int64)
        whole = np.rint(amount * _GRAIN)
        for child in (first, second):
            place = rank[end[child, moving]] * (n_bins + 1) + bins
            ends += np.bincount(place, whole[moving], minlength=len(ends)).astype(np.int64)
        # Rows without a value stay where they are: in a bin of their own.
        fixed = at[missing[at]]
        place = rank[end[node, fixed]] * (n_bins + 1) + n_bins
        ends += np.bincount(place, whole[fixed], minlength=len(ends)).astype(np.int64)
        return exact_sums(bins, more, n_bins), ends

    def improved(self, counts: Arrays) -> Tree:
        """Return the tree with the best changes; the same object if there are none."""
        as_leaf, as_tree = rounded(counts["as nodes"].reshape(self.tree.n_nodes, 2, -1)).T
        choice: dict[int, tuple[float, str]] = {}
        moved = self._best_moves(counts)
        gain = np.zeros(self.tree.n_nodes)
        for node in self._inner[::-1]:
            kept = float(gain[self.tree.children(node)].sum())
            options = [(kept, "keep")]
            if node in moved:
                options.append((moved[node][0], "move"))
            if as_tree[node] >= as_leaf[node]:
                options.append((float(as_tree[node] - as_leaf[node]), "prune"))
            # Of equal gains the later one: a smaller tree rather than another one.
            gain[node], what = max(enumerate(options), key=lambda option: (option[1][0], option[0]))[1]
            choice[node] = gain[node], what if what != "move" or gain[node] > kept else "keep"
        return self._with(choice, {node: cut for node, (_, cut) in moved.items()})

    def _best_moves(self, counts: Arrays) -> dict[int, tuple[float, float]]:
        """Return per node the gain of its best threshold, and this."""
        found, first, first_end = {}, 0, 0
        need = self.min_leaf * float(counts["rows"][1])
        for node, cuts in self.candidates.items():
            n_bins, leaves = len(cuts) + 1, self.below[node]
            more = rounded(counts["moved"][first : first + n_bins])
            size = len(leaves) * (n_bins + 1)
            ends = counts["ends"][first_end : first_end + size].reshape(len(leaves), n_bins + 1)
            first, first_end = first + n_bins, first_end + size
            losses = np.cumsum(more)[:-1]
            own = int(np.searchsorted(cuts, self.tree.core.threshold[node]))
            losses[~self._is_supported(node, ends, own, need)] = np.inf
            best = int(np.argmin(losses))
            if losses[best] < losses[own]:
                found[node] = float(losses[own] - losses[best]), float(cuts[best])
        return found

    def _is_supported(self, node: int, ends: NDArray[np.int64], own: int, need: float) -> NDArray[np.bool_]:
        """Return whether every leaf keeps enough rows, or as many as now, by candidate."""
        in_first = np.isin(self.below[node], self.below[self.tree.children(node)[0]])
        up_to = np.cumsum(ends[:, :-1], axis=1)
        after = up_to[:, -1:] - up_to
        n_rows = (np.where(in_first[:, None], up_to, after) + ends[:, -1:])[:, :-1]
        enough = np.minimum(need, n_rows[:, own])[:, None]
        return np.asarray((n_rows >= enough).all(axis=0))

    def _with(self, choice: dict[int, tuple[float, str]], cuts: dict[int, float]) -> Tree:
        threshold, pruned = np.array(self.tree.core.threshold), []
        pending = [0]
        while pending:
            node = pending.pop()
            what = choice[node][1] if node in choice else "leaf"
            if what == "keep":
                pending.extend(self.tree.children(node).tolist())
            elif what == "move":
                threshold[node] = cuts[node]
            elif what == "prune":
                pruned.append(node)
        is_moved = bool((threshold != self.tree.core.threshold).any())
        tree = self.tree.with_thresholds(threshold) if is_moved else self.tree
        return tree.with_leaves(pruned) if pruned else tree


def _sums(groups: list[NDArray[np.float64]]) -> NDArray[np.int64]:
    group = np.repeat(np.arange(len(groups)), [len(one) for one in groups])
    return exact_sums(group, np.concatenate(groups), len(groups))


@dataclass(frozen=True, eq=False)
class RefiningPass:
    """Counts the rows of a part that do not judge. It is sent to the workers.

    Attributes
    ----------
    reader : PartReader
        Reads a part in the agreed columns.
    refinement : Refinement
        What is counted.
    ensemble : Ensemble or BlackBox
        What the tree replaces.
    drawn : Draw
        The rows that chose the tree: they refine it, too.
    judges : Judges
        The rows that are left to judge it.
    n_jobs : int or None
        Threads.
    """

    reader: PartReader
    refinement: Refinement
    ensemble: Ensemble | BlackBox
    drawn: Draw
    judges: Judges
    n_jobs: int | None

    def __call__(self, part: Part, index: int) -> Arrays:
        """Return the counts of a part; none if it has no rows."""
        total: Arrays = {}
        for batch in self.reader.batches(part, index):
            refines = ~self.judges.among(batch.first, batch.table.n_rows, self.drawn)
            every = batch.table.X.aligned(self.refinement.tree.schema, "the model")
            refines &= undivided(self.refinement.tree, every)
            table, rows = (one[np.flatnonzero(refines)] for one in (batch.table, every))
            codes, outputs = self.ensemble.answers(rows, self.n_jobs)
            for first in range(0, rows.n_rows, _BLOCK_ROWS):
                block = slice(first, first + _BLOCK_ROWS)
                weights = None if table.weights is None else table.weights[block]
                counts = self.refinement.counts(rows[block], (codes[block], outputs[block]), weights)
                total = self.added(total, counts)
        return total

    @staticmethod
    def added(above: Arrays, below: Arrays) -> Arrays:
        """Return the counts of two parts."""
        if not above or not below:
            return above or below
        return {name: above[name] + below[name] for name in above}

    def with_tree(self, tree: Tree) -> RefiningPass:
        """Return the pass for a tree that was refined."""
        return replace(self, refinement=replace(self.refinement, tree=tree))

    @staticmethod
    def to_arrays(counts: Arrays) -> Arrays:
        """Return counts for the checkpoint."""
        return counts

    @staticmethod
    def from_arrays(arrays: Arrays) -> Arrays:
        """Rebuild counts."""
        return arrays
