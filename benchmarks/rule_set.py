"""Voting rules against the ensemble that they came from, and against plain matrices."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.datasets import make_classification

import sightline as sl
from benchmarks._ratio import Ratio, cpu_seconds, side_by_side


def ratios(large: bool) -> Iterator[Ratio]:
    """About 1,000 rules from 25 trees; half of a rule's conditions are enough for a vote."""
    X, y = make_classification(1_000_000 if large else 100_000, 20, n_informative=10, random_state=0)
    bagged = sl.BaggedTreesClassifier(sl.C45Classifier(binary_splits=True, max_leaves=40), random_state=0)
    growing = cpu_seconds(lambda: bagged.fit(X[:20_000], y[:20_000]), 1)
    given = sl.RuleSetClassifier(bagged, pc=0.5, wr=0.3)
    reading = cpu_seconds(lambda: given.fit(X[:20_000], y[:20_000]))
    rules = given.rules_
    yield Ratio(
        f"rules: predict {len(X):,} rows, {rules.n_rules:,} rules, partial matches",
        *side_by_side(lambda: rules.predict(X), lambda: bagged.predict(X), repeats=20),
        "the ensemble's own prediction",
        bound=3.0,
    )
    chosen = sl.RuleSetClassifier(bagged)
    choosing = cpu_seconds(lambda: chosen.fit(X[:20_000], y[:20_000])) - reading
    yield Ratio(
        "rules: choose pc and wr, 120 pairs, 20,000 rows", choosing, growing, "growing the trees", bound=1.0
    )
    votes, slow = side_by_side(lambda: rules.votes(X), lambda: _slow_votes(rules, X[:2_000]), repeats=10)
    yield Ratio(
        f"rules: votes of {len(X):,} rows",
        votes,
        slow * len(X) / 2_000,
        "numpy, a matrix of rows by rules",
        bound=0.1,
    )


def _slow_votes(rules: sl.RuleSet, X: np.ndarray) -> np.ndarray:
    """The same votes with plain matrices: the kernel's reference."""
    core, voting = rules.core, rules.voting
    holds = np.column_stack(
        [
            (X[:, f] > low) & (X[:, f] <= high)
            for f, low, high in zip(core.feature, core.low, core.high, strict=True)
        ]
    )
    begin = core.condition_begin
    share = np.add.reduceat(holds[:, core.condition], begin[:-1], axis=1) / np.diff(begin)
    match = np.where(share == 1, 1.0, np.where(share >= voting.pc, voting.wr * share, 0.0))
    return (match * core.weight) @ np.eye(core.n_classes)[core.label]
