"""The rules of an ensemble, and the training rows by which some of them are selected."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.distill._out_of_bag import out_of_bag_mask
from sightline.distill._teacher import Teacher
from sightline.exceptions import BudgetExceeded, UnsupportedModelError
from sightline.model import Ensemble, RuleSet, RuleStatistics, Voting, class_sums

MAX_CONDITIONS = 50_000_000
_MAX_CONDITION_ROWS = 20_000_000_000
"""Limit of conditions times rows for shortening, which keeps one bit for each pair."""
_COVER_TIMES = (3, 2, 1)
"""How often a cover tries to cover each training row correctly. A few rules for many classes can
do it only once."""


class RulePool(ABC):
    """The rules of an ensemble's leaves, measured on the training rows.

    A subclass says what leaves predict: classes or numbers.

    Parameters
    ----------
    teacher : Teacher
        The ensemble and the training rows.
    X : Table, frame or array
        The rows as they were passed to fit; inner cross-validation fits to parts of them.
    conditions, multiplicity, weight, shorten, fallback : object
        The parameters of :class:`RuleSetClassifier` or :class:`RuleSetRegressor`.

    Attributes
    ----------
    teacher : Teacher
        The ensemble and the training rows.
    X : Table, frame or array
        The rows as they were passed to fit.
    out_of_bag : ndarray of shape (n_trees, n_rows) or None
        The out-of-bag rows of each tree, if they are known.
    every_rule : RuleSet
        All rules, weighted by ``multiplicity``.
    duplicate_share : float
        Share of the leaves whose rule occurs more than once, not counting the first.
    """

    every_rule: RuleSet
    duplicate_share: float

    def __init__(
        self,
        teacher: Teacher,
        X: Any,
        *,
        conditions: str,
        multiplicity: float,
        weight: str | None,
        shorten: bool,
        fallback: float | None,
    ) -> None:
        self.teacher = teacher
        self.X = X
        self.out_of_bag = out_of_bag_mask(teacher)
        self._weight = weight
        self._shorten = shorten
        self._fallback = fallback
        self._leaf_rules = self._rules_of_leaves(conditions == "raw")
        n_leaves = sum(tree.n_leaves for tree in teacher.trees.core.trees)
        self.duplicate_share = 1 - self._leaf_rules.n_rules / n_leaves
        self.every_rule = self._all_rules(multiplicity)

    @abstractmethod
    def covers(self, max_rules: int) -> list[RuleSet]:
        """Select rules for the training rows, greedily.

        Parameters
        ----------
        max_rules : int
            Maximum number of rules.

        Returns
        -------
        list of RuleSet
            Different selections; empty if no rule helps.
        """

    @abstractmethod
    def _rules_of_leaves(self, raw: bool) -> _core.RuleSet:
        """Return one rule per leaf, with one condition per test (raw) or feature."""

    @abstractmethod
    def _shortened(self) -> _core.RuleSet:
        """Return the rules, and each without its useless conditions."""

    @abstractmethod
    def _all_rules(self, multiplicity: float) -> RuleSet:
        """Return the rules of the leaves with their weights and statistics."""

    @abstractmethod
    def _to_select_from(self, rules: _core.RuleSet) -> RuleSet:
        """Return rules with the weights that they have if they are selected."""

    @cached_property
    def _candidates(self) -> RuleSet:
        """All rules to select from, with the shortened ones if wanted.

        Each counts once. The other trees' rules are gone, so that a rule of many trees would
        outvote the rest.
        """
        rules, n_rows = self._leaf_rules, self.teacher.table.n_rows
        if self._shorten:
            if rules.n_conditions * n_rows > _MAX_CONDITION_ROWS:
                raise BudgetExceeded(
                    f"Shortening the rules would evaluate {rules.n_conditions:,} conditions on "
                    f"{n_rows:,} rows, which is too much. Use shorten=False or fewer rows."
                )
            rules = self._shortened()
        return self._to_select_from(rules)


class ClassRulePool(RulePool):
    """Rules that vote for classes."""

    def covers(self, max_rules: int) -> list[RuleSet]:
        """Select rules that cover the training rows, by how often they try to cover each row.

        There is none if no rule covers more rows correctly than wrongly.
        """
        teacher, candidates = self.teacher, self._candidates
        covers: list[list[int]] = []
        for times in _COVER_TIMES:
            chosen = _core.greedy_cover(
                candidates.core,
                teacher.table.native(),
                teacher.target,
                teacher.weights,
                times=times,
                wrong_costs=1.0,
                max_rules=max_rules,
            )
            if chosen and chosen not in covers:
                covers.append(chosen)
        return [candidates.selected(chosen) for chosen in covers]

    def _rules_of_leaves(self, raw: bool) -> _core.RuleSet:
        ensemble = class_sums(self.teacher.trees)
        adds_scores = ensemble.link.kind in ("sigmoid", "softmax") and not ensemble.core.votes
        with condition_budget():
            rules = _core.rules_of_ensemble(
                ensemble.core, ensemble.n_classes, adds_scores, raw, MAX_CONDITIONS
            )
        if rules.n_rules == 0:
            raise UnsupportedModelError(
                "The ensemble has no rules, because every leaf of its trees adds zero. "
                "There is nothing to summarize."
            )
        return rules

    def _shortened(self) -> _core.RuleSet:
        teacher = self.teacher
        return _core.with_shortened(
            self._leaf_rules, teacher.table.native(), teacher.target, teacher.weights, self.out_of_bag
        )

    def _all_rules(self, multiplicity: float) -> RuleSet:
        return self._rule_set(self._leaf_rules, multiplicity)

    def _to_select_from(self, rules: _core.RuleSet) -> RuleSet:
        return self._rule_set(rules, multiplicity=0.0)

    def _rule_set(self, rules: _core.RuleSet, multiplicity: float) -> RuleSet:
        statistics = self._statistics(rules)
        weighted = rules.reweighted(self._weights(rules, statistics, multiplicity))
        teacher = self.teacher
        return RuleSet(weighted, teacher.trees.schema, teacher.classes_, self._voting(), statistics)

    def _statistics(self, rules: _core.RuleSet) -> RuleStatistics:
        on_training_rows = self._coverage_and_precision(rules, None)
        if self.out_of_bag is None:
            unknown = np.full(rules.n_rules, np.nan)
            return RuleStatistics(*on_training_rows, unknown, unknown)
        return RuleStatistics(*on_training_rows, *self._coverage_and_precision(rules, self.out_of_bag))

    def _coverage_and_precision(
        self, rules: _core.RuleSet, out_of_bag: NDArray[np.uint8] | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        teacher = self.teacher
        counts = _core.cover_counts(
            rules, teacher.table.native(), teacher.target, teacher.weights, out_of_bag
        )
        return RuleStatistics.coverage_and_precision(rules, counts)

    def _weights(
        self, rules: _core.RuleSet, statistics: RuleStatistics, multiplicity: float
    ) -> NDArray[np.float64]:
        """Return the sum of a rule's weights over its m trees, scaled from m to m ** multiplicity."""
        n_sources = np.diff(rules.source_begin).astype(np.float64)
        weights: NDArray[np.float64] = rules.weight * n_sources ** (multiplicity - 1)
        if self._weight == "precision":
            correct = np.nan_to_num(statistics.coverage * statistics.precision)
            weights = weights * (correct + 1) / (statistics.coverage + rules.n_classes)
        return weights

    def _voting(self) -> Voting:
        """Return the voting before pc and wr are chosen."""
        teacher = self.teacher
        counts = np.bincount(teacher.target, weights=teacher.weights, minlength=len(teacher.classes_))
        prior = tuple((counts / counts.sum()).tolist())
        return Voting(prior, _base_votes(class_sums(teacher.trees)), fallback=self._fallback)


@contextmanager
def condition_budget() -> Iterator[None]:
    """Say what to do if the rules of an ensemble have more conditions than ``MAX_CONDITIONS``."""
    try:
        yield
    except OverflowError:
        raise BudgetExceeded(
            f"The rules of the ensemble would have more than {MAX_CONDITIONS:,} conditions. "
            "Use fewer or shallower trees, or conditions='interval'."
        ) from None


def _base_votes(ensemble: Ensemble) -> tuple[float, ...]:
    """Return the scores before the first tree as votes; a single score is that of the second class."""
    base = ensemble.core.base
    if ensemble.core.n_scores == ensemble.n_classes:
        return tuple(base)
    return (max(-base[0], 0.0), max(base[0], 0.0))
