"""Copy the example scripts, and what they print, into the documentation pages.

A page names the source of the block below it: ``<!-- examples/tour.py -->``, or one part of a script,
which starts with the comment ``# [name]``: ``<!-- examples/tutorial.py [name] -->``. What a script in parts
prints has the same comments, so that a page can show each output below its code. So the pages read well
as plain files, and the tests check that they show code that runs.

Run ``python docs/tools/inline_examples.py``, with the names of scripts to run these and store their output
first: ``python docs/tools/inline_examples.py tutorial regression``. The versions of the libraries that a
script imports are stored in example_versions.json: with other ones, models may differ, and so may numbers.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # for a run as a script

from docs.tools.imported_versions import imported_versions  # noqa: E402 - see above

VERSIONS = Path(__file__).with_name("example_versions.json")

_BLOCK = re.compile(
    r"(?P<name><!-- (?P<path>examples/[\w.]+)(?: \[(?P<part>\w+)\])? -->\n)(?P<fence>```\w*\n).*?^```$",
    re.DOTALL | re.MULTILINE,
)
_PART = re.compile(r"^# \[(\w+)\]\n", re.MULTILINE)
_TIMED = re.compile(r"^(?P<header>.*) seconds\n(?P<rows>(?:.+\n)+)", re.MULTILINE)
_LAST_CELL = re.compile(r" +(?:< )?[\d.]+$", re.MULTILINE)


def inlined(page: str) -> str:
    """Return a page with its blocks refreshed."""
    return _BLOCK.sub(lambda block: f"{block['name']}{block['fence']}{_source(block)}\n```", page)


def _source(block: re.Match[str]) -> str:
    text = (ROOT / block["path"]).read_text(encoding="utf-8")
    if block["part"] is None:
        return without_names(text).strip("\n")
    return parts_of(text)[block["part"]].strip("\n")


def parts_of(text: str) -> dict[str, str]:
    """Return the parts of a script or of its output; the one before the first comment has no name."""
    first, *others = _PART.split(text)
    return {"": first} | dict(zip(others[::2], others[1::2], strict=True))


def without_names(text: str) -> str:
    """Return a script or its output without the comments that name its parts."""
    return _PART.sub("", text)


def without_seconds(text: str) -> str:
    """Return an output without the last column of a table if that is CPU seconds: they differ in every run.

    Examples
    --------
    >>> without_seconds("method    tests  seconds\\n20 rules     31   < 0.01\\n\\nIt took 1.5\\n")
    'method    tests\\n20 rules     31\\n\\nIt took 1.5\\n'
    """
    return _TIMED.sub(lambda found: f"{found['header'].rstrip()}\n{_LAST_CELL.sub('', found['rows'])}", text)


def same_versions(script: Path) -> bool:
    """Return whether the libraries that a script imports are those with which its output was stored."""
    stored = json.loads(VERSIONS.read_text(encoding="utf-8"))
    return bool(stored[script.stem] == imported_versions(script.read_text(encoding="utf-8")))


def output_of(script: Path) -> str:
    """Run a script part by part and return what it prints, with the names of the parts."""
    printed, names = io.StringIO(), {"__name__": "__main__"}
    with contextlib.redirect_stdout(printed):
        for name, code in parts_of(script.read_text(encoding="utf-8")).items():
            if name:
                print(f"# [{name}]")
            exec(compile(code, script.name, "exec"), names)
    return printed.getvalue()


def main(scripts: list[str]) -> None:
    """Run these scripts, then refresh the blocks of all pages."""
    versions = json.loads(VERSIONS.read_text(encoding="utf-8"))
    for name in scripts:
        script = ROOT / "examples" / f"{name}.py"
        script.with_suffix(".txt").write_text(output_of(script), encoding="utf-8")
        versions[name] = imported_versions(script.read_text(encoding="utf-8"))
    VERSIONS.write_text(json.dumps(versions, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    for path in (ROOT / "docs").rglob("*.md"):
        page = path.read_text(encoding="utf-8")
        if (filled := inlined(page)) != page:
            path.write_text(filled, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
