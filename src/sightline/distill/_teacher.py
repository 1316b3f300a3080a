"""The model to summarize, and the training rows in its columns."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from sightline.distill._class_limit import check_class_numbers
from sightline.distill._clone import cloned
from sightline.distill._default_ensemble import default_learner, fitted_to, n_learned_trees
from sightline.estimator import checked_weights
from sightline.exceptions import DataError, DataWarning, UnsupportedModelError
from sightline.load import load, load_or_wrap
from sightline.model import BlackBox, Ensemble, one_hot, row_blocks, with_categories
from sightline.table import Column, Labels, Numbers, Schema, Table, group_categories
from sightline.wording import list_names

if TYPE_CHECKING:
    from sightline.estimator import SightlineEstimator

_MAX_LISTED = 10
_MAX_KEPT = 2**24
"""Maximum number of cached predictions, 128 MB. Beyond it, trees predict block by block, each time."""

_SAME_PROBABILITY = 1e-5
"""Probabilities that differ by less are equal but for rounding."""

_COMPUTED = ("_training_query", "_training_answers", "ensemble_labels", "has_own_labels")
"""What a teacher computes once, and pickles do not hold."""

Answers = tuple[NDArray[np.int32], NDArray[np.float64]]
"""Class codes of shape (n_rows,) and class probabilities of shape (n_rows, n_classes). Of a model that
predicts numbers: codes of 0, and the numbers in one column."""


@dataclass(frozen=True, eq=False)
class Teacher:
    """An ensemble and training rows, in the same columns.

    Attributes
    ----------
    ensemble : Ensemble or BlackBox
        The ensemble to summarize, or a model that can only be queried.
    table : Table
        The training rows of positive weight, in the ensemble's columns.
    given : Labels, Numbers or None
        Their given target: labels in the ensemble's classes, or numbers; None if no y was passed.
    weights : ndarray of shape (n_rows,) or None
        Their weights; None if all are 1.
    row_index : ndarray of shape (n_rows,)
        Their indices among the rows passed to fit.
    n_given : int
        Number of rows passed to fit, including those of weight 0.
    n_jobs : int or None
        Number of threads for predicting with the ensemble.
    source : object
        What the ensemble was loaded from: the model passed, or the learner fitted here.
    is_learned_here : bool
        Whether the ensemble was learned from these rows in this fit.
    weights_name : str
        Name of the column of weights; empty if it is not known.
    """

    ensemble: Ensemble | BlackBox
    table: Table
    given: Labels | Numbers | None
    weights: NDArray[np.float64] | None
    row_index: NDArray[np.intp]
    n_given: int
    n_jobs: int | None = None
    source: Any = None
    is_learned_here: bool = False
    weights_name: str = ""

    @property
    def labels(self) -> Labels | None:
        """The given labels; None if there are none, or if the target is numbers."""
        return self.given if isinstance(self.given, Labels) else None

    @property
    def numbers(self) -> NDArray[np.float64] | None:
        """The given numbers; None if there are none, or if the target is classes."""
        return self.given.values if isinstance(self.given, Numbers) else None

    @property
    def classes_(self) -> NDArray[Any]:
        """The class labels of the ensemble, if it has any."""
        return np.asarray(self.ensemble.classes_)

    @property
    def n_classes(self) -> int:
        """Number of classes, 0 if the ensemble predicts numbers."""
        return 0 if self.ensemble.classes_ is None else len(self.ensemble.classes_)

    @property
    def trees(self) -> Ensemble:
        """The ensemble as trees; the caller has checked that it has some."""
        assert isinstance(self.ensemble, Ensemble)
        return self.ensemble

    @property
    def rule_schema(self) -> Schema:
        """The columns of the trees, with what is known about the target and the training rows."""
        known = self.table.schema.subject
        subject = replace(known, counts_ensemble=known.counts_ensemble or self.given is None)
        return replace(self.trees.schema, subject=subject)

    @property
    def is_black_box(self) -> bool:
        """Whether the model can only be queried."""
        return isinstance(self.ensemble, BlackBox)

    @cached_property
    def ensemble_labels(self) -> NDArray[np.int32]:
        """Class codes that the ensemble predicts for the training rows."""
        return np.concatenate([labels for _, (labels, _) in self.answer_blocks()])

    @property
    def ensemble_probabilities(self) -> NDArray[np.float64]:
        """Class probabilities, or numbers in one column, that the ensemble predicts for the training rows."""
        return self._training_answers[1]

    @property
    def ensemble_numbers(self) -> NDArray[np.float64]:
        """The numbers that the ensemble predicts for the training rows, if it has no classes."""
        return self._training_answers[1][:, 0]

    @cached_property
    def has_own_labels(self) -> bool:
        """Whether some training row's label is not its most probable class, as with a threshold."""
        for _, (codes, probabilities) in self.answer_blocks() if self.n_classes else ():
            chosen = np.take_along_axis(probabilities, codes[:, None].astype(np.intp), axis=1)[:, 0]
            if (chosen < probabilities.max(axis=1) - _SAME_PROBABILITY).any():
                return True
        return False

    @property
    def has_labels_only(self) -> bool:
        """Whether the model is a black box that gives labels without probabilities."""
        return self.is_black_box and self._training_query[1] is None

    @property
    def target(self) -> NDArray[Any]:
        """Class codes, or numbers, of the training rows: given, or the ensemble's if no y was passed."""
        if self.n_classes == 0:
            return self.ensemble_numbers if self.numbers is None else self.numbers
        return self.ensemble_labels if self.labels is None else self.labels.codes

    @property
    def given_or_predicted(self) -> NDArray[Any]:
        """The target as y has it: labels or numbers."""
        return self.target if self.n_classes == 0 else self.classes_[self.target]

    @property
    def label_source(self) -> Literal["own", "ensemble"]:
        """Where ``target`` comes from, as stored in the nodes of a tree."""
        return "ensemble" if self.given is None else "own"

    @property
    def row_weights(self) -> NDArray[np.float64]:
        """Weights of the training rows, also if all are 1."""
        return np.ones(self.table.n_rows) if self.weights is None else self.weights

    def predict(self, rows: Table) -> Answers:
        """Predict rows other than the training rows with the ensemble.

        Parameters
        ----------
        rows : Table
            Rows in the ensemble's columns.

        Returns
        -------
        codes : ndarray of shape (n_rows,)
            Class codes.
        probabilities : ndarray of shape (n_rows, n_classes)
            Class probabilities.
        """
        if rows.n_rows == 0:
            return np.zeros(0, dtype=np.int32), np.zeros((0, max(self.n_classes, 1)))
        return self.ensemble.answers(rows, self.n_jobs)

    def answer_blocks(self) -> Iterator[tuple[Table, Answers]]:
        """Yield the training rows and what the ensemble predicts for them, in blocks of bounded size."""
        if self._keeps_answers:
            yield self.table, self._training_answers
            return
        for begin, end in row_blocks(self.table.n_rows, self.n_classes):
            rows = self.table[begin:end]
            yield rows, self.predict(rows)

    @property
    def _keeps_answers(self) -> bool:
        return self.is_black_box or self.table.n_rows * self.n_classes <= _MAX_KEPT

    @cached_property
    def _training_query(self) -> tuple[NDArray[np.int32], NDArray[np.float64] | None]:
        # Queried once per fit; resized() and fidelity_curve() use them again.
        if not isinstance(self.ensemble, BlackBox) or self.table.n_rows == 0:
            return self.predict(self.table)
        return self.ensemble.given_answers(self.table)

    @cached_property
    def _training_answers(self) -> Answers:
        codes, given = self._training_query
        probabilities = one_hot(codes, self.n_classes) if given is None else given
        if isinstance(self.ensemble, BlackBox):
            _warn_of_changes(self.ensemble, self.table, (codes, probabilities))
        return codes, probabilities

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _COMPUTED}

    def labeled_by(self, rule: str) -> Teacher:
        """Return the teacher with rows whose schema, and so every model of it, says how labels are decided.

        It also says whether there are probabilities.

        Parameters
        ----------
        rule : str
            One sentence; empty if the most probable class wins.
        """
        known = self.table.schema.subject
        subject = replace(known, label_rule=rule, has_labels_only=self.has_labels_only)
        other = replace(self, table=self.table.about(subject))
        # A black box is not queried again.
        other.__dict__.update({name: self.__dict__[name] for name in _COMPUTED if name in self.__dict__})
        return other

    def part(self, rows: NDArray[np.intp]) -> Teacher:
        """Return the same ensemble with some of the training rows, and without their given target."""
        weights = None if self.weights is None else self.weights[rows]
        part = replace(
            self, table=self.table[rows], given=None, weights=weights, row_index=self.row_index[rows]
        )
        if self._keeps_answers:
            codes, probabilities = self._training_answers
            part.__dict__["_training_answers"] = (codes[rows], probabilities[rows])
        return part

    def refitted(self, X: Any, y: Any, rows: NDArray[np.intp]) -> Ensemble | BlackBox | None:
        """Fit a copy of the model to some of the training rows.

        Parameters
        ----------
        X, y : Table, frame or array; array-like
            All rows and labels, as they were passed to fit.
        rows : ndarray of int
            Indices of the rows to fit to.

        Returns
        -------
        Ensemble, BlackBox or None
            None if the model cannot be fitted again.
        """
        learner = _unfitted_copy(self.source)
        if learner is None or self.given is None:
            return None
        try:
            fitted = load_or_wrap(fitted_to(learner, X, y, self.table, self.given, rows), self.table)
        except NotFittedError:
            return None
        if isinstance(fitted, BlackBox):
            return fitted.bound(X, self.table, task="classes" if self.n_classes else "numbers")
        return fitted


