"""How faithful and how right DistilledTreeClassifier is, on rows that it has not seen.

``python -m experiments.distilled_tree --data-dir DIR --out docs/results [--parts ...]`` where DIR
holds the ARFF files. Parts: *fidelity* (against a best-first scikit-learn tree on the same rows),
*default* (without ``max_leaves``, against C4.5 and bagging), *synthetic* (make_classification).
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from lightgbm import LGBMClassifier
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.tree import DecisionTreeClassifier

import sightline as sl
from sightline.files import atomic_write

SIZES = (8, 16, 32, 64)
CHOSEN_ON = "breast-w car cmc credit-g diabetes glass heart-statlog ionosphere segment vehicle"
CONFIRMED_ON = (
    "autos balance-scale colic compas credit-a dermatology heart-c heloc hepatitis liver-disorders "
    "page-blocks sonar soybean tic-tac-toe vote yeast"
)
Row = dict[str, Any]


def read(folder: Path, name: str) -> sl.Table:
    plain = folder / f"{name}.arff"
    return sl.read_table(plain if plain.exists() else folder / f"{name}.arff.gz")


def as_numbers(table: sl.Table) -> np.ndarray:
    """Codes of categories as numbers: how scikit-learn's forests see them."""
    matrix = [np.where(column.is_missing, np.nan, column.values) for column in table.columns]
    return np.column_stack(matrix)


def one_hot(table: sl.Table) -> np.ndarray:
    """One column per category: the tests that scikit-learn's tree needs to match one value."""
    parts = [
        (column.values[:, None] == np.arange(column.feature.n_values)).astype(float)
        if column.feature.is_nominal
        else column.values[:, None]
        for column in table.columns
    ]
    return np.hstack(parts)


def teachers(seed: int) -> dict[str, Any]:
    return {
        "bagging, 25": sl.BaggedTreesClassifier(random_state=seed),
        "random forest, 100": RandomForestClassifier(100, random_state=seed),
        "LightGBM": LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1),
    }


