"""A model and the ensemble that it replaces, with the rows for both to predict."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ParameterError
from sightline.inspection._usage import by_use, evenly_spaced, shares_tested
from sightline.measure import AllPredictions, Predicted, teacher_of
from sightline.measure import read as read_model
from sightline.model import BlackBox, Ensemble, NodeModel, RuleSet, tested_features
from sightline.table import Column, Table

MAX_CELLS = 4_000_000
"""Maximum number of cells in the copies of rows that are predicted at once."""


@dataclass(frozen=True, eq=False)
class Inspected:
    """What is inspected, and on which rows.

    Attributes
    ----------
    model : Tree, Graph, RuleSet or other model
        The summary.
    ensemble : Ensemble, BlackBox or None
        What it replaces.
    rows : Table
        Rows in the model's columns, preferably unseen.
    model_labels, ensemble_labels : ndarray of shape (n_rows,) or None
        What both predict for them.
    label : label or None
        The class whose probability is used; None for numbers.
    """

    model: Any
    ensemble: Ensemble | BlackBox | None
    rows: Table
    model_labels: NDArray[Any]
    ensemble_labels: NDArray[Any] | None
    label: Any = None

    @classmethod
    def of(cls, estimator: Any, X: Any, ensemble: Any, label: Any, max_rows: int) -> Inspected:
        """Read an estimator and rows as :func:`sightline.measure` does.

        Parameters
        ----------
        estimator, X, ensemble
            As in :func:`sightline.measure`.
        label : label or None
            The class whose probability is used. By default the positive one, the second of two, or the
            one that the model predicts most often.
        max_rows : int
            Maximum number of rows to keep, evenly spaced.

        Raises
        ------
        ParameterError
            If the model does not have this class.
        """
        model = read_model(estimator)
        predictions = AllPredictions.of(
            model, X, None, teacher_of(estimator, model, ensemble), None, type(estimator).__name__
        )
        answers = predictions.ensemble_answers
        whole = cls(
            predictions.model,
            predictions.ensemble,
            predictions.rows,
            predictions.model_answers.labels,
            None if answers is None else answers.labels,
            label,
        )
        return whole.with_some_rows(max_rows)

    def with_some_rows(self, max_rows: int) -> Inspected:
        """Return the same with at most this many rows, evenly spaced, and a checked class."""
        some = evenly_spaced(self.rows.n_rows, max_rows)
        return replace(
            self,
            rows=self.rows[some],
            model_labels=self.model_labels[some],
            ensemble_labels=None if self.ensemble_labels is None else self.ensemble_labels[some],
            label=self._checked_label(),
        )

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.rows.columns]

    @property
    def used_features(self) -> list[int]:
        """Columns that the model tests, those that most rows pass a test on first, if that is known."""
        return by_use(self.model, shares_tested(self.model, self.rows))

    def repeated(self, n_times: int) -> Table:
        """Return the rows so many times, one below the other.

        Columns that neither model nor ensemble tests are constant there. They change no prediction, and a
        table may have thousands of them.
        """
        order = np.tile(np.arange(self.rows.n_rows), n_times)
        tested = self._tested
        if tested is None:
            copies: Table = self.rows.X[order]
            return copies
        constant = {np.dtype(kind): np.broadcast_to(kind(0), len(order)) for kind in (np.float64, np.int32)}
        columns = [
            column.take(order)
            if index in tested
            else Column(column.feature, constant[column.values.dtype]).known_finite()
            for index, column in enumerate(self.rows.columns)
        ]
        return Table(columns, has_names=self.rows.has_names)

    @cached_property
    def _tested(self) -> set[int] | None:
        """Columns that model or ensemble test; None if one of them does not tell."""
        models = [one for one in (self.model, self.ensemble) if one is not None]
        if not all(isinstance(one, RuleSet | Ensemble | NodeModel) for one in models):
            return None
        return set().union(*map(tested_features, models))

    def index_of(self, column: str | int) -> int:
        """Return the index of a column that is given by name or index.

        Raises
        ------
        ParameterError
            If there is no such column.
        """
        names = self.names
        if column in names:
            return names.index(str(column))
        if isinstance(column, int) and not isinstance(column, bool) and 0 <= column < len(names):
            return column
        raise ParameterError(f"The model has no column {column!r}. Choose from: {', '.join(names[:20])}.")

    def scores(self, one: Any, rows: Table) -> NDArray[np.float64]:
        """Return what is averaged per row: the number, or the probability of the label.

        A black box without probabilities counts 1 where it gives the label.
        """
        answers = Predicted.by(one, rows)
        if answers.classes is None:
            return answers.labels.astype(np.float64)
        if answers.probabilities is None:
            return np.asarray(answers.labels == self.label, dtype=np.float64)
        place = answers.classes.tolist().index(self.label)
        return np.asarray(answers.probabilities[:, place])

    def _checked_label(self) -> Any:
        label = self.label
        if self.model.classes_ is None:
            if label is not None:
                raise ParameterError("label is for classes, but the model predicts numbers. Leave it out.")
            return None
        classes = np.asarray(self.model.classes_).tolist()
        if label in classes:
            return label
        if label is not None:
            known = ", ".join(map(str, classes))
            raise ParameterError(f"The model has no class {label!r}. Choose from: {known}.")
        positive = (getattr(one, "positive", None) for one in (self.model, self.ensemble))
        declared = [one for one in positive if one in classes]
        if declared or len(classes) == 2:
            return declared[0] if declared else classes[1]
        return Counter(self.model_labels.tolist()).most_common(1)[0][0]
