"""Meta k-NN beside the ensembles that it explains: Figures 2, 3, 5 and 6 of its paper.

``python -m experiments.metaknn --data-dir DIR --out docs/results [--sets ...] [--repeats N] [--jobs N]``
where DIR holds the ARFF files: five-fold cross-validation, repeated, 25 members of 5 neighbours each. Writes
``metaknn.tsv`` (one line per fold, ensemble and k_meta), ``metaknn.md`` and the figures as SVG. With
``--from-tsv`` text and figures are made again from the TSV that is there.
"""

from __future__ import annotations

import argparse
import csv
import io
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from matplotlib.figure import Figure
from sklearn.model_selection import StratifiedKFold

import sightline as sl
from sightline.files import write_whole
from sightline.model import NeighbourEnsemble, member_views, most_voted

SETS = ("diabetes", "heart-c", "heart-statlog", "cylinder-bands")
TITLES = {
    "diabetes": "Pima diabetes",
    "heart-c": "heart-c",
    "heart-statlog": "heart-statlog",
    "cylinder-bands": "cylinder-bands",
}
# Identifiers, which are not properties of a case.
NO_FEATURES = {"cylinder-bands": ("timestamp", "cylinder_number", "customer", "job_number")}
SEARCHES = ("hc", "ambhc", "random")
NAMES = {"hc": "HC", "ambhc": "AmbHC", "random": "random subspaces", "knn": "5-NN"}
COLOURS = {"hc": "#0072b2", "ambhc": "#d55e00", "random": "#009e73", "knn": "#8a8f98"}
MOST_META = 25
Row = dict[str, Any]


def read(folder: Path, name: str) -> tuple[sl.Table, sl.Labels]:
    table = sl.read_table(folder / f"{name}.arff")
    kept = [column for column in table.columns if column.name not in NO_FEATURES.get(name, ())]
    return sl.Table(kept), table.y


def lines_of(name: str, repeat: int, fold: int, ensemble: str, error: float, more: Row) -> Row:
    return {"set": name, "repeat": repeat, "fold": fold, "ensemble": ensemble, "error": error, **more}


def one_fold(folder: Path, name: str, repeat: int, fold: int) -> list[Row]:
    X, y = read(folder, name)
    folds = StratifiedKFold(5, shuffle=True, random_state=repeat)
    train, test = list(folds.split(np.zeros(len(y)), y.codes))[fold]
    truth = y.codes[test]
    full = np.ones((1, len(X.columns)), dtype=bool)
    plain = NeighbourEnsemble(X[train], y[train], full, 5).answers(X[test])[0]
    rows = [lines_of(name, repeat, fold, "knn", float((plain != truth).mean()), {})]
    for search in SEARCHES:
        knn = sl.SubspaceKNNClassifier(search=search, random_state=10 * repeat + fold).fit(X[train], y[train])
        meta = sl.MetaKNNClassifier(knn).fit(X[train], y[train])
        base = meta.cases_
        said, _ = knn.ensemble_.answers(X[test])
        members = member_views(knn.ensemble_, X[test]).sides
        about = {
            "member_error": float((members != truth[:, None]).mean()),
            "features": float(knn.ensemble_.masks.sum(axis=1).mean()),
            "ambiguity": knn.ambiguity_,
            "passes": knn.n_passes_,
            "loo_k": meta.k_meta_,
            "loo_fidelity": meta.fidelity_,
        }
        error = float((said != truth).mean())
        by_k = most_voted(base.votes(*base.neighbours(X[test], MOST_META)), base.labels)
        for k in range(1, MOST_META + 1):
            votes = by_k[:, k - 1]
            measured = {
                "k_meta": k,
                "meta_error": float((votes != truth).mean()),
                "fidelity": float((votes == said).mean()),
            }
            rows.append(lines_of(name, repeat, fold, search, error, {**about, **measured}))
    return rows


