"""What a kind of model holds about its training rows, counted over all rows instead of the sample."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.model import LEAF, KindTable, NodeNumbers, RuleSet, RuleStatistics, Tree, n_threads
from sightline.passes._exact_sums import exact_sums, rounded
from sightline.table import Table

__all__ = ["RECOUNTS", "Recount"]


@dataclass(frozen=True, eq=False)
class Recount(ABC):
    """Counts the rows for one model.

    Attributes
    ----------
    model : Tree or RuleSet
        The model.
    uses_truth : bool
        Whether the target is the rows' own, and not the ensemble's answer.
    center : float
        Near the mean of the numbers.
    is_weighted : bool
        Whether rows have weights.
    """

    model: Any
    uses_truth: bool
    center: float
    is_weighted: bool

    @classmethod
    def for_model(cls, model: Any, uses_truth: bool, center: float, is_weighted: bool) -> Self | None:
        """Return what counts for a model; None if it keeps what the sample showed."""
        return cls(model, uses_truth, center, is_weighted)

    @abstractmethod
    def of(
        self, rows: Table, target: Any, weights: NDArray[np.float64] | None, n_jobs: int | None
    ) -> NDArray[np.int64]:
        """Return the counts of some rows; counts are added."""

    @abstractmethod
    def applied(self, counts: NDArray[np.int64], has_weights: bool) -> Any:
        """Return the model with the counts of all rows.

        Parameters
        ----------
        counts : ndarray of int64
            The counts.
        has_weights : bool
            Whether these are sums of weights and not numbers of rows, whatever the weights of the sample.
        """


RECOUNTS: KindTable[type[Recount]] = KindTable("recount")


@RECOUNTS.register(Tree)
class TreeRecount(Recount):
    """Weights and class counts, or numbers, of the nodes."""

    @property
    def _n_terms(self) -> int:
        return 3 if self.model.classes_ is None else len(self.model.classes_)

    def of(
        self, rows: Table, target: Any, weights: NDArray[np.float64] | None, n_jobs: int | None
    ) -> NDArray[np.int64]:
        """Return exact sums per node and class, or per node of 1, the number and its square."""
        row, leaf, part = self._leaf_parts(rows, n_jobs)
        amount = part if weights is None else part * weights[row]
        n = self._n_terms
        if self.model.classes_ is not None:
            return exact_sums(leaf * n + target[row], amount, self.model.n_nodes * n)
        gap = target[row] - self.center
        groups = np.concatenate([leaf * n + term for term in range(n)])
        terms = np.concatenate([amount, amount * gap, amount * gap**2])
        return exact_sums(groups, terms, self.model.n_nodes * n)

    def _leaf_parts(
        self, rows: Table, n_jobs: int | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return rows, leaves and how much of the row ends there: all, or parts where a value is missing."""
        core, native = self.model.core, rows.native()
        leaf = core.find_whole_leaves(native, n_threads(n_jobs)).astype(np.int64)
        whole, spread = np.flatnonzero(leaf >= 0), np.flatnonzero(leaf < 0)
        if not len(spread):
            return whole, leaf, np.ones(len(whole))
        routes = core.find_routes(rows[spread].native())
        child = core.child[core.branch_begin[routes.node] + routes.branch].astype(np.int64)
        begin, end = routes.begin[routes.route_of], routes.begin[routes.route_of + 1]
        row = np.repeat(spread, end - begin)
        first = np.repeat(begin - np.concatenate([[0], np.cumsum(end - begin)[:-1]]), end - begin)
        edge = first + np.arange(len(row))
        ends = core.test[child[edge]] == LEAF
        row, edge = row[ends], edge[ends]
        return (
            np.concatenate([whole, row]),
            np.concatenate([leaf[whole], child[edge]]),
            np.concatenate([np.ones(len(whole)), np.asarray(routes.part)[edge]]),
        )

    def applied(self, counts: NDArray[np.int64], has_weights: bool) -> Tree:
        """Return the tree with the counts in its nodes; inner nodes add up their leaves."""
        model: Tree = self.model.of_weighted_rows() if has_weights else self.model
        limbs = counts.reshape(model.n_nodes, self._n_terms, -1).copy()
        for node in range(model.n_nodes - 1, -1, -1):
            if model.core.test[node] != LEAF:
                limbs[node] = limbs[model.children(node)].sum(axis=0)
        sums = rounded(limbs)
        source = model.label_source
        if model.classes_ is not None:
            return model.with_counts(sums.sum(axis=1), sums, source)
        about = NodeNumbers.of_sums(*sums.T)
        return model.with_counts(
            sums[:, 0], None, source, NodeNumbers(about.mean + self.center, about.deviation)
        )


@RECOUNTS.register(RuleSet)
class RuleRecount(Recount):
    """Coverage and precision of the rules of classes."""

    @classmethod
    def for_model(cls, model: Any, uses_truth: bool, center: float, is_weighted: bool) -> Self | None:
        """Rules of numbers, and rules about weighted rows, keep what the sample showed."""
        if model.classes_ is None or is_weighted:
            return None
        return super().for_model(model, uses_truth, center, is_weighted)

    def of(
        self,
        rows: Table,
        target: Any,
        weights: NDArray[np.float64] | None,  # noqa: ARG002 - there are none
        n_jobs: int | None,  # noqa: ARG002
    ) -> NDArray[np.int64]:
        """Return the rows of each class that satisfy each rule."""
        return _core.cover_counts(self.model.core, rows.native(), target, None, None).astype(np.int64)

    def applied(self, counts: NDArray[np.int64], has_weights: bool) -> RuleSet:  # noqa: ARG002 - it is False
        """Return the rules with the coverage and precision on all rows."""
        model = self.model
        coverage, precision = RuleStatistics.coverage_and_precision(model.core, counts.astype(np.float64))
        statistics = replace(model.statistics, coverage=coverage, precision=precision)
        return RuleSet(model.core, model.schema, model.classes_, model.voting, statistics)
