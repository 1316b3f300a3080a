"""How much each rule, and each column in its conditions, moves the answers for rows."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sightline import _core
from sightline.model import RuleSet
from sightline.show.rules._wording import strongest_first


class RuleEffects:
    """Matches and effects of rules on some rows.

    The effect of a rule is what the answer would lose without it. It is divided evenly among the
    conditions of the rule that hold.

    Parameters
    ----------
    rules : RuleSet
        The rules.
    holds : ndarray of bool of shape (n_rows, n_conditions)
        Whether each of the different conditions holds.
    codes : ndarray of shape (n_rows,)
        Indices of the predicted classes; zeros if numbers are predicted.

    Attributes
    ----------
    n_satisfied : ndarray of shape (n_rows, n_rules)
        Conditions of each rule that hold.
    """

    def __init__(self, rules: RuleSet, holds: NDArray[np.bool_], codes: NDArray[np.int32]) -> None:
        self.rules = rules
        self.holds = holds
        self.codes = codes
        core = rules.core
        n_entries = len(core.condition)
        # A condition that a rule names twice counts twice.
        self._members = csr_array(
            (np.ones(n_entries), np.asarray(core.condition), np.asarray(core.condition_begin)),
            shape=(rules.n_rules, len(core.feature)),
        )
        self.n_satisfied: NDArray[np.float64] = (self._members @ self.holds.T.astype(np.float64)).T

    @cached_property
    def share(self) -> NDArray[np.float64]:
        """Share of the conditions of each rule that hold: (n_rows, n_rules)."""
        lengths = self.rules.lengths
        return np.divide(self.n_satisfied, lengths, out=np.ones_like(self.n_satisfied), where=lengths > 0)

    @cached_property
    def is_full(self) -> NDArray[np.bool_]:
        """Whether all conditions of each rule hold."""
        return np.asarray(self.n_satisfied == self.rules.lengths)

    @cached_property
    def _first_strength(self) -> NDArray[np.float64]:
        """With which factor of its weight each rule votes, before the fallback."""
        voting = self.rules.voting
        return np.where(self.is_full, 1.0, voting.wr * self._partial(voting.pc if voting.wr else 1.0))

    @cached_property
    def _falls_back(self) -> NDArray[np.bool_]:
        """Which rows get no vote, so that rules that nearly hold decide."""
        voting = self.rules.voting
        if voting.fallback is None:
            return np.zeros(len(self.codes), dtype=bool)
        votes = self._summed(self._first_strength)
        if self.rules.values is not None:
            is_silent = votes[:, 0] <= _core.NO_VOTE
        else:
            is_silent = _are_no_votes(np.asarray(voting.base) + votes)
        return np.asarray(is_silent & self._partial(voting.fallback).any(axis=1))

    @cached_property
    def strength(self) -> NDArray[np.float64]:
        """With which factor of its weight each rule votes."""
        if not self._falls_back.any():
            return self._first_strength
        near = self._partial(self.rules.voting.fallback or 0.0)
        return np.where(self._falls_back[:, None], near, self._first_strength)

    def _partial(self, least: float) -> NDArray[np.float64]:
        """Return the shares of rules that hold in part, if at least so much of them holds."""
        needed = np.maximum(1.0, np.ceil(least * self.rules.lengths - _core.SHARE_ROUNDING))
        return np.where(~self.is_full & (self.n_satisfied >= needed), self.share, 0.0)

    @property
    def _weight(self) -> NDArray[np.float64]:
        return np.asarray(self.rules.core.weight)

    def _summed(self, strength: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up weights by class.

        Rule by rule rather than as a product of matrices, whose last digits depend on the number of rows.
        """
        votes = np.zeros((len(strength), self.rules.core.n_classes))
        labels = self.rules.core.label.tolist()
        for rule, (label, weight) in enumerate(zip(labels, self._weight.tolist(), strict=True)):
            votes[:, label] += weight * strength[:, rule]
        return votes

    @cached_property
    def votes(self) -> NDArray[np.float64]:
        """The votes of each row for each class, without the prior; what a fallback decides has no base."""
        base = np.where(self._falls_back[:, None], 0.0, np.asarray(self.rules.voting.base))
        return np.asarray(base + self._summed(self.strength))

    @cached_property
    def changes(self) -> NDArray[np.float64]:
        """How much each rule raised the probability of the predicted class, or the number."""
        return self._number_changes() if self.rules.values is not None else self._vote_changes()

    def _number_changes(self) -> NDArray[np.float64]:
        values = np.asarray(self.rules.values)
        weights = self.strength * self._weight
        sums = weights * values
        total, weight = self._summed(self.strength * values), self._summed(self.strength)
        prior = self.rules.voting.prior[0]
        return np.asarray(
            np.where(
                weights > 0, _mean(total, weight, prior) - _mean(total - sums, weight - weights, prior), 0.0
            )
        )

    def _vote_changes(self) -> NDArray[np.float64]:
        votes, prior = self.votes, np.asarray(self.rules.voting.prior)
        before = _share_of(votes, prior, self.codes)
        changes = np.zeros_like(self.strength)
        for rule, (label, weight) in enumerate(
            zip(self.rules.core.label.tolist(), self._weight, strict=True)
        ):
            rows = np.flatnonzero(self.strength[:, rule])
            without = votes[rows]
            without[:, label] -= self.strength[rows, rule] * weight
            changes[rows, rule] = before[rows] - _share_of(without, prior, self.codes[rows])
        return changes

    @cached_property
    def leading(self) -> NDArray[np.int64]:
        """The strongest rule that holds and votes for the label of each row; -1 if there is none."""
        rules = self.rules
        leading = np.full(len(self.codes), -1, dtype=np.int64)
        # The weakest first, so that the strongest has the last word.
        for rule in reversed(strongest_first(rules)):
            if rules.values is not None:
                leading[self.is_full[:, rule]] = rule
            elif rules.core.weight[rule] > 0:
                leading[self.is_full[:, rule] & (self.codes == rules.core.label[rule])] = rule
        return leading

    @cached_property
    def takes_part(self) -> NDArray[np.bool_]:
        """Whether each condition holds and belongs to a rule that votes: (n_rows, n_conditions)."""
        voting = (self.strength != 0).astype(np.float64)
        return np.asarray(((self._members.T @ voting.T).T > 0) & self.holds)

    @cached_property
    def column_of(self) -> dict[int, int]:
        """The column of :attr:`by_feature` of each feature that the rules test."""
        return {int(feature): i for i, feature in enumerate(np.unique(self.rules.core.feature))}

    @cached_property
    def by_feature(self) -> NDArray[np.float64]:
        """How much the conditions on each tested feature moved the answer: (n_rows, n_tested)."""
        per_condition = np.divide(
            self.changes, self.n_satisfied, out=np.zeros_like(self.changes), where=self.n_satisfied > 0
        )
        moved = (self._members.T @ per_condition.T) * self.holds.T
        column = [self.column_of[feature] for feature in self.rules.core.feature.tolist()]
        cells = (np.ones(len(column)), (column, np.arange(len(column))))
        return np.asarray((csr_array(cells, shape=(len(self.column_of), len(column))) @ moved).T)


def _are_no_votes(votes: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray((np.abs(votes) <= _core.NO_VOTE).all(axis=1))


def _share_of(
    votes: NDArray[np.float64], prior: NDArray[np.float64], codes: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return the share of one class in the votes of each row, as ``RuleSet.answers`` does."""
    votes = np.where(_are_no_votes(votes)[:, None], prior, votes)
    raised = votes - np.minimum(votes.min(axis=1, keepdims=True), 0.0)
    total = raised.sum(axis=1)
    equal = np.full(len(votes), 1 / votes.shape[1])
    return np.asarray(np.divide(raised[np.arange(len(votes)), codes], total, out=equal, where=total > 0))


def _mean(total: NDArray[np.float64], weight: NDArray[np.float64], prior: float) -> NDArray[np.float64]:
    return np.divide(total, weight, out=np.full_like(total, prior), where=weight > _core.NO_VOTE)
