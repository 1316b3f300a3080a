"""The rows that a page carries: those on which the model errs first, then others."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.report._columns import Columns
from sightline.report._evidence import Evidence

MAX_ROWS = 200
MAX_DISAGREEMENTS = 120


class Sample:
    """A few of the rows, with what everybody says about them.

    Parameters
    ----------
    evidence : Evidence
        What was found.
    columns : Columns
        The columns to keep.

    Attributes
    ----------
    chosen : ndarray of int
        Places of the rows, ascending.
    """

    def __init__(self, evidence: Evidence, columns: Columns) -> None:
        self.evidence = evidence
        self.columns = columns
        self.chosen = _choice(evidence)

    def to_json(self) -> dict[str, Any]:
        """Return the rows, their labels and the answers as places among the classes, -1 where unknown."""
        evidence = self.evidence
        return {
            "number": self.chosen.tolist(),
            "cells": [self.columns.cells(row) for row in self.chosen.tolist()],
            "label": self._codes(evidence.labels),
            "said": self._codes(evidence.said),
            "taught": self._codes(evidence.taught),
            "n_total": evidence.rows.n_rows,
        }

    def _codes(self, labels: NDArray[Any] | None) -> list[int] | None:
        if labels is None:
            return None
        place = {label: code for code, label in enumerate(self.evidence.classes_.tolist())}
        return [place.get(label, -1) for label in labels[self.chosen].tolist()]


def _choice(evidence: Evidence) -> NDArray[np.int64]:
    """Rows with disagreements first; the others evenly spread, so that no seed is needed."""
    n_rows = evidence.rows.n_rows
    agrees = evidence.agrees
    differ = np.zeros(0, dtype=np.int64) if agrees is None else np.flatnonzero(~agrees)
    differ = _spread(differ, MAX_DISAGREEMENTS)
    others = np.setdiff1d(np.arange(n_rows), differ)
    return np.sort(np.concatenate([differ, _spread(others, MAX_ROWS - len(differ))])).astype(np.int64)


def _spread(places: NDArray[Any], n_most: int) -> NDArray[Any]:
    if len(places) <= n_most:
        return places
    chosen = np.linspace(0, len(places) - 1, n_most).astype(int)
    return np.asarray(places[chosen])
