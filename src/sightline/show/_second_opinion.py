"""Predictions of the summarized ensemble: as data for every row, and in sentences."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.model import BlackBox, Ensemble, EnsembleAnswer, NeighbourEnsemble, member_views
from sightline.show._display import display
from sightline.table import Table
from sightline.wording import answer_text

_BLOCK = 1024
"""Number of rows to predict at once; a single row costs little less."""


class SecondOpinion:
    """The ensemble's predictions beside those of a model.

    Parameters
    ----------
    ensemble : Ensemble, NeighbourEnsemble or BlackBox
        The ensemble to query.
    rows : Table
        The rows, in the columns of the model.
    predictions : ndarray of shape (n_rows,)
        What the model predicts.
    """

    def __init__(
        self, ensemble: Ensemble | NeighbourEnsemble | BlackBox, rows: Table, predictions: NDArray[Any]
    ) -> None:
        self.ensemble = ensemble
        self.rows = rows
        self.predictions = predictions
        self._block: tuple[int, list[EnsembleAnswer]] = (-1, [])

    @property
    def noun(self) -> str:
        """What the ensemble is called in sentences."""
        return "black box" if isinstance(self.ensemble, BlackBox) else "ensemble"

    @property
    def _is_numbers(self) -> bool:
        if isinstance(self.ensemble, BlackBox):
            return self.ensemble.task == "numbers"
        return self.ensemble.classes_ is None

    def answer(self, row: int) -> EnsembleAnswer:
        """Return what the ensemble predicts for a row."""
        block = row // _BLOCK
        if self._block[0] != block:
            self._block = block, self._answers(slice(block * _BLOCK, (block + 1) * _BLOCK))
        return self._block[1][row % _BLOCK]

    @cached_property
    def _all(self) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
        return self._asked(self.rows)

    def columns(self) -> dict[str, Any]:
        """Return what a frame shows of all rows."""
        answers, probabilities = self._all
        if self._is_numbers:
            return {"ensemble": answers, "difference": answers - self.predictions}
        shares = {} if probabilities is None else {"ensemble_probability": probabilities}
        return {"ensemble": answers, **shares, "agrees": answers == self.predictions}

    @property
    def labels(self) -> NDArray[Any] | None:
        """The ensemble's label of every row; None for numbers."""
        return None if self._is_numbers else self._all[0]

    @property
    def disagrees(self) -> NDArray[np.bool_]:
        """For every row, whether the ensemble predicts a different label; always False for numbers."""
        answers, _ = self._all
        if self._is_numbers:
            return np.zeros(len(answers), dtype=bool)
        return np.asarray(answers != self.predictions)

    def _asked(self, rows: Table) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
        """Return labels with their probabilities, if the ensemble has them, or numbers."""
        ensemble = self.ensemble
        given = ensemble.given_answers if isinstance(ensemble, BlackBox) else ensemble.answers
        codes, outputs = given(rows)
        if outputs is None:
            return np.asarray(ensemble.classes_)[codes], None
        if self._is_numbers:
            return outputs[:, 0], None
        return np.asarray(ensemble.classes_)[codes], outputs[np.arange(len(codes)), codes]

    def _answers(self, chosen: slice) -> list[EnsembleAnswer]:
        rows, own = self.rows[chosen], self.predictions[chosen]
        answers, probabilities = self._asked(rows)
        if self._is_numbers:
            ends = self._ends(rows)
            return [
                EnsembleAnswer(float(other), difference=float(other - mine), low=low, high=high)
                for other, mine, (low, high) in zip(answers, own, ends, strict=True)
            ]
        shares = [None] * len(answers) if probabilities is None else probabilities.tolist()
        return [
            EnsembleAnswer(label, share, bool(label == mine), votes=votes)
            for label, share, mine, votes in zip(
                answers.tolist(), shares, own.tolist(), self._votes(rows), strict=True
            )
        ]

    def _votes(self, rows: Table) -> list[dict[Any, int]]:
        """Count the members that are for each class, most first."""
        if isinstance(self.ensemble, BlackBox):
            return [{}] * rows.n_rows
        labels = np.asarray(self.ensemble.classes_).tolist()
        counted = []
        for sides in member_views(self.ensemble, rows).sides:
            codes, counts = np.unique(sides[sides >= 0], return_counts=True)
            order = np.argsort(-counts, kind="stable").tolist()
            counted.append({labels[codes[i]]: int(counts[i]) for i in order})
        return counted

    def _ends(self, rows: Table) -> list[tuple[float | None, float | None]]:
        """Return the lowest and the highest number that a single tree predicts."""
        if not isinstance(self.ensemble, Ensemble):
            return [(None, None)] * rows.n_rows
        numbers = self.ensemble.core.tree_outputs(rows.native(), 1)[:, :, 0]
        return list(zip(numbers.min(axis=1).tolist(), numbers.max(axis=1).tolist(), strict=True))

    def sentences(self, row: int) -> str:
        """Say what the ensemble predicts, and whether that is the same."""
        noun = self.noun
        table = self.rows[row : row + 1]
        told = str(display(self.ensemble).explain(table, reasons=False))
        other, own = self._asked(table)[0][0], self.predictions[row]
        if not self._is_numbers:
            return f"The {noun} {'agrees' if other == own else 'disagrees'}: it {told[0].lower()}{told[1:]}"
        gap = answer_text(abs(float(other) - float(own)), 3)
        distance = "the same" if other == own else f"{gap} {'more' if other > own else 'less'}"
        _, *spread = told.splitlines()
        return "\n".join([f"The {noun} predicted {answer_text(float(other))} ({distance}).", *spread])
