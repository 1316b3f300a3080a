"""The pages of benchmarks in docs/results, in the order of those that ``sightline reproduce`` writes."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.lab import ResultTable


def results_page(title: str, headline: str, tables: Sequence[ResultTable], measured: str) -> str:
    """Return a page: the finding, the tables, and how it was measured."""
    parts = [f"# {title}", f"**{headline}**", *(table.to_markdown() for table in tables)]
    return "\n\n".join([*parts, "## How this was measured", measured]) + "\n"


def column(table: ResultTable, name: str) -> list[str]:
    """Return the cells of a column as text."""
    place = table.columns.index(name)
    return [str(row[place]) for row in table.rows]
