"""Puts example scripts, and what they print, into the pages of the documentation.

A page names what goes into the block below: ``<!-- examples/tour.py -->``, or a part of a script that
begins with the comment ``# [name]``: ``<!-- examples/tutorial.py [name] -->``. So pages can be read as they
are, and the tests see to it that they show what runs. Run ``python -m experiments.inline_examples``.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

_BLOCK = re.compile(
    r"(?P<name><!-- (?P<path>examples/[\w.]+)(?: \[(?P<part>\w+)\])? -->\n)(?P<fence>```\w*\n).*?^```$",
    re.DOTALL | re.MULTILINE,
)
_PART = re.compile(r"^# \[(\w+)\]\n", re.MULTILINE)


def inlined(page: str) -> str:
    """Return a page with its blocks filled anew."""
    return _BLOCK.sub(lambda block: f"{block['name']}{block['fence']}{_source(block)}\n```", page)


def _source(block: re.Match[str]) -> str:
    text = (ROOT / block["path"]).read_text(encoding="utf-8")
    if block["part"] is None:
        return _PART.sub("", text).strip("\n")
    _, *parts = _PART.split(text)
    return dict(zip(parts[::2], parts[1::2], strict=True))[block["part"]].strip("\n")


def main() -> None:
    """Fill the blocks of all pages."""
    for path in (ROOT / "docs").rglob("*.md"):
        page = path.read_text(encoding="utf-8")
        if (filled := inlined(page)) != page:
            path.write_text(filled, encoding="utf-8")


if __name__ == "__main__":
    main()
