"""Rules in words: their conditions, their evidence and how they vote."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import cached_property

import numpy as np

from sightline.model import ANY_NUMBER, RuleSet, stated_bounds
from sightline.wording import FeatureWording, all_of, number_text, percent, pluralize, pluralize_rows

VALUE_DIGITS = 4
"""Significant digits of the numbers that rules predict."""

_MAX_BASE = 8
"""Most classes whose votes before the first rule are named."""


class RuleWording(FeatureWording):
    """How the rules of one set read.

    Parameters
    ----------
    rules : RuleSet
        The rules.
    digits : int, default=6
        Significant digits of bounds. Bounds of one feature that would look alike get more.
    show_missing : bool, default=False
        Whether to mark the conditions that a missing value satisfies.
    row : mapping of int to float, optional
        Numbers by feature that will be shown beside the bounds.

    Examples
    --------
    >>> from sightline.show._example import credit_rules
    >>> wording = RuleWording(credit_rules())
    >>> wording.premise(0), wording.label(0)
    ('age <= 30 and income <= 2000', 'bad')
    """

    def __init__(
        self,
        rules: RuleSet,
        digits: int = 6,
        show_missing: bool = False,
        row: Mapping[int, float] | None = None,
    ) -> None:
        self.rules = rules
        core = rules.core
        self._feature: list[int] = core.feature.tolist()
        self._intervals = list(
            zip(stated_bounds(core.low).tolist(), stated_bounds(core.high).tolist(), strict=True)
        )
        # Lists: reading one entry of a native array costs as much as a whole sentence.
        self._condition: list[int] = core.condition.tolist()
        self._condition_begin: list[int] = core.condition_begin.tolist()
        self._accepts_missing: list[bool] = core.accepts_missing.astype(bool).tolist()
        self._label: list[int] = core.label.tolist()
        self._weight: list[float] = core.weight.tolist()
        self._condition_texts: dict[int, str] = {}
        self.show_missing = show_missing
        numbers: dict[int, list[float]] = {}
        for feature, bounds in zip(self._feature, self._intervals, strict=True):
            numbers.setdefault(feature, []).extend(bound for bound in bounds if abs(bound) < ANY_NUMBER)
        super().__init__(
            bounds=numbers,
            digits=digits,
            values={feature: [value] for feature, value in (row or {}).items()},
            **rules.schema.for_wording(),
        )

    def condition(self, condition: int, is_missing: bool = False) -> str:
        """Return one condition, as in ``30 < age <= 40``.

        If the value ``is_missing``, a condition that it meets says so, as in ``30 < age <= 40 or missing``.
        """
        text = self._condition_texts.get(condition)
        if text is None:
            text = self._condition_texts[condition] = self._condition_text(condition)
        is_marked = (is_missing or self.show_missing) and self._accepts_missing[condition]
        if not is_marked or self.needs_missing(condition):
            return text
        return self.met_by_missing(self._feature[condition], text)

    def _condition_text(self, condition: int) -> str:
        feature = self._feature[condition]
        low, high = self._intervals[condition]
        if self.needs_missing(condition):
            return self.presence(feature, is_present=False)
        if self.categories[feature] is not None:
            return self.membership(feature, self._codes(condition))
        if low == -math.inf and high == math.inf:
            return self.presence(feature, is_present=True)
        return self.interval(feature, low, high)

    def bounds(self, condition: int) -> tuple[float, float]:
        """Return the numbers between which a condition on a number holds."""
        return self._intervals[condition]

    def _codes(self, condition: int) -> list[int]:
        begin, end = self.rules.core.category_begin[condition : condition + 2]
        codes: list[int] = self.rules.core.category[begin:end].tolist()
        return codes

    def needs_missing(self, condition: int) -> bool:
        """Return whether only a missing value satisfies a condition."""
        if not self._accepts_missing[condition]:
            return False
        if self.categories[self._feature[condition]] is not None:
            return not self._codes(condition)
        low, high = self._intervals[condition]
        return bool(low >= min(high, ANY_NUMBER))

    @property
    def hides_missing(self) -> bool:
        """Whether conditions that a missing value also satisfies do not say so."""
        accepting = (c for c, accepts in enumerate(self._accepts_missing) if accepts)
        return not self.show_missing and any(not self.needs_missing(c) for c in accepting)

    def conditions(self, rule: int) -> list[int]:
        """Return the numbers of the conditions of a rule."""
        begin, end = self._condition_begin[rule : rule + 2]
        return self._condition[begin:end]

    def premise(self, rule: int, missing: Collection[int] = ()) -> str:
        """Return all conditions of a rule, joined; ``missing`` are the features without a value."""
        return all_of([self.condition(c, self._feature[c] in missing) for c in self.conditions(rule)])

    def label(self, rule: int) -> str:
        """Return the class that a rule votes for, or ``not`` the class it votes against; or its number."""
        if self.rules.values is not None:
            return number_text(float(self.rules.values[rule]), VALUE_DIGITS)
        name = self.class_names[self._label[rule]]
        return f"not {name}" if self._weight[rule] < 0 else name

    def evidence(self, rule: int) -> str:
        """Return how often a rule is right, or how far off its number is, and where it is from.

        As in ``80% of 25 rows, 75% of 8 unseen; in 3 of 9 trees``, or ``off by 1.2 on 25 rows, by 2.5
        on 8 unseen``. Unseen rows are those that at least one of these trees was not trained on.
        """
        coverage, quality, unseen, on_unseen = (float(array[rule]) for array in self.rules.statistics.arrays)
        parts = []
        if coverage > 0:
            parts.append(f"{self._quality(quality)} {self._rows(coverage)}")
        elif coverage == 0:
            parts.append("no training rows")
        if unseen > 0:
            n_unseen = self._rows(unseen).removesuffix(" rows").removesuffix(" row")
            parts = [", ".join([*parts, f"{self._quality(on_unseen, bool(parts))} {n_unseen} unseen"])]
        if self.rules.n_trees > 1:
            parts.append(f"in {self.rules.multiplicity[rule]:,} of {self.rules.n_trees:,} trees")
        return "; ".join(parts)

    def _rows(self, weight: float) -> str:
        return pluralize_rows(weight, is_weighted=self.rules.schema.subject.is_weighted)

    def _quality(self, value: float, is_repeated: bool = False) -> str:
        if self.rules.values is None:
            return f"{percent(value)} of"
        return f"{'by' if is_repeated else 'off by'} {number_text(value, 3)} on"

    def weight(self, rule: int) -> str:
        """Return the weight of a full match, without its sign."""
        return number_text(abs(self._weight[rule]), 3)

    @cached_property
    def class_names(self) -> list[str]:
        """The classes in order; none if the rules predict numbers."""
        return [] if self.rules.values is not None else [self.text(label) for label in self.rules.classes_]


def strongest_first(rules: RuleSet) -> list[int]:
    """Return the rules by weight, then by coverage, then by number."""
    coverage = np.nan_to_num(rules.statistics.coverage)
    order = np.lexsort((-coverage, -np.abs(np.asarray(rules.core.weight))))
    return [int(rule) for rule in order]


def counted_lines(rules: RuleSet) -> list[str]:
    """Return a sentence that says whose labels the percentages count, unless these are the labels of rows."""
    counts_ensemble = rules.classes_ is not None and rules.schema.subject.counts_ensemble
    return ["Percentages of rows count the ensemble's labels."] if counts_ensemble else []


def voting_text(rules: RuleSet) -> str:
    """Say how rules vote, or are averaged."""
    voting = rules.voting
    if rules.values is not None:
        return _averaging_text(rules)
    text = "A rule votes with its full weight when all its conditions hold."
    if voting.has_partial:
        text += (
            f" When at least {percent(voting.pc)} of them hold, it votes with "
            f"{number_text(voting.wr, 3)} times that share."
        )
    return f"{text} {_base_text(rules)}" if any(voting.base) else text


def _base_text(rules: RuleSet) -> str:
    """Say which votes there are before the first rule, the most first."""
    base, names = np.asarray(rules.voting.base), RuleWording(rules).class_names
    order = [int(k) for k in np.argsort(-np.abs(base), kind="stable") if base[k] != 0]
    votes = ", ".join(f"{names[k]} {number_text(float(base[k]), 2)}" for k in order[:_MAX_BASE])
    n_more = len(order) - _MAX_BASE
    more = f" and {pluralize(n_more, 'class', 'classes')} with fewer" if n_more > 0 else ""
    return f"Votes before the first rule: {votes}{more}."


def _averaging_text(rules: RuleSet) -> str:
    voting = rules.voting
    text = "The prediction is the weighted mean of the rules whose conditions all hold."
    if voting.has_partial:
        text += (
            f" If at least {percent(voting.pc)} of a rule's conditions hold, it counts with "
            f"{number_text(voting.wr, 3)} times that share."
        )
    return f"{text} If there is none, it is {number_text(voting.prior[0], VALUE_DIGITS)}."
