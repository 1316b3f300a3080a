"""The pages show what there is: examples, verbs, options, public names."""

import ast
import importlib
import inspect
import re
import shlex
from pathlib import Path
from types import SimpleNamespace

import griffe
import pytest
from typer.main import get_command

import sightline
from docs.tools.inline_examples import inlined
from docs.tools.reference_pages import listed, short, summary
from sightline.cli._app import app

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
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


def test_pictures_are_there_for_light_and_dark_pages_and_all_are_shown():
    """Mkdocs does not check pictures in HTML; most were white on dark pages."""
    images = ROOT / "docs" / "images"
    shown = set()
    for page in PAGES:
        text = page.read_text()
        named = re.findall(r'(?:src|srcset)="([^":]+)"', text) + re.findall(
            r"\]\(([^):]+/images/[^)]+)\)", text
        )
        paths = [(page.parent / name).resolve() for name in named]
        assert [path for path in paths if not path.is_file()] == []
        shown |= {path.name for path in paths if path.parent == images}
        for dark, light in re.findall(
            r'srcset="([^"]+)-dark\.png">\s+<img alt="[^"]+" src="([^"]+)-light\.png"', text
        ):
            assert dark == light
    assert shown == {path.name for path in images.iterdir()}
    assert [name for name in shown if not name.endswith(("-light.png", "-dark.png"))] == ["drawings.png"]


def test_tables_of_results_are_not_searched():
    from docs.tools.search_without_server import on_page_content

    for folder, shown in [("results", "<table data-search-exclude>"), ("how-to", "<table>")]:
        page = SimpleNamespace(file=SimpleNamespace(src_uri=f"{folder}/speed.md"))
        assert on_page_content("<p>a</p><table>", page) == f"<p>a</p>{shown}"


def test_every_example_is_shown():
    shown = set(re.findall(r"<!-- (examples/\S+)", "".join(page.read_text() for page in PAGES)))
    scripts = {f"examples/{path.name}" for path in (ROOT / "examples").glob("*.[pt][yx]*")}
    assert shown == scripts


def test_page_of_the_command_lists_every_verb_and_every_example():
    page = (ROOT / "docs" / "how-to" / "command.md").read_text()
    scripts = {path.name for path in (ROOT / "examples").glob("*.py")}
    assert set(re.findall(r"^\| `(\w+\.py)` \|", page, re.MULTILINE)) == scripts
    assert re.findall(r"^\| `(\w+)` \|", page.partition("| verb |")[2], re.MULTILINE) == list(VERBS)
    assert set(re.findall(r"^sightline (\w+)", page, re.MULTILINE)) == set(VERBS)
    listed = next(
        line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("| command |")
    )
    assert re.findall(r"`(?:sightline )?(\w+)`", listed) == list(VERBS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_that_are_shown_exist(page):
    """Every verb, and every option of it."""
    text = page.read_text().replace("\\\n", "")
    for line in re.findall(r"^(?:\.venv/bin/)?sightline (.+)$", text, re.MULTILINE):
        verb, *words = shlex.split(line, comments=True)
        if verb.startswith("-"):
            continue
        known = {name for option in VERBS[verb].params for name in (*option.opts, *option.secondary_opts)}
        assert {word for word in words if word.startswith("--")} <= known, line


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: page.stem)
def test_lines_of_code_fit_the_page(page):
    """Longer ones were cut at 1280 pixels. Notebooks and examples have the limit in their ruff.toml."""
    blocks = re.findall(r"^```(?:python|bash|sql)\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
    assert [line for block in blocks for line in block.splitlines() if len(line) > 88] == []


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


def test_see_also_has_links():
    from docs.tools.griffe_shared_docs import as_markdown

    text = as_markdown("See Also\n--------\nsightline.merge : Makes one.\nnothing : Is not listed.\n\nNotes")
    assert text == (
        "See Also\n--------\n- [`merge`][sightline.distill.merge]: Makes one.\n"
        "- `nothing`: Is not listed.\n\nNotes"
    )
    n_entries = 0
    for path in (ROOT / "src" / "sightline").rglob("*.py"):
        for box in re.findall(r"^ +See Also\n +-+\n(?: +\S.*\n)+", path.read_text(), re.MULTILINE):
            entries = as_markdown(box).splitlines()[2:]
            assert [entry for entry in entries if not entry.lstrip().startswith("- [`")] == [], path
            n_entries += len(entries)
    assert n_entries > 15


def test_choices_are_listed_and_every_parameter_has_an_entry():
    from docs.tools.griffe_shared_docs import as_markdown

    assert as_markdown('rows : {"a", "b"} or int, optional') == 'rows : one of "a", "b" or int, optional'
    assert as_markdown('wr : float, or {"oob", "cv"}') == 'wr : float, or one of "oob", "cv"'
    assert as_markdown('prune : {"late"} or None, default=None') == 'prune : "late" or None, default=None'
    assert as_markdown("path : path-like, optional") == "path : path\N{NON-BREAKING HYPHEN}like, optional"
    assert (
        as_markdown("    a, b : int\n        Two.")
        == "    a : int\n        Two.\n    b : int\n        Two.\n"
    )


def test_the_reference_shows_the_defaults_of_the_signatures():
    """It showed the first of the choices of 36 parameters as their default."""
    loaded = griffe.load(
        "sightline",
        search_paths=[ROOT / "src"],
        extensions=griffe.load_extensions(str(ROOT / "docs" / "tools" / "griffe_shared_docs.py")),
        docstring_parser="numpy",
    )
    checked = 0
    for path in listed(ROOT / "docs"):
        module, _, name = path.rpartition(".")
        real = getattr(importlib.import_module(module), name)
        page = loaded[path.removeprefix("sightline.")]
        members = page.all_members.items() if page.is_class else ()
        methods = [member for member, shown in members if member[0] != "_" and shown.is_function]
        for shown, called in [
            (page, real),
            *((page.all_members[method], getattr(real, method)) for method in methods),
        ]:
            for parameter in documented_parameters(shown):
                assert has_default(parameter, inspect.signature(called)), f"{shown.path}: {parameter.name}"
                checked += 1
    assert checked > 1000


def documented_parameters(shown):
    sections = shown.docstring.parsed if shown.docstring is not None else []
    return [one for section in sections if section.kind.value == "parameters" for one in section.value]


def has_default(parameter, signature):
    """Whether the page gives the default of the signature; it may shorten a tuple or call a class."""
    called = signature.parameters[parameter.name.lstrip("*")]
    if called.kind in (called.VAR_POSITIONAL, called.VAR_KEYWORD):
        return True
    real = called.default
    if parameter.default is None or real is inspect.Parameter.empty:
        return parameter.default is None and real is inspect.Parameter.empty
    text = str(parameter.default)
    if text == f"{type(real).__name__}()":
        return real == type(real)()
    shown = ast.literal_eval(text)
    if isinstance(shown, tuple) and ... in shown:
        cut = shown.index(...)
        return shown[:cut] == real[:cut] and shown[cut + 1 :] == real[cut + 1 - len(shown) :]
    return shown == real and isinstance(shown, bool) == isinstance(real, bool)