def resolve_teacher(estimator: SightlineEstimator, X: Any, y: Any, sample_weight: Any = None) -> Teacher:
    """Load or learn the ensemble that an estimator summarizes.

    The estimator's ``ensemble`` is None (learn the default: see :func:`default_learner`), a fitted
    model (use it as it is), or an unfitted estimator (fit a clone of it). An ensemble without a seed gets the
    estimator's ``random_state``. A model that cannot be read as trees is a black box. The
    estimator's columns and classes are set.

    Parameters
    ----------
    estimator : SightlineEstimator
        Has the parameters ``ensemble``, ``random_state``, ``n_jobs`` and
        ``categorical_features``.
    X : Table, frame or array
        The training rows.
    y : array-like or None
        Their target. Required only if an ensemble must be learned.
    sample_weight : array-like, optional
        Their weights.

    Returns
    -------
    Teacher
        The ensemble and the rows, in the same columns.

    Raises
    ------
    DataError
        If rows, labels and ensemble do not match.
    UnsupportedModelError
        If the ensemble predicts classes where numbers are needed, or the other way around, or can
        neither be loaded nor queried.
    """
    parameters: Any = estimator
    table = estimator._training_rows(X, parameters.categorical_features, parameters.ensemble is None)
    table = table.for_target(y, sample_weight)
    if parameters.ensemble is None and parameters.task == "classes":
        table = group_categories(table)
    weights = checked_weights(sample_weight, table.n_rows)
    is_given = is_fitted(parameters.ensemble)
    if is_given:
        source = parameters.ensemble
    else:
        required = estimator._checked_target(y, table.n_rows, "or a fitted ensemble")
        if isinstance(required, Labels):
            check_class_numbers(estimator, table.n_rows, len(required.classes_))
        source = _learned(parameters, X, y, table, required, weights)
    given = None if y is None else estimator._checked_target(y, table.n_rows)
    ensemble, table = _prepared(load_or_wrap(source, table), X, table, given, estimator)
    if isinstance(given, Labels):
        _check_same_labels(given, ensemble)
        given = given.recoded(np.asarray(ensemble.classes_), "the ensemble")
    estimator._remember(table, None if ensemble.classes_ is None else np.asarray(ensemble.classes_))
    n_given = table.n_rows
    row_index = np.arange(n_given)
    if weights is not None:
        # A row of weight 0 must not change anything, so it is dropped.
        row_index = np.flatnonzero(weights)
        weights, given = weights[row_index], None if given is None else given[row_index]
        table = table[row_index]
    n_jobs = getattr(estimator, "n_jobs", None)
    ensemble, table = _about_one_subject(ensemble, table)
    table = table.trained_with(weights)
    name = getattr(sample_weight, "name", None)
    return Teacher(
        ensemble,
        table,
        given,
        weights,
        row_index,
        n_given,
        n_jobs,
        source,
        not is_given,
        name if isinstance(name, str) else "",
    )


