"""Puts measured figures into docs/how-it-is-tested.md: each command there writes its own table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "how-it-is-tested.md"


def write_table(section: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Replace the table between the marks of this section; numbers get thousands separators."""
    lines = ["| " + " | ".join(header) + " |", "|---" * len(header) + "|"]
    for row in rows:
        cells = [f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row]
        lines.append("| " + " | ".join(cells) + " |")
    text = PAGE.read_text(encoding="utf-8")
    marks = re.compile(rf"(?s)(<!-- {section} -->\n).*?(<!-- end of {section} -->)")
    if not marks.search(text):
        raise SystemExit(f"{PAGE.name} has no section marked <!-- {section} -->")
    PAGE.write_text(marks.sub(lambda found: found[1] + "\n".join([*lines, found[2]]), text), encoding="utf-8")