def splits(codes: np.ndarray, n_splits: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Two thirds to learn from, one third to judge; classes of fewer than three rows are left out."""
    usable = np.flatnonzero(np.bincount(codes)[codes] >= 3)
    shuffle = StratifiedShuffleSplit(n_splits, test_size=1 / 3, random_state=0)
    for learn, judge in shuffle.split(usable, codes[usable]):
        yield usable[learn], usable[judge]


def compared(distiller: sl.DistilledTreeClassifier, held_out: sl.Table, labels: np.ndarray) -> Iterator[Row]:
    """Every size: ours, scikit-learn's tree on the same rows, and on the training rows alone."""
    ensemble = distiller.ensemble_
    said = ensemble.predict(held_out)
    rows = distiller.distillation_set_
    X, y, weights = one_hot(rows.table), distiller.classes_[rows.ensemble_labels], rows.weights
    n_training = rows.teacher.table.n_rows
    for size in SIZES:
        cart = DecisionTreeClassifier(max_leaf_nodes=size, random_state=0).fit(X, y, weights)
        usual = DecisionTreeClassifier(max_leaf_nodes=size, random_state=0)
        usual.fit(X[:n_training], y[:n_training])
        answers = {"cart": cart.predict(one_hot(held_out)), "usual": usual.predict(one_hot(held_out))}
        start = time.process_time()
        answers["distilled"] = distiller.resized(size).predict(held_out)
        seconds = time.process_time() - start
        row: Row = {"leaves": size, "rows": len(labels), "cpu_seconds": round(seconds, 3)}
        for method, answer in answers.items():
            row[f"fidelity_{method}"] = round(100 * float((answer == said).mean()), 3)
            row[f"accuracy_{method}"] = round(100 * float((answer == labels).mean()), 3)
        yield row


def fidelity(folder: Path, names: list[str], n_splits: int, n_jobs: int) -> Iterator[Row]:
    # Every data set once before any twice: what is there when the script stops is balanced.
    cells = [(name, split) for split in range(n_splits) for name in names]
    work = (delayed(fidelity_on)(folder, name, split, n_splits) for name, split in cells)
    for rows in Parallel(n_jobs, return_as="generator")(work):
        yield from rows


def fidelity_on(folder: Path, name: str, split: int, n_splits: int) -> list[Row]:
    table = read(folder, name)
    learn, judge = list(splits(table.y.codes, n_splits))[split]
    y = table.y.classes_[table.y.codes]
    rows: list[Row] = []
    for teacher_name, teacher in teachers(split).items():
        is_own = isinstance(teacher, sl.BaggedTreesClassifier)
        X = table.X if is_own else sl.Table.from_any(as_numbers(table.X))
        teacher.fit(X[learn] if is_own else np.asarray(X[learn], dtype=float), y[learn])
        distiller = sl.DistilledTreeClassifier(teacher, max_leaves=2, random_state=split, n_jobs=1)
        distiller.fit(X[learn])
        for row in compared(distiller, X[judge], y[judge]):
            rows.append({"data": name, "split": split, "teacher": teacher_name, **row})
    return rows


def default(folder: Path, names: list[str], n_folds: int) -> Iterator[Row]:
    for name in names:
        table = read(folder, name)
        codes, classes = table.y.codes, table.y.classes_
        usable = np.flatnonzero(np.bincount(codes)[codes] >= 2)
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
        for fold, (learn, judge) in enumerate(folds.split(usable, codes[usable])):
            X, y = table.X[usable[learn]], classes[codes[usable[learn]]]
            held_out, truth = table.X[usable[judge]], classes[codes[usable[judge]]]
            bagging = sl.BaggedTreesClassifier(random_state=fold).fit(X, y)
            said = bagging.predict(held_out)
            models = {
                "c45": sl.C45Classifier(binary_splits=True).fit(X, y),
                "distilled": sl.DistilledTreeClassifier(bagging, random_state=fold).fit(X, y),
                "cmm": sl.CMMClassifier(bagging, random_state=fold).fit(X, y),
                "cmm_unpruned": sl.CMMClassifier(bagging, prune=False, random_state=fold).fit(X, y),
            }
            row: Row = {"data": name, "fold": fold, "rows": len(truth)}
            row["accuracy_bagging"] = round(100 * float((said == truth).mean()), 3)
            for method, model in models.items():
                answer = model.predict(held_out)
                row[f"accuracy_{method}"] = round(100 * float((answer == truth).mean()), 3)
                row[f"fidelity_{method}"] = round(100 * float((answer == said).mean()), 3)
                row[f"nodes_{method}"] = model.size_["nodes"]
            yield row


def synthetic(n_seeds: int) -> Iterator[Row]:
    for n_informative in (5, 8, 10, 12):
        for seed in range(n_seeds):
            X, y = make_classification(30_000, 20, n_informative=n_informative, random_state=seed)
            forest = RandomForestClassifier(100, random_state=0).fit(X[:20_000], y[:20_000])
            distiller = sl.DistilledTreeClassifier(forest, max_leaves=2, random_state=0).fit(X[:20_000])
            for row in compared(distiller, sl.Table.from_any(X[20_000:]), y[20_000:]):
                yield {"n_informative": n_informative, "seed": seed, **row}


def write(rows: Iterator[Row], path: Path) -> None:
    """Write a table row by row, so that what was measured is there when something stops."""
    with path.open("w", newline="") as file:
        writer = None
        for row in rows:
            if writer is None:
                writer = csv.DictWriter(file, list(row), delimiter="\t", lineterminator="\n")
                writer.writeheader()
            writer.writerow(row)
            file.flush()


def summary(folder: Path) -> str:
    """Say in Markdown what the tables in a folder show: means over data sets, then their mean."""
    lines = [
        "# DistilledTreeClassifier, measured",
        "",
        "Made by `python -m experiments.distilled_tree`. Constants were chosen on other data sets: "
        f"{', '.join(CHOSEN_ON.split())}. One choice was made after a look at the data sets below, too: "
        "the rounds of search, for the tree that chooses its own size.",
        "",
    ]
    for part, describe in (
        ("fidelity", fidelity_summary),
        ("synthetic", synthetic_summary),
        ("default", default_summary),
    ):
        path = folder / f"distilled_tree_{part}.tsv"
        if path.exists():
            lines += [*describe(pd.read_csv(path, sep="\t")), ""]
    return "\n".join(lines)


def fidelity_summary(rows: pd.DataFrame) -> list[str]:
    n_sets, n_splits = rows["data"].nunique(), rows["split"].nunique()
    lines = [
        "## Held-out fidelity against a best-first scikit-learn tree on the same rows",
        "",
        f"{n_sets} data sets, up to {n_splits} split(s) each, two thirds to "
        "learn from. Points of fidelity (scikit-learn's tree, ours, difference with its standard error "
        "over data sets), the difference in accuracy, and the difference in fidelity to the usual surrogate: "
        "scikit-learn's tree on the training rows alone, with the ensemble's labels.",
        "",
        "| ensemble | leaves | scikit-learn | distilled | difference | accuracy | data sets better : worse "
        "| to the usual surrogate |",
        "|---|---|---|---|---|---|---|---|",
    ]
    means = rows.groupby(["teacher", "leaves", "data"]).mean(numeric_only=True)
    for (teacher, leaves), sets in means.groupby(level=["teacher", "leaves"]):
        gain = sets["fidelity_distilled"] - sets["fidelity_cart"]
        usual = sets["fidelity_distilled"] - sets["fidelity_usual"]
        accuracy = (sets["accuracy_distilled"] - sets["accuracy_cart"]).mean()
        lines.append(
            f"| {teacher} | {leaves} | {sets['fidelity_cart'].mean():.2f} | "
            f"{sets['fidelity_distilled'].mean():.2f} | {gain.mean():+.2f} ± {gain.sem():.2f} | "
            f"{accuracy:+.2f} | {(gain > 0).sum()} : {(gain < 0).sum()} | "
            f"{usual.mean():+.2f} ± {usual.sem():.2f} |"
        )
    return lines


def synthetic_summary(rows: pd.DataFrame) -> list[str]:
    lines = [
        "## make_classification, 20,000 x 20, forest of 100",
        "",
        "| informative | leaves | scikit-learn | distilled |",
        "|---|---|---|---|",
    ]
    means = rows.groupby(["n_informative", "leaves"]).mean(numeric_only=True)
    for (n_informative, leaves), mean in means.iterrows():
        lines.append(
            f"| {n_informative} | {leaves} | {mean['fidelity_cart']:.2f} | {mean['fidelity_distilled']:.2f} |"
        )
    return lines


def default_summary(rows: pd.DataFrame) -> list[str]:
    sets = rows.groupby("data").mean(numeric_only=True)
    full = (sets["accuracy_bagging"] - sets["accuracy_c45"]).mean()
    lines = [
        "## Without max_leaves, 25 bagged C4.5 trees",
        "",
        f"{len(sets)} data sets, 10-fold cross-validation. Accuracy of C4.5 "
        f"{sets['accuracy_c45'].mean():.2f}, of bagging {sets['accuracy_bagging'].mean():.2f}.",
        "",
        "| | accuracy | share of bagging's gain | fidelity | nodes / C4.5's, mean (geometric) |",
        "|---|---|---|---|---|",
    ]
    for method in ("distilled", "cmm", "cmm_unpruned"):
        kept = (sets[f"accuracy_{method}"] - sets["accuracy_c45"]).mean() / full
        ratio = sets[f"nodes_{method}"] / sets["nodes_c45"]
        sizes = f"{ratio.mean():.2f} ({np.exp(np.log(ratio).mean()):.2f})"
        accuracy, faithful = sets[f"accuracy_{method}"].mean(), sets[f"fidelity_{method}"].mean()
        lines.append(f"| {method} | {accuracy:.2f} | {100 * kept:.0f} % | {faithful:.2f} | {sizes} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--parts", nargs="*", default=["fidelity", "default", "synthetic"])
    parser.add_argument("--sets", nargs="+", default=CONFIRMED_ON.split())
    parser.add_argument("--jobs", type=int, default=1, help="processes, for the fidelity part")
    parser.add_argument("--repeats", type=int, default=3, help="splits of each data set, or seeds")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    parts = {
        "fidelity": lambda: fidelity(options.data_dir, options.sets, options.repeats, options.jobs),
        "default": lambda: default(options.data_dir, options.sets, 10),
        "synthetic": lambda: synthetic(options.repeats),
    }
    for part in options.parts:
        write(parts[part](), options.out / f"distilled_tree_{part}.tsv")
    atomic_write(options.out / "distilled_tree.md", summary(options.out))


if __name__ == "__main__":
    main()
