"""What rules predict for rows and why: which rules vote, and what their columns contribute."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.model import ANY_NUMBER, BlackBox, Ensemble, Reason, RuleSet, RuleVote, finite_or_none
from sightline.show._model_findings import ModelFindings, missing_text
from sightline.show._row import Rows
from sightline.show.rules._effects import RuleEffects
from sightline.show.rules._explain import RuleSentences
from sightline.show.rules._patterns import RulePatterns, equal_keys
from sightline.show.rules._wording import RuleWording

_MOST = 0.5
"""A label that more than this share of the rows has is the usual one."""


@dataclass(frozen=True)
class _Pattern:
    """Findings shared by all rows for which the same rules vote.

    Attributes
    ----------
    reasons : dict of int to Reason
        By feature, the strongest first; without the values of a row.
    votes : tuple of RuleVote
        The rules that vote, the strongest first.
    leading : int
        The strongest rule that holds and votes for the label; -1 if there is none.
    """

    reasons: dict[int, Reason]
    votes: tuple[RuleVote, ...]
    leading: int


class RuleFindings(ModelFindings):
    """The predictions of a rule set.

    Parameters
    ----------
    rules : RuleSet
        The rules.
    rows : Rows
        The rows.
    ensemble : Ensemble or BlackBox, optional
        What they summarize.
    mentions_ensemble : bool, default=True
        Whether the sentences say what the ensemble predicts.
    """

    def __init__(
        self,
        rules: RuleSet,
        rows: Rows,
        ensemble: Ensemble | BlackBox | None = None,
        mentions_ensemble: bool = True,
    ) -> None:
        codes, outputs = rules.answers(rows.table)
        # Rules that learned labels vote for these: their shares would be taken for a probability.
        has_shares_only = rules.classes_ is not None and rules.schema.subject.has_labels_only
        answers = codes, None if has_shares_only else outputs
        super().__init__(rows, rules.classes_, *answers, ensemble, mentions_ensemble)
        self._rule_set = rules
        self.target = rules.schema.subject.target
        self.is_weighted = rules.schema.subject.is_weighted
        self._known: dict[int, _Pattern] = {}
        self._joined_known: dict[tuple[int, ...], Reason] = {}
        self._known_premises: dict[tuple[int, frozenset[int]], str] = {}

    def sentences(self, row: int) -> str:
        """Name the rules that hold, and those that nearly do."""
        return self._with_opinion(RuleSentences(self._rule_set, self.rows.row(row)).text(), row)

    def conditions(self, row: int) -> tuple[Reason, ...]:
        """Return the conditions of the rules that vote, one per column, the strongest first."""
        return tuple(
            replace(reason, value=self.rows.value(feature, row))
            for feature, reason in self._pattern_of(row).reasons.items()
        )

    def rules(self, row: int) -> tuple[RuleVote, ...]:
        """Return the rules that vote, the strongest first."""
        return self._pattern_of(row).votes

    def support(self, row: int) -> tuple[float | None, float | None]:
        """Return the evidence of the strongest rule that holds and votes for the label."""
        return self._evidence[self._pattern_of(row).leading]

    def base_rate(self, row: int) -> float | None:
        """Return the share of the row's label among all training rows."""
        return self._rule_set.voting.prior[int(self.codes[row])] if self._counts_own_labels else None

    def is_usual(self, row: int) -> bool:
        """Return whether most training rows have the label: which one they get is not stored."""
        is_known = self.labels is not None
        return is_known and self._rule_set.voting.prior[int(self.codes[row])] > _MOST

    @property
    def _counts_own_labels(self) -> bool:
        """Whether rules count the labels of the rows themselves, not those that the ensemble gives them."""
        return self._rule_set.values is None and not self._rule_set.schema.subject.counts_ensemble

    def _own_columns(self, prove: bool) -> dict[str, NDArray[Any]]:  # noqa: ARG002
        """Return the strongest rule of each row with its evidence, and how many rules hold."""
        blocks = [(effects.leading, effects.is_full.sum(axis=1)) for effects, _ in self._patterns.blocks()]
        of_pattern = np.concatenate([leading for leading, _ in blocks])
        leading = of_pattern[self._patterns.of_row]
        return {
            "path": self._paths(of_pattern)[self._patterns.of_row],
            "support": np.array([one for one, _ in self._evidence], dtype=float)[leading],
            "precision": np.array([one for _, one in self._evidence], dtype=float)[leading],
            "n_rules": np.concatenate([n_full for _, n_full in blocks])[self._patterns.of_row],
        }

    def _paths(self, leading: NDArray[np.int64]) -> NDArray[Any]:
        """Return per pattern the conditions of its strongest rule, None without one."""
        pairs = zip(leading.tolist(), self._patterns.first.tolist(), strict=True)
        texts = [self._premise(rule, self._missing(row)) if rule >= 0 else None for rule, row in pairs]
        return np.array(texts, dtype=object)

    def _reason_columns(self, n: int) -> list[NDArray[Any]]:
        """Return the strongest conditions of all rows, in words."""
        ranked = [self._strongest(effects, first, n) for effects, first in self._patterns.blocks()]
        return list(np.concatenate(ranked)[self._patterns.of_row].T)

    def _strongest(self, effects: RuleEffects, first: NDArray[np.int64], n: int) -> NDArray[Any]:
        """Return the strongest conditions in some patterns; equal sets of conditions are worded once."""
        texts = np.full((len(first), len(effects.column_of)), None, dtype=object)
        strength = np.full(texts.shape, -1.0)
        for feature, column in effects.column_of.items():
            conditions = np.flatnonzero(np.asarray(self._features) == feature)
            own = effects.takes_part[:, conditions]
            takes_part = np.asarray(own.any(axis=1))
            keys = equal_keys(
                np.packbits(np.column_stack([self.rows.is_missing(feature, first), own]), axis=1)
            )
            _, examples, inverse = np.unique(keys, return_index=True, return_inverse=True)
            told = [
                self._joined(feature, conditions[own[i]].tolist(), int(first[i])).condition
                if takes_part[i]
                else None
                for i in examples.tolist()
            ]
            texts[:, column] = np.array(told, dtype=object)[inverse.ravel()]
            strength[:, column] = np.where(takes_part, np.abs(effects.by_feature[:, column]), -1.0)
        order = np.argsort(-strength, axis=1, kind="stable")[:, :n]
        ranked = np.full((len(first), n), None, dtype=object)
        ranked[:, : order.shape[1]] = np.take_along_axis(texts, order, axis=1)
        return ranked

    @cached_property
    def _patterns(self) -> RulePatterns:
        return RulePatterns(self._rule_set, self.rows, self.codes)

    def _pattern_of(self, row: int) -> _Pattern:
        return self._pattern(int(self._patterns.of_row[row]))

    def _pattern(self, index: int) -> _Pattern:
        if index not in self._known:
            effects, i = self._patterns.effects(index)
            row = int(self._patterns.first[index])
            self._known[index] = _Pattern(
                self._reasons(effects, i, row),
                self._votes(effects, i, row),
                int(effects.leading[i]),
            )
        return self._known[index]

    def _reasons(self, effects: RuleEffects, i: int, row: int) -> dict[int, Reason]:
        """Join the conditions that take part by feature, the one that moved the answer most first."""
        by_feature: dict[int, list[int]] = {}
        for condition in np.flatnonzero(effects.takes_part[i]).tolist():
            by_feature.setdefault(self._features[condition], []).append(condition)
        moved = {f: float(effects.by_feature[i, effects.column_of[f]]) for f in by_feature}
        return {
            feature: replace(self._joined(feature, by_feature[feature], row), change=moved[feature])
            for feature in sorted(sorted(by_feature), key=lambda feature: -abs(moved[feature]))
        }

    @cached_property
    def _features(self) -> list[int]:
        features: list[int] = self._rule_set.core.feature.tolist()
        return features

    def _joined(self, feature: int, conditions: list[int], row: int) -> Reason:
        """Join conditions on one feature that all hold."""
        if self.rows.is_missing(feature, row):
            column = self._rule_set.schema.features[feature]
            return Reason(column.name, missing_text(column), None, 0.0, unit=column.unit)
        key = tuple(conditions)
        if key not in self._joined_known:
            self._joined_known[key] = self._join(feature, conditions)
        return self._joined_known[key]

    def _join(self, feature: int, conditions: list[int]) -> Reason:
        core, known = self._rule_set.core, self._rule_set.schema.features[feature]
        if known.categories is None:
            ends = [self._wording.bounds(condition) for condition in conditions]
            low, high = max(low for low, _ in ends), min(high for _, high in ends)
            text = self._wording.interval(feature, low, high)
            most = high if high < ANY_NUMBER else None
            return Reason(
                known.name, text, None, 0.0, finite_or_none(low), most, unit=known.unit, kind=known.kind
            )
        begin = core.category_begin
        codes = set.intersection(*(set(core.category[begin[c] : begin[c + 1]].tolist()) for c in conditions))
        values = tuple(known.categories[code] for code in sorted(codes))
        text, excluded = self._wording.membership(feature, codes), self._wording.excluded(feature, codes)
        return Reason(known.name, text, None, 0.0, values=values, excluded=excluded)

    def _votes(self, effects: RuleEffects, i: int, row: int) -> tuple[RuleVote, ...]:
        strength = np.abs(effects.strength[i] * np.asarray(self._rule_set.core.weight))
        order = [int(rule) for rule in np.argsort(-strength, kind="stable") if strength[rule]]
        missing = self._missing(row)
        return tuple(
            RuleVote(
                rule,
                self._premise(rule, missing),
                self._labels[rule],
                float(self._rule_set.core.weight[rule]),
                float(effects.share[i, rule]),
                float(effects.changes[i, rule]),
                *self._evidence[rule],
            )
            for rule in order
        )

    @cached_property
    def _wording(self) -> RuleWording:
        return RuleWording(self._rule_set)

    @cached_property
    def _accepting(self) -> list[int]:
        """The features with a condition that a missing value meets."""
        core = self._rule_set.core
        features: list[int] = np.unique(core.feature[core.accepts_missing.astype(bool)]).tolist()
        return features

    def _missing(self, row: int) -> frozenset[int]:
        """Return those of these features that are missing in a row."""
        return frozenset(feature for feature in self._accepting if self.rows.is_missing(feature, row))

    def _premise(self, rule: int, missing: frozenset[int]) -> str:
        """Return the conditions of a rule; those that hold for a missing value say so."""
        if (rule, missing) not in self._known_premises:
            self._known_premises[rule, missing] = self._wording.premise(rule, missing)
        return self._known_premises[rule, missing]

    @cached_property
    def _labels(self) -> list[Any]:
        labels: list[Any] = self._rule_set.labels.tolist()
        return labels

    @cached_property
    def _evidence(self) -> list[tuple[float | None, float | None]]:
        """Support and precision of every rule, and of none at the end.

        How often a rule gives the ensemble's label does not say how often it is right.
        """
        statistics = self._rule_set.statistics
        support = statistics.coverage.tolist()
        precision = [math.nan] * len(support)
        if self._counts_own_labels:
            precision = statistics.precision.tolist()
        pairs = zip(support, precision, strict=True)
        return [*((finite_or_none(one), finite_or_none(other)) for one, other in pairs), (None, None)]
