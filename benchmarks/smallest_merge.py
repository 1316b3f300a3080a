"""How small the trees of ``merge(effort="smallest")`` are, and how soon.

``python -m benchmarks.smallest_merge --data-dir DIR --out docs/results`` writes a page from the ARFF files
in DIR. Every tree is compared with its forest: in every cell of the grid of thresholds up to a million cells,
by a certificate beyond.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

import sightline as sl
from benchmarks.results_page import column, numbers, write_results_page
from sightline.lab import DataSet, Dots, FigureFile, ResultTable, dots
from sightline.model import Link, combined

SETS = ("breast-w", "compas-binarised", "fico-binarised", "diabetes", "liver-disorders", "iris")
"""Two with binary columns; the numbers of the others are cut into ten equally frequent intervals."""
SEEDS = range(10)
BUDGETS = (0.05, 1.0)
LONG = 3.0
"""Seconds for the smallest tree known."""
LARGE = (("breast-w", 2), ("diabetes", 2), ("compas-binarised", 2), ("fico-binarised", 2))
"""Data sets and seeds of 25 trees of depth 4."""
N_INTERVALS = 10
MAX_CELLS = 1_000_000
MAX_TRIES = 5
Row = dict[str, Any]


def binned(folder: Path, name: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    data = DataSet(name).read(folder)
    X = np.nan_to_num(np.asarray(data.X, dtype=float))
    shares = np.arange(1, N_INTERVALS) / N_INTERVALS
    columns = [np.searchsorted(np.unique(np.quantile(column, shares)), column) for column in X.T]
    return np.column_stack(columns).astype(float), np.asarray(data.y)


def voting(forest: RandomForestClassifier) -> sl.Ensemble:
    """Return the forest with one vote per tree, as in published experiments."""
    loaded = sl.load(forest)
    core = combined([tree.core for tree in loaded.trees], votes=True)
    return sl.Ensemble(core, loaded.schema, loaded.classes_, Link("mean", (float(loaded.n_trees),)))


def forests(folder: Path, name: str, n_trees: int, max_depth: int, seeds: Any) -> Iterator[tuple[Any, Any]]:
    X, y = binned(folder, name)
    for seed in seeds:
        forest = RandomForestClassifier(n_trees, max_depth=max_depth, random_state=seed).fit(X, y)
        yield voting(forest), X


def is_equal(tree: sl.Tree, ensemble: sl.Ensemble) -> bool:
    """Whether the labels agree in every cell, or by a certificate if there are more than a million."""
    if not tree.complete:
        return False
    cuts: list[set[float]] = [set() for _ in ensemble.schema.features]
    for core in ensemble.core.trees:
        for feature, threshold in zip(core.feature, core.threshold, strict=True):
            if feature >= 0:
                cuts[feature].add(float(threshold))
    axes = [[*sorted(some), math.inf if not some else max(some) + 1] for some in cuts]
    axes = [[0.0] if axis == [math.inf] else axis for axis in axes]
    if math.prod(map(len, axes)) > MAX_CELLS:
        return bool(sl.certify(tree, ensemble, missing=False, max_seconds=300).equivalent)
    cells = np.array(list(itertools.product(*axes)))
    return bool((tree.predict(cells) == ensemble.predict(cells)).all())


def timed_merge(ensemble: sl.Ensemble, **options: Any) -> tuple[Any, float]:
    """Merge, again if other work on the machine took the time."""
    for _ in range(MAX_TRIES):
        start = time.perf_counter()
        merged = sl.merge(ensemble, missing=False, **options)
        if merged.complete:
            break
    return merged, time.perf_counter() - start


def small(folder: Path) -> Iterator[Row]:
    """Sixty forests of ten trees of depth 3: leaves by budget, relative to the fewest."""
    for name in SETS:
        found: list[Row] = []
        for ensemble, X in forests(folder, name, 10, 3, SEEDS):
            quick, seconds = timed_merge(ensemble)
            longest, _ = timed_merge(ensemble, effort="smallest", max_seconds=LONG)
            row: Row = {
                "quick": quick.n_leaves,
                "ms": 1000 * seconds,
                "long": longest.n_leaves,
                "optimal": longest.optimal,
            }
            assert is_equal(quick, ensemble)
            assert is_equal(longest, ensemble)
            for budget in BUDGETS:
                tree, _ = timed_merge(ensemble, effort="smallest", max_seconds=budget)
                assert is_equal(tree, ensemble)
                row[budget] = tree.n_leaves
            rows, _ = timed_merge(ensemble, effort="smallest", max_seconds=BUDGETS[1], X=X, weigh="rows")
            assert is_equal(rows, ensemble)
            row["asked"] = asked(longest, X)
            row["asked by rows"] = asked(rows, X)
            found.append(row)
        yield summary(name, found)


def asked(tree: sl.Tree, X: Any) -> float:
    """Tests that a row is asked, on average."""
    core = tree.with_rows(X).core
    return float(np.asarray(core.weight)[np.asarray(core.feature) >= 0].sum() / len(X))


def summary(name: str, found: list[Row]) -> Row:
    fewest = [min(row["long"], *(row[budget] for budget in BUDGETS)) for row in found]

    def ratio(key: Any) -> float:
        return float(np.mean([row[key] / least for row, least in zip(found, fewest, strict=True)]))

    return {
        "data": name,
        "fewest leaves": round(float(np.mean(fewest)), 1),
        "proved fewest": f"{sum(bool(row['optimal']) for row in found)} of {len(found)}",
        "quick": round(ratio("quick"), 3),
        "quick, ms": round(float(np.median([row["ms"] for row in found])), 1),
        **{f"{1000 * budget:.0f} ms": round(ratio(budget), 4) for budget in BUDGETS},
        "tests per row": round(float(np.mean([row["asked"] for row in found])), 2),
        "weighing rows": round(float(np.mean([row["asked by rows"] for row in found])), 2),
    }


def large(folder: Path) -> Iterator[Row]:
    """25 trees of depth 4: leaves and nodes after a second, relative to the quick result."""
    for name, n_seeds in LARGE:
        for seed, (ensemble, _) in enumerate(forests(folder, name, 25, 4, range(n_seeds))):
            quick, seconds = timed_merge(ensemble, max_seconds=20)
            tree, _ = timed_merge(ensemble, effort="smallest", max_seconds=1.0)
            graph, graph_seconds = timed_merge(ensemble, to="graph", max_seconds=20)
            smallest, _ = timed_merge(ensemble, effort="smallest", to="graph", max_seconds=1.0)
            if tree.complete:
                assert is_equal(tree, ensemble)
            yield {
                "data": name,
                "seed": seed,
                "quick leaves": quick.n_leaves,
                "quick, s": round(seconds, 2),
                "leaves in 1 s": tree.n_leaves,
                "ratio": round(tree.n_leaves / quick.n_leaves, 3) if tree.complete else math.nan,
                "complete": str(tree.complete),
                "quick graph": f"{graph.n_nodes} in {graph_seconds:.2f} s",
                "graph in 1 s": smallest.n_nodes,
            }


def table(name: str, title: str, note: str, rows: list[Row]) -> ResultTable:
    return ResultTable(name, title, tuple(rows[0]), [tuple(row.values()) for row in rows], note)


def tables(folder: Path) -> list[ResultTable]:
    small_rows, large_rows = list(small(folder)), list(large(folder))
    keys = ("quick", *(f"{1000 * budget:.0f} ms" for budget in BUDGETS))
    means = ", ".join(f"{key}: {np.mean([row[key] for row in small_rows]):.4f}" for key in keys)
    done = [row["ratio"] for row in large_rows if row["complete"] == "True"]
    return [
        table(
            "small",
            "Ten trees of depth 3",
            f"{len(SETS)} data sets with {len(SEEDS)} forests each, one vote per tree. The column `quick` "
            "and the budget columns show the mean ratio of leaves to the fewest known: proved fewest, or "
            f"the best of all budgets up to {LONG:.0f} s. Over all forests, {means}. Tests per row: the mean "
            "number of tests on a training row's path in the tree with the fewest leaves, and in the tree "
            'found in 1 s with `weigh="rows"`.',
            small_rows,
        ),
        table(
            "large",
            "25 trees of depth 4",
            f"Leaves after 1 s, divided by those of the quick merge: {np.mean(done):.3f} on average over the "
            f"{len(done)} of {len(large_rows)} that were complete by then.",
            large_rows,
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    measured = (
        "Written by `python -m benchmarks.smallest_merge`. Every tree was compared with its forest: in "
        "every cell of the threshold grid up to a million cells, beyond that by a certificate. Budgets are "
        f"wall-clock time on one thread. Load of the machine: {os.getloadavg()[2]:.0f} on {os.cpu_count()} "
        "cores."
    )
    write(tables(options.data_dir), measured, options.out)


def write(found: list[ResultTable], measured: str, out: Path) -> None:
    write_results_page(
        out,
        "smallest_merge",
        title="The smallest exact trees",
        headline=headline(found[0]),
        picture=picture(found[0]),
        tables=found,
        measured=measured,
    )


def picture(small: ResultTable) -> FigureFile:
    """Draw leaves by budget."""
    budgets = [f"{1000 * budget:.0f} ms" for budget in BUDGETS]
    series = {
        "quick": numbers(small, "quick"),
        **{f"smallest, {key}": numbers(small, key) for key in budgets},
    }
    caption = (
        "Leaves relative to the fewest known, mean of ten forests of ten trees of depth 3. Further left is "
        "smaller."
    )
    return dots(caption, [Dots("leaves / fewest leaves", series, line=1.0)])


def headline(small: ResultTable) -> str:
    """Say how far the quick merge is from the smallest tree, and what a second does."""
    quick, long = (np.mean([float(cell) for cell in column(small, key)]) for key in ("quick", "1000 ms"))
    return (
        f"For ten trees of depth 3, the quick merge has {quick:.2f} times as many leaves as the smallest "
        f'known equal tree. After a second of search, `effort="smallest"` has {long:.2f} times as many.'
    )


if __name__ == "__main__":
    main()
