"""The table of ``make coverage``: files of a folder are summed, in Python and in C++."""

import pytest

from docs.tools.coverage_page import (
    BRANCH_REASONS,
    REASONS,
    ROOT,
    SOURCE,
    branch_counts,
    branch_reasons_of,
    cpp_files,
    general_reason,
    missing_branches,
    missing_cpp,
    missing_python,
    python_files,
    reasons,
    table,
    template_of,
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
        ("Python: load", "97.5% of 40", "87.5% of 8", 1, ""),
        ("Python: the package itself", "100.0% of 5", "none", 0, ""),
    ]


def line(number, count, *blocks, function="f()"):
    """A line of gcovr's report: each block gives the counts of its branches."""
    counts = [(block, taken) for block, branches in enumerate(blocks) for taken in branches]
    return {
        "line_number": number,
        "function_name": function,
        "count": count,
        "branches": [
            {"branchno": i, "count": taken, "source_block_id": block}
            for i, (block, taken) in enumerate(counts)
        ],
    }


def test_folders_of_kernels():
    report = {
        "files": [
            {"file": "cpp/sightline/proof/box.cpp", "lines": [line(1, 3, [2, 1]), line(2, 1)]},
            {"file": "cpp/sightline/proof/box.hpp", "lines": [line(1, 1, [1, 1])]},
            {"file": "cpp/sightline/load/retest.cpp", "lines": [line(1, 2), line(2, 0), line(3, 0)]},
        ]
    }
    assert list(table(cpp_files(report))) == [
        ("C++: load", "33.3% of 3", "none", 2, 0),
        ("C++: proof", "100.0% of 3", "100.0% of 4", 0, 0),
    ]


def test_copies_of_a_template_count_as_one():
    lines = [
        line(5, 0, [0, 0], [0, 0], function="void a::f<int>(int)"),
        line(5, 7, [7, 0], [7], function="void a::f<double>(double)"),
        line(5, 2, [0, 2], [2], function="void a::f<std::vector<int> >(std::vector<int>)"),
        line(5, 4, [4, 0], function="void a::f<int>(int)::{lambda(int)#1}::operator()(int) const"),
    ]
    # The second block is a call that can throw: where it ran, the branch of the exception is dropped.
    assert branch_counts({"lines": lines}) == {5: [7, 2, 4, 0]}


def test_names_of_copies():
    outer = "sightline::(anonymous namespace)::Grower::best(std::span<int const, 18ul>)"
    assert template_of(f"auto {outer}::{{lambda(unsigned long)#2}}::operator()<3ul>() const") == template_of(
        f"auto {outer}::{{lambda(unsigned long)#2}}::operator()<0ul>() const"
    )
    assert template_of(outer) == "sightline::::Grower::best"
    assert template_of(outer) != template_of(outer.replace("best", "worst"))


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
    assert next(table(python_files(report)))[3] == 4
    assert list(table(python_files(report)))[-1][3] == 4 - len(windows)


def test_lines_of_kernels_with_a_reason():
    path = "cpp/sightline/model/curve.cpp"
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    default = lines.index("    default:") + 1
    report = {
        "files": [
            {"file": path, "lines": [line(n, int(n == 1)) for n in (1, 2, default, default + 1)]},
        ]
    }
    missing = missing_cpp(report)
    assert missing == {path: [2, default, default + 1]}
    assert [row[:2] for row in reasons(missing)] == [(f"`{path}`", 2)]
    assert next(table(cpp_files(report)))[3] == 1


def test_branches_with_a_reason(monkeypatch):
    path = "cpp/sightline/model/curve.cpp"
    texts = [text.strip() for text in (ROOT / path).read_text(encoding="utf-8").splitlines()]
    explained, plain, guarded = (
        next(n for n, text in enumerate(texts, 1) if text.startswith(start))
        for start in ("if (", "return ", "throw std::logic_error")
    )
    other = next(n for n, text in enumerate(texts, 1) if text.startswith("for (") and n != explained)
    monkeypatch.setitem(BRANCH_REASONS, path, {texts[explained - 1]: "Never."})
    report = {
        "files": [
            {
                "file": path,
                "lines": [
                    line(explained, 1, [1, 0]),
                    line(other, 1, [1, 0], [0, 0]),
                    line(plain, 1, [1, 0]),
                    line(guarded, 0, [0, 0]),
                ],
            }
        ]
    }
    assert sorted(missing_branches(report)[path]) == sorted([explained, *[other] * 3, plain, *[guarded] * 2])
    found = list(reasons(missing_branches(report), branch_reasons_of))
    assert [row[:2] for row in found] == [("`cpp/`", 1), (f"`{path}`", 2), (f"`{path}`", 1)]
    assert "no condition" in found[0][2]
    assert found[2][2] == "Never."
    assert next(table(cpp_files(report)))[2:] == ("30.0% of 10", 0, 3)


@pytest.mark.parametrize(
    ("text", "n_branches", "part"),
    [
        ("frames_.push_back(made);", 2, "no condition"),
        ("bool operator==(const Run&) const = default;", 3, "no condition"),
        ("} catch (const std::invalid_argument& error) {", 1, "another kind"),
        ("switch (step.op) {", 1, "every value"),
        ("switch (step.op) {", 2, None),
        ("if (a || b) return;", 1, None),
        ("return a ? b : c;", 1, None),
        ("for (const double value : values) {", 1, None),
    ],
)
def test_lines_that_say_why_no_test_takes_a_branch(text, n_branches, part):
    found = general_reason(text, n_branches)
    assert found is None if part is None else part in found


@pytest.mark.parametrize("given", [REASONS, BRANCH_REASONS], ids=["lines", "branches"])
def test_reasons_are_about_lines_that_exist(given):
    for place, why in given.items():
        path = (ROOT if place.startswith("cpp/") else SOURCE) / place
        if place.endswith("/"):
            assert path.is_dir(), place
            assert set(why) <= {"", "}"}, place
        else:
            lines = path.read_text(encoding="utf-8").splitlines()
            assert set(why) <= {line.strip() for line in lines} | {""}, place
