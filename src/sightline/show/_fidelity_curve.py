"""The fidelity curve as text, as a table for notebooks, and as a drawing."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sightline.model import FidelityCurve
from sightline.show._palette import NEUTRAL, class_color
from sightline.show._verbs import plot, to_html, to_text
from sightline.wording import percent


@to_text.register
def _(curve: FidelityCurve) -> str:
    measured = "Fidelity" if curve.accuracy is None else "Fidelity and accuracy"
    lines = [f"{measured} on {curve.n_rows:,} rows", "  ".join(_heads(curve))]
    for cells in _rows(curve):
        lines.append(
            "  ".join(cell.rjust(len(head)) for cell, head in zip(cells, _heads(curve), strict=True))
        )
        if int(cells[0]) == curve.knee:
            lines[-1] += "  <- suggested"
    if curve.ensemble_accuracy is not None:
        lines.append(f"The ensemble's own accuracy: {percent(curve.ensemble_accuracy, 1)}")
    return "\n".join(lines) + "\n"


@to_html.register
def _(curve: FidelityCurve) -> str:
    def row(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(row(cells, "td") for cells in _rows(curve))
    return f'<div class="sightline"><table>{row(_heads(curve), "th")}{body}</table></div>'


@plot.register
def _(curve: FidelityCurve, ax: Axes | None = None) -> Axes:
    if ax is None:
        ax = Figure(figsize=(6.0, 3.6), layout="constrained").add_subplot()
    ax.plot(curve.sizes, 100 * curve.fidelity, "o-", color=class_color(0), label="fidelity")
    if curve.accuracy is not None:
        ax.plot(curve.sizes, 100 * curve.accuracy, "s-", color=class_color(1), label="accuracy")
    if curve.ensemble_accuracy is not None:
        ax.axhline(
            100 * curve.ensemble_accuracy,
            color=class_color(1),
            linestyle=":",
            label="the ensemble's accuracy",
        )
    ax.axvline(curve.knee, color=NEUTRAL, linestyle="--", label=f"suggested: {curve.knee} {curve.unit}")
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set_xlabel(curve.unit)
    ax.set_ylabel(f"% of {curve.n_rows:,} rows")
    ax.grid(axis="y", alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="lower right")
    return ax


def _heads(curve: FidelityCurve) -> list[str]:
    return [curve.unit, "fidelity"] + ([] if curve.accuracy is None else ["accuracy"])


def _rows(curve: FidelityCurve) -> list[list[str]]:
    shares = [curve.fidelity] + ([] if curve.accuracy is None else [curve.accuracy])
    return [
        [str(size), *(percent(float(share[i]), 1) for share in shares)] for i, size in enumerate(curve.sizes)
    ]
