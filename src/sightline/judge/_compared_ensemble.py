"""The model that a comparison measures fidelity against, and the rows that it can be fitted to."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sightline.distill import default_learner, weights_for
from sightline.learn import BaggedTreesClassifier
from sightline.measure import check_known
from sightline.model import BlackBox, Ensemble
from sightline.table import Labels, RowForm

if TYPE_CHECKING:
    from sightline.lab import LoadedSet


@dataclass(frozen=True)
class ComparedEnsemble:
    """What the summaries of a comparison imitate.

    Attributes
    ----------
    estimator : estimator
        Takes the rows of ``data``; a clone is fitted in every fold.
    data : LoadedSet
        Rows and labels for all methods.
    description : str
        What it is.
    is_black_box : bool
        Whether it can only be queried.
    """

    estimator: Any
    data: LoadedSet
    description: str
    is_black_box: bool

    @classmethod
    def of(cls, ensemble: Any, X: Any, data: LoadedSet) -> ComparedEnsemble:
        """Find out how an ensemble can be fitted.

        Parameters
        ----------
        ensemble : estimator, Ensemble, function, BlackBox or None
            As in :func:`sightline.compare`.
        X : Table, frame or array
            The rows as the user has them.
        data : LoadedSet
            The same rows and their labels.
        """
        from sightline.lab import is_own  # noqa: PLC0415 - only a comparison loads the lab

        if ensemble is None and data.task == "classes":
            return cls(BaggedTreesClassifier(), data, "25 bagged C4.5 trees", False)
        if ensemble is None:
            forest = cls._of_other_library(default_learner("numbers", data.X), data.X, data)
            return replace(forest, description="a random forest of 100 trees")
        if is_own(ensemble) and not isinstance(ensemble, BlackBox | Ensemble):
            return cls(ensemble, data, type(ensemble).__name__, False)
        return cls._of_other_library(ensemble, X, data)

    @classmethod
    def _of_other_library(cls, ensemble: Any, X: Any, data: LoadedSet) -> ComparedEnsemble:
        from sightline.lab import OneHotColumns, OriginalRows  # noqa: PLC0415

        box = ensemble if isinstance(ensemble, BlackBox) else None
        model = ensemble if box is None else box.model
        wrapped = OriginalRows(model, RowForm.of(X), None if box is None else box.around(model))
        try:
            fitted = _tried(wrapped, data)
        except Exception:
            if not hasattr(model, "fit") or not any(column.feature.is_nominal for column in data.X.columns):
                raise
            # Most learners take numbers only.
            rows = OneHotColumns().fit(data.X).transform_table(data.X)
            data = replace(data, X=rows)
            wrapped = OriginalRows(model, RowForm.of(rows), wrapped.box)
            fitted = _tried(wrapped, data)
        if isinstance(data.y, Labels):
            check_known(data.y, fitted.classes_, "the ensemble")
        if isinstance(model, Ensemble):
            return cls(wrapped, data, f"the given {model.n_trees:,} trees", False)
        name = BlackBox(model).name if hasattr(model, "predict") or callable(model) else type(model).__name__
        return cls(wrapped, data, name, isinstance(fitted.ensemble_, BlackBox))


def _tried(wrapped: Any, data: LoadedSet) -> Any:
    """Fit to all rows, which shows whether the model accepts them and can be read."""
    from sklearn.base import clone  # noqa: PLC0415 - slow to import

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(wrapped).fit(data.X, data.y, **weights_for(wrapped, data.weights))
