"""Which rules decide: full or partial matches, and how many of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.model._rows import native_rows
from sightline.wording import percent, pluralize_rows

if TYPE_CHECKING:
    from sightline.model._rule_set import RuleSet

_BLOCK = 4096
"""Rows whose matches with all rules are held at once."""


@dataclass(frozen=True)
class DecidingRules:
    """How rules determine the labels of rows.

    Attributes
    ----------
    settled_by : ndarray of str
        Per row: "full" if the rules whose conditions all hold, with the votes before the first rule, give
        the same label alone; "partial" if the label depends on partial matches; "none" if no rule votes.
    n_full, n_partial : ndarray of int
        Per row: rules that match fully, and in part.
    n_sufficient : ndarray of int
        Per row: how many of the strongest votes for the label already exceed all votes for the runner-up.
    is_unanimous : ndarray of bool
        Per row: whether all rules that match fully vote for the label, and some do.
    """

    settled_by: NDArray[np.str_]
    n_full: NDArray[np.int64]
    n_partial: NDArray[np.int64]
    n_sufficient: NDArray[np.int64]
    is_unanimous: NDArray[np.bool_]

    @property
    def shares(self) -> dict[str, float]:
        """Share of the rows that each way settles, and of those on which full matches are unanimous."""
        n_rows = len(self.settled_by)
        shares = {way: float((self.settled_by == way).sum()) / n_rows for way in ("full", "partial", "none")}
        return shares | {"unanimous": float(self.is_unanimous.sum()) / n_rows}

    def __str__(self) -> str:
        shares = self.shares
        return (
            f"Of {pluralize_rows(float(len(self.settled_by)))}, full matches settle "
            f"{percent(shares['full'])}, partial matches {percent(shares['partial'])}; for "
            f"{percent(shares['none'])} no rule votes. All full matches agree on "
            f"{percent(shares['unanimous'])}. On average {self.n_full.mean():.1f} rules match fully and "
            f"{self.n_partial.mean():.1f} in part, and {self.n_sufficient.mean():.1f} of them are enough "
            "for the label."
        )


def deciding_rules(rules: RuleSet, X: Any) -> DecidingRules:
    """Return how rules determine the labels of rows; see :meth:`RuleSet.deciding`."""
    table = native_rows(X, rules.schema, "RuleSet")
    holds = rules.core.holds(table).astype(np.float32)
    uses = np.zeros((rules.core.n_conditions, rules.n_rules), dtype=np.float32)
    of_rule = np.repeat(np.arange(rules.n_rules), rules.lengths)
    uses[rules.core.condition, of_rule] = 1
    votes = rules.votes(X)
    winners = np.asarray(rules.winners(votes))
    parts = [
        _of_block(rules, holds[begin : begin + _BLOCK] @ uses, winners[begin : begin + _BLOCK])
        for begin in range(0, len(votes), _BLOCK)
    ]
    return DecidingRules(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _of_block(
    rules: RuleSet, n_satisfied: NDArray[np.float32], winners: NDArray[np.int64]
) -> tuple[NDArray[Any], ...]:
    voting, labels, weight = rules.voting, rules.core.label, np.asarray(rules.core.weight)
    lengths = rules.lengths.astype(np.float64)
    share = np.divide(n_satisfied, lengths, out=np.ones(n_satisfied.shape), where=lengths > 0)
    is_full = n_satisfied >= lengths
    is_partial = ~is_full & (share > 0) & (share >= voting.pc - _core.SHARE_ROUNDING) & (voting.wr > 0)
    strength = weight * np.where(is_full, 1.0, np.where(is_partial, voting.wr * share, 0.0))
    of_class = (labels[:, None] == np.arange(len(rules.classes_))).astype(np.float64)
    base = np.asarray(voting.base)
    full_votes = base + (weight * is_full) @ of_class
    all_votes = base + strength @ of_class
    is_silent = ~(is_full | is_partial).any(axis=1)
    by_full = np.asarray(rules.winners(np.ascontiguousarray(full_votes))) == winners
    by_full &= is_full.any(axis=1) | (base != 0).any()
    settled = np.where(is_silent, "none", np.where(by_full, "full", "partial"))
    for_label = np.where(labels[None, :] == winners[:, None], np.maximum(strength, 0.0), 0.0)
    rows = np.arange(len(winners))
    others = all_votes.copy()
    others[rows, winners] = -np.inf
    needed = others.max(axis=1) - base[winners] if others.shape[1] > 1 else np.zeros(len(winners))
    sums = np.cumsum(-np.sort(-for_label, axis=1), axis=1)
    n_sufficient = np.minimum(
        (sums < needed[:, None]).sum(axis=1) + (needed >= 0), (for_label > 0).sum(axis=1)
    )
    for_winner = (labels[None, :] == winners[:, None]) == (weight >= 0)
    unanimous = is_full.any(axis=1) & (for_winner | ~is_full).all(axis=1)
    return settled, is_full.sum(axis=1), is_partial.sum(axis=1), n_sufficient, unanimous
