"""The table of ``make coverage``: files of a folder are summed, in Python and in C++."""

from docs.tools.coverage_page import cpp_files, python_files, table


def test_files_of_a_folder_are_summed():
    def counted(statements, run, branches, taken):
        numbers = (statements, run, branches, taken)
        names = ("num_statements", "covered_lines", "num_branches", "covered_branches")
        return {"summary": dict(zip(names, numbers, strict=True))}

    report = {
        "files": {
            "lib/sightline/load/_a.py": counted(10, 9, 4, 4),
            "lib/sightline/load/pipeline/_b.py": counted(30, 30, 4, 3),
            "lib/sightline/budget.py": counted(5, 5, 0, 0),
        }
    }
    assert list(table(python_files(report))) == [
        ("Python: load", "97.5% of 40", "87.5% of 8"),
        ("Python: the package itself", "100.0% of 5", "none"),
    ]


def test_folders_of_kernels():
    names = ("line_total", "line_covered", "branch_total", "branch_covered")
    report = {
        "files": [
            {"filename": f"cpp/sightline/{path}", **dict(zip(names, numbers, strict=True))}
            for path, numbers in (("proof/box.cpp", (8, 8, 2, 1)), ("load/retest.cpp", (1_500, 1_200, 6, 3)))
        ]
    }
    assert list(table(cpp_files(report))) == [
        ("C++: load", "80.0% of 1,500", "50.0% of 6"),
        ("C++: proof", "100.0% of 8", "50.0% of 2"),
    ]
