"""Records a run that passed in docs/how-it-is-tested.md: ``python -m docs.tools.last_runs COMMAND …``.

The Makefile calls it after a check, with pytest's report (``--junitxml``) or with a sentence. Each
command has one row, that of its last run.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

from docs.tools.testing_page import PAGE, fill, table

HEADER = ("command", "commit", "result", "with")
PRODUCT = ("src", "cpp", "CMakeLists.txt", "pyproject.toml")
LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "xgboost-cpu", "lightgbm", "catboost", "onnxruntime")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", help="the target of the Makefile, e.g. test-oldest")
    parser.add_argument("--report", type=Path, help="pytest's report of the run")
    parser.add_argument("--result", default="", help="what to say instead, without a report")
    parser.add_argument("--python", help="the interpreter whose libraries were tested")
    parser.add_argument("--compilers", nargs="*", default=(), help="the compilers that were tried")
    options = parser.parse_args()
    result = summary(options.report.read_text(encoding="utf-8")) if options.report else options.result
    tested_with = versions(options.python) if options.python else ", ".join(map(compiler, options.compilers))
    record(options.command, result, tested_with)


def record(command: str, result: str, tested_with: str = "", page: Path = PAGE) -> None:
    """Put the row of this command into the table, in place of an earlier one."""
    rows = recorded(page)
    rows[f"`make {command}`"] = (commit(), result, tested_with)
    fill("runs", table(HEADER, [(name, *rows[name]) for name in sorted(rows)]), page)


def recorded(page: Path) -> dict[str, tuple[str, ...]]:
    """Return the rows of the table by command."""
    lines = re.findall(r"(?m)^\| (`make [^|]*`) \| (.*) \|$", page.read_text(encoding="utf-8"))
    return {command: tuple(cell.strip() for cell in cells.split("|")) for command, cells in lines}


def summary(report: str) -> str:
    """Return how many tests passed and were skipped; refuse a run with failures."""
    suites = ET.fromstring(report).iter("testsuite")
    counts = [
        [int(suite.get(key, 0)) for key in ("tests", "failures", "errors", "skipped")] for suite in suites
    ]
    tests, failures, errors, skipped = map(sum, zip(*counts, strict=True))
    if failures or errors:
        raise SystemExit(f"{failures + errors:,} tests failed: this run is not recorded")
    return f"{tests - skipped:,} tests passed" + (f", {skipped:,} skipped" if skipped else "")


def versions(python: str) -> str:
    """Return the versions of Python and of the libraries that matter, where they are installed."""
    program = (
        "import importlib.metadata as m, platform\n"
        "print('Python', platform.python_version())\n"
        f"for name in {LIBRARIES}:\n"
        "    try: print(name, m.version(name))\n"
        "    except m.PackageNotFoundError: pass\n"
    )
    return ", ".join(output(python, "-c", program).splitlines())


def compiler(name: str) -> str:
    """Return the compiler with its version."""
    return f"{name} {output(name, '-dumpfullversion', '-dumpversion')}"


def commit() -> str:
    """Return the last commit that changed what was tested: later ones leave the result as it is."""
    return output("git", "-C", str(PAGE.parents[1]), "log", "-1", "--abbrev=8", "--format=%h", "--", *PRODUCT)


def output(*command: str) -> str:
    """Return what a command prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
