"""Stump ensembles beside C4.5 on the domains of Pfahringer's paper: its two figures, and sizes.

``python -m experiments.stumps --data-dir DIR --out docs/results [--repeats N] [--jobs N]`` where DIR holds
the ARFF files: stratified five-fold cross-validation, repeated five times, every learner on the same folds.
Domains of several classes become one problem per class against the rest, as in the paper.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from joblib import Parallel, delayed
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

import sightline as sl
from sightline.files import write_whole

MAX_TREE, MAX_GRAPH = 100_000, 20_000
"""Larger trees and graphs are counted as beyond the budget."""

PAPER = {"order": "natural", "passes": 1, "ties": "discard", "min_leaf": 1}
LEARNERS: dict[str, Any] = {
    "C4.5": sl.C45Classifier(),
    "ensemble": sl.StumpEnsembleClassifier(prune=False),
    "pruned": sl.StumpEnsembleClassifier(),
    "paper's reading": sl.StumpEnsembleClassifier(**PAPER, prune=False),
    "paper's, pruned": sl.StumpEnsembleClassifier(**PAPER),
    "at most 5": sl.StumpEnsembleClassifier(max_size=5),
    "size by CV": sl.StumpEnsembleClassifier(max_size="cv"),
    "reweighted": sl.StumpEnsembleClassifier(reweight=True),
    "binary nominal": sl.StumpEnsembleClassifier(nominal="binary"),
    "depth 1": sl.StumpEnsembleClassifier(max_depth=1),
    "depth 3": sl.StumpEnsembleClassifier(max_depth=3),
}
FIGURE = ("C4.5", "ensemble", "pruned")
SIZED = ("pruned", "at most 5", "size by CV", "binary nominal")
SIZES = ("stacked", "possible", "equal", "graph, usage order", "graph")
COLOURS = {"C4.5": "#4a515c", "ensemble": "#1f77b4", "pruned": "#d95f02"}

Row = dict[str, Any]


@dataclass(frozen=True)
class Domain:
    """A two-class problem: a data set, or one of its classes against the rest."""

    code: str
    data: str
    label: int | None = None

    def read(self, folder: Path) -> tuple[sl.Table, sl.Labels]:
        table = sl.read_table(folder / f"{self.data}.arff")
        if self.label is None:
            return table.X, table.y
        codes = (table.y.codes == self.label).astype(np.int32)
        return table.X, sl.Labels(codes, np.array(["rest", str(table.y.classes[self.label])]))


TWO_CLASSES = {
    "BR": "breast-cancer",
    "CO": "colic",
    "CR": "credit-a",
    "DI": "diabetes",
    "GE": "credit-g",
    "LA": "labor",
    "SO": "sonar",
    "VO": "vote",
}
GLASS = (0, 1, 2, 4, 5, 6)
"""Places of the glass classes in the header; the fourth has no rows."""

DOMAINS = [
    *(Domain(code, data) for code, data in TWO_CLASSES.items()),
    *(Domain(f"L{k}", "lymph", k) for k in (1, 2)),
    *(Domain(f"G{i}", "glass", k) for i, k in enumerate(GLASS)),
    *(Domain(f"I{k}", "iris", k) for k in (0, 1, 2)),
]


def sizes_of(stumps: sl.StumpEnsembleClassifier) -> Row:
    """Nodes of the tree after each step and of the graph; NaN where beyond the budget."""
    sizes: Row = {"stacked": stumps.stacked_size_}
    for step in ("possible", "equal"):
        try:
            sizes[step] = stumps.to_tree(step, max_nodes=MAX_TREE).n_nodes
        except sl.BudgetExceeded:
            sizes[step] = np.nan
    for name, search in (("graph, usage order", False), ("graph", True)):
        try:
            sizes[name] = stumps.to_graph(max_nodes=MAX_GRAPH, search=search).n_nodes
        except sl.BudgetExceeded:
            sizes[name] = np.nan
    return sizes


def one_repeat(folder: Path, domain: Domain, repeat: int) -> Iterator[Row]:
    X, y = domain.read(folder)
    folds = StratifiedKFold(5, shuffle=True, random_state=repeat)
    for fold, (train, test) in enumerate(folds.split(np.zeros(len(y)), y.codes)):
        truth = np.asarray(y[test])
        for name, learner in LEARNERS.items():
            model = clone(learner)
            if name != "C4.5":
                model.set_params(random_state=5 * repeat + fold)
            model.fit(X[train], y[train])
            wrong = int((model.predict(X[test]) != truth).sum())
            row: Row = {"domain": domain.code, "repeat": repeat, "fold": fold, "learner": name}
            row |= {"wrong": wrong, "rows": len(test)}
            if name == "C4.5":
                row |= {"stumps": np.nan, "depth": model.size_["depth"], "nodes": model.size_["nodes"]}
            else:
                row["stumps"] = len(model.stumps_)
                # The paper's worst case: the depths of all stumps, one below the other.
                row["depth"] = sum(stump.depth for stump in model.stumps_)
                row["nodes"] = np.nan
            if name in SIZED and repeat == 0:
                row |= sizes_of(model)
            yield row


def collected(folder: Path, domain: Domain, repeat: int) -> list[Row]:
    return list(one_repeat(folder, domain, repeat))


@dataclass(frozen=True)
class Measured:
    """A learner on a domain: the errors of the cross-validations, and means over all folds."""

    errors: np.ndarray
    rows: list[Row]

    def mean(self, column: str) -> float:
        values = [row[column] for row in self.rows if column in row]
        known = [value for value in values if not np.isnan(value)]
        return float(np.mean(known)) if known else np.nan

    def deviation(self, column: str) -> float:
        return float(np.std([row[column] for row in self.rows], ddof=1))

    def beyond(self, column: str) -> int:
        return sum(bool(np.isnan(row[column])) for row in self.rows if column in row)


def measured(rows: list[Row]) -> dict[tuple[str, str], Measured]:
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["domain"], row["learner"]].append(row)
    result = {}
    for key, group in groups.items():
        wrong: dict[int, int] = defaultdict(int)
        total: dict[int, int] = defaultdict(int)
        for row in group:
            wrong[row["repeat"]] += row["wrong"]
            total[row["repeat"]] += row["rows"]
        result[key] = Measured(np.array([wrong[r] / total[r] for r in sorted(wrong)]), group)
    return result


def cell(value: float, digits: int = 1) -> str:
    if np.isnan(value):
        return "-"
    return f"{value:.2e}" if value >= 1e6 else f"{value:,.{digits}f}"


def error_table(results: dict[tuple[str, str], Measured], codes: list[str]) -> list[str]:
    lines = [
        "| domain | C4.5, error % | " + " | ".join(name for name in LEARNERS if name != "C4.5") + " |",
        "|---" * (len(LEARNERS) + 1) + "|",
    ]
    relatives: dict[str, list[float]] = defaultdict(list)
    for code in codes:
        base = results[code, "C4.5"].errors
        cells = [f"{100 * base.mean():.1f} ± {100 * base.std(ddof=1):.1f}"]
        for name in LEARNERS:
            if name == "C4.5":
                continue
            errors = results[code, name].errors
            if base.mean() == 0:
                cells.append(f"({100 * errors.mean():.1f} %)")
                continue
            relative = errors / base.mean()
            relatives[name].append(float(relative.mean()))
            cells.append(f"{relative.mean():.2f} ± {relative.std(ddof=1):.2f}")
        lines.append(f"| {code} | " + " | ".join(cells) + " |")
    lines.append("| mean | | " + " | ".join(f"{np.mean(values):.3f}" for values in relatives.values()) + " |")
    lower = (f"{sum(value < 1 for value in values)} of {len(values)}" for values in relatives.values())
    lines.append("| lower than C4.5 | | " + " | ".join(lower) + " |")
    return lines


def depth_table(results: dict[tuple[str, str], Measured], codes: list[str]) -> list[str]:
    names = [name for name in LEARNERS if name != "C4.5"]
    lines = [
        "| domain | C4.5, depth | " + " | ".join(f"{name}, stumps (depth)" for name in names) + " |",
        "|---" * (len(names) + 2) + "|",
    ]
    for code in codes:
        cells = [f"{results[code, 'C4.5'].mean('depth'):.1f}"]
        cells += [
            f"{results[code, name].mean('stumps'):.1f} ({results[code, name].mean('depth'):.1f})"
            for name in names
        ]
        lines.append(f"| {code} | " + " | ".join(cells) + " |")
    return lines


def size_table(results: dict[tuple[str, str], Measured], codes: list[str], learner: str) -> list[str]:
    lines = [
        "| domain | C4.5, nodes | stumps | stacked = rounded | possible | equal "
        "| graph, usage order | graph |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for code in codes:
        group = results[code, learner]
        cells = [cell(results[code, "C4.5"].mean("nodes")), cell(group.mean("stumps"))]
        for column in SIZES:
            beyond = group.beyond(column)
            cells.append(cell(group.mean(column)) + (f" ({beyond} beyond)" if beyond else ""))
        lines.append(f"| {code} | " + " | ".join(cells) + " |")
    return lines


def summary(results: dict[tuple[str, str], Measured], codes: list[str], n_repeats: int) -> str:
    lines = [
        "# Stump ensembles on the paper's domains",
        "",
        f"Made by `python -m experiments.stumps`: stratified five-fold cross-validation, {n_repeats} times. "
        "Breast is breast-cancer, Credit credit-a, German credit-g. L, G and I are classes of lymph, glass "
        "and iris against the rest; L1 and L2 are the two with more than a few rows, as in the paper; glass "
        "classes are numbered in the order of the header, without the one that has no rows.",
        "",
        "*ensemble* and *pruned* are `StumpEnsembleClassifier(prune=False)` and the default. The *paper's "
        'reading* has `order="natural", passes=1, ties="discard", min_leaf=1`. C4.5 is `C45Classifier()`.',
        "",
        "## Error",
        "",
        "C4.5: error in %. The others: error over the mean error of C4.5. Both with one standard deviation "
        "over the cross-validations.",
        "",
        *error_table(results, codes),
        "",
        "![Error relative to C4.5](stumps_error.svg)",
        "",
        "## Depth",
        "",
        "Of C4.5 the depth of its tree. Of an ensemble the number of stumps and, in brackets, the sum of "
        "their depths: the paper's worst case, before anything is simplified.",
        "",
        *depth_table(results, codes),
        "",
        "![Depth](stumps_depth.svg)",
        "",
        "## Tree and graph",
        "",
        "Nodes of the tree that equals the vote after each step of its simplification, and of the ordered "
        "decision graph, in the order of most used attributes and in the order found. Every row counts, also "
        f"one with missing values. Means over the folds of the first cross-validation that fit {MAX_TREE:,} "
        f"nodes (tree) or {MAX_GRAPH:,} (graph); how many of the five do not is in brackets.",
    ]
    for learner in SIZED:
        lines += ["", f"### {learner}", "", *size_table(results, codes, learner)]
    return "\n".join(lines) + "\n"


def draw(results: dict[tuple[str, str], Measured], codes: list[str], path: Path, what: str) -> None:
    """Draw one of the paper's figures: three learners per domain, with one standard deviation."""
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    ax = figure.add_subplot()
    for i, name in enumerate(FIGURE):
        places = np.arange(len(codes)) + (i - 1) * 0.22
        means, spreads = [], []
        for code in codes:
            group = results[code, name]
            base = results[code, "C4.5"].errors.mean()
            if what == "error":
                means.append(group.errors.mean() / base if base else np.nan)
                spreads.append(group.errors.std(ddof=1) / base if base else np.nan)
            else:
                means.append(group.mean("depth"))
                spreads.append(group.deviation("depth"))
        ax.errorbar(
            places, means, spreads, fmt="os^"[i], ms=5, capsize=2.5, lw=1.2, color=COLOURS[name], label=name
        )
    if what == "error":
        ax.axhline(1.0, color="#c3c9d2", lw=1, zorder=0)
    ax.set_xticks(range(len(codes)), codes)
    ax.set_xlim(-0.6, len(codes) - 0.4)
    top = ax.get_ylim()[1]
    ax.set_ylim(-0.02 * top, 1.08 * top)
    ax.set_ylabel("error relative to C4.5" if what == "error" else "depth (of ensembles: the worst case)")
    ax.set_axisbelow(True)
    ax.grid(axis="y", alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="upper left", frameon=False, ncols=3)
    with mpl.rc_context({"svg.hashsalt": "sightline", "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None})


def write_rows(rows: list[Row], path: Path) -> None:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    lines = ["\t".join(columns)]
    for row in rows:
        cells = (row.get(name, np.nan) for name in columns)
        lines.append("\t".join("" if isinstance(c, float) and np.isnan(c) else str(c) for c in cells))
    write_whole(path, "\n".join(lines) + "\n")


def read_rows(path: Path) -> list[Row]:
    """Read what `write_rows` wrote: texts, numbers, and nothing where a learner has no such number."""
    names, *lines = (line.split("\t") for line in path.read_text().splitlines())
    rows = []
    for cells in lines:
        row: Row = dict(zip(names, cells, strict=True))
        sized = row["learner"] in SIZED and row["repeat"] == "0"
        for name in names:
            if name in ("domain", "learner"):
                continue
            if name in SIZES and not sized:
                del row[name]
            else:
                row[name] = float(row[name]) if row[name] else np.nan
        rows.append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path, help="without it, what was measured before is summarised")
    parser.add_argument("--out", type=Path, default=Path("docs/results"))
    parser.add_argument("--domains", nargs="+", default=[domain.code for domain in DOMAINS])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    table = options.out / "stumps.tsv"
    if options.data_dir is not None:
        domains = [domain for domain in DOMAINS if domain.code in options.domains]
        jobs = [(domain, repeat) for domain in domains for repeat in range(options.repeats)]
        parts = Parallel(n_jobs=options.jobs, verbose=5)(
            delayed(collected)(options.data_dir, domain, repeat) for domain, repeat in jobs
        )
        write_rows([row for part in parts for row in part], table)
    rows = read_rows(table)
    results = measured(rows)
    codes = list(dict.fromkeys(row["domain"] for row in rows))
    n_repeats = len({row["repeat"] for row in rows})
    write_whole(options.out / "stumps.md", summary(results, codes, n_repeats))
    for what in ("error", "depth"):
        draw(results, codes, options.out / f"stumps_{what}.svg", what)


if __name__ == "__main__":
    main()
