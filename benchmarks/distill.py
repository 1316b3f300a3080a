"""Summaries of ensembles: what they cost beside the ensemble, and beside the slow way."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

import sightline as sl
from benchmarks._ratio import Ratio, cpu_seconds
from sightline import _core


def ratios(large: bool) -> Iterator[Ratio]:
    yield ism_gains()
    yield ism_tree(500 if large else 100)
    yield from rule_set()


def ism_gains() -> Ratio:
    """All tests of the root together, against one question per outcome of each test."""
    X, y = make_classification(1_000, 20, n_informative=10, random_state=0)
    ensemble = sl.load(RandomForestClassifier(25, random_state=0).fit(X, y))
    prepared = _core.IsmEnsemble(ensemble.core, "mean", list(ensemble.link.divide_by), 0.0, 0)
    options = _core.IsmOptions(
        variant="t",
        mixture_gain=True,
        gain_ratio=False,
        literal_matching=False,
        pooled_probability=True,
        stop_on_rows=True,
        stop_when_safe=True,
        m=0.0,
        max_leaves=0,
        max_nodes=1,
        max_depth=-1,
        max_seconds=1e9,
    )
    rows = sl.Table.from_any(X[:1])
    labels, probabilities = np.zeros(1, dtype=np.int32), np.array([1.0, 0.0])
    tests = [t for t, threshold in enumerate(prepared.test_threshold) if np.isfinite(threshold)]

    def together() -> None:
        for _ in range(20):
            prepared.gains(rows.native(), labels, probabilities, np.ones(1), options, [])

    def one_by_one() -> None:
        for test in tests:
            prepared.expected([(test, 0)])
            prepared.expected([(test, 1)])

    job = f"ISM: {len(tests):,} tests of one node, {ensemble.n_nodes:,} nodes"
    return Ratio(
        job, cpu_seconds(together) / 20, cpu_seconds(one_by_one, 1), "each test by itself", bound=1 / 500
    )


def ism_tree(n_trees: int) -> Ratio:
    X, y = make_classification(20_000, 20, n_informative=10, random_state=0)
    forest = RandomForestClassifier(n_trees, random_state=0)
    training = cpu_seconds(lambda: forest.fit(X, y), 1)
    ensemble = sl.load(forest)
    ours = cpu_seconds(lambda: sl.ISMClassifier(ensemble, max_leaves=50).fit(X), 1)
    return Ratio(
        f"ISM: 50 leaves from {n_trees} full trees, 20,000 x 20",
        ours,
        training,
        "training the forest",
        bound=0.2,
    )


def rule_set() -> Iterator[Ratio]:
    """About 1,000 rules of 25 trees, half of their conditions being enough for a vote."""
    X, y = make_classification(100_000, 20, n_informative=10, random_state=0)
    bagged = sl.BaggedTreesClassifier(sl.C45Classifier(binary_splits=True, max_leaves=40), random_state=0)
    growing = cpu_seconds(lambda: bagged.fit(X[:20_000], y[:20_000]), 1)
    given = sl.RuleSetClassifier(bagged, pc=0.5, wr=0.3)
    reading = cpu_seconds(lambda: given.fit(X[:20_000], y[:20_000]))
    rules = given.rules_
    yield Ratio(
        f"rules: predict 100,000 rows, {rules.n_rules:,} rules, partial matches",
        cpu_seconds(lambda: rules.predict(X), 5),
        cpu_seconds(lambda: bagged.predict(X), 5),
        "the ensemble's own prediction",
        bound=3.0,
    )
    chosen = sl.RuleSetClassifier(bagged)
    choosing = cpu_seconds(lambda: chosen.fit(X[:20_000], y[:20_000])) - reading
    yield Ratio(
        "rules: choose pc and wr, 120 pairs, 20,000 rows", choosing, growing, "growing the trees", bound=1.0
    )
    slow = cpu_seconds(lambda: _slow_votes(rules, X[:2_000]), 1) * 50
    yield Ratio(
        "rules: votes of 100,000 rows",
        cpu_seconds(lambda: rules.votes(X)),
        slow,
        "numpy, a matrix of rows by rules",
        bound=0.1,
    )


def _slow_votes(rules: sl.RuleSet, X: np.ndarray) -> np.ndarray:
    """The same votes by plain matrices; the reference that the kernel is measured against."""
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
