"""Black boxes: any model, queried because it cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from numbers import Integral
from typing import Any, Literal

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from sightline.exceptions import DataError, ParameterError, UnsupportedModelError
from sightline.model._box_answers import Batch, is_probabilities, most_probable, one_hot
from sightline.model._decision import Decision
from sightline.model._readable import Shown
from sightline.progress import progress_bar
from sightline.table import Feature, Labels, RowForm, Schema, Table
from sightline.wording import list_names, pluralize

_ROWS_ASKED_TWICE = 100
_BATCH_ASKED_TWICE = 10

_SINGLE_PRECISION = 1e-6
_SMALL_SHARE = 1e-5

Task = Literal["classes", "numbers"]


class BlackBox(Shown):
    """Any model, queried for predictions instead of read.

    Estimators that imitate an ensemble take it as ``ensemble``. They wrap a model in one by
    themselves if :func:`sightline.load` refuses it and it has ``predict_proba`` or ``predict``.
    Everything about a black box is measured on rows; nothing can be proved.

    Parameters
    ----------
    model : object or callable
        A classifier with ``predict_proba`` or ``predict``, a regressor, or a function that takes
        rows and returns one label per row, one column of probabilities per class, or one number
        per row. An unfitted estimator is fitted by the estimator that gets the black box.
    classes : array-like of shape (n_classes,), optional
        The class labels, in the order of the columns of probabilities; for a model with
        ``classes_``, other names for them. By default the model's ``classes_``. For a model
        without them that returns labels: those of the training rows.
    task : {"classes", "numbers"}, optional
        What the model predicts. By default detected from the model or, for a function,
        from what the estimator needs.
    batch_size : int, default=1000
        Maximum number of rows per call of the model.
    show_progress : bool, optional
        False for no progress bar. By default there is one if stderr is a terminal and there are
        several batches.

    Attributes
    ----------
    model : object or callable
        The model or function that is queried.
    batch_size : int
        Maximum number of rows per call of the model.
    show_progress : bool or None
        Whether there is a progress bar; None if that depends on the terminal and the batches.
    classes_ : ndarray of shape (n_classes,) or None
        The class labels, None if they are not known yet or the model predicts numbers.
    schema : Schema or None
        The columns of the rows that it was bound to by an estimator's ``fit``.
    refusal : str
        Why :func:`sightline.load` refused the model, if it tried to read it.

    Notes
    -----
    The model gets rows in the form of the training rows: a frame with the same names, types,
    categories and missing values, or an array. Labels are those of ``predict`` if the model has
    it, even if another class is more probable.

    Examples
    --------
    >>> import sightline as sl
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> box = sl.BlackBox(SVC().fit(X[::2], y[::2]))
    >>> box
    BlackBox(SVC, 3 classes)
    >>> tree = sl.DistilledTreeClassifier(box, max_leaves=4, random_state=0).fit(X[::2])
    >>> bool((tree.predict(X[1::2]) == box.predict(X[1::2])).mean() > 0.9)
    True

    A function works, too:

    >>> def is_large(rows):
    ...     return rows["petal length (cm)"] > 2.5
    >>> sl.DistilledTreeClassifier(is_large, max_leaves=2).fit(X).tree_.size_["leaves"]
    2

    So do models and functions that return numbers:

    >>> def area(rows):
    ...     return rows["petal length (cm)"] * rows["petal width (cm)"]
    >>> sl.DistilledTreeRegressor(area, max_leaves=2).fit(X).tree_.size_["leaves"]
    2
    """

    model: Any
    batch_size: int
    show_progress: bool | None
    refusal: str
    _has_observed_classes: bool

    def __init__(
        self,
        model: Any,
        classes: Any = None,
        *,
        task: Task | None = None,
        batch_size: int = 1000,
        show_progress: bool | None = None,
    ) -> None:
        if isinstance(model, BlackBox):
            raise ParameterError("The model is a BlackBox already. Pass the model inside it.")
        if not can_be_queried(model):
            raise UnsupportedModelError(
                f"Cannot query a {type(model).__name__}: it has neither predict_proba nor predict, "
                "and is not a function."
            )
        if not isinstance(batch_size, Integral) or isinstance(batch_size, bool) or batch_size < 1:
            raise ParameterError(
                f"The 'batch_size' parameter of BlackBox must be an int of at least 1. Got {batch_size!r} "
                "instead."
            )
        if task not in (None, "classes", "numbers") or (task == "numbers" and classes is not None):
            raise ParameterError(
                "The 'task' parameter of BlackBox must be 'classes' or 'numbers', and 'numbers' only without "
                f"classes. Got {task!r} instead."
            )
        self.model = model
        self.batch_size = int(batch_size)
        self.show_progress = show_progress
        self.refusal = ""
        self.schema: Schema | None = None
        self._form: RowForm | None = None
        # Classes seen in labels say nothing about the order of columns of probabilities.
        self._has_observed_classes = False
        self.decision: Decision | None = None
        self._classes: NDArray[Any] | None = None if classes is None else _checked_classes(classes)
        self._task: Task | None = task

    @property
    def task(self) -> Task:
        """What the model predicts; classes if unknown."""
        return self.known_task or "classes"

    @property
    def known_task(self) -> Task | None:
        """What the model predicts; None if neither the model nor the caller defines it."""
        if self._task is not None:
            return self._task
        if is_regressor(self.model):
            return "numbers"
        names_classes = any(hasattr(self.model, attribute) for attribute in ("classes_", "predict_proba"))
        return "classes" if self._classes is not None or names_classes else None

    @property
    def name(self) -> str:
        """Name of the model, for messages and reports."""
        if getattr(self.model, "steps", None) and hasattr(self.model, "named_steps"):
            return f"{type(self.model).__name__} ending in {type(self.model.steps[-1][1]).__name__}"
        return str(getattr(self.model, "__name__", type(self.model).__name__))

    @property
    def classes_(self) -> NDArray[Any] | None:
        """The class labels, None if they are not known yet."""
        if self.known_task == "numbers":
            return None
        known = self._model_classes
        if self._classes is None or known is None:
            return known if self._classes is None else self._classes
        if len(known) != len(self._classes):
            own = list_names([repr(label) for label in known.tolist()])
            raise ParameterError(
                f"The 'classes' parameter of BlackBox must name the {len(known)} classes of {self.name}, "
                f"{own}. Got {self._classes.tolist()} instead."
            )
        # The model's own labels in another order are not other names.
        return known if set(known.tolist()) == set(self._classes.tolist()) else self._classes

    @property
    def _model_classes(self) -> NDArray[Any] | None:
        known = getattr(self.model, "classes_", None)
        return None if known is None else _checked_classes(known)

    @property
    def n_classes(self) -> int:
        """Number of classes, 0 if they are not known yet."""
        return 0 if self.classes_ is None else len(self.classes_)

    @property
    def expected(self) -> Schema | None:
        """The names of the columns that the model was fitted to, if it knows them."""
        for attribute in ("feature_names_in_", "feature_names_"):
            names = getattr(self.model, attribute, None)
            if names is not None and len(names):
                return Schema(tuple(Feature(str(name)) for name in names), names_given=True)
        return None

    @property
    def is_tested(self) -> NDArray[np.bool_]:
        """Whether the model may use the feature, per feature: unknown, so always True."""
        return np.ones(0 if self.schema is None else len(self.schema), dtype=bool)

    def bound(self, X: Any, table: Table, labels: Labels | None = None, task: Task = "classes") -> BlackBox:
        """Return a copy that gives the model rows in the form of the training rows.

        A copy of a bound black box keeps its form.

        Parameters
        ----------
        X : Table, frame or array
            The training rows as the user has them.
        table : Table
            The same rows as a table.
        labels : Labels, optional
            Their labels. They are classes, too, if the model does not name its classes.
        task : {"classes", "numbers"}, default="classes"
            What the model must predict.

        Returns
        -------
        BlackBox
            With ``schema``, ``task`` and ``classes_``.

        Raises
        ------
        UnsupportedModelError
            If the model predicts something else.
        """
        if self.known_task not in (None, task):
            kinds = ("classifier", "regressor")
            own, needed = kinds if task == "numbers" else kinds[::-1]
            raise UnsupportedModelError(f"{self.name} is a {own}, but a {needed} is needed here.")
        other = copy(self)
        other._task = task
        other._form, other.schema = self._form or _form_for(self.model, X, table), table.schema
        if task == "classes" and other.classes_ is None:
            other._classes = other._observed_classes(table, labels)
            other._has_observed_classes = True
        return other

    def around(self, model: Any) -> BlackBox:
        """Return a black box with the same options around another model."""
        classes = None if self._has_observed_classes else self._classes
        other = BlackBox(
            model, classes, task=self._task, batch_size=self.batch_size, show_progress=self.show_progress
        )
        other.refusal = self.refusal
        return other

    def answers(self, X: Any, n_jobs: int | None = None) -> tuple[NDArray[np.int32], NDArray[np.float64]]:  # noqa: ARG002
        """Query the model for rows.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            The rows. A frame or array like the training rows is handed over as it is.
        n_jobs : int, optional
            Not used: the model decides.

        Returns
        -------
        codes : ndarray of shape (n_rows,)
            Class codes.
        probabilities : ndarray of shape (n_rows, n_classes)
            Class probabilities, 0 and 1 if the model gives labels only. Of a model that predicts
            numbers: codes of 0, and the numbers in one column.

        Raises
        ------
        DataError
            If the model fails, or returns anything else. The message names the rows.
        """
        return self._queried(X)[:2]

    def given_answers(self, X: Any) -> tuple[NDArray[np.int32], NDArray[np.float64] | None]:
        """Return the same as :meth:`answers`, but no probabilities if the model gives labels only."""
        codes, outputs, are_given = self._queried(X)
        return codes, outputs if are_given else None

    def _queried(self, X: Any) -> tuple[NDArray[np.int32], NDArray[np.float64], bool]:
        """Return the answers, and whether the model itself gives the probabilities or the numbers."""
        if self.task == "numbers":
            numbers = self._all_asked(X, self._numbers)
            return np.zeros(len(numbers), dtype=np.int32), numbers[:, None], True
        parts = list(self._asked(X, self._answer))
        if not parts:
            return np.zeros(0, dtype=np.int32), np.zeros((0, self.n_classes)), True
        codes = np.concatenate([part for part, _ in parts])
        probabilities = np.concatenate(
            [one_hot(part, self.n_classes) if shares is None else shares for part, shares in parts]
        )
        if self.decision is not None:
            codes = self.decision.labels(probabilities).astype(np.int32)
        return codes, probabilities, all(shares is not None for _, shares in parts)

    def decided(self, decision: Decision) -> BlackBox:
        """Return a black box of the same model whose labels follow from its probabilities."""
        box = copy(self)
        box.decision = decision
        return box

    def predict(self, X: Any, n_jobs: int | None = None) -> NDArray[Any]:
        """Return the model's label or number for each row; the parameters are those of :meth:`answers`."""
        if self.classes_ is None:
            return self._all_asked(X, self._numbers if self.task == "numbers" else self._labels)
        return np.asarray(self.classes_[self.answers(X, n_jobs)[0]])

    def predict_proba(self, X: Any, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the class probabilities of each row; the parameters are those of :meth:`answers`."""
        if self.task == "numbers":
            raise AttributeError(f"{self.name} predicts numbers: it has no class probabilities.")
        return self.answers(X, n_jobs)[1]

    def n_changed(self, rows: Table, given: NDArray[Any]) -> tuple[int, int]:
        """Query some rows again, in small batches.

        Parameters
        ----------
        rows : Table
            Rows that the model has predicted.
        given : ndarray of shape (n_rows,)
            The class codes, or the numbers, that it gave them.

        Returns
        -------
        n_changed : int
            How many of them get a different label now, or a number that differs by more than rounding.
        n_asked : int
            How many were queried, at most 100.
        """
        chosen = np.unique(np.linspace(0, rows.n_rows - 1, _ROWS_ASKED_TWICE).astype(np.intp))
        # Few other rows around it change the label of a row if the model looks at those, too.
        parts = np.array_split(chosen, max(1, len(chosen) // _BATCH_ASKED_TWICE))
        answers = [self.answers(rows[part]) for part in parts]
        if self.task == "numbers":
            again = np.concatenate([numbers[:, 0] for _, numbers in answers])
            is_changed = np.abs(again - given[chosen]) > _rounding(given)
        else:
            is_changed = np.concatenate([codes for codes, _ in answers]) != given[chosen]
        return int(is_changed.sum()), len(chosen)

    def __sklearn_clone__(self) -> BlackBox:
        """Clone an estimator without its fit, as scikit-learn does; other models stay as they are."""
        if not hasattr(self.model, "fit") or not hasattr(self.model, "get_params"):
            return self.around(self.model)
        try:
            return self.around(clone(self.model))
        except RuntimeError:  # CatBoost copies its parameters, which scikit-learn refuses.
            return self.around(type(self.model)(**self.model.get_params()))

    def __repr__(self) -> str:
        predicts = "" if self.classes_ is None else f", {pluralize(len(self.classes_), 'class', 'classes')}"
        if self.task == "numbers":
            predicts = ", numbers"
        return f"BlackBox({self.name}{predicts})"

    def _asked(self, X: Any, ask: Callable[[Any, Batch], Any]) -> Iterable[Any]:
        n_rows, rows = self._rows(X)
        wanted = False if n_rows <= self.batch_size else self.show_progress
        with progress_bar(f"Asking {self.name}", n_rows, wanted) as bar:
            for begin in range(0, n_rows, self.batch_size):
                batch = Batch(self.name, begin, min(begin + self.batch_size, n_rows))
                yield ask(rows(batch.begin, batch.end), batch)
                bar.update(batch.end)

    def _all_asked(self, X: Any, ask: Callable[[Any, Batch], NDArray[Any]]) -> NDArray[Any]:
        parts = list(self._asked(X, ask))
        return np.concatenate(parts) if parts else np.zeros(0)

    def _rows(self, X: Any) -> tuple[int, Callable[[int, int], Any]]:
        """Return the number of rows, and a function that gives some of them to the model."""
        if self._form is not None and not isinstance(X, Table):
            X = self._form.ordered(X) if self._form.takes(X) else Table.from_any(X, infinite="largest")
        if isinstance(X, Table):
            form = self._form or _form_for(self.model, X, X)
            return X.n_rows, lambda begin, end: form.rows(X[begin:end])
        if nw.dependencies.is_into_dataframe(X):
            wrapped = nw.from_native(X, eager_only=True)
            return len(wrapped), lambda begin, end: wrapped[begin:end].to_native()
        array = X if hasattr(X, "shape") else np.asarray(X)
        return len(array), lambda begin, end: array[begin:end]

    def _answer(self, rows: Any, batch: Batch) -> tuple[NDArray[np.int32], NDArray[np.float64] | None]:
        classes = self.classes_ if self._model_classes is None else self._model_classes
        if hasattr(self.model, "predict_proba") and not self._has_observed_classes:
            probabilities = batch.probabilities(self._called("predict_proba", rows, batch), classes)
            if not hasattr(self.model, "predict"):
                return most_probable(probabilities), probabilities
            assert classes is not None
            return batch.codes(self._called("predict", rows, batch), classes), probabilities
        answer = self._called("predict", rows, batch)
        if is_probabilities(answer):
            probabilities = batch.probabilities(answer, classes)
            return most_probable(probabilities), probabilities
        if classes is None:
            raise DataError(
                f"The classes of {self.name} are not known. Pass sl.BlackBox(model, classes=[…])."
            )
        return batch.codes(answer, classes), None

    def _labels(self, rows: Any, batch: Batch) -> NDArray[Any]:
        """Return the labels of a model that does not name its classes."""
        can_label = hasattr(self.model, "predict") or not hasattr(self.model, "predict_proba")
        answer = self._called("predict" if can_label else "predict_proba", rows, batch)
        if is_probabilities(answer):
            batch.probabilities(answer, None)
        return batch.labels(answer)

    def _numbers(self, rows: Any, batch: Batch) -> NDArray[np.float64]:
        """Return the numbers of a model that predicts numbers."""
        return batch.numbers(self._called("predict", rows, batch))

    def _called(self, method: str, rows: Any, batch: Batch) -> Any:
        """Call a method of the model, or the model itself if it is a function."""
        ask = getattr(self.model, method, self.model)
        try:
            return ask(rows)
        except Exception as error:
            text = f"{' '.join(str(error).split()).rstrip('.')}."
            why = f" It was queried because it cannot be read. {self.refusal}" if self.refusal else ""
            raise DataError(f"{self.name} failed on {batch}: {type(error).__name__}: {text}{why}") from error

    def _observed_classes(self, table: Table, labels: Labels | None) -> NDArray[Any]:
        own = Labels.from_any(self.predict(table)).classes_
        if labels is None:
            return own
        given = labels.classes_[np.unique(labels.codes)]
        first, wanted = own.tolist()[0], given.tolist()[0]
        if isinstance(first, str) != isinstance(wanted, str):
            raise DataError(
                f"{self.name} returns labels such as {first!r}, but y holds labels such as {wanted!r}. "
                "Both must be of one kind."
            )
        return Labels.from_any([*own.tolist(), *given.tolist()]).classes_


def _rounding(numbers: NDArray[np.float64]) -> float:
    """Return by how much numbers may differ that are the same up to single precision.

    Models may compute batches of different sizes in a different order. Differences far below the spread
    of the numbers do not matter to a model that imitates them.
    """
    largest = float(np.abs(numbers).max(initial=0.0))
    spread = float(np.ptp(numbers / largest)) if largest else 0.0
    return max(_SINGLE_PRECISION, _SMALL_SHARE * spread) * largest


def can_be_queried(model: Any) -> bool:
    """Return whether a model has ``predict_proba`` or ``predict``, or is a function.

    Examples
    --------
    >>> can_be_queried(len), can_be_queried("model.json"), can_be_queried(BlackBox)
    (True, False, False)
    """
    if isinstance(model, type):
        return False
    return callable(model) or hasattr(model, "predict_proba") or hasattr(model, "predict")


def _checked_classes(classes: Any) -> NDArray[Any]:
    if isinstance(classes, list) and any(isinstance(part, np.ndarray) for part in classes):
        raise UnsupportedModelError(
            f"The model predicts {len(classes)} targets at once. Pass one model per target."
        )
    array = np.asarray(classes)
    values = array.tolist() if array.ndim == 1 else []
    if not values or len(set(values)) < len(values):
        raise ParameterError(
            f"The 'classes' parameter of BlackBox must list different labels. Got {classes!r} instead."
        )
    return array


def is_regressor(model: Any) -> bool:
    """Return whether a model says that it predicts numbers."""
    kind = getattr(model, "_estimator_type", None)
    if kind is None and hasattr(model, "__sklearn_tags__"):
        kind = model.__sklearn_tags__().estimator_type
    return bool(kind == "regressor")


def _form_for(model: Any, X: Any, table: Table) -> RowForm:
    """Return the form of some rows, but named or not as a model of scikit-learn was fitted."""
    names = getattr(model, "feature_names_in_", None)
    if isinstance(model, BaseEstimator) and hasattr(model, "n_features_in_"):
        if names is not None and table.has_names:
            return RowForm.of(_in_order(X, table, list(names), type(model).__name__))
        if table.has_names:
            return RowForm.of(np.asarray(table) if _has_text(table) else np.asarray(table, dtype=np.float64))
        if names is not None and not table.has_names and len(names) == len(table.columns):
            return RowForm.of(Table.from_any(table, feature_names=list(names)))
    return RowForm.of(X)


def _in_order(X: Any, table: Table, names: list[str], owner: str) -> Any:
    """Return rows with the columns in the order in which a model was fitted to them."""
    absent = [name for name in names if name not in table.names]
    if absent:
        raise DataError(f"X has no column {absent[0]!r}, which {owner} expects.")
    if table.names == names or set(table.names) != set(names):
        return X
    if isinstance(X, Table):
        return Table([X[name] for name in names])
    return nw.from_native(X, eager_only=True)[names].to_native()


def _has_text(table: Table) -> bool:
    return any(column.feature.is_nominal for column in table.columns)
