"""Draw how the ratios of ``make bench`` changed from release to release, and write the page about them.

Run ``python -m docs.tools.bench_history`` after ``make bench``.
"""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.history import Run, latest, read_runs
from sightline.lab import Dots, FigureFile, dots

RESULTS = Path(__file__).resolve().parents[1] / "results"
MAX_RUNS = 6
"""Columns of the table: the latest runs."""

MAX_SHOWN = 3
MAX_JOBS = 20
"""Runs and jobs in the picture."""

INTRODUCTION = """
Each line is a job, and what it is compared with: the same job in another library, a simpler program, a
smaller job, or a limit that we set for memory and sizes. Times are CPU times of one thread, unless a line
says otherwise. The number is our time, memory or size divided by the other one, so it means nearly the same
on every machine; lower is better. Every column is one run of `make bench`, named by the version and the
commit that it measured, so one version may have several columns. `make bench-check` fails if a ratio of
the last run is worse by more than a fifth than in the last run of the release before, or, as long as there is
none, than in the run before it. If a run covers only some jobs, its column is empty for the others.
"""

PEERS = {
    "distilled tree: 50 leaves": "training the forest",
    "distilled tree: resized": "scikit-learn's DecisionTreeClassifier of 64 leaves, same rows",
    "distilled tree of numbers: 32 leaves": "distilling classes to a tree of the same size",
    "distilled tree of numbers: resized": "scikit-learn's DecisionTreeRegressor of 64 leaves, same rows",
    "distilled tree: every test": "one test at a time",
    "ISM: 50 leaves": "training the forest",
    "ISM:": "one test at a time",
    "predict 100,000 rows, 100 full trees": "scikit-learn's RandomForestClassifier",
    "predict 100,000 rows, 100 trees of 31 leaves": "LightGBM",
    "predict 100,000 rows, 100 trees of depth 6": "XGBoost",
    r"report of .*: size": "2 MB",
    "report of": "training the model",
    r"smallest merge .*, size": "its leaves after 1 s",
    "smallest merge": "its time budget",
    "certify": "predicting every cell",
    "AmbHC": "numpy, one flip at a time",
    "load a pipeline": "loading the forest alone",
    "memory: load": "1 GB",
    "load XGBoost": "XGBoost",
    "load LightGBM dump": "LightGBM, which loads its text file",
    "load LightGBM": "LightGBM",
    "load CatBoost": "CatBoost",
    "load ONNX": "onnxruntime",
    "load PMML": "our reader of the XGBoost JSON",
    "load 4 times as many": "the smaller model",
    r"C4\.5 fit, .*, peak": "the rows alone",
    r"C4\.5 fit, binary": "the time for fewer categories, scaled up",
    r"C4\.5 fit": "scikit-learn's DecisionTreeClassifier with entropy",
    "SET-GEN": "scikit-learn's cross_val_score of a tree, one-hot columns",
    "read a frame": "the time for fewer columns, scaled up",
    "rules: predict": "the prediction of the ensemble",
    "rules: choose": "growing the trees",
    "rules: votes": "numpy, a matrix of rows by rules",
    "explain": "5 times the prediction, plus 1 s per 100,000 rows",
    "stumps: per row": "a quarter of the rows",
    "stumps: one candidate": "scikit-learn's tree over two columns",
    "stumps: graph": "nodes with the most used columns first",
    "export to": "the export to JSON",
    "run 20 cells": "scikit-learn's cross_val_score",
    "stability": "every pair in numpy",
    r".* of 1,000 classes, peak": "2 GB",
    r".* rows in parts: peak": "1.5 GB",
    r".* rows in parts: distill": "LightGBM predicting them, by elapsed time on all threads",
}
"""What the ratio is to, by a pattern for the beginning of the job; the first one that matches counts."""

