"""Puts measured figures into docs/how-it-is-tested.md: each command there writes its own table.

Other pages with measured parts use the same marks: ``<!-- name -->`` … ``<!-- end of name -->``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "how-it-is-tested.md"


def write_table(section: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Replace the table of this section of the page."""
    fill(section, table(header, rows), PAGE)


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown; whole numbers get thousands separators."""
    lines = ["| " + " | ".join(header) + " |", "|---" * len(header) + "|"]
    for row in rows:
        cells = [f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def fill(section: str, content: str, page: Path) -> None:
    """Replace what is between the marks of a section."""
    text = page.read_text(encoding="utf-8")
    marks = re.compile(rf"(?s)(<!-- {section} -->\n).*?(<!-- end of {section} -->)")
    if not marks.search(text):
        raise SystemExit(f"{page.name} has no section marked <!-- {section} -->")
    page.write_text(marks.sub(lambda found: f"{found[1]}{content}\n{found[2]}", text), encoding="utf-8")
