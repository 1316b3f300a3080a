"""ISM against training its ensemble, and against testing one condition at a time."""

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


def ism_gains() -> Ratio:
    """All tests of the root at once, against one pass per outcome of each test."""
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
        job, cpu_seconds(together) / 20, cpu_seconds(one_by_one, 1), "one test at a time", bound=1 / 500
    )


def ism_tree(n_trees: int) -> Ratio:
    X, y = make_classification(20_000, 20, n_informative=10, random_state=0)
    forest = RandomForestClassifier(n_trees, random_state=0)
    training = cpu_seconds(lambda: forest.fit(X, y), 1)
    ensemble = sl.load(forest)
    ours = cpu_seconds(lambda: sl.ISMClassifier(ensemble, max_leaves=50).fit(X))
    return Ratio(
        f"ISM: 50 leaves from {n_trees} full trees, 20,000 x 20",
        ours,
        training,
        "training the forest",
        bound=0.1,
    )
