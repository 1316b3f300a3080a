"""The rows that a page carries, if any: first those on which model and ensemble differ, then others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.report._changes import nearest_changes
from sightline.report._columns import Columns
from sightline.report._evidence import Evidence
from sightline.wording import printable

DISAGREEMENTS = 0.6
"""Share of the rows that are kept for disagreements."""
MAX_WORST = 40
"""Numbers nearly always differ, so that a page shows only those that differ most."""


class Sample:
    """Some of the rows, with their labels and what the models predict.

    Parameters
    ----------
    evidence : Evidence
        The report's findings.
    columns : Columns
        The columns to keep.

    Attributes
    ----------
    chosen : ndarray of int
        Indices of the rows, ascending.
    """

    def __init__(self, evidence: Evidence, columns: Columns) -> None:
        self.evidence = evidence
        self.columns = columns
        self.chosen = _choice(evidence)

    def to_json(self) -> dict[str, Any]:
        """Return the rows; labels are numbers, or indices of classes, -1 if the model does not know them.

        Cells and true labels are None if only the numbers of the rows may be shown.
        """
        evidence = self.evidence
        has_cells = evidence.shown_rows.has_cells
        return {
            "number": self.chosen.tolist(),
            "name": self.names(),
            "cells": [self.columns.cells(row) for row in self.chosen.tolist()] if has_cells else None,
            "label": self._values(evidence.labels) if has_cells else None,
            "model_label": self._values(evidence.model_labels),
            "ensemble_label": self._values(evidence.ensemble_labels),
            "changes": nearest_changes(evidence, self.chosen) if has_cells else None,
            "n_total": evidence.rows.n_rows,
        }

    def names(self) -> list[str] | None:
        """Return the names of the rows; None if they are only numbered."""
        names = self.evidence.row_names
        return None if names is None else [printable(names[row]) for row in self.chosen.tolist()]

    def _values(self, labels: NDArray[Any] | None) -> list[Any] | None:
        if labels is None:
            return None
        if self.evidence.task == "numbers":
            return [float(number) for number in labels[self.chosen]]
        code = {label: code for code, label in enumerate(self.evidence.classes_.tolist())}
        return [code.get(label, -1) for label in labels[self.chosen].tolist()]


def _choice(evidence: Evidence) -> NDArray[np.int64]:
    """Choose disagreements first; then others, evenly spaced, so that no seed is needed."""
    n_max = evidence.shown_rows.n_max
    differ = _disagreements(evidence, math.ceil(DISAGREEMENTS * n_max))
    # Numbers of rows say something only about those that differ.
    n_others = n_max - len(differ) if evidence.shown_rows.has_cells else 0
    others = np.setdiff1d(np.arange(evidence.rows.n_rows), differ)
    return np.sort(np.concatenate([differ, _spaced(others, n_others)])).astype(np.int64)


def _disagreements(evidence: Evidence, n_max: int) -> NDArray[Any]:
    """Return rows on which model and ensemble differ; of numbers, those that differ most."""
    if evidence.gaps is not None:
        worst = np.argsort(-evidence.gaps, kind="stable")[: min(n_max, MAX_WORST)]
        return np.asarray(worst[evidence.gaps[worst] > 0])
    if evidence.agrees is None:
        return np.zeros(0, dtype=np.int64)
    return _spaced(np.flatnonzero(~evidence.agrees), n_max)


def _spaced(indices: NDArray[Any], n_max: int) -> NDArray[Any]:
    if len(indices) <= n_max:
        return indices
    chosen = np.linspace(0, len(indices) - 1, n_max).astype(int)
    return np.asarray(indices[chosen])
