"""Predictions of a model, the ensemble and an ordinary tree for the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import DataError, UnsupportedModelError
from sightline.learn import StumpEnsembleClassifier
from sightline.load import load_any, load_or_wrap
from sightline.measure._label_match import label_notes
from sightline.measure._measures import Measures
from sightline.measure._predicted import Predicted
from sightline.measure._row_weights import RowWeights
from sightline.model import (
    BlackBox,
    CaseBase,
    Ensemble,
    Tree,
    positive_index,
    second_noun,
    tested_features,
    with_categories,
)
from sightline.table import Labels, Numbers, Table, unlike_training
from sightline.wording import pluralize

Task = Literal["classes", "numbers"]

_MIN_UNKNOWN, _MIN_SHARE_UNKNOWN = 5, 0.05
"""Rows with unknown categories that are worth a warning: some rare categories are always new."""


@dataclass(frozen=True, eq=False)
class AllPredictions:
    """Predictions of all models for the same rows.

    Attributes
    ----------
    model, ensemble, baseline : model or None
        The models.
    rows : Table
        The rows, in the model's columns.
    data_name : str or None
        Name of the table that they came from.
    target : ndarray of shape (n_rows,) or None
        Their own labels or numbers.
    model_answers, ensemble_answers, baseline_answers : Predicted or None
        What the models predict.
    notes : tuple of str
        What is doubtful about the rows: categories and labels that the model does not know.
    """

    model: Any
    ensemble: Ensemble | BlackBox | None
    baseline: Any
    rows: Table
    data_name: str | None
    target: NDArray[Any] | None
    model_answers: Predicted
    ensemble_answers: Predicted | None
    baseline_answers: Predicted | None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, model: Any, X: Any, y: Any, ensemble: Ensemble | BlackBox | None, baseline: Any, owner: str
    ) -> AllPredictions:
        """Predict rows with all models.

        Parameters
        ----------
        model : model
            As :func:`sightline.load.load_any` gives it, or a black box.
        X : Table, frame or array
            The rows.
        y : array-like or None
            Their labels or numbers.
        ensemble : Ensemble, BlackBox or None
            What the model replaces.
        baseline : fitted model or None
            An ordinary tree.
        owner : str
            Name of the model for messages.
        """
        given = Table.from_any(X)
        task = task_of(model, ensemble, y)
        if isinstance(model, BlackBox):
            model = _bound(model, X, given, y, task)
        if isinstance(ensemble, BlackBox) and ensemble.schema is None:
            ensemble = _bound(ensemble, X, given, None, task)
            _check_classes(ensemble, model.classes_)
        _check_task(model, ensemble)
        rows = given if isinstance(model, BlackBox) else given.aligned(model.schema, owner)
        target = None if y is None else _target(y, rows.n_rows, model.classes_)
        ordinary = None if baseline is None else read(baseline)
        if isinstance(ordinary, BlackBox):
            ordinary = _bound(ordinary, X, given, y, task)

        def predicted(one: Any, own_rows: Table) -> Predicted:
            # A black box sees the rows as they came, with categories that the model does not know.
            return Predicted.by(one, X if isinstance(getattr(one, "predictor", one), BlackBox) else own_rows)

        return cls(
            model,
            ensemble,
            ordinary,
            rows,
            given.name,
            None if target is None else np.asarray(target),
            predicted(model, rows),
            None if ensemble is None else predicted(ensemble, rows),
            None if ordinary is None else predicted(ordinary, given),
            (*_row_notes(given, model, ensemble), *_label_notes(target, model)),
        )

    @property
    def task(self) -> Task:
        """What the model predicts."""
        return "numbers" if self.model.classes_ is None else "classes"

    def measures(
        self, positive: Any = None, confidence: float = 0.95, row_weights: RowWeights | None = None
    ) -> Measures:
        """Measure all models.

        Parameters
        ----------
        positive, confidence
            As in :meth:`Measures.of_classes`.
        row_weights : RowWeights, optional
            Weight of each row.
        """
        target = self.target
        weights = None if row_weights is None else row_weights.values
        answers = (self.model_answers, self.ensemble_answers, self.baseline_answers)
        if weights is not None and not weights.all():
            # A row of weight 0 must not change anything, so it is dropped.
            chosen = weights > 0
            weights, target = weights[chosen], None if target is None else target[chosen]
            answers = tuple(None if one is None else one.of_rows(chosen) for one in answers)  # type: ignore[assignment]
        options: Any = {
            "baseline_name": baseline_name(self.baseline),
            "confidence": confidence,
            "weights": weights,
        }
        about: Any = {"row_weights": row_weights}
        if self.ensemble is not None:
            about["ensemble_name"] = second_noun(self.model, self.ensemble)
        if self.task == "numbers":
            if positive is not None:
                positive_index(None, positive)
            options["deviance_power"] = self._named("deviance_power")
            return replace(Measures.of_numbers(target, *answers, **options), **about)
        if positive is None:
            positive = self._named("positive")
        measured = Measures.of_classes(target, *answers, positive=positive, **options)
        return replace(measured, **about)

    def _named(self, attribute: str) -> Any:
        """Return what the model or the ensemble says of itself; None if neither says anything."""
        named = (getattr(one, attribute, None) for one in (self.model, self.ensemble))
        return next((value for value in named if value is not None), None)


def read(model: Any) -> Any:
    """Load a model without changing its kind, or wrap it as a black box."""
    if isinstance(model, BlackBox):
        return model
    try:
        return load_any(model)
    except UnsupportedModelError:
        return load_or_wrap(model)


def teacher_of(est: Any, model: Any, ensemble: Any) -> Ensemble | BlackBox | None:
    """Return the ensemble that the model replaces: the given one, or the one the estimator learned from.

    None for a model that only repeats the ensemble's labels: comparing them would show nothing.
    """
    if ensemble is not None:
        teacher = load_or_wrap(ensemble, None if isinstance(model, BlackBox) else model.schema)
        is_read = isinstance(teacher, Ensemble) and not isinstance(model, BlackBox)
        return with_categories(teacher, model.schema) if is_read else teacher  # type: ignore[arg-type]
    held = model.replaced if isinstance(model, CaseBase) else getattr(est, "ensemble_", None)
    repeats_labels = isinstance(est, StumpEnsembleClassifier)
    return held if isinstance(held, Ensemble | BlackBox) and not repeats_labels else None


def baseline_name(baseline: Any) -> str:
    """Name an ordinary tree by its size.

    Examples
    --------
    >>> from sightline import C45Classifier
    >>> baseline_name(C45Classifier().fit([[0.0], [1.0]] * 5, ["no", "yes"] * 5).tree_)
    'ordinary tree of 2 leaves'
    """
    is_tree = isinstance(baseline, Tree) or (isinstance(baseline, Ensemble) and baseline.n_trees == 1)
    if not is_tree:
        return "ordinary tree" if baseline is None else "baseline"
    return f"ordinary tree of {pluralize(baseline.size_['leaves'], 'leaf', 'leaves')}"


def task_of(model: Any, ensemble: Any, y: Any) -> Task:
    """Return the task of the models or, if they are functions, of y."""
    for one in (model, ensemble):
        if one is None:
            continue
        known = one.known_task if isinstance(one, BlackBox) else None
        if known is not None:
            return known
        if not isinstance(one, BlackBox):
            return "numbers" if one.classes_ is None else "classes"
    values = np.asarray(y)
    return "numbers" if values.dtype.kind == "f" and (values != np.floor(values)).any() else "classes"


def _row_notes(rows: Table, *models: Any) -> Iterator[str]:
    """Say in which columns that a model tests many cells are unlike those of training."""
    tested = {one.schema.names[index] for one in models if one is not None for index in tested_features(one)}
    min_rows = max(_MIN_UNKNOWN, _MIN_SHARE_UNKNOWN * rows.n_rows)
    if tested:
        yield from unlike_training(rows, models[0].schema, tested, min_rows)


def _label_notes(target: Labels | Numbers | None, model: Any) -> list[str]:
    return label_notes(target, np.asarray(model.classes_)) if isinstance(target, Labels) else []


def _bound(box: BlackBox, X: Any, given: Table, y: Any, task: Task) -> BlackBox:
    if box.schema is not None:
        return box
    labels = Labels.from_any(y) if y is not None and task == "classes" else None
    return box.bound(X, given, labels, task)


def _check_classes(box: BlackBox, classes: NDArray[Any] | None) -> None:
    if classes is None:
        return
    own = np.asarray(box.classes_)
    if set(own.tolist()).isdisjoint(classes.tolist()):
        raise DataError(
            f"No class of {box.name} is a class of the model: it has {own[:5].tolist()}, "
            f"the model has {classes[:5].tolist()}. Name its classes: sl.BlackBox(model, classes=[…])."
        )


def _check_task(model: Any, teacher: Ensemble | BlackBox | None) -> None:
    if not isinstance(teacher, Ensemble) or (teacher.classes_ is None) == (model.classes_ is None):
        return
    own, other = ("numbers", "classes") if model.classes_ is None else ("classes", "numbers")
    raise DataError(f"The model predicts {own}, but the ensemble predicts {other}.")


def _target(y: Any, n_rows: int, classes: NDArray[Any] | None) -> Labels | Numbers:
    target = Numbers.from_any(y) if classes is None else Labels.from_any(y)
    if len(target) != n_rows:
        noun = "number" if classes is None else "label"
        raise DataError(f"X has {n_rows} rows, but y has {len(target)} {noun}s. Pass one {noun} per row.")
    return target
