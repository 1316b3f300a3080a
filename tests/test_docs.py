"""The pages show what there is: examples, verbs, options, public names."""

import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

import sightline
from docs.tools.inline_examples import inlined
from docs.tools.reference_pages import listed, short, summary
from sightline.cli._app import app

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
VERBS = get_command(app).commands


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_show_the_examples_as_they_are(page):
    """Also without a build of the site; ``python docs/tools/inline_examples.py`` refreshes them."""
    text = page.read_text()
    assert "--8<--" not in text
    assert inlined(text) == text


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "results").glob("*.md")), ids=lambda page: page.stem)
def test_pages_of_results_begin_with_the_finding_and_its_picture(page):
    title, finding, *rest = page.read_text().split("\n\n")
    assert title.startswith("# ")
    assert finding.startswith("**")
    assert finding.rstrip().endswith("**")
    before_tables = "\n".join(rest).partition("\n| ")[0]
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", before_tables)
    assert pictures
    assert all((page.parent / name).is_file() for name in pictures)


def test_every_example_is_shown():
    shown = set(re.findall(r"<!-- (examples/\S+)", "".join(page.read_text() for page in PAGES)))
    scripts = {f"examples/{path.name}" for path in (ROOT / "examples").glob("*") if path.is_file()}
    assert shown == scripts


def test_page_of_the_command_lists_every_verb():
    page = (ROOT / "docs" / "how-to" / "command.md").read_text()
    assert re.findall(r"^\| `(\w+)` \|", page.partition("| verb |")[2], re.MULTILINE) == list(VERBS)
    assert set(re.findall(r"^sightline (\w+)", page, re.MULTILINE)) == set(VERBS)
    listed = next(
        line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("| command |")
    )
    assert re.findall(r"`(?:sightline )?(\w+)`", listed) == list(VERBS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_that_are_shown_exist(page):
    """Every verb, and every option of it."""
    for line in re.findall(r"^(?:\.venv/bin/)?sightline (.+)$", page.read_text(), re.MULTILINE):
        verb, *words = shlex.split(line, comments=True)
        if verb.startswith("-"):
            continue
        known = {name for option in VERBS[verb].params for name in (*option.opts, *option.secondary_opts)}
        assert {word for word in words if word.startswith("--")} <= known, line


def test_the_reference_has_every_public_name_once():
    names = [short(path) for path in listed(ROOT / "docs")]
    assert len(names) == len(set(names))
    missing = {name for name in sightline.__all__ if not name.startswith("_")} - set(names)
    assert missing == set()
    assert all(summary(path).endswith((".", "…", ":")) for path in listed(ROOT / "docs"))


def test_docstrings_become_markdown():
    """Reference pages showed "the voting of the paper [1]_" and ".. [1]" as they are."""
    from docs.tools.griffe_shared_docs import as_markdown

    text = as_markdown("See :func:`sightline.load` [1]_.\n\n.. [1] A paper.")
    assert text.startswith("See [`load`][")
    assert text.endswith("] [1].\n\n[1] A paper.")
    sources = (ROOT / "src" / "sightline").rglob("*.py")
    assert not [path for path in sources if ".. math::" in path.read_text(encoding="utf-8")]
