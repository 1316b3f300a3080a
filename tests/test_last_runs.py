"""The table of the last runs: one row per command, from pytest's own report."""

import sys

import pytest

from docs.tools import last_runs

PAGE = """| check | command |
|---|---|
| warnings | `make warnings` |

<!-- runs -->
<!-- end of runs -->
"""


def report(tests, failures=0, errors=0, skipped=0):
    counts = f'tests="{tests}" failures="{failures}" errors="{errors}" skipped="{skipped}"'
    return f"<testsuites><testsuite {counts}/></testsuites>"


def test_a_later_run_replaces_the_row_of_its_command(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    last_runs.record("warnings", "none", page=page)
    last_runs.record("test-oldest", "1 test passed", "numpy 2.0.0", page=page)
    last_runs.record("test-oldest", "2 tests passed", "numpy 2.0.1", page=page)
    rows = last_runs.recorded(page)
    assert {name: cells[1:] for name, cells in rows.items()} == {
        "`make test-oldest`": ("2 tests passed", "numpy 2.0.1"),
        "`make warnings`": ("none", ""),
    }
    assert page.read_text(encoding="utf-8").startswith(PAGE.partition("<!--")[0])


def test_counts_come_from_the_report():
    assert last_runs.summary(report(1200, skipped=3)) == "1,197 tests passed, 3 skipped"
    assert last_runs.summary(report(2)) == "2 tests passed"


@pytest.mark.parametrize("bad", [{"failures": 1}, {"errors": 1}])
def test_a_run_that_failed_is_not_recorded(bad):
    with pytest.raises(SystemExit, match="1 tests failed: this run is not recorded"):
        last_runs.summary(report(10, **bad))


def test_versions_are_those_of_the_given_python():
    assert last_runs.versions(sys.executable).startswith("Python 3.")
    assert "numpy " in last_runs.versions(sys.executable)
