"""Exact merging against a time limit, and certificates against a slow reference."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, make_friedman1
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import sightline as sl
from benchmarks._memory import peak_bytes
from benchmarks._ratio import Ratio, cpu_seconds

DATASETS = Path(__file__).resolve().parents[2] / "shared" / "datasets"


def ratios(large: bool) -> Iterator[Ratio]:
    if DATASETS.is_dir():
        yield merge_breast_w()
    yield from merge_within_a_budget()
    yield certify_cells()
    yield certify_numbers()
    if large:
        yield memory_of_ten_million_nodes()


def merge_breast_w() -> Ratio:
    """25 C4.5 trees of depth 4 on breast-w, against a target of 0.2 s."""
    table = sl.read_table(DATASETS / "breast-w.arff")
    base = sl.C45Classifier(binary_splits=True, max_depth=4)
    bagged = sl.BaggedTreesClassifier(base, n_trees=25, random_state=0).fit(table.X, table.y)
    ours = cpu_seconds(lambda: sl.merge(bagged, missing=False), repeats=5)
    return Ratio("merge, 25 x depth 4, breast-w", ours, 0.2, "the target", bound=1.0, is_relative=False)


def merge_within_a_budget() -> Iterator[Ratio]:
    """The smallest tree that 50 ms find: the time it takes, and its leaves beside those of a second."""
    X, y = load_breast_cancer(return_X_y=True)
    tenths = np.quantile(X[:, :8], np.arange(0.1, 1, 0.1), axis=0)
    binned = (X[:, None, :8] > tenths).sum(axis=1)
    forest = sl.load(RandomForestClassifier(10, max_depth=3, random_state=0).fit(binned, y))

    def merged(seconds: float) -> sl.Tree | sl.Graph:
        return sl.merge(forest, missing=False, effort="smallest", max_seconds=seconds)

    job = "smallest merge in 50 ms, 10 x depth 3"
    yield Ratio(job, cpu_seconds(lambda: merged(0.05)), 0.05, "the budget", bound=1.2)
    leaves = [float(merged(seconds).n_leaves) for seconds in (0.05, 1.0)]
    yield Ratio(f"{job}, size", *leaves, "leaves in 1 s", bound=1.1, unit="leaves")


def certify_cells() -> Ratio:
    """A proof, against predicting every cell with both models, extrapolated from a sample."""
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(10, max_depth=4, random_state=0).fit(X[:, :6], y)
    return _against_cells("certify", sl.merge(forest, missing=False), sl.load(forest))


def certify_numbers() -> Ratio:
    """The largest difference between a tree of 16 leaves and 100 trees of 31, against every cell."""
    X, y = make_friedman1(5000, n_features=10, noise=1.0, random_state=0)
    forest = RandomForestRegressor(100, max_leaf_nodes=31, random_state=0).fit(X, y)
    tree = sl.DistilledTreeRegressor(forest, max_leaves=16, random_state=0).fit(X, y).tree_
    return _against_cells("certify numbers, 100 x 31 leaves", tree, sl.load(forest))


def _against_cells(job: str, tree: sl.Tree, ensemble: sl.Ensemble) -> Ratio:
    ours = cpu_seconds(lambda: sl.certify(tree, ensemble, missing=False))
    cores = [tree.core, *ensemble.core.trees]
    cuts = [
        sorted({float(t) for core in cores for t in core.threshold[core.feature == feature]})
        for feature in range(len(tree.schema))
    ]
    axes = [[*values, math.nextafter(values[-1], math.inf)] if values else [0.0] for values in cuts]
    n_cells = math.prod(map(len, axes))
    rows = np.array(list(itertools.islice(itertools.product(*axes), 100_000)))

    def predict_both() -> None:
        tree.predict(rows)
        ensemble.predict(rows)

    peer = cpu_seconds(predict_both) * n_cells / len(rows)
    return Ratio(f"{job}, {n_cells:.1e} cells", ours, peer, "predicting every cell", bound=0.01)


def memory_of_ten_million_nodes() -> Ratio:
    """Peak memory of a process that merges up to ten million nodes, against 4 GB.

    The result is smaller: it is the last round that fits the budget.
    """
    program = (
        "import sightline as sl\n"
        "from sklearn.datasets import load_breast_cancer\n"
        "from sklearn.ensemble import RandomForestClassifier\n"
        "X, y = load_breast_cancer(return_X_y=True)\n"
        "forest = RandomForestClassifier(40, max_depth=5, random_state=0).fit(X, y)\n"
        "tree = sl.merge(forest, max_nodes=10_000_000, max_seconds=3600)\n"
        "assert tree.proof.n_boxes >= 9_900_000, tree\n"
    )
    megabytes = peak_bytes(program) / 1e6
    return Ratio("merge to 10,000,000 nodes, peak", megabytes, 4096.0, "4 GB", bound=1.0, unit="MB")