REASONS = {
    "ISM: 50 leaves": (
        "Two fifths of the time go into the probabilities of all outcomes of every node, an eighth into "
        "finding the part of the forest that a node's rows can still reach, and an eighth into loading "
        "Python modules."
    ),
    "load XGBoost .ubj": (
        "XGBoost only copies arrays, at 20 ns per node; here it is 30 ns. Over half of the time goes into "
        "building trees: every test, number and share is checked, nodes are put in depth-first order, and "
        "inner nodes get the mean of their leaves. A sixth goes into reading and parsing the file, a tenth "
        "into joining the arrays, and a tenth into Python."
    ),
    "load LightGBM dump": (
        "LightGBM cannot load a dump, so the peer loads its text file, which is a quarter as long. Two "
        "fifths of the time go into turning the nested nodes into columns, a seventh into building trees, "
        "and an eighth into reading the file."
    ),
    "SET-GEN, 5,000 sets": (
        "Sets share the nodes of their trees, also if other tests lead to the same rows, so one of 50,000 "
        "trees takes 27 µs. Nearly a third of the time goes into finding tests for new nodes, a quarter into "
        "pruning, a seventh into following cached nodes, and a tenth each into splitting rows and into the "
        "memory of the cache. Huge pages do not help, nor does keeping the results of whole subtrees."
    ),
    "report of 2,000 leaves": (
        "C4.5 learns the tree in 0.03 s, while the page describes, charts and draws each of its 4,000 nodes, "
        "in Python at 40 µs each. Boxes and their lines take a quarter of the time; charts, sentences and "
        "writing JSON take about a fifth each."
    ),
}
"""Why a bound is not met, by the first words of the job, where a profile has shown it."""


def main() -> None:
    runs = read_runs()
    picture = draw(runs)
    (RESULTS / "speed.svg").write_text(picture.to_svg(), encoding="utf-8")
    (RESULTS / "speed.md").write_text(page(runs, picture.caption), encoding="utf-8")


def page(runs: list[Run], caption: str) -> str:
    shown, now = runs[-MAX_RUNS:], latest(runs[-MAX_RUNS:])
    names = [_name(run) for run in shown]
    head = ["# Speed", "", f"**{_finding(now)}**", "", f"![{caption}](speed.svg)", "", caption]
    lines = ['<div class="wide-first" markdown="1">', ""]
    lines.append("| job | compared with | bound | " + " | ".join(names) + " |")
    lines.append("|---|---|---" + "|---" * len(names) + "|")
    for job, bound in now.bounds.items():
        ratios = [f"{run.ratios[job]:.3g}" if job in run.ratios else "" for run in shown]
        lines.append(f"| {job} | {peer_of(job)} | {bound:g} | " + " | ".join(ratios) + " |")
    lines += ["", "</div>", "", *_not_met(now)]
    versions = f"Measured against {now.versions}."
    return "\n".join([*head, INTRODUCTION, *lines, "", versions, ""])


def peer_of(job: str) -> str:
    """Return what a job is compared with.

    Examples
    --------
    >>> peer_of("load XGBoost .ubj, 100 trees")
    'XGBoost'
    """
    return next((peer for start, peer in PEERS.items() if re.match(start, job)), "")


def _name(run: Run) -> str:
    return f"{run.release} ({run.commit})"


def _finding(run: Run) -> str:
    met = [job for job, ratio in run.ratios.items() if ratio <= run.bounds[job]]
    return f"{len(met)} of {len(run.ratios)} jobs stay within the bound we set for them."


def _not_met(run: Run) -> list[str]:
    """Return the lines about ratios above their bounds."""
    missed = [job for job, ratio in run.ratios.items() if ratio > run.bounds[job]]
    if not missed:
        return ["Every job is within its bound."]
    lines = ["## Bounds that are exceeded", ""]
    for job in missed:
        reason = next((text for start, text in REASONS.items() if job.startswith(start)), "")
        lines.append(
            f"- **{job}**: {run.ratios[job]:.3g}, the bound is {run.bounds[job]:g}. {reason}".rstrip()
        )
    return lines


def draw(runs: list[Run]) -> FigureFile:
    """Draw the ratios over their bounds, in the latest runs, of the jobs where that is largest."""
    now = latest(runs[-MAX_RUNS:])
    jobs = sorted(now.ratios, key=lambda job: -now.ratios[job] / now.bounds[job])[:MAX_JOBS]
    series = {
        _name(run): {job: run.ratios[job] / now.bounds[job] for job in jobs if job in run.ratios}
        for run in runs[-MAX_SHOWN:]
    }
    caption = (
        f"The {len(jobs)} jobs nearest to their bounds: ratio divided by bound. To the right of the line, "
        "the bound is exceeded."
    )
    return dots(caption, [Dots("ratio / bound", series, line=1.0, logarithmic=True)], names=jobs)


if __name__ == "__main__":
    main()
