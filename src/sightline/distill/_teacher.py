"""What a distiller learns from: an ensemble, and rows in its columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from sightline.estimator import checked_weights
from sightline.exceptions import DataError, UnsupportedModelError
from sightline.learn import BaggedTreesClassifier
from sightline.load import load
from sightline.model import Ensemble
from sightline.table import Column, Labels, Schema, Table

if TYPE_CHECKING:
    from sightline.estimator import SightlineClassifier


@dataclass(frozen=True)
class Teacher:
    """An ensemble together with the training rows, in one schema.

    Attributes
    ----------
    ensemble : Ensemble
        The classifier to imitate.
    table : Table
        The training rows that have weight, in the ensemble's columns.
    labels : Labels or None
        Their given labels in the ensemble's classes, if any were given.
    weights : ndarray of shape (n_rows,) or None
        Their weights; None where all are 1.
    places : ndarray of shape (n_rows,)
        Where they stand among the rows given.
    n_given : int
        How many rows were given, those without weight included.
    n_jobs : int or None
        Threads for asking the ensemble.
    source : object
        What the ensemble was loaded from: the model given, or the learner fitted here.
    is_learnt_here : bool
        Whether the ensemble was learnt from these rows, just now.
    """

    ensemble: Ensemble
    table: Table
    labels: Labels | None
    weights: NDArray[np.float64] | None
    places: NDArray[np.intp]
    n_given: int
    n_jobs: int | None = None
    source: Any = None
    is_learnt_here: bool = False

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels that the ensemble gives."""
        return np.asarray(self.ensemble.classes_)

    def answers(self, rows: Table | None = None) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Ask the ensemble about rows.

        Parameters
        ----------
        rows : Table, optional
            Rows in the ensemble's columns; the training rows by default.

        Returns
        -------
        codes : ndarray of shape (n_rows,)
            Places of the ensemble's labels among ``classes_``.
        probabilities : ndarray of shape (n_rows, n_classes)
            Its class probabilities.
        """
        if rows is not None and rows.n_rows == 0:
            return np.zeros(0, dtype=np.int32), np.zeros((0, len(self.classes_)))
        return self.ensemble.answers(self.table if rows is None else rows, self.n_jobs)


def resolve_teacher(
    estimator: SightlineClassifier,
    X: Any,
    y: Any,
    sample_weight: Any = None,
) -> Teacher:
    """Find, load or learn the ensemble that an estimator is told to summarise.

    The estimator's ``ensemble`` is None (25 bagged C4.5 trees are learnt), something fitted
    (used as it is), or an estimator that is not fitted (a clone of it is). The estimator's
    ``random_state`` serves what has none of its own. Columns and classes are remembered in
    the estimator.

    Parameters
    ----------
    estimator : SightlineClassifier
        Has the parameters ``ensemble``, ``random_state``, ``n_jobs`` and
        ``categorical_features``.
    X : Table, frame or array
        The training rows.
    y : array-like or None
        Their labels. Needed only where an ensemble must be learnt.
    sample_weight : array-like, optional
        Their weights.

    Returns
    -------
    Teacher
        The ensemble and the rows, in one schema.

    Raises
    ------
    DataError
        If rows, labels and ensemble do not fit together.
    UnsupportedModelError
        If the ensemble is no classifier, or cannot be loaded.
    """
    parameters: Any = estimator
    name = type(estimator).__name__
    table = estimator._training_rows(X, parameters.categorical_features)
    weights = checked_weights(sample_weight, table.n_rows)
    is_given = is_fitted(parameters.ensemble)
    if is_given:
        source = parameters.ensemble
    else:
        given = estimator._checked_labels(y, table.n_rows, "or a fitted ensemble")
        source = _learnt(parameters, X, table, y, given, weights)
    ensemble = load(source)
    _check_usable(ensemble, name)
    ensemble, table = _in_one_schema(ensemble, table)
    labels: Labels | None = None
    if y is not None:
        given = estimator._checked_labels(y, table.n_rows)
        labels = given.recoded(np.asarray(ensemble.classes_), "the ensemble")
    estimator._remember(table, np.asarray(ensemble.classes_))
    n_given = table.n_rows
    places = np.arange(n_given)
    if weights is not None:
        # A row without weight is not there.
        places = np.flatnonzero(weights)
        weights, labels = weights[places], None if labels is None else labels[places]
        table = table[places]
    n_jobs = getattr(estimator, "n_jobs", None)
    return Teacher(ensemble, table, labels, weights, places, n_given, n_jobs, source, not is_given)


def is_fitted(ensemble: Any) -> bool:
    """Say whether there is something to load; what cannot be fitted is taken for a fitted model."""
    if ensemble is None:
        return False
    if not hasattr(ensemble, "fit") or isinstance(ensemble, type):
        return True
    try:
        check_is_fitted(ensemble)
    except NotFittedError:
        return False
    except TypeError:
        return True
    return True


def _learnt(
    parameters: Any, X: Any, table: Table, y: Any, labels: Labels, weights: NDArray[np.float64] | None
) -> Any:
    if parameters.ensemble is None:
        learner: Any = BaggedTreesClassifier(n_jobs=parameters.n_jobs, random_state=parameters.random_state)
    else:
        learner = clone(parameters.ensemble)
        if "random_state" in learner.get_params() and learner.random_state is None:
            learner.set_params(random_state=parameters.random_state)
    options = {}
    if weights is not None:
        if not has_fit_parameter(learner, "sample_weight"):
            raise DataError(
                f"The ensemble {type(learner).__name__} takes no sample_weight: "
                "fit without weights, or give another ensemble."
            )
        options["sample_weight"] = weights
    is_own = type(learner).__module__.partition(".")[0] == "sightline"
    return learner.fit(table, labels, **options) if is_own else learner.fit(X, y, **options)


def _check_usable(ensemble: Ensemble, name: str) -> None:
    if ensemble.classes_ is None:
        raise UnsupportedModelError(f"The ensemble is a regression: {name} needs one that predicts classes.")
    if ensemble.n_trees == 0:
        raise UnsupportedModelError(f"The ensemble has no trees: there is nothing for {name} to summarise.")


def _in_one_schema(ensemble: Ensemble, table: Table) -> tuple[Ensemble, Table]:
    """Bring the rows into the ensemble's columns, under the rows' own names where they have any."""
    schema = ensemble.schema
    aligned = table.aligned(schema, "the ensemble")
    names = table.names if table.has_names else schema.names
    if table.has_names and schema.has_given_names:
        names = schema.called(table.names)
    features = tuple(
        replace(feature, name=name, complete=not column.is_missing.any())
        for feature, name, column in zip(schema.features, names, aligned.columns, strict=True)
    )
    if features == schema.features and all(
        new.complete == old.complete for new, old in zip(features, schema.features, strict=True)
    ):
        return ensemble, aligned
    columns = [
        Column(feature, column.values) for feature, column in zip(features, aligned.columns, strict=True)
    ]
    own = Ensemble(ensemble.core, Schema(features), ensemble.classes_, ensemble.link)
    return own, Table(columns, has_names=table.has_names)
