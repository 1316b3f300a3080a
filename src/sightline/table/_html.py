"""The first rows of a table as HTML, for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from sightline.wording import printable, shortened

if TYPE_CHECKING:
    from sightline.table._table import Table

_MAX_COLUMNS = 20
_MAX_CELL = 40


def table_html(table: Table, heading: str) -> str:
    """Return the names and kinds of the columns, the cells, and the target last.

    Parameters
    ----------
    table : Table
        The rows to show.
    heading : str
        The line above them.
    """
    shown = table.columns[:_MAX_COLUMNS]
    names = [column.name for column in shown]
    kinds = ["nominal" if column.feature.is_nominal else "numeric" for column in shown]
    cells = [column.to_list() for column in shown]
    if len(table.columns) > len(shown):
        names, kinds = [*names, "…"], [*kinds, f"{len(table.columns) - len(shown):,} more"]
        cells.append(["…"] * table.n_rows)
    if table.y is not None:
        names, kinds = [*names, table.target_name or "target"], [*kinds, "target"]
        cells.append(np.asarray(table.y, dtype=object).tolist())
    rows = [_row("th", names), _row("td", kinds), *(_row("td", line) for line in zip(*cells, strict=True))]
    return f"<div><p>{escape(printable(heading))}</p><table>{''.join(rows)}</table></div>\n"


def _row(tag: str, cells: list[object] | list[str] | tuple[object, ...]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(_text(cell))}</{tag}>" for cell in cells) + "</tr>"


def _text(cell: object) -> str:
    if cell is None:
        return ""
    return shortened(printable(f"{cell:g}" if isinstance(cell, float) else cell), _MAX_CELL)
