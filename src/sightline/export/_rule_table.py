"""A rule set as exporters read it: the vote of each rule by its number of satisfied conditions."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.export._plain_nodes import plain_label
from sightline.model import ANY_NUMBER, RuleSet
from sightline.table import Schema

NO_VOTE = _core.NO_VOTE
"""Votes up to here are rounding of votes that cancel out."""

TIE = _core.VOTE_TIE
"""Votes that differ by less than this share of the largest are equal."""


class Bounds(NamedTuple):
    """The numbers that satisfy a condition: above ``low``, up to ``high``; None is no bound.

    ``is_empty`` says that no number does, as for "has no value", which is stored as above the largest number.
    """

    low: float | None
    high: float | None
    is_empty: bool


@dataclass(frozen=True)
class RuleTable:
    """Parallel arrays of conditions and rules.

    Attributes
    ----------
    schema : Schema
        Names and categories of the features.
    classes_ : list or None
        The labels as plain Python values; None if the rules predict numbers.
    rules : RuleSet
        The rule set; ``rules.core`` has the arrays. Rules that predict numbers are there twice: as votes
        for weight times number, and as votes for weight. The answer is the quotient of the two.
    length : ndarray of int
        Conditions per rule.
    needed : ndarray of int
        Satisfied conditions from which a partial match of a rule votes; ``length`` if none does.
    fallback_needed : ndarray of int
        The same for rows on which nothing else votes.
    by_prior : list of int
        Indices of the classes; the first one wins ties.
    """

    schema: Schema
    classes_: list[Any] | None
    rules: RuleSet
    length: NDArray[np.int64]
    needed: NDArray[np.int64]
    fallback_needed: NDArray[np.int64]
    by_prior: list[int]

    @classmethod
    def of(cls, rules: RuleSet) -> RuleTable:
        """Tabulate a rule set."""
        rules.schema.check_named(np.unique(rules.core.feature).tolist())
        labels = None if rules.classes_ is None else [plain_label(label) for label in rules.classes_.tolist()]
        rules = _sums_of_numbers(rules) if labels is None else rules
        voting, length = rules.voting, np.asarray(rules.lengths)
        prior = voting.prior
        return cls(
            schema=rules.schema,
            classes_=labels,
            rules=rules,
            length=length,
            needed=_needed(voting.pc if voting.wr != 0 else 1.0, length),
            fallback_needed=_needed(1.0 if voting.fallback is None else voting.fallback, length),
            by_prior=sorted(range(len(prior)), key=lambda k: (-prior[k], k)),
        )

    @property
    def n_sums(self) -> int:
        """Number of sums that the rules vote for: classes, or the two of a mean."""
        return self.rules.core.n_classes

    @property
    def used(self) -> list[int]:
        """Features that occur in conditions, ascending."""
        return list(np.unique(self.rules.core.feature).tolist())

    @property
    def only_full(self) -> bool:
        """Whether only full matches vote."""
        return bool((self.needed >= self.length).all() and (self.fallback_needed >= self.length).all())

    def conditions(self, rule: int) -> list[int]:
        """Return the conditions of a rule."""
        begin, end = self.rules.core.condition_begin[rule : rule + 2]
        return list(self.rules.core.condition[begin:end].tolist())

    def bounds(self, condition: int) -> Bounds:
        """Return the numbers that satisfy a condition."""
        low, high = float(self.rules.core.low[condition]), float(self.rules.core.high[condition])
        return Bounds(
            low=low if low > -math.inf else None,
            high=high if high < ANY_NUMBER else None,
            is_empty=low >= min(high, ANY_NUMBER),
        )

    def codes(self, condition: int) -> list[int]:
        """Return the codes of the categories that satisfy a condition."""
        begin, end = self.rules.core.category_begin[condition : condition + 2]
        return list(self.rules.core.category[begin:end].tolist())


def _sums_of_numbers(rules: RuleSet) -> RuleSet:
    """Return rules that predict numbers as votes for two sums: weights times numbers, and weights."""
    core, n = rules.core, rules.n_rules
    shared = ("feature", "low", "high", "accepts_missing", "category_begin", "category")
    twice = _core.RuleSet(
        n_values=rules.schema.n_values,
        n_classes=2,
        n_trees=core.n_trees,
        **{name: getattr(core, name) for name in shared},
        condition_begin=np.append(core.condition_begin, core.condition_begin[1:] + core.condition_begin[-1]),
        condition=np.tile(core.condition, 2),
        label=np.repeat(np.arange(2, dtype=np.int32), n),
        weight=np.append(np.asarray(core.weight) * np.asarray(rules.values), core.weight),
        source_begin=np.append(core.source_begin, core.source_begin[1:] + core.source_begin[-1]),
        source=np.tile(core.source, 2),
    )
    voting = replace(rules.voting, prior=(rules.voting.prior[0], 1.0), base=(0.0, 0.0))
    return RuleSet(twice, rules.schema, np.arange(2), voting)


def _needed(share: float, length: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of satisfied conditions that reaches a share, at least one."""
    counts = [max(1, _core.conditions_needed(share, n)) for n in length.tolist()]
    return np.minimum(np.array(counts, dtype=np.int64).reshape(-1), np.maximum(length, 1))
