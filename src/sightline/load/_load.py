"""The verb of this stage."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sightline.exceptions import ParameterError
from sightline.load._file import ModelFile, load_file
from sightline.load._options import Options
from sightline.load._registry import find_importer
from sightline.model import Ensemble


def load(
    model: Any,
    *,
    allow_pickle: bool = False,
    categories: Mapping[str, Sequence[object]] | None = None,
) -> Ensemble:
    """Read a fitted model, or the file of one, as an ensemble of trees.

    The ensemble gives the label and the score of the model for every row, also for rows
    that lie exactly on a threshold, and without asking the model's own library. Files are
    told apart by their content, and read without that library.

    Parameters
    ----------
    model : object or path-like
        A fitted tree, forest, bagging or boosting model of scikit-learn; an estimator or
        Booster of XGBoost or LightGBM, an estimator of CatBoost; a fitted sightline
        estimator, a :class:`~sightline.model.Tree`, or an
        :class:`~sightline.model.Ensemble`, which is returned as it is. An estimator stands for
        what it predicts with: one that put a tree in an ensemble's place for that tree, as an
        ensemble of one; the ensemble behind it is its ``ensemble_``. Or the path of a file:
        XGBoost's JSON and UBJSON, LightGBM's text and JSON dump, CatBoost's JSON, skops,
        sightline's own JSON, a pickle.
    allow_pickle : bool, default=False
        Whether the file may be a pickle or of joblib. Opening those runs whatever code is
        in them: only for files that you trust.
    categories : mapping of str to sequence, optional
        Per feature its values, for CatBoost, which stores only their hashes, and for XGBoost where
        they are not ASCII: up to version 3.2 it stores those wrongly.

    Returns
    -------
    Ensemble
        The trees and how they speak together.

    Raises
    ------
    UnsupportedModelError
        If the model is of another kind, or uses something that is not understood. Nothing
        is ever read approximately.
    ModelFormatError
        If the model is damaged; the message names the file, the tree and the node.
    sklearn.exceptions.NotFittedError
        If the model is not fitted.

    See Also
    --------
    sightline.load.Importer : How to teach this function another kind of model.
    sightline.read_model : Read any model that sightline wrote.

    Notes
    -----
    Categories that a model knows as numbers only (XGBoost and LightGBM without a frame)
    are the codes that its tests list, and ``'any other'``. Labels of XGBoost, and of
    LightGBM's files, are numbers from 0. Infinite numbers lie beyond every threshold, as they do
    for the libraries that take them.

    Examples
    --------
    >>> from sightline.load import load
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    >>> ensemble = load(forest)
    >>> ensemble.feature_names[0]
    'sepal length (cm)'
    >>> bool((ensemble.predict_proba(X) == forest.predict_proba(X)).all())
    True
    """
    options = Options(allow_pickle, _checked(categories))
    if isinstance(model, str | os.PathLike):
        return load_file(ModelFile.read(model, options))
    return find_importer(model).read_with(model, options)


def _checked(categories: Any) -> Mapping[str, Sequence[object]]:
    if categories is None:
        return {}
    if not isinstance(categories, Mapping):
        raise ParameterError(
            "The 'categories' of load must be a dict: per feature a list of its values. "
            f"Got {categories!r} instead."
        )
    for name, values in categories.items():
        if isinstance(values, str | bytes) or not isinstance(values, Iterable):
            raise ParameterError(
                f"The 'categories' of load must be lists of values. Got {values!r} for {name!r} instead."
            )
    return {name: list(values) for name, values in categories.items()}
