"""Select the rows of a page from rows in parts, and summarize all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sightline.exceptions import DataError
from sightline.passes import Tally
from sightline.table import Rows
from sightline.table.rows import Draw
from sightline.wording import Share

MAX_ROWS = 50_000
"""Rows of a page. More change no interval that a person could see."""

Notes = Mapping[str, Mapping[str, str]]


def rows_of_page(est: Any, rows: Rows, y: Any, notes: Notes | None) -> tuple[Any, Any, Notes]:
    """Return rows outside the sample, their target, and notes with the measures on all rows.

    Parameters
    ----------
    est : fitted estimator
        Fitted to these rows.
    rows : Rows
        The rows.
    y : None
        The target is a column of the rows.
    notes : mapping or None
        The caller's notes.
    """
    if y is not None:
        raise DataError(
            "The target of rows in parts is one of their columns. Pass sl.Rows(source, target=…)."
        )
    chose = rows.drawn()
    if chose.is_complete:
        others = chose
    else:
        both = rows.drawn(rows.sample_size + MAX_ROWS)
        others = Draw(rows.judges.of(np.setdiff1d(both.positions, chose.positions)), None, is_complete=False)
    table = rows.taken(others)
    tally = getattr(est, "tally_", None)
    lines = {} if tally is None else notes_of(tally)
    own = dict(notes or {})
    return table.X, table.y, {**own, "All rows": {**lines, **own.get("All rows", {})}} if lines else own


def notes_of(tally: Tally) -> dict[str, str]:
    """Return the lines of the model card about all rows."""
    lines = {
        "Rows used to choose the model": f"{tally.n_sampled:,}",
        "Rows used to judge it": f"{tally.n_judged:,}",
    }
    for what, measured in (
        ("Fidelity on these", tally.fidelity),
        ("Accuracy on these", tally.accuracy),
        ("Accuracy of the ensemble", tally.ensemble_accuracy),
    ):
        if measured is not None:
            lines[what] = measured.text if isinstance(measured, Share) else f"R² {measured:.3f}"
    return lines
