"""Explain in sentences which rules hold for a row, and which nearly do."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.model import RuleSet
from sightline.show._row import Row
from sightline.show._tree_text import label_rule_lines
from sightline.show.rules._wording import VALUE_DIGITS, RuleWording
from sightline.wording import answer_text, number_text, percent, pluralize

_MAX_LISTED = 5
_MAX_CLASSES = 5
_MAX_FAILED = 3


class RuleSentences:
    """The sentences about one row.

    Parameters
    ----------
    rules : RuleSet
        The rules.
    row : Row
        The row.
    """

    def __init__(self, rules: RuleSet, row: Row) -> None:
        self.rules = rules
        self.row = row
        features = rules.schema.features
        numbers = {
            feature: value
            for feature, value in enumerate(row.values)
            if not math.isnan(value) and not features[feature].is_nominal
        }
        self.missing = {feature for feature, value in enumerate(row.values) if math.isnan(value)}
        self.wording = RuleWording(rules, row=numbers)
        self.holds = rules.core.holds(row.table.native())[0].astype(bool)
        begin = np.asarray(rules.core.condition_begin)
        satisfied_before = np.concatenate([[0], np.cumsum(self.holds[rules.core.condition])])
        self.n_satisfied = satisfied_before[begin[1:]] - satisfied_before[begin[:-1]]
        self.share = np.divide(
            self.n_satisfied, rules.lengths, out=np.ones(rules.n_rules), where=rules.lengths > 0
        )

    def text(self) -> str:
        """Return the sentences, one per line."""
        is_full = self.n_satisfied == self.rules.lengths
        lines = [self._prediction(), *label_rule_lines(self.rules), *self._source(is_full)]
        fired = [rule for rule in self._by_weight(np.ones(len(is_full))) if is_full[rule]]
        lines += self._listed("Strongest rules that hold", fired, self._fired)
        nearly = [rule for rule in self._by_weight(self.share) if 0.5 <= self.share[rule] < 1]
        lines += self._listed("Rules that nearly hold", nearly, self._nearly)
        return "\n".join(lines)

    def _prediction(self) -> str:
        if self.rules.values is not None:
            number = answer_text(float(self.rules.predict(self.row.table)[0]), VALUE_DIGITS)
            return f"Predicted {self._named(number)}, the weighted mean of the rules that match."
        all_votes = self.rules.votes(self.row.table)
        votes, winner = all_votes[0], int(self.rules.winners(all_votes)[0])
        names = self.wording.class_names
        order = [winner, *(int(k) for k in np.argsort(-votes, kind="stable") if k != winner)]
        parts = [
            f"{names[k]} {number_text(float(votes[k]), 3)}" for k in order[:_MAX_CLASSES] if votes[k] != 0
        ]
        more = ", …" if len(order) > _MAX_CLASSES else ""
        return f"Predicted {self._named(names[winner])}. Votes: {', '.join(parts) or 'none'}{more}."

    def _named(self, answer: str) -> str:
        return self.rules.schema.subject.answer(answer)

    def _source(self, is_full: NDArray[np.bool_]) -> list[str]:
        """Say how many rules vote."""
        voting = self.rules.voting
        n_full = int(is_full.sum())
        if voting.has_partial:
            n_partial = int(
                ((self.share >= voting.pc - _core.SHARE_ROUNDING) & ~is_full & (self.share > 0)).sum()
            )
            sentence = (
                f"Of {self._rules()}, {_match(n_full)} fully and {_match(n_partial)} partially (at least "
                f"{percent(voting.pc)} of the conditions; these count {number_text(voting.wr, 3)} times "
                "the share that holds)."
            )
            voted = n_full + n_partial > 0
        else:
            sentence = f"Of {self._rules()}, {_match(n_full)}."
            voted = n_full > 0
        return [sentence] if voted or any(voting.base) else [sentence, self._fallback()]

    def _rules(self) -> str:
        return pluralize(self.rules.n_rules, "rule")

    def _fallback(self) -> str:
        fallback = self.rules.voting.fallback
        if fallback is not None and (self.share >= fallback).any() and (self.share > 0).any():
            return (
                f"No rule votes, so rules with at least {percent(fallback)} of their conditions met decide."
            )
        if self.rules.values is not None:
            return "No rule matches, so the mean of the training rows is predicted."
        return "No rule votes, so the class shares of the training rows decide."

    def _by_weight(self, factor: NDArray[np.float64]) -> list[int]:
        strength = np.abs(np.asarray(self.rules.core.weight)) * factor
        coverage = np.nan_to_num(self.rules.statistics.coverage)
        return [int(rule) for rule in np.lexsort((-coverage, -strength))]

    def _listed(self, heading: str, numbers: list[int], describe: Callable[[int], str]) -> list[str]:
        if not numbers:
            return []
        hidden = len(numbers) - _MAX_LISTED
        count = f" ({_MAX_LISTED} of {len(numbers):,})" if hidden > 0 else ""
        return [f"{heading}{count}:", *(f"- {describe(rule)}" for rule in numbers[:_MAX_LISTED])]

    def _fired(self, rule: int) -> str:
        details = "; ".join(
            filter(None, [f"weight {self.wording.weight(rule)}", self.wording.evidence(rule)])
        )
        return f"{self._label(rule)} ({details}): {self.wording.premise(rule, self.missing)}"

    def _label(self, rule: int) -> str:
        """Return what a rule predicts; numbers as sentences have them."""
        values = self.rules.values
        return self.wording.label(rule) if values is None else answer_text(float(values[rule]), VALUE_DIGITS)

    def _nearly(self, rule: int) -> str:
        failed = [c for c in self.wording.conditions(rule) if not self.holds[c]]
        named = "; ".join(self._failed(c) for c in failed[:_MAX_FAILED])
        more = f"; and {len(failed) - _MAX_FAILED:,} more" if len(failed) > _MAX_FAILED else ""
        n = int(self.rules.lengths[rule])
        return (
            f"{self._label(rule)} (weight {self.wording.weight(rule)}): "
            f"{self.n_satisfied[rule]:,} of {n:,} conditions; fails: {named}{more}"
        )

    def _failed(self, condition: int) -> str:
        feature = int(self.rules.core.feature[condition])
        value = self.row.values[feature]
        text = self.wording.condition(condition)
        if not math.isnan(value):
            is_nominal = self.rules.schema.features[feature].is_nominal
            known = (
                self.wording.value(feature, int(value)) if is_nominal else self.wording.number(feature, value)
            )
            return f"{text} (yours: {known})"
        given = self.row.given[feature]
        if given is None or (isinstance(given, float) and math.isnan(given)):
            return f"{text} (yours is missing)"
        return f"{text} (yours is unknown: {self.wording.text(given)})"


def _match(number: int) -> str:
    return f"{number:,} {'matches' if number == 1 else 'match'}"
