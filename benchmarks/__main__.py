"""``python -m benchmarks``: measure every ratio and check it against its bound."""

from __future__ import annotations

import argparse
import importlib
import sys

from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

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
    options = parser.parse_args()
    console = Console(width=140)
    table = Table("job", "ours", "peer", "unit", "ratio", "bound", "peer is")
    broken = 0
    with threadpool_limits(1):
        for job in options.jobs:
            for ratio in importlib.import_module(f"benchmarks.{job}").ratios(options.large):
                broken += not ratio.holds
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
    console.print(table)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
