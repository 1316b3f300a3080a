"""The notebooks of the gallery run, show what is stored in them, and have a page and a card each."""

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from docs.tools.gallery_pages import Page
from docs.tools.notebooks import differences

ROOT = Path(__file__).resolve().parents[1]
GALLERY = ROOT / "docs" / "gallery"
NOTEBOOKS = sorted(GALLERY.glob("*.ipynb"))


@pytest.mark.thorough
def test_notebooks_show_what_is_stored():
    """In one process of their own: they change IPython, and libraries are imported once."""
    command = [sys.executable, "-W", "error", str(ROOT / "docs" / "tools" / "notebooks.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode == 0


def test_another_output_is_noticed_if_the_libraries_are_the_same():
    stored, fresh = (nbformat.read(NOTEBOOKS[0], as_version=4) for _ in range(2))
    printed = next(
        out for cell in fresh.cells for out in cell.get("outputs", ()) if out.output_type == "stream"
    )
    assert list(differences(stored, fresh)) == []
    printed.text = "something else\n"
    assert "+something else" in list(differences(stored, fresh))
    fresh.metadata.versions = {"sklearn": "0.1"}
    assert list(differences(stored, fresh)) == []
    printed.clear()
    printed.update(output_type="display_data", data={"text/html": "a table"})
    assert "+[text/html]" in list(differences(stored, fresh))


def test_every_notebook_is_short_small_and_shown():
    index = (GALLERY / "index.md").read_text(encoding="utf-8")
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert len(NOTEBOOKS) == 6
    for path in NOTEBOOKS:
        page = Page(path)
        cells = nbformat.read(path, as_version=4).cells
        assert len([cell for cell in cells if cell.cell_type == "code"]) <= 8
        assert path.stat().st_size < 60_000
        assert re.match(r"# \S.*\n\n\S", page.markdown)
        assert next(iter(page.pictures)) in index
        assert f"]({path.stem}.md)" in index
        assert f"gallery/{path.stem}.md" in navigation
