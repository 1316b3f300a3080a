"""The example scripts run and print what the pages show, if the libraries have the stored versions."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from docs.tools.inline_examples import (
    output_of,
    parts_of,
    same_versions,
    without_names,
    without_seconds,
)

FOLDER = Path(__file__).resolve().parents[1] / "examples"
LONG = {"choose_a_size", "distill_a_black_box", "regression", "tour", "tutorial"}
"""Scripts that take seconds; at the end, for ``make test-thorough``."""
SCRIPTS = sorted(FOLDER.glob("*.py"), key=lambda script: (script.stem in LONG, script.stem))


@pytest.mark.parametrize("script", SCRIPTS[: -len(LONG)], ids=lambda script: script.stem)
def test_example(script, capsys):
    """Here: half of what a process of its own takes is importing."""
    runpy.run_path(str(script), run_name="__main__")
    printed = capsys.readouterr()
    assert printed.err == ""
    check_output(script, printed.out)


@pytest.mark.thorough
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_example_in_a_process_of_its_own(script):
    command = [sys.executable, "-W", "error", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    check_output(script, done.stdout)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["tutorial", "regression", "explain_decisions"])
def test_each_part_prints_what_is_shown_below_it(name):
    script = FOLDER / f"{name}.py"
    shown, printed = parts_of(script.with_suffix(".txt").read_text()), parts_of(output_of(script))
    assert list(printed) == list(shown) == list(parts_of(script.read_text()))
    for part, text in printed.items():
        check_text(script, text, shown[part])


def check_output(script, printed):
    check_text(script, printed, without_names(script.with_suffix(".txt").read_text()))


def check_text(script, printed, shown):
    if "sklearn" not in script.read_text() or same_versions(script):
        assert without_seconds(printed) == without_seconds(shown)
    else:
        # Another version of scikit-learn may grow other trees.
        assert printed.split()[:1] == shown.split()[:1]


def test_seconds_are_not_compared_but_everything_else_is():
    table = "method  tests  seconds\n20 rules   31     {}\nthe ensemble  170  {}\n\nWithin 0.{} of it.\n"
    stored = without_seconds(table.format("0.05", "< 0.01", 5))
    assert stored == "method  tests\n20 rules   31\nthe ensemble  170\n\nWithin 0.5 of it.\n"
    assert stored == without_seconds(table.format("12.31", "0.20", 5))
    assert stored != without_seconds(table.format("0.05", "< 0.01", 6))
    assert without_seconds((FOLDER / "tour.txt").read_text()).count("seconds") == 0


def test_an_output_is_compared_in_full_only_with_the_stored_versions(monkeypatch):
    script = FOLDER / "explain_a_pipeline.py"
    shown = script.with_suffix(".txt").read_text()
    monkeypatch.setitem(check_text.__globals__, "same_versions", lambda script: True)
    with pytest.raises(AssertionError):
        check_output(script, shown.replace(" or missing", ""))
    monkeypatch.setitem(check_text.__globals__, "same_versions", lambda script: False)
    check_output(script, shown.replace(" or missing", ""))
