"""The table of ``make coverage``: files of a folder are summed, in Python and in C++."""

import pytest

from docs.tools.coverage_page import (
    REASONS,
    ROOT,
    SOURCE,
    cpp_files,
    missing_cpp,
    missing_python,
    python_files,
    reasons,
    table,
)


def test_files_of_a_folder_are_summed():
    def counted(statements, run, branches, taken):
        numbers = (statements, run, branches, taken)
        names = ("num_statements", "covered_lines", "num_branches", "covered_branches")
        return {"summary": dict(zip(names, numbers, strict=True)), "missing_lines": []}

    report = {
        "files": {
            "lib/sightline/load/_a.py": counted(10, 9, 4, 4),
            "lib/sightline/load/pipeline/_b.py": counted(30, 30, 4, 3),
            "lib/sightline/budget.py": counted(5, 5, 0, 0),
        }
    }
    assert list(table(python_files(report))) == [
        ("Python: load", "97.5% of 40", "87.5% of 8", 1),
        ("Python: the package itself", "100.0% of 5", "none", 0),
    ]


def test_folders_of_kernels():
    names = ("line_total", "line_covered", "branch_total", "branch_covered")
    report = {
        "files": [
            {"filename": f"cpp/sightline/{path}", **dict(zip(names, numbers, strict=True))}
            for path, numbers in (("proof/box.cpp", (8, 8, 2, 1)), ("load/retest.cpp", (1_500, 1_200, 6, 3)))
        ]
    }
    assert list(table(cpp_files(report, {}))) == [
        ("C++: load", "80.0% of 1,500", "50.0% of 6", 300),
        ("C++: proof", "100.0% of 8", "50.0% of 2", 0),
    ]


def test_lines_with_a_reason_are_found_by_their_text():
    lines = (SOURCE / "files.py").read_text(encoding="utf-8").splitlines()
    windows = [number for number, line in enumerate(lines, 1) if "msvcrt" in line]
    assert windows
    counts = {"num_statements": 9, "covered_lines": 5, "num_branches": 0, "covered_branches": 0}
    report = {
        "files": {
            "lib/sightline/files.py": {"summary": counts, "missing_lines": [1, *windows]},
            "lib/sightline/lab/claims/any.py": {"summary": counts, "missing_lines": []},
        }
    }
    assert list(reasons(missing_python(report))) == [("`files.py`", len(windows), "Runs on Windows.")]
    assert next(table(python_files(report)))[-1] == 4
    assert list(table(python_files(report)))[-1][-1] == 4 - len(windows)


def test_lines_of_kernels_with_a_reason():
    path = "cpp/sightline/model/curve.cpp"
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    default = lines.index("    default:") + 1
    entries = [{"line_number": number, "count": int(number == 1)} for number in (1, 2, default, default + 1)]
    missing = missing_cpp({"files": [{"file": path, "lines": entries}]})
    assert missing == {path: [2, default, default + 1]}
    assert [row[:2] for row in reasons(missing)] == [(f"`{path}`", 2)]
    counts = {"line_total": 9, "line_covered": 6, "branch_total": 0, "branch_covered": 0}
    assert next(table(cpp_files({"files": [{"filename": path, **counts}]}, missing)))[-1] == 1


@pytest.mark.parametrize("place", REASONS)
def test_reasons_are_about_lines_that_exist(place):
    path = (ROOT if place.startswith("cpp/") else SOURCE) / place
    assert path.is_dir() if place.endswith("/") else path.is_file()
    texts = (
        set() if path.is_dir() else {line.strip() for line in path.read_text(encoding="utf-8").splitlines()}
    )
    assert set(REASONS[place]) <= texts | {"", "}"}
