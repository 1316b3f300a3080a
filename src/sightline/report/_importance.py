"""Which columns matter to the model and to the ensemble."""

from __future__ import annotations

from typing import Any

from sightline.inspection import Inspected, column_importances
from sightline.measure import Estimate
from sightline.model import CaseBase
from sightline.report._evidence import Evidence
from sightline.report._sample import Sample
from sightline.wording import percent, pluralize, printable

MAX_ROWS = 500
"""Rows that are shuffled, evenly spaced."""

_N_REPEATS = 5
_TESTED = "Tested: share of rows whose path tests the column; for the ensemble, averaged over its trees."
_LOST = {
    "classes": "Lost when shuffled: how far the share of rows with the ensemble's label drops when the "
    "values of the column are shuffled.",
    "numbers": "Lost when shuffled: how far R² to the ensemble's numbers drops when the values of the "
    "column are shuffled.",
}
_STAND_IN = "Correlated columns can replace each other, so each may look unimportant."


def importance_part(evidence: Evidence, sample: Sample) -> dict[str, Any] | None:  # noqa: ARG001
    """Return one line per column, the most important first; None without an ensemble to compare with."""
    inspected = inspected_rows(evidence, MAX_ROWS)
    if inspected is None:
        return None
    columns = column_importances(inspected, n_repeats=_N_REPEATS)
    if not columns:
        return None
    noun = evidence.teacher_noun
    cells = {
        "Column": [printable(column.name) for column in columns],
        f"Tested by the {evidence.kind.noun}": [_share(column.tested) for column in columns],
        f"Tested by the {noun}": [_share(column.ensemble_tested) for column in columns],
        f"Lost when shuffled: {evidence.kind.noun}": [_loss(column.lost) for column in columns],
        f"Lost when shuffled: {noun}": [_loss(column.ensemble_lost) for column in columns],
    }
    known = {head: texts for head, texts in cells.items() if any(texts)}
    about = [f"On {pluralize(inspected.rows.n_rows, 'row')}, shuffled {_N_REPEATS} times; 95% intervals."]
    about += [] if evidence.row_weights is None else ["Here, every row counts the same."]
    about += [_TESTED] if len(known) == len(cells) else []
    about += [_LOST[evidence.task], _STAND_IN]
    return {
        "title": "Which columns matter",
        "note": " ".join(about).replace("ensemble", noun),
        "heads": list(known),
        "lines": [list(line) for line in zip(*known.values(), strict=True)],
    }


def inspected_rows(evidence: Evidence, max_rows: int) -> Inspected | None:
    """Return model, ensemble and some rows; None for cases, which test nothing, and without an ensemble."""
    if evidence.ensemble is None or isinstance(evidence.model, CaseBase):
        return None
    whole = Inspected(
        evidence.model,
        evidence.ensemble,
        evidence.rows,
        evidence.model_labels,
        evidence.ensemble_labels,
        evidence.focus_label,
    )
    return whole.with_some_rows(max_rows)


def _share(share: float | None) -> str:
    return "" if share is None else percent(share)


def _loss(lost: Estimate | None) -> str:
    return "" if lost is None else "0" if not lost.value else f"{lost.text} ({lost.interval_text})"
