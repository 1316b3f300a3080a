"""The verb of this stage."""

from __future__ import annotations

from typing import Any

from sightline.load._registry import find_importer
from sightline.model import Ensemble


def load(model: Any) -> Ensemble:
    """Read a fitted model as an ensemble of trees.

    The ensemble gives the label and the score of the model for every row, also for rows
    that lie exactly on a threshold, and without asking the model's own library.

    Parameters
    ----------
    model : object
        A fitted tree, forest, bagging or boosting model of scikit-learn, a fitted
        sightline estimator, a :class:`~sightline.model.Tree`, or an
        :class:`~sightline.model.Ensemble`, which is returned as it is. An estimator stands for
        what it predicts with: one that put a tree in an ensemble's place for that tree, as an
        ensemble of one; the ensemble behind it is its ``ensemble_``.

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
        If the model is damaged; the message names the tree and the node.
    sklearn.exceptions.NotFittedError
        If the model is not fitted.

    See Also
    --------
    sightline.load.Importer : How to teach this function another kind of model.

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
    return find_importer(model).read(model)
