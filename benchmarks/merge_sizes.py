"""How large exactly equivalent trees and graphs are, and how much is proved within a short budget.

``python -m benchmarks.merge_sizes --data-dir DIR --out docs/results`` writes a page from the ARFF files in
DIR. The forest is trained on the rows at even indices; the others show how much is proved beyond them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

import sightline as sl
from benchmarks.results_page import column, write_results_page
from sightline.lab import DataSet, Dots, FigureFile, ResultTable, dots

WHOLE = [
    *((name, 10, 4) for name in ("iris", "compas", "breast-w", "diabetes")),
    *((name, 25, None) for name in ("car", "balance-scale", "tic-tac-toe", "breast-w")),
]
SHORT = ("breast-w", "diabetes", "ionosphere", "segment", "sonar", "vehicle")
MAX_NODES = 100_000
Row = dict[str, Any]


def rows_of(folder: Path, name: str) -> tuple[sl.Table, Any]:
    data = DataSet(name).read(folder)
    return data.X, np.asarray(data.y)


def whole(folder: Path) -> Iterator[Row]:
    """Merge ensembles of C4.5 trees to the end, for rows without missing values."""
    for name, n_trees, max_depth in WHOLE:
        X, y = rows_of(folder, name)
        base = sl.C45Classifier(binary_splits=True, max_depth=max_depth)
        bagged = sl.BaggedTreesClassifier(base, n_trees=n_trees, random_state=0).fit(X, y)
        start = time.process_time()
        tree = sl.merge(bagged, missing=False)
        seconds = time.process_time() - start
        yield {
            "data": name,
            "trees": n_trees,
            "depth": "any" if max_depth is None else max_depth,
            "their leaves": bagged.ensemble_.size_["leaves"],
            "leaves": tree.size_["leaves"],
            "graph's nodes": sl.merge(bagged, missing=False, to="graph").n_nodes,
            "complete": str(tree.complete),
            "CPU seconds": str(round(seconds, 3)),
        }


def short(folder: Path) -> Iterator[Row]:
    """Merge a forest of 100 deep trees, which exhausts the budget, with and without rows."""
    for name in SHORT:
        X, y = rows_of(folder, name)
        X = np.nan_to_num(np.asarray(X, dtype=float))
        forest = RandomForestClassifier(100, random_state=0).fit(X[::2], y[::2])
        row: Row = {"data": name}
        for how, rows in (("without rows", None), ("with rows", X[::2])):
            tree = sl.merge(forest, max_nodes=MAX_NODES, max_seconds=60, missing=False, X=rows)
            row[f"leaves {how}"] = tree.size_["leaves"]
            for which, judged in (("training", X[::2]), ("others", X[1::2])):
                proved = tree.proof.is_proved[tree.apply(judged)]
                assert (tree.predict(judged) == forest.predict(judged))[proved].all()
                row[f"{which} proved {how}"] = f"{100 * proved.mean():.1f}%"
        yield row


def table(name: str, title: str, note: str, rows: list[Row]) -> ResultTable:
    return ResultTable(name, title, tuple(rows[0]), [tuple(row.values()) for row in rows], note)


def tables(whole_rows: list[Row], short_rows: list[Row]) -> list[ResultTable]:
    return [
        table(
            "whole",
            "Ensembles that merge",
            "Bagged C4.5 trees, and the tree or graph that gives their label for every row without missing "
            "values.",
            whole_rows,
        ),
        table(
            "short",
            "A forest that does not merge",
            f"One hundred deep scikit-learn trees, trained on every second row, with at most {MAX_NODES:,} "
            "nodes. If the merge gets these rows, it first proves the parts of the space that contain most "
            "of them. The percentages are shares of rows in leaves that are proved to give the forest's "
            "label everywhere: for the training rows, and for the others.",
            short_rows,
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    write(tables(list(whole(options.data_dir)), list(short(options.data_dir))), options.out)


def write(found: list[ResultTable], out: Path) -> None:
    write_results_page(
        out,
        "merge",
        title="Exact merging: sizes and proofs",
        headline=headline(*found),
        picture=picture(found[0]),
        tables=found,
        measured="Written by `python -m benchmarks.merge_sizes`.",
    )


def picture(merged: ResultTable) -> FigureFile:
    """Draw the sizes of the ensembles beside those of what equals them."""
    names = [
        f"{data}, {trees} trees"
        for data, trees in zip(column(merged, "data"), column(merged, "trees"), strict=True)
    ]
    series = {
        label: dict(zip(names, map(float, column(merged, key)), strict=True))
        for label, key in (
            ("leaves of all trees", "their leaves"),
            ("leaves of the one equal tree", "leaves"),
            ("nodes of the equal graph", "graph's nodes"),
        )
    }
    caption = "Size of bagged C4.5 trees, and of the equal tree and graph."
    return dots(caption, [Dots("leaves or nodes", series, logarithmic=True)])


def headline(merged: ResultTable, unmerged: ResultTable) -> str:
    """Say what merges, and what is left of a forest that does not."""
    n_complete = column(merged, "complete").count("True")
    leaves = [int(cell) for cell in column(merged, "leaves")]
    seconds = max(float(cell) for cell in column(merged, "CPU seconds"))
    proved = [float(cell.rstrip("%")) for cell in column(unmerged, "others proved with rows")]
    return (
        f"{n_complete} of {len(leaves)} ensembles of 10 or 25 trees became one equal tree with "
        f"{min(leaves):,} to {max(leaves):,} leaves, in at most {seconds:g} CPU seconds. A hundred deep "
        f"trees did not: with at most {MAX_NODES:,} nodes, {min(proved):g}% to {max(proved):g}% of new rows "
        "are proved."
    )


if __name__ == "__main__":
    main()
