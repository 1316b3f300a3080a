"""``python -m benchmarks``: every ratio, and whether it keeps its bound."""

from __future__ import annotations

import argparse
import importlib
import sys

from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

STAGES = (
    *("learn", "setgen", "stumps", "model", "load", "ism", "distilled_tree", "merge", "rules"),
    *("metaknn", "judge", "export", "report"),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stages", nargs="*", default=STAGES, help=f"which of {', '.join(STAGES)}")
    parser.add_argument("--large", action="store_true", help="the sizes that take minutes, too")
    options = parser.parse_args()
    console = Console(width=140)
    table = Table("job", "ours", "peer", "unit", "ratio", "bound", "peer is")
    broken = 0
    with threadpool_limits(1):
        for stage in options.stages:
            for ratio in importlib.import_module(f"benchmarks.{stage}").ratios(options.large):
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
