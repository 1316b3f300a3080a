"""How a fidelity curve is shown: as text, as a table for notebooks, and as a plot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.model import FidelityCurve
from sightline.show._display import Display, shows
from sightline.show.drawing import NEUTRAL, class_color, new_axes
from sightline.wording import capitalize, percent, pluralize

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEADS = {"share": "accuracy", "balanced share": "accuracy", "R²": "R²"}
_QUALITY = {"share": "accuracy", "balanced share": "balanced accuracy", "R²": "R² to the true numbers"}
_FIDELITY = {
    "share": "Fidelity",
    "balanced share": "Balanced fidelity",
    "R²": "Fidelity (R² to the ensemble)",
}


@shows(FidelityCurve)
class CurveDisplay(Display):
    """A line per size, the suggested one marked."""

    model: FidelityCurve

    def text(self) -> str:
        """Return a table with one line per size."""
        curve, heads = self.model, _heads(self.model)
        measured = _FIDELITY[curve.measure]
        measured += "" if curve.accuracy is None else f" and {_QUALITY[curve.measure]}"
        reason = ", because the classes are imbalanced" if curve.measure == "balanced share" else ""
        lines = [f"{measured} on {pluralize(curve.n_rows, 'row')}{reason}", "  ".join(heads)]
        for cells in _rows(curve):
            lines.append("  ".join(cell.rjust(len(head)) for cell, head in zip(cells, heads, strict=True)))
            if int(cells[0]) == curve.knee:
                lines[-1] += "  <- suggested"
        if curve.ensemble_accuracy is not None:
            quality = capitalize(_HEADS[curve.measure] if curve.measure == "R²" else _QUALITY[curve.measure])
            lines.append(f"{quality} of the ensemble: {_cell(curve, curve.ensemble_accuracy)}")
        return "\n".join(lines) + "\n"

    def html(self) -> str:
        """Return the table."""

        def row(cells: list[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"

        body = "".join(row(cells, "td") for cells in _rows(self.model))
        return f'<div class="sightline"><table>{row(_heads(self.model), "th")}{body}</table></div>'

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw fidelity and accuracy by size."""
        curve = self.model
        if ax is None:
            ax = new_axes(6.0, 3.6)
        factor = 1 if curve.measure == "R²" else 100
        ax.plot(curve.sizes, factor * curve.fidelity, "o-", color=class_color(0), label=_label(curve))
        if curve.accuracy is not None:
            label = _QUALITY[curve.measure]
            ax.plot(curve.sizes, factor * curve.accuracy, "s-", color=class_color(1), label=label)
        if curve.ensemble_accuracy is not None:
            height, label = factor * curve.ensemble_accuracy, f"{_HEADS[curve.measure]} of the ensemble"
            ax.axhline(height, color=class_color(1), linestyle=":", label=label)
        ax.axvline(curve.knee, color=NEUTRAL, linestyle="--", label=f"suggested: {curve.knee} {curve.unit}")
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set_xlabel(curve.unit)
        rows = pluralize(curve.n_rows, "row")
        ax.set_ylabel(f"{curve.measure} on {rows}" if curve.measure == "R²" else f"% of {rows}")
        ax.grid(axis="y", alpha=0.3)
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(loc="best")
        return ax


def _heads(curve: FidelityCurve) -> list[str]:
    return [curve.unit, "fidelity"] + ([] if curve.accuracy is None else [_HEADS[curve.measure].rjust(6)])


def _rows(curve: FidelityCurve) -> list[list[str]]:
    shares = [curve.fidelity] + ([] if curve.accuracy is None else [curve.accuracy])
    return [
        [str(size), *(_cell(curve, float(share[i])) for share in shares)]
        for i, size in enumerate(curve.sizes)
    ]


def _cell(curve: FidelityCurve, value: float) -> str:
    return f"{value:.3f}" if curve.measure == "R²" else percent(value, 1)


def _label(curve: FidelityCurve) -> str:
    return "balanced fidelity" if curve.measure == "balanced share" else "fidelity"
