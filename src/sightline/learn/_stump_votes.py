"""Stumps that vote: which of all possible ones, and the ensemble that they form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import BudgetExceeded, DataError
from sightline.model import Ensemble, Link, StumpTable, combined, n_threads
from sightline.table import Schema, Table

MAX_CLASSES = 64
"""Classes of one native vote; more take more bits than a stump's votes are stored in."""

_MAX_BYTES = 4 * 2**30
"""Memory that the votes of all stumps on the training rows may take."""

_HAIR = 2.0**-32
"""How far a class with more training rows is ahead before the first vote: it decides ties only."""

_ROUNDS = 10
"""Most generations on reweighted rows."""

_WEIGHT_UNIT = 8
"""Weight of a row with as many votes for as against it: weights are whole numbers."""


class Options(Protocol):
    """What the search needs to know: the parameters of StumpEnsembleClassifier."""

    max_depth: int
    min_size: int
    order: str
    min_leaf: int
    nominal: str
    prune: bool
    passes: int
    ties: str
    reweight: bool
    n_jobs: int | None


@dataclass(frozen=True)
class Chosen:
    """An ensemble with what is known of its stumps on the training rows."""

    ensemble: Ensemble
    table: StumpTable


class StumpVotes:
    """One vote over some classes: all stumps of a table, and ensembles of every size.

    Parameters
    ----------
    table : Table
        The rows to learn from.
    codes : ndarray of shape (n_rows,), int32
        Their classes.
    classes : ndarray of shape (n_classes,)
        What the codes stand for.
    options : Options
        Parameters of the search.
    orders : _core.Orders
        Orders of the table's numeric columns, which several votes share.
    seed : int
        Of the random order of stumps.
    """

    def __init__(
        self,
        table: Table,
        codes: NDArray[np.int32],
        classes: NDArray[Any],
        options: Options,
        orders: _core.Orders,
        seed: int,
    ) -> None:
        check_size(table, len(classes), options.max_depth)
        self.table = table
        self.codes = codes
        self.classes_ = classes
        self.options = options
        self.orders = orders
        self.seed = seed

    @cached_property
    def by_frequency(self) -> list[int]:
        """The classes, that with most rows first: who wins ties."""
        return by_frequency(self.codes, len(self.classes_))

    def chosen(self, max_size: int | None) -> Chosen:
        """Return the ensemble of at most so many stumps."""
        pool = self._new_pool() if self.options.reweight else self._pool
        members = self._members(pool, max_size)
        cores = [pool.tree(stump) for stump in members] or [pool.constant()]
        ensemble = majority_vote(cores, self.table.schema, self.classes_, self.by_frequency)
        votes = np.asarray(pool.votes(members)) if members else None
        losses = [pool.loss(members[:i] + members[i + 1 :]) for i in range(len(members))]
        return Chosen(ensemble, self._stump_table(ensemble, votes, losses))

    @cached_property
    def _pool(self) -> _core.StumpPool:
        return self._new_pool()

    def _new_pool(self) -> _core.StumpPool:
        options = self.options
        pool = _core.StumpPool(
            self.table.native(),
            self.codes,
            len(self.classes_),
            max_depth=options.max_depth,
            min_leaf=min(options.min_leaf, 2**31 - 1),
            binary_nominal=options.nominal == "binary",
            orders=self.orders,
        )
        pool.generate(n_threads=n_threads(options.n_jobs))
        return pool

    def _members(self, pool: _core.StumpPool, max_size: int | None) -> list[int]:
        members = self._grown(pool, [], max_size)
        for _ in range(_ROUNDS if self.options.reweight and members else 0):
            before = members
            pool.generate(self._hard_rows(pool, members), n_threads(self.options.n_jobs))
            members = self._grown(pool, before, max_size)
            if members == before:
                break
        return pool.pruned(members) if self.options.prune else members

    def _grown(self, pool: _core.StumpPool, members: list[int], max_size: int | None) -> list[int]:
        options = self.options
        return pool.grown(
            members,
            self._order(pool),
            min_size=min(options.min_size, len(pool)),
            max_size=0 if max_size is None else max_size,
            passes=options.passes,
            replace_on_tie=options.ties == "replace",
        )

    def _order(self, pool: _core.StumpPool) -> list[int]:
        """Return the stumps in the order in which they are offered."""
        if self.options.order == "quality":
            order = np.argsort(-np.asarray(pool.right), kind="stable")
        elif self.options.order == "random":
            order = np.random.RandomState(self.seed).permutation(len(pool))
        else:
            order = np.arange(len(pool))
        return [int(stump) for stump in order]

    def _hard_rows(self, pool: _core.StumpPool, members: list[int]) -> NDArray[np.int32]:
        """Weigh rows by exp(-margin), the margin being the share of votes for them less that against."""
        counts = vote_counts(np.asarray(pool.votes(members)), len(self.classes_))
        rows = np.arange(len(self.codes))
        own = counts[rows, self.codes]
        counts[rows, self.codes] = -1
        margin = (own - counts.max(axis=1)) / len(members)
        weights: NDArray[np.int32] = np.maximum(np.rint(_WEIGHT_UNIT * np.exp(-margin)), 1).astype(np.int32)
        return weights

    def _stump_table(
        self, ensemble: Ensemble, votes: NDArray[np.int32] | None, losses: list[tuple[int, int]]
    ) -> StumpTable:
        """Count the errors of each stump alone, and of the others without it."""
        n_rows = len(self.codes)
        if votes is None:
            wrong = float((self.codes != self.by_frequency[0]).mean())
            alone = without = np.array([wrong])
            losses = [(0, 0)]
        else:
            head_start = np.asarray(ensemble.core.base)
            counts = vote_counts(votes, len(self.classes_)) + head_start
            wrong = float((counts.argmax(axis=1) != self.codes).mean())
            alone = (votes != self.codes).mean(axis=1)
            without = np.array([_error_without(counts, vote, self.codes) for vote in votes])
        return StumpTable(
            stumps=tuple(ensemble.trees),
            alone=alone,
            without=without,
            loss_without=np.array([numerator / n**2 / n_rows if n else np.nan for numerator, n in losses]),
            error=wrong,
            n_rows=n_rows,
            tie_to=self.classes_[self.by_frequency[0]],
        )


