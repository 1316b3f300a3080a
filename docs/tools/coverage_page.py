"""Puts what `make coverage` counted into docs/how-it-is-tested.md, and prints lines that no test runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from docs.tools.testing_page import write_table

FOLDER = Path(__file__).resolve().parents[2] / "build" / "coverage"


@dataclass(frozen=True)
class Counted:
    """Lines and branches of one source file, and how many of them ran."""

    part: str
    lines: int
    lines_run: int
    branches: int
    branches_run: int


def python_files(report: dict[str, Any]) -> Iterator[Counted]:
    """Read a report of coverage.py."""
    for path, found in report["files"].items():
        counts = found["summary"]
        parts = path.rpartition("sightline/")[2].split("/")
        yield Counted(
            f"Python: {parts[0] if len(parts) > 1 else 'the package itself'}",
            counts["num_statements"],
            counts["covered_lines"],
            counts["num_branches"],
            counts["covered_branches"],
        )


def cpp_files(report: dict[str, Any]) -> Iterator[Counted]:
    """Read a summary of gcovr."""
    for found in report["files"]:
        parts = found["filename"].rpartition("cpp/sightline/")[2].split("/")
        yield Counted(
            f"C++: {parts[0]}",
            found["line_total"],
            found["line_covered"],
            found["branch_total"],
            found["branch_covered"],
        )


def share(run: int, total: int) -> str:
    return f"{100 * run / total:.1f}% of {total:,}" if total else "none"


def table(files: Iterator[Counted]) -> Iterator[tuple[str, str, str]]:
    """Sum the files of each part."""
    for part, group in groupby(sorted(files, key=lambda file: file.part), key=lambda file: file.part):
        own = list(group)
        yield (
            part,
            share(sum(file.lines_run for file in own), sum(file.lines for file in own)),
            share(sum(file.branches_run for file in own), sum(file.branches for file in own)),
        )


def main() -> None:
    python = json.loads((FOLDER / "python.json").read_text(encoding="utf-8"))
    cpp = json.loads((FOLDER / "cpp.json").read_text(encoding="utf-8"))
    rows = [*table(python_files(python)), *table(cpp_files(cpp))]
    write_table("coverage", ["part", "lines that the tests run", "branches"], rows)
    for path, found in python["files"].items():
        if found["missing_lines"]:
            print(f"{path}: {', '.join(map(str, found['missing_lines']))}")


if __name__ == "__main__":
    main()
