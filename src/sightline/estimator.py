"""Base classes of the estimators: scikit-learn's protocol over named, typed columns."""

from __future__ import annotations

import copy
import functools
import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Callable
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, get_type_hints

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from sightline.exceptions import DataError, DataWarning, ParameterError
from sightline.model import CaseBase, Ensemble, Graph, NeighbourEnsemble, RuleSet, Tree
from sightline.passes import Tally, accepts_rows
from sightline.shared_docs import fill_docstrings
from sightline.sklearn_internals import (
    Interval,
    InvalidParameterError,
    StrOptions,
    validate_parameter_constraints,
)
from sightline.table import (
    Labels,
    Numbers,
    Table,
    category_variant_notes,
    disguised_columns,
    frame_notes,
    recognize_dates,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["OneTree", "SightlineClassifier", "SightlineEstimator", "SightlineRegressor", "checked_weights"]


class SightlineEstimator(BaseEstimator, metaclass=ABCMeta):
    """Base class of classifiers and regressors.

    A subclass fits a model (a tree, an ensemble, a rule set …) and returns it from ``_model``,
    which then predicts, prints and stores itself. Slots such as ``%(n_jobs)s`` in the docstrings
    of a subclass are filled with the text in :mod:`sightline.shared_docs`, and its
    ``_parameter_constraints`` are added to those here.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "ensemble": "no_validation",  # sightline.load refuses what it cannot read
        "max_leaves": [Interval(Integral, 1, None, closed="left"), None],
        "max_seconds": [Interval(Real, 0, None, closed="neither"), None],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    task: ClassVar[Literal["classes", "numbers"]]
    preset: str
    tally_: Tally

    _presets: ClassVar[dict[str, dict[str, Any]]] = {}
    """Per preset, the values of the parameters that are None unless the user sets them."""

    @abstractmethod
    def fit(self, X: Any, y: Any) -> Self:
        """Fit the model to rows and their target."""

    @abstractmethod
    def _checked_target(self, y: Any, n_rows: int, or_else: str = "") -> Labels | Numbers:
        """Convert the target; ``or_else`` names the alternative to y in the error if there is none."""

    @property
    @abstractmethod
    def _model(self) -> Tree | Graph | Ensemble | RuleSet | NeighbourEnsemble | CaseBase:
        """The fitted model."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        fill_docstrings(cls)
        if "fit" in vars(cls):
            cls.fit = accepts_rows(cls.fit)  # type: ignore[method-assign]
        inherited = super(cls, cls)._parameter_constraints
        cls._parameter_constraints = {**inherited, **vars(cls).get("_parameter_constraints", {})}
        if "_presets" in vars(cls):
            cls._parameter_constraints["preset"] = [StrOptions(set(cls._presets))]
            for name in cls._presets["default"]:
                cls._parameter_constraints[name] = [*cls._parameter_constraints[name], None]
        if "_model" in vars(cls):
            _forward_to(get_type_hints(vars(cls)["_model"].fget)["return"], cls)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class label, or the number, of each row.

        %(estimator_predict_sections)s
        """
        rows = self._checked_rows(X)
        return self._model.predict(rows, getattr(self, "n_jobs", None))

    def set_params(self, **params: Any) -> Self:
        """Set parameters, including those of nested estimators such as ``base__min_leaf``.

        Parameters
        ----------
        **params
            Values by name.

        Returns
        -------
        self : estimator
            The estimator.
        """
        for key in params:
            outer, _, inner = key.partition("__")
            value = getattr(self, outer, self)
            if inner and outer not in params and not hasattr(value, "set_params"):
                raise ParameterError(
                    f"{key!r} sets a parameter of {outer!r}, but {outer!r} of {type(self).__name__} is "
                    f"{value!r}: set {outer!r} to an object that has {inner!r} first."
                )
        super().set_params(**params)
        return self

    @property
    def model_(self) -> Tree | Graph | Ensemble | RuleSet | NeighbourEnsemble | CaseBase:
        """The fitted model that predicts, such as a tree, an ensemble or a rule set."""
        check_is_fitted(self)
        return self._model

    @property
    def size_(self) -> dict[str, int]:
        """Size of the model: its number of nodes, leaves, rules, conditions and features, and its depth."""
        return self.model_.size_

    def to_text(self, **options: Any) -> str:
        """Return the fitted model as text; see :meth:`sightline.Tree.to_text`."""
        return self.model_.to_text(**options)

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Plot the fitted model with matplotlib; see :meth:`sightline.Tree.plot`."""
        return self.model_.plot(ax=ax, **options)

    def explain(self, rows: Any, *, ids: Any = None) -> Any:
        """Explain what the fitted model predicts for one row or many; see :meth:`sightline.Tree.explain`."""
        return self.model_.explain(rows, ids=ids)

    def export(self, kind: str, path: Any = None, **options: Any) -> Any:
        """Export the fitted model for other programs; see :meth:`sightline.Tree.export`."""
        return self.model_.export(kind, path, **options)

    def to_json(self, path: Any = None) -> str:
        """Write the fitted model as JSON; see :func:`sightline.read_model`."""
        return self.model_.to_json(path)

    def _repr_html_inner(self) -> str:
        """Show the model in notebooks, or scikit-learn's diagram before fit."""
        if not self.__sklearn_is_fitted__():
            return str(super()._repr_html_inner())
        return self._model._repr_html_()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _check_parameters(self) -> None:
        try:
            validate_parameter_constraints(
                self._parameter_constraints, self.get_params(deep=False), caller_name=type(self).__name__
            )
        except InvalidParameterError as error:
            raise ParameterError(str(error)) from None

    def _setting(self, name: str) -> Any:
        """Return a parameter, or its value in the preset if it is None."""
        value = getattr(self, name)
        return self._presets[self.preset][name] if value is None else value

    def _completed(self) -> Self:
        """Return a copy in which the preset fills in the parameters that are None."""
        filled = copy.copy(self)
        for name in self._presets[self.preset]:
            setattr(filled, name, self._setting(name))
        return filled

    @staticmethod
    def _training_rows(X: Any, categorical_features: Any = "from_dtype", reads_dates: bool = True) -> Table:
        """Convert rows, read strings that are dates, and warn about those that look like dates or numbers.

        A Table stays as it is, and so do strings if the caller lists the nominal columns.

        Parameters
        ----------
        X, categorical_features
            As in :meth:`Table.from_any`.
        reads_dates : bool
            Whether strings may become dates; not if another model knows them as strings.
        """
        table = Table.from_any(X, categorical_features=categorical_features)
        if not isinstance(X, Table) and isinstance(categorical_features, str):
            columns, notes = recognize_dates(table.columns) if reads_dates else (table.columns, [])
            notes += [*frame_notes(columns), *category_variant_notes(columns)] if reads_dates else []
            table = table.with_columns(columns)
            for sentence in [*notes, *disguised_columns(columns)]:
                warnings.warn(sentence, DataWarning, stacklevel=4)
        return table.with_completeness()

    def _require_target(self, y: Any, or_else: str) -> None:
        if y is None:
            noun = "label" if self.task == "classes" else "number"
            raise DataError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: "
                f"pass one {noun} per row{', ' if or_else else ''}{or_else}."
            )

    @staticmethod
    def _check_length(target: Labels | Numbers, n_rows: int) -> None:
        if len(target) != n_rows:
            noun = "labels" if isinstance(target, Labels) else "numbers"
            raise DataError(
                f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows, "
                f"y has {len(target)} {noun}."
            )

    def _remember(self, table: Table, classes: NDArray[Any] | None) -> None:
        """Set the attributes that scikit-learn expects for the columns, and for the classes if any."""
        self.n_features_in_ = len(table.columns)
        if table.has_names:
            self.feature_names_in_ = np.array(table.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        if classes is not None:
            self.classes_ = classes

    def _checked_rows(self, X: Any) -> Table:
        check_is_fitted(self)
        table = Table.from_any(X)
        if hasattr(self, "feature_names_in_") and not table.has_names:
            warnings.warn(
                "X does not have valid feature names, "
                f"but {type(self).__name__} was fitted with feature names",
                UserWarning,
                stacklevel=3,
            )
        return self._rows_for_model(table)

    def _rows_for_model(self, table: Table) -> Table:
        """Return rows in the columns of the model, or raise."""
        return table.aligned(self._model.schema, type(self).__name__)


fill_docstrings(SightlineEstimator)


class SightlineClassifier(ClassifierMixin, SightlineEstimator):
    """Base class of the classifiers."""

    task = "classes"

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the class probabilities of each row.

        %(estimator_predict_proba_sections)s
        """
        rows = self._checked_rows(X)
        model: Any = self._model
        probabilities: NDArray[np.float64] = model.predict_proba(rows, getattr(self, "n_jobs", None))
        return probabilities

    def _checked_training(
        self, X: Any, y: Any, categorical_features: Any = "from_dtype", sample_weight: Any = None
    ) -> tuple[Table, Labels]:
        """Convert rows and labels, and store the columns and classes."""
        table = self._training_rows(X, categorical_features).for_target(y, sample_weight)
        labels = self._checked_target(y, table.n_rows)
        self._remember(table, labels.classes_)
        return table, labels

    def _checked_target(self, y: Any, n_rows: int, or_else: str = "") -> Labels:
        self._require_target(y, or_else)
        labels = Labels.from_any(y)
        self._check_length(labels, n_rows)
        self._refuse_numbers(labels)
        return labels

    def _refuse_numbers(self, labels: Labels) -> None:
        """Refuse a target with so many values that it must be numbers or row names."""
        n_values = len(np.unique(labels.codes))
        if n_values <= _MAX_CLASSES or n_values * _MIN_ROWS_PER_CLASS <= len(labels):
            return
        found = f"y has {n_values:,} different values in {len(labels):,} rows, too many for classes."
        if labels.classes_.dtype.kind in "iuf":
            raise DataError(
                f"{found} To predict numbers use a regressor, such as DistilledTreeRegressor; "
                "for classes, bin the values first."
            )
        raise DataError(f"{found} It looks like a row ID. Choose another target.")


_MAX_CLASSES, _MIN_ROWS_PER_CLASS = 200, 20
"""Maximum number of classes, unless each class has at least the second number of rows on average."""


class SightlineRegressor(RegressorMixin, SightlineEstimator):
    """Base class of the regressors."""

    task = "numbers"

    def _checked_target(self, y: Any, n_rows: int, or_else: str = "") -> Numbers:
        self._require_target(y, or_else)
        numbers = Numbers.from_any(y)
        self._check_length(numbers, n_rows)
        return numbers


def _forward_to(model_class: type, cls: type[SightlineEstimator]) -> None:
    """Copy signatures and docstrings from the model to the estimator methods that call it."""
    for name in ("to_text", "plot", "explain", "export"):
        if getattr(cls, name) is getattr(SightlineEstimator, name):
            setattr(cls, name, _forwarded(getattr(model_class, name)))


def _forwarded(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def forward(self: SightlineEstimator, *args: Any, **options: Any) -> Any:
        return getattr(self.model_, method.__name__)(*args, **options)

    return forward


class OneTree(SightlineEstimator):
    """Base class of the estimators whose model is one tree."""

    @property
    @abstractmethod
    def _model(self) -> Tree:
        """The fitted tree."""

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the leaf that each row reaches.

        A missing value follows the branch with the largest share.

        Parameters
        ----------
        %(new_X)s

        Returns
        -------
        ndarray of shape (n_rows,)
            Node ids.
        """
        rows = self._checked_rows(X)
        return self._model.apply(rows, getattr(self, "n_jobs", None))

    def get_depth(self) -> int:
        """Return the number of tests on the longest path."""
        check_is_fitted(self)
        return self._model.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self._model.n_leaves

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each feature in the total decrease of Gini impurity, or of squared error."""
        check_is_fitted(self)
        return self._model.feature_importances()


def checked_weights(sample_weight: Any, n_rows: int, column: str = "") -> NDArray[np.float64] | None:
    """Check row weights and return them as doubles, or None if every weight is 1.

    Parameters
    ----------
    sample_weight : array-like of shape (n_rows,), number or None
        Weights as the user passed them.
    n_rows : int
        Number of rows.
    column : str, optional
        The column that they are, for messages; without it, they are a parameter.

    Returns
    -------
    ndarray of shape (n_rows,) or None
        Finite, non-negative weights, not all of them zero.

    Raises
    ------
    DataError
        If the weights are anything else.
    """
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("sample_weight must hold one number per row.") from None
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.ndim != 1:
        raise DataError(f"Sample weights must be 1D array or scalar, got {weights.ndim}D array.")
    if len(weights) != n_rows:
        raise DataError(f"sample_weight has {len(weights)} weights for {n_rows} rows. Pass one per row.")
    is_missing = np.isnan(weights) & bool(column)
    for is_wrong, what in (
        (is_missing, "missing"),
        (~np.isfinite(weights), "not finite"),
        (weights < 0, "negative"),
    ):
        if is_wrong.any():
            row = int(is_wrong.argmax())
            raise DataError(
                f"sample_weight[{row}] is {what}: {weights[row]}. Weights must be 0 or more."
                if not column
                else f"{column} is {what} in row {row}. Weights must be 0 or more."
            )
    if not weights.any():
        raise DataError(
            f"{column} is 0 in every row. No row counts."
            if column
            else "All sample weights are zero, so there is no row to learn from."
        )
    with np.errstate(over="ignore"):
        if not np.isfinite(weights.sum()):
            raise DataError(f"{column or 'The sample weights'} sum to infinity. Scale them down.")
    return None if (weights == 1).all() else weights
