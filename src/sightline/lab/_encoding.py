"""Rows in the form that other libraries take."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.pipeline import Pipeline, make_pipeline

from sightline.distill import cloned, weights_for
from sightline.load import load_or_wrap
from sightline.model import BlackBox, Ensemble
from sightline.table import Labels, Numbers, RowForm, Schema, Table, frame_of


class OneHotColumns(TransformerMixin, BaseEstimator):
    """A numeric matrix from a table: one column per category, numbers unchanged.

    A missing number stays NaN; a missing category is 0 in all its columns. A numeric column
    without any known value becomes 0, because not every library accepts a column of NaN.

    Examples
    --------
    >>> OneHotColumns().fit_transform(Table.from_any([[1.0, "a"], [2.0, "b"]]))
    array([[1., 1., 0.],
           [2., 0., 1.]])
    """

    schema_: Schema
    is_unknown_: list[bool]

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's protocol
        """Store the columns."""
        table = Table.from_any(X)
        self.schema_ = table.schema
        self.is_unknown_ = [bool(column.is_missing.all()) for column in table.columns]
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return the rows as a matrix."""
        return np.hstack([block for _, block in self._blocks(X)])

    def transform_table(self, X: Any) -> Table:
        """Return the rows as a numeric table; columns of categories are named "feature = category"."""
        names = [name for names, _ in self._blocks(X) for name in names]
        return Table.from_any(self.transform(X), feature_names=names)

    def _blocks(self, X: Any) -> list[tuple[list[str], NDArray[np.float64]]]:
        blocks = []
        columns = Table.from_any(X).aligned(self.schema_).columns
        for column, is_unknown in zip(columns, self.is_unknown_, strict=True):
            values = column.values[:, None]
            if column.feature.categories is None:
                numbers = np.zeros(values.shape) if is_unknown else values.astype(np.float64)
                blocks.append(([column.name], numbers))
            else:
                names = [f"{column.name} = {value}" for value in column.feature.categories]
                blocks.append((names, (values == np.arange(len(names))).astype(np.float64)))
        return blocks


class AsFrame(TransformerMixin, BaseEstimator):
    """A pandas frame from a table, for pipelines that refer to columns by name."""

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's protocol
        """Store the number of columns."""
        self.n_features_in_ = len(Table.from_any(X).columns)
        return self

    def transform(self, X: Any) -> Any:
        """Return the frame."""
        return Table.from_any(X).to_pandas()


class OriginalRows(ClassifierMixin, BaseEstimator):
    """A model of another library, or a function, that gets rows as the user has them.

    Parameters
    ----------
    estimator : estimator or callable
        A clone is fitted; a function is used as it is.
    form : RowForm, optional
        The form of the rows; by default that of a table.
    box : BlackBox, optional
        The black box that the estimator comes from. It is then never read.
    """

    def __init__(
        self, estimator: Any = None, form: RowForm | None = None, box: BlackBox | None = None
    ) -> None:
        self.estimator = estimator
        self.form = form
        self.box = box

    def fit(self, X: Table, y: Any, sample_weight: NDArray[np.float64] | None = None) -> Self:
        """Fit a clone, and read it or prepare to query it."""
        rows = frame_of(X) if self.form is None else self.form.rows(X)
        model = self.estimator
        if hasattr(model, "fit"):
            model = cloned(model)
            model = model.fit(rows, np.asarray(y), **weights_for(model, sample_weight))
        loaded = load_or_wrap(model, X) if self.box is None else self.box.around(model)
        if isinstance(loaded, BlackBox):
            task: Literal["classes", "numbers"] = "numbers" if isinstance(y, Numbers) else "classes"
            loaded = loaded.bound(rows, X, None if isinstance(y, Numbers) else Labels.from_any(y), task)
        return self._holding(loaded, X)

    def _holding(self, model: Ensemble | BlackBox, X: Table) -> Self:
        self.ensemble_ = model
        self.n_features_in_ = len(X.columns)
        if model.classes_ is not None:
            self.classes_ = np.asarray(model.classes_)
        return self

    def predict(self, X: Table) -> NDArray[Any]:
        """Return the labels, or numbers."""
        return self.ensemble_.predict(X)

    def __sklearn_clone__(self) -> Self:
        """Clone an estimator of CatBoost, too."""
        can_be_fitted = hasattr(self.estimator, "get_params")
        return type(self)(cloned(self.estimator) if can_be_fitted else self.estimator, self.form, self.box)


def is_own(estimator: Any) -> bool:
    """Return whether an estimator belongs to this library, and so takes tables."""
    return type(estimator).__module__.partition(".")[0] == "sightline"


def for_tables(estimator: Any) -> Any:
    """Return an estimator that takes tables.

    Parameters
    ----------
    estimator : estimator
        Our estimators stay unchanged; pipelines get pandas frames; all others get one column per
        category.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> [name for name, _ in for_tables(DecisionTreeClassifier()).steps]
    ['onehotcolumns', 'decisiontreeclassifier']
    """
    if is_own(estimator):
        return estimator
    return make_pipeline(AsFrame() if isinstance(estimator, Pipeline) else OneHotColumns(), estimator)
