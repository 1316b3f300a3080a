"""``python -m benchmarks``: measure every ratio and check it against its bound."""

from __future__ import annotations

import argparse
import importlib
import sys

from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from benchmarks._ratio import Ratio
from benchmarks.history import HISTORY, Run, read_runs, record, worsened

JOBS = (
    *("c45", "setgen", "stumps", "model", "load", "load_exchange", "load_growth", "ism", "distilled_tree"),
    *("merge", "rule_set", "meta_knn", "lab", "explain", "export", "report", "growth", "many_classes"),
    "rows",
)
"""One file each, named after the concept or stage of the sources that it measures."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jobs", nargs="*", default=JOBS, help=f"some of {', '.join(JOBS)}")
    parser.add_argument("--large", action="store_true", help="also run the sizes that take minutes")
    parser.add_argument("--record", action="store_true", help=f"append the ratios to {HISTORY.name}")
    checked = "measure nothing: compare the last run with the release before, or else with the run before"
    parser.add_argument("--check", action="store_true", help=checked)
    options = parser.parse_args()
    if options.check:
        return check()
    measured: list[Ratio] = []
    for job in options.jobs:
        with threadpool_limits(1):
            own = list(importlib.import_module(f"benchmarks.{job}").ratios(options.large))
        if options.record:  # at once: an interrupted run is not lost, and the rest can be measured later
            record(Run.of(own))
        measured += own
    show(measured)
    return 0 if all(ratio.holds for ratio in measured) else 1


def show(measured: list[Ratio]) -> None:
    table = Table("job", "ours", "peer", "unit", "ratio", "bound", "peer is")
    for ratio in measured:
        style = "green" if ratio.holds else "red"
        table.add_row(
            ratio.job,
            f"{ratio.ours:.3g}",
            f"{ratio.peer:.3g}",
            ratio.unit,
            f"[{style}]{ratio.value:.3f}[/]",
            f"{ratio.bound:g}",
            ratio.peer_name,
        )
    Console(width=140).print(table)


def check() -> int:
    runs = read_runs()
    if not runs:
        print(f"{HISTORY.name} has no run yet: make bench adds one.")
        return 0
    sentences = worsened(runs)
    print("\n".join(sentences) or f"None of {len(runs[-1].ratios)} ratios is worse by more than a fifth.")
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main())