def imitating_forest(teacher: Teacher, random_state: Any, **limits: int) -> Teacher:
    """Return a random forest that learned the numbers of a regression for the training rows.

    Parameters
    ----------
    teacher : Teacher
        A regression and the training rows.
    random_state : int, RandomState or None
        Seed of the forest.
    **limits : int
        Parameters of scikit-learn's forest that limit the size of its trees.

    Returns
    -------
    Teacher
        The forest; its given numbers are those of the regression.
    """
    numbers = Numbers(teacher.ensemble_numbers)
    options = {"n_jobs": teacher.n_jobs, "random_state": random_state, **limits}
    learner = default_learner("numbers", teacher.table, **options)
    weights = weights_for(learner, teacher.weights)
    fitted = fitted_to(learner, teacher.table, numbers.values, teacher.table, numbers, **weights)
    ensemble, table = _in_one_schema(load(fitted), teacher.table)
    row_index = np.arange(table.n_rows)
    return replace(
        teacher,
        ensemble=ensemble,
        table=table,
        given=numbers,
        row_index=row_index,
        n_given=len(row_index),
        source=fitted,
        is_learned_here=True,
    )


def is_fitted(ensemble: Any) -> bool:
    """Return whether a model can be used as it is; objects without fit count as fitted models."""
    if isinstance(ensemble, BlackBox):
        ensemble = ensemble.model
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


