"""How large exactly equivalent trees and graphs are, and how much is proved where the budget is short.

``python -m experiments.merge --data-dir DIR --out docs/results`` where DIR holds the ARFF files.
Rows at even places learn the ensemble and say what is proved first; the others judge.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

import sightline as sl
from experiments.distilled_tree import read
from sightline.files import atomic_write

WHOLE = [
    *((name, 10, 4) for name in ("iris", "compas", "breast-w", "diabetes")),
    *((name, 25, None) for name in ("car", "balance-scale", "tic-tac-toe", "breast-w")),
]
SHORT = ("breast-w", "diabetes", "ionosphere", "segment", "sonar", "vehicle")
MAX_NODES = 100_000


def rows_of(folder: Path, name: str) -> tuple[sl.Table, Any]:
    table = read(folder, name)
    return table.X, table.y.classes_[table.y.codes]


def whole(folder: Path) -> Iterator[dict[str, Any]]:
    """Merge ensembles of C4.5 trees to the end; rows with missing values are not covered."""
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
            "complete": tree.complete,
            "CPU seconds": round(seconds, 3),
        }


def short(folder: Path) -> Iterator[dict[str, Any]]:
    """Merge a forest of 100 deep trees, which cannot end, with and without rows."""
    for name in SHORT:
        X, y = rows_of(folder, name)
        X = np.nan_to_num(np.asarray(X, dtype=float))
        forest = RandomForestClassifier(100, random_state=0).fit(X[::2], y[::2])
        row: dict[str, Any] = {"data": name}
        for how, rows in (("without rows", None), ("with rows", X[::2])):
            tree = sl.merge(forest, max_nodes=MAX_NODES, max_seconds=60, missing=False, X=rows)
            row[f"leaves {how}"] = tree.size_["leaves"]
            for which, judged in (("training", X[::2]), ("others", X[1::2])):
                proved = tree.proof.is_proved[tree.apply(judged)]
                assert (tree.predict(judged) == forest.predict(judged))[proved].all()
                row[f"{which} proved {how}"] = f"{100 * proved.mean():.1f} %"
        yield row


def markdown(rows: pd.DataFrame) -> list[str]:
    lines = ["| " + " | ".join(rows.columns) + " |", "|" + "---|" * len(rows.columns)]
    return lines + ["| " + " | ".join(str(value) for value in row) + " |" for row in rows.to_numpy()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    tables = {"whole": pd.DataFrame(whole(options.data_dir)), "short": pd.DataFrame(short(options.data_dir))}
    for part, rows in tables.items():
        content = rows.to_csv(sep="\t", index=False, lineterminator="\n")
        atomic_write(options.out / f"merge_{part}.tsv", content)
    lines = [
        "# Exact merging, measured",
        "",
        "Made by `python -m experiments.merge`.",
        "",
        "## Ensembles that merge",
        "",
        "Bagged C4.5 trees and the one tree, or graph, with their label for every row of known values.",
        "",
        *markdown(tables["whole"]),
        "",
        "## A forest that does not",
        "",
        f"A hundred deep trees of scikit-learn, learnt from every second row; at most {MAX_NODES:,} nodes. "
        "Where the merge is given these rows, it proves the parts of the space first that hold most of them. "
        "Shares of rows in leaves that are proved to give the forest's label throughout: "
        "of the training rows, and of the others.",
        "",
        *markdown(tables["short"]),
        "",
    ]
    atomic_write(options.out / "merge.md", "\n".join(lines))


if __name__ == "__main__":
    main()
