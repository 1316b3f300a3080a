"""The rules of a regression's trees, and the training rows by which some of them are selected."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.distill._rule_pool import MAX_CONDITIONS, RulePool, condition_budget
from sightline.exceptions import BudgetExceeded
from sightline.model import RuleErrors, RuleSet, Voting
from sightline.table import center_and_scale

_MAX_CONDITION_ROWS = 20_000_000_000
"""Limit of conditions times rows for shortening, which keeps one bit for each pair."""


class NumberRulePool(RulePool):
    """Rules that predict numbers.

    Rules are selected to imitate the ensemble, and judged by the target.
    """

    def selected(self, max_rules: int) -> RuleSet:
        """Select the rules whose means come closest to the ensemble's numbers."""
        teacher, candidates = self.teacher, self._candidates
        chosen = _core.greedy_means(
            candidates.core,
            self._scaled(np.asarray(candidates.values)),
            teacher.table.native(),
            self._scaled(teacher.ensemble_numbers),
            teacher.weights,
            max_rules=max_rules,
        )
        return candidates.selected(chosen or [int(np.argmax(candidates.statistics.coverage))])

    @cached_property
    def _candidates(self) -> RuleSet:
        """All rules to select from, with the shortened ones if wanted.

        Each counts once. Without the other trees' rules, a rule of many trees would
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

    @cached_property
    def _unit(self) -> tuple[float, float]:
        """Mean and deviation of the ensemble's numbers over the training rows."""
        return center_and_scale(self.teacher.ensemble_numbers, self.teacher.weights)

    def _scaled(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return numbers about the mean, in deviations, so that their squares stay small."""
        center, scale = self._unit
        return (numbers - center) / scale

    @cached_property
    def _leaf_rules(self) -> _core.RuleSet:
        return self._leaf_means[0]

    @cached_property
    def _leaf_means(self) -> tuple[_core.RuleSet, NDArray[np.float64]]:
        """One rule per leaf, and the number that each predicts."""
        with condition_budget():
            rules, values = _core.number_rules_of_ensemble(self.teacher.trees.core, self._raw, MAX_CONDITIONS)
        return rules, np.array(values)

    def _shortened(self) -> _core.RuleSet:
        """Return the rules, and each without its useless conditions."""
        teacher = self.teacher
        return _core.with_shortened_numbers(
            self._leaf_rules, teacher.table.native(), self._scaled(teacher.ensemble_numbers), teacher.weights
        )

    def _all_rules(self, multiplicity: float) -> RuleSet:
        n_sources = np.diff(self._leaf_rules.source_begin).astype(np.float64)
        weights = self._leaf_rules.weight * n_sources ** (multiplicity - 1)
        return self._rule_set(self._leaf_rules.reweighted(weights), self._leaf_means[1])

    def _to_select_from(self, rules: _core.RuleSet) -> RuleSet:
        """Return rules that predict the means of their rows, weighted by how little these deviate."""
        numbers = self._scaled(self.teacher.ensemble_numbers)
        rows, total, squares, _ = self._sums(rules, np.zeros(rules.n_rules), numbers)
        means = total / np.maximum(rows, np.finfo(np.float64).tiny)
        weights = np.ones(rules.n_rules)
        if self._weight == "deviation":
            # Of all rows the deviation is 1; one row more has that.
            within = np.maximum(squares - total * means, 0.0)
            weights = np.sqrt((rows + 1) / (within + 1))
        center, scale = self._unit
        return self._rule_set(rules.reweighted(weights), means * scale + center)

    def _rule_set(self, rules: _core.RuleSet, values: NDArray[np.float64]) -> RuleSet:
        voting = Voting((self._unit[0],), (0.0,), fallback=self._fallback)
        return RuleSet(rules, self.teacher.rule_schema, None, voting, self._errors(rules, values), values)

    def _errors(self, rules: _core.RuleSet, values: NDArray[np.float64]) -> RuleErrors:
        measured: list[NDArray[np.float64]] = []
        for out_of_bag in [None] if self.out_of_bag is None else [None, self.out_of_bag]:
            rows, _, _, distance = self._sums(rules, values, self.teacher.target, out_of_bag)
            unknown = np.full(rules.n_rules, np.nan)
            measured += [rows, np.divide(distance, rows, out=unknown, where=rows > 0)]
        unknown = np.full(rules.n_rules, np.nan)
        return RuleErrors(*measured, *[unknown] * (4 - len(measured)))

    def _sums(
        self,
        rules: _core.RuleSet,
        values: NDArray[np.float64],
        numbers: NDArray[np.float64],
        out_of_bag: NDArray[np.uint8] | None = None,
    ) -> NDArray[np.float64]:
        """Return the weight, sum, squares and distances of the numbers of each rule's rows."""
        teacher = self.teacher
        return np.transpose(
            _core.cover_numbers(rules, values, teacher.table.native(), numbers, teacher.weights, out_of_bag)
        )
