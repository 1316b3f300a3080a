"""The table of CONTRIBUTING.md leads from every public name to its kernel by one word."""

import re
from operator import attrgetter
from pathlib import Path

import pytest

import sightline
from sightline import _core

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("src/sightline", "cpp/bindings", "cpp/sightline")


def rows():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    table = text.partition("| public name |")[2].partition("\n\n")[0]
    lines = [line.strip("|").split("|") for line in table.splitlines()[2:]]
    cells = [[re.findall("`([^`]+)`", cell) for cell in line] for line in lines]
    return {names[0]: rest for names, *rest in cells}


ROWS = rows()


@pytest.mark.parametrize("name", ROWS)
def test_every_step_of_the_way_exists(name):
    assert name in sightline.__all__
    for folder, steps in zip(FOLDERS, ROWS[name], strict=True):
        for step in steps:
            if "/" in step or step.endswith(".cpp"):
                assert (ROOT / folder / step).exists(), step
            else:
                attrgetter(step)(_core)


@pytest.mark.parametrize("stage", ["learn", "distill"])
def test_all_names_of_a_stage_are_listed(stage):
    names = {name for name, home in sightline.__homes__.items() if home == stage}
    estimators = {name for name in names if name.endswith("Classifier") or name == "merge"}
    assert estimators <= set(ROWS)


@pytest.mark.parametrize("name", ROWS)
def test_the_way_goes_by_one_word(name):
    """The word of the Python file is in the kernel's path and in the binding, unless C4.5's serves."""
    python, binding, kernel = ROWS[name]
    word = Path(python[0]).stem.strip("_")
    if kernel != ["learn/c45/"]:
        assert word in kernel[0]
        assert any(word in step for step in binding)
