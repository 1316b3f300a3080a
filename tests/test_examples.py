"""The example scripts run, and those that need no other library say what the documentation shows."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

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


def check_output(script, printed):
    shown = script.with_suffix(".txt").read_text()
    if "sklearn" not in script.read_text():
        assert printed == shown
    else:
        # Another version of scikit-learn may grow other trees.
        assert printed.splitlines()[0].split()[0] == shown.splitlines()[0].split()[0]