COLUMNS = [
    *("set", "repeat", "fold", "ensemble", "error", "member_error", "features", "ambiguity", "passes"),
    *("loo_k", "loo_fidelity", "k_meta", "meta_error", "fidelity"),
]


def write_rows(path: Path, rows: list[Row]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, delimiter="\t", restval="", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(
            {key: f"{value:.5f}" if isinstance(value, float) else value for key, value in row.items()}
        )
    write_whole(path, text.getvalue())


def figure_of_errors(data: pd.DataFrame, name: str, number: str) -> Figure:
    """Error against k_meta, with the ensembles and their members as lines."""
    figure = Figure(figsize=(8.0, 4.4), layout="constrained")
    ax = figure.add_subplot()
    own = data[data["set"] == name]
    for search in ("hc", "ambhc"):
        part = own[own["ensemble"] == search]
        curve = part.groupby("k_meta")["meta_error"].mean()
        label = NAMES[search]
        ax.plot(curve.index, 100 * curve, "o-", ms=4, color=COLOURS[search], label=f"Meta k-NN on {label}")
        ax.axhline(100 * part["error"].mean(), color=COLOURS[search], ls="--", label=f"{label} ensemble")
        ax.axhline(
            100 * part["member_error"].mean(), color=COLOURS[search], ls=":", label=f"{label} members, mean"
        )
    for other in ("random", "knn"):
        error = own[own["ensemble"] == other]["error"].mean()
        ax.axhline(100 * error, color=COLOURS[other], ls="-.", label=NAMES[other])
    ax.set_title(f"{TITLES[name]}  (Figure {number} of the paper)", loc="left")
    ax.set_ylabel("error on held-out rows, %")
    _finish(ax)
    return figure


def figure_of_fidelity(data: pd.DataFrame) -> Figure:
    """Disagreement of Meta k-NN with the AmbHC ensemble against k_meta."""
    figure = Figure(figsize=(8.0, 4.4), layout="constrained")
    ax = figure.add_subplot()
    colours = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
    for name, colour in zip(data["set"].unique(), colours, strict=False):
        part = data[(data["set"] == name) & (data["ensemble"] == "ambhc")]
        curve = 100 * (1 - part.groupby("k_meta")["fidelity"].mean())
        ax.plot(curve.index, curve, "o-", ms=4, color=colour, label=TITLES[name])
    for share in (5, 10):
        ax.axhline(share, color="#8a8f98", lw=0.8)
    ax.set_ylim(0)
    ax.set_title("Fidelity error of Meta k-NN to its AmbHC ensemble  (Figure 6 of the paper)", loc="left")
    ax.set_ylabel("rows with another label, %")
    _finish(ax)
    return figure


def _finish(ax: Any) -> None:
    ax.set_xlabel("k_meta, number of nearest cases that vote")
    ax.set_xticks(range(1, MOST_META + 1, 2))
    ax.grid(axis="y", alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False, fontsize=9)


def save(figure: Figure, path: Path) -> None:
    text = io.StringIO()
    # The same bytes in every run.
    with mpl.rc_context({"svg.hashsalt": "sightline"}):
        figure.savefig(text, format="svg", metadata={"Date": None})
    write_whole(path, text.getvalue())


def summary(data: pd.DataFrame) -> str:
    repeats = data["repeat"].nunique()
    ks = (1, 3, 5, 7, 9, 15, 25)
    lines = [
        "# Meta k-NN",
        "",
        f"Five-fold cross-validation, repeated {repeats} times (`python -m experiments.metaknn`): 25 members",
        "of 5 neighbours, at most 8 passes, threshold 0.05. Errors and fidelity in % of held-out rows; Meta",
        "k-NN on leave-one-out descriptions of the training rows. Every fold: [metaknn.tsv](metaknn.tsv).",
        "",
        "| data | 5-NN | random subspaces | HC (members) | AmbHC (members) | features used, HC / AmbHC |",
        "|---|---|---|---|---|---|",
    ]
    for name in data["set"].unique():
        own = data[data["set"] == name]
        means = own.groupby("ensemble")[["error", "member_error", "features"]].mean()
        error, member = 100 * means["error"], 100 * means["member_error"]
        features = means["features"]
        lines.append(
            f"| {TITLES[name]} | {error['knn']:.1f} | {error['random']:.1f} "
            f"| {error['hc']:.1f} ({member['hc']:.1f}) | {error['ambhc']:.1f} ({member['ambhc']:.1f}) "
            f"| {features['hc']:.1f} / {features['ambhc']:.1f} |"
        )
    for measure, title in (("meta_error", "Error"), ("fidelity", "Fidelity to the ensemble")):
        heads = " | ".join(f"k_meta={k}" for k in ks)
        lines += ["", f"## {title}: Meta k-NN", "", f"| data | on | {heads} | k_meta by leave-one-out |"]
        lines.append("|---" * (len(ks) + 3) + "|")
        for name in data["set"].unique():
            for search in SEARCHES:
                part = data[(data["set"] == name) & (data["ensemble"] == search)]
                values = [100 * part[part["k_meta"] == k][measure].mean() for k in ks]
                chosen = part[part["k_meta"] == part["loo_k"]][measure].mean()
                cells = " | ".join(f"{value:.1f}" for value in values)
                lines.append(f"| {TITLES[name]} | {NAMES[search]} | {cells} | {100 * chosen:.1f} |")
    return "\n".join([*lines, "", *_findings(data), *_pictures(list(data["set"].unique()))]) + "\n"


def _findings(data: pd.DataFrame) -> list[str]:
    """What the paper says, and whether it is so here: every sentence is made of the numbers above."""
    lines = ["## Against the paper", ""]
    for name in data["set"].unique():
        own = data[data["set"] == name]
        amb, hc = own[own["ensemble"] == "ambhc"], own[own["ensemble"] == "hc"]
        at = {k: 100 * amb[amb["k_meta"] == k][["meta_error", "fidelity"]].mean() for k in (5, 25)}
        apart = 100 * (amb[["error", "member_error"]].mean() - hc[["error", "member_error"]].mean())
        lines.append(
            f"- {TITLES[name]}: AmbHC ensemble {apart['error']:+.1f} points of error against HC (paper: "
            f"better), members {apart['member_error']:+.1f} (paper: considerably worse); Meta k-NN on AmbHC "
            f"at 25 {at[25]['meta_error'] - 100 * amb['error'].mean():+.1f} against its ensemble (paper: "
            f"better, but for heart); fidelity {at[5]['fidelity']:.1f} % at 5 and "
            f"{at[25]['fidelity']:.1f} % at 25 (paper: over 95 % from 5 on, but for cylinder)."
        )
    return [*lines, ""]


def _pictures(sets: list[str]) -> list[str]:
    files = [f"metaknn_{name}.svg" for name in sets] + ["metaknn_fidelity.svg"]
    return [f"![{file}]({file})" for file in files]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--out", type=Path, default=Path("docs/results"))
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--from-tsv", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "metaknn.tsv"
    if not options.from_tsv:
        tasks = [
            (name, repeat, fold)
            for name in options.sets
            for repeat in range(options.repeats)
            for fold in range(5)
        ]
        results = Parallel(n_jobs=options.jobs)(delayed(one_fold)(options.data_dir, *task) for task in tasks)
        write_rows(path, [row for rows in results for row in rows])
    data = pd.read_csv(path, sep="\t")
    write_whole(options.out / "metaknn.md", summary(data))
    numbers = {"heart-c": "2", "heart-statlog": "2", "diabetes": "3", "cylinder-bands": "5"}
    for name in data["set"].unique():
        save(figure_of_errors(data, name, numbers[name]), options.out / f"metaknn_{name}.svg")
    save(figure_of_fidelity(data), options.out / "metaknn_fidelity.svg")


if __name__ == "__main__":
    main()