def vote_counts(votes: NDArray[np.int32], n_classes: int) -> NDArray[np.float64]:
    """Count the votes for each class, of shape (n_rows, n_classes)."""
    return np.column_stack([(votes == label).sum(axis=0) for label in range(n_classes)]).astype(np.float64)


def _error_without(counts: NDArray[np.float64], vote: NDArray[np.int32], codes: NDArray[np.int32]) -> float:
    rest = counts.copy()
    rest[np.arange(len(codes)), vote] -= 1
    return float((rest.argmax(axis=1) != codes).mean())


def by_frequency(codes: NDArray[np.int32], n_classes: int) -> list[int]:
    """Return the classes, that with most rows first, the lower of equal ones."""
    order = np.argsort(-np.bincount(codes, minlength=n_classes), kind="stable")
    return [int(label) for label in order]


def head_start(priority: Sequence[int]) -> list[float]:
    """Return scores so small that they decide ties only, for the classes first in priority."""
    scores = [0.0] * len(priority)
    for place, label in enumerate(priority):
        scores[label] = (len(priority) - 1 - place) * _HAIR
    return scores


def majority_vote(
    cores: list[_core.Tree], schema: Schema, classes: NDArray[Any], priority: Sequence[int]
) -> Ensemble:
    """Combine trees by one vote each; ties go to the class that comes first in priority."""
    base = head_start(priority)
    core = combined(cores, votes=True, base=base)
    return Ensemble(core, schema, classes, Link("mean", (len(cores) + sum(base),)))


def check_size(table: Table, n_classes: int, max_depth: int) -> None:
    """Raise if the classes or the votes of all stumps are too many."""
    if n_classes > MAX_CLASSES:
        raise DataError(
            f"y has {n_classes} classes, but one vote decides among {MAX_CLASSES} at most: "
            'set multiclass="ovr", or merge classes.'
        )
    n_features, n_rows = len(table.columns), table.n_rows
    n_stumps = sum(n_features**depth for depth in range(1, max_depth + 1))
    planes = max((n_classes - 1).bit_length(), 1)
    n_bytes = n_stumps * planes * 8 * -(-n_rows // 64)
    if n_bytes > _MAX_BYTES:
        raise BudgetExceeded(
            f"Up to {n_stumps:,} stumps of depth {max_depth} over {n_features:,} columns, with their votes "
            f"on {n_rows:,} rows, take {n_bytes / 2**30:,.0f} GiB: choose a smaller max_depth, or fewer "
            "columns or rows."
        )
