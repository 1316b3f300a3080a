"""Distilled trees against training their ensemble, and against scikit-learn's tree."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.datasets import make_classification, make_friedman1
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import sightline as sl
from benchmarks._ratio import Ratio, cpu_seconds
from sightline import _core


def ratios(large: bool) -> Iterator[Ratio]:
    yield distilled_tree(500 if large else 100)
    yield distilled_size()
    yield numbers_beside_classes()
    yield size_of_numbers()
    yield alternation_pass()


def distilled_tree(n_trees: int) -> Ratio:
    X, y = make_classification(20_000, 20, n_informative=10, random_state=0)
    forest = RandomForestClassifier(n_trees, random_state=0)
    training = cpu_seconds(lambda: forest.fit(X, y), 1)
    ensemble = sl.load(forest)
    distiller = sl.DistilledTreeClassifier(ensemble, max_leaves=50, random_state=0)
    ours = cpu_seconds(lambda: distiller.fit(X))
    job = f"distilled tree: 50 leaves from {n_trees} full trees, 20,000 x 20"
    return Ratio(job, ours, training, "training the forest", bound=0.1)


def distilled_size() -> Ratio:
    """One more size of a fitted tree, against a best-first tree on the same rows."""
    X, y = make_classification(20_000, 20, n_informative=10, random_state=0)
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    distiller = sl.DistilledTreeClassifier(forest, max_leaves=2, random_state=0).fit(X)
    rows = distiller.distillation_set_
    all_rows, labels, weights = np.asarray(rows.table, dtype=float), rows.ensemble_labels, rows.weights
    peer = DecisionTreeClassifier(max_leaf_nodes=64, random_state=0)
    return Ratio(
        "distilled tree: resized(64), 36,384 x 20",
        cpu_seconds(lambda: distiller.resized(64)),
        cpu_seconds(lambda: peer.fit(all_rows, labels, weights)),
        "DecisionTreeClassifier(max_leaf_nodes=64)",
        bound=2.5,
    )


def numbers_beside_classes() -> Ratio:
    """The regressor against the classifier: as many rows, trees and leaves."""
    small = {"n_estimators": 100, "max_leaf_nodes": 256, "random_state": 0}
    X, labels = make_classification(5_000, 10, n_informative=5, random_state=0)
    Z, numbers = make_friedman1(5_000, 10, noise=1.0, random_state=0)
    classes = sl.load(RandomForestClassifier(**small).fit(X, labels))
    regression = sl.load(RandomForestRegressor(**small).fit(Z, numbers))
    options = {"max_leaves": 32, "random_state": 0}
    return Ratio(
        "distilled tree of numbers: 32 leaves from 100 trees, 5,000 x 10",
        cpu_seconds(lambda: sl.DistilledTreeRegressor(regression, **options).fit(Z)),
        cpu_seconds(lambda: sl.DistilledTreeClassifier(classes, **options).fit(X)),
        "DistilledTreeClassifier of the same size",
        bound=1.2,
    )


def size_of_numbers() -> Ratio:
    """One more size of a fitted tree of numbers, against a best-first tree on the same rows."""
    X, y = make_friedman1(5_000, 10, noise=1.0, random_state=0)
    forest = RandomForestRegressor(20, random_state=0).fit(X, y)
    distiller = sl.DistilledTreeRegressor(forest, max_leaves=2, random_state=0).fit(X)
    rows = distiller.distillation_set_
    numbers = np.concatenate([rows.teacher.ensemble_numbers, rows.artificial_answers[1][:, 0]])
    all_rows, weights = np.asarray(rows.table, dtype=float), rows.weights
    peer = DecisionTreeRegressor(max_leaf_nodes=64, random_state=0)
    return Ratio(
        "distilled tree of numbers: resized(64), 21,384 x 10",
        cpu_seconds(lambda: distiller.resized(64)),
        cpu_seconds(lambda: peer.fit(all_rows, numbers, weights)),
        "DecisionTreeRegressor(max_leaf_nodes=64)",
        bound=5,
    )


def alternation_pass() -> Ratio:
    """All tests of a stump with one histogram per feature, against one test at a time in numpy."""
    X, y = make_classification(20_000, 20, n_informative=10, random_state=0)
    ensemble = sl.load(RandomForestClassifier(20, random_state=0).fit(X, y))
    table = sl.Table.from_any(X)
    bins = _core.Bins(table.native(), ensemble.core)
    rows = _core.DistillationRows(bins, 2)
    labels = ensemble.predict(table).astype(np.int32)
    rows.add(table.native(), labels, ensemble.predict_proba(table).ravel(), np.ones(len(X)), labels)
    stump = _core.SmallTree()
    stump.grow(rows, 2)

    def one_by_one() -> None:
        for feature in range(20):
            for cut in bins.cuts(feature):
                ((X[:, feature] <= cut) == labels).sum()

    ours = cpu_seconds(lambda: _core.SmallTree(stump).alternate_once(rows))
    return Ratio(
        "distilled tree: every test of one node, 20,000 x 20",
        ours,
        cpu_seconds(one_by_one, 1),
        "one test at a time",
        bound=1 / 20,
    )
