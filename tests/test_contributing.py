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
    for folder, names in zip(FOLDERS, ROWS[name], strict=True):
        for path in names:
            if path.startswith("_core."):
                attrgetter(path.removeprefix("_core."))(_core)
            else:
                assert (ROOT / folder / path).is_file(), path


def test_all_distillers_are_listed():
    distillers = {name for name, home in sightline.__homes__.items() if home == "distill"}
    assert distillers <= set(ROWS)


@pytest.mark.parametrize("name", ROWS)
def test_the_way_goes_by_one_word(name):
    """The word of the Python file is in the path of the kernel, and in a name of the binding."""
    python, binding, kernel = ROWS[name]
    word = Path(python[0]).stem.strip("_")
    assert word in kernel[0]
    assert any(word in step for step in binding)
