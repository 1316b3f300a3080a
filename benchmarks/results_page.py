"""The pages of benchmarks in docs/results, in the order of those that ``sightline reproduce`` writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sightline.files import atomic_write
from sightline.lab import FigureFile, ResultTable


def write_results_page(
    out: Path,
    name: str,
    *,
    title: str,
    headline: str,
    picture: FigureFile,
    tables: Sequence[ResultTable],
    measured: str,
) -> None:
    """Write a page with the finding, its picture, the tables, also as TSV, and how it was measured."""
    out.mkdir(parents=True, exist_ok=True)
    drawing = f"{name}_{picture.name}.svg"
    atomic_write(out / drawing, picture.to_svg())
    for table in tables:
        atomic_write(out / f"{name}_{table.name}.tsv", table.to_tsv())
    parts = [
        f"# {title}",
        f"**{headline}**",
        f"![{picture.caption}]({drawing})\n\n{picture.caption}",
        *(table.to_markdown() for table in tables),
        "## How this was measured",
        measured,
    ]
    atomic_write(out / f"{name}.md", "\n\n".join(parts) + "\n")


def column(table: ResultTable, name: str) -> list[str]:
    """Return the cells of a column as text."""
    place = table.columns.index(name)
    return [str(row[place]) for row in table.rows]


def numbers(table: ResultTable, name: str) -> dict[str, float]:
    """Return the numbers of a column by the first cell of their row.

    Examples
    --------
    >>> numbers(ResultTable("t", "T", ("data", "leaves"), [("iris", 24), ("car", 78)]), "leaves")
    {'iris': 24.0, 'car': 78.0}
    """
    return dict(zip(map(str, (row[0] for row in table.rows)), map(float, column(table, name)), strict=True))