def _learned(
    parameters: Any,
    X: Any,
    y: Any,
    table: Table,
    target: Labels | Numbers,
    weights: NDArray[np.float64] | None,
) -> Any:
    box = parameters.ensemble if isinstance(parameters.ensemble, BlackBox) else None
    if parameters.ensemble is None:
        shared = {"n_jobs": parameters.n_jobs, "random_state": parameters.random_state}
        learner = default_learner(parameters.task, table, n_learned_trees(parameters, target), **shared)
        X = table  # in numpy's types: scikit-learn refuses pandas.NA
    else:
        learner = cloned(parameters.ensemble if box is None else box.model)
        if "random_state" in learner.get_params() and learner.random_state is None:
            learner.set_params(random_state=parameters.random_state)
    fitted = fitted_to(learner, X, y, table, target, **weights_for(learner, weights))
    return fitted if box is None else box.around(fitted)


def weights_for(learner: Any, weights: NDArray[np.float64] | None) -> dict[str, Any]:
    """Return the keywords that pass row weights to fit; a pipeline passes them to its last step.

    Raises
    ------
    DataError
        If the learner cannot learn from weighted rows.
    """
    if weights is None:
        return {}
    name, prefix = type(learner).__name__, ""
    while isinstance(learner, Pipeline):
        step, learner = learner.steps[-1]
        prefix += f"{step}__"
    if not has_fit_parameter(learner, "sample_weight"):
        raise DataError(
            f"The ensemble {name} does not accept sample_weight. "
            "Fit without weights, or pass another ensemble."
        )
    return {f"{prefix}sample_weight": weights}


def _unfitted_copy(source: Any) -> Any:
    """Return a clone of the model that the ensemble was loaded from, or None if it cannot be fitted."""
    if isinstance(source, BlackBox):
        source = source.model
    if not hasattr(source, "fit") or type(source).__name__ == "FrozenEstimator":
        return None
    try:
        return cloned(source)
    except TypeError:
        return None


def _prepared(
    model: Ensemble | BlackBox,
    X: Any,
    table: Table,
    given: Labels | Numbers | None,
    estimator: SightlineEstimator,
) -> tuple[Ensemble | BlackBox, Table]:
    """Return the model and the rows in the same columns."""
    if isinstance(model, BlackBox):
        _check_task(model.known_task or estimator.task, estimator)
        labels = given if isinstance(given, Labels) else None
        return model.bound(X, table, labels, estimator.task), table
    _check_usable(model, estimator)
    if model.classes_ is not None:
        check_class_numbers(estimator, table.n_rows, model.n_classes, model.n_nodes)
    return _in_one_schema(model, table)


