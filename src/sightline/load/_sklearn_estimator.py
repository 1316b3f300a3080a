"""What all fitted scikit-learn estimators store: names, labels, fields."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from sightline.exceptions import UnsupportedModelError
from sightline.load._assembly import default_names
from sightline.load._unfitted import UnfittedModelError
from sightline.model import Ensemble
from sightline.table import Feature, Schema


def require_fitted(model: Any, attribute: str) -> None:
    """Raise UnfittedModelError if a fitted attribute is missing."""
    if not hasattr(model, attribute):
        raise UnfittedModelError.of(model)


def feature_names(model: Any) -> list[str]:
    """Return the names that the model was fitted with, or x0, x1, ... if there were none.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> feature_names(DecisionTreeClassifier().fit([[1, 2], [3, 4]], [0, 1]))
    ['x0', 'x1']
    """
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return default_names(model.n_features_in_, type(model).__name__)
    return [str(name) for name in names]


def numeric_schema(model: Any, rounding: str = "sklearn") -> Schema:
    """Return the schema of a model whose features are all numeric, by default in single precision."""
    return schema_of([Feature(name, rounding=rounding) for name in feature_names(model)], model)


def schema_of(features: Sequence[Feature], model: Any) -> Schema:
    """Return the schema of a model's features, which knows whether the training rows had names."""
    return Schema(tuple(features), names_given=hasattr(model, "feature_names_in_"))


def class_labels(model: Any) -> NDArray[Any] | None:
    """Return the labels of a classifier in their own type, None for a regressor."""
    refuse_many_outputs(model, getattr(model, "n_outputs_", 1))
    return np.asarray(model.classes_) if is_classifier(model) else None


def require_same_kind(
    owner: str, objective: str, ensemble: Ensemble, booster: str, *, predicts_classes: bool
) -> None:
    """Refuse a classifier whose objective is a regression's, and a regressor with a classifier's.

    Parameters
    ----------
    owner : str
        The estimator of a boosting library, or the file that it saved, for the error message.
    objective : str
        Its objective.
    ensemble : Ensemble
        What its Booster predicts.
    booster : str
        The expression for the Booster, for the error message.
    predicts_classes : bool
        Whether the estimator is a classifier.
    """
    if predicts_classes == (ensemble.classes_ is not None):
        return
    what = ("numbers", "classes") if predicts_classes else ("classes", "numbers")
    raise UnsupportedModelError(
        f"{owner}: its objective {objective!r} is for {what[0]}, but the estimator "
        f"predicts {what[1]}, which is not supported. Load its Booster instead: sl.load({booster})."
    )


def refuse_one_class(classes: NDArray[Any], owner: str) -> None:
    """Raise UnsupportedModelError if a booster was trained on rows of one class, of which it makes two."""
    if len(classes) == 1:
        raise UnsupportedModelError(
            f"{owner}: all training rows have the class {classes.tolist()[0]!r}, so there is nothing to "
            "explain."
        )


def refuse_many_outputs(model: Any, n_outputs: int) -> None:
    """Raise UnsupportedModelError if the model has several outputs."""
    if n_outputs != 1:
        raise UnsupportedModelError(f"{type(model).__name__}: has {n_outputs} outputs per row. Supported: 1.")


def refuse_unknown_fields(found: Iterable[str], known: Iterable[str], where: str) -> None:
    """Raise UnsupportedModelError if stored nodes have unknown fields.

    Later versions of the library may add kinds of tests. Ignoring their fields would misread the
    model.

    Parameters
    ----------
    found, known : iterable of str
        Names of the fields in the model, and of the supported ones.
    where : str
        Owner of the fields, for the error message.
    """
    found, known = set(found), set(known)
    if found == known:
        return
    strange = [f"{name!r} is unknown" for name in sorted(found - known)]
    absent = [f"{name!r} is missing" for name in sorted(known - found)]
    raise UnsupportedModelError(
        f"{where}: the trees of this version of scikit-learn are not supported "
        f"({', '.join(strange + absent)})."
    )
