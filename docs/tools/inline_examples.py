"""Copy the example scripts, and what they print, into the documentation pages.

A page names the source of the block below it: ``<!-- examples/tour.py -->``, or one part of a script,
which starts with the comment ``# [name]``: ``<!-- examples/tutorial.py [name] -->``. So the pages read well
as plain files, and the tests check that they show code that runs.

Run ``python docs/tools/inline_examples.py``.
"""

from __future__ import annotations

import re
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
        return _PART.sub("", text).strip("\n")
    _, *parts = _PART.split(text)
    return dict(zip(parts[::2], parts[1::2], strict=True))[block["part"]].strip("\n")


def main() -> None:
    """Refresh the blocks of all pages."""
    for path in (ROOT / "docs").rglob("*.md"):
        page = path.read_text(encoding="utf-8")
        if (filled := inlined(page)) != page:
            path.write_text(filled, encoding="utf-8")


if __name__ == "__main__":
    main()