def _about_one_subject(model: Ensemble | BlackBox, table: Table) -> tuple[Ensemble | BlackBox, Table]:
    """Copy the target name between model and rows, and the model's positive class."""
    if isinstance(model, BlackBox):
        return model, table
    known = model.schema.subject
    subject = replace(known, target=table.target_name or known.target)
    return model.replaced(schema=replace(model.schema, subject=subject)), table.about(subject)


def _warn_of_changes(box: BlackBox, table: Table, answers: Answers) -> None:
    codes, numbers = answers
    noun = "label" if box.task == "classes" else "number"
    n_changed, n_asked = box.n_changed(table, codes if box.task == "classes" else numbers[:, 0])
    if n_changed:
        warnings.warn(
            f"{box.name} gave {n_changed} of {n_asked} rows a different {noun} when queried again. Its "
            f"{noun}s are "
            "random, or depend on the other rows of a batch. No model can imitate that part of them.",
            DataWarning,
            stacklevel=5,
        )


def _check_usable(ensemble: Ensemble, estimator: SightlineEstimator) -> None:
    _check_task("numbers" if ensemble.classes_ is None else "classes", estimator)
    if ensemble.n_trees == 0:
        name = type(estimator).__name__
        raise UnsupportedModelError(f"The ensemble has no trees, so {name} has nothing to summarize.")


def _check_task(task: str, estimator: SightlineEstimator) -> None:
    """Raise unless a model predicts what the estimator needs."""
    if task == estimator.task:
        return
    name = type(estimator).__name__
    kinds = ("classifier", "regressor")
    what, needed = kinds if task == "classes" else kinds[::-1]
    remedy = _sibling(name, estimator.task == "classes")
    raise UnsupportedModelError(f"The ensemble is a {what}, but {name} requires a {needed}. {remedy}")


def _check_same_labels(labels: Labels, ensemble: Ensemble | BlackBox) -> None:
    """Raise if y has codes and the ensemble names, or the other way round."""
    known, given = np.asarray(ensemble.classes_).tolist(), labels.classes_.tolist()
    if isinstance(ensemble, BlackBox) or not given or set(known) & set(given):
        return
    shown, theirs = (list_names([repr(label) for label in some], _MAX_LISTED) for some in (given, known))
    raise DataError(
        f"y has the labels {shown}, but the ensemble's classes are {theirs}. Pass the labels that the "
        "ensemble predicts, or name its classes as in y: sl.load(ensemble, classes=[…])."
    )


def _sibling(name: str, is_classifier: bool) -> str:
    """Name the estimator for the other task, if there is one."""
    suffixes = ("Classifier", "Regressor") if is_classifier else ("Regressor", "Classifier")
    stem = name.removesuffix(suffixes[0])
    if stem in _FOR_BOTH_TASKS:
        return f"Use {stem}{suffixes[1]}."
    return f"{name} has no counterpart for the other task."


_FOR_BOTH_TASKS = ("DistilledTree", "ISM", "MetaKNN", "RuleSet")


def _in_one_schema(ensemble: Ensemble, table: Table) -> tuple[Ensemble, Table]:
    """Align the rows with the ensemble's columns, and name both as the rows do if they have names."""
    ensemble = with_categories(ensemble, table)
    # A model learned from these rows would not know further columns, which a pipeline may ignore.
    schema = replace(ensemble.schema, ignores_extra=False)
    aligned = table.aligned(schema, "the ensemble").with_completeness()
    names = schema.called(table.names) if schema.has_given_names else table.names
    if not table.has_names or (names == schema.names and schema.has_given_names):
        return ensemble, aligned
    features = tuple(
        replace(feature, name=name) for feature, name in zip(schema.features, names, strict=True)
    )
    columns = [
        Column(feature, column.values) for feature, column in zip(features, aligned.columns, strict=True)
    ]
    named = ensemble.replaced(schema=replace(schema, features=features, names_given=True))
    return named, Table(columns).with_completeness()
