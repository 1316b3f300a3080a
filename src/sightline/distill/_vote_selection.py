"""A few rules that vote like an ensemble of classes, from the nodes of its trees."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.distill._teacher import Teacher
from sightline.exceptions import BudgetExceeded
from sightline.table import Labels, content_hashes

PENALTY = 1.0
"""A rule's weight counts one extra row against it, so that rules with few rows stay weak."""

_SIMILAR = 0.9
"""Rules on the same columns that share at least this part of their rows count as one."""
_MIN_PROBABILITY = 0.01
"""Smaller probabilities of the ensemble are left out, so that many classes cost little."""
_MIN_ROWS = 5
"""Minimum number of rows that a rule covers; also at least one in a thousand."""
_MAX_ROWS = 10_000
_MIN_SAMPLE = 2000
_MAX_VISITS = 10_000_000
"""Rows times trees that candidates are collected from."""
_MAX_ENTRIES = 100_000_000
_N_FOLDS = 3


class VoteSelection:
    """Candidates for a small rule set, and the rows by which some of them are selected.

    Every node of every tree is a candidate. Rules are added one by one, each with the class and weight that
    brings the shares of the votes closest to the ensemble's probabilities. So every class gets its rules,
    also if leaves only add to scores.

    Parameters
    ----------
    teacher : Teacher
        The ensemble and the training rows.
    raw : bool
        Whether each test of a path is a condition.
    shorten : bool
        Whether conditions are dropped that do not help.

    Attributes
    ----------
    base : tuple of float
        Votes before the first rule: one vote, split like the ensemble's mean probabilities.
    """

    def __init__(self, teacher: Teacher, *, raw: bool, shorten: bool) -> None:
        self._raw = raw
        self._shorten = shorten
        ensemble = teacher.trees
        # Boosters of many classes have thousands of trees; fewer rows are then enough to tell them apart.
        n_rows = max(_MIN_SAMPLE, min(_MAX_ROWS, _MAX_VISITS // max(ensemble.n_trees, 1)))
        everything = np.arange(teacher.table.n_rows)
        if len(everything) > n_rows:
            everything = np.sort(np.random.default_rng(0).choice(everything, n_rows, replace=False))
        self._ensemble = ensemble
        self._rows = everything
        self._table = teacher.table[everything]
        self._weights = None if teacher.weights is None else teacher.weights[everything]
        sample = teacher.part(everything)
        self._labels = sample.ensemble_labels
        self._probabilities = np.ascontiguousarray(sample.ensemble_probabilities)
        self._classes = teacher.classes_
        self._n_classes = teacher.n_classes
        mean = np.average(self._probabilities, axis=0, weights=self._weights)
        # No class is impossible, and the sums of rows do not show in the last digits.
        self.base: tuple[float, ...] = tuple(np.maximum(mean / mean.sum(), 1e-6).round(6).tolist())

    @cached_property
    def _row_weights(self) -> NDArray[np.float64]:
        return np.ones(len(self._rows)) if self._weights is None else self._weights

    @cached_property
    def _candidates(self) -> _core.RuleCandidates:
        n_rows = self._row_weights.sum()
        least = max(1.0, min(_MIN_ROWS, n_rows // 10), n_rows // 1000)
        try:
            return _core.RuleCandidates(
                self._ensemble.core,
                self._table.native(),
                self._weights,
                self._n_classes,
                self._raw,
                least,
                _MAX_ENTRIES,
            )
        except OverflowError:
            raise BudgetExceeded(
                "The ensemble's trees are too deep to select rules from. Use shallower trees or fewer rows."
            ) from None

    def selected(self, max_rules: int) -> _core.RuleSet:
        """Return at most this many rules, with classes and weights, as long as they help on unseen rows."""
        path = self._chosen(max_rules, self._weights)
        rules = self._refitted(path, self._best_size(max_rules, path.n_rules), self._weights)
        return rules.reweighted(np.array([float(f"{weight:.3g}") for weight in rules.weight]))

    def held_out(self, n_rules: int, max_rules: int) -> Iterator[tuple[_core.RuleSet, NDArray[np.intp]]]:
        """Yield rules that were selected without some rows, and the indices of these rows.

        Parameters
        ----------
        n_rules, max_rules : int
            Number of rules, and the requested maximum.

        Yields
        ------
        rules : _core.RuleSet
            As many rules.
        rows : ndarray of int
            Indices in the training rows.
        """
        for path, weights, outside in self._paths(max_rules):
            yield self._refitted(path, n_rules, weights), self._rows[outside]

    def _best_size(self, max_rules: int, n_found: int) -> int:
        """Return the largest size whose loss on unseen rows exceeds the smallest only by noise."""
        sizes = _ladder(n_found)
        if len(sizes) < 2 or not self._folds:
            return n_found
        losses = np.zeros((len(sizes), len(self._rows)))
        for path, weights, outside in self._paths(max_rules):
            rows = self._table[outside].native()
            for of_size, size in zip(losses, sizes, strict=True):
                full, _ = self._refitted(path, size, weights).count_votes(rows, [1.0], None, 1)
                of_size[outside] = self._losses(full, outside)
        weights = self._row_weights
        total = weights.sum()
        excess = losses - losses[(losses @ weights).argmin()]
        means = excess @ weights / total
        noise = np.sqrt(((excess - means[:, None]) ** 2 @ weights) / total**2)
        return max(size for size, mean, spread in zip(sizes, means, noise, strict=True) if mean <= spread)

    def _paths(self, max_rules: int) -> Iterator[tuple[_core.RuleSet, NDArray[np.float64], NDArray[np.intp]]]:
        """Yield the rules of each part of the rows, the weights of its rows, and the rows outside it."""
        if max_rules not in self._known_paths:
            self._known_paths.clear()
            self._known_paths[max_rules] = [
                (self._chosen(max_rules, weights), weights, outside) for weights, outside in self._folds
            ]
        yield from self._known_paths[max_rules]

    @cached_property
    def _known_paths(self) -> dict[int, list[Any]]:
        return {}

    @cached_property
    def _folds(self) -> list[tuple[NDArray[np.float64], NDArray[np.intp]]]:
        # Copies of a row stay together: a row that rules have seen says nothing about unseen ones.
        hashes = content_hashes(self._table, Labels(self._labels, self._classes))
        part_of = np.unique(hashes, return_inverse=True)[1] % _N_FOLDS
        inside = [part_of != part for part in range(_N_FOLDS)]
        return [
            (np.where(own, self._row_weights, 0.0), np.flatnonzero(~own))
            for own in inside
            if 0 < own.sum() < len(own)
        ]

    def _chosen(self, max_rules: int, weights: NDArray[np.float64] | None) -> _core.RuleSet:
        return self._candidates.select(
            self._table.native(),
            self._probabilities,
            weights,
            list(self.base),
            _MIN_PROBABILITY,
            max_rules,
            self._shorten,
            PENALTY,
            _SIMILAR,
        )

    def _refitted(
        self, path: _core.RuleSet, n_rules: int, weights: NDArray[np.float64] | None
    ) -> _core.RuleSet:
        if n_rules >= path.n_rules:
            return path
        rules = path.selected(np.arange(n_rules))
        fitted = _core.vote_weights(
            rules,
            self._table.native(),
            self._probabilities,
            weights,
            list(self.base),
            _MIN_PROBABILITY,
            PENALTY,
        )
        return rules.reweighted(np.asarray(fitted))

    def _losses(self, votes: NDArray[np.float64], index: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the cross-entropy of the ensemble's probabilities and the votes, per row."""
        shares = votes + np.asarray(self.base)
        shares /= shares.sum(axis=1, keepdims=True)
        return np.asarray(-(self._probabilities[index] * np.log(np.maximum(shares, 1e-12))).sum(axis=1))


def _ladder(n_rules: int) -> list[int]:
    """Return sizes to try: all small ones, then steps of a tenth."""
    sizes = [n_rules]
    while sizes[-1] > 1:
        sizes.append(min(sizes[-1] - 1, int(sizes[-1] / 1.1)))
    return sizes[::-1]
