"""Select the rows of a page from rows in parts, and summarize all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sightline.exceptions import DataError
from sightline.passes import Tally
from sightline.table import Rows
from sightline.table.rows import Draw
from sightline.wording import Share

MAX_ROWS = 50_000
"""Rows of a page. More change no interval that a person could see."""

Notes = Mapping[str, Mapping[str, str]]


def rows_of_page(
    est: Any, rows: Rows, y: Any, sample_weight: Any, notes: Notes | None
) -> tuple[Any, Any, Any, Notes, str]:
    """Return rows outside the sample, their target and weights, and notes with the measures on all rows.

    Last comes the name of the weights, if the rows were drawn in proportion to them; else it is empty.

    Parameters
    ----------
    est : fitted estimator
        Fitted to these rows.
    rows : Rows
        The rows.
    y : None
        The target is a column of the rows.
    sample_weight : None
        So are the weights.
    notes : mapping or None
        The caller's notes.
    """
    if y is not None:
        raise DataError(
            "The target of rows in parts is one of their columns. Pass sl.Rows(source, target=…)."
        )
    if sample_weight is not None:
        raise DataError("The weights of rows in parts are a column too. Pass sl.Rows(source, weights=…).")
    chose = rows.drawn()
    others = chose if chose.is_complete else rows.drawn_judges(chose, MAX_ROWS)
    table = rows.taken(others)
    tally = getattr(est, "tally_", None)
    lines = {**({} if tally is None else notes_of(tally)), **_about_weights(rows, others)}
    own = dict(notes or {})
    notes = {**own, "All rows": {**lines, **own.get("All rows", {})}} if lines else own
    drawn_by = rows.weights_name if _is_drawn_by_weight(rows, others) else None
    return table.X, table.y, table.weight_column, notes, drawn_by or ""


def _is_drawn_by_weight(rows: Rows, drawn: Draw) -> bool:
    return rows.weights_name is not None and drawn.weights is None and not drawn.is_complete


def _about_weights(rows: Rows, drawn: Draw) -> dict[str, str]:
    if rows.weights_name is None or drawn.is_complete:
        return {}
    above = f"the measures above count each row by its {rows.weights_name}"
    if _is_drawn_by_weight(rows, drawn):
        above += "; rows of this page were drawn in proportion to it, so each counts once"
    return {"Weights": above}


def notes_of(tally: Tally) -> dict[str, str]:
    """Return the lines of the model card about all rows."""
    lines = {
        "Rows used to choose the model": f"{tally.n_sampled:,}",
        "Rows used to judge it": f"{tally.n_judged:,}{', counted by weight' if tally.is_weighted else ''}",
    }
    for what, measured in (
        ("Fidelity on these", tally.fidelity),
        ("Accuracy on these", tally.accuracy),
        ("Accuracy of the ensemble", tally.ensemble_accuracy),
    ):
        if measured is not None:
            lines[what] = measured.text if isinstance(measured, Share) else f"R² {measured:.3f}"
    return lines
