"""The example scripts run, and those that need no other library say what the documentation shows."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from docs.tools.inline_examples import output_of, parts_of, without_names

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
@pytest.mark.parametrize("name", ["tutorial", "regression"])
def test_each_part_prints_what_is_shown_below_it(name):
    script = FOLDER / f"{name}.py"
    shown, printed = parts_of(script.with_suffix(".txt").read_text()), parts_of(output_of(script))
    assert list(printed) == list(shown) == list(parts_of(script.read_text()))
    for part, text in printed.items():
        if name == "tutorial":
            assert text == shown[part]
        else:  # Another version of scikit-learn may grow other trees.
            assert text.split()[:1] == shown[part].split()[:1]


def check_output(script, printed):
    shown = without_names(script.with_suffix(".txt").read_text())
    if "sklearn" not in script.read_text():
        assert printed == shown
    else:
        # Another version of scikit-learn may grow other trees.
        assert printed.splitlines()[0].split()[0] == shown.splitlines()[0].split()[0]
