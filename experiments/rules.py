"""One rule set from 25 bagged C4.5 trees, on the ten data sets of the paper, 10 x 10-fold.

Writes ``rules.tsv`` (every number), ``rules.md`` (the tables, beside the paper's numbers) and
``rules.svg`` (error and fidelity against the number of rules).

    python experiments/rules.py --data-dir DATASETS --paper rules_tables.tsv --out docs/results

Nothing is chosen on test rows, except in the columns called *oracle*: there, as in the
paper, pc and wr are those with the least mean error on the test rows.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from matplotlib.figure import Figure
from sklearn.model_selection import StratifiedKFold

import sightline as sl
from sightline.distill._voting_choice import FACTORS, SHARES, voting_errors
from sightline.files import write_whole

FILES = {
    "balance": "balance-scale",
    "bupa": "liver-disorders",
    "heart": "heart-statlog",
    "ionosphere": "ionosphere",
    "iris": "iris",
    "monk3": "monk3",
    "sonar": "sonar",
    "soybean": "soybean",
    "vote": "vote",
    "wine": "wine",
}
BASES = {"one branch per value": False, "binary splits (default)": True}
SIZES = (5, 10, 20, 50)
TICKS = (5, 10, 20, 50, 100, 200, 400)


def read(folder: Path, name: str) -> tuple[sl.Table, sl.Labels]:
    table = sl.read_table(folder / f"{FILES[name]}.arff")
    if name == "balance":  # the paper's error of C4.5 is that of nominal attributes
        return sl.Table.from_any(table.X, categorical_features=table.names), table.y
    return table.X, table.y


def splits(labels: sl.Labels, repeat: int) -> list[tuple[np.ndarray, np.ndarray]]:
    with warnings.catch_warnings():  # soybean has classes of fewer than ten rows
        warnings.simplefilter("ignore", UserWarning)
        folds = StratifiedKFold(10, shuffle=True, random_state=repeat)
        return list(folds.split(np.zeros(len(labels)), labels.codes))


def measure(folder: Path, name: str, binary_splits: bool, repeat: int, fold: int) -> dict[str, np.ndarray]:
    """Errors of everything on one fold, in percent; grids have one entry per pc and wr."""
    table, labels = read(folder, name)
    train, test = splits(labels, repeat)[fold]
    X, y, seed = table[train], labels[train], 10 * repeat + fold
    unseen_rows, truth = table[test], np.asarray(labels[test])

    def error(model) -> float:
        return 100 * float((model.predict(unseen_rows) != truth).mean())

    def grid(model) -> np.ndarray:
        codes = labels[test].codes
        wrong = voting_errors(model.rules_, unseen_rows, codes, None, SHARES, FACTORS)
        return 100 * wrong / len(codes)

    bagged = sl.BaggedTreesClassifier(sl.C45Classifier(binary_splits=binary_splits), random_state=seed)
    bagged.fit(X, y)

    def rules(**options) -> sl.RuleSetClassifier:
        return sl.RuleSetClassifier(bagged, **options).fit(X, y)

    ours, papers = rules(), rules(conditions="raw", multiplicity=0.0)
    taught = bagged.predict(unseen_rows)
    found = {
        "c45": error(sl.C45Classifier(binary_splits=binary_splits).fit(X, y)),
        "ensemble": error(bagged),
        "paper_grid": grid(papers),
        "paper_train": error(rules(conditions="raw", multiplicity=0.0, pc="train", wr="train")),
        "paper_oob": error(papers),
        "ours_grid": grid(ours),
        "ours_oob": error(ours),
        "ours_rules": ours.rules_.n_rules,
        "duplicates": 100 * ours.duplicate_share_,
        "duplicates_raw": 100 * papers.duplicate_share_,
    }
    for size in SIZES:
        small = ours.resized(size)
        found[f"at_{size}"] = error(small)
        found[f"rules_{size}"] = small.rules_.n_rules
        found[f"fidelity_{size}"] = 100 * float((small.predict(unseen_rows) == taught).mean())
    return found


def oracle(grid: np.ndarray) -> tuple[float, float, float]:
    """Least mean error on the test rows, with its pc and wr."""
    share, factor = np.unravel_index(grid.argmin(), grid.shape)
    return float(grid.min()), SHARES[share], FACTORS[factor]


def summarise(name: str, base: str, folds: list[dict[str, np.ndarray]]) -> dict[str, object]:
    mean = {key: np.mean([fold[key] for fold in folds], axis=0) for key in folds[0]}
    row: dict[str, object] = {"set": name, "base": base, "folds": len(folds)}
    for key in ("paper", "ours"):
        best, pc, wr = oracle(mean.pop(f"{key}_grid"))
        row |= {f"{key}_oracle": best, f"{key}_oracle_pc": pc, f"{key}_oracle_wr": wr}
    return row | {key: float(value) for key, value in mean.items()}


def paper_numbers(path: Path) -> dict[str, dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("#")]
    return {row["set"]: row for row in csv.DictReader(lines, delimiter="\t")}


def table_of(rows: list[dict[str, object]], paper: dict[str, dict[str, str]]) -> str:
    heading = [
        "set",
        "C4.5",
        "ensemble",
        "paper's voting, oracle (pc, wr)",
        "paper's voting, by training error",
        "paper's voting, out-of-bag",
        "default, oracle",
        "**default, out-of-bag**",
        "20 rules",
        "rules",
        "duplicates: intervals / tests",
        "paper: C4.5 / ensemble / oracle / by training error",
    ]
    lines = ["| " + " | ".join(heading) + " |", "|" + "---|" * len(heading)]
    for row in [*rows, mean_of(rows)]:
        best = f"{row['paper_oracle']:.2f}"
        if "paper_oracle_pc" in row:
            best += f" ({100 * row['paper_oracle_pc']:.0f} %, {row['paper_oracle_wr']:.2f})"
        cells = [
            row["set"],
            *(f"{row[key]:.2f}" for key in ("c45", "ensemble")),
            best,
            *(f"{row[key]:.2f}" for key in ("paper_train", "paper_oob", "ours_oracle")),
            f"**{row['ours_oob']:.2f}**",
            f"{row['at_20']:.2f}",
            f"{row['ours_rules']:.0f}",
            f"{row['duplicates']:.0f} % / {row['duplicates_raw']:.0f} %",
            " / ".join(published(paper, row["set"])),
        ]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def published(paper: dict[str, dict[str, str]], name: str) -> list[str]:
    keys = (
        "c45_test_error",
        "ensemble_test_error",
        "rules_test_error_best_pc_wr_on_test",
        "rules_test_error_pc_wr_chosen_on_train",
    )
    if name in paper:
        return [paper[name][key] or "-" for key in keys]
    means = []
    for key in keys:
        known = [float(row[key]) for row in paper.values() if row[key]]
        means.append(f"{np.mean(known):.2f}" if len(known) == len(paper) else "-")
    return means


def mean_of(rows: list[dict[str, object]]) -> dict[str, object]:
    numeric = [key for key, value in rows[0].items() if isinstance(value, float)]
    skipped = {key for key in numeric if key.endswith(("_pc", "_wr"))}
    means = {key: float(np.mean([row[key] for row in rows])) for key in numeric if key not in skipped}
    return {"set": "**mean**", "base": rows[0]["base"], "folds": rows[0]["folds"], **means}


def size_table(rows: list[dict[str, object]]) -> str:
    mean = mean_of(rows)
    lines = ["| at most | rules | error | fidelity |", "|---|---|---|---|"]
    for size in SIZES:
        cells = [
            f"{mean[f'rules_{size}']:.1f}",
            f"{mean[f'at_{size}']:.2f}",
            f"{mean[f'fidelity_{size}']:.1f} %",
        ]
        lines.append(f"| {size} | " + " | ".join(cells) + " |")
    lines.append(f"| all | {mean['ours_rules']:.0f} | {mean['ours_oob']:.2f} | |")
    lines.append(f"| the ensemble | | {mean['ensemble']:.2f} | 100 % |")
    return "\n".join(lines)


def report(
    by_base: dict[str, list[dict[str, object]]], paper: dict[str, dict[str, str]], n_repeats: int
) -> str:
    parts = [
        "# One rule set from an ensemble",
        f"Written by `experiments/rules.py`: test error in percent, {n_repeats} x 10-fold cross-validation, "
        "25 bagged C4.5 trees, pruned. *Paper's voting*: each test of a path is a condition, each rule "
        "counts once. *Default*: one condition per feature, rules count as often as trees have them. "
        "*Oracle*: pc and wr with the least error on the test rows, one pair per data set, as the paper "
        "chose them; every other column is chosen on training rows alone. *20 rules*: the default with "
        "`max_rules=20`. *Duplicates*: share of the leaves whose rule another tree had already.",
    ]
    for base, rows in by_base.items():
        mean = mean_of(rows)
        gain, loss = mean["ensemble"] - mean["ours_oob"], mean["at_20"] - mean["ensemble"]
        parts += [
            f"## Trees with {base}",
            table_of(rows, paper),
            f"Out-of-bag choice against the ensemble: {gain:+.2f} points better on the mean. "
            f"At most 20 rules: {loss:+.2f} points of error more than the ensemble.",
            "Means over the ten sets by the number of rules:",
            size_table(rows),
        ]
    parts.append("![error and fidelity against the number of rules](rules.svg)")
    parts.append(
        "How selection works (covers for several times, shortened rules, each counting once) was settled by "
        "trying alternatives on these ten sets, so that the columns of selected rules are not independent of "
        "that choice; all else follows the paper or was decided before."
    )
    parts.append(
        "Some cells of the paper are misprints and no targets: balance is 16.04 in its Table 1 and 16.40 in "
        "its Table 2; the last cell of wine repeats a training error and is left out. Its soybean, vote and "
        "heart files are others than ours, as their errors of C4.5 show."
    )
    return "\n\n".join(parts) + "\n"


def draw(by_base: dict[str, list[dict[str, object]]], path: Path) -> None:
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    axes = figure.subplots(1, 2)
    colours = ("#0072b2", "#e69f00")
    for (base, rows), colour in zip(by_base.items(), colours, strict=True):
        mean = mean_of(rows)
        sizes = [mean[f"rules_{size}"] for size in SIZES] + [mean["ours_rules"]]
        errors = [mean[f"at_{size}"] for size in SIZES] + [mean["ours_oob"]]
        axes[0].plot(sizes, errors, "o-", color=colour, label=base)
        axes[0].axhline(mean["ensemble"], color=colour, linestyle=":", linewidth=1)
        fidelities = [mean[f"fidelity_{size}"] for size in SIZES]
        axes[1].plot(sizes[:-1], fidelities, "o-", color=colour, label=base)
    axes[1].set_xlim(4.5, 60)
    for ax, label in zip(axes, ("test error [%]", "same label as the ensemble [%]"), strict=True):
        ax.set_xscale("log")
        limits = ax.get_xlim()
        ax.set_xticks(TICKS, [str(tick) for tick in TICKS])
        ax.minorticks_off()
        ax.set_xlim(limits)
        ax.set_xlabel("rules (mean over the ten sets)")
        ax.set_ylabel(label)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_title("dotted: the ensembles", fontsize=9)
    axes[1].legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--paper", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("docs/results"))
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--again", action="store_true", help="write the report from the numbers in rules.tsv")
    options = parser.parse_args()
    if options.again:
        by_base = stored_numbers(options.out / "rules.tsv")
    else:
        by_base = measure_all(options)
        write_numbers(by_base, options.out / "rules.tsv")
    n_repeats = next(iter(by_base.values()))[0]["folds"] // 10
    write_whole(options.out / "rules.md", report(by_base, paper_numbers(options.paper), n_repeats))
    draw(by_base, options.out / "rules.svg")


def measure_all(options: argparse.Namespace) -> dict[str, list[dict[str, object]]]:
    by_base: dict[str, list[dict[str, object]]] = {}
    for base, binary_splits in BASES.items():
        for name in FILES:
            folds = Parallel(n_jobs=options.jobs)(
                delayed(measure)(options.data_dir, name, binary_splits, repeat, fold)
                for repeat in range(options.repeats)
                for fold in range(10)
            )
            by_base.setdefault(base, []).append(summarise(name, base, folds))
    return by_base


def write_numbers(by_base: dict[str, list[dict[str, object]]], path: Path) -> None:
    rows = [row for group in by_base.values() for row in group]
    text = "\t".join(rows[0]) + "\n"
    for row in rows:
        cells = (f"{value:.4f}" if isinstance(value, float) else str(value) for value in row.values())
        text += "\t".join(cells) + "\n"
    write_whole(path, text)


def stored_numbers(path: Path) -> dict[str, list[dict[str, object]]]:
    by_base: dict[str, list[dict[str, object]]] = {}
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            names = {"set": row.pop("set"), "base": row.pop("base"), "folds": int(row.pop("folds"))}
            numbers = {key: float(value) for key, value in row.items()}
            by_base.setdefault(names["base"], []).append(names | numbers)
    return by_base


if __name__ == "__main__":
    main()
