"""One vote of stumps: all possible stumps, and the ensemble chosen from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import BudgetExceeded, DataError
from sightline.model import Ensemble, Link, StumpTable, combined, n_threads
from sightline.table import Schema, Table

MAX_CLASSES = 64
"""Maximum number of classes in one vote: the kernel stores a vote in six bits."""

_MAX_BYTES = 4 * 2**30
"""Memory limit for the votes of all stumps on the training rows."""

_HEAD_START = 2.0**-32
"""Head start of a class with more training rows. It is so small that it only breaks ties."""

_ROUNDS = 10
"""Maximum number of generations on reweighted rows."""

_WEIGHT_UNIT = 8
"""Weight of a row with margin 0. Weights are integers."""


class Options(Protocol):
    """The parameters of StumpEnsembleClassifier that the search uses."""

    max_depth: int
    min_size: int
    order: str
    min_leaf: int
    nominal: str
    prune: bool
    tolerance: float
    passes: int
    ties: str
    reweight: bool
    n_jobs: int | None


@dataclass(frozen=True)
class ChosenStumps:
    """An ensemble and the errors of its stumps on the training rows."""

    ensemble: Ensemble
    table: StumpTable


class StumpVote:
    """One vote among some classes: all stumps of a table, and ensembles of every size.

    Parameters
    ----------
    table : Table
        Training rows.
    codes : ndarray of shape (n_rows,), int32
        Their class indices.
    classes : ndarray of shape (n_classes,)
        The class labels.
    options : Options
        Parameters of the search.
    orders : _core.Orders
        Sort orders of the numeric columns, shared by several votes.
    seed : int
        Seed for the random order of the stumps.
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
        """The classes by number of rows, largest first: the order in which they win ties."""
        return by_frequency(self.codes, len(self.classes_))

    def chosen(self, max_size: int | None) -> ChosenStumps:
        """Return the ensemble of at most ``max_size`` stumps."""
        pool = self._new_pool() if self.options.reweight else self._pool
        members = self._members(pool, max_size)
        cores = [pool.tree(stump) for stump in members] or [pool.constant()]
        ensemble = majority_vote(cores, self.table.schema, self.classes_, self.by_frequency)
        votes = np.asarray(pool.votes(members)) if members else None
        losses = [pool.loss(members[:i] + members[i + 1 :]) for i in range(len(members))]
        return ChosenStumps(ensemble, self._stump_table(ensemble, votes, losses))

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
        return self._overpruned(pool, pool.pruned(members)) if self.options.prune else members

    def _overpruned(self, pool: _core.StumpPool, members: list[int]) -> list[int]:
        """Delete more stumps while the loss stays within the tolerance of what it was."""
        limit = (1 + Fraction(self.options.tolerance)) * _loss(pool, members)
        while self.options.tolerance and len(members) > 1:
            fewer = [members[:i] + members[i + 1 :] for i in range(len(members))]
            losses = [_loss(pool, one) for one in fewer]
            if min(losses) > limit:
                break
            members = fewer[losses.index(min(losses))]
        return members

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
        """Return the stumps in the order in which they are tried."""
        if self.options.order == "quality":
            order = np.argsort(-np.asarray(pool.right), kind="stable")
        elif self.options.order == "random":
            order = np.random.RandomState(self.seed).permutation(len(pool))
        else:
            order = np.arange(len(pool))
        return [int(stump) for stump in order]

    def _hard_rows(self, pool: _core.StumpPool, members: list[int]) -> NDArray[np.int32]:
        """Return row weights exp(-margin), where margin is the share of right votes less the next best."""
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
        """Count the errors of each stump alone, and of the ensemble without it."""
        n_rows = len(self.codes)
        if votes is None:
            wrong = float((self.codes != self.by_frequency[0]).mean())
            alone = without = np.array([wrong])
            losses = [(0, 0)]
        else:
            counts = vote_counts(votes, len(self.classes_)) + np.asarray(ensemble.core.base)
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


def _loss(pool: _core.StumpPool, members: list[int]) -> Fraction:
    """Return the sum of squared margins, exactly."""
    numerator, n_stumps = pool.loss(members)
    return Fraction(numerator, max(n_stumps, 1) ** 2)


def vote_counts(votes: NDArray[np.int32], n_classes: int) -> NDArray[np.float64]:
    """Count the votes for each class: an array of shape (n_rows, n_classes)."""
    return np.column_stack([(votes == label).sum(axis=0) for label in range(n_classes)]).astype(np.float64)


def _error_without(counts: NDArray[np.float64], vote: NDArray[np.int32], codes: NDArray[np.int32]) -> float:
    rest = counts.copy()
    rest[np.arange(len(codes)), vote] -= 1
    return float((rest.argmax(axis=1) != codes).mean())


def by_frequency(codes: NDArray[np.int32], n_classes: int) -> list[int]:
    """Return the class indices by number of rows, largest first; on ties, the lower index first."""
    order = np.argsort(-np.bincount(codes, minlength=n_classes), kind="stable")
    return [int(label) for label in order]


def head_start(priority: Sequence[int]) -> list[float]:
    """Return initial scores that only break ties, in favor of the classes first in priority."""
    scores = [0.0] * len(priority)
    for rank, label in enumerate(priority):
        scores[label] = (len(priority) - 1 - rank) * _HEAD_START
    return scores


def majority_vote(
    cores: list[_core.Tree], schema: Schema, classes: NDArray[Any], priority: Sequence[int]
) -> Ensemble:
    """Combine trees by majority vote; ties go to the class that comes first in priority."""
    base = head_start(priority)
    core = combined(cores, votes=True, base=base)
    return Ensemble(core, schema, classes, Link("mean", (len(cores) + sum(base),)))


def check_size(table: Table, n_classes: int, max_depth: int) -> None:
    """Raise an error if there are too many classes or possible stumps."""
    if n_classes > MAX_CLASSES:
        raise DataError(
            f"y has {n_classes} classes, but one vote can have at most {MAX_CLASSES}. "
            'Set multiclass="ovr", or merge classes.'
        )
    n_features, n_rows = len(table.columns), table.n_rows
    n_stumps = sum(n_features**depth for depth in range(1, max_depth + 1))
    planes = max((n_classes - 1).bit_length(), 1)
    n_bytes = n_stumps * planes * 8 * -(-n_rows // 64)
    if n_bytes > _MAX_BYTES:
        raise BudgetExceeded(
            f"The votes of up to {n_stumps:,} stumps of depth {max_depth} on {n_features:,} columns and "
            f"{n_rows:,} rows would take {n_bytes / 2**30:,.0f} GiB. Use a smaller max_depth, or fewer "
            "columns or rows."
        )


def joined_tables(tables: list[StumpTable]) -> StumpTable:
    """Return the stumps of all tables as one table, for a plot."""
    first = tables[0]
    if len(tables) == 1:
        return first
    return replace(
        first,
        stumps=tuple(stump for table in tables for stump in table.stumps),
        alone=np.concatenate([table.alone for table in tables]),
        without=np.concatenate([table.without for table in tables]),
        loss_without=np.concatenate([table.loss_without for table in tables]),
        numbers=tuple(table.number(index) for table in tables for index in range(len(table))),
    )
