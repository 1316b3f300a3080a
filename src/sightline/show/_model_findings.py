"""What explanations of all kinds of model share: predictions, reasons, and what the ensemble says."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sightline.model import (
    BlackBox,
    Ensemble,
    EnsembleAnswer,
    Explanation,
    Explanations,
    Findings,
    NeighbourEnsemble,
)
from sightline.show._row import Rows
from sightline.show._second_opinion import SecondOpinion
from sightline.table import Feature
from sightline.wording import printable, quote_if_odd

N_REASONS = 4
"""Number of reasons in a frame or a letter."""


class ModelFindings(Findings):
    """The predictions of a model, and the reasons that a subclass knows.

    Parameters
    ----------
    rows : Rows
        The rows.
    classes : ndarray or None
        The labels; None if numbers are predicted.
    codes : ndarray of shape (n_rows,)
        Indices of the predicted labels.
    outputs : ndarray of shape (n_rows, n_classes) or None
        Their probabilities, or the numbers in one column; None if a model gives labels only.
    ensemble : Ensemble, NeighbourEnsemble or BlackBox, optional
        What the model summarizes.
    mentions_ensemble : bool, default=True
        Whether the sentences say what the ensemble predicts.
    """

    is_ensemble: ClassVar[bool] = False
    """Whether the model is itself the ensemble, with which it always agrees."""

    def __init__(
        self,
        rows: Rows,
        classes: NDArray[Any] | None,
        codes: NDArray[np.int32],
        outputs: NDArray[np.float64] | None,
        ensemble: Ensemble | NeighbourEnsemble | BlackBox | None = None,
        mentions_ensemble: bool = True,
    ) -> None:
        self.rows = rows
        self.labels = None if classes is None else np.asarray(classes).tolist()
        self.codes = codes
        self.ensemble = ensemble
        self.mentions_ensemble = mentions_ensemble
        self.probabilities = None
        if classes is None:
            assert outputs is not None
            self.predictions = outputs[:, 0]
        else:
            self.predictions = np.asarray(classes)[codes]
            if outputs is not None:
                # Mixed shares may add up to a little more than all.
                self.probabilities = np.minimum(outputs[np.arange(len(codes)), codes], 1.0)
        # A black box also sees categories that the model does not know.
        told = rows.given if isinstance(ensemble, BlackBox) else rows.table
        self.opinion = None if ensemble is None else SecondOpinion(ensemble, told, self.predictions)

    def ensemble_answer(self, row: int) -> EnsembleAnswer | None:
        """Return what the ensemble predicts for a row."""
        return None if self.opinion is None else self.opinion.answer(row)

    @property
    def ensemble_labels(self) -> NDArray[Any] | None:
        """The labels that the ensemble gives the rows."""
        return None if self.opinion is None else self.opinion.labels

    def objection(self, row: int) -> str:
        """Say which label the ensemble gives instead, and that the reasons are not for it."""
        answer = self.ensemble_answer(row)
        if self.opinion is None or answer is None or answer.agrees is not False:
            return ""
        other, own = (self._named(label) for label in (answer.prediction, self.predictions[row]))
        return f"The {self.opinion.noun} predicts {other}, but the letter gives the reasons for {own}."

    def _named(self, label: Any) -> str:
        prefix = f"{printable(self.target)} = " if self.target else ""
        return f"{prefix}{quote_if_odd(label)}"

    def _with_opinion(self, text: str, row: int) -> str:
        if self.opinion is None or not self.mentions_ensemble:
            return text
        return f"{text}\n{self.opinion.sentences(row)}"

    def columns(self, prove: bool) -> dict[str, NDArray[Any]]:
        """Return what the kind of model knows, the ensemble's answers, and the strongest reasons."""
        reasons = {f"reason_{i}": texts for i, texts in enumerate(self._reason_columns(N_REASONS), 1)}
        opinion = {} if self.opinion is None or self.is_ensemble else self.opinion.columns()
        return {**self._own_columns(prove), **opinion, **reasons}

    def _own_columns(self, prove: bool) -> dict[str, NDArray[Any]]:  # noqa: ARG002
        """Return what only this kind of model knows."""
        return {}

    def _reason_columns(self, n: int) -> list[NDArray[Any]]:
        """Return the n strongest conditions of all rows, in words."""
        table = np.full((len(self.codes), n), None, dtype=object)
        for row in range(len(self.codes)):
            ordered = sorted(self.conditions(row), key=lambda reason: -abs(reason.change))
            texts = [reason.condition for reason in ordered[:n]]
            table[row, : len(texts)] = texts
        return list(table.T)


def missing_text(column: Feature) -> str:
    """Say that a value is missing, or that it is a category that the model does not know.

    Examples
    --------
    >>> missing_text(Feature("age")), missing_text(Feature("purpose", ("car", "house")))
    ('age is missing', 'purpose is missing or unknown')
    """
    return f"{quote_if_odd(column.name)} is missing{' or unknown' if column.is_nominal else ''}"


def explained(findings: Findings, rows: Rows) -> Explanation | Explanations:
    """Return the explanation of one row, or those of many."""
    return Explanation(findings, 0, rows.names[0]) if rows.is_one else Explanations(findings, rows.names)
