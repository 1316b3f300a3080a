"""Draw how the ratios of ``make bench`` changed from release to release, and write the page about them.

Run ``python -m docs.tools.bench_history`` after ``make bench``.
"""

from __future__ import annotations

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
Each line is a job that Sightline and a peer do side by side in one process, on one thread. The number is our
CPU time or memory divided by the peer's, so it means the same on every machine; lower is better. `make bench`
measures the ratios and adds a column. `make bench-check` fails if a ratio has become worse by more than a
fifth since the previous release. If a run covers only some jobs, its column is empty for the others.
"""

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
    lines = ["| job | bound | " + " | ".join(names) + " |", "|---|---" + "|---" * len(names) + "|"]
    for job, bound in now.bounds.items():
        ratios = [f"{run.ratios[job]:.3g}" if job in run.ratios else "" for run in shown]
        lines.append(f"| {job} | {bound:g} | " + " | ".join(ratios) + " |")
    lines += ["", *_not_met(now)]
    versions = f"Measured against {now.versions}."
    return "\n".join([*head, INTRODUCTION, *lines, "", versions, ""])


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
