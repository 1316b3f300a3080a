"""Stump ensembles: generating candidates and hill-climbing, and how the cost grows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

import sightline as sl
from benchmarks._ratio import Ratio, cpu_seconds
from sightline import _core


def ratios(large: bool) -> Iterator[Ratio]:
    yield like_sonar()
    yield many_rows()
    yield more_rows(40_000 if large else 20_000)
    yield one_stump()
    yield graph_search()


def like_sonar() -> Ratio:
    """All 3,660 choices of one or two of 60 attributes on 208 rows, the size of sonar; an absolute bound."""
    X, y = make_classification(208, 60, n_informative=15, random_state=0)
    ours = cpu_seconds(lambda: sl.StumpEnsembleClassifier().fit(X, y), 5)
    return Ratio(
        "stumps: generate and climb, 208 x 60, depth 2",
        ours,
        0.05,
        "the target",
        bound=1.0,
        is_relative=False,
    )


def many_rows() -> Ratio:
    X, y = make_classification(20_000, 50, n_informative=15, random_state=0)
    ours = cpu_seconds(lambda: sl.StumpEnsembleClassifier().fit(X, y), 1)
    return Ratio(
        "stumps: generate and climb, 20,000 x 50, depth 2",
        ours,
        20.0,
        "the target",
        bound=1.0,
        is_relative=False,
    )


def more_rows(n_rows: int) -> Ratio:
    """Cost per row, against the cost per row of a quarter of the rows."""
    X, y = make_classification(n_rows, 20, n_informative=10, random_state=0)

    def per_row(n: int) -> float:
        return cpu_seconds(lambda: sl.StumpEnsembleClassifier().fit(X[:n], y[:n]), 3) / n * 1e6

    job = f"stumps: per row, {n_rows:,} against {n_rows // 4:,} rows x 20"
    return Ratio(
        job, per_row(n_rows), per_row(n_rows // 4), "a quarter of the rows", bound=1.5, unit="µs CPU"
    )


def one_stump() -> Ratio:
    """Cost of one candidate, against a tree of the same depth fitted to two columns."""
    X, y = make_classification(1_000, 20, n_informative=10, random_state=0)
    table, labels = sl.Table.from_any(X), y.astype(np.int32)

    def generate() -> None:
        _core.StumpPool(table.native(), labels, 2).generate()

    def fit_pairs() -> None:
        for second in range(20):
            DecisionTreeClassifier(max_depth=2, criterion="entropy").fit(X[:, [0, second]], y)

    job = "stumps: one candidate of depth 2, 1,000 rows"
    ours, peer = cpu_seconds(generate) / 420, cpu_seconds(fit_pairs) / 20
    return Ratio(
        job, 1e6 * ours, 1e6 * peer, "scikit-learn's tree over two columns", bound=0.1, unit="µs CPU"
    )


def graph_search() -> Ratio:
    """Nodes that the search for an order saves."""
    X, y = make_classification(1_000, 10, n_informative=8, random_state=0)
    stumps = sl.StumpEnsembleClassifier().fit(np.round(X, 1), y)
    found = stumps.to_graph(max_nodes=100_000).n_nodes
    usual = stumps.to_graph(max_nodes=100_000, search=False).n_nodes
    job = f"stumps: graph of {len(stumps.stumps_)} stumps"
    return Ratio(job, found, usual, "most used attributes first", bound=0.9, unit="nodes")
