"""The rules of an ensemble, and the training rows by which some of them are selected."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.distill._out_of_bag import out_of_bag_mask
from sightline.distill._teacher import Teacher
from sightline.distill._vote_selection import VoteSelection
from sightline.exceptions import BudgetExceeded, UnsupportedModelError
from sightline.model import Ensemble, RuleSet, RuleStatistics, Voting, class_sums

MAX_CONDITIONS = 50_000_000


class RulePool(ABC):
    """The rules of an ensemble's leaves, measured on the training rows.

    A subclass defines what leaves predict: classes or numbers.

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
    """

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
        self._raw = conditions == "raw"
        self._multiplicity = multiplicity
        self._weight = weight
        self._shorten = shorten
        self._fallback = fallback

    @cached_property
    def duplicate_share(self) -> float:
        """Share of the leaves whose rule occurs more than once, not counting the first."""
        n_leaves = sum(tree.n_leaves for tree in self.teacher.trees.core.trees)
        return 1 - self._leaf_rules.n_rules / n_leaves

    @cached_property
    def every_rule(self) -> RuleSet:
        """All rules, weighted by ``multiplicity``."""
        return self._all_rules(self._multiplicity)

    @abstractmethod
    def selected(self, max_rules: int) -> RuleSet:
        """Select at most this many rules for the training rows, greedily.

        If no rule helps, select the one that covers the most rows.
        """

    def held_out(self, rules: RuleSet, max_rules: int) -> list[tuple[RuleSet, NDArray[np.intp]]]:  # noqa: ARG002
        """Return as many rules, selected in the same way without some rows, and the indices of these rows.

        Empty if selected rules are judged in a different way.
        """
        return []

    @cached_property
    @abstractmethod
    def _leaf_rules(self) -> _core.RuleSet:
        """One rule per leaf, with one condition per test (raw) or feature."""

    @abstractmethod
    def _all_rules(self, multiplicity: float) -> RuleSet:
        """Return the rules of the leaves with their weights and statistics."""

    def _widest_rule(self) -> RuleSet:
        """Return the rule of a leaf that covers most rows, alone."""
        return self.every_rule.selected([int(np.argmax(self.every_rule.statistics.coverage))])


class ClassRulePool(RulePool):
    """Rules that vote for classes."""

    def selected(self, max_rules: int) -> RuleSet:
        """Select the rules whose votes come closest to the ensemble's probabilities."""
        rules = self._selection.selected(max_rules)
        return self._few(rules) if rules.n_rules else self._widest_rule()

    def held_out(self, rules: RuleSet, max_rules: int) -> list[tuple[RuleSet, NDArray[np.intp]]]:
        """Return as many rules, selected without some rows, and the indices of these rows."""
        parts = self._selection.held_out(rules.n_rules, max_rules)
        return [(self._few(own, measured=False), rows) for own, rows in parts]

    @cached_property
    def _selection(self) -> VoteSelection:
        return VoteSelection(self.teacher, raw=self._raw, shorten=self._shorten)

    def _few(self, rules: _core.RuleSet, measured: bool = True) -> RuleSet:
        teacher = self.teacher
        voting = replace(self._voting(), base=self._selection.base)
        statistics = self._statistics(rules) if measured else None
        return RuleSet(rules, teacher.rule_schema, teacher.classes_, voting, statistics)

    @cached_property
    def _leaf_rules(self) -> _core.RuleSet:
        ensemble = class_sums(self.teacher.trees)
        adds_scores = ensemble.link.kind in ("sigmoid", "softmax") and not ensemble.core.votes
        with condition_budget():
            rules = _core.rules_of_ensemble(
                ensemble.core, ensemble.n_classes, adds_scores, self._raw, MAX_CONDITIONS
            )
        if rules.n_rules == 0:
            raise UnsupportedModelError(
                "The ensemble has no rules, because every leaf of its trees adds zero. "
                "There is nothing to summarize."
            )
        return rules

    def _all_rules(self, multiplicity: float) -> RuleSet:
        rules, teacher = self._leaf_rules, self.teacher
        statistics = self._statistics(rules)
        weighted = rules.reweighted(self._weights(rules, statistics, multiplicity))
        return RuleSet(weighted, teacher.rule_schema, teacher.classes_, self._voting(), statistics)

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
