"""Copy the example scripts, and what they print, into the documentation pages.

A page names the source of the block below it: ``<!-- examples/tour.py -->``, or one part of a script,
which starts with the comment ``# [name]``: ``<!-- examples/tutorial.py [name] -->``. What a script in parts
prints has the same comments, so that a page can show each output below its code. So the pages read well
as plain files, and the tests check that they show code that runs.

Run ``python docs/tools/inline_examples.py``, with the names of scripts to run these and store their output
first: ``python docs/tools/inline_examples.py tutorial regression``.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_BLOCK = re.compile(
    r"(?P<name><!-- (?P<path>examples/[\w.]+)(?: \[(?P<part>\w+)\])? -->\n)(?P<fence>```\w*\n).*?^```$",
    re.DOTALL | re.MULTILINE,
)
_PART = re.compile(r"^# \[(\w+)\]\n", re.MULTILINE)


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
    for name in scripts:
        script = ROOT / "examples" / f"{name}.py"
        script.with_suffix(".txt").write_text(output_of(script), encoding="utf-8")
    for path in (ROOT / "docs").rglob("*.md"):
        page = path.read_text(encoding="utf-8")
        if (filled := inlined(page)) != page:
            path.write_text(filled, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
