"""Puts what `make coverage` counted into docs/how-it-is-tested.md, and prints lines that no test runs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from docs.tools.last_runs import commit
from docs.tools.testing_page import PAGE, fill
from docs.tools.testing_page import table as markdown

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "coverage"
SOURCE = ROOT / "src" / "sightline"

_PROCESS = (
    "Runs as a process of its own, which is not counted; `tests/cli` starts it and reads what it prints."
)
_EXPERIMENT = "A step of an experiment that takes minutes to hours: `sightline reproduce` runs it."
_NO_PANDAS = "Runs where pandas is not installed, and the tests need it."
_WINDOWS = "Runs on Windows."
_CLEANUP = "Cleans up where an allocation fails; `make faults` lets every one fail."
_GUARD = "Guards against a mistake in our own code: nothing leads there."
_SIGNATURE = "For type checkers: each estimator gets the method of its own model instead."
REASONS: dict[str, dict[str, str]] = {
    "cpp/": {"}": _CLEANUP},
    "cpp/sightline/model/curve.cpp": {
        "default:": _GUARD,
        'throw std::logic_error("not an operation of one number");': _GUARD,
    },
    "cpp/sightline/model/decision_nodes.cpp": {
        "case Test::kLeaf:": _GUARD,
        "break;": _GUARD,
        "return 0;": _GUARD,
    },
    "cpp/sightline/proof/box.cpp": {
        "case model::Test::kLeaf:": _GUARD,
        "break;": _GUARD,
        "return false;": _GUARD,
        "return;": _GUARD,
    },
    "cpp/sightline/proof/boxed_model.hpp": {
        "virtual bool is_settled(const Box& /*box*/) { throw_no_numbers(); }": _GUARD,
        "virtual ScoreBounds numbers(const Box& /*box*/) { throw_no_numbers(); }": _GUARD,
        "virtual double number(const double* /*row*/) { throw_no_numbers(); }": _GUARD,
        '[[noreturn]] static void throw_no_numbers() { throw std::logic_error("this model does not predict '
        'numbers"); }': _GUARD,
    },
    "__main__.py": {"": _PROCESS},
    "cli/_process.py": {"": _PROCESS},
    "estimator.py": {
        "return self.model_.to_text(**options)": _SIGNATURE,
        "return self.model_.plot(ax=ax, **options)": _SIGNATURE,
        "return self.model_.explain(rows, ids=ids)": _SIGNATURE,
        "return self.model_.export(kind, path, **options)": _SIGNATURE,
    },
    "files.py": {
        "except ImportError:": _WINDOWS,
        "import msvcrt  # noqa: PLC0415 - only on Windows": _WINDOWS,
        "msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]": _WINDOWS,
    },
    "lab/claims/": {"": _EXPERIMENT},
    "lab/papers/": {"": _EXPERIMENT},
    "load/pipeline/_composition.py": {
        "raise NotImplementedError  # `follow` does all": "Nobody calls it: its class overrides the caller.",
    },
    "load/pipeline/_probe.py": {
        "except ImportError:": _NO_PANDAS,
        "import polars as pl  # noqa: PLC0415 - optional": _NO_PANDAS,
        "return pl.DataFrame({name: list(column) for name, column in columns.items()})": _NO_PANDAS,
    },
    "table/_foreign_file.py": {
        "except ImportError as error:": _NO_PANDAS,
        'raise ImportError(f"{path}: {program} files need pandas: pip install pandas.") from error': (
            _NO_PANDAS
        ),
    },
    "table/_row_form.py": {"except ImportError:": _NO_PANDAS, "return np.asarray(table)": _NO_PANDAS},
}
"""Why no test runs a line: by file, or folder with a slash, and by the text of the line; "" is every line."""


@dataclass(frozen=True)
class Counted:
    """Lines and branches of one source file, how many of them ran, and how many others have a reason."""

    part: str
    lines: int
    lines_run: int
    branches: int
    branches_run: int
    explained: int = 0


def python_files(report: dict[str, Any]) -> Iterator[Counted]:
    """Read a report of coverage.py."""
    for path, found in report["files"].items():
        counts = found["summary"]
        own = path.rpartition("sightline/")[2]
        folder, _, rest = own.partition("/")
        yield Counted(
            f"Python: {folder if rest else 'the package itself'}",
            counts["num_statements"],
            counts["covered_lines"],
            counts["num_branches"],
            counts["covered_branches"],
            sum(reason is not None for reason in reasons_of(own, found["missing_lines"])),
        )


def reasons_of(path: str, numbers: list[int]) -> Iterator[tuple[str, str] | None]:
    """Yield, per line of a file, where a reason is given and which one; None where there is none."""
    places = [place for place in REASONS if path == place or (place[-1] == "/" and path.startswith(place))]
    why = {text: (place, reason) for place in places for text, reason in REASONS[place].items()}
    file = (ROOT if path.startswith("cpp/") else SOURCE) / path
    lines = file.read_text(encoding="utf-8").splitlines() if why and numbers else []
    for number in numbers:
        yield why.get(lines[number - 1].strip(), why.get("")) if why else None


def missing_python(report: dict[str, Any]) -> dict[str, list[int]]:
    """Return the lines of each file that did not run, from a report of coverage.py."""
    return {path.rpartition("sightline/")[2]: file["missing_lines"] for path, file in report["files"].items()}


def missing_cpp(report: dict[str, Any]) -> dict[str, list[int]]:
    """Return the same from all lines of gcovr; a line of a template runs if one of its copies does."""
    counts: dict[str, Counter[int]] = {file["file"]: Counter() for file in report["files"]}
    for file in report["files"]:
        for line in file["lines"]:
            counts[file["file"]][line["line_number"]] += line["count"]
    return {path: sorted(n for n, count in found.items() if not count) for path, found in counts.items()}


def reasons(missing: dict[str, list[int]]) -> Iterator[tuple[str, int, str]]:
    """Yield each file or folder with a reason, and the number of lines that it explains."""
    counts = Counter(
        found for path, numbers in missing.items() for found in reasons_of(path, numbers) if found is not None
    )
    yield from ((f"`{place}`", count, reason) for (place, reason), count in sorted(counts.items()))


def cpp_files(report: dict[str, Any], missing: dict[str, list[int]]) -> Iterator[Counted]:
    """Read a summary of gcovr, beside the lines that did not run."""
    for found in report["files"]:
        parts = found["filename"].rpartition("cpp/sightline/")[2].split("/")
        yield Counted(
            f"C++: {parts[0]}",
            found["line_total"],
            found["line_covered"],
            found["branch_total"],
            found["branch_covered"],
            sum(
                reason is not None
                for reason in reasons_of(found["filename"], missing.get(found["filename"], []))
            ),
        )


def share(run: int, total: int) -> str:
    return f"{100 * run / total:.1f}% of {total:,}" if total else "none"


def table(files: Iterator[Counted]) -> Iterator[tuple[str, str, str, int]]:
    """Sum the files of each part."""
    for part, group in groupby(sorted(files, key=lambda file: file.part), key=lambda file: file.part):
        own = list(group)
        yield (
            part,
            share(sum(file.lines_run for file in own), sum(file.lines for file in own)),
            share(sum(file.branches_run for file in own), sum(file.branches for file in own)),
            sum(file.lines - file.lines_run - file.explained for file in own),
        )


def main() -> None:
    python = json.loads((FOLDER / "python.json").read_text(encoding="utf-8"))
    cpp = json.loads((FOLDER / "cpp.json").read_text(encoding="utf-8"))
    lines = missing_cpp(json.loads((FOLDER / "cpp_lines.json").read_text(encoding="utf-8")))
    rows = [*table(python_files(python)), *table(cpp_files(cpp, lines))]
    header = ["part", "lines that the tests run", "branches", "lines without a test or a reason"]
    fill(
        "coverage",
        f"Counted at commit {commit()}, without the thorough tests:\n\n{markdown(header, rows)}",
        PAGE,
    )
    why = markdown(["file", "lines", "why no test runs them"], reasons(missing_python(python) | lines))
    fill("reasons", f"Lines that no test runs, and why:\n\n{why}", PAGE)
    for path, found in python["files"].items():
        if found["missing_lines"]:
            print(f"{path}: {', '.join(map(str, found['missing_lines']))}")


if __name__ == "__main__":
    main()
