"""What a page reports: tables beside the paper's numbers, figures and remarks."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from io import StringIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NOT_PRINTED = "-"


@dataclass(frozen=True)
class Beside:
    """Our number beside the paper's.

    Attributes
    ----------
    ours : float
        Our number.
    paper : float, optional
        The paper's number; None if the paper prints none.
    digits : int
        Decimals to show.
    mark : str
        Text after our number, for instance a significance mark.
    """

    ours: float
    paper: float | None = None
    digits: int = 2
    mark: str = ""

    @property
    def difference(self) -> float | None:
        """Our number minus the paper's."""
        return None if self.paper is None else self.ours - self.paper

    def __str__(self) -> str:
        shown = f"{self.ours:.{self.digits}f}{self.mark}"
        if self.paper is None:
            return shown
        return f"{shown} ({self.paper:.{self.digits}f}, {self.difference:+.{self.digits}f})"


Value = str | int | float | Beside | None


@dataclass(frozen=True)
class ResultTable:
    """A table of results.

    Attributes
    ----------
    name : str
        Part of the file name.
    title : str
        Heading.
    columns : tuple of str
        Column headings; the first column names the rows.
    rows : list of tuple
        Cells.
    note : str
        How to read the table.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Value, ...]]
    note: str = ""

    def to_markdown(self) -> str:
        """Return the heading, note and table in Markdown."""
        align = ["---", *["---:"] * (len(self.columns) - 1)]
        lines = [self.columns, align, *([_shown(cell) for cell in row] for row in self.rows)]
        table = "\n".join(
            "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
        )
        return "\n\n".join(part for part in (f"## {self.title}", self.note, table) if part)

    def to_tsv(self) -> str:
        """Return the table with our numbers, the paper's and the differences in separate columns."""
        text = StringIO()
        writer = csv.writer(text, delimiter="\t", lineterminator="\n")
        wide = [
            any(isinstance(cell, Beside) and cell.paper is not None for cell in column)
            for column in zip(*self.rows, strict=True)
        ]
        heads: list[str] = []
        for name, is_wide in zip(self.columns, wide, strict=True):
            heads += [name, f"{name} (paper)", f"{name} (difference)"] if is_wide else [name]
        writer.writerow(heads)
        for row in self.rows:
            cells: list[str] = []
            for cell, is_wide in zip(row, wide, strict=True):
                cells += _separate(cell) if is_wide else [_separate(cell)[0]]
            writer.writerow(cells)
        return text.getvalue()

    def to_html(self) -> str:
        """Return the table as HTML."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{_html(cell)}</td>" for cell in row) + "</tr>\n" for row in self.rows
        )
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return (
            f"<section><h2>{escape(self.title)}</h2>{note}"
            f'<div class="wide"><table><thead><tr>{head}</tr></thead>'
            f"<tbody>\n{body}</tbody></table></div></section>"
        )


def _shown(cell: Value) -> str:
    if cell is None:
        return NOT_PRINTED
    return f"{cell:.2f}" if isinstance(cell, float) else str(cell)


def _separate(cell: Value) -> list[str]:
    if not isinstance(cell, Beside):
        return ["" if cell is None else _shown(cell), "", ""]
    ours = f"{cell.ours:.{cell.digits}f}"
    if cell.paper is None:
        return [ours, "", ""]
    return [ours, f"{cell.paper:.{cell.digits}f}", f"{cell.difference:+.{cell.digits}f}"]


def _html(cell: Value) -> str:
    if not isinstance(cell, Beside) or cell.paper is None:
        return escape(_shown(cell))
    ours = escape(f"{cell.ours:.{cell.digits}f}{cell.mark}")
    return f"{ours}<small>{cell.paper:.{cell.digits}f}, {cell.difference:+.{cell.digits}f}</small>"


_DARK = "@media (prefers-color-scheme: dark) {svg {filter: invert(0.89) hue-rotate(180deg)}}"
"""Matplotlib writes every color where it is used. Inverted, white becomes dark and hues stay."""


@dataclass(frozen=True)
class FigureFile:
    """A figure with its caption.

    Attributes
    ----------
    name : str
        Part of the file name.
    caption : str
        Text below the figure.
    figure : Figure
        The drawing.
    """

    name: str
    caption: str
    figure: Figure

    def to_svg(self) -> str:
        """Return the drawing as SVG, for light and dark pages; equal numbers give equal bytes."""
        import matplotlib as mpl  # noqa: PLC0415 - slow to import

        text = StringIO()
        # Without the date and random ids, equal drawings are equal bytes.
        with mpl.rc_context({"svg.hashsalt": self.name, "svg.fonttype": "none"}):
            self.figure.savefig(text, format="svg", metadata={"Date": None})
        return text.getvalue().replace("</style>", f"\n{_DARK}</style>", 1)


def figure_of(ax: Axes) -> Figure:
    """Return the figure that contains the axes."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import

    figure = ax.get_figure(root=True)
    assert isinstance(figure, Figure)
    return figure


@dataclass(frozen=True)
class Findings:
    """Everything that a page reports about an experiment.

    Attributes
    ----------
    tables : sequence of ResultTable
        Tables, in page order.
    figures : sequence of FigureFile
        Figures, in page order.
    remarks : sequence of str
        Paragraphs, for instance where numbers differ from the paper's and why.
    headline : str
        What was found, in a sentence or two: the page begins with it.
    """

    tables: Sequence[ResultTable]
    figures: Sequence[FigureFile] = field(default_factory=tuple)
    remarks: Sequence[str] = field(default_factory=tuple)
    headline: str = ""
